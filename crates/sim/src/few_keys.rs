//! What chance allows where keys are few: the floor that a report then leads with.

use std::collections::BTreeSet;

use placelab_core::Roster;
use placelab_core::math::{exp, ln};
use placelab_metrics::null::UnitNull;
use placelab_metrics::whole_keys::least_max_over_mean;
use placelab_results::{Chance, FewKeys, KEYS_A_NODE_MIN, Measure, Quantum, fixed, table_floor};

use crate::chance::Chances;
use crate::plan::Plan;
use crate::summary::rounded;

/// Fleet sizes of the curve that are evenly spaced by ratio.
const SPACED: u32 = 24;
/// Most fleet sizes of the curve that are those of the plan.
const PLANNED_MAX: usize = 16;

/// A fleet of the plan by what chance asks of it.
struct Fleet<'a> {
    timeline: usize,
    step: usize,
    roster: &'a Roster,
    /// Nodes of positive weight.
    nodes: u32,
    has_equal_weights: bool,
}

impl<'a> Fleet<'a> {
    fn new(timeline: usize, step: usize, roster: &'a Roster) -> Self {
        let weights = || roster.serving().map(|node| node.weight);
        let (nodes, heaviest) = (weights().count() as u32, roster.max_weight());
        let has_equal_weights = weights().all(|weight| weight == heaviest);
        Fleet { timeline, step, roster, nodes, has_equal_weights }
    }
}

/// The floor of the first fleet with the fewest keys a node, where these are few. A fleet of one
/// has nothing to be uneven about.
pub(crate) fn few_keys(plan: &Plan, keys: u64, chances: &Chances) -> Option<FewKeys> {
    let fleets: Vec<Vec<Fleet>> = plan
        .timelines
        .iter()
        .enumerate()
        .map(|(timeline, planned)| {
            let steps = planned.steps.iter().enumerate();
            steps.map(|(step, planned)| Fleet::new(timeline, step, &planned.after)).collect()
        })
        .collect();
    let largest = fleets.iter().flatten().rev().max_by_key(|fleet| fleet.nodes)?;
    if largest.nodes < 2 || keys >= KEYS_A_NODE_MIN * u64::from(largest.nodes) {
        return None;
    }
    let on_curve = |fleet: &Fleet| fleet.has_equal_weights.then_some(fleet.nodes);
    let sizes: BTreeSet<u32> = fleets.iter().flatten().map(|fleet| fleet.nodes).collect();
    let curve = sizes_of_curve(&sizes).into_iter().map(|nodes| quantum(keys, nodes)).collect();
    let on_curve = fleets.iter().map(|steps| steps.iter().map(on_curve).collect()).collect();
    Some(FewKeys { on_curve, curve, ..floor(largest, keys, chances) })
}

/// What chance and the best table give to a fleet, without the curve.
fn floor(fleet: &Fleet, keys: u64, chances: &Chances) -> FewKeys {
    let null = chances.of(fleet.roster);
    let (idle, loads) = (null.unit.idle(), &null.loads[&Measure::Keys]);
    let weights: Vec<u64> = fleet.roster.serving().map(|node| node.weight.micros()).collect();
    let fair = keys as f64 / f64::from(fleet.nodes);
    let in_keys = |Chance { mean, low, high }: Chance| {
        let keys = Chance { mean: mean * fair, low: low * fair, high: high * fair };
        fleet.has_equal_weights.then(|| rounded(keys))
    };
    FewKeys {
        timeline: fleet.timeline,
        step: fleet.step,
        nodes: fleet.nodes,
        keys,
        idle: fixed(idle.expected),
        idle_probability: fixed(idle.probability),
        max_over_mean: rounded(loads.max_over_mean),
        min_over_mean: rounded(loads.min_over_mean),
        max_keys: in_keys(loads.max_over_mean),
        min_keys: in_keys(loads.min_over_mean),
        table_max_over_mean: fixed(least_max_over_mean(keys, &weights)),
        table_max_keys: fleet.has_equal_weights.then(|| keys.div_ceil(fleet.nodes.into())),
        on_curve: Vec::new(),
        curve: Vec::new(),
    }
}

fn quantum(keys: u64, nodes: u32) -> Quantum {
    let null = UnitNull::of_equal(keys, nodes.into());
    Quantum {
        nodes,
        max_over_mean: rounded(null.chance().max_over_mean),
        table: fixed(table_floor(keys, nodes.into())),
    }
}

/// The sizes of a plan, thinned out from the largest down where they are many, and others at equal
/// ratios from 1 to twice the largest.
fn sizes_of_curve(planned: &BTreeSet<u32>) -> BTreeSet<u32> {
    let every = planned.len().div_ceil(PLANNED_MAX).max(1);
    let mut sizes: BTreeSet<u32> = planned.iter().rev().step_by(every).copied().collect();
    let span = ln(2.0 * f64::from(planned.last().copied().unwrap_or(1)));
    let spaced = |at: u32| exp(span * f64::from(at) / f64::from(SPACED - 1)).round() as u32;
    sizes.extend((0..SPACED).map(spaced));
    // A fleet of which every member has weight 0 is no fleet of the curve.
    sizes.remove(&0);
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_short_and_hold_the_plan() {
        let sizes = sizes_of_curve(&BTreeSet::from([6]));
        assert_eq!(sizes.into_iter().collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
        let sizes = sizes_of_curve(&BTreeSet::from([20, 120, 1_000_000]));
        assert!(sizes.is_superset(&BTreeSet::from([1, 20, 120, 1_000_000, 2_000_000])));
        let many: BTreeSet<u32> = (0..=9_999).collect();
        let sizes = sizes_of_curve(&many);
        assert!(sizes.len() <= 40 && sizes.contains(&9_999) && !sizes.contains(&0));
        assert_eq!(sizes.last(), Some(&19_998));
    }

    /// Twenty keys over six buckets: a largest 74 % above the mean and an empty one in 15 % of
    /// cases are chance; ten sessions leave one of four workers idle with probability 0.2194.
    #[test]
    fn a_quantum_is_what_chance_gives() {
        let twenty = quantum(20, 6);
        assert!((twenty.max_over_mean.mean - 1.74).abs() < 0.005, "{twenty:?}");
        assert_eq!(twenty.table, 1.2);
        let alone = quantum(20, 1);
        assert_eq!((alone.max_over_mean.mean, alone.table), (1.0, 1.0));
    }
}
