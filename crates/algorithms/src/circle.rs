//! Points on the circle of 64-bit positions: sorted, searched through an index of top bits.
//!
//! Cost: a lookup reads one index cell and on average about one point; building is a sort, taking
//! points in or out is one merge. Memory: 12 bytes a point and 4 to 8 of index.

use placelab_core::{NodeId, Roster, Step, Trace};

use crate::range_hash::{bytes_of, trimmed};

/// A point and who owns what ends there.
pub(crate) type Point = (u64, NodeId);

/// Order of points: by position, and where two nodes meet on one position by name.
pub(crate) struct NameRanks(Vec<u32>);

impl NameRanks {
    pub(crate) fn new(roster: &Roster) -> Self {
        let largest = roster.nodes().iter().map(|node| node.id.index()).max().unwrap_or(0);
        let mut ranks = vec![0; largest + 1];
        for (rank, node) in roster.by_name().into_iter().enumerate() {
            ranks[node.id.index()] = rank as u32;
        }
        NameRanks(ranks)
    }

    fn place(&self, point: &Point) -> (u64, u32) {
        (point.0, self.0[point.1.index()])
    }

    /// Sorts points of this roster's members.
    pub(crate) fn sort(&self, points: &mut [Point]) {
        points.sort_unstable_by_key(|point| self.place(point));
    }
}

/// Bits of the index over so many points.
fn index_bits(points: usize) -> u32 {
    points.next_power_of_two().trailing_zeros().clamp(1, 28)
}

/// The mean number of points that a search reads among so many: half of those in a cell.
pub(crate) fn mean_reads(points: u64) -> f64 {
    points as f64 / (2u64 << index_bits(points as usize)) as f64
}

/// Never empty.
#[derive(Clone)]
pub(crate) struct Circle {
    positions: Vec<u64>,
    owners: Vec<NodeId>,
    /// First point at or after each value of the top bits; one more cell ends the last.
    index: Vec<u32>,
    shift: u32,
}

impl Circle {
    /// Of points in the order of [`NameRanks`]. Panics where there is none.
    pub(crate) fn new(points: impl IntoIterator<Item = Point>) -> Self {
        let (positions, owners): (Vec<u64>, Vec<NodeId>) = points.into_iter().unzip();
        let (positions, owners) = (trimmed(positions), trimmed(owners));
        assert!(!positions.is_empty(), "a circle has points");
        let bits = index_bits(positions.len());
        let shift = 64 - bits;
        let mut index = Vec::with_capacity((1 << bits) + 1);
        let mut point = 0;
        for cell in 0..1u64 << bits {
            while point < positions.len() && positions[point] >> shift < cell {
                point += 1;
            }
            index.push(point as u32);
        }
        index.push(positions.len() as u32);
        Circle { positions, owners, index, shift }
    }

    /// This circle without the points of some nodes and with other points, which are in order.
    pub(crate) fn merged(
        &self,
        ranks: &NameRanks,
        stays: impl Fn(NodeId) -> bool,
        fresh: Vec<Point>,
    ) -> Self {
        let old = self.positions.iter().copied().zip(self.owners.iter().copied());
        let mut old = old.filter(|&(_, owner)| stays(owner)).peekable();
        let mut fresh = fresh.into_iter().peekable();
        Circle::new(std::iter::from_fn(|| match (old.peek(), fresh.peek()) {
            (Some(one), Some(other)) if ranks.place(one) <= ranks.place(other) => old.next(),
            (_, Some(_)) => fresh.next(),
            _ => old.next(),
        }))
    }

