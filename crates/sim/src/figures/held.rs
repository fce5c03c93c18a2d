//! Figures of what nodes hold in each state: copies, and how full that makes them.

use placelab_core::{Node, Roster};
use placelab_metrics::capacity::first_full;
use placelab_metrics::copies::{effective_weights, least_made};
use placelab_metrics::load::{balance, ratios};

use super::{Measured, StepFigures};
use crate::plan::PlannedStep;
use crate::replay::Comparison;

impl Measured<'_> {
    /// What nodes hold where keys have several copies: loads over those of the effective weights,
    /// and keys whose copies share a domain.
    pub(super) fn holdings(
        &self,
        snapshot: usize,
        roster: &Roster,
        weights: &[u64],
        figures: &mut StepFigures,
    ) {
        let Some(held) = self.holdings.get(snapshot) else { return };
        let weights = effective_weights(weights, self.setting.copies.count as u64);
        for measure in self.measures() {
            let load = |node: &Node| u128::from(held.loads[node.id.index()][measure as usize]);
            let loads: Vec<u128> = roster.nodes().iter().map(load).collect();
            let Some(balance) = balance(&ratios(&loads, &weights), &weights) else { continue };
            let mut put = |id: &str, value| figures.metrics.insert(measure.id(id), value);
            put("replica.max_over_mean", balance.max_over_mean);
            put("replica.min_over_mean", balance.min_over_mean);
            put("replica.cv", balance.cv);
        }
        let keys = self.setting.source.len() as f64;
        let known: [fn(&Node) -> bool; 2] =
            [|node| node.zone.is_some(), |node| node.rack.is_some()];
        let ids = ["replica.zone_violations", "replica.rack_violations"];
        for ((id, is_known), shared) in ids.into_iter().zip(known).zip(held.shared) {
            if roster.nodes().iter().any(is_known) {
                figures.metrics.insert(id.into(), shared as f64 / keys);
            }
        }
    }

    /// Who is full first as loads grow: those of copies where keys have several, else of owners.
    pub(super) fn capacity(&self, snapshot: usize, roster: &Roster, figures: &mut StepFigures) {
        let Some(capacities) = self.setting.capacities else { return };
        let loads = self.holdings.get(snapshot).map_or(&self.loads[snapshot], |held| &held.loads);
        let measure = capacities.measure as usize;
        let load = |node: &Node| u128::from(loads[node.id.index()][measure]);
        let loads: Vec<u128> = roster.nodes().iter().map(load).collect();
        let bounds: Vec<Option<u64>> =
            roster.nodes().iter().map(|node| capacities.of(node.id)).collect();
        let Some(first) = first_full(&loads, &bounds) else { return };
        figures.metrics.insert("capacity.first_full".into(), first.fill);
        figures.metrics.insert("capacity.used".into(), first.used);
        figures.first_full = Some(first.node);
    }

    /// The copies that a step makes, where keys have several.
    pub(super) fn copies(
        &self,
        planned: &PlannedStep,
        comparison: Comparison,
        figures: &mut StepFigures,
    ) {
        let Some(copies) = self.copies.get(self.comparisons.place(comparison)) else { return };
        let count = self.setting.copies.count as u64;
        let least = least_made(&planned.before, &planned.after, count);
        figures.metrics.insert("replica.minimum".into(), least);
        for measure in self.measures() {
            let keys = self.setting.source.totals().by(measure).unwrap_or(0) as f64;
            let of_all = |sums: [u128; 3], whole: f64| match whole {
                0.0 => 0.0,
                _ => sums[measure as usize] as f64 / whole,
            };
            let all_copies = keys * count as f64;
            let mut put = |id: &str, value| figures.metrics.insert(measure.id(id), value);
            put("replica.changed", of_all(copies.changed, all_copies));
            put("replica.changed_ordered", of_all(copies.changed_ordered, all_copies));
            put("replica.behind_owner", of_all(copies.behind_owner, keys));
            put("replica.sideways", of_all(copies.sideways, all_copies));
        }
    }
}
