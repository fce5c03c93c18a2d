//! Mixers and counter-based streams.
//!
//! Key *i* of a run is a function of `(seed, i)` alone, so any cut of the keys over threads or
//! machines makes the same keys. The finaliser is Stafford's variant 13, the output function of
//! SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).

/// The golden-ratio increment of SplitMix64.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// What [`mix`] multiplies by, first and second.
pub const MULTIPLIERS: [u64; 2] = [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];

/// Spreads every input bit over the whole word; a bijection.
#[inline]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(MULTIPLIERS[0]);
    z = (z ^ (z >> 27)).wrapping_mul(MULTIPLIERS[1]);
    z ^ (z >> 31)
}

/// Output `index` (from 0) of the SplitMix64 stream that starts at `seed`.
#[inline]
pub const fn stream(seed: u64, index: u64) -> u64 {
    mix(seed.wrapping_add(index.wrapping_add(1).wrapping_mul(GOLDEN)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs of SplitMix64 with seed 0, as in the header of the golden vectors.
    #[test]
    fn stream_is_splitmix64() {
        let first = [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f];
        assert_eq!([0, 1, 2].map(|i| stream(0, i)), first);
    }
}
