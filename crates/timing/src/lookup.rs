//! Cost of a lookup: independent or dependent, warm or cold; and of hashing a key.

use std::hint::black_box;
use std::time::Instant;

use placelab_core::mix::stream;
use placelab_core::{
    Assignment, CopyChooser, HashFunction, Key, KeyHash, KeyPart, KeyText, Keys, NodeId, Placement,
};
use placelab_results::{Floor, KeyHashTime, LookupTime, Rounds};

use crate::floor::Floors;
use crate::harness::{Effort, FULL, ROUND, median, per_operation, summarise};

/// Batches of a round: 32,768 distinct keys are too many for a branch predictor to learn, and few
/// enough for the cache.
const BATCHES: usize = 16;
/// Passes over the keys that make a round of the fastest contenders long enough for the clock.
const PASSES: usize = 64;
/// Keys that a batch places at a time, as a sweep does.
const BATCH: usize = 2_048;
/// Bytes of a key: sixteen hexadecimal digits.
const KEY_BYTES: u32 = 16;
/// Lookups after the caches were displaced, at most; few, since they warm them again.
const COLD_LOOKUPS: usize = 64;
/// Rounds of cold figures: two interleaved halves of three. Displacing takes most of their time.
const COLD_ROUNDS: usize = 6;
/// What is read to displace the caches: beyond what a core has to itself, and as much as common
/// last-level caches hold.
pub(crate) const DISPLACED_BYTES: usize = 32 << 20;

/// Keys and buffers for timing lookups, made once.
pub struct Lookups {
    batches: Vec<Batch>,
    displacing: Vec<u64>,
}

/// Keys that are placed together.
struct Batch {
    hashes: Vec<KeyHash>,
    text: KeyText,
}

impl Batch {
    fn new(hashes: &[KeyHash]) -> Self {
        let mut text = KeyText::default();
        hashes.iter().for_each(|hash| text.push(format!("{:016x}", hash.0).as_bytes()));
        Batch { hashes: hashes.to_vec(), text }
    }

    /// The first keys, with what a scheme reads of them.
    fn keys(&self, count: usize, reads: KeyPart) -> Keys<'_> {
        let text = (reads == KeyPart::Bytes).then_some(&self.text);
        Keys { hashes: &self.hashes[..count.min(BATCH)], text }
    }
}

impl Default for Lookups {
    fn default() -> Self {
        let count = (BATCHES * BATCH) as u64;
        Self::of(&(0..count).map(|index| KeyHash(stream(1, index))).collect::<Vec<KeyHash>>())
    }
}

impl Lookups {
    /// Lookups of these keys. Panics where one is there twice: what is repeated is learnt by the
    /// branch predictor, and the figure is no longer that of a lookup.
    fn of(hashes: &[KeyHash]) -> Self {
        let mut sorted = hashes.to_vec();
        sorted.sort_unstable();
        let is_distinct = sorted.windows(2).all(|pair| pair[0] != pair[1]);
        assert!(is_distinct, "a key is there twice: keys that are timed are distinct");
        Lookups {
            batches: hashes.chunks(BATCH).map(Batch::new).collect(),
            displacing: vec![1; DISPLACED_BYTES / size_of::<u64>()],
        }
    }

    /// Times the lookups of a placement that reads this part of a key.
    pub fn time(
        &self,
        floors: &Floors,
        contender: &str,
        reads: KeyPart,
        placement: &dyn Placement,
    ) -> LookupTime {
        let floor = floors.of(reads);
        let batch_rounds = self.batch_rounds(reads, placement);
        let dependent_rounds = self.dependent_rounds(reads, placement);
        // Slow lookups need not be many.
        let slow = ROUND.as_nanos() as f64 / median(dependent_rounds.iter().copied()).max(1.0);
        let cold_lookups = (slow as usize).clamp(COLD_LOOKUPS / 8, COLD_LOOKUPS);
        let [cold_batch_ns, cold_dependent_ns] = self.cold(cold_lookups, floor, reads, placement);
        LookupTime {
            contender: contender.into(),
            nodes: placement.roster().len() as u32,
            batch_ns: summarise(&batch_rounds, floor.batch_ns.median),
            dependent_ns: summarise(&dependent_rounds, floor.dependent_ns.median),
            cold_batch_ns,
            cold_dependent_ns,
            refusal: None,
        }
    }

