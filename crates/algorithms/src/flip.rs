//! FlipHash.
//!
//! Source: Masson, Lee, "FlipHash: A Constant-Time Consistent Range-Hashing Algorithm", arXiv
//! 2402.17549, 2024. Cost: two to four draws expected whatever N, at most 67; no memory.
//!
//! Over a power of two the draw is masked, and the bits below its highest set bit are flipped by
//! a second draw that depends on that bit alone: so doubling the range moves a key only upwards.
//! In between, the buckets beyond the last are drawn again until one falls among those that are
//! there, or below half of the power of two, where the smaller range decides.
//!
//! What it cannot do: lose any member but the one that joined last, or serve weights.
//!
//! The range ends with its last bucket, not behind it: `last` is N − 1, and all of 2^64 buckets
//! is a range. After 64 draws beyond the last bucket, which happens to one key in 2^64 at worst,
//! the smaller range decides as well. `hash=mixer` is the authors' own mixer of 64-bit keys,
//! `hash=xxh3` their form for bytes, over the eight little-endian bytes of the key hash.
//!
//! ```
//! use placelab_core::{Arguments, HashSeed, Key, Roster, establish};
//! let spec = placelab_algorithms::find("flip").unwrap();
//! let owner = |nodes, key| {
//!     let roster = Roster::numbered(nodes).unwrap();
//!     let flip = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//!     flip.place(Key::hashed(key)).0
//! };
//! // Of 1,000 keys, those that move when an eleventh bucket comes all move there.
//! assert!((0..1_000).all(|key| owner(10, key) == owner(11, key) || owner(11, key) == 10));
//! ```

use placelab_core::{
    AlgorithmSpec, Arguments, Build, Claim, KeyHash, KeyPart, ParameterKind, ParameterSpec, Role,
    Step, Trace,
};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::adapters::{Tail, build, naive, steps};
use crate::range_hash::{RangeHash, enclosing, one_by_one};
use crate::twins::{enclosing_power, set_bits};
use crate::{kernels, simd};

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "flip",
    role: Role::Rival,
    family: placelab_core::RANGE_HASH,
    year: 2024,
    citation: "Masson, Lee: FlipHash: A Constant-Time Consistent Range-Hashing Algorithm, \
               arXiv 2402.17549",
    implementations: "Rust (fliphash)",
    summary: "numbered buckets in constant time: flipped bits, redrawn beyond the last bucket",
    lookup_cost: "O(1)",
    steps: steps::<Flip, Tail>,
    closed_forms: &[],
    memory_cost: "O(N) names",
    capabilities: &[],
    claims: &[Claim::FairShares, Claim::MinimalMovement, Claim::Restores],
    resolution: None,
    reads: KeyPart::Hash,
    parameters: &[ParameterSpec {
        name: "hash",
        kind: ParameterKind::Choice(&["mixer", "xxh3"]),
        default: Some("mixer"),
        help: "what draws: the authors' mixer, or XXH3 under a seed for each draw",
    }],
    small: "",
    build: Build::Placement(build::<Flip, Tail>),
    naive: naive::<Flip, Tail>,
};

/// Draws beyond the last bucket until the smaller range decides.
pub(crate) const ATTEMPTS_MAX: u32 = 64;

/// What the authors' mixer multiplies by.
pub(crate) const MULTIPLIERS: [u64; 2] = [0x3c79_ac49_2ba7_b653, 0x1c69_b3f7_4ac4_ae35];

/// The two forms of the authors, by what draws.
#[derive(Clone, Copy)]
pub(crate) enum Flip {
    Mixer,
    Xxh3,
}

impl RangeHash for Flip {
    const COUNT_MAX: u32 = u32::MAX;

    fn new(arguments: &Arguments) -> Self {
        match arguments.text("hash") {
            "xxh3" => Flip::Xxh3,
            _ => Flip::Mixer,
        }
    }

    #[inline]
    fn bucket<T: Trace + ?Sized>(self, key: KeyHash, count: u32, trace: &mut T) -> u32 {
        let last = u64::from(count) - 1;
        let bucket = match self {
            Flip::Mixer => walk(last, |level, attempt| mixer(key.0, 0, level, attempt), trace),
            Flip::Xxh3 => walk_by_xxh3(key, last, trace),
        };
        bucket as u32
    }

    fn buckets(self, keys: &[KeyHash], count: u32, out: &mut [u32]) {
        match self {
            Flip::Mixer => kernels::flip::buckets(simd::level(), keys, count, out),
            Flip::Xxh3 => one_by_one(self, keys, count, out),
        }
    }

    fn naive(self, key: KeyHash, count: u32) -> u32 {
        let draw = |level: u32, attempt: u64| match self {
            Flip::Mixer => naive_mixer(key.0, level.into(), attempt),
            Flip::Xxh3 => {
                xxh3_64_with_seed(&key.0.to_le_bytes(), u64::from(level) + attempt * (1 << 32))
            }
        };
        let over = |power: u64| {
            let value = draw(0, 0) % power;
            let set = set_bits(value);
            set.last().map_or(0, |&highest| value ^ (draw(highest, 0) % (1 << highest)))
        };
        let (last, whole) = (u64::from(count) - 1, enclosing_power(count));
        if over(whole) <= last {
            return over(whole) as u32;
        }
        let level = set_bits(last)[set_bits(last).len() - 1];
        let mut redrawn = (1..=64).map(|attempt| draw(level, attempt) % whole);
        match redrawn.find(|bucket| *bucket <= last) {
            Some(bucket) if bucket >= whole / 2 => bucket as u32,
            _ => over(whole / 2) as u32,
        }
    }

