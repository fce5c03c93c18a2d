//! What pure chance would give for each fleet of a plan: computed once, shared by all contenders.

use std::collections::BTreeMap;

use placelab_core::{CopyRule, Roster};
use placelab_metrics::null::{KeyWeights, LoadChance, UnitNull, WeightedNull, weight_classes};
use placelab_metrics::special::Tails;
use placelab_results::Measure;
use rayon::prelude::*;

use crate::keys::KeySource;
use crate::plan::Plan;
use crate::sweep::Marks;

/// The null models of a run.
pub struct Chances {
    by_fleet: BTreeMap<Vec<u64>, FleetChance>,
    /// Of the first fleet's ranks, by keys, at each mark.
    fills: Vec<(UnitNull, LoadChance)>,
}

/// The null models of one fleet.
pub struct FleetChance {
    /// The law of the key counts.
    pub unit: UnitNull,
    /// The laws where keys count by anything else.
    weighted: BTreeMap<Measure, WeightedNull>,
    /// What they give, by measure.
    pub loads: BTreeMap<Measure, LoadChance>,
    /// What the law of copies on distinct nodes gives, by keys; none where keys have one, or where
    /// copies keep to different domains.
    pub copies: Option<LoadChance>,
}

impl FleetChance {
    /// How spreads, one a hash seed, compare with ideal hashes.
    pub fn evenness(&self, measure: Measure, cvs: &[f64]) -> Option<Tails> {
        match measure {
            Measure::Keys => self.unit.evenness(cvs),
            _ => self.weighted.get(&measure)?.evenness(cvs),
        }
    }
}

impl Chances {
    /// The null models of every fleet of a plan for some keys, and of its first at marks.
    pub fn new(plan: &Plan, source: &KeySource, marks: Marks<'_>, copies: CopyRule) -> Self {
        let mut fleets: Vec<Vec<u64>> = plan
            .timelines
            .iter()
            .flat_map(|timeline| timeline.steps.iter().map(|step| sorted_weights(&step.after)))
            .collect();
        fleets.sort_unstable();
        fleets.dedup();
        let weighted: Vec<(Measure, KeyWeights)> = source
            .measures()
            .filter(|&measure| measure != Measure::Keys)
            .map(|measure| (measure, KeyWeights::from_runs(source.weight_runs(measure))))
            .collect();
        let of_fleet = |weights: Vec<u64>| {
            let unit = UnitNull::new(source.len(), &weights);
            let weighted: BTreeMap<Measure, WeightedNull> = weighted
                .iter()
                .map(|(measure, keys)| (*measure, WeightedNull::new(keys, &weights)))
                .collect();
            let mut loads = BTreeMap::from([(Measure::Keys, unit.chance())]);
            loads.extend(weighted.iter().map(|(measure, null)| (*measure, null.chance())));
            let copies = (copies.count > 1 && copies == CopyRule::plain(copies.count)).then(|| {
                let count = copies.count as u64;
                let classes = weight_classes(&weights, count);
                UnitNull::of_classes(source.len(), count, &classes).chance()
            });
            (weights, FleetChance { unit, weighted, loads, copies })
        };
        let slots = rank_weights(&plan.start, marks.ranks);
        let at_mark = |&keys: &u64| {
            let unit = UnitNull::new(keys, &slots);
            let chance = unit.chance();
            (unit, chance)
        };
        Chances {
            by_fleet: fleets.into_par_iter().map(of_fleet).collect(),
            fills: marks.keys.iter().map(at_mark).collect(),
        }
    }

    /// The null models of the ranks of the first fleet at a mark, and what they give.
    pub fn at_mark(&self, mark: usize) -> &(UnitNull, LoadChance) {
        &self.fills[mark]
    }

    /// The null models of a fleet of the plan. Panics for any other.
    pub fn of(&self, roster: &Roster) -> &FleetChance {
        &self.by_fleet[&sorted_weights(roster)]
    }
}

/// The weight of each rank of each member in roster order, ranks of a member alike.
pub(crate) fn rank_weights(roster: &Roster, ranks: u32) -> Vec<u64> {
    let each =
        |node: &placelab_core::Node| std::iter::repeat_n(node.weight.micros(), ranks as usize);
    roster.nodes().iter().flat_map(each).collect()
}

/// Chance does not ask who has which weight.
fn sorted_weights(roster: &Roster) -> Vec<u64> {
    let mut weights: Vec<u64> = roster.nodes().iter().map(|node| node.weight.micros()).collect();
    weights.sort_unstable();
    weights
}
