//! Copies that a step makes: counts of the sets of nodes that hold a key, before and after.

use std::collections::BTreeMap;

use placelab_core::{NodeId, Roster};

use crate::flows::Amounts;
use crate::null::Inclusion;

/// What became of the copies of all keys in one comparison; integers, so that merging in any
/// order gives the same. Sums are wide because each key counts once for each of its copies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Copies {
    /// Copies on nodes that had none of the key before.
    pub changed: [u128; 3],
    /// Copies whose node is not the one of the same rank before.
    pub changed_ordered: [u128; 3],
    /// Keys whose owner stays although the set of their copies changes.
    pub behind_owner: [u128; 3],
    /// Copies made without a reason: on nodes whose weight rose relative to that of no node which
    /// they could stand in for.
    pub sideways: [u128; 3],
}

impl Copies {
    /// Counts one key: the nodes of its copies before and after, the owner first, what the key
    /// counts for, and how far the weight of each node rose ([`Targets::rises`]).
    ///
    /// [`Targets::rises`]: crate::movement::Targets::rises
    #[inline]
    pub fn add(&mut self, before: &[NodeId], after: &[NodeId], amounts: Amounts, rises: &[u32]) {
        let changed = after.iter().filter(|node| !before.contains(node)).count();
        let ordered = std::iter::zip(before, after).filter(|(a, b)| a != b).count();
        if ordered == 0 {
            return;
        }
        let is_behind = changed > 0 && before[0] == after[0];
        let sideways = if changed > 0 { changed - reasons(before, after, rises) } else { 0 };
        for (measure, amount) in amounts.into_iter().enumerate() {
            let times = |count: usize| u128::from(amount) * count as u128;
            self.changed[measure] += times(changed);
            self.changed_ordered[measure] += times(ordered);
            self.behind_owner[measure] += times(usize::from(is_behind));
            self.sideways[measure] += times(sideways);
        }
    }

    /// Adds the counts of other keys.
    pub fn merge(&mut self, other: &Copies) {
        let pairs = [
            (&mut self.changed, &other.changed),
            (&mut self.changed_ordered, &other.changed_ordered),
            (&mut self.behind_owner, &other.behind_owner),
            (&mut self.sideways, &other.sideways),
        ];
        for (sums, amounts) in pairs {
            sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum += amount);
        }
    }
}

/// The weights with which nodes count where each key has so many copies on distinct nodes, in
/// micro-units: no node can hold more than one copy of each key, so that of a heavier one is cut to
/// what would give it just that. Panics where fewer nodes have a positive weight.
///
/// ```
/// use placelab_metrics::copies::effective_weights;
/// assert_eq!(effective_weights(&[5, 1, 1, 1, 1], 2), [4, 1, 1, 1, 1]);
/// ```
pub fn effective_weights(weights: &[u64], copies: u64) -> Vec<u64> {
    let inclusion = Inclusion::new(weights, copies);
    weights.iter().map(|&weight| inclusion.effective(weight).round() as u64).collect()
}

/// Least part of the copies that must be made between two rosters, where each key has so many on
/// distinct nodes and nodes have copies by their weights: the sum of what nodes gain in the
/// probability to have a copy of a key, over the copies. Panics like [`effective_weights`].
pub fn least_made(before: &Roster, after: &Roster, copies: u64) -> f64 {
    let chances = |roster: &Roster| -> BTreeMap<NodeId, f64> {
        let weights: Vec<u64> = roster.nodes().iter().map(|node| node.weight.micros()).collect();
        let inclusion = Inclusion::new(&weights, copies);
        let chance = |node: &placelab_core::Node| inclusion.chance(node.weight.micros());
        roster.nodes().iter().map(|node| (node.id, chance(node))).collect()
    };
    let had = chances(before);
    let gain = |(id, chance): (NodeId, f64)| (chance - had.get(&id).unwrap_or(&0.0)).max(0.0);
    chances(after).into_iter().map(gain).sum::<f64>() / copies as f64
}

