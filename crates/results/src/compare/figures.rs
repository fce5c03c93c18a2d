//! Which figures differ by more than the luck of the hash seeds.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Pair, Sides, Turn};
use crate::catalogue::{Better, METRICS, Measure, Metric};
use crate::schema::{Contender, Role, RunResults};
use crate::worst::worst;

/// The figures of contenders of both runs: every metric of the catalogue of which more or less is
/// better, at the worst step of each run.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Figures {
    /// How many were compared.
    pub compared: u64,
    /// How many of them differ although their ranges overlap.
    pub within: u64,
    /// Metrics that some contender has in one run only.
    pub only: Sides<BTreeSet<String>>,
    /// Those whose ranges lie apart, by contender in the order of the catalogue.
    pub differences: Vec<Difference>,
}

/// A figure whose ranges lie apart.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Difference {
    /// The contender.
    pub contender: String,
    /// Why it is in the run after.
    pub role: Role,
    /// Id of the metric, with its measure.
    pub metric: String,
    /// The figure in each run.
    #[serde(flatten)]
    pub sides: Sides<WorstFigure>,
    /// Which way it turned: neither where seeds are too few, or the contender could take other
    /// steps than before.
    pub turn: Turn,
}

/// A figure at the step where its median is worst.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WorstFigure {
    /// Median over the seeds.
    pub median: f64,
    /// 5th percentile.
    pub low: f64,
    /// 95th percentile.
    pub high: f64,
    /// The step in words.
    pub step: String,
}

/// Compares every figure.
pub(super) fn figures(runs: Sides<&RunResults>, pairs: &[Pair]) -> Figures {
    let has_order = runs.before.has_order() && runs.after.has_order();
    let mut figures = Figures::default();
    for pair in pairs {
        for (metric, id) in ids() {
            let sides = Sides {
                before: worst_figure(runs.before, pair.contenders.before, &id),
                after: worst_figure(runs.after, pair.contenders.after, &id),
            };
            let (before, after) = match (sides.before, sides.after) {
                (Some(before), Some(after)) => (before, after),
                (before, after) => {
                    figures.only.before.extend(before.map(|_| id.clone()));
                    figures.only.after.extend(after.map(|_| id));
                    continue;
                }
            };
            figures.compared += 1;
            if before.low <= after.high && after.low <= before.high {
                let range = |figure: &WorstFigure| [figure.median, figure.low, figure.high];
                figures.within += u64::from(range(&before) != range(&after));
                continue;
            }
            let is_lower = after.median < before.median;
            let turn = match has_order && pair.came_equally_far() {
                true => Turn::better(is_lower == (metric.better == Better::Lower)),
                false => Turn::Neither,
            };
            figures.differences.push(Difference {
                contender: pair.name.into(),
                role: pair.contenders.after.role,
                metric: id,
                sides: Sides { before, after },
                turn,
            });
        }
    }
    figures
}

/// Every id of a metric of which more or less is better, in the order of the catalogue.
fn ids() -> impl Iterator<Item = (&'static Metric, String)> {
    let judged = METRICS.iter().filter(|metric| metric.better != Better::Neither);
    judged.flat_map(|metric| {
        let measures = Measure::ALL.into_iter();
        let taken = measures.filter(|by| metric.by_measure || *by == Measure::Keys);
        taken.map(move |by| (metric, by.id(metric.id)))
    })
}

fn worst_figure(run: &RunResults, contender: &Contender, id: &str) -> Option<WorstFigure> {
    let found = worst(contender, id)?;
    let measured = found.measured;
    let step = run.step_name(found.timeline, found.step);
    Some(WorstFigure { median: measured.median, low: measured.low, high: measured.high, step })
}
