//! What turns claim: the table that nodes fill, each by its own permutation of the slots.
//!
//! Whoever has a turn claims the next slot of its permutation that is free. While slots are plenty,
//! it tries one after the other, in a set of bits that stays in the nearest cache. The last √M
//! slots would take more than half of all tries. They are found the other way round: slot s has
//! rank (s − next) ÷ skip, modulo M, among the slots that a node has yet to try, and of those that
//! are free the one of least rank is next. Cost: M ln √M tries and M ÷ 2 ranks.

use super::Turns;

/// The table when nodes take these turns; there are at least `size`, which is a prime.
pub(super) fn claimed(size: u32, nodes: &[Turns], turns: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut claims = Claims::new(size, nodes);
    let by_rank = size.isqrt();
    let mut turns = turns.take(size as usize);
    for index in turns.by_ref().take((size - by_rank) as usize) {
        claims.try_slots(index);
    }
    let mut ends = Ends::new(&claims);
    turns.for_each(|index| claims.settle(index, &mut ends));
    claims.table
}

/// Where a node is in its permutation.
struct Walk {
    next: u32,
    skip: u32,
}

struct Claims {
    size: u32,
    table: Vec<u32>,
    /// A bit for each slot.
    taken: Vec<u64>,
    walks: Vec<Walk>,
}

impl Claims {
    fn new(size: u32, nodes: &[Turns]) -> Self {
        let walk = |node: &Turns| Walk { next: node.offset, skip: node.skip };
        Claims {
            size,
            table: vec![0; size as usize],
            taken: vec![0; size as usize / 64 + 1],
            walks: nodes.iter().map(walk).collect(),
        }
    }

    fn is_taken(&self, slot: u32) -> bool {
        self.taken[slot as usize / 64] >> (slot % 64) & 1 == 1
    }

    /// A turn while there is plenty of room.
    #[inline]
    fn try_slots(&mut self, index: u32) {
        let walk = &mut self.walks[index as usize];
        let mut slot = walk.next;
        loop {
            let (word, bit) = (&mut self.taken[slot as usize / 64], 1 << (slot % 64));
            let next = advance(slot, walk.skip, self.size);
            if *word & bit == 0 {
                *word |= bit;
                walk.next = next;
                self.table[slot as usize] = index;
                return;
            }
            slot = next;
        }
    }

    /// A turn towards the end.
    fn settle(&mut self, index: u32, ends: &mut Ends) {
        let walk = &mut self.walks[index as usize];
        let slot = ends.claim(index, walk);
        walk.next = advance(slot, walk.skip, self.size);
        self.table[slot as usize] = index;
    }
}

#[inline(always)]
fn advance(slot: u32, skip: u32, size: u32) -> u32 {
    let next = slot + skip;
    if next >= size { next - size } else { next }
}

/// Ranks worked out at a time.
const LANES: usize = 8;

/// The last free slots.
///
/// Numbers are integers in doubles, which have vector instructions everywhere. All stay below 2^53
/// and are exact: M is below 2^27, and inverses are those of least magnitude, below 2^26.
struct Ends {
    size: f64,
    /// Slots, in whole lanes; what is no number is no slot.
    free: Vec<f64>,
    left: usize,
    /// The inverse of each node's skip, 0 where nobody has asked.
    inverses: Vec<f64>,
}

impl Ends {
    fn new(claims: &Claims) -> Self {
        let free = (0..claims.size).filter(|&slot| !claims.is_taken(slot)).map(f64::from);
        let mut free: Vec<f64> = free.collect();
        let left = free.len();
        free.resize(left.next_multiple_of(LANES), f64::NAN);
        let inverses = vec![0.0; claims.walks.len()];
        Ends { size: claims.size.into(), free, left, inverses }
    }

    /// Takes the free slot of least rank out.
    fn claim(&mut self, index: u32, walk: &Walk) -> u32 {
        let inverse = &mut self.inverses[index as usize];
        if *inverse == 0.0 {
            *inverse = least_inverse(walk.skip.into(), self.size as i64) as f64;
        }
        let inverse = *inverse;
        let at = self.first(walk.next.into(), inverse);
        let slot = self.free[at];
        self.left -= 1;
        self.free.swap(at, self.left);
        self.free[self.left] = f64::NAN;
        slot as u32
    }

