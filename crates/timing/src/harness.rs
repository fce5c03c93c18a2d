//! Rounds and their medians.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Rounds of which the median is taken.
pub const ROUNDS: usize = 7;
/// What one round should last: long against the clock, short against a run.
pub(crate) const ROUND: Duration = Duration::from_millis(2);

/// Median, least and largest nanoseconds of one operation; `round` performs its argument's number
/// of operations and is asked for as many as last about [`ROUND`], at most `most`.
pub(crate) fn per_operation(most: usize, mut round: impl FnMut(usize)) -> [f64; 3] {
    let mut timed = |operations: usize| {
        let start = Instant::now();
        round(black_box(operations));
        start.elapsed()
    };
    let mut operations = 8.min(most);
    loop {
        let spent = timed(operations);
        if spent >= ROUND / 2 || operations == most {
            break;
        }
        operations = (operations * 4).min(most);
    }
    summarise((0..ROUNDS).map(|_| timed(operations).as_nanos() as f64 / operations as f64))
}

/// Median, least and largest, to a hundredth.
pub(crate) fn summarise(samples: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut sorted: Vec<f64> = samples.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let short = |value: f64| (value * 100.0).round() / 100.0;
    [sorted[sorted.len() / 2], sorted[0], sorted[sorted.len() - 1]].map(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_grow_to_what_lasts() {
        let mut asked = Vec::new();
        per_operation(100, |operations| asked.push(operations));
        assert_eq!(asked[..3], [8, 32, 100]);
        assert_eq!(asked.len(), 3 + ROUNDS);
    }

    #[test]
    fn medians_stand_between() {
        assert_eq!(summarise([3.0, 1.0, 2.001].into_iter()), [2.0, 1.0, 3.0]);
    }
}
