//! ConsistentChooseK: k buckets for a key at once, of which growth replaces at most one.
//!
//! Source: the crate consistent-choose-k of GitHub's rust-gems, 2025–2026; no paper is known. A
//! chain of ever larger numbers belongs to a key, and its bucket among n is the chain's last below
//! n; k such chains, each kept k − 1 … 0 away from the end, give k buckets. The rank of a bucket is
//! the k at which it joins, and a key belongs to the first rank that works. Cost: rank r takes at
//! most r chains, of a mask and at most 2.5 draws expected each; so a lookup that meets h removed
//! buckets takes O((h + 1)^2). A bit for each bucket that there ever was.
//!
//! What it cannot do: serve weights, or shrink: a removed bucket is kept in mind until another
//! node takes it, so a fleet that was ten times as large asks ten ranks.
//!
//! After eight ranks the rest follow in the order of the crate's ConsistentPermutation, of which
//! growth only lets one more through, at O(1) each; so a fleet that all but went, and copies
//! beyond the eighth, cost no squares. What growth moves stays the least: whoever is not among
//! eight ranks is where it was in the permutation.
//!
//! Trap that is not copied: the crate hands out some removed bucket from a set with a random seed,
//! another in every process. Here it is the lowest, so that what is removed matters and in what
//! order does not.
//!
//! ```
//! use placelab_core::{Arguments, Change, HashSeed, Key, Roster, advance, establish, replicas};
//! let spec = placelab_algorithms::find("choose-k").unwrap();
//! let roster = Roster::numbered(10).unwrap();
//! let before = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//! let add = [Change::Add(Roster::numbered_node(10))];
//! let after = advance(spec, before.as_ref(), &add).unwrap();
//! // Of three copies a newcomer replaces at most one.
//! for key in (0..1_000).map(Key::hashed) {
//!     let old = replicas(before.as_ref(), key, 3).unwrap();
//!     let new = replicas(after.as_ref(), key, 3).unwrap();
//!     assert!(new.iter().filter(|node| !old.contains(node)).count() <= 1);
//! }
//! ```

use placelab_core::mix::{GOLDEN, mix, stream};
use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Claim, FleetSize, Footprint, KeyHash, KeyPart,
    PlacementError, Role, Silent, Step, Trace,
};

use crate::bits::Bits;
use crate::bucket_set::{BucketSet, NaiveSet, build, naive};
use crate::permutation::{Permutation, naive_permutation, numbers};
use crate::range_hash::enclosing;
use crate::twins::{enclosing_power, set_bits};

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "choose-k",
    role: Role::Rival,
    family: "bucket set",
    year: 2025,
    citation: "GitHub rust-gems: crate consistent-choose-k",
    implementations: "Rust (consistent-choose-k)",
    summary: "k buckets at once, of which growth replaces at most one; any may go",
    lookup_cost: "O((1 + removed buckets met)^2)",
    steps,
    closed_forms: &[],
    memory_cost: "O(buckets ever) bits",
    capabilities: &[Capability::RemoveAny],
    claims: &[Claim::FairShares, Claim::MinimalMovement, Claim::Restores],
    resolution: None,
    reads: KeyPart::Hash,
    parameters: &[],
    small: "",
    build: Build::Placement(build::<ChooseK>),
    naive: naive::<Naive>,
};

/// The chain of the first rank; then each rank r whose forerunners were all removed, of (r + 1) ÷ 2
/// chains on average and 3.5 draws a chain at most; and in the end the numbers of the permutation
/// up to one that works, a draw and a third each.
fn steps(_: &Arguments, fleet: FleetSize) -> f64 {
    let FleetSize { first, now } = fleet;
    let removed = first - now;
    let (mut steps, mut reached) = (chain_steps(first), 1.0);
    for rank in 1..=removed.min(RANKS_MAX as u32) {
        reached *= f64::from(removed + 1 - rank) / f64::from(first + 1 - rank);
        steps += match rank as usize {
            RANKS_MAX => reached * 4.0 / 3.0 * numbers(first) / f64::from(now + 1),
            _ => reached * f64::from(rank + 2) / 2.0 * 3.5,
        };
    }
    steps
}

