//! The consistent hash of K. Oblakov, as ClickHouse's `kostikConsistentHash` has it.
//!
//! Source: ClickHouse's SQL function (`yandexConsistentHash` since 2017, alias of today's name);
//! no paper is known. Cost: one division, a few shifts and no further hash, whatever N; no memory.
//!
//! A key is four pieces of 16 bits. Over 2^k buckets the highest set bit of the third piece stays
//! and the first or second piece gives the bits below it. A bucket L that is not there is replaced
//! by one of the upper half: the bits that were not used, modulo L(L + 1), over 2^k. Summed over
//! all L from N on, that brings each bucket there from 1 ÷ 2^k to 1 ÷ N. Where the replacement is
//! not there either, the smaller power of two decides.
//!
//! What it cannot do: tell more than 32,768 buckets apart, lose any member but the one that joined
//! last, or serve weights. Beyond 8,192 buckets it does not fill all of them alike: of 64 bits
//! 66 − 3k are left to replace L by, fewer than the L(L + 1) values that they must choose among.
//! At 10,000 buckets some get five times their share, at 20,000 one key in three crowds into 64
//! buckets. So no fair shares are claimed, though they are fair up to 4,096; that follows from the
//! rule, and the answers of ClickHouse that we hold are those of smaller counts and of powers of
//! two and their neighbours.
//!
//! ```
//! use placelab_core::{Arguments, HashSeed, Key, Roster, establish};
//! let spec = placelab_algorithms::find("multiply-shift").unwrap();
//! let fleet = |nodes| Roster::numbered(nodes).unwrap();
//! let of = |nodes| establish(spec, &Arguments::defaults(spec), HashSeed(0), fleet(nodes));
//! assert!(of(32_768).is_ok());
//! assert!(of(32_769).err().unwrap().to_string().ends_with("at most 32768 possible"));
//! // Growth moves keys only into the new bucket.
//! let (before, after) = (of(10).unwrap(), of(11).unwrap());
//! let keys = (0..1_000u64).map(|key| Key::hashed(key.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
//! let mut moves = keys.map(|key| (before.place(key), after.place(key)));
//! assert!(moves.all(|(old, new)| old == new || new.0 == 10));
//! ```

use placelab_core::{AlgorithmSpec, Arguments, Build, Claim, KeyHash, KeyPart, Role, Step, Trace};

use crate::adapters::{Tail, build, naive, steps};
use crate::range_hash::{RangeHash, enclosing};
use crate::twins::{enclosing_power, set_bits};

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "multiply-shift",
    role: Role::Rival,
    family: placelab_core::RANGE_HASH,
    year: 2017,
    citation: "Oblakov: kostikConsistentHash of ClickHouse (at first yandexConsistentHash)",
    implementations: "C++ (ClickHouse)",
    summary: "numbered buckets by the bits of the key alone, in constant time; fair up to 4,096",
    lookup_cost: "O(1)",
    steps: steps::<MultiplyShift, Tail>,
    closed_forms: &[],
    memory_cost: "O(N) names",
    capabilities: &[],
    claims: &[Claim::MinimalMovement, Claim::Restores],
    resolution: None,
    reads: KeyPart::Hash,
    parameters: &[],
    small: "",
    build: Build::Placement(build::<MultiplyShift, Tail>),
    naive: naive::<MultiplyShift, Tail>,
};

/// The function of ClickHouse.
#[derive(Clone, Copy)]
pub(crate) struct MultiplyShift;

impl RangeHash for MultiplyShift {
    const COUNT_MAX: u32 = 1 << 15;

    /// Between powers of two the bits of a key are too few for equal shares.
    fn fills_alike(count: u32) -> bool {
        count.is_power_of_two()
    }

    fn new(_: &Arguments) -> Self {
        MultiplyShift
    }

    #[inline]
    fn bucket<T: Trace + ?Sized>(self, key: KeyHash, count: u32, trace: &mut T) -> u32 {
        debug_assert!((1..=Self::COUNT_MAX).contains(&count), "the adapters refuse more");
        let pieces = [key.0, key.0 >> 16, key.0 >> 32, key.0 >> 48].map(|piece| piece & 0xffff);
        let mut drawn = |value: u64| {
            trace.step(Step::Draw { value });
            value
        };
        let count = u64::from(count);
        let bits = count.next_power_of_two().ilog2();
        let bucket = drawn(over_power(pieces, bits));
        if bucket < count {
            return bucket as u32;
        }
        let bucket = drawn(replacement(pieces, bits, bucket));
        if bucket < count { bucket as u32 } else { drawn(over_power(pieces, bits - 1)) as u32 }
    }

    fn naive(self, key: KeyHash, count: u32) -> u32 {
        let piece = |index: u32| key.0 / (1 << (16 * index)) % (1 << 16);
        let over = |power: u64| {
            let set = set_bits(piece(2) % power);
            let Some(&highest) = set.last() else { return 0 };
            let below = piece(set.len() as u32 % 2);
            (1 << highest) + below % (1 << highest)
        };
        let (count, whole) = (u64::from(count), enclosing_power(count));
        let missing = over(whole);
        if missing < count {
            return missing as u32;
        }
        // What is left of each piece once so much of it was used, one behind the other.
        let half = whole / 2;
        let left = [(piece(3), 1), (piece(2), whole), (piece(1), half), (piece(0), half)];
        let unused =
            left.iter().fold(0, |number, (piece, used)| number * ((1 << 16) / used) + piece / used);
        let replacement = half + unused % (missing * (missing + 1)) / whole;
        if replacement < count { replacement as u32 } else { over(half) as u32 }
    }

