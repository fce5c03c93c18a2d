//! Every metric once: id, label, unit, which way is better, definition.

use serde::Serialize;

/// By what keys are counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Each key once.
    Keys,
    /// Each key by its requests.
    Requests,
    /// Each key by its bytes.
    Bytes,
}

impl Measure {
    /// Every measure.
    pub const ALL: [Measure; 3] = [Measure::Keys, Measure::Requests, Measure::Bytes];

    /// The name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Keys => "keys",
            Measure::Requests => "requests",
            Measure::Bytes => "bytes",
        }
    }

    /// The id of a metric taken by this measure: by keys the plain id.
    pub fn id(self, metric: &str) -> String {
        match self {
            Measure::Keys => metric.into(),
            _ => format!("{metric}.{}", self.name()),
        }
    }
}

/// Which way a figure is better.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// A figure to read others by.
    Neither,
}

/// One metric.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Metric {
    /// The id in files and results.
    pub id: &'static str,
    /// The label on axes and tables.
    pub label: &'static str,
    /// The unit.
    pub unit: &'static str,
    /// Which way is better.
    pub better: Better,
    /// Whether it is taken by requests and bytes too, where keys have them.
    pub by_measure: bool,
    /// What it is.
    pub definition: &'static str,
}

const fn metric_of(
    id: &'static str,
    label: &'static str,
    unit: &'static str,
    better: Better,
    by_measure: bool,
    definition: &'static str,
) -> Metric {
    Metric { id, label, unit, better, by_measure, definition }
}

use Better::{Higher, Lower, Neither};

