//! The worst step of a figure: what reports show of a run, and comparisons look at.

use crate::catalogue::{Better, metric};
use crate::schema::{Contender, Measured, RunResults, Step};

/// Fewest hash seeds whose ranges put figures in an order: with ten, ranges of equal contenders
/// lie apart in less than one run of a hundred, with three in two of five.
pub const ORDERED_SEEDS_MIN: u32 = 10;

/// A figure with the step it was taken after.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Found<'a> {
    /// The figure.
    pub measured: &'a Measured,
    /// Index of the timeline.
    pub timeline: usize,
    /// Index of the step.
    pub step: usize,
}

/// A figure of a step, where there is one and it is a number.
pub fn figure<'a>(step: &'a Step, id: &str) -> Option<&'a Measured> {
    let is_number = |measured: &&Measured| {
        [measured.median, measured.low, measured.high].iter().all(|value| value.is_finite())
    };
    step.metrics.get(id).filter(is_number)
}

/// Every step of a contender with the indices of timeline and step.
pub fn steps(contender: &Contender) -> impl Iterator<Item = (usize, usize, &Step)> {
    contender.timelines.iter().enumerate().flat_map(|(timeline, done)| {
        done.steps.iter().enumerate().map(move |(step, taken)| (timeline, step, taken))
    })
}

/// The worst median of a contender's figure over every step.
pub fn worst<'a>(contender: &'a Contender, id: &str) -> Option<Found<'a>> {
    let higher = metric(id).is_some_and(|(metric, _)| metric.better == Better::Higher);
    let found = steps(contender).filter_map(|(timeline, step, taken)| {
        Some(Found { measured: figure(taken, id)?, timeline, step })
    });
    found.reduce(|a, b| {
        let worse = if higher {
            b.measured.median < a.measured.median
        } else {
            b.measured.median > a.measured.median
        };
        if worse { b } else { a }
    })
}

impl RunResults {
    /// Whether there are seeds enough to put figures in an order: of equal contenders with two or
    /// three seeds each, the ranges of some lie apart more often than not.
    pub fn has_order(&self) -> bool {
        self.seeds >= ORDERED_SEEDS_MIN
    }

    /// A step in words: `“add two”`, with its timeline where there are several.
    pub fn step_name(&self, timeline: usize, step: usize) -> String {
        let Some(planned) = self.plan.get(timeline) else {
            return format!("step {step}");
        };
        let label = planned.steps.get(step).map_or("start", |step| step.label.as_str());
        let times = planned.steps.iter().filter(|other| other.label == label).count();
        let place = if times > 1 { format!(" (step {step})") } else { String::new() };
        if self.plan.len() > 1 {
            format!("“{label}”{place} of “{}”", planned.name)
        } else {
            format!("“{label}”{place}")
        }
    }
}
