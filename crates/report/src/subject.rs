//! What a report is about: the results with the questions that every part of the report asks.

pub(crate) use placelab_results::Spread;
pub(crate) use placelab_results::worst::{Found, ORDERED_SEEDS_MIN, figure, steps, worst};
use placelab_results::{Contender, Role, RunResults, Timeline, Timings, Verdict, verdict};

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

    /// Whether there are seeds enough to put contenders in an order.
    pub(crate) fn has_order(&self) -> bool {
        self.results.has_order()
    }

    /// Whether a figure has a range over the seeds.
    pub(crate) fn has_intervals(&self) -> bool {
        self.results.seeds > 1
    }

    /// The hash seeds of the run: `20 hash seeds: 0 to 19`.
    pub(crate) fn seeds(&self) -> String {
        let seeds = self.results.seeds;
        let count = crate::text::plural(seeds.into(), "hash seed", "hash seeds");
        match seeds {
            2.. => format!("{count}: 0 to {}", crate::number::count(u64::from(seeds) - 1)),
            _ => count,
        }
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
        self.results.step_name(timeline, step)
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
