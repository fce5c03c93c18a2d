//! Winners of rendezvous contests: keys in lanes, one name after the other for all of them.
//!
//! A lane holds the upper half of the product that the mixer's last step folds. The fold leaves the
//! upper 31 bits as they are, so the greatest of these is the greatest score unless two entrants
//! share it. Each block of names keeps maxima only, without whose they are; afterwards the winner
//! is looked for in the one block that has the greatest. Where more than one entrant has those
//! 31 bits, in that block or in two, the key is contested again by whole scores.

#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "vector instructions"))]

use placelab_core::KeyHash;
#[cfg(target_arch = "x86_64")]
use placelab_core::mix::{MULTIPLIERS, open};

use super::in_groups;
use crate::rendezvous::first;
#[cfg(target_arch = "x86_64")]
use crate::rendezvous::first_of_opened;
use crate::simd::Level;

/// The places of the winners for some keys among entrants of these opened name
/// hashes.
pub(crate) fn leaders(level: Level, hashes: &[KeyHash], names: &[u64], places: &mut [u32]) {
    let alone = |hash| first(hash, names) as u32;
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

/// Names in blocks: the whole ones, and the rest, also as a block filled up with zeros.
#[cfg(target_arch = "x86_64")]
struct Blocks<'a, const NAMES: usize> {
    whole: &'a [[u64; NAMES]],
    rest: &'a [u64],
    filled: [u64; NAMES],
}

#[cfg(target_arch = "x86_64")]
impl<'a, const NAMES: usize> Blocks<'a, NAMES> {
    #[inline(always)]
    fn of(names: &'a [u64]) -> Self {
        let (whole, rest) = names.as_chunks();
        let mut filled = [0; NAMES];
        filled[..rest.len()].copy_from_slice(rest);
        Blocks { whole, rest, filled }
    }

    /// The names of a block, and a mask of those that are somebody's.
    #[inline(always)]
    fn get(&self, number: u32) -> (&[u64; NAMES], u32) {
        match self.whole.get(number as usize) {
            Some(whole) => (whole, (1 << NAMES) - 1),
            None => (&self.filled, (1 << self.rest.len()) - 1),
        }
    }
}