/// Every metric, grouped by what it is about.
#[rustfmt::skip]
pub const METRICS: &[Metric] = &[
    metric_of("load.max_over_mean", "largest load", "× fair", Lower, true,
        "Largest over the nodes of (load ÷ weight) ÷ (total load ÷ total weight)."),
    metric_of("load.min_over_mean", "smallest load", "× fair", Higher, true,
        "Smallest over the nodes of (load ÷ weight) ÷ (total load ÷ total weight)."),
    metric_of("load.cv", "spread of loads", "× fair", Lower, true,
        "Weighted coefficient of variation of the loads over their fair parts."),
    metric_of("load.excess", "largest load above chance", "× fair", Lower, true,
        "load.max_over_mean minus what an ideal hash would give on average."),
    metric_of("load.p_max", "chance of such a maximum", "probability", Neither, false,
        "Probability that an ideal hash has a largest load at least this high."),
    metric_of("load.p_uniform", "chance of such a spread", "probability", Neither, false,
        "P-value of the G-test of the key counts against the weights."),
    metric_of("share.max_over_mean", "largest exact share", "× fair", Lower, false,
        "load.max_over_mean of the exact shares: no sampling noise."),
    metric_of("share.min_over_mean", "smallest exact share", "× fair", Higher, false,
        "load.min_over_mean of the exact shares: no sampling noise."),
    metric_of("share.cv", "spread of exact shares", "× fair", Lower, false,
        "load.cv of the exact shares: no sampling noise."),
    metric_of("share.error", "exact share off target", "ppm", Lower, false,
        "Largest over the nodes of |exact share ÷ target share − 1|, in millionths."),
    metric_of("movement.moved", "moved", "fraction", Lower, true,
        "Fraction whose owner changed in the step."),
    metric_of("movement.forced", "moved with a reason", "fraction", Lower, true,
        "Fraction that moved to a node whose weight rose relative to the old owner's."),
    metric_of("movement.sideways", "moved without a reason", "fraction", Lower, true,
        "Fraction that moved although no weight rose relative to the old owner's."),
    metric_of("movement.minimum", "what exact shares need", "fraction", Neither, false,
        "Half the sum over the nodes of the absolute change of target share: what moves at least, \
         on average, where shares are exact."),
    metric_of("movement.minimum_realised", "least for these loads", "fraction", Neither, true,
        "Half the sum over the nodes of the absolute change of measured share of the load."),
    metric_of("movement.excess", "moved beyond the least", "fraction", Lower, true,
        "movement.moved minus movement.minimum; below 0 by the luck of the keys, or where shares \
         were not exact."),
    metric_of("movement.max_in", "largest part entering a node", "fraction", Lower, true,
        "Largest part of the total that enters one node."),
    metric_of("movement.max_out", "largest part leaving a node", "fraction", Lower, true,
        "Largest part of the total that leaves one node."),
    metric_of("failure.receivers", "survivors that receive", "nodes", Higher, false,
        "Survivors that receive keys of the nodes that went."),
    metric_of("failure.max_extra", "largest extra load", "× fair", Lower, false,
        "Largest receiver's part of the lost keys over its fair part by weight."),
    metric_of("failure.spread", "effective receivers", "nodes", Higher, false,
        "1 ÷ Σ p² over the receivers' parts p of the lost keys."),
    metric_of("failure.restored", "keys back at their node", "fraction", Higher, false,
        "Of the keys that returning nodes had before they went, the fraction they have again."),
    metric_of("replica.changed", "copies to make", "fraction", Lower, true,
        "Fraction of the copies that a step makes: on nodes that had no copy of the key before."),
    metric_of("replica.changed_ordered", "copies that differ by rank", "fraction", Lower, true,
        "Fraction of the copies whose node is not the one of the same rank before: what erasure \
         coding has to rebuild."),
    metric_of("replica.behind_owner", "copies made behind the owner", "fraction", Lower, true,
        "Fraction of keys whose owner stays although the set of its copies changes."),
    metric_of("replica.sideways", "copies made without a reason", "fraction", Lower, true,
        "Fraction of the copies that a step makes between nodes whose weight did not rise relative \
         to each other."),
    metric_of("replica.minimum", "least copies to make", "fraction", Neither, false,
        "Sum of what nodes gain in the probability to hold a copy of a key, over the copies; by \
         weights, with those cut that are above 1 ÷ copies of the whole."),
    metric_of("replica.max_over_mean", "largest load by copies", "× fair", Lower, true,
        "load.max_over_mean of all copies, over weights cut to one copy of each key."),
    metric_of("replica.min_over_mean", "smallest load by copies", "× fair", Higher, true,
        "load.min_over_mean of all copies, over weights cut to one copy of each key."),
    metric_of("replica.cv", "spread of loads by copies", "× fair", Lower, true,
        "load.cv of all copies, over weights cut to one copy of each key."),
    metric_of("replica.zone_violations", "keys with copies in one zone", "fraction", Lower, false,
        "Fraction of keys of which two copies are in one zone."),
    metric_of("replica.rack_violations", "keys with copies in one rack", "fraction", Lower, false,
        "Fraction of keys of which two copies are in one rack."),
    metric_of("capacity.first_full", "fill when the first node is full", "fraction", Higher, false,
        "All load over all capacity when the first node is full, where loads grow in proportion; \
         of copies where keys have several."),
    metric_of("capacity.used", "fullest node's use of its capacity", "fraction", Lower, false,
        "Load over capacity of the node that has the largest: above 1 it is over-full."),
    metric_of("work.lookup", "steps of a lookup", "steps", Lower, false,
        "Mean number of steps of a lookup over the first 1,024 keys."),
    metric_of("memory.shared_bytes", "memory all agree on", "bytes", Lower, false,
        "Bytes that every client must hold alike: members, weights, explicit tables."),
    metric_of("memory.derived_bytes", "memory derived", "bytes", Lower, false,
        "Bytes that each client derives from the shared ones: points, tables, seeds."),
    metric_of("table.rows", "rows of the table", "rows", Neither, false,
        "Rows of an explicit table that says who owns what."),
    metric_of("table.changed", "rows that change", "rows", Lower, false,
        "Rows of that table whose owner a step changes, with those that come and go."),
    metric_of("switch.together", "clients that switch together", "fraction", Lower, false,
        "Part of the clients that must take a step over at one moment: none where every key keeps \
         its row, so that a table is handed over row by row, or where no key moves; else all."),
    metric_of("switch.astray", "keys astray at a time", "fraction", Lower, false,
        "Largest part of the keys that clients before and after a step take to different nodes at \
         one time: all that move, or one row of a table that is handed over row by row. None is \
         missed where nodes before and after are both asked, for as many second reads."),
    metric_of("time.lookup_ns", "time of a lookup", "ns", Lower, false,
        "Nanoseconds of a lookup of a distinct, already hashed key. In timings only."),
    metric_of("time.apply_us", "time of a change", "µs", Lower, false,
        "Microseconds to apply the changes of a step. In timings only."),
    metric_of("time.build_us", "time of a build", "µs", Lower, false,
        "Microseconds to build the first fleet's placement. In timings only."),
];

/// The catalogue entry and measure of an id such as `load.cv.requests`.
pub fn metric(id: &str) -> Option<(&'static Metric, Measure)> {
    let find = |id: &str| METRICS.iter().find(|metric| metric.id == id);
    if let Some(metric) = find(id) {
        return Some((metric, Measure::Keys));
    }
    let (base, suffix) = id.rsplit_once('.')?;
    let measure = Measure::ALL.into_iter().find(|m| m.name() == suffix && *m != Measure::Keys)?;
    find(base).filter(|metric| metric.by_measure).map(|metric| (metric, measure))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_and_labels_stand_once() {
        let ids: BTreeSet<_> = METRICS.iter().map(|metric| metric.id).collect();
        let labels: BTreeSet<_> = METRICS.iter().map(|metric| metric.label).collect();
        assert_eq!((ids.len(), labels.len()), (METRICS.len(), METRICS.len()));
    }

    #[test]
    fn ids_carry_their_measure() {
        assert_eq!(
            metric("load.cv.requests").map(|(m, by)| (m.id, by)),
            Some(("load.cv", Measure::Requests))
        );
        assert_eq!(metric("load.cv").map(|(_, by)| by), Some(Measure::Keys));
        assert!(metric("load.p_max.bytes").is_none());
        assert!(metric("load.cv.keys").is_none());
    }
}
