//! Movement with its reasons.

use std::collections::{BTreeMap, BTreeSet};

use placelab_core::{Node, NodeId, Roster};

use crate::flows::FlowCell;

/// Target weights before and after a step, by identity; an absent node has weight 0.
#[derive(Clone, Debug)]
pub struct Targets {
    before: Vec<u64>,
    after: Vec<u64>,
}

impl Targets {
    /// The weights of two rosters whose identities are below `node_count`.
    pub fn new(before: &Roster, after: &Roster, node_count: usize) -> Self {
        Targets {
            before: weights_by_id(before, node_count),
            after: weights_by_id(after, node_count),
        }
    }

    /// Whether a move has a reason: the destination's weight rose relative to the source's.
    ///
    /// w′_d · w_s > w_d · w′_s, exact and free of scale: it covers joining, leaving, reweighting
    /// and mixtures.
    pub fn forces(&self, source: NodeId, destination: NodeId) -> bool {
        let (source, destination) = (source.index(), destination.index());
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        product(self.after[destination], self.before[source])
            > product(self.before[destination], self.after[source])
    }
}

impl Targets {
    /// How far the weight of each node rose, by identity, as ranks: a node has a higher rank than
    /// another where a move to it from the other has a reason. Those absent before and after have
    /// none, which reads 0.
    pub fn rises(&self) -> Vec<u32> {
        let present = |id: &u32| self.before[*id as usize] > 0 || self.after[*id as usize] > 0;
        let mut ids: Vec<u32> = (0..self.before.len() as u32).filter(present).collect();
        let compare = |a: &u32, b: &u32| {
            let (a, b) = (NodeId(*a), NodeId(*b));
            self.forces(b, a).cmp(&self.forces(a, b))
        };
        ids.sort_by(compare);
        let mut ranks = vec![0; self.before.len()];
        for (rank, alike) in ids.chunk_by(|a, b| compare(a, b).is_eq()).enumerate() {
            alike.iter().for_each(|id| ranks[*id as usize] = rank as u32);
        }
        ranks
    }
}

/// Weights in micro-units by identity.
pub fn weights_by_id(roster: &Roster, node_count: usize) -> Vec<u64> {
    let mut weights = vec![0; node_count];
    for node in roster.nodes() {
        weights[node.id.index()] = node.weight.micros();
    }
    weights
}

/// Half the sum of the absolute changes between two distributions of one total; the least that
/// moves from one to the other, as a fraction. 0 where the total is 0.
pub fn half_change(before: &[u64], after: &[u64]) -> f64 {
    let total: u128 = before.iter().map(|&load| u128::from(load)).sum();
    let changes = std::iter::zip(before, after).map(|(&b, &a)| u128::from(b.abs_diff(a)));
    if total == 0 { 0.0 } else { changes.sum::<u128>() as f64 / total as f64 / 2.0 }
}

/// Least fraction of keys that must move between two rosters: ½ Σ |Δ target share|.
///
/// Shares sum to 1 before and after, so this is the sum of the gains alone. Each difference is
/// exact (weights are below 2^50 and totals below 2^70); only their sum is rounded.
pub fn minimum(before: &Roster, after: &Roster) -> f64 {
    let (total_before, total_after) = (before.total_weight(), after.total_weight());
    let old: BTreeMap<NodeId, u128> =
        before.nodes().iter().map(|node| (node.id, node.weight.micros().into())).collect();
    let gain = |node: &Node| {
        let old_weight = old.get(&node.id).copied().unwrap_or(0);
        let new_weight = u128::from(node.weight.micros());
        (new_weight * total_before).saturating_sub(old_weight * total_after) as f64
    };
    let gains: f64 = after.nodes().iter().map(gain).sum();
    gains / (total_before as f64 * total_after as f64)
}

/// Movement of one measure as fractions of the total.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Movement {
    /// Whose owner changed.
    pub moved: f64,
    /// Moves with a reason.
    pub forced: f64,
    /// Moves without one.
    pub sideways: f64,
    /// Largest part entering one node.
    pub max_in: f64,
    /// Largest part leaving one node.
    pub max_out: f64,
}

/// The movement of one measure (an index into the amounts of a cell) out of a total.
pub fn movement(cells: &[FlowCell], measure: usize, total: u64, targets: &Targets) -> Movement {
    let (mut moved, mut forced) = (0, 0);
    let (mut entering, mut leaving) = (BTreeMap::new(), BTreeMap::new());
    for cell in cells {
        let amount = cell.amounts[measure];
        moved += amount;
        forced += if targets.forces(cell.source, cell.destination) { amount } else { 0 };
        *entering.entry(cell.destination).or_insert(0) += amount;
        *leaving.entry(cell.source).or_insert(0) += amount;
    }
    let fraction = |amount: u64| if total == 0 { 0.0 } else { amount as f64 / total as f64 };
    let largest = |sums: &BTreeMap<NodeId, u64>| sums.values().copied().max().unwrap_or(0);
    Movement {
        moved: fraction(moved),
        forced: fraction(forced),
        sideways: fraction(moved - forced),
        max_in: fraction(largest(&entering)),
        max_out: fraction(largest(&leaving)),
    }
}

