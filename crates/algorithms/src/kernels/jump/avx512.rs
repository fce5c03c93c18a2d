//! Eight walks a vector.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use placelab_core::KeyHash;

use super::queue::{LATER_STEPS, Queue, VECTORS, first_steps};
use crate::jump::MULTIPLIER;
use crate::kernels::lanes::{first_of_eight, store_eight};

const LANES: usize = 8;

/// A vector of walks: where each stands, and its last stop below the count.
#[derive(Clone, Copy)]
struct Walks {
    state: __m512i,
    stop: __m512d,
    bucket: __m512d,
}

/// The bucket of each key of a chunk.
///
/// # Safety
/// The chunk fits the queue, and there are as many buckets as keys.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,bmi2,popcnt")]
pub(super) unsafe fn buckets(keys: &[KeyHash], count: u32, out: &mut [u32]) {
    let mut queue = MaybeUninit::<Queue>::uninit();
    let queue = queue.as_mut_ptr();
    let limit = _mm512_set1_pd(f64::from(count));
    let (steps, mut queued) = (first_steps(count), 0);
    for start in (0..keys.len()).step_by(LANES * VECTORS) {
        let mut walks = [ended(); VECTORS];
        for (vector, walks) in walks.iter_mut().enumerate() {
            let at = start + vector * LANES;
            let lanes = first_of_eight(keys.len().saturating_sub(at));
            let states = keys.as_ptr().cast::<i64>().wrapping_add(at);
            // SAFETY: only lanes that have a key are read.
            walks.state = unsafe { _mm512_maskz_loadu_epi64(lanes, states) };
            walks.stop = _mm512_mask_mov_pd(walks.stop, lanes, _mm512_setzero_pd());
        }
        advance(&mut walks, limit, steps);
        for (vector, walks) in walks.iter().enumerate() {
            let at = start + vector * LANES;
            let first = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
            let places = _mm256_add_epi32(first, _mm256_set1_epi32(at as i32));
            store_eight(_mm512_cvttpd_epi32(walks.bucket), out, at);
            // SAFETY: no more walks are queued than keys were read in whole vectors before, so
            // that one vector more has room.
            queued = unsafe { push(queue, queued, walks, places, limit) };
        }
    }
    while queued > 0 {
        let (mut read, mut left) = (0, 0);
        while read < queued {
            // SAFETY: so many walks are queued, and what is left takes places that were read.
            (read, left) = unsafe {
                match queued - read > LANES {
                    true => walk_on::<VECTORS>(queue, read, queued, left, limit, out),
                    false => walk_on::<1>(queue, read, queued, left, limit, out),
                }
            };
        }
        queued = left;
    }
}

/// Walks on with `V` vectors from place `read` of a queue of `queued`, and queues those that have
/// not ended behind the `left` first. Where the next vectors are, and how many are left by now.
///
/// # Safety
/// The first `queued` walks are there from `read` on, and `left` ≤ `read`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,bmi2,popcnt")]
unsafe fn walk_on<const V: usize>(
    queue: *mut Queue,
    read: usize,
    queued: usize,
    mut left: usize,
    limit: __m512d,
    out: &mut [u32],
) -> (usize, usize) {
    let mut walks = [ended(); V];
    let mut places = [_mm256_setzero_si256(); V];
    for vector in 0..V {
        let at = read + vector * LANES;
        let lanes = first_of_eight(queued.saturating_sub(at));
        // SAFETY: only lanes that are queued are read.
        unsafe {
            let states = (&raw const (*queue).states).cast::<i64>().wrapping_add(at);
            let stops = (&raw const (*queue).stops).cast::<f64>().wrapping_add(at);
            let place = (&raw const (*queue).places).cast::<i32>().wrapping_add(at);
            walks[vector].state = _mm512_maskz_loadu_epi64(lanes, states);
            walks[vector].stop = _mm512_mask_loadu_pd(walks[vector].stop, lanes, stops);
            places[vector] = _mm256_maskz_loadu_epi32(lanes, place);
        }
    }
    advance(&mut walks, limit, LATER_STEPS);
    for (vector, (walks, &places)) in walks.iter().zip(&places).enumerate() {
        let there = LANES.min(queued.saturating_sub(read + vector * LANES));
        let (mut buckets, mut places_of) = ([0u32; LANES], [0u32; LANES]);
        // SAFETY: both arrays hold a vector.
        unsafe {
            let vector = _mm512_cvttpd_epi32(walks.bucket);
            _mm256_storeu_si256(buckets.as_mut_ptr().cast(), vector);
            _mm256_storeu_si256(places_of.as_mut_ptr().cast(), places);
        }
        for (&place, &bucket) in places_of.iter().zip(&buckets).take(there) {
            out[place as usize] = bucket;
        }
        // SAFETY: what is left takes places of vectors that were read; a vector without walks
        // leaves nothing, and stands where one that was read stood.
        left = unsafe { push(queue, left, walks, places, limit) };
    }
    (read + V * LANES, left)
}

/// Appends the walks that have not ended behind the `queued` first; how many there are then.
///
/// # Safety
/// The queue has room for a vector.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,bmi2,popcnt")]
unsafe fn push(
    queue: *mut Queue,
    queued: usize,
    walks: &Walks,
    places: __m256i,
    limit: __m512d,
) -> usize {
    let going = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(walks.stop, limit);
    // SAFETY: the caller's.
    unsafe {
        let states = (&raw mut (*queue).states).cast::<u64>().add(queued);
        let stops = (&raw mut (*queue).stops).cast::<f64>().add(queued);
        let place = (&raw mut (*queue).places).cast::<u32>().add(queued);
        _mm512_storeu_si512(states.cast(), _mm512_maskz_compress_epi64(going, walks.state));
        _mm512_storeu_pd(stops, _mm512_maskz_compress_pd(going, walks.stop));
        _mm256_storeu_si256(place.cast(), _mm256_maskz_compress_epi32(going, places));
    }
    queued + going.count_ones() as usize
}

/// So many steps of each walk, in the words of the scalar walk.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn advance<const V: usize>(walks: &mut [Walks; V], limit: __m512d, steps: u32) {
    let (one, unit) = (_mm512_set1_epi64(1), _mm512_set1_pd(1.0));
    let multiplier = _mm512_set1_epi64(MULTIPLIER as i64);
    let range = _mm512_set1_pd((1u64 << 31) as f64);
    for _ in 0..steps {
        for Walks { state, stop, bucket } in walks.iter_mut() {
            let stands = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(*stop, limit);
            *bucket = _mm512_mask_mov_pd(*bucket, stands, *stop);
            *state = _mm512_add_epi64(_mm512_mullo_epi64(*state, multiplier), one);
            let draw = _mm512_add_epi64(_mm512_srli_epi64::<33>(*state), one);
            let factor = _mm512_div_pd(range, _mm512_cvtepi64_pd(draw));
            let next = _mm512_mul_pd(_mm512_add_pd(*stop, unit), factor);
            *stop = _mm512_roundscale_pd::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(next);
        }
    }
}

/// Walks beyond every count.
#[inline]
#[target_feature(enable = "avx512f")]
fn ended() -> Walks {
    let zero = _mm512_setzero_pd();
    Walks { state: _mm512_setzero_si512(), stop: _mm512_set1_pd(f64::INFINITY), bucket: zero }
}
