//! JumpBackHash: jump hash's answers in distribution, in constant expected time, without floats.
//!
//! Source: Ertl, "JumpBackHash: Say Goodbye to the Modulo Operation to Distribute Keys Uniformly
//! to Buckets", arXiv 2403.18682, 2024. Cost: at most 5/3 draws expected whatever N, no memory.
//!
//! What it cannot do: as jump hash, lose any member but the one that joined last, or serve
//! weights. It does not meet the smaller counts on its way, so several counts take several walks.
//!
//! The walk goes down the levels, powers of two, that are set in a mask of the first draw. Where
//! a level begins, it reads the lower half of that draw if the number of levels left is even and
//! the upper half if it is odd. Trap: the reference writes a shift by 32 × that number, which
//! counts modulo 64 in Java and not in other languages; here the parity is written out.
//!
//! `stream=xorshift` draws the key itself first, so it needs keys that are hashed well: key 0
//! draws nothing but zeros. SplitMix64 forgives that.
//!
//! ```
//! use placelab_core::{Arguments, Change, HashSeed, Key, Roster, advance, establish};
//! let spec = placelab_algorithms::find("jump-back").unwrap();
//! let roster = Roster::numbered(64).unwrap();
//! let before = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//! let newcomer = Roster::numbered_node(64);
//! let after = advance(spec, before.as_ref(), &[Change::Add(newcomer.clone())]).unwrap();
//! // A key stays, or goes to the newcomer.
//! for key in (0..1_000).map(Key::hashed) {
//!     assert!([before.place(key), newcomer.id].contains(&after.place(key)));
//! }
//! ```

use std::iter;

use placelab_core::mix::{GOLDEN, mix, stream};
use placelab_core::{
    AlgorithmSpec, Arguments, Build, Claim, KeyHash, KeyPart, ParameterKind, ParameterSpec, Role,
    Step, Trace,
};

use crate::adapters::{Tail, build, naive, steps};
use crate::range_hash::{RangeHash, enclosing, one_by_one};
use crate::twins::{enclosing_power, set_bits};
use crate::{kernels, simd};

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "jump-back",
    role: Role::Rival,
    family: placelab_core::RANGE_HASH,
    year: 2024,
    citation: "Ertl: JumpBackHash: Say Goodbye to the Modulo Operation to Distribute Keys \
               Uniformly to Buckets, arXiv 2403.18682",
    implementations: "Java (hash4j)",
    summary: "numbered buckets that grow and shrink at the end; constant time, no floats",
    lookup_cost: "O(1) expected",
    steps: steps::<JumpBack, Tail>,
    closed_forms: &[],
    memory_cost: "O(N) names",
    capabilities: &[],
    claims: &[Claim::FairShares, Claim::MinimalMovement, Claim::Restores],
    resolution: None,
    reads: KeyPart::Hash,
    parameters: &[ParameterSpec {
        name: "stream",
        kind: ParameterKind::Choice(&["splitmix64", "xorshift"]),
        default: Some("splitmix64"),
        help: "generator of a key's draws",
    }],
    small: "",
    build: Build::Placement(build::<JumpBack, Tail>),
    naive: naive::<JumpBack, Tail>,
};

/// The function of the paper over one of its streams.
#[derive(Clone, Copy)]
pub(crate) enum JumpBack {
    SplitMix64,
    Xorshift,
}

impl RangeHash for JumpBack {
    fn new(arguments: &Arguments) -> Self {
        match arguments.text("stream") {
            "xorshift" => JumpBack::Xorshift,
            _ => JumpBack::SplitMix64,
        }
    }

    #[inline]
    fn bucket<T: Trace + ?Sized>(self, key: KeyHash, count: u32, trace: &mut T) -> u32 {
        match self {
            JumpBack::SplitMix64 => walk(&mut SplitMix(key.0), count, trace),
            JumpBack::Xorshift => walk(&mut Xorshift(key.0), count, trace),
        }
    }

    fn buckets(self, keys: &[KeyHash], count: u32, out: &mut [u32]) {
        match self {
            JumpBack::SplitMix64 => kernels::jump_back::buckets(simd::level(), keys, count, out),
            JumpBack::Xorshift => one_by_one(self, keys, count, out),
        }
    }

    fn naive(self, key: KeyHash, count: u32) -> u32 {
        let xorshift = |state: &u64| {
            let half_way = state ^ (state << 7);
            Some(half_way ^ (half_way >> 9))
        };
        match self {
            JumpBack::SplitMix64 => naive_walk((0..).map(|index| stream(key.0, index)), count),
            JumpBack::Xorshift => naive_walk(iter::successors(Some(key.0), xorshift), count),
        }
    }

    /// Only the highest level can miss, with twice the part m of it that is not there, and it is
    /// drawn again by two halves at a time, which both miss with m^2.
    fn steps(self, count: u32) -> f64 {
        let (_, missing) = enclosing(count);
        if count == 1 { 0.0 } else { 1.0 + missing / (1.0 - missing * missing) }
    }
}