    /// What replaces a bucket is there but for a part of 2^(k − 1) ÷ N.
    fn steps(self, count: u32) -> f64 {
        let (power, missing) = enclosing(count);
        1.0 + missing * (1.0 + power / 2.0 / f64::from(count))
    }
}

/// The bucket over 2^`bits` buckets, which are filled alike.
#[inline(always)]
fn over_power([low, second, third, _]: [u64; 4], bits: u32) -> u64 {
    let masked = third & ((1 << bits) - 1);
    if masked < 2 {
        return masked;
    }
    let highest = 1 << masked.ilog2();
    // One more set bit changes the piece, so that a key's buckets of two levels are unrelated.
    let piece = if masked.count_ones().is_multiple_of(2) { low } else { second };
    highest + (piece & (highest - 1))
}

/// What replaces a bucket of the upper half of 2^`bits` that is not there, from the bits of the
/// key that [`over_power`] leaves alone.
#[inline(always)]
fn replacement([low, second, third, fourth]: [u64; 4], bits: u32, bucket: u64) -> u64 {
    let unused = (fourth << (16 - bits)) | (third >> bits);
    let unused = (unused << (17 - bits)) | (second >> (bits - 1));
    let unused = (unused << (17 - bits)) | (low >> (bits - 1));
    ((unused % (bucket * (bucket + 1))) >> bits) + (1 << (bits - 1))
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;
    use placelab_core::{Change, PlacementError, Roster, Silent, advance};

    use super::*;
    use crate::fixtures::contender;
    use crate::vectors::clickhouse;

    fn bucket(key: u64, count: u32) -> u32 {
        MultiplyShift.bucket(KeyHash(key), count, &mut Silent)
    }

    /// Every case of the function; `jump.rs` holds itself to the others of the file.
    #[test]
    fn golden_clickhouse_in_full() {
        clickhouse("kostikConsistentHash", bucket);
    }

    /// Every count that there is, by a few keys: all that moves moves into the new bucket.
    #[test]
    fn growth_moves_keys_only_into_the_new_bucket() {
        for key in (0..60).map(|i| stream(4, i)).chain([0, 1, u64::MAX]) {
            for count in 1..MultiplyShift::COUNT_MAX {
                let (before, after) = (bucket(key, count), bucket(key, count + 1));
                assert!(before < count && (after == before || after == count), "n = {count}");
            }
        }
    }

    /// χ² over its degrees of freedom is 1 ± √(2 ÷ N) by chance. Up to 4,096 it is; at 20,000
    /// buckets it is hundreds, and buckets 16,384 … 16,447 have more than a third of the keys.
    #[test]
    fn shares_are_fair_up_to_4096_and_far_from_it_beyond_8192() {
        let loads = |count: u32| {
            let mut loads = vec![0u32; count as usize];
            (0..1_000_000).for_each(|i| loads[bucket(stream(6, i), count) as usize] += 1);
            loads
        };
        let chi_squared = |loads: &[u32]| {
            let fair = 1e6 / loads.len() as f64;
            let sum: f64 = loads.iter().map(|&load| (f64::from(load) - fair).powi(2) / fair).sum();
            sum / (loads.len() - 1) as f64
        };
        for count in [3, 9, 33, 100, 129, 1_000, 1_025, 2_049, 3_000, 4_095] {
            let found = chi_squared(&loads(count));
            let chance = 5.0 * (2.0 / f64::from(count - 1)).sqrt();
            assert!((found - 1.0).abs() < chance, "n = {count}: {found}");
        }
        assert!(chi_squared(&loads(10_000)) > 50.0);
        let crowd: u32 = loads(20_000)[16_384..16_448].iter().sum();
        assert!(crowd > 333_333, "{crowd}");
    }

    /// A fleet or table beyond the limit is refused when it is made and when it grows.
    #[test]
    fn more_buckets_than_it_tells_apart_are_refused() {
        let full = Roster::numbered(32_768).unwrap();
        for text in ["multiply-shift", "multiply-shift+renumber"] {
            let (spec, before) = contender(text, full.clone());
            let refused =
                advance(spec, before.as_ref(), &[Change::Add(Roster::numbered_node(32_768))]);
            let limit = matches!(
                refused.err(),
                Some(PlacementError::Limit { asked: 32_769, possible: 32_768, .. })
            );
            assert!(limit, "{text}");
        }
        let request = placelab_core::AlgorithmRequest::expand("multiply-shift+alias:buckets=32769");
        let spec = crate::find("multiply-shift+alias").unwrap();
        let arguments = request.unwrap()[0].arguments(spec, &|_| unreachable!()).unwrap();
        let seed = placelab_core::HashSeed(0);
        let refused =
            placelab_core::establish(spec, &arguments, seed, Roster::numbered(4).unwrap());
        assert!(matches!(refused.err(), Some(PlacementError::Limit { asked: 32_769, .. })));
    }
}
