//! Power consistent hash (PowerCH).
//!
//! Source: Leu, "Fast Consistent Hashing in Constant Time", arXiv 2307.12448, 2023. Cost: two to
//! four draws expected whatever N, no memory.
//!
//! Over a power of two the highest set bit of the masked key stays and a draw gives the bits
//! below it. In between, a key whose bucket is not there walks up from the middle as jump hash
//! does: past bucket r from x with probability (x + 1) ÷ (r + 1), in under two steps expected.
//! Where the walk never leaves the middle, the smaller power of two decides.
//!
//! What it cannot do: lose any member but the one that joined last, or serve weights.
//!
//! The paper fixes no generator, and no code of its author is known: of three programs no two
//! agree. This is the rule of the integer crate `power-consistent-hash` 0.1.0: draws of PCG-32 on
//! the stream of the highest bit, and a walk without floating point. We deviate from it where it
//! fails: one bucket takes every key, the highest bit is found on every processor, and counts
//! above 2^31, whose power of two is 2^32, are computed in 64 bits. A C++ program converts draws
//! beyond 2^32 to 32 bits, and at 2^30 + 1 buckets misplaces 17,398 of 400,000 keys; here a walk
//! ends before it converts.
//!
//! ```
//! use placelab_core::{Arguments, HashSeed, Key, Roster, establish};
//! let spec = placelab_algorithms::find("power").unwrap();
//! let owner = |nodes, key| {
//!     let roster = Roster::numbered(nodes).unwrap();
//!     let power = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//!     power.place(Key::hashed(key)).0
//! };
//! // From 16 to 17 buckets, what moves moves to the 17th.
//! assert!((0..1_000).all(|key| owner(16, key) == owner(17, key) || owner(17, key) == 16));
//! ```

use crate::adapters::{Tail, build, naive, steps};
use crate::range_hash::{RangeHash, enclosing};
use crate::twins::{enclosing_power, set_bits};
use placelab_core::math::harmonic;
use placelab_core::{AlgorithmSpec, Arguments, Build, Claim, KeyHash, KeyPart, Role, Step, Trace};
use std::iter;

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "power",
    role: Role::Rival,
    family: placelab_core::RANGE_HASH,
    year: 2023,
    citation: "Leu: Fast Consistent Hashing in Constant Time, arXiv 2307.12448",
    implementations: "research code alone: Rust, C++, Java, Go",
    summary: "numbered buckets in constant time: a power of two, then a short walk upwards",
    lookup_cost: "O(1) expected",
    steps: steps::<Power, Tail>,
    closed_forms: &[],
    memory_cost: "O(N) names",
    capabilities: &[],
    claims: &[Claim::FairShares, Claim::MinimalMovement, Claim::Restores],
    resolution: None,
    reads: KeyPart::Hash,
    parameters: &[],
    small: "",
    build: Build::Placement(build::<Power, Tail>),
    naive: naive::<Power, Tail>,
};

/// The function of the crate.
#[derive(Clone, Copy)]
pub(crate) struct Power;

impl RangeHash for Power {
    const COUNT_MAX: u32 = u32::MAX;

    fn new(_: &Arguments) -> Self {
        Power
    }

    #[inline]
    fn bucket<T: Trace + ?Sized>(self, key: KeyHash, count: u32, trace: &mut T) -> u32 {
        // The key's own bits are the first draw.
        trace.step(Step::Draw { value: key.0 });
        let count = u64::from(count);
        let whole = count.next_power_of_two();
        let bucket = over_power(key.0, whole, trace);
        if bucket < count {
            return bucket as u32;
        }
        let half = whole / 2;
        let bucket = walk(key.0, count, half, trace);
        if bucket >= half { bucket as u32 } else { over_power(key.0, half, trace) as u32 }
    }

    fn naive(self, key: KeyHash, count: u32) -> u32 {
        let over = |power: u64| {
            let set = set_bits(key.0 % power);
            let Some(&level) = set.last() else { return 0 };
            let draw = naive_draws(key.0, level).next().expect("draws without end");
            (1 << level) + draw % (1 << level)
        };
        let (count, whole) = (u128::from(count), enclosing_power(count));
        if over(whole) < count {
            return over(whole) as u32;
        }
        let half = whole / 2;
        let middle = u128::from(half) - 1;
        let mut bucket = middle;
        for draw in naive_draws(key.0, set_bits(half)[0]).skip(1) {
            // The least r where the draw over 2^32 − 1 exceeds (x + 1) ÷ (r + 1).
            let next = (bucket + 1) * ((1 << 32) - 1) / (draw + 1);
            if next >= count {
                break;
            }
            bucket = next;
        }
        if bucket > middle { bucket as u32 } else { over(half) as u32 }
    }

    /// The key's bits, the draw below the highest of them, and beyond the last bucket the walk with
    /// the last draw where it never moves.
    fn steps(self, count: u32) -> f64 {
        let (power, missing) = enclosing(count);
        let jumps = harmonic(count) - harmonic((power / 2.0) as u32);
        let stays = power / 2.0 / f64::from(count);
        2.0 - 1.0 / power + missing * (1.0 + jumps + stays * (1.0 - 2.0 / power))
    }
}

/// The bucket over a power of two.
#[inline(always)]
fn over_power<T: Trace + ?Sized>(key: u64, power: u64, trace: &mut T) -> u64 {
    let masked = key & (power - 1);
    if masked == 0 {
        return 0;
    }
    let level = masked.ilog2();
    let draw = Pcg32::new(key, level).draw(trace);
    (1 << level) + (draw & ((1 << level) - 1))
}

