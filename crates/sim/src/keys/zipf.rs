//! Exact integer requests that follow a power law of the rank.
//!
//! Rank r = 1, 2, … has max(1, ⌊scale ÷ r^exponent⌋) requests, with scale = min(count^exponent,
//! 10^15), so the last rank has about one. Numbers fall with the rank, so beyond the head they
//! come in runs; the runs are found by bisection and held, and a power is taken once for a probe
//! of the bisection, not once for a key.

use std::ops::Range;

use placelab_core::math::pow;

use super::KeyError;

const SCALE_MAX: f64 = 1e15;

/// Requests of every key, as runs of equal numbers.
#[derive(Debug)]
pub(super) struct Zipf {
    runs: Vec<Run>,
    total: u64,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    /// Index of the first key beyond the run.
    end: u64,
    requests: u64,
}

impl Zipf {
    /// The requests of `count` keys. Cost: up to some 40 powers a run, and as many runs
    /// as there are different numbers: about 2·√count for exponent 1.
    pub(super) fn new(count: u64, exponent: f64) -> Result<Self, KeyError> {
        let scale = pow(count as f64, exponent).min(SCALE_MAX);
        let at = |index: u64| requests(scale, exponent, index);
        let (mut runs, mut start, mut total) = (Vec::new(), 0, 0u128);
        while start < count {
            let requests = at(start);
            let end = run_end(start, count, |index| at(index) == requests);
            total += u128::from(requests) * u128::from(end - start);
            runs.push(Run { end, requests });
            start = end;
        }
        let limit = KeyError::Limit { what: "requests", asked: total, possible: u64::MAX };
        Ok(Zipf { runs, total: u64::try_from(total).map_err(|_| limit)? })
    }

    /// Sum over every key.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Requests of the first rank; 0 where there are no keys.
    pub(super) fn largest(&self) -> u64 {
        self.runs.first().map_or(0, |run| run.requests)
    }

    /// Appends the requests of a range of keys.
    pub(super) fn fill(&self, range: Range<u64>, out: &mut Vec<u64>) {
        let first = self.runs.partition_point(|run| run.end <= range.start);
        let mut start = range.start;
        for run in &self.runs[first..] {
            if start >= range.end {
                break;
            }
            let end = run.end.min(range.end);
            out.resize(out.len() + (end - start) as usize, run.requests);
            start = end;
        }
    }

    /// Requests and how many keys in a row have them.
    pub(super) fn runs(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let mut start = 0;
        self.runs.iter().map(move |run| {
            let keys = run.end - start;
            start = run.end;
            (run.requests, keys)
        })
    }
}

fn requests(scale: f64, exponent: f64, index: u64) -> u64 {
    ((scale / pow((index + 1) as f64, exponent)).floor() as u64).max(1)
}

/// First index beyond `start` that does not belong to its run: strides double until one does
/// not, then the last stride is halved.
fn run_end(start: u64, count: u64, same: impl Fn(u64) -> bool) -> u64 {
    let (mut inside, mut stride) = (start, 1);
    while inside + stride < count && same(inside + stride) {
        inside += stride;
        stride *= 2;
    }
    let mut outside = (inside + stride).min(count);
    while outside - inside > 1 {
        let middle = inside + (outside - inside) / 2;
        if same(middle) { inside = middle } else { outside = middle }
    }
    outside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(count: u64, exponent: f64) -> Vec<u64> {
        let zipf = Zipf::new(count, exponent).unwrap();
        let mut filled = Vec::new();
        zipf.fill(0..count, &mut filled);
        assert_eq!(filled.iter().sum::<u64>(), zipf.total());
        assert_eq!(zipf.runs().map(|(_, keys)| keys).sum::<u64>(), count);
        filled
    }

    #[test]
    fn small_cases_are_exact() {
        assert_eq!(all(6, 1.0), [6, 3, 2, 1, 1, 1]);
        assert_eq!(all(4, 2.0), [16, 4, 1, 1]);
        assert_eq!(all(3, 0.0), [1, 1, 1]);
        assert_eq!(all(1, 1.0), [1]);
    }

    #[test]
    fn runs_say_what_the_formula_says() {
        for exponent in [0.3, 0.99, 1.0, 1.2, 2.5] {
            let scale = pow(5_000.0, exponent).min(SCALE_MAX);
            let expected: Vec<u64> =
                (0..5_000).map(|index| requests(scale, exponent, index)).collect();
            assert_eq!(all(5_000, exponent), expected, "exponent {exponent}");
        }
    }

    #[test]
    fn parts_are_parts_of_the_whole() {
        let (zipf, whole) = (Zipf::new(1_000, 1.1).unwrap(), all(1_000, 1.1));
        let mut parts = Vec::new();
        for range in [0..1, 1..17, 17..17, 17..400, 400..1_000] {
            zipf.fill(range, &mut parts);
        }
        assert_eq!(parts, whole);
    }

    #[test]
    fn huge_sources_have_few_runs() {
        let zipf = Zipf::new(1_000_000_000_000, 1.0).unwrap();
        assert!(zipf.runs.len() < 3_000_000, "{} runs", zipf.runs.len());
        assert_eq!(zipf.largest(), 1_000_000_000_000);
    }
}
