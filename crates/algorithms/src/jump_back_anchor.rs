//! JumpBackAnchorHash: AnchorHash without a capacity, driven by one stream of draws a key.
//!
//! Source: Ertl's library hash4j (Dynatrace, Apache-2.0), 2025, which joins [`crate::jump_back`]
//! to find a bucket among all that there ever were and the removal log of
//! [`crate::stand_ins`] to leave those that went; no paper is known. Cost: at most 5/3 draws and
//! ln(buckets ever ÷ N) more, expected; an update O(1) amortised; memory O(highest removed
//! bucket).
//!
//! What it cannot do: serve weights, or forget the order of removals. As in AnchorHash a bucket
//! comes back before a new one is opened, last removed first; only while nothing is removed does
//! the removal of the highest bucket close it altogether.
//!
//! Numbers below a bound are Lemire's: the upper half of a product of 32 bits by 32, drawn again
//! where the lower half would favour some.
//!
//! Where the library starts from nothing when its only bucket is removed, here the last one is
//! never removed. Its refusal to remove a bucket that does not work cannot come up: a node has
//! one bucket, and members that are not there are refused before.
//!
//! ```
//! use placelab_core::{Arguments, Change, HashSeed, Key, NodeId, Roster, advance, establish};
//! let spec = placelab_algorithms::find("jump-back-anchor").unwrap();
//! let roster = Roster::numbered(10).unwrap();
//! let first = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//! let changes = [Change::Remove(NodeId(3)), Change::Add(Roster::numbered_node(10))];
//! let second = advance(spec, first.as_ref(), &changes).unwrap();
//! // A newcomer takes the bucket that was given back, with all its keys and no others.
//! for key in (0..1_000).map(Key::hashed) {
//!     let owner = first.place(key);
//!     let expected = if owner == NodeId(3) { NodeId(10) } else { owner };
//!     assert_eq!(second.place(key), expected);
//! }
//! ```

use crate::bucket_set::{BucketSet, NaiveSet, Rows, build, naive};
use crate::jump_back::{Draws, JumpBack, SplitMix, naive_walk, walk};
use crate::range_hash::RangeHash;
use crate::stand_ins::{StandIns, mean_steps};
use placelab_core::mix::stream;
use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Claim, FleetSize, Footprint, KeyHash, KeyPart,
    PlacementError, Role, Step, Trace,
};

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "jump-back-anchor",
    role: Role::Rival,
    family: "bucket set",
    year: 2025,
    citation: "Ertl: ConsistentHashing.jumpBackAnchorHash of the library hash4j, Dynatrace",
    implementations: "Java (hash4j)",
    summary: "anchor's removals over jump-back's buckets: any may go, no capacity",
    lookup_cost: "O((1 + ln(buckets ever ÷ N))^2) expected",
    steps,
    closed_forms: &[],
    memory_cost: "O(buckets ever)",
    capabilities: &[Capability::RemoveAny],
    claims: &[Claim::FairShares, Claim::MinimalMovement, Claim::Restores],
    resolution: None,
    reads: KeyPart::Hash,
    parameters: &[],
    small: "",
    build: Build::Placement(build::<JumpBackAnchor>),
    naive: naive::<Naive>,
};

/// Jump-back over all buckets that there ever were, and what leads away from removed ones.
fn steps(_: &Arguments, fleet: FleetSize) -> f64 {
    JumpBack::SplitMix64.steps(fleet.first) + mean_steps(fleet)
}

/// Buckets 0 … `size` − 1, but for those that were removed.
#[derive(Clone)]
struct JumpBackAnchor {
    size: u32,
    stand_ins: StandIns,
}

/// A number below `bound` ≥ 1, each alike.
#[inline]
fn uniform<D: Draws, T: Trace + ?Sized>(draws: &mut D, bound: u32, trace: &mut T) -> u32 {
    // The least lower half of a fair product; found only where it may matter.
    let mut least = None;
    loop {
        let value = draws.next();
        trace.step(Step::Draw { value });
        let product = u64::from(value as u32) * u64::from(bound);
        let lower = product as u32;
        if lower >= bound || lower >= *least.get_or_insert(bound.wrapping_neg() % bound) {
            return (product >> 32) as u32;
        }
    }
}

impl BucketSet for JumpBackAnchor {
    fn first(_: &Arguments, count: u32) -> Result<Self, PlacementError> {
        Ok(JumpBackAnchor { size: count, stand_ins: StandIns::default() })
    }

