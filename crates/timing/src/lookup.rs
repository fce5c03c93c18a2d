//! Cost of a lookup: independent, dependent and cold.

use std::hint::black_box;
use std::time::Instant;

use placelab_core::mix::stream;
use placelab_core::{
    Assignment, CopyChooser, Key, KeyHash, KeyPart, KeyText, Keys, NodeId, Placement,
};
use placelab_results::LookupTime;

use crate::harness::{ROUNDS, per_operation, summarise};

/// Batches of a round: 32,768 distinct keys are too many for a branch predictor to learn, and few
/// enough for the cache.
const BATCHES: usize = 16;
/// Passes over the keys that make a round of the fastest contenders long enough for the clock.
const PASSES: usize = 64;
/// Keys that a batch places at a time, as a sweep does.
const BATCH: usize = 2_048;
/// Lookups after the caches were swept; few, since they warm them again.
const COLD_LOOKUPS: usize = 64;
/// What a sweep of the caches reads: as much as common last-level caches hold.
const SWEEP_BYTES: usize = 32 << 20;

/// Keys and buffers for timing lookups, made once.
pub struct Lookups {
    batches: Vec<Batch>,
    sweep: Vec<u64>,
}

/// Keys that are placed together.
struct Batch {
    hashes: Vec<KeyHash>,
    text: KeyText,
}

impl Batch {
    fn new(number: usize) -> Self {
        let first = (number * BATCH) as u64;
        let hashes: Vec<KeyHash> =
            (first..first + BATCH as u64).map(|index| KeyHash(stream(1, index))).collect();
        let mut text = KeyText::default();
        hashes.iter().for_each(|hash| text.push(format!("{:016x}", hash.0).as_bytes()));
        Batch { hashes, text }
    }

    /// The first keys, with what a scheme reads of them.
    fn keys(&self, count: usize, reads: KeyPart) -> Keys<'_> {
        let text = (reads == KeyPart::Bytes).then_some(&self.text);
        Keys { hashes: &self.hashes[..count.min(BATCH)], text }
    }
}

impl Default for Lookups {
    fn default() -> Self {
        Lookups {
            batches: (0..BATCHES).map(Batch::new).collect(),
            sweep: vec![1; SWEEP_BYTES / size_of::<u64>()],
        }
    }
}

impl Lookups {
    /// Times the lookups of a placement that reads this part of a key.
    pub fn time(&self, contender: &str, reads: KeyPart, placement: &dyn Placement) -> LookupTime {
        LookupTime {
            contender: contender.into(),
            nodes: placement.roster().len() as u32,
            batch_ns: self.batch_ns(reads, placement),
            dependent_ns: self.dependent_ns(reads, placement),
            cold_ns: self.cold_ns(reads, placement),
            refusal: None,
        }
    }

    /// Nanoseconds a key in batches of independent keys.
    pub fn batch_ns(&self, reads: KeyPart, placement: &dyn Placement) -> [f64; 3] {
        let mut owners = vec![NodeId(0); BATCH];
        per_operation(BATCHES * BATCH * PASSES, |lookups| {
            for keys in self.passes(lookups, reads) {
                placement.place_many(keys, &mut owners);
                black_box(&mut owners);
            }
        })
    }

    /// Nanoseconds a lookup whose key depends on the answer before.
    pub fn dependent_ns(&self, reads: KeyPart, placement: &dyn Placement) -> [f64; 3] {
        per_operation(BATCHES * BATCH * PASSES, |lookups| {
            self.passes(lookups, reads).for_each(|keys| chain(placement, keys));
        })
    }

    /// Nanoseconds a key for all its copies.
    pub fn copies_ns(
        &self,
        reads: KeyPart,
        placement: &dyn Placement,
        chooser: &CopyChooser,
    ) -> [f64; 3] {
        let mut copies = vec![NodeId(0); chooser.count() * BATCH];
        per_operation(BATCHES * BATCH, |lookups| {
            for keys in self.passes(lookups, reads) {
                chooser.choose_many(placement, keys, &mut copies);
                black_box(&mut copies);
            }
        })
    }

    /// Nanoseconds a key in passes over at most so many keys, in their order. Panics where the
    /// nodes cannot hold as many.
    pub fn assign_ns(&self, reads: KeyPart, assignment: &dyn Assignment, keys: u64) -> [f64; 3] {
        let mut owners = vec![NodeId(0); BATCH];
        let most = usize::try_from(keys).map_or(BATCHES * BATCH, |keys| keys.min(BATCHES * BATCH));
        per_operation(most, |lookups| {
            let pass = assignment.open(lookups as u64);
            let mut ledger = pass.expect("the nodes hold more");
            for keys in self.passes(lookups, reads) {
                ledger.assign_many(keys, &mut owners);
                black_box(&mut owners);
            }
        })
    }

    /// So many keys: all of them again and again, then the first of them.
    fn passes(&self, lookups: usize, reads: KeyPart) -> impl Iterator<Item = Keys<'_>> {
        let starts = (0..lookups).step_by(BATCH).zip(self.batches.iter().cycle());
        starts.map(move |(start, batch)| batch.keys(lookups - start, reads))
    }

    fn cold_ns(&self, reads: KeyPart, placement: &dyn Placement) -> [f64; 3] {
        summarise(self.batches[..ROUNDS].iter().map(|batch| {
            black_box(self.sweep.iter().step_by(8).sum::<u64>());
            let start = Instant::now();
            chain(placement, batch.keys(COLD_LOOKUPS, reads));
            start.elapsed().as_nanos() as f64 / COLD_LOOKUPS as f64
        }))
    }
}

/// Lookups of which each waits for the one before.
fn chain(placement: &dyn Placement, keys: Keys<'_>) {
    let mut before = NodeId(0);
    for (index, hash) in keys.hashes.iter().enumerate() {
        let next = || (index + before.index()) % keys.hashes.len();
        let bytes = keys.text.map_or(&[][..], |text| text.get(next()));
        before = placement.place(Key { hash: KeyHash(hash.0 ^ u64::from(before.0)), bytes });
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
