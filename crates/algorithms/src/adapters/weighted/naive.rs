//! The twin of the layout: step by step, and every number by trial.

use placelab_core::{Change, History, NodeId, Roster, Weight};

use super::{Order, Weighted};
use crate::owner_table::naive_rebalance;

/// Nodes of positive weight in join order, with their parts of the whole.
type Ratio = Vec<(NodeId, u64)>;

/// The owner of each bucket after a history.
pub(super) fn table(layout: &Weighted, history: &History) -> Vec<NodeId> {
    let mut roster = history.start.clone();
    let mut owners = Vec::new();
    append(&mut owners, &ratio(layout.resolution, &roster));
    for changes in &history.steps {
        roster = roster.after(changes).expect("steps of a history are possible");
        step(layout, &mut owners, &roster, changes);
    }
    owners
}

fn step(layout: &Weighted, owners: &mut Vec<NodeId>, next: &Roster, changes: &[Change]) {
    let ratio = ratio(layout.resolution, next);
    let (mut joins, mut reweights) = (false, false);
    for change in changes {
        match change {
            Change::Add(node) => joins |= node.weight.micros() > 0,
            Change::Reweight(_, weight) => reweights |= weight.micros() > 0,
            Change::Remove(_) | Change::Rename(..) => {}
        }
    }
    let is_new_ratio = joins || reweights;
    let is_laid_out_anew = is_new_ratio && matches!(layout.order, Order::Contiguous);
    if is_laid_out_anew {
        owners.clear();
    }
    let is_orphaned = owners.iter().any(|owner| ratio.iter().all(|(node, _)| node != owner));
    let whole: u64 = ratio.iter().map(|(_, part)| part).sum();
    let is_taken_over = joins && !reweights && (owners.len() as u64).is_multiple_of(whole);
    if is_orphaned || is_taken_over {
        let of = |id| *ratio.iter().find(|(node, _)| *node == id).expect("it serves");
        let by_name: Ratio = next.serving_by_name().map(|node| of(node.id)).collect();
        naive_rebalance(owners, &by_name);
    }
    if is_new_ratio {
        append(owners, &ratio);
    }
}

/// The weights in parts of 1 ÷ `resolution`, reduced by the greatest number that divides all.
fn ratio(resolution: u64, roster: &Roster) -> Ratio {
    let unit = u128::from(Weight::MICROS);
    let rounded = |weight: Weight| {
        let exact = u128::from(weight.micros()) * u128::from(resolution);
        let is_nearer_above = 2 * (exact % unit) >= unit;
        (exact / unit) as u64 + u64::from(is_nearer_above)
    };
    let parts: Ratio = roster.serving().map(|node| (node.id, rounded(node.weight))).collect();
    let least = parts.iter().map(|(_, part)| *part).min().expect("somebody serves");
    let divides_all = |divisor: &u64| parts.iter().all(|(_, part)| part.is_multiple_of(*divisor));
    let divisor = (1..=least).rev().find(divides_all).expect("1 divides all");
    parts.into_iter().map(|(node, part)| (node, part / divisor)).collect()
}

/// Appends buckets up to the first multiple of the ratio that holds what is there.
fn append(owners: &mut Vec<NodeId>, ratio: &[(NodeId, u64)]) {
    let count = |node: NodeId| owners.iter().filter(|owner| **owner == node).count() as u64;
    let counts: Vec<u64> = ratio.iter().map(|(node, _)| count(*node)).collect();
    let pairs = || ratio.iter().zip(&counts);
    let holds = |factor: &u64| pairs().all(|((_, part), count)| factor * part >= *count);
    let factor = (1..).find(holds).expect("some multiple is large enough");
    for ((node, part), count) in pairs() {
        (*count..factor * part).for_each(|_| owners.push(*node));
    }
}
