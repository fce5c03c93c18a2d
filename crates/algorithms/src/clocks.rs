//! Exponential clocks without most of their logarithms.
//!
//! An entrant of weight w that draws u strikes at −ln(u) ÷ w. What u lacks, v = 1 − u, is exact in
//! a float, and v ≤ −ln(u) ≤ v ÷ (1 − v): a clock whose v ÷ w is later than the earliest so far
//! strikes has lost, and only for the few others is a logarithm taken. Winners are those of the
//! scores, bit for bit; a bound is used only where it leaves no doubt, equal scores included.

use std::cmp::Ordering;

use placelab_core::math::open_unit;
use placelab_core::mix::open;
use placelab_core::{HashSeed, Key, KeyHash, Keys};

use crate::contest::Score;
use crate::kernels;
use crate::rendezvous::opened_score;
use crate::simd::{self, Level};

/// A score that falls with the time at which an entrant strikes.
///
/// Its value may round times down to multiples of 2^−58, of −ln(u) as of the quotient; beyond that
/// it errs by less than 2^−50 of a time.
pub(crate) trait Clock: Score {
    /// Which scores it draws from.
    const DRAWS: Draws;

    /// What the draw of a pair lacks, 1 − u.
    fn lack(key: Key<'_>, entrant: &Self::Entrant) -> f64;

    /// Hash of the name, opened where draws are long.
    fn name(entrant: &Self::Entrant) -> u64;

    /// Weight in units.
    fn weight(entrant: &Self::Entrant) -> f64;

    /// A time such that whoever has v ÷ w beyond it scores less than this.
    fn latest(value: Self::Value) -> f64;
}

/// Scores that clocks draw from.
pub(crate) enum Draws {
    /// 64 bits, of which 52 count.
    Long,
    /// 32 bits.
    Short,
}

/// What is lost by rounding −ln(u) down to multiples of 2^−58, with something to spare: it is
/// at least 2^−53, 32 of them, so it keeps 31 parts of 32.
pub(crate) const ROUNDED: f64 = 1.04;
/// What the times of values are multiples of.
pub(crate) const GRAIN: f64 = 1.0 / (1u64 << 58) as f64;

/// What a long draw lacks: the complement of a score draws the complement of u.
#[inline(always)]
pub(crate) fn long_lack(key: KeyHash, name: u64) -> f64 {
    open_unit(!opened_score(open(key.0), name))
}

/// The place of the winner for a key.
#[inline]
pub(crate) fn first<C: Clock>(seed: HashSeed, key: Key<'_>, entrants: &[C::Entrant]) -> usize {
    let (mut at, mut best) = (0, C::score(seed, key, &entrants[0]));
    let mut latest = C::latest(best);
    for (place, entrant) in entrants.iter().enumerate().skip(1) {
        if C::lack(key, entrant) <= latest * C::weight(entrant) {
            let score = C::score(seed, key, entrant);
            if score > best {
                (at, best, latest) = (place, score, C::latest(score));
            }
        }
    }
    at
}

/// The places of the winners of a batch.
pub(crate) fn leaders<C: Clock>(
    seed: HashSeed,
    keys: Keys<'_>,
    entrants: &[C::Entrant],
    places: &mut [u32],
) {
    leaders_at::<C>(simd::level(), seed, keys, entrants, places);
}

fn leaders_at<C: Clock>(
    level: Level,
    seed: HashSeed,
    keys: Keys<'_>,
    entrants: &[C::Entrant],
    places: &mut [u32],
) {
    let names: Vec<u64> = entrants.iter().map(C::name).collect();
    let inverses: Vec<f32> =
        entrants.iter().map(|entrant| (1.0 / C::weight(entrant)) as f32).collect();
    let alone = |hash: KeyHash| first::<C>(seed, Key { hash, bytes: &[] }, entrants) as u32;
    let screen = kernels::clocks::Screen { names: &names, inverses: &inverses };
    match C::DRAWS {
        Draws::Long => kernels::clocks::leaders(level, keys.hashes, screen, places, alone),
        Draws::Short => kernels::short_clocks::leaders(level, keys.hashes, screen, places, alone),
    }
}

/// How two scores compare.
#[inline]
pub(crate) fn compare<C: Clock>(
    seed: HashSeed,
    key: Key<'_>,
    one: &C::Entrant,
    other: &C::Entrant,
) -> Ordering {
    let clocks = [one, other].map(|entrant| (C::lack(key, entrant), C::weight(entrant)));
    if strikes_later(clocks[0], clocks[1]) {
        Ordering::Less
    } else if strikes_later(clocks[1], clocks[0]) {
        Ordering::Greater
    } else {
        C::score(seed, key, one).cmp(&C::score(seed, key, other))
    }
}

/// Whether one strikes later than another beyond doubt: v₁ ÷ w₁ is beyond v₂ ÷ (1 − v₂) ÷ w₂ and a
/// grain, whatever is rounded.
#[inline(always)]
fn strikes_later((lack, weight): (f64, f64), (other_lack, other_weight): (f64, f64)) -> bool {
    let late = other_lack + GRAIN * other_weight;
    lack * other_weight * (1.0 - other_lack) > ROUNDED * ROUNDED * weight * late
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;

    use super::*;
    use crate::straw2::WideStraw;
    use crate::weighted_rendezvous::{FirstToStrike, Long, Short};

    /// Draws of every size, the least and the greatest among them.
    fn draws() -> impl Iterator<Item = u64> {
        let sized = (0..52).flat_map(|bits| (0..40).map(move |i| stream(bits, i) >> bits));
        let ends = [0, 1 << 12, 2 << 12, 3 << 12, u64::MAX, u64::MAX - (1 << 12)];
        sized.flat_map(|draw| [draw, !draw]).chain(ends)
    }

    /// Keys for which an entrant of name 0 draws this.
    fn key_of(draw: u64) -> KeyHash {
        KeyHash(crate::fixtures::unmixed(draw))
    }

    fn hold<C: Clock>(entrant: impl Fn(u64, u64) -> C::Entrant) {
        let weights = [1, 2, 999_999, 1_000_000, 3_000_000, 7_777_777_777, 1_000_000_000_000_000];
        let draws: Vec<u64> = draws().collect();
        for (index, &draw) in draws.iter().enumerate() {
            let key = Key { hash: key_of(draw), bytes: &[] };
            let opened = open(key.hash.0);
            for (one, other) in weights.iter().flat_map(|a| weights.iter().map(move |b| (*a, *b))) {
                // The other draws something close, something alike, and anything.
                let rival = match index % 4 {
                    0 => draw ^ (1 << 12),
                    1 => draw,
                    2 => draw.wrapping_add(stream(1, index as u64) >> 40),
                    _ => stream(2, index as u64),
                };
                let name = opened ^ open(key_of(rival).0);
                let pair = [entrant(0, one), entrant(name, other)];
                let scores = [0, 1].map(|at| C::score(HashSeed(0), key, &pair[at]));
                let order = compare::<C>(HashSeed(0), key, &pair[0], &pair[1]);
                assert_eq!(order, scores[0].cmp(&scores[1]), "{draw:x} {rival:x} {one} {other}");
                let expected = usize::from(scores[1] > scores[0]);
                assert_eq!(first::<C>(HashSeed(0), key, &pair), expected, "{draw:x} {rival:x}");
                if C::lack(key, &pair[1]) > C::latest(scores[0]) * C::weight(&pair[1]) {
                    assert!(scores[1] < scores[0], "{draw:x} {rival:x} {one} {other}");
                }
            }
        }
    }

    #[test]
    fn bounds_leave_no_doubt() {
        hold::<FirstToStrike<Long>>(|name, micros| (name, micros as f64 / 1e6));
        hold::<FirstToStrike<Short>>(|name, micros| (name, micros as f64 / 1e6));
        hold::<WideStraw>(|name, micros| (name, micros));
    }

    /// Many small worlds: whoever is placed has the greatest score, and of equals the first.
    fn hold_batches<C: Clock>(entrant: impl Fn(u64, u64) -> C::Entrant) {
        for count in (1..=20).chain([33, 64, 100, 300]) {
            for kind in 0..4 {
                let micros = |index| match kind {
                    0 => 1_000_000,
                    1 => 1_000_000 * (1 + index % 4),
                    2 => 1 + (stream(5, index) >> (15 + stream(6, index) % 49)),
                    _ => [1, 1_000_000_000_000_000][index as usize % 2],
                };
                // Some names are there twice.
                let name = |index| open(stream(7, index - index % 5 / 4));
                let entrants: Vec<C::Entrant> =
                    (0..count).map(|index| entrant(name(index), micros(index))).collect();
                let hashes: Vec<KeyHash> = [0, u64::MAX]
                    .into_iter()
                    .chain((0..510).map(|i| stream(8, i)))
                    .map(KeyHash)
                    .collect();
                let plain = |hash: &KeyHash| {
                    let key = Key { hash: *hash, bytes: &[] };
                    let scores = entrants.iter().map(|one| C::score(HashSeed(0), key, one));
                    let best = scores.clone().max();
                    scores.map(Some).position(|score| score == best).unwrap() as u32
                };
                let expected: Vec<u32> = hashes.iter().map(plain).collect();
                for level in Level::available() {
                    for length in [0, 1, 7, 8, 9, 31, 64, 512] {
                        let mut places = vec![u32::MAX; length];
                        let keys = Keys::hashed(&hashes[..length]);
                        leaders_at::<C>(level, HashSeed(0), keys, &entrants, &mut places);
                        assert!(places == expected[..length], "{level} {count} {kind}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_level_places_as_scores_do() {
        hold_batches::<FirstToStrike<Long>>(|name, micros| (name, micros as f64 / 1e6));
        hold_batches::<FirstToStrike<Short>>(|name, micros| (name, micros as f64 / 1e6));
        hold_batches::<WideStraw>(|name, micros| (name, micros));
    }
}
