//! Jump consistent hash.
//!
//! Source: Lamping, Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", arXiv 1406.2294,
//! 2014, figure 1. Cost: H_N ≈ ln N + 0.58 steps expected, no memory.
//!
//! What it cannot do: lose any member but the one that joined last, or serve weights. Bucket
//! counts end at 2^31 − 1.
//!
//! The product b + 1 times (2^31 ÷ draw) is rounded twice, as in the paper: the quotient first.
//! Guava rounds once and differs on constructed keys; its variant is another function. Up to 2^18
//! buckets we compute most steps in fixed point, with the same stops: it takes half the time.

use std::hint::select_unpredictable;

use crate::adapters::{Tail, build, naive, steps};
use crate::range_hash::RangeHash;
use crate::{kernels, simd};
use placelab_core::math::harmonic;
use placelab_core::{
    AlgorithmSpec, Arguments, Average, Build, Claim, ClosedForm, KeyHash, KeyPart, Role, Step,
    Trace,
};

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "jump",
    role: Role::Rival,
    family: placelab_core::RANGE_HASH,
    year: 2014,
    citation: "Lamping, Veach: A Fast, Minimal Memory, Consistent Hash Algorithm, arXiv 1406.2294",
    implementations: "C++ (ClickHouse), Java (Guava), Rust (jumpch), Python \
        (jump-consistent-hash), Elixir (jumper)",
    summary: "numbered buckets that grow and shrink at the end; no memory",
    lookup_cost: "O(ln N)",
    steps: steps::<Jump, Tail>,
    closed_forms: &[ClosedForm {
        metric: "work.lookup",
        average: Average::Mean,
        formula: "1 + 1/2 + … + 1/N",
        value: |_, step| Some(harmonic(step.now)),
    }],
    memory_cost: "O(N) names",
    capabilities: &[],
    claims: &[Claim::FairShares, Claim::MinimalMovement, Claim::Restores],
    resolution: None,
    reads: KeyPart::Hash,
    parameters: &[],
    small: "",
    build: Build::Placement(build::<Jump, Tail>),
    naive: naive::<Jump, Tail>,
};

/// The function of the paper.
///
/// ```
/// use placelab_algorithms::{Jump, RangeHash};
/// use placelab_core::{KeyHash, Silent};
/// let key = KeyHash(0x1234_5678_9abc_def0);
/// // A key stays until a bucket is added at the end that takes it.
/// assert_eq!(Jump.bucket(key, 5, &mut Silent), 4);
/// assert_eq!(Jump.bucket(key, 19, &mut Silent), 4);
/// assert_eq!(Jump.bucket(key, 20, &mut Silent), 19);
/// ```
#[derive(Clone, Copy)]
pub struct Jump;

/// What a step multiplies the state of the generator by.
pub(crate) const MULTIPLIER: u64 = 2_862_933_555_777_941_757;

/// The range of draws: they are 1 … 2^31.
const RANGE: f64 = (1u64 << 31) as f64;

/// The most buckets for which steps are computed in fixed point.
const FIXED_COUNT_MAX: u32 = 1 << 18;

/// The most buckets for which walks are so short that blind steps pay.
const BLIND_COUNT_MAX: u32 = 1 << 8;

/// Digits behind the point.
const FRACTION_BITS: u32 = 23;

/// The least draw whose step fits: the factor has 19 + 23 digits then.
const FIXED_DRAW_MIN: u64 = 1 << 12;

/// The generator of a key's draws.
struct Draws(u64);

impl Draws {
    #[inline(always)]
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(1);
        (self.0 >> 33) + 1
    }
}

/// Walks on to the end from a bucket below the count.
#[inline(always)]
fn walk<T: Trace + ?Sized>(
    mut draws: Draws,
    mut bucket: u64,
    count: u64,
    after: impl Fn(u64, u64) -> u64,
    trace: &mut T,
) -> u64 {
    loop {
        let draw = draws.next();
        let next = after(bucket, draw);
        trace.step(Step::Jump { from: bucket as u32, draw, to: next });
        if next >= count {
            return bucket;
        }
        bucket = next;
    }
}

