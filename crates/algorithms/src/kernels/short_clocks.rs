//! Winners among exponential clocks that draw from 32-bit scores: as [`super::clocks`], and with
//! its margin, y being the complement of a score, for which y ≤ 2^32·v < y + 2 as well.

#![expect(unsafe_code, reason = "vector stores, and calls of functions for a level of the machine")]

use placelab_core::KeyHash;

use super::clocks::Screen;
#[cfg(target_arch = "x86_64")]
use super::clocks::{doubts, settle};
use super::in_groups;
use crate::simd::Level;

/// The places of the winners for some keys; `alone` gives that of one key.
pub(crate) fn leaders(
    level: Level,
    hashes: &[KeyHash],
    screen: Screen<'_>,
    places: &mut [u32],
    alone: impl Fn(KeyHash) -> u32,
) {
    assert_eq!(screen.names.len(), screen.inverses.len(), "every entrant has both");
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if level.is_available() => {
            let group = |keys: &[KeyHash; _], places: &mut [u32; _]| {
                // SAFETY: the machine has what the function needs.
                let doubts = unsafe { avx512::group(keys, screen, places) };
                settle(keys, &doubts, places, &alone);
            };
            in_groups(hashes, places, group, &alone);
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 if level.is_available() => {
            let group = |keys: &[KeyHash; _], places: &mut [u32; _]| {
                // SAFETY: the machine has what the function needs.
                let doubts = unsafe { avx2::group(keys, screen, places) };
                settle(keys, &doubts, places, &alone);
            };
            in_groups(hashes, places, group, &alone);
        }
        _ => in_groups(hashes, places, |keys: &[_; 1], places| *places = keys.map(&alone), &alone),
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::super::short_scores::avx512::{KEYS, halves, scores};
    use super::*;

    /// Sets the places of the least, and returns which keys are in doubt.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,avx512bw,bmi2,popcnt")]
    pub(super) fn group(
        keys: &[KeyHash; KEYS],
        screen: Screen<'_>,
        places: &mut [u32; KEYS],
    ) -> [bool; KEYS] {
        let keys = halves(keys);
        let mut least = [_mm512_set1_ps(f32::INFINITY); 4];
        let (mut second, mut place) = (least, [_mm512_setzero_si512(); 4]);
        for (number, (&name, &inverse)) in (0..).zip(screen.names.iter().zip(screen.inverses)) {
            let (number, inverse) = (_mm512_set1_epi32(number), _mm512_set1_ps(inverse));
            for (at, score) in scores(&keys, name).into_iter().enumerate() {
                let lack = _mm512_xor_si512(score, _mm512_set1_epi32(-1));
                let bound = _mm512_mul_ps(_mm512_cvtepu32_ps(lack), inverse);
                let leads = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(bound, least[at]);
                second[at] = _mm512_min_ps(second[at], _mm512_max_ps(bound, least[at]));
                least[at] = _mm512_min_ps(least[at], bound);
                place[at] = _mm512_mask_mov_epi32(place[at], leads, number);
            }
        }
        let (mut leasts, mut seconds) = ([0.0; KEYS], [0.0; KEYS]);
        for at in 0..4 {
            // SAFETY: sixteen numbers of 32 bits each.
            unsafe {
                _mm512_storeu_ps(leasts[16 * at..].as_mut_ptr(), least[at]);
                _mm512_storeu_ps(seconds[16 * at..].as_mut_ptr(), second[at]);
                _mm512_storeu_si512(places[16 * at..].as_mut_ptr().cast(), place[at]);
            }
        }
        doubts(&leasts, &seconds, places, screen.inverses)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::super::short_scores::avx2::{KEYS, halves, scores};
    use super::*;

    /// Sets the places of the least, and returns which keys are in doubt.
    #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
    pub(super) fn group(
        keys: &[KeyHash; KEYS],
        screen: Screen<'_>,
        places: &mut [u32; KEYS],
    ) -> [bool; KEYS] {
        let keys = halves(keys);
        let mut least = [_mm256_set1_ps(f32::INFINITY); 2];
        let (mut second, mut place) = (least, [_mm256_setzero_si256(); 2]);
        for (number, (&name, &inverse)) in (0..).zip(screen.names.iter().zip(screen.inverses)) {
            let (number, twice) = (_mm256_set1_epi32(number), _mm256_set1_ps(2.0 * inverse));
            for (at, score) in scores(&keys, name).into_iter().enumerate() {
                // Half of y, which is signed: twice the inverse makes up for it.
                let lack = _mm256_srli_epi32::<1>(_mm256_xor_si256(score, _mm256_set1_epi32(-1)));
                let bound = _mm256_mul_ps(_mm256_cvtepi32_ps(lack), twice);
                let leads = _mm256_cmp_ps::<_CMP_LT_OQ>(bound, least[at]);
                second[at] = _mm256_min_ps(second[at], _mm256_max_ps(bound, least[at]));
                least[at] = _mm256_min_ps(least[at], bound);
                place[at] = _mm256_blendv_epi8(place[at], number, _mm256_castps_si256(leads));
            }
        }
        let (mut leasts, mut seconds) = ([0.0; KEYS], [0.0; KEYS]);
        for at in 0..2 {
            // SAFETY: eight numbers of 32 bits each.
            unsafe {
                _mm256_storeu_ps(leasts[8 * at..].as_mut_ptr(), least[at]);
                _mm256_storeu_ps(seconds[8 * at..].as_mut_ptr(), second[at]);
                _mm256_storeu_si256(places[8 * at..].as_mut_ptr().cast(), place[at]);
            }
        }
        doubts(&leasts, &seconds, places, screen.inverses)
    }
}
