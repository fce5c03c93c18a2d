//! Jump hash over many keys: walks in lockstep that leave as they end.
//!
//! A walk takes H_N steps on average, some take twice as many, and a vector would wait for its
//! longest one. So every walk takes about H_N steps without a look at whether it has ended; those
//! that have not are packed into a queue, take a few steps more, and so on until it is empty. A
//! stop beyond the count does no harm: stops only grow, so the last one below the count is known.

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "vector loads and stores, and calls that need instructions")
)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use placelab_core::KeyHash;

use crate::jump::Jump;
#[cfg(target_arch = "x86_64")]
use crate::kernels::chunks;
use crate::range_hash::one_by_one;
use crate::simd::Level;

/// The bucket of each key among `count` buckets. Panics where this machine lacks the level, or
/// keys and buckets differ in number.
pub(crate) fn buckets(level: Level, keys: &[KeyHash], count: u32, out: &mut [u32]) {
    assert!(level.is_available(), "{level} is not of this machine");
    assert_eq!(keys.len(), out.len(), "a bucket for each key");
    match level {
        // SAFETY: the machine has the instructions, and a chunk fits the queue.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => chunks(keys, out, |keys, out| unsafe {
            avx512::buckets(keys, count, out);
        }),
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => chunks(keys, out, |keys, out| unsafe {
            avx2::buckets(keys, count, out);
        }),
        _ => one_by_one(Jump, keys, count, out),
    }
}

/// What the kernels for both vector widths share.
#[cfg(target_arch = "x86_64")]
mod queue {
    use crate::kernels::CHUNK_KEYS;

    /// Vectors that walk together, so that one's multiplications hide in another's division.
    pub(super) const VECTORS: usize = 4;

    /// Steps of walks from the queue before the next look.
    pub(super) const LATER_STEPS: u32 = 2;

    /// Steps of every walk before the first look: about H_N, which is 0.69 log2 N + 0.58.
    pub(super) fn first_steps(count: u32) -> u32 {
        count.ilog2() * 7 / 10 + 1
    }

    /// Walks that have not ended, packed: where each stands, and whose it is.
    pub(super) struct Queue {
        /// The state of the generator.
        pub(super) states: [u64; CHUNK_KEYS],
        /// The stop that was reached, a whole number below the count.
        pub(super) stops: [f64; CHUNK_KEYS],
        /// The place of the key in its chunk.
        pub(super) places: [u32; CHUNK_KEYS],
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::Silent;

    use super::*;
    use crate::kernels::hold_batches;
    use crate::range_hash::RangeHash;

    #[test]
    fn every_level_walks_as_one_key_does() {
        let powers = (0..31).flat_map(|bits| [(1 << bits) - 1, 1 << bits, (1 << bits) + 1]);
        let counts = powers.filter(|count| *count > 0).chain([10, 100, 1_000, 10_000]);
        hold_batches(counts.chain([u32::MAX >> 1]), buckets, |key, count| {
            Jump.bucket(key, count, &mut Silent)
        });
    }
}
