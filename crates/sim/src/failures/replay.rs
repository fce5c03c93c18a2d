//! Failures one by one: the contender without the nodes that failed, asked for every key.

use placelab_core::{NodeId, Placement, PlacementError};
use placelab_metrics::failures::{Aftermath, Calm};
use rayon::prelude::*;

use super::{Before, Capacity, Subject};

/// Keys that a thread takes at a time.
const SHARE_KEYS: usize = 4_096;

impl Subject<'_> {
    /// The copies of every key before anybody fails.
    pub(super) fn before(&self, capacity: &Capacity) -> Before {
        let count = self.chooser.count();
        let mut copies = vec![NodeId::NOBODY; self.keys.len() * count];
        copies.par_chunks_mut(SHARE_KEYS * count).enumerate().for_each(|(share, rows)| {
            for (at, row) in rows.chunks_exact_mut(count).enumerate() {
                let key = self.keys.get(share * SHARE_KEYS + at);
                self.chooser.choose(self.placement, key, row);
            }
        });
        let mut loads = vec![0; self.node_count()];
        for (at, row) in copies.chunks_exact(count).enumerate() {
            let amount = u128::from(self.keys.count(at));
            row.iter().for_each(|node| loads[node.index()] += amount);
        }
        let capacity = capacity.of(self.roster(), &loads);
        Before { copies, calm: Calm::new(self.roster(), loads, capacity) }
    }

    /// What each of some failures leaves behind.
    pub(super) fn replay_all(
        &self,
        failures: &[Vec<NodeId>],
        before: &Before,
    ) -> Result<Vec<Aftermath>, PlacementError> {
        failures.par_iter().map(|gone| self.replay(gone, before)).collect()
    }

    fn replay(&self, gone: &[NodeId], before: &Before) -> Result<Aftermath, PlacementError> {
        let after = self.without(gone)?;
        let (mut loads, mut received) = (vec![0; self.node_count()], vec![0; self.node_count()]);
        self.each_key_under(after.as_ref(), |at, copies| {
            let amount = u128::from(self.keys.count(at));
            let holders = &before.copies[at * copies.len()..(at + 1) * copies.len()];
            let lost_one = holders.iter().any(|node| gone.contains(node));
            for node in copies {
                loads[node.index()] += amount;
                if lost_one && !holders.contains(node) {
                    received[node.index()] += amount;
                }
            }
        })?;
        let by_id = |sums: Vec<u128>| move |node: NodeId| sums[node.index()];
        Ok(before.calm.aftermath(gone.to_vec(), by_id(loads), by_id(received)))
    }

    /// The copies of every key under the placement without some nodes.
    fn each_key_under(
        &self,
        after: &dyn Placement,
        mut visit: impl FnMut(usize, &[NodeId]),
    ) -> Result<(), PlacementError> {
        let chooser = self.copies.chooser(after.roster())?;
        let mut copies = vec![NodeId::NOBODY; chooser.count()];
        for at in 0..self.keys.len() {
            chooser.choose(after, self.keys.get(at), &mut copies);
            visit(at, &copies);
        }
        Ok(())
    }

    /// The loads without some nodes; nothing where the fleet cannot go on without them.
    pub(super) fn loads_without(&self, gone: &[NodeId]) -> Option<Vec<u128>> {
        let after = self.without(gone).ok()?;
        let mut loads = vec![0; self.node_count()];
        let counted = self.each_key_under(after.as_ref(), |at, copies| {
            let amount = u128::from(self.keys.count(at));
            copies.iter().for_each(|node| loads[node.index()] += amount);
        });
        counted.ok().map(|()| loads)
    }
}
