//! BinomialHash.
//!
//! Source: Coluzzi, Brocco, Antonucci, Leidi, "BinomialHash: A Constant Time, Minimal Memory
//! Consistent Hash Algorithm", arXiv 2406.19836, 2024. Cost: at most five rounds of two hashes
//! whatever N, no memory.
//!
//! Over a power of two the highest set bit of the masked hash stays and a second hash, of that
//! bit alone, gives the bits below it. A bucket that is not there is drawn again, four times; then
//! the smaller power of two decides.
//!
//! What it cannot do: lose any member but the one that joined last, serve weights, or fill all
//! buckets alike. With 2^k the power of two at or above N, a key ends in the lower half after five
//! misses, so each bucket of the upper half has 1 − ((2^k − N) ÷ 2^k)^5 of its share: 0.9840 at
//! 9 buckets, 0.9774 at 17, never below 0.9688, which it nears just above a power of two.
//!
//! The masks are computed from N at every lookup. The authors' engine keeps them from change to
//! change, and grown from one bucket it holds wrong ones: it answers buckets that are not there.
//!
//! ```
//! use placelab_core::{Arguments, HashSeed, Key, Roster, establish};
//! let spec = placelab_algorithms::find("binomial").unwrap();
//! let owner = |nodes, key| {
//!     let roster = Roster::numbered(nodes).unwrap();
//!     let binomial = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//!     binomial.place(Key::hashed(key)).0
//! };
//! // The lower half of the buckets receives what the upper half has too little of, and yet
//! // growth moves keys only into the new bucket.
//! assert!((0..1_000).all(|key| owner(9, key) == owner(10, key) || owner(10, key) == 9));
//! ```

use std::iter;

use crate::adapters::{Tail, build, naive, steps};
use crate::range_hash::{RangeHash, enclosing};
use crate::twins::{enclosing_power, set_bits};
use placelab_core::{AlgorithmSpec, Arguments, Build, Claim, KeyHash, KeyPart, Role, Step, Trace};

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "binomial",
    role: Role::Rival,
    family: placelab_core::RANGE_HASH,
    year: 2024,
    citation: "Coluzzi, Brocco, Antonucci, Leidi: BinomialHash: A Constant Time, Minimal Memory \
               Consistent Hash Algorithm, arXiv 2406.19836",
    implementations: "research code alone: Java, C++",
    summary: "numbered buckets in at most five rounds; the last ones are up to 3 % too small",
    lookup_cost: "O(1)",
    steps: steps::<Binomial, Tail>,
    closed_forms: &[],
    memory_cost: "O(N) names",
    capabilities: &[],
    claims: &[Claim::MinimalMovement, Claim::Restores],
    resolution: None,
    reads: KeyPart::Hash,
    parameters: &[],
    small: "",
    build: Build::Placement(build::<Binomial, Tail>),
    naive: naive::<Binomial, Tail>,
};

/// How often a bucket that is not there is drawn again.
const REDRAWS: u32 = 4;

/// The function of the paper.
#[derive(Clone, Copy)]
pub(crate) struct Binomial;

impl RangeHash for Binomial {
    /// Between powers of two the upper half is too small.
    fn fills_alike(count: u32) -> bool {
        count.is_power_of_two()
    }

    fn new(_: &Arguments) -> Self {
        Binomial
    }

    #[inline]
    fn bucket<T: Trace + ?Sized>(self, key: KeyHash, count: u32, trace: &mut T) -> u32 {
        // The key's own bits are the first draw.
        trace.step(Step::Draw { value: key.0 });
        let count = u64::from(count);
        let enclosing = count.next_power_of_two() - 1;
        let minor = enclosing >> 1;
        let bucket = relocated(key.0 & enclosing, key.0, trace);
        if bucket < count {
            return bucket as u32;
        }
        let mut hash = key.0;
        for _ in 0..REDRAWS {
            hash = rehash(hash, enclosing, trace);
            let bucket = relocated(hash & enclosing, hash, trace);
            if bucket <= minor {
                break;
            }
            if bucket < count {
                return bucket as u32;
            }
        }
        relocated(key.0 & minor, key.0, trace) as u32
    }

