//! The twin of the owner table: its rule in the words of the documentation, one bucket at a time.

use std::collections::BTreeSet;

use placelab_core::{Change, History, NodeId, Roster};

/// The owners of so many buckets, shared by weight, after a history.
pub(crate) fn naive_table(buckets: usize, history: &History) -> Vec<NodeId> {
    let parts = |roster: &Roster| -> Vec<(NodeId, u64)> {
        roster.serving_by_name().map(|node| (node.id, node.weight.micros())).collect()
    };
    let mut roster = history.start.clone();
    let mut owners = vec![NodeId::NOBODY; buckets];
    naive_rebalance(&mut owners, &parts(&roster));
    for changes in &history.steps {
        roster = roster.after(changes).expect("steps of a history are possible");
        if changes.iter().any(|change| !matches!(change, Change::Rename(..))) {
            naive_rebalance(&mut owners, &parts(&roster));
        }
    }
    owners
}

/// Brings a table to the ratio of the parts, which are in name order.
pub(crate) fn naive_rebalance(owners: &mut [NodeId], parts: &[(NodeId, u64)]) {
    let targets = targets(owners.len(), parts);
    let target_of = |owner| targets.iter().find(|(node, _)| *node == owner);
    for owner in owners.iter().copied().collect::<BTreeSet<NodeId>>() {
        let own: Vec<usize> = (0..owners.len()).filter(|&at| owners[at] == owner).collect();
        let target = target_of(owner).map_or(0, |(_, target)| *target);
        for &bucket in own.iter().take(own.len().saturating_sub(target)) {
            owners[bucket] = NodeId::NOBODY;
        }
    }
    let owned = |node: NodeId| owners.iter().filter(|owner| **owner == node).count();
    let mut lacks: Vec<(NodeId, usize)> =
        targets.iter().map(|&(node, target)| (node, target - owned(node))).collect();
    for bucket in owners.iter_mut().filter(|owner| **owner == NodeId::NOBODY) {
        let most = lacks.iter().map(|(_, lack)| *lack).max().expect("somebody serves");
        let first = lacks.iter_mut().find(|(_, lack)| *lack == most);
        let (node, lack) = first.expect("somebody lacks most");
        *bucket = *node;
        *lack -= 1;
    }
}

/// How many buckets each node should own, by largest remainder.
fn targets(buckets: usize, parts: &[(NodeId, u64)]) -> Vec<(NodeId, usize)> {
    let total: u128 = parts.iter().map(|(_, part)| u128::from(*part)).sum();
    let quotas: Vec<u128> =
        parts.iter().map(|(_, part)| buckets as u128 * u128::from(*part)).collect();
    let mut targets: Vec<usize> = quotas.iter().map(|quota| (quota / total) as usize).collect();
    let mut remainders: Vec<u128> = quotas.iter().map(|quota| quota % total).collect();
    while targets.iter().sum::<usize>() < buckets {
        let largest = *remainders.iter().max().expect("somebody serves");
        let first = remainders.iter().position(|remainder| *remainder == largest);
        let first = first.expect("a remainder is the largest");
        targets[first] += 1;
        remainders[first] = 0;
    }
    parts.iter().map(|(node, _)| *node).zip(targets).collect()
}
