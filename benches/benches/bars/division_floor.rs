//! What the divisions of jump hash cost alone: the floor under its batches.
#![expect(unsafe_code, reason = "vector instructions are called where the machine has them")]

/// Performs so many divisions of eight numbers each, in four chains as a batch could.
///
/// Panics where the machine has no AVX-512.
#[cfg(target_arch = "x86_64")]
pub(crate) fn divide(vectors: usize) -> u64 {
    assert!(is_x86_feature_detected!("avx512f"), "the floor needs AVX-512");
    // SAFETY: the machine has the instructions.
    unsafe { divide_by_eight(vectors.div_ceil(4)) }
}

/// Panics: there are no such instructions.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn divide(_: usize) -> u64 {
    unreachable!("the floor needs AVX-512")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn divide_by_eight(rounds: usize) -> u64 {
    use std::arch::x86_64::{
        _mm512_add_pd, _mm512_div_pd, _mm512_reduce_add_pd, _mm512_set1_pd, _mm512_setzero_pd,
    };
    let dividend = _mm512_set1_pd(2_147_483_648.0);
    let mut sums = [_mm512_setzero_pd(); 4];
    let mut divisors = [3.0, 5.0, 7.0, 11.0].map(|first| _mm512_set1_pd(first));
    for _ in 0..rounds {
        for (sum, divisor) in sums.iter_mut().zip(&mut divisors) {
            *sum = _mm512_add_pd(*sum, _mm512_div_pd(dividend, *divisor));
            *divisor = _mm512_add_pd(*divisor, dividend);
        }
    }
    let [a, b, c, d] = sums;
    _mm512_reduce_add_pd(_mm512_add_pd(_mm512_add_pd(a, b), _mm512_add_pd(c, d))) as u64
}
