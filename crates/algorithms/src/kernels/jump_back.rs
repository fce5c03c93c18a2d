//! JumpBackHash over many keys, by draws of SplitMix64.

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "calls that need instructions of the machine")
)]

use placelab_core::KeyHash;

use crate::jump_back::JumpBack;
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
        _ => one_by_one(JumpBack::SplitMix64, keys, count, out),
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use placelab_core::KeyHash;
    use placelab_core::mix::{GOLDEN, MULTIPLIERS};

    use crate::kernels::redraws;

    /// The bucket of each key of a chunk among `count` > 1 buckets.
    ///
    /// # Safety
    /// The chunk fits the queue of redraws, and there are as many buckets as keys.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,bmi2,popcnt")]
    pub(super) unsafe fn buckets(keys: &[KeyHash], count: u32, out: &mut [u32]) {
        let all = |number: u64| _mm512_set1_epi64(number as i64);
        let whole = u64::from(u32::MAX >> (count - 1).leading_zeros());
        let middle = all(whole / 2 + 1);
        let (mask, half, count) = (all(whole), all(whole / 2), all(count.into()));
        let levels = |firsts| _mm512_xor_si512(firsts, _mm512_srli_epi64::<32>(firsts));
        let first = |keys| {
            let firsts = drawn(keys, 0);
            let found = over_power(firsts, _mm512_and_si512(levels(firsts), mask));
            (firsts, found, _mm512_cmpge_epu64_mask(found, count))
        };
        // Only the level above the middle can miss. Of each draw's halves the first that is there
        // decides; below the middle, the levels there do.
        let again = |keys, firsts, attempt: u32| {
            let value = drawn(keys, attempt);
            let one = _mm512_and_si512(value, mask);
            let other = _mm512_and_si512(_mm512_srli_epi64::<32>(value), mask);
            let passed = _mm512_cmpge_epu64_mask(one, count);
            let found = _mm512_mask_mov_epi64(one, passed, other);
            let lower = _mm512_cmplt_epu64_mask(found, middle);
            let below = over_power(firsts, _mm512_and_si512(levels(firsts), half));
            let missing = _mm512_cmpge_epu64_mask(found, count);
            (_mm512_mask_mov_epi64(found, lower, below), missing)
        };
        // SAFETY: the caller's.
        unsafe { redraws::buckets(keys, out, u32::MAX, first, again) }
    }

    /// The buckets where the highest of the levels begins: below its bit, the lower half of the
    /// first draw if the number of levels is even, the upper half if it is odd.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512cd")]
    fn over_power(firsts: __m512i, levels: __m512i) -> __m512i {
        let folded = _mm512_xor_si512(levels, _mm512_srli_epi64::<16>(levels));
        let folded = _mm512_xor_si512(folded, _mm512_srli_epi64::<8>(folded));
        let folded = _mm512_xor_si512(folded, _mm512_srli_epi64::<4>(folded));
        // The parity of each number of four bits.
        let parities = _mm512_set1_epi64(0b0110_1001_1001_0110);
        let digit = _mm512_and_si512(folded, _mm512_set1_epi64(15));
        let parity = _mm512_srlv_epi64(parities, digit);
        let is_odd = _mm512_test_epi64_mask(parity, _mm512_set1_epi64(1));
        let half = _mm512_mask_srli_epi64::<32>(firsts, is_odd, firsts);
        let one = _mm512_set1_epi64(1);
        let level = _mm512_sub_epi64(_mm512_set1_epi64(63), _mm512_lzcnt_epi64(levels));
        let level = _mm512_sllv_epi64(one, level);
        let below = _mm512_and_si512(half, _mm512_sub_epi64(level, one));
        let is_some = _mm512_test_epi64_mask(levels, levels);
        _mm512_maskz_or_epi64(is_some, level, below)
    }

    /// The draw of each key with this index.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn drawn(keys: __m512i, index: u32) -> __m512i {
        let step = GOLDEN.wrapping_mul(u64::from(index) + 1);
        let z = _mm512_add_epi64(keys, _mm512_set1_epi64(step as i64));
        let z = _mm512_xor_si512(z, _mm512_srli_epi64::<30>(z));
        let z = _mm512_mullo_epi64(z, _mm512_set1_epi64(MULTIPLIERS[0] as i64));
        let z = _mm512_xor_si512(z, _mm512_srli_epi64::<27>(z));
        let z = _mm512_mullo_epi64(z, _mm512_set1_epi64(MULTIPLIERS[1] as i64));
        _mm512_xor_si512(z, _mm512_srli_epi64::<31>(z))
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
            JumpBack::SplitMix64.bucket(key, count, &mut Silent)
        });
    }
}
