//! Four walks a vector.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use placelab_core::KeyHash;

use super::queue::{LATER_STEPS, Queue, VECTORS, first_steps};
use crate::jump::MULTIPLIER;
use crate::kernels::lanes::store_four;

const LANES: usize = 4;

/// The lanes of each set, one behind the other.
static PACKED: [[u32; LANES]; 1 << LANES] = {
    let mut packed = [[0; LANES]; 1 << LANES];
    let mut set = 0;
    while set < packed.len() {
        let (mut lane, mut place) = (0, 0);
        while lane < LANES {
            if set >> lane & 1 == 1 {
                packed[set][place] = lane as u32;
                place += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    packed
};

/// The same in halves of lanes.
static PACKED_HALVES: [[u32; 2 * LANES]; 1 << LANES] = {
    let mut halves = [[0; 2 * LANES]; 1 << LANES];
    let mut set = 0;
    while set < halves.len() {
        let mut half = 0;
        while half < 2 * LANES {
            halves[set][half] = 2 * PACKED[set][half / 2] + half as u32 % 2;
            half += 1;
        }
        set += 1;
    }
    halves
};

/// A vector of walks: where each stands, and its last stop below the count.
#[derive(Clone, Copy)]
struct Walks {
    state: __m256i,
    stop: __m256d,
    bucket: __m256d,
}

/// The bucket of each key of a chunk.
///
/// # Safety
/// The chunk fits the queue, and there are as many buckets as keys.
#[target_feature(enable = "avx2,popcnt")]
pub(super) unsafe fn buckets(keys: &[KeyHash], count: u32, out: &mut [u32]) {
    let mut queue = MaybeUninit::<Queue>::uninit();
    let queue = queue.as_mut_ptr();
    let limit = _mm256_set1_pd(f64::from(count));
    let (steps, mut queued) = (first_steps(count), 0);
    for start in (0..keys.len()).step_by(LANES * VECTORS) {
        let mut walks = [ended(); VECTORS];
        for (vector, walks) in walks.iter_mut().enumerate() {
            let at = start + vector * LANES;
            let lanes = first_lanes(keys.len().saturating_sub(at));
            let states = keys.as_ptr().cast::<i64>().wrapping_add(at);
            // SAFETY: only lanes that have a key are read.
            walks.state = unsafe { _mm256_maskload_epi64(states, lanes) };
            walks.stop = _mm256_andnot_pd(_mm256_castsi256_pd(lanes), walks.stop);
        }
        advance(&mut walks, limit, steps);
        for (vector, walks) in walks.iter().enumerate() {
            let at = start + vector * LANES;
            let first = _mm_set_epi32(3, 2, 1, 0);
            let places = _mm_add_epi32(first, _mm_set1_epi32(at as i32));
            store_four(_mm256_cvttpd_epi32(walks.bucket), out, at);
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
#[target_feature(enable = "avx2,popcnt")]
unsafe fn walk_on<const V: usize>(
    queue: *mut Queue,
    read: usize,
    queued: usize,
    mut left: usize,
    limit: __m256d,
    out: &mut [u32],
) -> (usize, usize) {
    let mut walks = [ended(); V];
    let mut places = [_mm_setzero_si128(); V];
    for vector in 0..V {
        let at = read + vector * LANES;
        let lanes = first_lanes(queued.saturating_sub(at));
        let halves = first_halves(queued.saturating_sub(at));
        // SAFETY: only lanes that are queued are read.
        unsafe {
            let states = (&raw const (*queue).states).cast::<i64>().wrapping_add(at);
            let stops = (&raw const (*queue).stops).cast::<f64>().wrapping_add(at);
            let place = (&raw const (*queue).places).cast::<i32>().wrapping_add(at);
            walks[vector].state = _mm256_maskload_epi64(states, lanes);
            let beyond = _mm256_andnot_pd(_mm256_castsi256_pd(lanes), walks[vector].stop);
            walks[vector].stop = _mm256_or_pd(beyond, _mm256_maskload_pd(stops, lanes));
            places[vector] = _mm_maskload_epi32(place, halves);
        }
    }
    advance(&mut walks, limit, LATER_STEPS);
    for (vector, (walks, &places)) in walks.iter().zip(&places).enumerate() {
        let there = LANES.min(queued.saturating_sub(read + vector * LANES));
        let (mut buckets, mut places_of) = ([0u32; LANES], [0u32; LANES]);
        // SAFETY: both arrays hold a vector.
        unsafe {
            let vector = _mm256_cvttpd_epi32(walks.bucket);
            _mm_storeu_si128(buckets.as_mut_ptr().cast(), vector);
            _mm_storeu_si128(places_of.as_mut_ptr().cast(), places);
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
#[target_feature(enable = "avx2,popcnt")]
unsafe fn push(
    queue: *mut Queue,
    queued: usize,
    walks: &Walks,
    places: __m128i,
    limit: __m256d,
) -> usize {
    let going = _mm256_cmp_pd::<_CMP_LT_OQ>(walks.stop, limit);
    let going = _mm256_movemask_pd(going) as usize;
    let stops = _mm256_castpd_si256(walks.stop);
    // SAFETY: of the queue, the caller's; rows of the tables are vectors.
    unsafe {
        let packed = _mm_loadu_si128(PACKED[going].as_ptr().cast());
        let halves = _mm256_loadu_si256(PACKED_HALVES[going].as_ptr().cast());
        let states = (&raw mut (*queue).states).cast::<u64>().add(queued);
        let stop = (&raw mut (*queue).stops).cast::<f64>().add(queued);
        let place = (&raw mut (*queue).places).cast::<u32>().add(queued);
        _mm256_storeu_si256(states.cast(), _mm256_permutevar8x32_epi32(walks.state, halves));
        _mm256_storeu_si256(stop.cast(), _mm256_permutevar8x32_epi32(stops, halves));
        _mm_storeu_ps(place.cast(), _mm_permutevar_ps(_mm_castsi128_ps(places), packed));
    }
    queued + going.count_ones() as usize
}

/// So many steps of each walk, in the words of the scalar walk.
#[inline]
#[target_feature(enable = "avx2")]
fn advance<const V: usize>(walks: &mut [Walks; V], limit: __m256d, steps: u32) {
    let (one, unit) = (_mm256_set1_epi64x(1), _mm256_set1_pd(1.0));
    let range = _mm256_set1_pd((1u64 << 31) as f64);
    // Behind the exponent of 2^52, a whole number is a float once 2^52 is taken away.
    let exponent = _mm256_set1_epi64x(0x4330_0000_0000_0000);
    let less = _mm256_set1_pd(((1u64 << 52) - 1) as f64);
    for _ in 0..steps {
        for Walks { state, stop, bucket } in walks.iter_mut() {
            let stands = _mm256_cmp_pd::<_CMP_LT_OQ>(*stop, limit);
            // Stops grow: the last is the largest.
            *bucket = _mm256_max_pd(*bucket, _mm256_and_pd(*stop, stands));
            *state = _mm256_add_epi64(multiplied(*state), one);
            let draw = _mm256_or_si256(_mm256_srli_epi64::<33>(*state), exponent);
            let draw = _mm256_sub_pd(_mm256_castsi256_pd(draw), less);
            let factor = _mm256_div_pd(range, draw);
            let next = _mm256_mul_pd(_mm256_add_pd(*stop, unit), factor);
            *stop = _mm256_round_pd::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(next);
        }
    }
}

/// The states times the multiplier, by products of their halves.
#[inline]
#[target_feature(enable = "avx2")]
fn multiplied(states: __m256i) -> __m256i {
    let low = _mm256_set1_epi64x(MULTIPLIER as i64);
    let high = _mm256_set1_epi64x((MULTIPLIER >> 32) as i64);
    let crossed = _mm256_add_epi64(
        _mm256_mul_epu32(_mm256_srli_epi64::<32>(states), low),
        _mm256_mul_epu32(states, high),
    );
    _mm256_add_epi64(_mm256_mul_epu32(states, low), _mm256_slli_epi64::<32>(crossed))
}

/// Walks beyond every count.
#[inline]
#[target_feature(enable = "avx2")]
fn ended() -> Walks {
    let zero = _mm256_setzero_pd();
    Walks { state: _mm256_setzero_si256(), stop: _mm256_set1_pd(f64::INFINITY), bucket: zero }
}

/// The first lanes, as many as are left.
#[inline]
#[target_feature(enable = "avx2")]
fn first_lanes(left: usize) -> __m256i {
    _mm256_cmpgt_epi64(_mm256_set1_epi64x(left as i64), _mm256_set_epi64x(3, 2, 1, 0))
}

/// The same for half as wide lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn first_halves(left: usize) -> __m128i {
    _mm_cmpgt_epi32(_mm_set1_epi32(left as i32), _mm_set_epi32(3, 2, 1, 0))
}
