//! Points on the circle of 64-bit positions: sorted, searched through an index of top bits.
//!
//! Cost: a lookup reads one index cell and on average about one point; building is a sort, taking
//! points in or out is one merge. Memory: 12 bytes a point and 4 to 8 of index.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::hint::select_unpredictable;

use placelab_core::{Anatomy, NodeId, Roster, Silent, Step, Trace};

use crate::range_hash::{bytes_of, trimmed};

/// A point and who owns what ends there.
pub(crate) type Point = (u64, NodeId);

/// Order of points: by position, and where two nodes meet on one position by name.
pub(crate) struct NameRanks<'a> {
    roster: &'a Roster,
    /// Rank of each identity, once two have met.
    ranks: OnceCell<Vec<u32>>,
}

impl<'a> NameRanks<'a> {
    /// Of this roster's members.
    pub(crate) fn new(roster: &'a Roster) -> Self {
        NameRanks { roster, ranks: OnceCell::new() }
    }

    fn rank(&self, node: NodeId) -> u32 {
        let ranks = self.ranks.get_or_init(|| {
            let nodes = self.roster.by_name();
            let largest = nodes.iter().map(|node| node.id.index()).max().unwrap_or(0);
            let mut ranks = vec![0; largest + 1];
            for (rank, node) in nodes.into_iter().enumerate() {
                ranks[node.id.index()] = rank as u32;
            }
            ranks
        });
        ranks[node.index()]
    }

    #[inline]
    fn order(&self, one: Point, other: Point) -> Ordering {
        one.0.cmp(&other.0).then_with(|| self.rank(one.1).cmp(&self.rank(other.1)))
    }

