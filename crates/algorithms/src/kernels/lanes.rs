//! Ends of batches that do not fill a vector.
//!
//! Stores of some lanes are slow on many processors, so whole vectors are stored as such.

#![expect(unsafe_code, reason = "vector stores")]

use std::arch::x86_64::*;

/// The first of eight lanes, as many as are left. An instruction of its own makes it: shifts by a
/// byte made each vector wait for the one before.
#[inline]
#[target_feature(enable = "bmi2")]
pub(super) fn first_of_eight(left: usize) -> __mmask8 {
    _bzhi_u32(0xff, left.min(8) as u32) as __mmask8
}

/// Stores eight numbers from place `at` on, as far as `out` goes.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store_eight(numbers: __m256i, out: &mut [u32], at: usize) {
    let mut all = [0u32; 8];
    let is_whole = at + all.len() <= out.len();
    let place = if is_whole { out[at..].as_mut_ptr() } else { all.as_mut_ptr() };
    // SAFETY: there is room for eight numbers in both places.
    unsafe { _mm256_storeu_si256(place.cast(), numbers) };
    if !is_whole {
        out.iter_mut().skip(at).zip(all).for_each(|(place, number)| *place = number);
    }
}

/// Stores four numbers from place `at` on, as far as `out` goes.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store_four(numbers: __m128i, out: &mut [u32], at: usize) {
    let mut all = [0u32; 4];
    let is_whole = at + all.len() <= out.len();
    let place = if is_whole { out[at..].as_mut_ptr() } else { all.as_mut_ptr() };
    // SAFETY: there is room for four numbers in both places.
    unsafe { _mm_storeu_si128(place.cast(), numbers) };
    if !is_whole {
        out.iter_mut().skip(at).zip(all).for_each(|(place, number)| *place = number);
    }
}