    /// Two draws over the power of two; beyond the last bucket those that are drawn again, half of
    /// which end below the middle.
    fn steps(self, count: u32) -> f64 {
        let (power, missing) = enclosing(count);
        if count == 1 {
            return 0.0;
        }
        let again = missing / (1.0 - missing);
        2.0 - 1.0 / power + again * (1.0 + 0.5 * (1.0 - 2.0 / power))
    }
}

/// The draw for a level and an attempt, by the authors' mixer.
#[inline(always)]
fn mixer(key: u64, seed: u64, level: u32, attempt: u32) -> u64 {
    let odd = |number: u32| 2 * u64::from(number) + 1;
    let mut k = (key ^ seed).wrapping_mul(odd(level));
    k = (k ^ (k >> 27)).wrapping_mul(MULTIPLIERS[0]).wrapping_mul(odd(attempt));
    k = (k ^ (k >> 33)).wrapping_mul(MULTIPLIERS[1]);
    k ^ (k >> 27)
}

/// The mixer for the twin, over numbers that do not overflow.
fn naive_mixer(key: u64, level: u64, attempt: u64) -> u64 {
    let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % (1 << 64)) as u64;
    let k = times(key, 2 * level + 1);
    let k = times(k ^ (k >> 27), 0x3c79_ac49_2ba7_b653);
    let k = times(k, 2 * attempt + 1);
    let k = times(k ^ (k >> 33), 0x1c69_b3f7_4ac4_ae35);
    k ^ (k >> 27)
}

/// The draw for a level and an attempt, by XXH3 over the bytes of the key.
#[inline(always)]
fn xxh3(key: u64, level: u32, attempt: u32) -> u64 {
    xxh3_64_with_seed(&key.to_le_bytes(), u64::from(level) | u64::from(attempt) << 32)
}

/// The bucket by XXH3; apart, since it is so long that the other form would be no part of loops.
#[inline(never)]
fn walk_by_xxh3<T: Trace + ?Sized>(key: KeyHash, last: u64, trace: &mut T) -> u64 {
    walk(last, |level, attempt| xxh3(key.0, level, attempt), trace)
}

/// The bucket among 0 … `last`.
#[inline(always)]
fn walk<T: Trace + ?Sized>(last: u64, draw: impl Fn(u32, u32) -> u64, trace: &mut T) -> u64 {
    if last == 0 {
        return 0;
    }
    let mut draw = |level, attempt| {
        let value = draw(level, attempt);
        trace.step(Step::Draw { value });
        value
    };
    let level = last.ilog2();
    let mask = u64::MAX >> last.leading_zeros();
    let first = draw(0, 0);
    let bucket = flipped(first & mask, &mut draw);
    if bucket <= last {
        return bucket;
    }
    for attempt in 1..=ATTEMPTS_MAX {
        let bucket = draw(level, attempt) & mask;
        if bucket <= mask >> 1 {
            break;
        }
        if bucket <= last {
            return bucket;
        }
    }
    flipped(first & (mask >> 1), &mut draw)
}

/// The bucket over a power of two: the highest set bit stays, those below it are flipped.
#[inline(always)]
fn flipped(value: u64, draw: &mut impl FnMut(u32, u32) -> u64) -> u64 {
    if value == 0 {
        return 0;
    }
    let level = value.ilog2();
    value ^ (draw(level, 0) & ((1 << level) - 1))
}

#[cfg(test)]
mod tests {
    use placelab_core::Silent;
    use placelab_core::mix::stream;

    use super::*;
    use crate::vectors::{golden, hold_to, vector_keys};

    fn bucket(form: Flip, key: u64, count: u32) -> u32 {
        form.bucket(KeyHash(key), count, &mut Silent)
    }

    /// Every variant but `java_murmur3`, which is another author's function of the name over
    /// another hash, and answers differently.
    #[test]
    fn golden_vectors_of_the_authors_in_full() {
        let file = golden("flip");
        hold_to(&file, "fliphash_64 (seed 0)", |key, count| bucket(Flip::Mixer, key, count));
        hold_to(&file, "fliphash_xxh3_64", |key, count| bucket(Flip::Xxh3, key, count));
        hold_to(&file, "fliphash_64_with_seed(seed 7)", |key, count| {
            let draw = |level, attempt| mixer(key, 7, level, attempt);
            walk(u64::from(count) - 1, draw, &mut Silent) as u32
        });
    }

    /// Ranges beyond 2^32, up to all of 2^64.
    #[test]
    fn golden_ranges_of_64_bits() {
        let file = golden("flip");
        let number = |text: &serde_json::Value| text.as_str().unwrap().parse::<u64>().unwrap();
        for range in file["u64_ranges"].as_array().unwrap() {
            let last = number(&range["range_end_inclusive"]);
            let expected = range["values"].as_array().unwrap().iter().map(number);
            let keys = vector_keys(&file);
            let buckets = keys.iter().map(|&key| {
                walk(last, |level, attempt| mixer(key, 0, level, attempt), &mut Silent)
            });
            assert!(buckets.eq(expected), "0 … {last}");
        }
    }

    /// A key moves only into the bucket that is new, the largest counts included.
    #[test]
    fn growth_moves_keys_only_into_the_new_bucket() {
        let counts = (1..300).chain([65_535, 65_536, u32::MAX - 1, (1 << 31) - 1, 1 << 31]);
        for count in counts {
            for key in (0..500).map(|i| stream(4, i)) {
                for form in [Flip::Mixer, Flip::Xxh3] {
                    let (before, after) = (bucket(form, key, count), bucket(form, key, count + 1));
                    assert!(before < count && (after == before || after == count), "n = {count}");
                }
            }
        }
    }
}