    fn add(&mut self) -> Result<u32, PlacementError> {
        Ok(self.stand_ins.restore().unwrap_or_else(|| {
            self.size += 1;
            self.size - 1
        }))
    }

    fn remove(&mut self, bucket: u32) {
        if bucket == self.size - 1 && self.stand_ins.len() == 0 {
            self.size -= 1;
        } else {
            self.stand_ins.remove(bucket, self.size - self.stand_ins.len() - 1);
        }
    }

    #[inline]
    fn lookup<T: Trace + ?Sized>(&self, key: KeyHash, trace: &mut T) -> u32 {
        let mut draws = SplitMix(key.0);
        let bucket = walk(&mut draws, self.size, trace);
        self.stand_ins.settle(bucket, trace, |_, left, trace| uniform(&mut draws, left, trace))
    }

    fn trim(&mut self) {
        self.stand_ins.trim();
    }

    fn footprint(&self) -> Footprint {
        let log = self.stand_ins.footprint();
        Footprint { shared_bytes: log.shared_bytes + size_of::<u32>() as u64, ..log }
    }
}

/// The twin: one stream of draws finds a bucket and leaves removed ones.
struct Naive(Rows);

impl NaiveSet for Naive {
    fn first(_: &Arguments, count: u32) -> Self {
        Naive(Rows::new(count))
    }

    fn add(&mut self) -> u32 {
        self.0.open()
    }

    fn remove(&mut self, bucket: u32) {
        self.0.close(bucket);
    }

    fn lookup(&self, key: u64) -> u32 {
        let mut draws = (0..).map(|index| stream(key, index));
        let bucket = naive_walk(&mut draws, self.0.ever());
        self.0.settle(bucket, |_, left| {
            let left = u64::from(left);
            let mut products = draws.by_ref().map(|draw| draw % (1 << 32) * left);
            // So many lower halves are too many for equal shares.
            let unfair = (1 << 32) % left;
            let product = products.find(|product| product % (1 << 32) >= unfair);
            (product.expect("draws without end") >> 32) as u32
        })
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::Silent;
    use placelab_core::mix::stream;

    use super::*;
    use crate::fixtures::Draws as Counted;
    use crate::vectors::{change, golden, numbers, replay, vector_keys};

    fn of(count: u32) -> JumpBackAnchor {
        JumpBackAnchor::first(&Arguments::default(), count).unwrap()
    }

    #[test]
    fn golden_vectors_in_full() {
        let file = golden("jumpback_anchor");
        let keys: Vec<[u64; 2]> = vector_keys(&file).into_iter().map(|key| [key, 0]).collect();
        for sequence in file["sequences"].as_array().unwrap() {
            let count = *numbers(&sequence["sequence"]).last().unwrap();
            let lookup =
                |set: &JumpBackAnchor, words: [u64; 2]| set.lookup(KeyHash(words[0]), &mut Silent);
            replay(sequence, &keys, of(count), change, lookup);
        }
    }

    /// Of 10,000 buckets 1,000 are left, in whatever order the others went: 5/3 draws at most to
    /// find one of them, and ln 10 more.
    #[test]
    fn mean_draws_grow_with_the_logarithm_of_what_went() {
        let mut set = of(10_000);
        let mut order: Vec<u32> = (0..10_000).collect();
        order.sort_by_key(|&bucket| stream(3, bucket.into()));
        order[..9_000].iter().for_each(|&bucket| set.remove(bucket));
        let mut draws = Counted::default();
        (0..200_000).for_each(|i| {
            set.lookup(KeyHash(stream(5, i)), &mut draws);
        });
        let mean = draws.0 as f64 / 2e5;
        assert!((3.6..3.98).contains(&mean), "{mean}");
    }

    /// The thirds of the numbers are alike. Of 3 · 2^30 numbers, products that are not drawn again
    /// would give every third one twice as often as the others.
    #[test]
    fn bounded_draws_are_uniform() {
        for bound in [3, 9, 3 << 30] {
            let mut draws = SplitMix(7);
            let mut thirds = [0u32; 3];
            for _ in 0..90_000 {
                let value = uniform(&mut draws, bound, &mut Silent);
                assert!(value < bound);
                thirds[value as usize % 3] += 1;
            }
            assert!(thirds.iter().all(|third| third.abs_diff(30_000) < 750), "{thirds:?}");
        }
    }
}
