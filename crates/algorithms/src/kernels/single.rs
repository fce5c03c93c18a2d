//! The winner of a rendezvous contest for one key: entrants in lanes, whole scores.

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "vector loads, and calls that need instructions of the machine")
)]

use placelab_core::KeyHash;

use crate::rendezvous::first;
use crate::simd::Level;

/// Entrants whose scores are as fast one after the other: lanes pay at the end, by their maximum.
#[cfg(target_arch = "x86_64")]
const FEW: usize = 12;

/// The place of the winner for a key among entrants of these opened name hashes. The level is one
/// that this machine has: [`crate::simd::level`] is.
#[inline]
pub(crate) fn winner(level: Level, key: KeyHash, names: &[u64]) -> usize {
    match level {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if names.len() > FEW => unsafe { avx512::winner(key, names) },
        // AVX2 has no products of 64 bits, and in one lane they cost less than out of three others.
        _ => first(key, names),
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use placelab_core::KeyHash;
    use placelab_core::mix::open;

    use crate::kernels::lanes::first_of_eight;
    use crate::kernels::rendezvous::avx512::stirred;

    const LANES: usize = 8;

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,avx512bw,bmi2,popcnt")]
    pub(super) fn winner(key: KeyHash, names: &[u64]) -> usize {
        let key = _mm512_set1_epi64(open(key.0).cast_signed());
        let (mut best, mut at) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        let mut places = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        for start in (0..names.len()).step_by(LANES) {
            let lanes = first_of_eight(names.len() - start);
            // SAFETY: only lanes that have a name are read.
            let names =
                unsafe { _mm512_maskz_loadu_epi64(lanes, names.as_ptr().add(start).cast()) };
            let [stirred] = stirred([_mm512_xor_si512(key, names)]);
            let scores = _mm512_xor_si512(stirred, _mm512_srli_epi64::<31>(stirred));
            let leads = _mm512_mask_cmpgt_epu64_mask(lanes, scores, best);
            best = _mm512_mask_mov_epi64(best, leads, scores);
            at = _mm512_mask_mov_epi64(at, leads, places);
            places = _mm512_add_epi64(places, _mm512_set1_epi64(LANES as i64));
        }
        // Of equals the first: a lane has its own, and one of the lanes the first of all.
        let most = _mm512_set1_epi64(_mm512_reduce_max_epu64(best).cast_signed());
        let holders = _mm512_cmpeq_epu64_mask(best, most);
        if holders.is_power_of_two() {
            let own = _mm512_castsi512_si128(_mm512_maskz_compress_epi64(holders, at));
            _mm_cvtsi128_si64(own) as usize
        } else {
            _mm512_mask_reduce_min_epu64(holders, at) as usize
        }
    }
}
