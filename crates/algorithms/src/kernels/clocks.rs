//! Winners among exponential clocks: keys in lanes, one entrant after the other for all of them.
//!
//! A lane keeps the least and the second least bound v ÷ w of a key as 32-bit floats, and whose the
//! least is. Where the second is beyond doubt later than the least can strike, the least is the
//! winner; else the key is placed alone. The margin:
//!
//! Let y be the 31 leading bits of 2^32·v, times two. They follow from the product that the mixer's
//! last part leaves them as, and y ≤ 2^32·v < y + 2. A bound is b = y ÷ w with three roundings, so
//! it errs by less than 4·2^−24 of itself.
//!
//! No other entrant strikes before y ÷ w, in units of 2^−32. This holds for times that are rounded
//! down too (see `Clock`): 2^58·v is 2^26·y + 32 or more, so rounding −ln(u) down to 2^−58 leaves
//! 2^26·y, and rounding the quotient takes one 2^−58, which is 2^−26 here.
//!
//! The least strikes no later than v + v² ÷ (2 − 2v), from the series of the logarithm, over w.
//! With v < (y + 2) ÷ 2^32 ≤ 1/2, computed from b by a dozen roundings, each of which counts at
//! most twice, this errs by less than 24·2^−24. 2^−18 is more than both errors together, and
//! 2^−25 more than the grain.

#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "vector instructions"))]

use placelab_core::KeyHash;

use super::in_groups;
#[cfg(target_arch = "x86_64")]
use super::rendezvous::opened;
use crate::simd::Level;

/// What the bounds of entrants are made of.
#[derive(Clone, Copy)]
pub(crate) struct Screen<'a> {
    /// Hashes of their names, opened.
    pub(crate) names: &'a [u64],
    /// One over their weights in units.
    pub(crate) inverses: &'a [f32],
}

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

/// Places groups of keys, of which a group says which are in doubt; those are placed alone.
#[cfg(target_arch = "x86_64")]
pub(super) fn screened<const KEYS: usize>(
    hashes: &[KeyHash],
    places: &mut [u32],
    group: impl Fn(&[KeyHash; KEYS], &mut [u32; KEYS]) -> [bool; KEYS],
    alone: impl Fn(KeyHash) -> u32,
) {
    let settled = |keys: &[KeyHash; KEYS], places: &mut [u32; KEYS]| {
        let doubts = group(keys, places);
        for ((place, &key), doubt) in places.iter_mut().zip(keys).zip(doubts) {
            if doubt {
                *place = alone(key);
            }
        }
    };
    in_groups(hashes, places, settled, &alone);
}

/// Which keys the bounds do not decide.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn doubts<const KEYS: usize>(
    least: &[f32; KEYS],
    second: &[f32; KEYS],
    places: &[u32; KEYS],
    inverses: &[f32],
) -> [bool; KEYS] {
    let inverses = places.map(|place| inverses[place as usize]);
    let mut doubts = [true; KEYS];
    for lane in 0..KEYS {
        doubts[lane] = !decides(least[lane], second[lane], inverses[lane]);
    }
    doubts
}

