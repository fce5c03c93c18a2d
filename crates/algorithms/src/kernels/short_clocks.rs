//! Winners among exponential clocks that draw from 32-bit scores: as [`super::clocks`], and with
//! its margin, y being the complement of a score, for which y ≤ 2^32·v < y + 2 as well.

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "calls of functions for a level of the machine")
)]

use placelab_core::KeyHash;

use super::clocks::Screen;
#[cfg(target_arch = "x86_64")]
use super::clocks::screened;
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
            // SAFETY: the machine has what the function needs.
            let group = |keys: &_, places: &mut _| unsafe { avx512::group(keys, screen, places) };
            screened(hashes, places, group, alone);
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 if level.is_available() => {
            // SAFETY: the machine has what the function needs.
            let group = |keys: &_, places: &mut _| unsafe { avx2::group(keys, screen, places) };
            screened(hashes, places, group, alone);
        }
        _ => in_groups(hashes, places, |keys: &[_; 1], places| *places = keys.map(&alone), &alone),
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::super::clocks::avx512::Leads;
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
        let mut leads = Leads::<4>::none();
        for (number, (&name, &inverse)) in (0..).zip(screen.names.iter().zip(screen.inverses)) {
            let (number, inverse) = (_mm512_set1_epi32(number), _mm512_set1_ps(inverse));
            for (at, score) in scores(&keys, name).into_iter().enumerate() {
                let lack = _mm512_xor_si512(score, _mm512_set1_epi32(-1));
                leads.meet(at, _mm512_mul_ps(_mm512_cvtepu32_ps(lack), inverse), number);
            }
        }
        leads.settle(places, screen.inverses)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::super::clocks::avx2::Leads;
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
        let mut leads = Leads::none();
        for (number, (&name, &inverse)) in (0..).zip(screen.names.iter().zip(screen.inverses)) {
            let (number, twice) = (_mm256_set1_epi32(number), _mm256_set1_ps(2.0 * inverse));
            for (at, score) in scores(&keys, name).into_iter().enumerate() {
                leads.meet(at, score, twice, number);
            }
        }
        leads.settle(places, screen.inverses)
    }
}