    /// Sorts points of this roster's members.
    pub(crate) fn sort(&self, points: &mut [Point]) {
        points.sort_unstable_by(|one, other| self.order(*one, *other));
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

/// Points that are compared at once. A cell has one at most on average, and so many stand before a
/// key in it once in 250 lookups or less.
const AT_ONCE: usize = 4;

/// Lookups of a batch that go through each stage together, so that none waits for another's reads.
const STAGED: usize = 64;

/// Points that a cache of the processor's own holds, with their index: half a mebibyte.
const NEARBY: usize = 1 << 15;

/// Most points of a cell that are put in order by insertion.
const INSERTED: u32 = 16;

/// What a merge does before point `at`: puts a fresh one there, or takes the point itself out.
struct Edit {
    at: usize,
    fresh: Option<Point>,
}

/// Never empty.
#[derive(Clone)]
pub(crate) struct Circle {
    /// In order, and as many as are compared at once behind the last: those are behind every key.
    positions: Vec<u64>,
    owners: Vec<NodeId>,
    /// First point at or after each value of the top bits; one more cell ends the last.
    index: Vec<u32>,
    shift: u32,
}

impl Circle {
    /// Of points in the order of [`NameRanks`]. Panics where there is none.
    pub(crate) fn new(points: impl IntoIterator<Item = Point>) -> Self {
        let (positions, owners) = points.into_iter().unzip();
        Circle::ordered(positions, owners)
    }

    fn ordered(mut positions: Vec<u64>, owners: Vec<NodeId>) -> Self {
        assert!(!positions.is_empty(), "a circle has points");
        let bits = index_bits(positions.len());
        let shift = 64 - bits;
        let mut index = vec![0; (1 << bits) + 1];
        for (end, position) in (1..).zip(&positions) {
            index[(position >> shift) as usize + 1] = end;
        }
        // A cell without points ends where the one before does.
        let mut end = 0;
        for cell in &mut index {
            end = end.max(*cell);
            *cell = end;
        }
        positions.extend([u64::MAX; AT_ONCE]);
        Circle { positions: trimmed(positions), owners: trimmed(owners), index, shift }
    }

    /// Of points in any order: the index sorts them by cells, a pass puts cells in
    /// order. Panics where there is none.
    pub(crate) fn of(ranks: &NameRanks<'_>, points: &[Point]) -> Self {
        assert!(!points.is_empty(), "a circle has points");
        let bits = index_bits(points.len());
        let shift = 64 - bits;
        // Where the next point of each cell goes, one place late: once every cell is full, each
        // place says where the cell before ends.
        let mut index = vec![0; (1 << bits) + 2];
        points.iter().for_each(|point| index[(point.0 >> shift) as usize + 2] += 1);
        let (mut sum, mut most) = (0, 0);
        for next in &mut index {
            most = most.max(*next);
            sum += *next;
            *next = sum;
        }
        if most > INSERTED {
            let mut sorted = points.to_vec();
            ranks.sort(&mut sorted);
            return Circle::new(sorted);
        }
        let mut positions = vec![u64::MAX; points.len() + AT_ONCE];
        let mut owners = vec![NodeId(0); points.len()];
        for &(position, owner) in points {
            let next = &mut index[(position >> shift) as usize + 1];
            (positions[*next as usize], owners[*next as usize]) = (position, owner);
            *next += 1;
        }
        index.truncate((1 << bits) + 1);
        for point in 1..points.len() {
            let own = (positions[point], owners[point]);
            // What stands in the cells before is less.
            let mut at = point;
            while at > 0 && ranks.order(own, (positions[at - 1], owners[at - 1])).is_lt() {
                (positions[at], owners[at]) = (positions[at - 1], owners[at - 1]);
                at -= 1;
            }
            (positions[at], owners[at]) = own;
        }
        Circle { positions, owners, index, shift }
    }

    /// This circle without the points of some nodes and with other points, which are in order.
    pub(crate) fn merged(
        &self,
        ranks: &NameRanks<'_>,
        stays: impl Fn(NodeId) -> bool,
        fresh: &[Point],
    ) -> Self {
        let edits = self.edits(ranks, stays, fresh);
        let gone = edits.len() - fresh.len();
        let count = self.owners.len() + fresh.len() - gone;
        let mut positions = Vec::with_capacity(count + AT_ONCE);
        let mut owners = Vec::with_capacity(count);
        let mut done = 0;
        for edit in &edits {
            positions.extend_from_slice(&self.positions[done..edit.at]);
            owners.extend_from_slice(&self.owners[done..edit.at]);
            done = edit.at;
            match edit.fresh {
                Some(point) => {
                    positions.push(point.0);
                    owners.push(point.1);
                }
                None => done += 1,
            }
        }
        positions.extend_from_slice(&self.points()[done..]);
        owners.extend_from_slice(&self.owners[done..]);
        if index_bits(count) != 64 - self.shift {
            return Circle::ordered(positions, owners);
        }
        positions.extend([u64::MAX; AT_ONCE]);
        Circle { positions, owners, index: self.shifted_index(&edits), shift: self.shift }
    }

    /// What a merge changes, in the order of the points.
    fn edits(
        &self,
        ranks: &NameRanks<'_>,
        stays: impl Fn(NodeId) -> bool,
        fresh: &[Point],
    ) -> Vec<Edit> {
        let old = self.points();
        let mut edits = Vec::new();
        let mut done = 0;
        for &point in fresh {
            let mut end = done + old[done..].partition_point(|old| *old < point.0);
            let is_behind = |end: usize| {
                let owner = self.owners[end];
                old[end] == point.0
                    && (!stays(owner) || ranks.order((old[end], owner), point).is_lt())
            };
            while end < old.len() && is_behind(end) {
                end += 1;
            }
            edits.push(Edit { at: end, fresh: Some(point) });
            done = end;
        }
        let gone = (0..old.len()).filter(|at| !stays(self.owners[*at]));
        let fresh_edits = edits.len();
        edits.extend(gone.map(|at| Edit { at, fresh: None }));
        if fresh_edits < edits.len() {
            // Stable: what comes stands before the point that goes.
            edits.sort_by_key(|edit| edit.at);
        }
        edits
    }

    /// The index after some edits: from each one's cell on, points stand one further on or back.
    fn shifted_index(&self, edits: &[Edit]) -> Vec<u32> {
        let mut index = Vec::with_capacity(self.index.len());
        let mut offset = 0i32;
        let mut extend = |until: usize, offset: i32| {
            let cells = &self.index[index.len()..until];
            index.extend(cells.iter().map(|cell| cell.wrapping_add_signed(offset)));
        };
        for edit in edits {
            let position = edit.fresh.map_or(self.positions[edit.at], |point| point.0);
            extend((position >> self.shift) as usize + 1, offset);
            offset += if edit.fresh.is_some() { 1 } else { -1 };
        }
        extend(self.index.len(), offset);
        index
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
        self.wrapped(low)
    }

    /// The same point without a trace, and without branches that only the key decides.
    #[inline]
    pub(crate) fn find(&self, position: u64) -> usize {
        self.settle(self.index[(position >> self.shift) as usize], position)
    }

    /// The owner of what ends at the successor of a position.
    ///
    /// Alone, a key waits for each read that it depends on. So owners are read with the positions
    /// that choose among them; and where most points are far from the processor, a guess at a
    /// branch hides the way to them.
    #[inline]
    pub(crate) fn owner_at(&self, position: u64) -> NodeId {
        let first = self.index[(position >> self.shift) as usize] as usize;
        let owners = self.owners[first..].first_chunk::<AT_ONCE>();
        let next = self.positions[first..].first_chunk::<AT_ONCE>();
        if let (Some(owners), Some(next)) = (owners, next)
            && self.owners.len() <= NEARBY
            && next[AT_ONCE - 1] >= position
        {
            let mut owner = owners[0];
            for (before, later) in next.iter().zip(&owners[1..]) {
                owner = select_unpredictable(*before < position, *later, owner);
            }
            return owner;
        }
        self.owner(self.successor(position, &mut Silent))
    }

    /// The owners of what ends at the successors of many positions, one for each place of `out`.
    pub(crate) fn owners(&self, mut positions: impl Iterator<Item = u64>, out: &mut [NodeId]) {
        let (mut stage, mut firsts) = ([0; STAGED], [0; STAGED]);
        for out in out.chunks_mut(STAGED) {
            for ((staged, first), position) in stage.iter_mut().zip(&mut firsts).zip(&mut positions)
            {
                *staged = position;
                *first = self.index[(position >> self.shift) as usize];
            }
            for (first, position) in firsts.iter_mut().zip(&stage[..out.len()]) {
                *first = self.settle(*first, *position) as u32;
            }
            for (out, point) in out.iter_mut().zip(firsts) {
                *out = self.owner(point as usize);
            }
        }
    }

    /// The successor of a position in the cell that begins at point `first`.
    #[inline]
    fn settle(&self, first: u32, position: u64) -> usize {
        let first = first as usize;
        let next = self.positions[first..].first_chunk::<AT_ONCE>();
        let next = next.expect("so many stand behind the last point");
        let before = next.iter().map(|next| usize::from(*next < position)).sum();
        match before {
            AT_ONCE => self.search(position),
            _ => self.wrapped(first + before),
        }
    }

    #[cold]
    fn search(&self, position: u64) -> usize {
        self.successor(position, &mut Silent)
    }

    /// The first of all for what is behind the last.
    #[inline]
    fn wrapped(&self, point: usize) -> usize {
        if point == self.owners.len() { 0 } else { point }
    }

    /// The positions of the points.
    fn points(&self) -> &[u64] {
        &self.positions[..self.owners.len()]
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
        self.wrapped(point + 1)
    }

    /// The owners from a point on, once round.
    pub(crate) fn walk(&self, point: usize) -> impl Iterator<Item = NodeId> {
        self.owners[point..].iter().chain(&self.owners[..point]).copied()
    }

    /// The points with their owners.
    pub(crate) fn anatomy(&self) -> Anatomy {
        let owners = self.owners.iter().copied();
        Anatomy::Circle(self.points().iter().copied().zip(owners).collect())
    }

    /// Length of the arc that ends at each point; 0 where another stands before it on the same
    /// position. The sum is 2^64.
    pub(crate) fn arcs(&self) -> impl Iterator<Item = (NodeId, u128)> {
        let points = self.points();
        let last = *points.last().expect("a circle has points");
        let whole = 1u128 << 64;
        (0..points.len()).map(move |point| {
            let before = if point == 0 { last } else { points[point - 1] };
            let arc = u128::from(points[point].wrapping_sub(before));
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
    use placelab_core::mix::stream;
    use placelab_core::{AlgorithmRequest, HashSeed, Key, Placement, establish};

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

    /// Random circles and such whose points meet and cluster, with every neighbour of a point.
    #[test]
    fn every_way_to_a_point_leads_to_it() {
        for (nodes, vnodes, mask) in [
            (1, 1, u64::MAX),
            (2, 1, u64::MAX),
            (3, 5, u64::MAX),
            (16, 16, u64::MAX),
            (9, 100, 0x7),
            (9, 40, 0xff << 56),
            (40, 30, 0xff << 4),
            (70, 500, u64::MAX),
        ] {
            let roster = Roster::numbered(nodes).unwrap();
            let draw = |at: u64| stream(u64::from(nodes), at) & mask;
            let owner = |at: u64| NodeId((at % u64::from(nodes)) as u32);
            let points: Vec<Point> =
                (0..u64::from(nodes * vnodes)).map(|at| (draw(at), owner(at))).collect();
            let ranks = NameRanks::new(&roster);
            let circle = Circle::of(&ranks, &points);
            let mut sorted = points.clone();
            ranks.sort(&mut sorted);
            hold_equal(&circle, &Circle::new(sorted.iter().copied()));
            let beside = points
                .iter()
                .flat_map(|point| [point.0.wrapping_sub(1), point.0, point.0.wrapping_add(1)]);
            let keys = (0..3_000).map(|key| stream(8, key)).chain([0, u64::MAX]);
            let keys: Vec<u64> = beside.chain(keys).collect();
            let first = |key: u64| sorted.iter().position(|point| point.0 >= key).unwrap_or(0);
            let expected: Vec<usize> = keys.iter().map(|key| first(*key)).collect();
            for (&key, &point) in keys.iter().zip(&expected) {
                assert_eq!(circle.find(key), point, "{key:x}");
                assert_eq!(circle.successor(key, &mut Silent), point, "{key:x}");
                assert_eq!(circle.owner_at(key), circle.owner(point));
            }
            for length in [0, 1, 7, 8, 9, 31, 63, 64, 65, 1_023, 2_048, keys.len()] {
                let mut out = vec![NodeId::NOBODY; length.min(keys.len())];
                circle.owners(keys.iter().copied(), &mut out);
                assert!(out.iter().zip(&expected).all(|(node, at)| *node == circle.owner(*at)));
            }
        }
    }

    fn hold_equal(one: &Circle, other: &Circle) {
        assert!(one.positions == other.positions && one.owners == other.owners);
        assert!(one.index == other.index && one.shift == other.shift);
    }

    /// Points of some nodes out and those of others in, as if they had always been so.
    #[test]
    fn a_merge_makes_the_circle_of_what_is_left() {
        let roster = Roster::numbered(12).unwrap();
        let ranks = NameRanks::new(&roster);
        for mask in [u64::MAX, 0xf, 0xff << 56] {
            let points = |nodes: std::ops::Range<u64>| -> Vec<Point> {
                let own = |node| (0..20).map(move |at| (stream(node, at) & mask, node));
                nodes.flat_map(own).map(|(at, node)| (at, NodeId(node as u32))).collect()
            };
            for (gone, new) in [(0..0, 9..12), (2..5, 9..9), (0..8, 9..10), (0..9, 9..12)] {
                let before = Circle::of(&ranks, &points(0..9));
                let mut fresh = points(new.clone());
                ranks.sort(&mut fresh);
                let stays = |node: NodeId| !gone.contains(&u64::from(node.0));
                let after = before.merged(&ranks, stays, &fresh);
                let all = [points(0..gone.start), points(gone.end..9), points(new)].concat();
                hold_equal(&after, &Circle::of(&ranks, &all));
            }
        }
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