    /// Times a hash function on the bytes of the keys, apart from every lookup.
    pub fn time_key_hash(&self, function: HashFunction) -> KeyHashTime {
        let floor = self.bytes_rounds(|bytes| u64::from(bytes[0]));
        let rounds = self.bytes_rounds(|bytes| function.hash(bytes));
        KeyHashTime {
            function: function.name().into(),
            key_bytes: KEY_BYTES,
            batch_ns: summarise(&rounds, median(floor.into_iter())),
        }
    }

    /// Nanoseconds a key to make something of its bytes.
    fn bytes_rounds(&self, make: impl Fn(&[u8]) -> u64) -> Vec<f64> {
        per_operation(FULL, BATCHES * BATCH * PASSES, |count| {
            for keys in self.passes(count, KeyPart::Bytes) {
                for index in 0..keys.hashes.len() {
                    black_box(make(keys.get(index).bytes));
                }
            }
        })
    }

    /// Nanoseconds a key in batches of independent keys, the harness's own time included: the
    /// median of the rounds.
    pub fn batch_ns(&self, reads: KeyPart, placement: &dyn Placement) -> f64 {
        median(self.batch_rounds(reads, placement).into_iter())
    }

    pub(crate) fn batch_rounds(&self, reads: KeyPart, placement: &dyn Placement) -> Vec<f64> {
        self.batch_rounds_of(FULL, reads, placement)
    }

    /// Nanoseconds a key in batches, in rounds of such an effort.
    pub(crate) fn batch_rounds_of(
        &self,
        effort: Effort,
        reads: KeyPart,
        placement: &dyn Placement,
    ) -> Vec<f64> {
        let mut owners = vec![NodeId(0); BATCH];
        per_operation(effort, BATCHES * BATCH * PASSES, |lookups| {
            for keys in self.passes(lookups, reads) {
                placement.place_many(keys, &mut owners);
                black_box(&mut owners);
            }
        })
    }

    /// Nanoseconds a lookup whose key depends on the answer before.
    pub(crate) fn dependent_rounds(&self, reads: KeyPart, placement: &dyn Placement) -> Vec<f64> {
        per_operation(FULL, BATCHES * BATCH * PASSES, |lookups| {
            self.passes(lookups, reads).for_each(|keys| chain(placement, keys));
        })
    }

    /// Nanoseconds a key for all its copies, the harness's own time included.
    pub fn copies_ns(
        &self,
        reads: KeyPart,
        placement: &dyn Placement,
        chooser: &CopyChooser,
    ) -> f64 {
        let mut copies = vec![NodeId(0); chooser.count() * BATCH];
        let rounds = per_operation(FULL, BATCHES * BATCH, |lookups| {
            for keys in self.passes(lookups, reads) {
                chooser.choose_many(placement, keys, &mut copies);
                black_box(&mut copies);
            }
        });
        median(rounds.into_iter())
    }

    /// Nanoseconds a key in passes over at most so many keys, in their order, the harness's own
    /// time included. Panics where the nodes cannot hold as many.
    pub fn assign_ns(&self, reads: KeyPart, assignment: &dyn Assignment, keys: u64) -> f64 {
        let mut owners = vec![NodeId(0); BATCH];
        let most = usize::try_from(keys).map_or(BATCHES * BATCH, |keys| keys.min(BATCHES * BATCH));
        let rounds = per_operation(FULL, most, |lookups| {
            let pass = assignment.open(lookups as u64);
            let mut ledger = pass.expect("the nodes hold more");
            for keys in self.passes(lookups, reads) {
                ledger.assign_many(keys, &mut owners);
                black_box(&mut owners);
            }
        });
        median(rounds.into_iter())
    }