/// Where a walk from bucket `half` − 1 ends among `count` buckets.
///
/// A draw y stands for y ÷ (2^32 − 1), and the next bucket is the floor of x + 1 over that. It is
/// below the count where y times the count exceeds (x + 1)(2^32 − 1): both products fit 64 bits.
#[inline(always)]
fn walk<T: Trace + ?Sized>(key: u64, count: u64, half: u64, trace: &mut T) -> u64 {
    let mut draws = Pcg32::new(key, half.ilog2());
    let mut bucket = half - 1;
    loop {
        draws.step();
        let draw = draws.draw(trace) + 1;
        let reach = (bucket + 1) * u64::from(u32::MAX);
        if count * draw <= reach {
            return bucket;
        }
        bucket = reach / draw;
    }
}

/// The generator PCG-XSH-RR 64/32 of O'Neill.
struct Pcg32 {
    state: u64,
    increment: u64,
}

impl Pcg32 {
    fn new(seed: u64, stream: u32) -> Self {
        let increment = 2 * u64::from(stream) + 1;
        let mut generator = Pcg32 { state: seed.wrapping_add(increment), increment };
        generator.step();
        generator
    }

    #[inline(always)]
    fn step(&mut self) {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(self.increment);
    }

    /// The 32 bits of the present state.
    #[inline(always)]
    fn draw<T: Trace + ?Sized>(&self, trace: &mut T) -> u64 {
        let word = (((self.state >> 18) ^ self.state) >> 27) as u32;
        let value = u64::from(word.rotate_right((self.state >> 59) as u32));
        trace.step(Step::Draw { value });
        value
    }
}

/// The outputs of PCG-XSH-RR 64/32 for the twin, over numbers that do not overflow.
fn naive_draws(seed: u64, stream: u32) -> impl Iterator<Item = u128> {
    let increment = 2 * u128::from(stream) + 1;
    let step = move |state: u128| (state * 6_364_136_223_846_793_005 + increment) % (1 << 64);
    let states =
        iter::successors(Some(step(u128::from(seed) + increment)), move |&s| Some(step(s)));
    states.map(|state| {
        let word = ((state / (1 << 18)) ^ state) / (1 << 27) % (1 << 32);
        let turn = 1 << (state / (1 << 59));
        word / turn + word % turn * ((1 << 32) / turn)
    })
}

#[cfg(test)]
mod tests {
    use placelab_core::Silent;
    use placelab_core::mix::stream;

    use super::*;
    use crate::vectors::{golden, hex, hold_to, vector_keys};

    fn power(key: u64, count: u32) -> u32 {
        Power.bucket(KeyHash(key), count, &mut Silent)
    }

    #[test]
    fn golden_vectors_of_the_crate_in_full() {
        hold_to(&golden("power"), "crate (integer-only)", power);
    }

    /// The C++ program walks in floating point, and is another function; over powers of two it is
    /// this one on keys of 32 bits. Nothing is shared with `java_murmur3`, which draws otherwise.
    #[test]
    fn golden_vectors_of_the_cpp_program_over_powers_of_two() {
        let file = golden("power");
        let cpp = &file["variants"][1];
        assert_eq!(cpp["variant"], "cpp_crc32c");
        let seeds: Vec<u64> = file["keys2"].as_array().unwrap().iter().map(hex).collect();
        let keys = vector_keys(&file);
        let keys: Vec<u64> =
            std::iter::zip(keys, seeds).map(|(key, seed)| crc(key, seed)).collect();
        let mut counts = 0;
        for vector in cpp["vectors"].as_array().unwrap() {
            let count = vector["n"].as_u64().unwrap() as u32;
            if count.is_power_of_two() {
                counts += 1;
                let expected = vector["buckets"].as_array().unwrap().iter();
                let expected = expected.map(|bucket| bucket.as_u64().unwrap());
                let buckets = keys.iter().map(|&key| u64::from(power(key, count)));
                assert!(buckets.eq(expected), "n = {count}");
            }
        }
        assert_eq!(counts, 6);
    }

    /// CRC-32C over the bytes of a word, without the usual inversions.
    fn crc(word: u64, register: u64) -> u64 {
        word.to_le_bytes().iter().fold(register & 0xffff_ffff, |register, &byte| {
            (0..8).fold(register ^ u64::from(byte), |register, _| {
                (register >> 1) ^ (0x82f6_3b78 * (register & 1))
            })
        })
    }

    /// A key moves only into the bucket that is new: also where the power of two is 2^32.
    #[test]
    fn growth_moves_keys_only_into_the_new_bucket() {
        let largest = [(1 << 31) - 1, 1 << 31, (1 << 31) + 1, 3_000_000_000, u32::MAX - 1];
        for count in (1..300).chain([65_535, 65_536, 65_537]).chain(largest) {
            for key in (0..1_000).map(|i| stream(4, i)).chain([0, 1, u64::MAX]) {
                let (before, after) = (power(key, count), power(key, count + 1));
                assert!(before < count && (after == before || after == count), "n = {count}");
            }
        }
        assert_eq!(power(u64::MAX, 1), 0);
    }

    /// Eight parts of the range hold an eighth of the keys each, for counts beyond 2^31 too.
    #[test]
    fn large_counts_are_filled_alike() {
        for count in [1 << 31, (1 << 31) + 1, 2_500_000_000, u32::MAX] {
            let mut loads = [0; 8];
            for key in (0..80_000).map(|i| stream(9, i)) {
                loads[(u64::from(power(key, count)) * 8 / u64::from(count)) as usize] += 1;
            }
            // Five standard deviations of 10,000.
            assert!(loads.iter().all(|&load: &i32| (load - 10_000).abs() < 500), "{loads:?}");
        }
    }
}