/// Walks in fixed point, the first steps without a look at whether the end is reached: so a
/// processor guesses less, and overlaps the walks of several keys. Few walks are longer.
#[inline(always)]
fn walk_blindly<T: Trace + ?Sized>(mut draws: Draws, count: u64, trace: &mut T) -> u64 {
    let (mut bucket, mut next) = (0, 0);
    for _ in 0..=count.ilog2() {
        let goes = next < count;
        bucket = select_unpredictable(goes, next, bucket);
        let draw = draws.next();
        let to = after_fixed(next, draw);
        if goes {
            trace.step(Step::Jump { from: bucket as u32, draw, to });
        }
        next = to.min(u64::from(FIXED_COUNT_MAX));
    }
    if next < count { walk(draws, next, count, after_fixed, trace) } else { bucket }
}

/// The stop after bucket `from` by a draw, as in the paper.
#[inline(always)]
fn after(from: u64, draw: u64) -> u64 {
    ((from + 1) as i64 as f64 * (RANGE / draw as i64 as f64)) as i64 as u64
}

/// The same for buckets up to 2^18, in fixed point. A processor computes the quotient ahead of the
/// walk, which waits for no more than a product of whole numbers. The quotient is rounded to whole
/// units and one is taken off: so the product is less by b + 1 units and a half at most, half of
/// that at least. The paper's second rounding makes it more by at most 2^−16, which are 128 units.
/// Where so much could carry, the paper's form decides.
#[inline(always)]
fn after_fixed(from: u64, draw: u64) -> u64 {
    const ONE: u64 = 1 << FRACTION_BITS;
    // Added to a smaller number, it leaves that, rounded, in the low bits.
    const ROUNDER: f64 = (1u64 << 52) as f64;
    let rounded = RANGE * ONE as f64 / draw as i64 as f64 + ROUNDER;
    let factor = rounded.to_bits() - (ROUNDER.to_bits() + 1);
    let product = (from + 1).wrapping_mul(factor);
    if draw < FIXED_DRAW_MIN || product % ONE + 2 * from + 130 >= ONE {
        return after_unlikely(from, draw);
    }
    product / ONE
}

#[cold]
fn after_unlikely(from: u64, draw: u64) -> u64 {
    after(from, draw)
}

/// How much of a batch is placed a second time, so that the gates of the benches can show that they
/// notice: nothing but where a feature asks for it.
const SLOWED_PERCENT: Option<usize> =
    match (cfg!(feature = "slowed-10"), cfg!(feature = "slowed-30")) {
        (_, true) => Some(30),
        (true, _) => Some(10),
        _ => None,
    };

impl RangeHash for Jump {
    fn new(_: &Arguments) -> Self {
        Jump
    }

    #[inline]
    fn bucket<T: Trace + ?Sized>(self, key: KeyHash, count: u32, trace: &mut T) -> u32 {
        let draws = Draws(key.0);
        let bucket = if count <= BLIND_COUNT_MAX {
            walk_blindly(draws, count.into(), trace)
        } else if count <= FIXED_COUNT_MAX {
            walk(draws, 0, count.into(), after_fixed, trace)
        } else {
            walk(draws, 0, count.into(), after, trace)
        };
        bucket as u32
    }

    /// Bucket k is a stop of the walk with probability 1 ÷ (k + 1).
    fn steps(self, count: u32) -> f64 {
        harmonic(count)
    }

    fn buckets(self, keys: &[KeyHash], count: u32, out: &mut [u32]) {
        kernels::jump::buckets(simd::level(), keys, count, out);
        if let Some(percent) = SLOWED_PERCENT {
            let again = keys.len() * percent / 100;
            kernels::jump::buckets(simd::level(), &keys[..again], count, &mut out[..again]);
        }
    }

