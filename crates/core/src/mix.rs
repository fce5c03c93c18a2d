//! Mixers and counter-based streams.
//!
//! Key *i* of a run is a function of `(seed, i)` alone, so any cut of the keys over threads or
//! machines makes the same keys. The finaliser is Stafford's variant 13, the output function of
//! SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).

/// The golden-ratio increment of SplitMix64.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// What [`mix`] multiplies by, first and second: for kernels that mix several words at a time.
pub const MULTIPLIERS: [u64; 2] = [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];

/// Spreads every input bit over the whole word; a bijection. Its three parts are for those who mix
/// one word with many, or who do not need every bit.
#[inline]
pub const fn mix(z: u64) -> u64 {
    close(stir(open(z)))
}

/// The first part of [`mix`]. It is linear: of a ⊕ b it makes `open(a) ^ open(b)`.
#[inline]
pub const fn open(z: u64) -> u64 {
    z ^ (z >> 30)
}

/// The second part of [`mix`].
#[inline]
pub const fn stir(z: u64) -> u64 {
    let z = z.wrapping_mul(MULTIPLIERS[0]);
    (z ^ (z >> 27)).wrapping_mul(MULTIPLIERS[1])
}

/// The last part of [`mix`], which leaves the upper 31 bits as they are.
#[inline]
pub const fn close(z: u64) -> u64 {
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