/// The mean number of draws of a chain: the mask, and one at the highest level that is set. At the
/// top level a draw may lie beyond the end, and is then repeated, half of the time below the level.
fn chain_steps(count: u32) -> f64 {
    if count == 1 {
        return 1.0;
    }
    let (power, missing) = enclosing(count);
    let lower = 0.5 * (1.0 - 2.0 / power);
    1.5 + lower + missing / (1.0 - missing) * (1.0 + lower)
}

/// How many ranks are asked for before the permutation takes over.
const RANKS_MAX: usize = 8;

/// The last number below `count` ≥ 1 in the chain of a key.
#[inline]
fn chain<T: Trace + ?Sized>(key: u64, count: u32, trace: &mut T) -> u32 {
    // The bits of a mask are the levels, powers of two, in which the chain has numbers.
    let mask = mix(key);
    trace.step(Step::Draw { value: mask });
    let mut levels = mask as u32 & (u64::from(count).next_power_of_two() - 1) as u32;
    while levels != 0 {
        let level = 1 << levels.ilog2();
        let seed = mix(key ^ u64::from(level).wrapping_mul(GOLDEN));
        let mut draw = |index| {
            let value = stream(seed, index);
            trace.step(Step::Draw { value });
            value as u32 & (level | (level - 1))
        };
        let mut number = level | draw(0);
        for index in 1.. {
            if number < level {
                break;
            }
            if number < count {
                return number;
            }
            number = draw(index);
        }
        levels ^= level;
    }
    0
}

/// Buckets in the order in which they join as k grows.
struct Ranks {
    key: u64,
    count: u32,
    /// Those so far, from the highest number to the lowest.
    chosen: [u32; RANKS_MAX],
    length: usize,
}

impl Ranks {
    fn new(key: u64, count: u32) -> Self {
        Ranks { key, count, chosen: [0; RANKS_MAX], length: 0 }
    }

    /// The next rank, as long as there are buckets and room.
    ///
    /// A set of k is the highest number that its k chains give, and below that a set of k − 1. So
    /// the newcomer of k is what chain k gives, where that is higher than all; else the newcomer
    /// of k − 1 below the highest; and so on.
    #[inline]
    fn next<T: Trace + ?Sized>(&mut self, trace: &mut T) -> Option<u32> {
        if self.length == RANKS_MAX || self.length as u32 == self.count {
            return None;
        }
        let mut end = self.count;
        let mut at = 0;
        let joins = loop {
            let lower = (self.length - at) as u32;
            let key = stream(self.key, lower.into());
            let number = chain(key, end - lower, trace) + lower;
            match self.chosen[..self.length].get(at) {
                Some(&higher) if number <= higher => end = higher,
                _ => break number,
            }
            at += 1;
        };
        self.chosen.copy_within(at..self.length, at + 1);
        self.chosen[at] = joins;
        self.length += 1;
        Some(joins)
    }
}

/// All buckets, each once: the ranks, then the others as the permutation has them.
struct Order {
    ranks: Ranks,
    others: Option<Permutation>,
}

impl Order {
    fn new(key: u64, count: u32) -> Self {
        Order { ranks: Ranks::new(key, count), others: None }
    }

    #[inline]
    fn next<T: Trace + ?Sized>(&mut self, trace: &mut T) -> Option<u32> {
        if let Some(bucket) = self.ranks.next(trace) {
            return Some(bucket);
        }
        let Ranks { key, count, chosen, length } = &self.ranks;
        let others = self.others.get_or_insert_with(|| Permutation::new(*key, *count));
        loop {
            let bucket = others.next(trace)?;
            if !chosen[..*length].contains(&bucket) {
                return Some(bucket);
            }
        }
    }
}

/// Buckets 0 … `size` − 1, but for those that were removed.
#[derive(Clone)]
struct ChooseK {
    size: u32,
    removed: Bits,
}

impl BucketSet for ChooseK {
    fn first(_: &Arguments, count: u32) -> Result<Self, PlacementError> {
        Ok(ChooseK { size: count, removed: Bits::default() })
    }

    fn add(&mut self) -> Result<u32, PlacementError> {
        let bucket = self.removed.first().unwrap_or(self.size);
        self.removed.remove(bucket);
        self.size = self.size.max(bucket + 1);
        Ok(bucket)
    }