/// Keys as scores begin with them. No closure within a kernel does this: one was called for each
/// key, and not inlined.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn opened<const KEYS: usize>(keys: &[KeyHash; KEYS]) -> [u64; KEYS] {
    keys.map(|key| open(key.0))
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    use std::arch::x86_64::*;

    use super::*;

    const KEYS: usize = 32;
    /// The upper halves of the words of two vectors.
    pub(in super::super) const UPPERS: [i32; 16] =
        [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31];

    /// Maxima of two vectors of keys.
    struct Maxima {
        best: [__m512i; 2],
        /// Where they were found.
        block: [__m512i; 2],
        /// Whose maximum may be in two blocks.
        shared: [__mmask16; 2],
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,avx512bw,bmi2,popcnt")]
    pub(super) fn group(keys: &[KeyHash; KEYS], names: &[u64], places: &mut [u32; KEYS]) {
        let keys = opened(keys);
        let blocks = Blocks::<8>::of(names);
        let mut lanes = [_mm512_setzero_si512(); KEYS / 8];
        for (lanes, keys) in lanes.iter_mut().zip(keys.as_chunks::<8>().0) {
            // SAFETY: eight numbers of 64 bits.
            *lanes = unsafe { _mm512_loadu_si512(keys.as_ptr().cast()) };
        }
        let zero = [_mm512_setzero_si512(); 2];
        let mut maxima = Maxima { best: zero, block: zero, shared: [0; 2] };
        for (number, block) in (0..).zip(blocks.whole) {
            meet(&lanes, block, number, &mut maxima);
        }
        if !blocks.rest.is_empty() {
            meet(&lanes, blocks.rest, blocks.whole.len() as i32, &mut maxima);
        }
        let (mut bests, mut numbers) = ([0u32; KEYS], [0u32; KEYS]);
        for half in 0..2 {
            // SAFETY: sixteen numbers of 32 bits each.
            unsafe {
                _mm512_storeu_si512(bests[16 * half..].as_mut_ptr().cast(), maxima.best[half]);
                _mm512_storeu_si512(numbers[16 * half..].as_mut_ptr().cast(), maxima.block[half]);
            }
        }
        let shared = u32::from(maxima.shared[0]) | u32::from(maxima.shared[1]) << 16;
        for (lane, place) in places.iter_mut().enumerate() {
            let (block, members) = blocks.get(numbers[lane]);
            let found = holders(keys[lane], block, bests[lane]) & members;
            *place = if found.count_ones() == 1 && shared >> lane & 1 == 0 {
                8 * numbers[lane] + found.trailing_zeros()
            } else {
                first_of_opened(keys[lane], names) as u32
            };
        }
    }

    /// The keys meet the names of a block.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,avx512bw,bmi2,popcnt")]
    #[inline]
    fn meet(keys: &[__m512i; 4], names: &[u64], number: i32, maxima: &mut Maxima) {
        // SAFETY: sixteen numbers of 32 bits.
        let uppers = unsafe { _mm512_loadu_si512(UPPERS.as_ptr().cast()) };
        let mut most = [_mm512_setzero_si512(); 2];
        for &name in names {
            let name = _mm512_set1_epi64(name.cast_signed());
            let mut pairs = [name; 4];
            for (pair, &key) in pairs.iter_mut().zip(keys) {
                *pair = _mm512_xor_si512(*pair, key);
            }
            let pairs = stirred(pairs);
            for half in 0..2 {
                let upper = _mm512_permutex2var_epi32(pairs[2 * half], uppers, pairs[2 * half + 1]);
                most[half] = _mm512_max_epu32(most[half], upper);
            }
        }
        let Maxima { best, block, shared } = maxima;
        for half in 0..2 {
            let apart = _mm512_xor_si512(most[half], best[half]);
            shared[half] |= _mm512_cmple_epu32_mask(apart, _mm512_set1_epi32(1));
            let leads = _mm512_cmpgt_epu32_mask(most[half], best[half]);
            best[half] = _mm512_max_epu32(most[half], best[half]);
            block[half] = _mm512_mask_mov_epi32(block[half], leads, _mm512_set1_epi32(number));
        }
    }

    /// Who of a block has the upper 31 bits of the best.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,avx512bw,bmi2,popcnt")]
    #[inline]
    fn holders(key: u64, names: &[u64; 8], best: u32) -> u32 {
        // SAFETY: eight names of 64 bits.
        let names = unsafe { _mm512_loadu_si512(names.as_ptr().cast()) };
        let key = _mm512_set1_epi64(key.cast_signed());
        let [stirred] = stirred([_mm512_xor_si512(key, names)]);
        let upper = _mm512_srli_epi64::<33>(stirred);
        let best = _mm512_set1_epi64(i64::from(best >> 1));
        u32::from(_mm512_cmpeq_epi64_mask(upper, best))
    }

    /// Every vector takes a step before any takes the next: products take long, and the machine
    /// looks ahead only so far.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,avx512bw,bmi2,popcnt")]
    #[inline]
    pub(in super::super) fn stirred<const VECTORS: usize>(
        mut z: [__m512i; VECTORS],
    ) -> [__m512i; VECTORS] {
        for z in &mut z {
            *z = _mm512_mullo_epi64(*z, _mm512_set1_epi64(MULTIPLIERS[0].cast_signed()));
        }
        for z in &mut z {
            *z = _mm512_xor_si512(*z, _mm512_srli_epi64::<27>(*z));
        }
        for z in &mut z {
            *z = _mm512_mullo_epi64(*z, _mm512_set1_epi64(MULTIPLIERS[1].cast_signed()));
        }
        z
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    use std::arch::x86_64::*;

    use super::*;

    const KEYS: usize = 16;

    /// Maxima of two vectors of keys.
    struct Maxima {
        best: [__m256i; 2],
        /// Where they were found.
        block: [__m256i; 2],
        /// Whose maximum may be in two blocks.
        shared: [__m256i; 2],
    }

    #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
    pub(super) fn group(keys: &[KeyHash; KEYS], names: &[u64], places: &mut [u32; KEYS]) {
        let keys = opened(keys);
        let blocks = Blocks::<4>::of(names);
        let lanes = lanes(&keys);
        let zero = [_mm256_setzero_si256(); 2];
        let mut maxima = Maxima { best: zero, block: zero, shared: zero };
        for (number, block) in (0..).zip(blocks.whole) {
            meet(&lanes, block, number, &mut maxima);
        }
        if !blocks.rest.is_empty() {
            meet(&lanes, blocks.rest, blocks.whole.len() as i32, &mut maxima);
        }
        let (mut bests, mut numbers, mut shared) = ([0u32; KEYS], [0u32; KEYS], [0u32; KEYS]);
        for half in 0..2 {
            // SAFETY: eight numbers of 32 bits each.
            unsafe {
                _mm256_storeu_si256(bests[8 * half..].as_mut_ptr().cast(), maxima.best[half]);
                _mm256_storeu_si256(numbers[8 * half..].as_mut_ptr().cast(), maxima.block[half]);
                _mm256_storeu_si256(shared[8 * half..].as_mut_ptr().cast(), maxima.shared[half]);
            }
        }
        for (lane, place) in places.iter_mut().enumerate() {
            let (block, members) = blocks.get(numbers[lane]);
            let found = holders(keys[lane], block, bests[lane]) & members;
            *place = if found.count_ones() == 1 && shared[lane] == 0 {
                4 * numbers[lane] + found.trailing_zeros()
            } else {
                first_of_opened(keys[lane], names) as u32
            };
        }
    }

    /// The keys in an order in which `uppers` has them in theirs.
    #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
    #[inline]
    pub(in super::super) fn lanes(keys: &[u64; KEYS]) -> [__m256i; KEYS / 4] {
        let mut lanes = [_mm256_setzero_si256(); KEYS / 4];
        for (lanes, keys) in lanes.as_chunks_mut::<2>().0.iter_mut().zip(keys.as_chunks::<8>().0) {
            // SAFETY: twice four numbers of 64 bits.
            let (low, high) = unsafe {
                let keys = keys.as_ptr().cast::<__m256i>();
                (_mm256_loadu_si256(keys), _mm256_loadu_si256(keys.add(1)))
            };
            *lanes = [
                _mm256_permute2x128_si256::<0x20>(low, high),
                _mm256_permute2x128_si256::<0x31>(low, high),
            ];
        }
        lanes
    }

    /// The keys meet the names of a block.
    #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
    #[inline]
    fn meet(keys: &[__m256i; 4], names: &[u64], number: i32, maxima: &mut Maxima) {
        let mut most = [_mm256_setzero_si256(); 2];
        for &name in names {
            let name = _mm256_set1_epi64x(name.cast_signed());
            for half in 0..2 {
                let one = _mm256_xor_si256(keys[2 * half], name);
                let other = _mm256_xor_si256(keys[2 * half + 1], name);
                most[half] = _mm256_max_epu32(most[half], stirred_uppers(one, other));
            }
        }
        let number = _mm256_set1_epi32(number);
        let Maxima { best, block, shared } = maxima;
        for half in 0..2 {
            let apart = _mm256_srli_epi32::<1>(_mm256_xor_si256(most[half], best[half]));
            let alike = _mm256_cmpeq_epi32(apart, _mm256_setzero_si256());
            shared[half] = _mm256_or_si256(shared[half], alike);
            let most = _mm256_max_epu32(most[half], best[half]);
            let stays = _mm256_cmpeq_epi32(most, best[half]);
            block[half] = _mm256_blendv_epi8(number, block[half], stays);
            best[half] = most;
        }
    }

    /// Who of a block has the upper 31 bits of the best.
    #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
    #[inline]
    fn holders(key: u64, names: &[u64; 4], best: u32) -> u32 {
        // SAFETY: four names of 64 bits.
        let names = unsafe { _mm256_loadu_si256(names.as_ptr().cast()) };
        let z = half_stirred(_mm256_xor_si256(_mm256_set1_epi64x(key.cast_signed()), names));
        let upper = _mm256_srli_epi64::<33>(times::<{ MULTIPLIERS[1] }>(z));
        let found = _mm256_cmpeq_epi64(upper, _mm256_set1_epi64x(i64::from(best >> 1)));
        _mm256_movemask_pd(_mm256_castsi256_pd(found)).cast_unsigned()
    }

    /// The upper halves of two vectors of words, stirred: of the last product no more than those.
    #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
    #[inline]
    pub(in super::super) fn stirred_uppers(one: __m256i, other: __m256i) -> __m256i {
        const BY: u64 = MULTIPLIERS[1];
        let (one, other) = (half_stirred(one), half_stirred(other));
        let low = _mm256_set1_epi64x(BY.cast_signed());
        let carried = uppers(_mm256_mul_epu32(one, low), _mm256_mul_epu32(other, low));
        let (low, high) = (_mm256_set1_epi32(BY as i32), _mm256_set1_epi32((BY >> 32) as i32));
        let crossed = _mm256_add_epi32(
            _mm256_mullo_epi32(lowers(one, other), high),
            _mm256_mullo_epi32(uppers(one, other), low),
        );
        _mm256_add_epi32(carried, crossed)
    }

    /// The words as they are before the last product.
    #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
    #[inline]
    fn half_stirred(z: __m256i) -> __m256i {
        let z = times::<{ MULTIPLIERS[0] }>(z);
        _mm256_xor_si256(z, _mm256_srli_epi64::<27>(z))
    }

    /// The upper halves of two vectors of words.
    #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
    #[inline]
    pub(in super::super) fn uppers(one: __m256i, other: __m256i) -> __m256i {
        let (one, other) = (_mm256_castsi256_ps(one), _mm256_castsi256_ps(other));
        _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(one, other))
    }

    /// The lower halves, in the same order.
    #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
    #[inline]
    pub(in super::super) fn lowers(one: __m256i, other: __m256i) -> __m256i {
        let (one, other) = (_mm256_castsi256_ps(one), _mm256_castsi256_ps(other));
        _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(one, other))
    }

    /// The lower 64 bits of products with a constant.
    #[target_feature(enable = "avx2,fma,bmi2,popcnt")]
    #[inline]
    fn times<const BY: u64>(z: __m256i) -> __m256i {
        let low = _mm256_set1_epi64x(BY.cast_signed());
        let high = _mm256_set1_epi64x((BY >> 32).cast_signed());
        let crossed = _mm256_add_epi64(
            _mm256_mul_epu32(_mm256_srli_epi64::<32>(z), low),
            _mm256_mul_epu32(z, high),
        );
        _mm256_add_epi64(_mm256_mul_epu32(z, low), _mm256_slli_epi64::<32>(crossed))
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;

    use super::*;
    use crate::fixtures::unstirred;
    use crate::kernels::single;
    use crate::rendezvous::opened_score;

    /// The greatest of whole scores, and of equals the first.
    fn plain(key: KeyHash, names: &[u64]) -> u32 {
        let scores = names.iter().map(|&name| opened_score(open(key.0), name));
        let best = scores.clone().max();
        scores.map(Some).position(|score| score == best).unwrap() as u32
    }

    fn hold(names: &[u64], hashes: &[KeyHash]) {
        let expected: Vec<u32> = hashes.iter().map(|&key| plain(key, names)).collect();
        for (&key, &place) in hashes.iter().zip(&expected) {
            assert_eq!(first(key, names) as u32, place, "{key:?}");
            for level in Level::available() {
                assert_eq!(single::winner(level, key, names) as u32, place, "{level}: {key:?}");
            }
        }
        for level in Level::available() {
            for length in [0, 1, 7, 8, 9, 31, 64, 1_023, 2_048] {
                let length = length.min(hashes.len());
                let mut places = vec![u32::MAX; length];
                leaders(level, &hashes[..length], names, &mut places);
                assert!(places == expected[..length], "{level}: {} names", names.len());
            }
        }
    }

    fn names(count: u64) -> Vec<u64> {
        (0..count).map(|index| open(stream(1, index))).collect()
    }

    fn keys(count: u64) -> Vec<KeyHash> {
        let edges = [0, 1, u64::MAX, 1 << 63, (1 << 32) - 1, 1 << 32];
        edges
            .into_iter()
            .chain((0..).map(|index| stream(2, index)))
            .take(count as usize)
            .map(KeyHash)
            .collect()
    }

    #[test]
    fn every_level_places_as_one_key_does() {
        for count in (1..=34).chain([63, 64, 65, 100, 127, 128, 129, 1_000]) {
            hold(&names(count), &keys(2_048));
        }
        hold(&names(10_000), &keys(64));
        hold(&names(100_000), &keys(9));
    }

    /// Entrants that share the upper bits that lanes have, all of them and all but the last, stand
    /// in one block and in several, and win by lower bits or by their place.
    #[test]
    fn shared_upper_bits_are_told_apart() {
        let keys = keys(64);
        for seed in 0..60 {
            let key = open(keys[seed as usize].0);
            let upper = if seed % 2 == 0 { u64::MAX << 34 } else { stream(3, seed) << 34 };
            for count in [2, 3, 8, 9, 40] {
                let mut all = names(count);
                for index in 0..count {
                    let draw = stream(4, index + 100 * seed);
                    if !draw.is_multiple_of(3) {
                        // Some differ in bit 33 or below, some not at all.
                        let lower =
                            (draw >> 8) & [(1 << 34) - 1, 1 << 32, 3][draw as usize % 7 % 3];
                        all[index as usize] = unstirred(upper | lower) ^ key;
                    }
                }
                hold(&all, &keys);
            }
        }
        hold(&[7; 100], &keys);
    }
}
