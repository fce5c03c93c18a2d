//! The owner table: a fixed number of buckets, and who owns each.
//!
//! What alias tables, slots and shard maps of one copy have in common. One rule rebalances it: each
//! node's target is its share by largest remainder, whoever is above takes leave of its lowest
//! buckets, and free buckets go, lowest first, to whoever lacks most; ties go by name bytes. So a
//! table follows new members and weights by the fewest buckets that reach the targets. Cost:
//! O(L + N log N) a rebalance of L buckets.
//!
//! What it cannot do: promise that no bucket moves without a reason. Where weights differ,
//! rounding may raise the target of a node whose weight did not change.

mod naive;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use placelab_core::{Change, Node, NodeId, PlacementError, Roster, Shares};

pub(crate) use naive::{naive_rebalance, naive_table};

/// Refuses a fleet of more nodes than buckets. `parameter` is what counts them.
pub(crate) fn check_room(
    parameter: &'static str,
    buckets: u64,
    roster: &Roster,
) -> Result<(), PlacementError> {
    let serving = roster.serving().count() as u64;
    if serving <= buckets {
        return Ok(());
    }
    Err(PlacementError::Parameter {
        parameter: parameter.into(),
        reason: format!(
            "{buckets} {parameter} are fewer than the fleet's {serving} nodes: choose more"
        ),
    })
}

/// A table of so many buckets, dealt out by weight.
pub(crate) fn dealt(buckets: usize, roster: &Roster) -> Vec<NodeId> {
    let mut owners = vec![NodeId::NOBODY; buckets];
    rebalance(&mut owners, roster, weight);
    owners
}

/// The part of a node in a table that knows every digit of its weight.
fn weight(node: &Node) -> u64 {
    node.weight.micros()
}

/// Brings a table to the weights of a roster after some changes. Ties go by name, but a name alone
/// is no reason to give anything up.
pub(crate) fn follow(owners: &mut [NodeId], next: &Roster, changes: &[Change]) {
    if !are_renames(changes) {
        rebalance(owners, next, weight);
    }
}

/// Whether nothing changes but names.
pub(crate) fn are_renames(changes: &[Change]) -> bool {
    changes.iter().all(|change| matches!(change, Change::Rename(..)))
}

/// Brings a table to the targets of a roster by the fewest buckets; `part` says in which ratio
/// nodes of positive weight share it.
pub(crate) fn rebalance(owners: &mut [NodeId], roster: &Roster, part: impl Fn(&Node) -> u64) {
    let targets = targets(owners.len() as u64, roster, part);
    let mut surplus: BTreeMap<NodeId, i64> =
        targets.iter().map(|&(node, target)| (node, -(target as i64))).collect();
    for owner in owners.iter() {
        surplus.entry(*owner).and_modify(|surplus| *surplus += 1);
    }
    let ranks = (0u32..).zip(&targets);
    let mut lacking: BinaryHeap<(i64, Reverse<u32>, NodeId)> = ranks
        .map(|(rank, (node, _))| (-surplus[node], Reverse(rank), *node))
        .filter(|(lack, ..)| *lack > 0)
        .collect();
    for owner in owners {
        let is_free = match surplus.get_mut(owner) {
            Some(surplus) if *surplus > 0 => {
                *surplus -= 1;
                true
            }
            Some(_) => false,
            None => true,
        };
        if is_free {
            let (lack, rank, node) = lacking.pop().expect("targets sum to the number of buckets");
            *owner = node;
            if lack > 1 {
                lacking.push((lack - 1, rank, node));
            }
        }
    }
}

/// Buckets in proportion to the parts by largest remainder, in name order.
fn targets(buckets: u64, roster: &Roster, part: impl Fn(&Node) -> u64) -> Vec<(NodeId, u64)> {
    let parts: Vec<u64> = roster.serving_by_name().map(part).collect();
    let nodes = roster.serving_by_name().map(|node| node.id);
    nodes.zip(largest_remainder(buckets, &parts)).collect()
}