/// Whether the second bound is later than the least can strike.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn decides(least: f32, second: f32, inverse: f32) -> bool {
    const UNIT: f32 = 1.0 / (1u64 << 32) as f32;
    const MARGIN: f32 = 1.0 + 1.0 / (1 << 18) as f32;
    const GRAIN: f32 = 1.0 / (1 << 25) as f32;
    let lack = (least / inverse + 2.0) * UNIT;
    let latest = (least + 2.0 * inverse) * (1.0 + lack / (2.0 - 2.0 * lack));
    (lack <= 0.5) & (second > latest * MARGIN + GRAIN)
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    use std::arch::x86_64::*;

    use super::super::rendezvous::avx512::{UPPERS, stirred};
    use super::*;

    const KEYS: usize = 32;

    /// The two least bounds of sixteen keys a vector, and whose the least are.
    pub(in super::super) struct Leads<const VECTORS: usize> {
        least: [__m512; VECTORS],
        second: [__m512; VECTORS],
        place: [__m512i; VECTORS],
    }

    impl<const VECTORS: usize> Leads<VECTORS> {
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,avx512bw,bmi2,popcnt")]
        #[inline]
        pub(in super::super) fn none() -> Self {
            let never = [_mm512_set1_ps(f32::INFINITY); VECTORS];
            Leads { least: never, second: never, place: [_mm512_setzero_si512(); VECTORS] }
        }

        /// The keys of a vector meet the entrant of this number with these bounds.
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,avx512bw,bmi2,popcnt")]
        #[inline]
        pub(in super::super) fn meet(&mut self, at: usize, bound: __m512, number: __m512i) {
            let Leads { least, second, place } = self;
            let leads = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(bound, least[at]);
            second[at] = _mm512_min_ps(second[at], _mm512_max_ps(bound, least[at]));
            least[at] = _mm512_min_ps(least[at], bound);
            place[at] = _mm512_mask_mov_epi32(place[at], leads, number);
        }

        /// Sets the places of the least, and returns which keys are in doubt.
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,avx512bw,bmi2,popcnt")]
        #[inline]
        pub(in super::super) fn settle<const KEYS: usize>(
            &self,
            places: &mut [u32; KEYS],
            inverses: &[f32],
        ) -> [bool; KEYS] {
            let (mut leasts, mut seconds) = ([0.0; KEYS], [0.0; KEYS]);
            for at in 0..VECTORS {
                // SAFETY: sixteen numbers of 32 bits each.
                unsafe {
                    _mm512_storeu_ps(leasts[16 * at..][..16].as_mut_ptr(), self.least[at]);
                    _mm512_storeu_ps(seconds[16 * at..][..16].as_mut_ptr(), self.second[at]);
                    let places = places[16 * at..][..16].as_mut_ptr();
                    _mm512_storeu_si512(places.cast(), self.place[at]);
                }
            }
            doubts(&leasts, &seconds, places, inverses)
        }
    }

    /// Sets the places of the least, and returns which keys are in doubt.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,avx512bw,bmi2,popcnt")]
    pub(super) fn group(
        keys: &[KeyHash; KEYS],
        screen: Screen<'_>,
        places: &mut [u32; KEYS],
    ) -> [bool; KEYS] {
        let keys = opened(keys);
        let mut lanes = [_mm512_setzero_si512(); KEYS / 8];
        for (lanes, keys) in lanes.iter_mut().zip(keys.as_chunks::<8>().0) {
            // SAFETY: eight numbers of 64 bits.
            *lanes = unsafe { _mm512_loadu_si512(keys.as_ptr().cast()) };
        }
        // SAFETY: sixteen numbers of 32 bits.
        let uppers = unsafe { _mm512_loadu_si512(UPPERS.as_ptr().cast()) };
        let even = _mm512_set1_epi32(!1);
        let mut leads = Leads::<2>::none();
        for (number, (&name, &inverse)) in (0..).zip(screen.names.iter().zip(screen.inverses)) {
            let name = _mm512_set1_epi64(name.cast_signed());
            let mut pairs = [name; KEYS / 8];
            for (pair, &key) in pairs.iter_mut().zip(&lanes) {
                *pair = _mm512_xor_si512(*pair, key);
            }
            let pairs = stirred(pairs);
            for half in 0..2 {
                let upper = _mm512_permutex2var_epi32(pairs[2 * half], uppers, pairs[2 * half + 1]);
                let lack = _mm512_cvtepu32_ps(_mm512_andnot_si512(upper, even));
                let bound = _mm512_mul_ps(lack, _mm512_set1_ps(inverse));
                leads.meet(half, bound, _mm512_set1_epi32(number));
            }
        }
        leads.settle(places, screen.inverses)
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    use std::arch::x86_64::*;

    use super::super::rendezvous::avx2::{lanes, stirred_uppers};
    use super::*;

    const KEYS: usize = 16;

    /// The two least bounds of eight keys a vector, and whose the least are.
    pub(in super::super) struct Leads {
        least: [__m256; 2],
        second: [__m256; 2],
        place: [__m256i; 2],
    }

    impl Leads {
        #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
        #[inline]
        pub(in super::super) fn none() -> Self {
            let never = [_mm256_set1_ps(f32::INFINITY); 2];
            Leads { least: never, second: never, place: [_mm256_setzero_si256(); 2] }
        }

        /// The keys of a vector meet the entrant of this number with these bounds: the complements
        /// of these uppers, of which half is signed, by twice its inverse.
        #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
        #[inline]
        pub(in super::super) fn meet(
            &mut self,
            at: usize,
            upper: __m256i,
            twice: __m256,
            number: __m256i,
        ) {
            let Leads { least, second, place } = self;
            let lack = _mm256_srli_epi32::<1>(_mm256_xor_si256(upper, _mm256_set1_epi32(-1)));
            let bound = _mm256_mul_ps(_mm256_cvtepi32_ps(lack), twice);
            let leads = _mm256_cmp_ps::<_CMP_LT_OQ>(bound, least[at]);
            second[at] = _mm256_min_ps(second[at], _mm256_max_ps(bound, least[at]));
            least[at] = _mm256_min_ps(least[at], bound);
            place[at] = _mm256_blendv_epi8(place[at], number, _mm256_castps_si256(leads));
        }

        /// Sets the places of the least, and returns which keys are in doubt.
        #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
        #[inline]
        pub(in super::super) fn settle(
            &self,
            places: &mut [u32; KEYS],
            inverses: &[f32],
        ) -> [bool; KEYS] {
            let (mut leasts, mut seconds) = ([0.0; KEYS], [0.0; KEYS]);
            for at in 0..2 {
                // SAFETY: eight numbers of 32 bits each.
                unsafe {
                    _mm256_storeu_ps(leasts[8 * at..].as_mut_ptr(), self.least[at]);
                    _mm256_storeu_ps(seconds[8 * at..].as_mut_ptr(), self.second[at]);
                    _mm256_storeu_si256(places[8 * at..].as_mut_ptr().cast(), self.place[at]);
                }
            }
            doubts(&leasts, &seconds, places, inverses)
        }
    }

    /// Sets the places of the least, and returns which keys are in doubt.
    #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
    pub(super) fn group(
        keys: &[KeyHash; KEYS],
        screen: Screen<'_>,
        places: &mut [u32; KEYS],
    ) -> [bool; KEYS] {
        let lanes = lanes(&opened(keys));
        let mut leads = Leads::none();
        for (number, (&name, &inverse)) in (0..).zip(screen.names.iter().zip(screen.inverses)) {
            let name = _mm256_set1_epi64x(name.cast_signed());
            let (number, twice) = (_mm256_set1_epi32(number), _mm256_set1_ps(2.0 * inverse));
            for half in 0..2 {
                let upper = stirred_uppers(
                    _mm256_xor_si256(lanes[2 * half], name),
                    _mm256_xor_si256(lanes[2 * half + 1], name),
                );
                leads.meet(half, upper, twice, number);
            }
        }
        leads.settle(places, screen.inverses)
    }
}