/// Who received the keys of nodes that went.
#[derive(Clone, PartialEq, Debug)]
pub struct Spread {
    /// Survivors that received something.
    pub receivers: u64,
    /// Largest part over its fair part.
    pub max_extra: f64,
    /// 1 ÷ Σ p² over the parts: effective receivers.
    pub effective: f64,
    /// Each survivor of positive weight with its part over its fair part, largest first.
    pub extra: Vec<(NodeId, f64)>,
}

/// The spread of what nodes that went had; none where they had nothing or nobody survives.
pub fn spread(cells: &[FlowCell], gone: &[NodeId], survivors: &Roster) -> Option<Spread> {
    let gone: BTreeSet<NodeId> = gone.iter().copied().collect();
    let mut received: BTreeMap<NodeId, u64> = BTreeMap::new();
    for cell in cells.iter().filter(|cell| gone.contains(&cell.source)) {
        *received.entry(cell.destination).or_default() += cell.amounts[0];
    }
    let lost: u64 = received.values().sum();
    if lost == 0 {
        return None;
    }
    let part = |id: &NodeId| received.get(id).copied().unwrap_or(0) as f64 / lost as f64;
    let total = survivors.total_weight() as f64;
    let mut extra: Vec<(NodeId, f64)> = survivors
        .nodes()
        .iter()
        .filter(|node| node.weight.micros() > 0)
        .map(|node| (node.id, part(&node.id) * total / node.weight.micros() as f64))
        .collect();
    extra.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    Some(Spread {
        receivers: received.len() as u64,
        max_extra: extra.first()?.1,
        effective: 1.0 / received.keys().map(|id| part(id) * part(id)).sum::<f64>(),
        extra,
    })
}

#[cfg(test)]
mod tests {
    use placelab_core::{Change, Weight};

    use super::*;

    fn weighted(weights: &[u32]) -> Roster {
        let changes: Vec<Change> = (0u32..)
            .zip(weights)
            .map(|(id, &weight)| Change::Reweight(NodeId(id), Weight::units(weight)))
            .collect();
        Roster::numbered(weights.len() as u32).unwrap().after(&changes).unwrap()
    }

    /// 1:2:3 → 2:5:6 is 2:4:6 → 2:5:6 but for scale: only the second node may receive.
    #[test]
    fn reasons_are_free_of_scale() {
        let targets = Targets::new(&weighted(&[1, 2, 3]), &weighted(&[2, 5, 6]), 3);
        let forced = |s, d| targets.forces(NodeId(s), NodeId(d));
        assert!(forced(0, 1) && forced(2, 1));
        assert!(![(1, 0), (1, 2), (0, 2), (2, 0)].iter().any(|&(s, d)| forced(s, d)));
    }

    #[test]
    fn joining_and_leaving_are_reasons() {
        let (four, five) = (Roster::numbered(4).unwrap(), Roster::numbered(5).unwrap());
        let join = Targets::new(&four, &five, 5);
        assert!(join.forces(NodeId(0), NodeId(4)) && !join.forces(NodeId(0), NodeId(1)));
        let leave = Targets::new(&five, &four, 5);
        assert!(leave.forces(NodeId(4), NodeId(0)) && !leave.forces(NodeId(1), NodeId(0)));
    }

    /// Node 2 joins 0 and 1: what goes there is forced, the swap between the others is not.
    #[test]
    fn movement_by_hand() {
        let (two, three) = (Roster::numbered(2).unwrap(), Roster::numbered(3).unwrap());
        let cell = |source, destination, keys, requests| FlowCell {
            source: NodeId(source),
            destination: NodeId(destination),
            amounts: [keys, requests, 0],
        };
        let cells = [cell(0, 1, 5, 100), cell(0, 2, 20, 10), cell(1, 2, 15, 30)];
        let targets = Targets::new(&two, &three, 3);
        let by_keys =
            Movement { moved: 0.4, forced: 0.35, sideways: 0.05, max_in: 0.35, max_out: 0.25 };
        assert_eq!(movement(&cells, 0, 100, &targets), by_keys);
        let by_requests = movement(&cells, 1, 200, &targets);
        assert_eq!((by_requests.moved, by_requests.sideways), (0.7, 0.5));
        assert_eq!((by_requests.max_in, by_requests.max_out), (0.5, 0.55));
        assert_eq!(movement(&[], 0, 0, &targets), Movement::default());
    }

    #[test]
    fn half_of_what_changes_has_to_move() {
        assert_eq!(half_change(&[50, 50, 0], &[40, 40, 20]), 0.2);
        assert_eq!(half_change(&[0], &[0]), 0.0);
    }

    #[test]
    fn a_single_heir_takes_all() {
        let cell = |source, destination, keys| FlowCell {
            source: NodeId(source),
            destination: NodeId(destination),
            amounts: [keys, 0, 0],
        };
        let survivors = Roster::numbered(4).unwrap();
        let one = spread(&[cell(4, 1, 100)], &[NodeId(4)], &survivors).unwrap();
        assert_eq!((one.receivers, one.max_extra, one.effective), (1, 4.0, 1.0));
        assert_eq!(one.extra[0], (NodeId(1), 4.0));
        let even: Vec<FlowCell> = (0..4).map(|id| cell(4, id, 25)).collect();
        let even = spread(&even, &[NodeId(4)], &survivors).unwrap();
        assert_eq!((even.receivers, even.max_extra, even.effective), (4, 1.0, 4.0));
        assert_eq!(spread(&[], &[NodeId(4)], &survivors), None);
    }
}