/// The draws of one key.
pub(crate) trait Draws {
    fn next(&mut self) -> u64;
}

/// SplitMix64 that starts at the key.
pub(crate) struct SplitMix(pub(crate) u64);

impl Draws for SplitMix {
    #[inline(always)]
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }
}

/// Xorshift with shifts 7 and 9, whose first draw is the key.
struct Xorshift(u64);

impl Draws for Xorshift {
    #[inline(always)]
    fn next(&mut self) -> u64 {
        let draw = self.0;
        self.0 ^= self.0 << 7;
        self.0 ^= self.0 >> 9;
        draw
    }
}

/// The bucket among `count` ≥ 1.
#[inline]
pub(crate) fn walk<D: Draws, T: Trace + ?Sized>(draws: &mut D, count: u32, trace: &mut T) -> u32 {
    if count <= 1 {
        return 0;
    }
    let mut draw = || {
        let value = draws.next();
        trace.step(Step::Draw { value });
        value
    };
    let first = draw();
    let mut levels = (first ^ first >> 32) as u32 & u32::MAX >> (count - 1).leading_zeros();
    while levels != 0 {
        let level = 1 << levels.ilog2();
        let below = level - 1;
        let half = if levels.count_ones().is_multiple_of(2) { first } else { first >> 32 };
        let bucket = level + (half as u32 & below);
        if bucket < count {
            return bucket;
        }
        'level: loop {
            let value = draw();
            for half in [value, value >> 32] {
                let bucket = half as u32 & (level | below);
                if bucket < level {
                    break 'level;
                }
                if bucket < count {
                    return bucket;
                }
            }
        }
        levels ^= level;
    }
    0
}

/// The walk for the twin: level by level the numbers that are drawn, of which the first below the
/// count decides.
pub(crate) fn naive_walk(mut draws: impl Iterator<Item = u64>, count: u32) -> u32 {
    let halves = |draw: u64| [draw % (1 << 32), draw >> 32];
    let first = halves(draws.next().expect("draws without end"));
    let mut levels = set_bits((first[0] ^ first[1]) % enclosing_power(count));
    while !levels.is_empty() {
        let half = first[levels.len() % 2];
        let level = 1 << levels.pop().expect("a level is left");
        let further = draws.by_ref().flat_map(halves).map(|half| half % (2 * level));
        let mut numbers = iter::once(level + half % level).chain(further);
        let number = numbers.find(|number| *number < u64::from(count));
        let number = number.expect("draws without end");
        if number >= level {
            return number as u32;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use placelab_core::{Count, Silent};

    use super::*;
    use crate::vectors::{check_range_hash, golden, vector_keys};

    /// The third variant is another function, jump hash over draws of SplitMix64. It is no form
    /// of ours; restated here, it certifies the stream.
    fn jump_over_splitmix(key: u64, count: u32) -> u32 {
        let mut draws = SplitMix(key);
        let (mut bucket, mut next) = (0, 0);
        while next < u64::from(count) {
            bucket = next;
            let draw = (draws.next() >> 11) as f64 / (1u64 << 53) as f64;
            next = ((bucket + 1) as f64 / draw) as u64;
        }
        bucket as u32
    }

    #[test]
    fn golden_vectors_in_full() {
        let file = golden("jumpback");
        let keys = vector_keys(&file);
        let of = |jump_back: JumpBack| {
            move |key, count| jump_back.bucket(KeyHash(key), count, &mut Silent)
        };
        check_range_hash(&file["variants"][0], &keys, of(JumpBack::SplitMix64));
        check_range_hash(&file["variants"][1], &keys, of(JumpBack::Xorshift));
        check_range_hash(&file["variants"][2], &keys, jump_over_splitmix);
    }

    /// 1.541 draws just above a power of two; the limit is 5/3.
    #[test]
    fn mean_draws_do_not_grow() {
        for (count, expected) in [(9, 1.541), (65, 1.650), (1_025, 1.666)] {
            let mut draws = Count::default();
            (0..2_000_000).for_each(|i| {
                JumpBack::SplitMix64.bucket(KeyHash(stream(5, i)), count, &mut draws);
            });
            let mean = draws.0 as f64 / 2e6;
            assert!((mean - expected).abs() < 0.003, "n = {count}: {mean}");
        }
    }

    /// The last key is all ones, and so are its masks: no shift or mask goes beyond the word.
    #[test]
    fn the_largest_counts_do_not_overflow() {
        for count in [1, 2, 1 << 31, (1 << 31) + 1, u32::MAX] {
            for key in [0, 1, u64::MAX, 1 << 63, stream(0, 9)] {
                for jump_back in [JumpBack::SplitMix64, JumpBack::Xorshift] {
                    assert!(jump_back.bucket(KeyHash(key), count, &mut Silent) < count);
                }
            }
        }
    }
}
