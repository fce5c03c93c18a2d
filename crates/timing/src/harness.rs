//! Rounds and their medians.

use std::hint::black_box;
use std::time::{Duration, Instant};

use placelab_results::Rounds;

/// Rounds of which the median is taken: two interleaved halves of five.
pub const ROUNDS: usize = 10;
/// What one round should last: long against the clock, short against a run.
pub(crate) const ROUND: Duration = Duration::from_micros(1_400);

/// How long a figure is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Rounds of which the median is taken.
    pub(crate) rounds: usize,
    /// What one of them should last.
    pub(crate) round: Duration,
}

/// What a figure gets that is looked at by itself.
pub(crate) const FULL: Effort = Effort { rounds: ROUNDS, round: ROUND };

/// Nanoseconds of one operation in each of the rounds; `round` performs its argument's number of
/// operations and is asked for as many as last about as long as one should, at most `most`.
pub(crate) fn per_operation(effort: Effort, most: usize, mut round: impl FnMut(usize)) -> Vec<f64> {
    let mut timed = |operations: usize| {
        let start = Instant::now();
        round(black_box(operations));
        start.elapsed()
    };
    let mut operations = 8.min(most);
    loop {
        let spent = timed(operations);
        if spent >= effort.round / 2 || operations == most {
            break;
        }
        operations = (operations * 4).min(most);
    }
    let rounds =
        (0..effort.rounds).map(|_| timed(operations).as_nanos() as f64 / operations as f64);
    rounds.collect()
}

/// What rounds have in common, to a hundredth, without the harness's own time.
pub(crate) fn summarise(rounds: &[f64], floor: f64) -> Rounds {
    let short = |value: f64| (value * 100.0).round() / 100.0;
    let above = |time: f64| short((time - floor).max(0.0));
    let figure = above(median(rounds.iter().copied()));
    let least = rounds.iter().copied().reduce(f64::min).unwrap_or(0.0);
    let largest = rounds.iter().copied().reduce(f64::max).unwrap_or(0.0);
    Rounds {
        median: figure,
        least: above(least),
        largest: above(largest),
        floor: short(floor),
        aa_spread: aa_spread(rounds, figure.max(floor)),
    }
}

/// How far the medians of the odd and the even samples lie apart, as a part of `whole`, to a
/// thousandth.
fn aa_spread(samples: &[f64], whole: f64) -> f64 {
    let half = |first: usize| median(samples.iter().skip(first).step_by(2).copied());
    relative(half(0) - half(1), whole)
}

/// The size of a difference as a part of `whole`, to a thousandth; 0 of nothing.
pub(crate) fn relative(difference: f64, whole: f64) -> f64 {
    let part = difference.abs() / whole;
    if part.is_finite() { (part * 1_000.0).round() / 1_000.0 } else { 0.0 }
}

/// The sample in the middle, or the mean of the two in the middle; 0 of none.
pub(crate) fn median(samples: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = samples.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    match (sorted.len() / 2, sorted.len() % 2) {
        (0, 0) => 0.0,
        (middle, 0) => (sorted[middle - 1] + sorted[middle]) / 2.0,
        (middle, _) => sorted[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_grow_to_what_lasts() {
        let mut asked = Vec::new();
        per_operation(FULL, 100, |operations| asked.push(operations));
        assert_eq!(asked[..3], [8, 32, 100]);
        assert_eq!(asked.len(), 3 + ROUNDS);
    }

    #[test]
    fn medians_stand_between() {
        let rounds = summarise(&[3.0, 1.0, 2.001], 0.0);
        assert_eq!(rounds.range(), [2.0, 1.0, 3.0]);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), 2.5);
        assert_eq!(median([].into_iter()), 0.0);
    }

    #[test]
    fn the_floor_is_subtracted_and_kept() {
        let rounds = summarise(&[3.0, 1.0, 2.0], 1.5);
        assert_eq!((rounds.range(), rounds.floor), ([0.5, 0.0, 1.5], 1.5));
    }

    #[test]
    fn halves_are_interleaved() {
        // The odd rounds have 10, the even ones 12; the middle of all is 11.
        let rounds = summarise(&[10.0, 12.0, 10.0, 12.0], 0.0);
        assert_eq!((rounds.median, rounds.aa_spread), (11.0, 0.182));
        // A drift falls on both halves.
        let drift = summarise(&[10.0, 10.0, 20.0, 20.0], 0.0);
        assert_eq!(drift.aa_spread, 0.0);
        // Of what is within the floor, a part of the floor.
        assert_eq!(summarise(&[1.0, 2.0], 2.0).aa_spread, 0.5);
        assert_eq!(summarise(&[0.0, 0.0], 0.0).aa_spread, 0.0);
    }
}