    fn naive(self, key: KeyHash, count: u32) -> u32 {
        let over = |power: u128, hash: u128| {
            let set = set_bits((hash % power) as u64);
            let Some(&highest) = set.last() else { return 0 };
            let level = 1 << highest;
            level + naive_rehash(hash, level - 1) % level
        };
        let (count, whole) = (u128::from(count), u128::from(enclosing_power(count)));
        let first = u128::from(key.0);
        if over(whole, first) < count {
            return over(whole, first) as u32;
        }
        let hashes = iter::successors(Some(first), |&hash| Some(naive_rehash(hash, whole - 1)));
        let mut redrawn = hashes.skip(1).take(4).map(|hash| over(whole, hash));
        match redrawn.find(|bucket| *bucket < count) {
            Some(bucket) if bucket >= whole / 2 => bucket as u32,
            _ => over(whole / 2, first) as u32,
        }
    }

    /// The key's bits and a draw below the highest of them; beyond the last bucket the same again,
    /// at most four times, and a draw over the smaller power of two where that ends below it.
    fn steps(self, count: u32) -> f64 {
        let (power, missing) = enclosing(count);
        let below = |power: f64| (1.0 - 2.0 / power).max(0.0);
        let lost = missing.powi(REDRAWS as i32);
        let redraws = (1.0 - lost) / (1.0 - missing);
        let falls = 0.5 * redraws + lost;
        let again = redraws * (1.0 + below(power)) + falls * below(power / 2.0);
        1.0 + below(power) + missing * again
    }
}

/// A bucket over a power of two: the highest set bit stays, the hash gives those below it.
#[inline(always)]
fn relocated<T: Trace + ?Sized>(bucket: u64, hash: u64, trace: &mut T) -> u64 {
    if bucket < 2 {
        return bucket;
    }
    let highest = 1 << bucket.ilog2();
    highest + (rehash(hash, highest - 1, trace) & (highest - 1))
}

/// Another hash of 32 bits.
#[inline(always)]
fn rehash<T: Trace + ?Sized>(hash: u64, seed: u64, trace: &mut T) -> u64 {
    let t = hash.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
    let value = t.wrapping_mul(t).wrapping_mul(seed) >> 32;
    trace.step(Step::Draw { value });
    value
}

/// Another hash of 32 bits for the twin, over numbers that do not overflow.
fn naive_rehash(hash: u128, seed: u128) -> u128 {
    let t = (hash * 2_862_933_555_777_941_757 + 1) % (1 << 64);
    t * t % (1 << 64) * seed % (1 << 64) / (1 << 32)
}

#[cfg(test)]
mod tests {
    use placelab_core::Silent;
    use placelab_core::mix::stream;

    use super::*;
    use crate::vectors::{golden, hold_to};

    fn binomial(key: u64, count: u32) -> u32 {
        Binomial.bucket(KeyHash(key), count, &mut Silent)
    }

    #[test]
    fn golden_vectors_in_full() {
        let file = golden("binomial");
        hold_to(&file, "raw64", binomial);
        // The project's own hash has 31 bits: the magnitude of MurmurHash3 of the decimal text.
        hold_to(&file, "murmur3", |key, count| {
            let hash = murmur3::murmur3_32(&mut key.to_string().as_bytes(), 0).unwrap();
            binomial((hash as i32).unsigned_abs().into(), count)
        });
    }

    /// The buckets of the upper half have 1 − ((2^k − n) ÷ 2^k)^5 of their share.
    #[test]
    fn the_upper_half_is_too_small_by_the_closed_form() {
        for (count, expected) in [(9u32, 0.9840), (17, 0.9774), (16, 1.0)] {
            let power = f64::from(count.next_power_of_two());
            let missing = (power - f64::from(count)) / power;
            let part = 1.0 - missing.powi(5);
            assert!((part - expected).abs() < 0.000_1, "n = {count}: {part}");
            let half = count.next_power_of_two() / 2;
            let keys = (0..8_000_000).map(|i| stream(6, i));
            let upper = keys.filter(|&key| binomial(key, count) >= half).count();
            let sampled = upper as f64 / (8e6 * f64::from(count - half) / f64::from(count));
            // Two standard deviations of a seventeenth of the keys.
            assert!((sampled - part).abs() < 0.003, "n = {count}: {sampled}");
        }
    }

    /// A key moves only into the bucket that is new, and every answer is a bucket that is there:
    /// also where the authors' engine, grown from one bucket, errs.
    #[test]
    fn growth_moves_keys_only_into_the_new_bucket() {
        let largest = [65_535, 65_536, (1 << 30) - 1, 1 << 30, (1 << 31) - 2];
        for count in (1..300).chain(largest) {
            for key in (0..1_000).map(|i| stream(4, i)).chain([0, 1, u64::MAX]) {
                let (before, after) = (binomial(key, count), binomial(key, count + 1));
                assert!(before < count && (after == before || after == count), "n = {count}");
            }
        }
    }
}