/// So many things in proportion to some parts, each its whole quota and those that are left to the
/// largest remainders, the first among equals. Panics where all parts are 0.
pub(crate) fn largest_remainder(things: u64, parts: &[u64]) -> Vec<u64> {
    let total: u128 = parts.iter().map(|part| u128::from(*part)).sum();
    let quota = |part: &u64| u128::from(things) * u128::from(*part);
    let mut shares: Vec<u64> = parts.iter().map(|part| (quota(part) / total) as u64).collect();
    let left = things - shares.iter().sum::<u64>();
    let mut ranks: Vec<usize> = (0..parts.len()).collect();
    ranks.sort_by_key(|rank| (Reverse(quota(&parts[*rank]) % total), *rank));
    ranks.into_iter().take(left as usize).for_each(|rank| shares[rank] += 1);
    shares
}

/// The part of the buckets that each node owns.
pub(crate) fn shares(owners: &[NodeId], roster: &Roster) -> Shares {
    let mut counts = BTreeMap::new();
    owners.iter().for_each(|owner| *counts.entry(*owner).or_insert(0) += 1);
    Shares::of_roster(roster, owners.len() as u128, |id| counts.get(&id).copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use placelab_core::Weight;

    use super::*;
    use crate::fixtures::weighted;

    fn counts(owners: &[NodeId], nodes: usize) -> Vec<usize> {
        (0..nodes).map(|node| owners.iter().filter(|owner| owner.index() == node).count()).collect()
    }

    #[test]
    fn targets_go_by_largest_remainder() {
        let buckets = |weights: &[u32], buckets| {
            let owners = dealt(buckets, &weighted(weights));
            counts(&owners, weights.len())
        };
        assert_eq!(buckets(&[1, 2, 3], 6), [1, 2, 3]);
        // 1.67, 3.33, 5: the largest remainder takes the last bucket.
        assert_eq!(buckets(&[1, 2, 3], 10), [2, 3, 5]);
        // Equal remainders: the first in name order.
        assert_eq!(buckets(&[1, 1, 1], 10), [4, 3, 3]);
        assert_eq!(buckets(&[0, 1, 1], 4), [0, 2, 2]);
        assert_eq!(buckets(&[1, 1_000], 4), [0, 4]);
    }

    /// The slow twin: every table of a small world that meets the targets, the one that differs
    /// in fewest buckets.
    #[test]
    fn the_fewest_buckets_move() {
        let rosters = [[1, 1, 1], [1, 2, 3], [3, 1, 0], [0, 0, 1], [5, 5, 2]].map(|w| weighted(&w));
        for before in &rosters {
            for after in &rosters {
                let old = dealt(7, before);
                let mut new = old.clone();
                rebalance(&mut new, after, weight);
                let wanted = counts(&dealt(7, after), 3);
                assert_eq!(counts(&new, 3), wanted);
                let moved = std::iter::zip(&old, &new).filter(|(a, b)| a != b).count();
                let least = (0..3usize.pow(7))
                    .map(|code| (0..7).map(|at| code / 3usize.pow(at) % 3).collect::<Vec<_>>())
                    .map(|table| table.iter().map(|&at| NodeId(at as u32)).collect::<Vec<_>>())
                    .filter(|table| counts(table, 3) == wanted)
                    .map(|table| std::iter::zip(&old, &table).filter(|(a, b)| a != b).count())
                    .min();
                assert_eq!(Some(moved), least);
            }
        }
    }

    #[test]
    fn a_node_that_goes_gives_up_only_its_own() {
        let before = Roster::numbered(8).unwrap();
        let after = before.after(&[Change::Remove(NodeId(3))]).unwrap();
        let old = dealt(896, &before);
        let mut new = old.clone();
        rebalance(&mut new, &after, weight);
        let moves = std::iter::zip(&old, &new).filter(|(a, b)| a != b);
        assert!(moves.clone().all(|(source, _)| *source == NodeId(3)));
        assert_eq!(moves.count(), 112);
        // The lowest free buckets go to whoever lacks most, by name: each once before anybody
        // has two.
        let first: Vec<NodeId> =
            std::iter::zip(&old, &new).filter(|(a, b)| a != b).map(|(_, b)| *b).take(7).collect();
        assert_eq!(first, [0, 1, 2, 4, 5, 6, 7].map(NodeId));
        let idle = Change::Reweight(NodeId(0), Weight::ZERO);
        rebalance(&mut new, &after.after(&[idle]).unwrap(), weight);
        assert!(!new.contains(&NodeId(0)));
    }
}
