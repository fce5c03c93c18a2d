//! Lookups of which most end with a first draw, eight a vector: the driver of such kernels.
//!
//! The keys that must be drawn again are packed into a queue, so that no vector draws for a few.

#![expect(unsafe_code, reason = "vector loads and stores")]

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use placelab_core::KeyHash;

use super::CHUNK_KEYS;
use super::lanes::{first_of_eight, store_eight};

const LANES: usize = 8;

/// Keys that must be drawn again, packed, each with its first draw and its place in the chunk.
struct Queue {
    keys: [u64; CHUNK_KEYS],
    firsts: [u64; CHUNK_KEYS],
    places: [u32; CHUNK_KEYS],
}

/// The bucket of each key of a chunk. `first` makes the first draw of some keys and says which
/// bucket it leads to, and which keys must be drawn again; so does `again` for an attempt from 1
/// to `attempts_max`, after which its bucket stands.
///
/// # Safety
/// The chunk fits the queue, and there are as many buckets as keys.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,bmi2,popcnt")]
pub(super) unsafe fn buckets(
    keys: &[KeyHash],
    out: &mut [u32],
    attempts_max: u32,
    first: impl Fn(__m512i) -> (__m512i, __m512i, __mmask8),
    again: impl Fn(__m512i, __m512i, u32) -> (__m512i, __mmask8),
) {
    let mut queue = MaybeUninit::<Queue>::uninit();
    let queue = queue.as_mut_ptr();
    let mut queued = 0;
    for at in (0..keys.len()).step_by(LANES) {
        let lanes = first_of_eight(keys.len() - at);
        let own = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
        let places = _mm256_add_epi32(own, _mm256_set1_epi32(at as i32));
        // SAFETY: only lanes that have a key are read.
        let keys = unsafe { _mm512_maskz_loadu_epi64(lanes, keys.as_ptr().cast::<i64>().add(at)) };
        let (firsts, found, missing) = first(keys);
        store_eight(_mm512_cvtepi64_epi32(found), out, at);
        // SAFETY: no more keys are queued than were read in whole vectors before, so that one
        // vector more has room.
        queued = unsafe { push(queue, queued, missing & lanes, keys, firsts, places) };
    }
    let mut attempt = 1;
    while queued > 0 && attempt <= attempts_max {
        // SAFETY: so many keys are queued.
        queued = unsafe { redraw(queue, queued, out, |keys, firsts| again(keys, firsts, attempt)) };
        attempt += 1;
    }
}

/// Draws once more for all that are queued; how many must be drawn again.
///
/// # Safety
/// The first `queued` keys are there.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512cd,bmi2,popcnt")]
unsafe fn redraw(
    queue: *mut Queue,
    queued: usize,
    out: &mut [u32],
    again: impl Fn(__m512i, __m512i) -> (__m512i, __mmask8),
) -> usize {
    let mut left = 0;
    for at in (0..queued).step_by(LANES) {
        let lanes = first_of_eight(queued - at);
        let (mut buckets, mut places_of) = ([0u32; LANES], [0u32; LANES]);
        // SAFETY: only lanes that are queued are read, both arrays hold a vector, and what is
        // left takes places that were read.
        unsafe {
            let keys = (&raw const (*queue).keys).cast::<i64>().add(at);
            let firsts = (&raw const (*queue).firsts).cast::<i64>().add(at);
            let places = (&raw const (*queue).places).cast::<i32>().add(at);
            let keys = _mm512_maskz_loadu_epi64(lanes, keys);
            let firsts = _mm512_maskz_loadu_epi64(lanes, firsts);
            let places = _mm256_maskz_loadu_epi32(lanes, places);
            let (found, missing) = again(keys, firsts);
            _mm256_storeu_si256(buckets.as_mut_ptr().cast(), _mm512_cvtepi64_epi32(found));
            _mm256_storeu_si256(places_of.as_mut_ptr().cast(), places);
            left = push(queue, left, missing & lanes, keys, firsts, places);
        }
        for (&place, &bucket) in places_of.iter().zip(&buckets).take(queued - at) {
            out[place as usize] = bucket;
        }
    }
    left
}

/// Appends some lanes behind the `queued` first keys; how many there are then.
///
/// # Safety
/// The queue has room for a vector.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,bmi2,popcnt")]
unsafe fn push(
    queue: *mut Queue,
    queued: usize,
    lanes: __mmask8,
    keys: __m512i,
    firsts: __m512i,
    places: __m256i,
) -> usize {
    // SAFETY: the caller's.
    unsafe {
        let key = (&raw mut (*queue).keys).cast::<u64>().add(queued);
        let first = (&raw mut (*queue).firsts).cast::<u64>().add(queued);
        let place = (&raw mut (*queue).places).cast::<u32>().add(queued);
        _mm512_storeu_si512(key.cast(), _mm512_maskz_compress_epi64(lanes, keys));
        _mm512_storeu_si512(first.cast(), _mm512_maskz_compress_epi64(lanes, firsts));
        _mm256_storeu_si256(place.cast(), _mm256_maskz_compress_epi32(lanes, places));
    }
    queued + lanes.count_ones() as usize
}
