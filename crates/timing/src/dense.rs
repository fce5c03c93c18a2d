//! Lookups over many fleet sizes: some schemes are cheaper at a power of two than just above it,
//! which a size in each decade does not show.

use std::time::{Duration, Instant};

use placelab_core::{KeyPart, Placement};
use placelab_results::{DenseTime, SizedTime};

use crate::floor::Floors;
use crate::harness::{Effort, summarise};
use crate::lookup::Lookups;

/// Sizes of an octave.
const OCTAVE_SIZES: u32 = 8;
/// Smallest and largest size.
const SIZES: [u32; 2] = [8, 4_096];
/// What one contender may take: who is dear to build comes less far.
const ALLOWANCE: Duration = Duration::from_millis(220);
/// Less than for a size that is looked at by itself, since neighbours bear each other out.
const EFFORT: Effort = Effort { rounds: 6, round: Duration::from_micros(250) };

/// The sizes at which lookups are timed densely.
fn sizes() -> impl Iterator<Item = u32> {
    let step = |size: u32| (size.next_power_of_two() + size.is_power_of_two() as u32 * size) / 2;
    let next = move |&size: &u32| Some(size + step(size) / OCTAVE_SIZES);
    std::iter::successors(Some(SIZES[0]), next).take_while(|&size| size <= SIZES[1])
}

impl Lookups {
    /// Times lookups in warm batches over ever larger fleets, until the largest, or one that is
    /// not made, or until the allowance is used up; none where not even the smallest is made.
    pub fn time_densely(
        &self,
        floors: &Floors,
        contender: &str,
        reads: KeyPart,
        make: &dyn Fn(u32) -> Option<Box<dyn Placement>>,
    ) -> Option<DenseTime> {
        let floor = floors.of(reads).batch_ns.median;
        let start = Instant::now();
        let sizes_in_time = sizes().take_while(|_| start.elapsed() < ALLOWANCE);
        let time = |nodes: u32| {
            let rounds = self.batch_rounds_of(EFFORT, reads, make(nodes)?.as_ref());
            Some(SizedTime { nodes, batch_ns: summarise(&rounds, floor) })
        };
        let times: Vec<SizedTime> = sizes_in_time.map_while(time).collect();
        (!times.is_empty()).then(|| DenseTime { contender: contender.into(), times })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::floor::Nothing;

    #[test]
    fn sizes_are_eight_an_octave() {
        let all: Vec<u32> = sizes().collect();
        assert_eq!(all[..10], [8, 9, 10, 11, 12, 13, 14, 15, 16, 18]);
        assert_eq!((all.len(), all.last()), (73, Some(&4_096)));
        assert!((3..=12).all(|power| all.contains(&(1 << power))));
    }

    #[test]
    fn what_is_not_made_ends_it() {
        let lookups = Lookups::default();
        let floors = Floors::measure(&lookups);
        let upto = |most: u32| {
            let make = move |nodes| -> Option<Box<dyn Placement>> {
                (nodes <= most).then(|| Box::new(Nothing::new(KeyPart::Hash)) as Box<_>)
            };
            lookups.time_densely(&floors, "nothing", KeyPart::Hash, &make)
        };
        assert_eq!(upto(7), None);
        let time = upto(10).unwrap();
        assert!(time.times.len() <= 3 && time.times[0].nodes == 8, "{time:?}");
    }
}
