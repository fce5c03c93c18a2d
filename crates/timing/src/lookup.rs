//! Cost of a lookup: independent, dependent and cold.

use std::hint::black_box;
use std::time::Instant;

use placelab_core::mix::stream;
use placelab_core::{Key, KeyHash, Keys, NodeId, Placement};
use placelab_results::LookupTime;

use crate::harness::{ROUNDS, per_operation, summarise};

/// Distinct keys of a round: too many for a branch predictor to learn, few enough for the cache.
const KEYS: usize = 1 << 15;
/// Passes over the keys that make a round of the fastest contenders long enough for the clock.
const PASSES: usize = 64;
/// Keys that a batch places at a time, as a sweep does.
const BATCH: usize = 2_048;
/// Lookups after the caches were swept; few, since they warm them again.
const COLD_LOOKUPS: usize = 64;
/// What a sweep of the caches reads: more than common last-level caches hold.
const SWEEP_BYTES: usize = 64 << 20;

/// Keys and buffers for timing lookups, made once.
pub struct Lookups {
    keys: Vec<KeyHash>,
    sweep: Vec<u64>,
}

impl Default for Lookups {
    fn default() -> Self {
        Lookups {
            keys: (0..KEYS as u64).map(|index| KeyHash(stream(1, index))).collect(),
            sweep: vec![1; SWEEP_BYTES / size_of::<u64>()],
        }
    }
}

impl Lookups {
    /// Times the lookups of a placement.
    pub fn time(&self, contender: &str, placement: &dyn Placement) -> LookupTime {
        LookupTime {
            contender: contender.into(),
            nodes: placement.roster().len() as u32,
            batch_ns: self.batch_ns(placement),
            dependent_ns: self.dependent_ns(placement),
            cold_ns: self.cold_ns(placement),
            refusal: None,
        }
    }

    /// Nanoseconds a key in batches of independent keys.
    pub fn batch_ns(&self, placement: &dyn Placement) -> [f64; 3] {
        let mut owners = vec![NodeId(0); BATCH];
        per_operation(KEYS * PASSES, |lookups| {
            for keys in self.passes(lookups) {
                for batch in keys.chunks(BATCH) {
                    placement.place_many(Keys::hashed(batch), &mut owners);
                    black_box(&mut owners);
                }
            }
        })
    }

    /// Nanoseconds a lookup whose key depends on the answer before.
    pub fn dependent_ns(&self, placement: &dyn Placement) -> [f64; 3] {
        per_operation(KEYS * PASSES, |lookups| {
            self.passes(lookups).for_each(|keys| chain(placement, keys));
        })
    }

    /// So many keys: all of them again and again, then the first of them.
    fn passes(&self, lookups: usize) -> impl Iterator<Item = &[KeyHash]> {
        let starts = (0..lookups).step_by(KEYS);
        starts.map(move |start| &self.keys[..KEYS.min(lookups - start)])
    }

    fn cold_ns(&self, placement: &dyn Placement) -> [f64; 3] {
        summarise((0..ROUNDS).map(|round| {
            black_box(self.sweep.iter().step_by(8).sum::<u64>());
            let keys = &self.keys[round * COLD_LOOKUPS..][..COLD_LOOKUPS];
            let start = Instant::now();
            chain(placement, keys);
            start.elapsed().as_nanos() as f64 / COLD_LOOKUPS as f64
        }))
    }
}

/// Lookups of which each waits for the one before.
fn chain(placement: &dyn Placement, keys: &[KeyHash]) {
    let mut before = NodeId(0);
    for key in keys {
        before = placement.place(Key::hashed(key.0 ^ u64::from(before.0)));
    }
    black_box(before);
}

/// The entry of a contender that cannot serve so many nodes.
pub fn refused(contender: &str, nodes: u32, reason: String) -> LookupTime {
    LookupTime {
        contender: contender.into(),
        nodes,
        batch_ns: [0.0; 3],
        dependent_ns: [0.0; 3],
        cold_ns: [0.0; 3],
        refusal: Some(reason),
    }
}