    /// Every stop of the walk in a list; the last one below the count is the bucket.
    fn naive(self, key: KeyHash, count: u32) -> u32 {
        let (mut state, mut stop) = (u128::from(key.0), 0.0);
        let mut stops = Vec::new();
        while stop < f64::from(count) {
            stops.push(stop);
            state = (state * 2_862_933_555_777_941_757 + 1) % (1 << 64);
            let draw = (state / (1 << 33) + 1) as f64;
            stop = ((stop + 1.0) * (2_147_483_648.0 / draw)).trunc();
        }
        stops[stops.len() - 1] as u32
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;
    use placelab_core::{Count, HashFunction, Silent};

    use super::*;
    use crate::vectors::{clickhouse, golden, hold_to};

    fn jump(key: u64, count: u32) -> u32 {
        Jump.bucket(KeyHash(key), count, &mut Silent)
    }

    #[test]
    fn golden_vectors_in_full() {
        let file = golden("jump");
        hold_to(&file, "paper = go-jump = guava on these keys", jump);
        for case in file["divergent_keys"]["cases"].as_array().unwrap() {
            let key = case["key"].as_u64().or_else(|| case["key"].as_str()?.parse().ok()).unwrap();
            let count = case["n"].as_u64().unwrap() as u32;
            assert_eq!(u64::from(jump(key, count)), case["paper"].as_u64().unwrap(), "key {key}");
        }
    }

    /// ClickHouse's function of this name is the paper's.
    #[test]
    fn golden_clickhouse() {
        clickhouse("jumpConsistentHash", jump);
    }

    /// 64 buckets over XXH64 of the decimal ids 0 … 999,999, and what moves to the 65th. A
    /// published article prints 15,402, 15,984 and 3,081; its own code gives these.
    #[test]
    fn tenant_ids_over_64_buckets() {
        let hash = |id: u64| HashFunction::Xxh64.hash(id.to_string().as_bytes());
        let mut loads = [0u32; 64];
        (0..1_000_000).for_each(|id| loads[jump(hash(id), 64) as usize] += 1);
        assert_eq!((loads.iter().min(), loads.iter().max()), (Some(&15_243), Some(&15_901)));
        let moved = (0..200_000).map(hash).filter(|&key| jump(key, 64) != jump(key, 65));
        let destinations: Vec<u32> = moved.map(|key| jump(key, 65)).collect();
        assert_eq!(destinations.len(), 3_013);
        assert!(destinations.iter().all(|&bucket| bucket == 64));
        for (id, buckets) in [(0, [0, 0, 4, 18, 18, 718]), (8842, [0, 0, 3, 55, 55, 603])] {
            assert_eq!([1, 2, 5, 64, 65, 1024].map(|count| jump(hash(id), count)), buckets);
        }
    }

    /// Whole quotients and their neighbours, where cut digits tell.
    #[test]
    fn fixed_point_steps_as_floats_do() {
        let powers = (0..=18).flat_map(|bits| [(1 << bits) - 1, 1 << bits]);
        for (turn, from) in (0..300).chain(powers).chain([100_000, 262_143]).enumerate() {
            let random = (0..1_000).map(|i| stream(turn as u64, i));
            let near = |random: u64| ((from + 1) << 31) / (1 + random % (4 * from + 4));
            let edges = [1, 2, 3, 4_095, 4_096, 4_097, 1 << 30, (1 << 31) - 1, 1 << 31];
            let draws = random.flat_map(|random| {
                [random >> 33, random >> (33 + random % 30), near(random), near(random) + 1]
            });
            for draw in draws.chain(edges).map(|draw| draw.clamp(1, 1 << 31)) {
                assert_eq!(after_fixed(from, draw), after(from, draw), "{from}, {draw}");
            }
        }
    }

    /// Mean steps are the harmonic number H_N: 5.19 for 100 buckets.
    #[test]
    fn mean_steps_are_harmonic() {
        let mut count = Count::default();
        (0..200_000).for_each(|i| {
            Jump.bucket(KeyHash(stream(5, i)), 100, &mut count);
        });
        let harmonic: f64 = (1..=100).map(|i| 1.0 / f64::from(i)).sum();
        assert!((count.0 as f64 / 200_000.0 - harmonic).abs() < 0.02);
    }
}
