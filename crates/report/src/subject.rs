//! What a report is about: the results with the questions that every part of the report asks.

use placelab_results::{
    Better, Contender, Measured, ORDERED_SEEDS_MIN, Role, RunResults, Spread, Step, Timeline,
    Timings, Verdict, metric, verdict,
};

use crate::palette::{Look, looks};

/// Results, times, and how contenders are drawn and named.
pub(crate) struct Subject<'a> {
    pub(crate) results: &'a RunResults,
    pub(crate) timings: Option<&'a Timings>,
    pub(crate) verdict: Verdict,
    /// Decimals that tell loads apart where chance decides: more keys, more decimals.
    pub(crate) decimals: usize,
    looks: Vec<Look>,
}

/// A figure with the step it was taken after.
#[derive(Clone, Copy)]
pub(crate) struct Found<'a> {
    pub(crate) measured: &'a Measured,
    pub(crate) timeline: usize,
    pub(crate) step: usize,
}

impl<'a> Subject<'a> {
    /// Looks at a run.
    pub(crate) fn new(results: &'a RunResults, timings: Option<&'a Timings>) -> Self {
        let mut subject = Subject {
            results,
            timings,
            verdict: verdict(results, timings),
            decimals: 2,
            looks: looks(&results.contenders),
        };
        subject.decimals = subject.load_decimals();
        subject
    }

    /// How the contender at an index is drawn.
    pub(crate) fn look(&self, index: usize) -> Look {
        self.looks[index]
    }

    /// The look of a contender by name, for timings.
    pub(crate) fn look_named(&self, name: &str) -> Option<Look> {
        let index = self.results.contenders.iter().position(|other| other.name == name)?;
        Some(self.looks[index])
    }

    /// Whether there are seeds enough to put contenders in an order: of equal contenders with two
    /// or three seeds each, the ranges of some lie apart more often than not.
    pub(crate) fn has_order(&self) -> bool {
        self.results.seeds >= ORDERED_SEEDS_MIN
    }

    /// Whether a figure has a range over the seeds.
    pub(crate) fn has_intervals(&self) -> bool {
        self.results.seeds > 1
    }

    /// Two decimals, or as many as the width of the band of chance asks for.
    fn load_decimals(&self) -> usize {
        let bands = self.results.contenders.iter().flat_map(steps).filter_map(|(_, _, step)| {
            let chance = step.metrics.get("load.max_over_mean")?.chance?;
            Some(chance.high - chance.low).filter(|width| *width > 0.0)
        });
        match bands.fold(f64::INFINITY, f64::min) {
            width if width < 0.004 => 4,
            width if width < 0.04 => 3,
            _ => 2,
        }
    }

    /// A load over the fair load, without unit.
    pub(crate) fn load(&self, value: f64) -> String {
        crate::number::ratio(value, self.decimals)
    }

    /// Whether some contender has a figure.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.results.contenders.iter().any(|contender| worst(contender, id).is_some())
    }

    /// Whether keys have several copies, and it is known what becomes of them.
    pub(crate) fn has_copies(&self) -> bool {
        self.results.replicas > 1 && self.has("replica.changed")
    }

    /// A step in words: `“add two”`, with its timeline where there are several.
    pub(crate) fn step_name(&self, timeline: usize, step: usize) -> String {
        let Some(planned) = self.results.plan.get(timeline) else {
            return format!("step {step}");
        };
        let label = planned.steps.get(step).map_or("start", |step| step.label.as_str());
        let times = planned.steps.iter().filter(|other| other.label == label).count();
        let place = if times > 1 { format!(" (step {step})") } else { String::new() };
        if self.results.plan.len() > 1 {
            format!("“{label}”{place} of “{}”", planned.name)
        } else {
            format!("“{label}”{place}")
        }
    }

    /// Sum of a fraction over the steps of a timeline, where the contender took all of them.
    pub(crate) fn total(&self, contender: &Contender, timeline: usize, id: &str) -> Option<Spread> {
        let planned = self.results.plan.get(timeline)?;
        let done = contender.timelines.get(timeline)?;
        if done.refusal.is_some() || done.steps.len() < planned.steps.len().max(2) {
            return None;
        }
        let total = done.totals.get(id)?;
        Some(Spread { median: total.median, low: total.low, high: total.high })
    }

    /// The name of a contender as figures show it.
    pub(crate) fn name(&self, contender: &Contender) -> String {
        let name = crate::text::one_line(&contender.name);
        if contender.is_rival() { name } else { format!("{name} ({})", contender.role.name()) }
    }

    /// The names of the contenders of a role.
    pub(crate) fn names_of(&self, role: Role) -> Vec<String> {
        let those = self.results.contenders.iter().filter(|contender| contender.role == role);
        those.map(|contender| crate::text::one_line(&contender.name)).collect()
    }

    /// Who stands apart where only those are compared that may be chosen: `canaries and exhibits`.
    pub(crate) fn others(&self) -> Option<String> {
        let kinds = [(Role::Canary, "canaries"), (Role::Exhibit, "exhibits")];
        let present = kinds.into_iter().filter(|(role, _)| !self.names_of(*role).is_empty());
        let words: Vec<&str> = present.map(|(_, word)| word).collect();
        (!words.is_empty()).then(|| crate::text::list(&words))
    }

    /// The count of nodes that timings were taken at which is nearest to the fleet's.
    pub(crate) fn timed_nodes(&self) -> Option<u32> {
        let fleet = self.results.plan.first()?.steps.last()?.nodes;
        let lookups = &self.timings?.lookups;
        lookups.iter().map(|lookup| lookup.nodes).min_by_key(|nodes| nodes.abs_diff(fleet))
    }
}

/// Least movement of all the steps of a timeline.
pub(crate) fn least(timeline: &Timeline) -> f64 {
    timeline.steps.iter().skip(1).map(|step| step.minimum).sum()
}

/// A figure of a step, where there is one.
pub(crate) fn figure<'a>(step: &'a Step, id: &str) -> Option<&'a Measured> {
    let is_number = |measured: &&Measured| {
        [measured.median, measured.low, measured.high].iter().all(|value| value.is_finite())
    };
    step.metrics.get(id).filter(is_number)
}

/// Every step of a contender with the indices of timeline and step.
pub(crate) fn steps(contender: &Contender) -> impl Iterator<Item = (usize, usize, &Step)> {
    contender.timelines.iter().enumerate().flat_map(|(timeline, done)| {
        done.steps.iter().enumerate().map(move |(step, taken)| (timeline, step, taken))
    })
}

/// The worst median of a contender's figure over every step.
pub(crate) fn worst<'a>(contender: &'a Contender, id: &str) -> Option<Found<'a>> {
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