/// How many of the new copies have a reason: the most pairs of a node that lost its copy and one
/// that got one, such that the weight of the second rose relative to that of the first.
fn reasons(before: &[NodeId], after: &[NodeId], rises: &[u32]) -> usize {
    let rise = |node: &NodeId| rises[node.index()];
    let mut lost: Vec<u32> = before.iter().filter(|node| !after.contains(node)).map(rise).collect();
    let mut made: Vec<u32> = after.iter().filter(|node| !before.contains(node)).map(rise).collect();
    lost.sort_unstable();
    made.sort_unstable();
    // Whoever rose least takes over from whoever rose least: nobody could do with less.
    let mut paired = 0;
    for rise in made {
        paired += usize::from(lost[paired] < rise);
    }
    paired
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(before: [u32; 3], after: [u32; 3]) -> [u128; 3] {
        let mut copies = Copies::default();
        copies.add(&before.map(NodeId), &after.map(NodeId), [1, 10, 0], &[0; 6]);
        let by_keys = [copies.changed[0], copies.changed_ordered[0], copies.behind_owner[0]];
        let by_requests = [copies.changed[1], copies.changed_ordered[1], copies.behind_owner[1]];
        assert_eq!(by_requests, by_keys.map(|count| 10 * count));
        by_keys
    }

    #[test]
    fn sets_and_ranks_are_told_apart() {
        assert_eq!(counted([0, 1, 2], [0, 1, 2]), [0, 0, 0]);
        // The same nodes in another order: nothing to copy, two fragments to rebuild.
        assert_eq!(counted([0, 1, 2], [0, 2, 1]), [0, 2, 0]);
        // The owner stays and the second copy moves.
        assert_eq!(counted([0, 1, 2], [0, 3, 2]), [1, 1, 1]);
        // A new owner in front of all: one copy to make, every rank differs.
        assert_eq!(counted([0, 1, 2], [3, 0, 1]), [1, 3, 0]);
        assert_eq!(counted([0, 1, 2], [3, 4, 5]), [3, 3, 0]);
    }

    /// The owner and the next two of the list of nodes, five to six nodes: of six keys with an
    /// owner one moves to the new node. Of the 18 copies of those keys 0.8 are made between old
    /// nodes on average, 4.44 %.
    #[test]
    fn successors_in_a_list_move_between_old_nodes() {
        let mut copies = Copies::default();
        let next = |owner: u32, count: u32| [0, 1, 2].map(|k| NodeId((owner + k) % count));
        for owner in 0..5 {
            for stays in [true, true, true, true, true, false] {
                let after = next(if stays { owner } else { 5 }, 6);
                copies.add(&next(owner, 5), &after, [1, 0, 0], &[0, 0, 0, 0, 0, 1]);
            }
        }
        assert_eq!(copies.sideways[0], 4);
        assert!((4.0 / (5.0 * 18.0) - 0.0444f64).abs() < 1e-4);
    }

    /// Four equal nodes become five: each key's three copies give up 3/5 ÷ 3 to the new one. Six
    /// copies on six nodes are everywhere; when one joins, 6/7 of the keys have a copy there.
    #[test]
    fn the_least_is_what_shares_gain() {
        let fleet = |count| Roster::numbered(count).unwrap();
        assert!((least_made(&fleet(4), &fleet(5), 3) - 0.2).abs() < 1e-12);
        assert!((least_made(&fleet(6), &fleet(7), 6) - 1.0 / 7.0).abs() < 1e-12);
        assert_eq!(least_made(&fleet(5), &fleet(5), 2), 0.0);
        // A node that is cut to one copy of each key anyway need not get more when it grows.
        let heavy = |units| {
            let mut nodes: Vec<_> = (0..5).map(Roster::numbered_node).collect();
            nodes[0].weight = placelab_core::Weight::units(units);
            Roster::new(nodes).unwrap()
        };
        assert_eq!(least_made(&heavy(5), &heavy(50), 2), 0.0);
        assert!((least_made(&heavy(1), &heavy(2), 2) - (2.0 / 3.0 - 0.4) / 2.0).abs() < 1e-12);
    }

    /// Copies without a reason, where some nodes rose and some fell.
    fn sideways(before: [u32; 3], after: [u32; 3], rises: [u32; 6]) -> u128 {
        let mut copies = Copies::default();
        copies.add(&before.map(NodeId), &after.map(NodeId), [1, 0, 0], &rises);
        copies.sideways[0]
    }

    #[test]
    fn a_reason_is_a_rise_over_somebody_who_lost() {
        // Node 5 joins and takes over from node 2.
        assert_eq!(sideways([0, 1, 2], [5, 0, 1], [1, 1, 1, 1, 1, 2]), 0);
        // It takes over from node 1, and node 2 gives way to node 3 for nothing.
        assert_eq!(sideways([0, 1, 2], [5, 0, 3], [1, 1, 1, 1, 1, 2]), 1);
        // Node 0 goes; node 3 takes its place, and node 4 that of node 1 for nothing.
        assert_eq!(sideways([0, 1, 2], [2, 3, 4], [0, 1, 1, 1, 1, 1]), 1);
        // Ranks alone are no copies.
        assert_eq!(sideways([0, 1, 2], [2, 1, 0], [0, 1, 1, 1, 1, 1]), 0);
        // Each of two pairs has a reason, though not in every pairing.
        assert_eq!(sideways([0, 1, 2], [3, 4, 2], [0, 1, 5, 1, 2, 9]), 0);
    }
}