    /// The place of the slot of least rank.
    fn first(&self, next: f64, inverse: f64) -> usize {
        /// Ranks stand above places: 2^27 of those, 10^4 of these.
        const PLACES: f64 = 16_384.0;
        /// In the last place of a double of this size a unit is 1, so adding it rounds.
        const ROUND: f64 = 6_755_399_441_055_744.0;
        let (size, part) = (self.size, 1.0 / self.size);
        let mut least = [f64::INFINITY; LANES];
        let mut places: [f64; LANES] = std::array::from_fn(|lane| lane as f64);
        for slots in self.free[..self.left.next_multiple_of(LANES)].as_chunks::<LANES>().0 {
            for lane in 0..LANES {
                let product = (slots[lane] - next) * inverse;
                let quotient = (product * part + ROUND) - ROUND;
                let rest = product - quotient * size;
                let rank = if rest < 0.0 { rest + size } else { rest };
                let packed = rank * PLACES + places[lane];
                least[lane] = if packed < least[lane] { packed } else { least[lane] };
                places[lane] += LANES as f64;
            }
        }
        (least.into_iter().fold(f64::INFINITY, f64::min) % PLACES) as usize
    }
}

/// The inverse of a number modulo a prime, of the two nearest to 0 the nearer.
fn least_inverse(number: i64, prime: i64) -> i64 {
    let (mut before, mut now) = ((prime, 0), (number, 1));
    while now.0 != 0 {
        let quotient = before.0 / now.0;
        (before, now) = (now, (before.0 - quotient * now.0, before.1 - quotient * now.1));
    }
    before.1
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;

    use super::*;

    /// The plain loop.
    fn naive(size: u32, nodes: &[Turns], turns: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut table = vec![u32::MAX; size as usize];
        let mut next: Vec<u64> = nodes.iter().map(|node| node.offset.into()).collect();
        for index in turns.take(size as usize) {
            let (node, next) = (index as usize, &mut next[index as usize]);
            while table[*next as usize] != u32::MAX {
                *next = (*next + u64::from(nodes[node].skip)) % u64::from(size);
            }
            table[*next as usize] = index;
        }
        table
    }

    fn drawn(size: u32, count: u64) -> Vec<Turns> {
        let below = |draw: u64, bound: u32| (draw % u64::from(bound)) as u32;
        let node = |index| Turns {
            offset: below(stream(size.into(), 2 * index), size),
            skip: below(stream(size.into(), 2 * index + 1), size - 1) + 1,
            weight: 1,
        };
        (0..count).map(node).collect()
    }

    #[test]
    fn tables_are_those_of_the_plain_loop() {
        for size in [2, 3, 5, 7, 11, 13, 61, 67, 127, 251, 257, 4_093, 65_537, 655_373] {
            for count in [1, 2, 3, 10, 100, 1_000].into_iter().filter(|n| *n <= u64::from(size)) {
                let nodes = drawn(size, count);
                let one_by_one = (0..count as u32).cycle();
                let expected = naive(size, &nodes, one_by_one.clone());
                assert!(claimed(size, &nodes, one_by_one) == expected, "M = {size}, n = {count}");
                let at_random = (0..).map(|turn| (stream(9, turn) % count) as u32);
                let expected = naive(size, &nodes, at_random.clone());
                assert!(claimed(size, &nodes, at_random) == expected, "M = {size}, n = {count}");
            }
        }
    }

    /// The ranks of the largest table, where doubles come closest to their limit.
    #[test]
    fn ranks_are_exact_in_the_largest_table() {
        const SIZE: u32 = 100_000_007;
        let skips = [1, 2, SIZE / 2, SIZE / 2 + 1, SIZE - 2, SIZE - 1];
        let skips = skips.into_iter().chain(drawn(SIZE, 300).into_iter().map(|node| node.skip));
        for (round, skip) in (0..).zip(skips) {
            let slot = |i| (stream(round, i) % u64::from(SIZE)) as u32;
            let next = slot(0);
            // Up to 40 slots by their ranks.
            let rank = |slot: u32| {
                let way = (u64::from(slot) + u64::from(SIZE - next)) % u64::from(SIZE);
                let inverse = least_inverse(skip.into(), SIZE.into()).rem_euclid(SIZE.into());
                assert_eq!(inverse as u64 * u64::from(skip) % u64::from(SIZE), 1);
                way * inverse as u64 % u64::from(SIZE)
            };
            let mut slots: Vec<u32> = (1..=40).map(slot).chain([next, 0, SIZE - 1]).collect();
            slots.sort_unstable();
            slots.dedup();
            let mut free: Vec<f64> = slots.iter().map(|&slot| slot.into()).collect();
            let left = free.len();
            free.resize(left.next_multiple_of(LANES), f64::NAN);
            let mut ends = Ends { size: SIZE.into(), free, left, inverses: vec![0.0] };
            slots.sort_unstable_by_key(|slot| rank(*slot));
            for slot in slots {
                assert_eq!(ends.claim(0, &Walk { next, skip }), slot, "skip {skip}");
            }
        }
    }
}