    fn remove(&mut self, bucket: u32) {
        self.removed.insert(bucket);
    }

    #[inline]
    fn lookup<T: Trace + ?Sized>(&self, key: KeyHash, trace: &mut T) -> u32 {
        let mut order = Order::new(key.0, self.size);
        while let Some(bucket) = order.next(trace) {
            if !self.removed.contains(bucket) {
                return bucket;
            }
        }
        // The last bucket is never removed, so this is not reached.
        0
    }

    fn ranked(&self, key: KeyHash) -> Option<Box<dyn Iterator<Item = u32> + '_>> {
        let mut order = Order::new(key.0, self.size);
        let buckets = std::iter::from_fn(move || order.next(&mut Silent));
        Some(Box::new(buckets.filter(|&bucket| !self.removed.contains(bucket))))
    }

    fn trim(&mut self) {
        self.removed.trim();
    }

    fn footprint(&self) -> Footprint {
        let shared_bytes = size_of::<u32>() as u64 + self.removed.bytes();
        Footprint { shared_bytes, derived_bytes: 0 }
    }
}

/// The twin: whether each bucket works.
struct Naive(Vec<bool>);

impl NaiveSet for Naive {
    fn first(_: &Arguments, count: u32) -> Self {
        Naive(vec![true; count as usize])
    }

    fn add(&mut self) -> u32 {
        let bucket = self.0.iter().position(|works| !works).unwrap_or(self.0.len());
        match self.0.get_mut(bucket) {
            Some(works) => *works = true,
            None => self.0.push(true),
        }
        bucket as u32
    }

    fn remove(&mut self, bucket: u32) {
        self.0[bucket as usize] = false;
    }

    fn lookup(&self, key: u64) -> u32 {
        let works = |bucket: u32| self.0[bucket as usize];
        let count = self.0.len() as u32;
        let mut met = Vec::new();
        for length in 1..=count.min(8) {
            let mut set = naive_choice(key, count, length).into_iter();
            let joins = set.find(|bucket| !met.contains(bucket)).expect("a set gains one");
            if works(joins) {
                return joins;
            }
            met.push(joins);
        }
        let mut others = naive_permutation(key, count).into_iter();
        let found = others.find(|bucket| !met.contains(bucket) && works(*bucket));
        found.expect("the last bucket is never removed")
    }
}

/// The set of `length` buckets by its definition, from the highest down.
fn naive_choice(key: u64, count: u32, length: u32) -> Vec<u32> {
    let (mut end, mut set) = (count, Vec::new());
    for chains in (1..=length).rev() {
        let number = |index: u32| naive_chain(stream(key, index.into()), end - index) + index;
        end = (0..chains).map(number).max().expect("at least one chain");
        set.push(end);
    }
    set
}

/// The highest number below `count` of a chain, which is made as a list.
fn naive_chain(key: u64, count: u32) -> u32 {
    let mut chain = vec![0];
    for bit in set_bits(mix(key) % enclosing_power(count)) {
        let level = 1u64 << bit;
        let seed = mix(key ^ level.wrapping_mul(GOLDEN));
        let first = level + stream(seed, 0) % level;
        let further = (1..).map(|index| stream(seed, index) % (2 * level));
        let draws = std::iter::once(first).chain(further).take_while(|number| *number >= level);
        // A draw is in the chain where it is lower than all before it.
        let mut lowest = 2 * level;
        for number in draws {
            if number < lowest {
                chain.push(number);
                lowest = number;
            }
        }
    }
    let below = chain.into_iter().filter(|number| *number < u64::from(count));
    below.max().expect("0 is in every chain") as u32
}

#[cfg(test)]
mod tests {
    use placelab_core::Count;
    use serde_json::Value;

    use super::*;
    use crate::vectors::{Digest, check_range_hash, golden, hex, lists, vector_keys};

    fn ranks(key: u64, count: u32, length: usize) -> Vec<u32> {
        let mut ranks = Ranks::new(key, count);
        std::iter::from_fn(|| ranks.next(&mut Silent)).take(length).collect()
    }

    fn set(key: u64, count: u32, length: usize) -> Vec<u32> {
        let mut set = ranks(key, count, length);
        set.sort_unstable();
        set
    }

