//! Winners of rendezvous contests by 32-bit scores: keys in lanes, as whole scores fit there.

#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "vector instructions"))]

use placelab_core::KeyHash;

use super::in_groups;
use crate::contest::leader;
#[cfg(target_arch = "x86_64")]
use crate::rendezvous::SHORT_MULTIPLIER;
use crate::rendezvous::short_score;
use crate::simd::Level;

/// The places of the winners for some keys among entrants of these name hashes.
pub(crate) fn leaders(level: Level, hashes: &[KeyHash], names: &[u64], places: &mut [u32]) {
    let alone = |key| leader(names.iter().map(|&name| short_score(key, name)), |_, _| ()) as u32;
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if level.is_available() => {
            // SAFETY: the machine has what the function needs.
            let group = |keys: &_, places: &mut _| unsafe { avx512::group(keys, names, places) };
            in_groups(hashes, places, group, alone);
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 if level.is_available() => {
            // SAFETY: the machine has what the function needs.
            let group = |keys: &_, places: &mut _| unsafe { avx2::group(keys, names, places) };
            in_groups(hashes, places, group, alone);
        }
        _ => in_groups(hashes, places, |keys: &[_; 1], places| *places = keys.map(alone), alone),
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    use std::arch::x86_64::*;

    use super::super::rendezvous::avx512::UPPERS;
    use super::*;

    pub(in super::super) const KEYS: usize = 64;

    /// The halves of keys, four vectors of each.
    pub(in super::super) struct Halves {
        upper: [__m512i; 4],
        lower: [__m512i; 4],
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,avx512bw,bmi2,popcnt")]
    #[inline]
    pub(in super::super) fn halves(keys: &[KeyHash; KEYS]) -> Halves {
        let zero = [_mm512_setzero_si512(); 4];
        let mut halves = Halves { upper: zero, lower: zero };
        // SAFETY: sixteen numbers of 32 bits.
        let uppers = unsafe { _mm512_loadu_si512(UPPERS.as_ptr().cast()) };
        let lowers = _mm512_sub_epi32(uppers, _mm512_set1_epi32(1));
        for (at, keys) in keys.as_chunks::<16>().0.iter().enumerate() {
            // SAFETY: twice eight hashes of 64 bits.
            let (one, other) = unsafe {
                let keys = keys.as_ptr().cast::<__m512i>();
                (_mm512_loadu_si512(keys), _mm512_loadu_si512(keys.add(1)))
            };
            halves.upper[at] = _mm512_permutex2var_epi32(one, uppers, other);
            halves.lower[at] = _mm512_permutex2var_epi32(one, lowers, other);
        }
        halves
    }

    /// The scores of keys with a name. Every vector takes a step before any takes the next.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,avx512bw,bmi2,popcnt")]
    #[inline]
    pub(in super::super) fn scores(keys: &Halves, name: u64) -> [__m512i; 4] {
        let upper = _mm512_set1_epi32((name >> 32) as i32);
        let factor = _mm512_set1_epi32(name as i32 | 1);
        let mut scores = keys.upper;
        for z in &mut scores {
            *z = _mm512_mullo_epi32(_mm512_xor_si512(*z, upper), factor);
        }
        for (z, &lower) in scores.iter_mut().zip(&keys.lower) {
            // The exclusive or of all three.
            *z = _mm512_ternarylogic_epi32::<0x96>(*z, _mm512_srli_epi32::<15>(*z), lower);
        }
        for z in &mut scores {
            *z = _mm512_mullo_epi32(*z, _mm512_set1_epi32(SHORT_MULTIPLIER.cast_signed()));
        }
        scores
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,avx512bw,bmi2,popcnt")]
    pub(super) fn group(keys: &[KeyHash; KEYS], names: &[u64], places: &mut [u32; KEYS]) {
        let keys = halves(keys);
        let mut best = [_mm512_setzero_si512(); 4];
        let mut place = best;
        for (number, &name) in (0..).zip(names) {
            let number = _mm512_set1_epi32(number);
            for (at, score) in scores(&keys, name).into_iter().enumerate() {
                let leads = _mm512_cmpgt_epu32_mask(score, best[at]);
                best[at] = _mm512_max_epu32(score, best[at]);
                place[at] = _mm512_mask_mov_epi32(place[at], leads, number);
            }
        }
        for (places, place) in places.as_chunks_mut::<16>().0.iter_mut().zip(place) {
            // SAFETY: sixteen numbers of 32 bits.
            unsafe { _mm512_storeu_si512(places.as_mut_ptr().cast(), place) };
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    use std::arch::x86_64::*;

    use super::super::rendezvous::avx2::{lanes, lowers, uppers};
    use super::*;

    pub(in super::super) const KEYS: usize = 16;

    /// The halves of keys, two vectors of each.
    pub(in super::super) struct Halves {
        upper: [__m256i; 2],
        lower: [__m256i; 2],
    }

    #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
    #[inline]
    pub(in super::super) fn halves(keys: &[KeyHash; KEYS]) -> Halves {
        let lanes = lanes(&keys.map(|key| key.0));
        Halves {
            upper: [uppers(lanes[0], lanes[1]), uppers(lanes[2], lanes[3])],
            lower: [lowers(lanes[0], lanes[1]), lowers(lanes[2], lanes[3])],
        }
    }

    /// The scores of keys with a name.
    #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
    #[inline]
    pub(in super::super) fn scores(keys: &Halves, name: u64) -> [__m256i; 2] {
        let upper = _mm256_set1_epi32((name >> 32) as i32);
        let factor = _mm256_set1_epi32(name as i32 | 1);
        let mut scores = keys.upper;
        for (z, &lower) in scores.iter_mut().zip(&keys.lower) {
            *z = _mm256_mullo_epi32(_mm256_xor_si256(*z, upper), factor);
            *z = _mm256_xor_si256(_mm256_xor_si256(*z, _mm256_srli_epi32::<15>(*z)), lower);
            *z = _mm256_mullo_epi32(*z, _mm256_set1_epi32(SHORT_MULTIPLIER.cast_signed()));
        }
        scores
    }

    #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
    pub(super) fn group(keys: &[KeyHash; KEYS], names: &[u64], places: &mut [u32; KEYS]) {
        let keys = halves(keys);
        let mut best = [_mm256_setzero_si256(); 2];
        let mut place = best;
        for (number, &name) in (0..).zip(names) {
            let number = _mm256_set1_epi32(number);
            for (at, score) in scores(&keys, name).into_iter().enumerate() {
                let most = _mm256_max_epu32(score, best[at]);
                let stays = _mm256_cmpeq_epi32(most, best[at]);
                place[at] = _mm256_blendv_epi8(number, place[at], stays);
                best[at] = most;
            }
        }
        for (places, place) in places.as_chunks_mut::<8>().0.iter_mut().zip(place) {
            // SAFETY: eight numbers of 32 bits.
            unsafe { _mm256_storeu_si256(places.as_mut_ptr().cast(), place) };
        }
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;

    use super::*;

    fn hold(names: &[u64]) {
        let edges = [0, 1, u64::MAX, 1 << 63, (1 << 32) - 1, 1 << 32];
        let hashes: Vec<KeyHash> =
            edges.into_iter().chain((0..506).map(|i| stream(2, i))).map(KeyHash).collect();
        let plain = |&key: &KeyHash| {
            let scores = names.iter().map(|&name| short_score(key, name));
            let best = scores.clone().max();
            scores.map(Some).position(|score| score == best).unwrap() as u32
        };
        let expected: Vec<u32> = hashes.iter().map(plain).collect();
        for level in Level::available() {
            for length in [0, 1, 7, 8, 9, 15, 16, 17, 31, 64, 512] {
                let mut places = vec![u32::MAX; length];
                leaders(level, &hashes[..length], names, &mut places);
                assert!(places == expected[..length], "{level}: {} names", names.len());
            }
        }
    }

    #[test]
    fn every_level_places_as_scores_do() {
        for count in (1..=34).chain([63, 64, 65, 100, 1_000]) {
            hold(&(0..count).map(|index| stream(1, index)).collect::<Vec<_>>());
            // Each name is there thrice: of equals the first wins.
            hold(&(0..count).map(|index| stream(1, index / 3)).collect::<Vec<_>>());
        }
    }
}