    /// The first point at or after a position, the first of all behind the last.
    #[inline]
    pub(crate) fn successor<T: Trace + ?Sized>(&self, position: u64, trace: &mut T) -> usize {
        let cell = (position >> self.shift) as usize;
        let (mut low, mut high) = (self.index[cell] as usize, self.index[cell + 1] as usize);
        // Only where points cluster: explicit tokens, weak hashes.
        while high - low > 8 {
            let middle = low.midpoint(high);
            trace.step(Step::Probe { at: self.positions[middle], node: self.owners[middle] });
            if self.positions[middle] < position {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        while low < high && self.positions[low] < position {
            trace.step(Step::Probe { at: self.positions[low], node: self.owners[low] });
            low += 1;
        }
        if low == self.positions.len() { 0 } else { low }
    }

    /// Who owns what ends at a point.
    #[inline]
    pub(crate) fn owner(&self, point: usize) -> NodeId {
        self.owners[point]
    }

    /// Where a point stands.
    #[inline]
    pub(crate) fn position(&self, point: usize) -> u64 {
        self.positions[point]
    }

    /// The point behind a point, the first of all behind the last.
    #[inline]
    pub(crate) fn next(&self, point: usize) -> usize {
        if point + 1 == self.positions.len() { 0 } else { point + 1 }
    }

    /// The owners from a point on, once round.
    pub(crate) fn walk(&self, point: usize) -> impl Iterator<Item = NodeId> {
        self.owners[point..].iter().chain(&self.owners[..point]).copied()
    }

    /// Length of the arc that ends at each point; 0 where another stands before it on the same
    /// position. The sum is 2^64.
    pub(crate) fn arcs(&self) -> impl Iterator<Item = (NodeId, u128)> {
        let last = *self.positions.last().expect("a circle has points");
        let whole = 1u128 << 64;
        (0..self.positions.len()).map(move |point| {
            let before = if point == 0 { last } else { self.positions[point - 1] };
            let arc = u128::from(self.positions[point].wrapping_sub(before));
            let alone = point == 0 && arc == 0;
            (self.owners[point], if alone { whole } else { arc })
        })
    }

    pub(crate) fn bytes(&self) -> u64 {
        bytes_of(&self.positions) + bytes_of(&self.owners) + bytes_of(&self.index)
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::{AlgorithmRequest, HashSeed, Key, Placement, Silent, establish};

    use super::*;
    use crate::vectors::{golden, weights};

    /// The ketama part of the ring vectors: four little-endian points from each MD5 of `name-j`,
    /// a key at the first four bytes of its MD5, the first point at or after it. The ring as it is
    /// registered takes one point from each text, and these as explicit tokens. The other part,
    /// HAProxy's, gives a key to the closest point in either direction, which no ring here does.
    #[test]
    fn golden_ketama() {
        let ketama = &golden("ring")["ketama"];
        for set in ketama["sets"].as_array().unwrap() {
            let weights: Vec<u64> = weights(set).into_iter().map(|w| w as u64).collect();
            let total: u64 = weights.iter().sum();
            let roster = Roster::numbered(weights.len() as u32).unwrap();
            let mut points = Vec::new();
            for (node, weight) in roster.nodes().iter().zip(&weights) {
                for digest in 0..40 * weights.len() as u64 * weight / total {
                    let digest = md5(format!("{}-{digest}", node.name).as_bytes());
                    points.extend((0..4).map(|part| (position(&digest, part), node.id)));
                }
            }
            assert_eq!(points.len() as u64, set["points"].as_u64().unwrap());
            NameRanks::new(&roster).sort(&mut points);
            let name = |id: NodeId| roster.get(id).unwrap().name.as_str();
            let lines = points.iter().map(|point| format!("{},{}\n", name(point.1), point.0));
            let ring = ring_of(&lines.collect::<String>(), roster.clone());
            let circle = Circle::new(points);
            let lookups = set["lookups"].as_array().unwrap().iter();
            for (key, expected) in ketama["keys"].as_array().unwrap().iter().zip(lookups) {
                let key = position(&md5(key.as_str().unwrap().as_bytes()), 0);
                let owner = circle.owner(circle.successor(key, &mut Silent));
                assert_eq!(u64::from(owner.0), expected.as_u64().unwrap(), "{}", set["name"]);
                assert_eq!(ring.place(Key::hashed(key)), owner);
            }
        }
    }

    fn ring_of(tokens: &str, roster: Roster) -> Box<dyn Placement> {
        let request = AlgorithmRequest::expand("ring:tokens=@file").unwrap().remove(0);
        let spec = crate::find("ring").unwrap();
        let arguments = request.arguments(spec, &|_| Ok(tokens.into())).unwrap();
        establish(spec, &arguments, HashSeed::PUBLISHED, roster).unwrap()
    }

    fn md5(bytes: &[u8]) -> Vec<u8> {
        use md5::{Digest, Md5};
        Md5::digest(bytes).to_vec()
    }

    fn position(digest: &[u8], part: usize) -> u64 {
        let bytes = digest[4 * part..4 * part + 4].try_into().unwrap();
        u64::from(u32::from_le_bytes(bytes)) << 32
    }

    #[test]
    fn one_point_owns_the_circle() {
        for position in [0, 7, u64::MAX] {
            let circle = Circle::new([(position, NodeId(3))]);
            assert!(circle.arcs().eq([(NodeId(3), 1 << 64)]));
            assert_eq!(circle.successor(position.wrapping_add(1), &mut Silent), 0);
        }
    }
}