    #[test]
    fn golden_vectors_of_sets_and_ranks_in_full() {
        let file = golden("choosek");
        let keys = vector_keys(&file);
        let base = |key, count| chain(key, count, &mut Silent);
        check_range_hash(&file["base_consistent_hash"], &keys, base);
        let check = |vectors: &Value, answer: fn(u64, u32, usize) -> Vec<u32>| {
            for vector in vectors.as_array().unwrap() {
                let (count, length) =
                    (vector["n"].as_u64().unwrap(), vector["k"].as_u64().unwrap());
                let answers = keys.iter().map(|&key| answer(key, count as u32, length as usize));
                assert!(answers.eq(lists(&vector["lookups"])), "{length} of {count}");
            }
        };
        check(&file["choose_k_sets"], set);
        check(&file["choose_k_rank_order_first3"], ranks);
        let sweep = &file["sweeps"]["choosek3"];
        let mut digest = Digest::default();
        for key in (0..sweep["keys"].as_u64().unwrap()).map(|i| stream(0, i)) {
            for count in 3..=sweep["n_max"].as_u64().unwrap() as u32 {
                set(key, count, 3).into_iter().for_each(|bucket| digest.add(bucket));
            }
        }
        assert_eq!(digest.0, hex(&sweep["fnv1a64"]));
    }

    /// More ranks and buckets than the laws meet.
    #[test]
    fn ranks_are_what_sets_gain() {
        for key in (0..50).map(|i| stream(1, i)) {
            for count in 1..=40 {
                let all = ranks(key, count, RANKS_MAX);
                assert_eq!(all.len(), RANKS_MAX.min(count as usize));
                for length in 1..=all.len() {
                    let mut by_definition = naive_choice(key, count, length as u32);
                    by_definition.reverse();
                    assert_eq!(set(key, count, length), by_definition, "{length} of {count}");
                }
            }
        }
    }

    /// A mask and, just above a power of two, 2.5 draws; at one, a single draw.
    #[test]
    fn chains_are_short() {
        for (count, expected) in [(1_024, 2.0), (1_025, 3.5)] {
            let mut draws = Count::default();
            (0..200_000).for_each(|i| {
                chain(stream(5, i), count, &mut draws);
            });
            let mean = draws.0 as f64 / 2e5;
            assert!((mean - expected).abs() < 0.02, "n = {count}: {mean}");
        }
    }

    /// The order goes on beyond the eighth rank and names each working bucket once.
    #[test]
    fn the_order_has_every_bucket_once() {
        for count in 1..=40 {
            let mut set = ChooseK { size: count, removed: Bits::default() };
            (0..count).filter(|bucket| bucket % 4 == 1).for_each(|bucket| set.remove(bucket));
            for key in (0..50).map(|i| stream(6, i)) {
                let mut all: Vec<u32> = set.ranked(KeyHash(key)).unwrap().collect();
                all.sort_unstable();
                let working = (0..count).filter(|bucket| bucket % 4 != 1);
                assert!(working.eq(all), "{count} buckets");
            }
        }
    }

    /// Twenty buckets of which four are left, so that some keys go beyond the eighth rank: like
    /// parts for all, and the first of the order is the lookup's.
    #[test]
    fn what_is_left_of_many_shares_alike() {
        let mut left = ChooseK { size: 20, removed: Bits::default() };
        (0..20).filter(|bucket| bucket % 5 != 3).for_each(|bucket| left.remove(bucket));
        let (mut loads, mut beyond) = ([0u32; 4], 0);
        for key in (0..400_000).map(|i| stream(5, i)) {
            let bucket = left.lookup(KeyHash(key), &mut Silent);
            loads[bucket as usize / 5] += 1;
            if key % 64 == 0 {
                assert_eq!(left.ranked(KeyHash(key)).unwrap().next(), Some(bucket));
                beyond += u32::from(!ranks(key, 20, RANKS_MAX).contains(&bucket));
            }
        }
        assert!(beyond > 0);
        for load in loads {
            assert!((f64::from(load) - 1e5).abs() < 5.0 * 1e5f64.sqrt(), "{loads:?}");
        }
    }
}
