//! Elementary functions with the same bits on every platform.
//!
//! The standard library's `ln`, `exp` and `powf` are those of the platform; their last bits
//! differ between C libraries, and a weighted rendezvous decided by such a bit would place keys
//! differently on two machines. Results use these (the pure-Rust port of musl's) instead.

pub use libm::{cos, erfc, exp, lgamma, log as ln, pow, sin, sincos, sqrt};

/// The harmonic number 1 + 1/2 + … + 1/`count`; of none, 0.
pub fn harmonic(count: u32) -> f64 {
    (1..=count).map(|k| 1.0 / f64::from(k)).sum()
}

/// A uniform float strictly between 0 and 1 from the upper 52 bits of `bits`.
///
/// 52 and not 53 bits: with 53, the largest draw plus one half rounds to 1, whose logarithm is 0,
/// and a node would win with a score of nothing.
///
/// ```
/// use placelab_core::math::open_unit;
/// assert!(open_unit(0) > 0.0);
/// assert!(open_unit(u64::MAX) < 1.0);
/// ```
#[inline]
pub fn open_unit(bits: u64) -> f64 {
    const SCALE: f64 = 1.0 / (1u64 << 52) as f64;
    ((bits >> 12) as f64 + 0.5) * SCALE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ln_is_pinned() {
        assert_eq!(ln(0.1).to_bits(), 0xc002_6bb1_bbb5_5515);
        assert_eq!(ln(open_unit(0)).to_bits(), 0xc042_5e4f_7b27_37fa);
    }
}
