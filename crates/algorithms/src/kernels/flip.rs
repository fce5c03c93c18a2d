//! FlipHash over many keys, by the authors' mixer.

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "calls that need instructions of the machine")
)]

use placelab_core::KeyHash;

use crate::flip::Flip;
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
        Level::Avx512 if count > 1 => chunks(keys, out, |keys, out| unsafe {
            avx512::buckets(keys, count, out);
        }),
        // AVX2 has neither products nor leading zeros of 64 bits: it has no kernel.
        _ => one_by_one(Flip::Mixer, keys, count, out),
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use placelab_core::KeyHash;

    use crate::flip::{ATTEMPTS_MAX, MULTIPLIERS};
    use crate::kernels::redraws;

    /// The bucket of each key of a chunk among `count` > 1 buckets.
    ///
    /// # Safety
    /// The chunk fits the queue of redraws, and there are as many buckets as keys.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,bmi2,popcnt")]
    pub(super) unsafe fn buckets(keys: &[KeyHash], count: u32, out: &mut [u32]) {
        let all = |number: u64| _mm512_set1_epi64(number as i64);
        let last = u64::from(count) - 1;
        let whole = u64::MAX >> last.leading_zeros();
        let odd_level = all(2 * u64::from(last.ilog2()) + 1);
        let (last, mask, half) = (all(last), all(whole), all(whole >> 1));
        let first = |keys| {
            let drawn = finished(multiplied(keys, MULTIPLIERS[0]));
            let found = flipped(keys, _mm512_and_si512(drawn, mask));
            (drawn, found, _mm512_cmpgt_epu64_mask(found, last))
        };
        let again = |keys, firsts, attempt: u32| {
            let multiplier = MULTIPLIERS[0].wrapping_mul(2 * u64::from(attempt) + 1);
            let drawn = finished(multiplied(_mm512_mullo_epi64(keys, odd_level), multiplier));
            let drawn = _mm512_and_si512(drawn, mask);
            let missing = _mm512_cmpgt_epu64_mask(drawn, last);
            // The smaller range decides below the middle, and where no attempt is left.
            let lower = missing | _mm512_cmple_epu64_mask(drawn, half);
            let below = flipped(keys, _mm512_and_si512(firsts, half));
            (_mm512_mask_mov_epi64(drawn, lower, below), missing)
        };
        // SAFETY: the caller's.
        unsafe { redraws::buckets(keys, out, ATTEMPTS_MAX, first, again) }
    }

    /// The buckets over a power of two: the highest set bit stays, those below it are flipped.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512cd")]
    fn flipped(keys: __m512i, values: __m512i) -> __m512i {
        let one = _mm512_set1_epi64(1);
        let level = _mm512_sub_epi64(_mm512_set1_epi64(63), _mm512_lzcnt_epi64(values));
        let odd_level = _mm512_add_epi64(_mm512_add_epi64(level, level), one);
        let drawn = finished(multiplied(_mm512_mullo_epi64(keys, odd_level), MULTIPLIERS[0]));
        let below = _mm512_sub_epi64(_mm512_sllv_epi64(one, level), one);
        let is_some = _mm512_test_epi64_mask(values, values);
        _mm512_maskz_xor_epi64(is_some, values, _mm512_and_si512(drawn, below))
    }

    /// The first half of the mixer, with the attempt as part of its multiplier.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn multiplied(k: __m512i, multiplier: u64) -> __m512i {
        let mixed = _mm512_xor_si512(k, _mm512_srli_epi64::<27>(k));
        _mm512_mullo_epi64(mixed, _mm512_set1_epi64(multiplier as i64))
    }

    /// The second half.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn finished(k: __m512i) -> __m512i {
        let mixed = _mm512_xor_si512(k, _mm512_srli_epi64::<33>(k));
        let k = _mm512_mullo_epi64(mixed, _mm512_set1_epi64(MULTIPLIERS[1] as i64));
        _mm512_xor_si512(k, _mm512_srli_epi64::<27>(k))
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::Silent;

    use super::*;
    use crate::kernels::hold_batches;
    use crate::range_hash::RangeHash;

    #[test]
    fn every_level_answers_as_for_one_key() {
        let powers = (0..32).flat_map(|bits| [(1 << bits) - 1, 1 << bits, (1 << bits) + 1]);
        let counts = powers.filter(|count| *count > 0).chain([10, 100, 1_000, 10_000]);
        hold_batches(counts.chain([u32::MAX]), buckets, |key, count| {
            Flip::Mixer.bucket(key, count, &mut Silent)
        });
    }
}