    /// All keys, batch by batch.
    pub(crate) fn all(&self, reads: KeyPart) -> impl Iterator<Item = Keys<'_>> {
        self.batches.iter().map(move |batch| batch.keys(BATCH, reads))
    }

    /// So many keys: all of them again and again, then the first of them.
    fn passes(&self, lookups: usize, reads: KeyPart) -> impl Iterator<Item = Keys<'_>> {
        let starts = (0..lookups).step_by(BATCH).zip(self.batches.iter().cycle());
        starts.map(move |(start, batch)| batch.keys(lookups - start, reads))
    }

    /// A batch and dependent lookups, each in rounds before which the caches are displaced.
    fn cold(
        &self,
        lookups: usize,
        floor: &Floor,
        reads: KeyPart,
        placement: &dyn Placement,
    ) -> [Rounds; 2] {
        let mut owners = vec![NodeId(0); lookups];
        let (mut batch, mut dependent) = (Vec::new(), Vec::new());
        for two in self.batches.chunks_exact(2).take(COLD_ROUNDS) {
            batch.push(self.after_displacing(lookups, || {
                placement.place_many(two[0].keys(lookups, reads), &mut owners);
                black_box(&mut owners);
            }));
            dependent.push(self.after_displacing(lookups, || {
                chain(placement, two[1].keys(lookups, reads));
            }));
        }
        [summarise(&batch, floor.batch_ns.median), summarise(&dependent, floor.dependent_ns.median)]
    }

    /// Nanoseconds of each of so many lookups.
    fn after_displacing(&self, lookups: usize, look_up: impl FnOnce()) -> f64 {
        black_box(self.displacing.iter().step_by(8).sum::<u64>());
        let start = Instant::now();
        look_up();
        start.elapsed().as_nanos() as f64 / lookups as f64
    }
}

/// Lookups of which each waits for the one before.
fn chain(placement: &dyn Placement, keys: Keys<'_>) {
    let mut before = NodeId(0);
    for (index, hash) in keys.hashes.iter().enumerate() {
        // The answer before says which bytes, too; without a division, which would take longer
        // than some lookups.
        let next = || (index + before.index()) & (BATCH - 1);
        let bytes = keys.text.map_or(&[][..], |text| text.get(next()));
        before = placement.place(Key { hash: KeyHash(hash.0 ^ u64::from(before.0)), bytes });
    }
    black_box(before);
}

/// The entry of a contender that cannot serve so many nodes.
pub fn refused(contender: &str, nodes: u32, reason: String) -> LookupTime {
    let none = Rounds::default();
    LookupTime {
        contender: contender.into(),
        nodes,
        batch_ns: none,
        dependent_ns: none,
        cold_batch_ns: none,
        cold_dependent_ns: none,
        refusal: Some(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::floor::Nothing;

    #[test]
    #[should_panic(expected = "a key is there twice")]
    fn a_repeated_key_is_not_timed() {
        let mut hashes: Vec<KeyHash> = (0..1_000).map(|index| KeyHash(stream(1, index))).collect();
        hashes[999] = hashes[0];
        Lookups::of(&hashes);
    }

    #[test]
    fn every_batch_is_full_of_keys_of_the_same_length() {
        let lookups = Lookups::default();
        assert_eq!(lookups.batches.len(), BATCHES);
        for batch in &lookups.batches {
            assert_eq!((batch.hashes.len(), batch.text.len()), (BATCH, BATCH));
            assert!((0..BATCH).all(|key| batch.text.get(key).len() == KEY_BYTES as usize));
        }
    }

    #[test]
    fn figures_of_nothing_are_within_the_floor_or_noise() {
        let lookups = Lookups::default();
        let floors = Floors::measure(&lookups);
        let time = lookups.time(&floors, "nothing", KeyPart::Hash, &Nothing::new(KeyPart::Hash));
        for (name, rounds) in time.figures() {
            assert!(rounds.least >= 0.0 && rounds.least <= rounds.median, "{name}: {rounds:?}");
            assert!(rounds.median <= rounds.largest && rounds.floor >= 0.0, "{name}: {rounds:?}");
        }
    }

    #[test]
    fn hashing_is_timed_by_itself() {
        let time = Lookups::default().time_key_hash(HashFunction::Sha256Be64);
        assert_eq!((time.function.as_str(), time.key_bytes), ("sha256-64be", 16));
        assert!(time.batch_ns.median > 0.0 && time.batch_ns.floor > 0.0);
    }
}
