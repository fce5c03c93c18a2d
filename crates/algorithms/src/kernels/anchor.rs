//! AnchorHash for many keys: CRC-32C by the processor's instruction, and draws by rounds.
//!
//! Whether a key that came to a removed bucket has to draw again is as good as random, so a lookup
//! that goes from key to key waits for a wrong guess at most of them. Here all keys draw together
//! ([`StandIns::settle_many`]). Levels differ in the checksum alone.

#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "calls by processor feature"))]

use placelab_core::KeyHash;
use placelab_core::mix::mix;

use crate::bucket_set::STAGED;
use crate::crc32c::crc32c;
use crate::remainder::Remainder;
use crate::simd::Level;
use crate::stand_ins::StandIns;

/// The buckets of at most [`STAGED`] keys.
pub(crate) fn lookup_many(
    level: Level,
    capacity: Remainder,
    stand_ins: &StandIns,
    keys: &[KeyHash],
    buckets: &mut [u32],
) {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::Avx512 => {
            // SAFETY: a level in use is available, and who has AVX2 has SSE 4.2.
            unsafe { by_instruction(capacity, stand_ins, keys, buckets) }
        }
        _ => staged(capacity, stand_ins, keys, buckets, crc32c),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi2")]
fn by_instruction(
    capacity: Remainder,
    stand_ins: &StandIns,
    keys: &[KeyHash],
    buckets: &mut [u32],
) {
    use std::arch::x86_64::_mm_crc32_u64;
    let crc = |word, register: u32| _mm_crc32_u64(register.into(), word) as u32;
    staged(capacity, stand_ins, keys, buckets, crc);
}

#[inline(always)]
fn staged(
    capacity: Remainder,
    stand_ins: &StandIns,
    keys: &[KeyHash],
    buckets: &mut [u32],
    crc: impl Fn(u64, u32) -> u32,
) {
    let mut sums = [0; STAGED];
    for ((key, sum), bucket) in keys.iter().zip(&mut sums).zip(buckets.iter_mut()) {
        *sum = crc(key.0, mix(key.0) as u32);
        *bucket = capacity.of((*sum).into()) as u32;
    }
    stand_ins.settle_many(buckets, |place, left| {
        let (one, sum) = (keys[place].0, &mut sums[place]);
        *sum = crc(one.wrapping_sub((*sum).into()), (mix(one) as u32).wrapping_add(*sum));
        *sum % left
    });
}

#[cfg(test)]
mod tests {
    use placelab_core::Silent;
    use placelab_core::mix::stream;

    use super::*;

    /// One key after the other.
    fn one(capacity: u32, stand_ins: &StandIns, key: u64) -> u32 {
        let two = mix(key);
        let mut sum = crc32c(key, two as u32);
        stand_ins.settle(sum % capacity, &mut Silent, |_, left, _| {
            sum = crc32c(key.wrapping_sub(sum.into()), (two as u32).wrapping_add(sum));
            sum % left
        })
    }

    #[test]
    fn every_level_answers_as_one_key_after_the_other_does() {
        let mut keys: Vec<KeyHash> = (0..254).map(|i| KeyHash(stream(1, i))).collect();
        keys.extend([0, u64::MAX].map(KeyHash));
        for capacity in [1u32, 2, 3, 7, 8, 9, 16, 100, 1_000, 1_024, 10_000, 1 << 22] {
            let mut stand_ins = StandIns::default();
            let mut working: Vec<u32> = (0..capacity.min(2_000)).collect();
            working.sort_unstable_by_key(|bucket| stream(2, (*bucket).into()));
            for left in [1.0, 0.9, 0.5, 0.1, 0.0] {
                while working.len() as f64 > (f64::from(capacity) * left).max(1.0) {
                    let bucket = working.pop().expect("there is more than one");
                    stand_ins.remove(bucket, capacity - stand_ins.len() - 1);
                }
                for level in Level::available() {
                    for length in [0, 1, 7, 8, 9, 31, 64, STAGED] {
                        let (keys, mut buckets) = (&keys[..length], vec![0; length]);
                        let by = Remainder::by(capacity.into());
                        lookup_many(level, by, &stand_ins, keys, &mut buckets);
                        let expected = keys.iter().map(|key| one(capacity, &stand_ins, key.0));
                        assert!(buckets.iter().copied().eq(expected), "{level}, {capacity}");
                    }
                }
            }
        }
    }
}
