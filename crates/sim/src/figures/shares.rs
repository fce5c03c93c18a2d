//! Figures of exact shares: what nodes own of all keys there could be.

use std::collections::BTreeMap;

use placelab_core::{Node, NodeId, Roster};
use placelab_metrics::load::{balance, ratios};
use placelab_results::NODES_LISTED_MAX;

use super::{Measured, StepFigures};

impl Measured<'_> {
    /// Exact shares, where the scheme knows them or claims that they are the weights.
    pub(super) fn shares(
        &self,
        snapshot: usize,
        roster: &Roster,
        weights: &[u64],
        figures: &mut StepFigures,
    ) {
        let Some(placement) = self.snapshots[snapshot].placer.placement() else { return };
        let parts: Vec<u128> = match placement.shares() {
            Some(shares) => {
                let by_id: BTreeMap<NodeId, u128> = shares.parts.into_iter().collect();
                let part = |node: &Node| by_id.get(&node.id).copied().unwrap_or(0);
                roster.nodes().iter().map(part).collect()
            }
            None if self.has_fair_shares => weights.iter().copied().map(u128::from).collect(),
            None => return,
        };
        let ratios = ratios(&parts, weights);
        if let Some(balance) = balance(&ratios, weights) {
            let mut put = |id: &str, value| figures.metrics.insert(id.into(), value);
            put("share.max_over_mean", balance.max_over_mean);
            put("share.min_over_mean", balance.min_over_mean);
            put("share.cv", balance.cv);
            // To a thousandth: quotients of doubles are not 1 to the last bit.
            let error = (balance.max_over_mean - 1.0).max(1.0 - balance.min_over_mean);
            put("share.error", (error * 1e9).round() / 1e3);
        }
        figures.shares = (roster.len() <= NODES_LISTED_MAX).then_some(ratios);
    }
}
