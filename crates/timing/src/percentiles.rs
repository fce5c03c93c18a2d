//! How the times of dependent lookups are distributed.
//!
//! To read the clock takes some 20 to 50 ns, and it counts in steps of some ns: a single lookup of
//! 5 ns cannot be seen. Small groups of lookups are timed instead, each of distinct keys in a
//! chain; a percentile is one of groups, and a slow lookup shows as its part of its group.

use std::hint::black_box;
use std::time::{Duration, Instant};

use placelab_core::{Key, KeyHash, KeyPart, NodeId, Placement};
use placelab_results::{PERCENTILES, PercentileTime};

use crate::floor::Nothing;
use crate::harness::{median, relative};
use crate::lookup::Lookups;

/// Lookups of a group.
const GROUP: usize = 8;
/// Most groups: eight times all keys of the harness.
const GROUPS_MAX: usize = 8 * 4_096;
/// Fewest groups where lookups are not too slow: the tenth largest is the 99th percentile.
const GROUPS_MIN: usize = 1_000;
/// After this no more groups than the fewest are timed.
const ENOUGH: Duration = Duration::from_millis(20);
/// After this no more are timed at all: of so slow lookups no tail is known but the largest time.
const TOO_LONG: Duration = Duration::from_millis(100);

impl Lookups {
    /// Times groups of dependent lookups of a placement that reads this part of a key.
    pub fn time_percentiles(
        &self,
        contender: &str,
        reads: KeyPart,
        placement: &dyn Placement,
    ) -> PercentileTime {
        let floor = median(self.groups(reads, &Nothing::new(reads)).into_iter());
        let times = self.groups(reads, placement);
        let half = |first: usize| percentiles(times.iter().skip(first).step_by(2).copied());
        let (all, odd, even) = (percentiles(times.iter().copied()), half(0), half(1));
        let short = |value: f64| (value * 100.0).round() / 100.0;
        let dependent_ns = all.map(|time| short((time - floor).max(0.0)));
        PercentileTime {
            contender: contender.into(),
            nodes: placement.roster().len() as u32,
            group: GROUP as u32,
            groups: times.len() as u32,
            floor_ns: short(floor),
            dependent_ns,
            aa_spread: std::array::from_fn(|at| {
                relative(odd[at] - even[at], dependent_ns[at].max(floor))
            }),
        }
    }

    /// Nanoseconds a lookup of each group.
    fn groups(&self, reads: KeyPart, placement: &dyn Placement) -> Vec<f64> {
        let mut times = Vec::with_capacity(GROUPS_MAX);
        let start = Instant::now();
        'enough: loop {
            for batch in self.all(reads) {
                for first in (0..batch.hashes.len()).step_by(GROUP) {
                    let begun = Instant::now();
                    let mut before = NodeId(0);
                    for index in first..first + GROUP {
                        let key = batch.get(index);
                        let hash = KeyHash(key.hash.0 ^ u64::from(before.0));
                        before = placement.place(Key { hash, ..key });
                    }
                    black_box(before);
                    times.push(begun.elapsed().as_nanos() as f64 / GROUP as f64);
                    let most = if times.len() < GROUPS_MIN { TOO_LONG } else { ENOUGH };
                    let is_late = start.elapsed() > most;
                    if times.len() == GROUPS_MAX || is_late {
                        break 'enough;
                    }
                }
            }
        }
        times
    }
}

/// The times at [`PERCENTILES`]: the least that so many of all are not above.
fn percentiles(times: impl Iterator<Item = f64>) -> [f64; 5] {
    let mut sorted: Vec<f64> = times.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    PERCENTILES.map(|percentile| {
        let rank = (percentile * sorted.len() as f64 / 100.0).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_of_groups() {
        let times = (1..=1_000).rev().map(f64::from);
        assert_eq!(percentiles(times), [500.0, 900.0, 990.0, 999.0, 1_000.0]);
        assert_eq!(percentiles([7.0].into_iter()), [7.0; 5]);
        assert_eq!(percentiles([].into_iter()), [0.0; 5]);
    }

    #[test]
    fn percentiles_rise() {
        for reads in [KeyPart::Hash, KeyPart::Bytes] {
            let nothing = Nothing::new(reads);
            let time = Lookups::default().time_percentiles("nothing", reads, &nothing);
            assert!(time.groups > 0 && time.floor_ns > 0.0, "{time:?}");
            assert!(time.dependent_ns.is_sorted(), "{time:?}");
        }
    }
}
