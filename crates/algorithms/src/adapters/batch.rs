//! The buckets of a batch of keys, under one count after the other.

use placelab_core::KeyHash;

use crate::range_hash::RangeHash;

/// Keys whose buckets are held at a time.
pub(crate) const BATCH_KEYS: usize = 1_024;

/// Keys that are looked at by one question, whether any moves.
const SCANNED_KEYS: usize = 16;

/// Room for the buckets of a batch, and for the keys that a smaller count moves.
pub(crate) struct Batch {
    buckets: [u32; BATCH_KEYS],
    moved: [u32; BATCH_KEYS],
    moved_hashes: [KeyHash; BATCH_KEYS],
    moved_to: [u32; BATCH_KEYS],
}

impl Batch {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Batch {
            buckets: [0; BATCH_KEYS],
            moved: [0; BATCH_KEYS],
            moved_hashes: [KeyHash(0); BATCH_KEYS],
            moved_to: [0; BATCH_KEYS],
        }
    }

    /// The buckets of at most [`BATCH_KEYS`] keys. Where those among `held` buckets, no fewer, were
    /// asked for before, keys that are below the count stay, and only the others are looked up.
    pub(crate) fn among<R: RangeHash>(
        &mut self,
        range: R,
        hashes: &[KeyHash],
        count: u32,
        held: Option<u32>,
    ) -> &[u32] {
        let buckets = &mut self.buckets[..hashes.len()];
        match held {
            Some(held) if held == count => return buckets,
            Some(_) => {}
            None => {
                range.buckets(hashes, count, buckets);
                return buckets;
            }
        }
        let mut movers = 0;
        for (some, first) in buckets.chunks(SCANNED_KEYS).zip((0..).step_by(SCANNED_KEYS)) {
            if some.iter().fold(false, |any, &bucket| any | (bucket >= count)) {
                for (index, &bucket) in (first..).zip(some) {
                    self.moved[movers] = index;
                    movers += usize::from(bucket >= count);
                }
            }
        }
        let moved = &self.moved[..movers];
        for (hash, &index) in self.moved_hashes.iter_mut().zip(moved) {
            *hash = hashes[index as usize];
        }
        range.buckets(&self.moved_hashes[..movers], count, &mut self.moved_to[..movers]);
        for (&index, &bucket) in moved.iter().zip(&self.moved_to) {
            buckets[index as usize] = bucket;
        }
        buckets
    }
}
