//! What a sweep counts: the loads of the first placement, and the moves between placements.
//!
//! The load of every later placement follows from these: what a node had, plus what entered,
//! minus what left. So a key is counted once for the first placement and once for each move, and
//! most keys do not move.

use placelab_core::{DomainIndex, NodeId};

use crate::copies::Copies;
use crate::fill::Fills;
use crate::flows::{Amounts, Flows};
use crate::holdings::Holdings;

/// Most bytes of all matrices of a tally with a cell for each pair of nodes: 24 MiB. Beyond, only
/// pairs between which something moves have one.
const DENSE_BYTES_MAX: usize = 24 << 20;
/// Keys of which is asked at once whether any moved.
const SCANNED_KEYS: usize = 16;

/// What each key of a chunk counts for.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChunkAmounts<'a> {
    /// Requests of each key, where keys have them.
    pub requests: Option<&'a [u64]>,
    /// Bytes of each key, where keys have them.
    pub bytes: Option<&'a [u64]>,
}

impl ChunkAmounts<'_> {
    #[inline]
    fn of(&self, key: usize) -> Amounts {
        [1, self.requests.map_or(0, |all| all[key]), self.bytes.map_or(0, |all| all[key])]
    }

    fn is_plain(&self) -> bool {
        self.requests.is_none() && self.bytes.is_none()
    }
}

/// What a tally has room for.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Identities are below this.
    pub nodes: usize,
    /// Comparisons between placements.
    pub comparisons: usize,
    /// How many of them, the first ones, count copies.
    pub copied: usize,
    /// Placements whose copies are counted.
    pub held: usize,
    /// Marks at which the first placement is looked at as keys come.
    pub marks: usize,
    /// Ranks of a node at these marks.
    pub ranks: usize,
}

/// Counts of one contender at one hash seed; integers, so that merging in any order gives the
/// same.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Loads of the first placement by identity.
    pub first: Vec<Amounts>,
    /// Moves of each comparison.
    pub flows: Vec<Flows>,
    /// Copies of each of the first comparisons; empty where keys have one copy.
    pub copies: Vec<Copies>,
    /// Copies under each placement; empty where keys have one copy.
    pub holdings: Vec<Holdings>,
    /// The first placement as keys come; empty without marks.
    pub fills: Fills,
    moved: Vec<u32>,
}

impl Tally {
    /// Nothing counted yet.
    pub fn new(shape: Shape) -> Self {
        // The first matrix is made even where no copy of it is wanted.
        let matrices = shape.comparisons.max(1);
        let dense_bytes = Flows::dense_bytes(shape.nodes).saturating_mul(matrices);
        let flows = match dense_bytes {
            0..=DENSE_BYTES_MAX => Flows::dense(shape.nodes),
            _ => Flows::sparse(),
        };
        Tally {
            first: vec![[0; 3]; shape.nodes],
            flows: vec![flows; shape.comparisons],
            copies: vec![Copies::default(); shape.copied],
            holdings: vec![Holdings::new(shape.nodes); shape.held],
            fills: Fills::new(shape.nodes, shape.ranks, shape.marks),
            moved: Vec::new(),
        }
    }

    /// Counts the owners of a chunk under the first placement.
    pub fn count_first(&mut self, owners: &[NodeId], amounts: ChunkAmounts<'_>) {
        if amounts.is_plain() {
            owners.iter().for_each(|owner| self.first[owner.index()][0] += 1);
            return;
        }
        for (key, owner) in owners.iter().enumerate() {
            let load = &mut self.first[owner.index()];
            load.iter_mut().zip(amounts.of(key)).for_each(|(sum, amount)| *sum += amount);
        }
    }

    /// Counts the moves of a chunk between two placements.
    ///
    /// Finds the keys that moved first, without a branch a key, then counts only those. Most
    /// keys stay: so many at a time are asked whether any moved.
    pub fn count_moves(
        &mut self,
        comparison: usize,
        before: &[NodeId],
        after: &[NodeId],
        amounts: ChunkAmounts<'_>,
    ) {
        self.moved.resize(before.len(), 0);
        let mut moved = 0;
        let rows = before.chunks(SCANNED_KEYS).zip(after.chunks(SCANNED_KEYS));
        for (first, (before, after)) in (0..).step_by(SCANNED_KEYS).zip(rows) {
            let moves = before.iter().zip(after).map(|(source, destination)| source != destination);
            if moves.clone().fold(false, |any, moves| any | moves) {
                for (key, moves) in (first..).zip(moves) {
                    self.moved[moved] = key;
                    moved += usize::from(moves);
                }
            }
        }
        let flows = &mut self.flows[comparison];
        for &key in &self.moved[..moved] {
            let key = key as usize;
            flows.add(before[key], after[key], amounts.of(key));
        }
    }

    /// Counts the copies of a chunk, so many for each key, under one placement, with the zones and
    /// racks of its nodes.
    pub fn count_holdings(
        &mut self,
        placement: usize,
        replicas: usize,
        copies: &[NodeId],
        amounts: ChunkAmounts<'_>,
        kinds: &[Option<DomainIndex>; 2],
    ) {
        let held = &mut self.holdings[placement];
        for (key, copies) in copies.chunks_exact(replicas).enumerate() {
            held.add(copies, amounts.of(key), kinds);
        }
    }

    /// Counts what becomes of the copies of a chunk, so many for each key, between two placements;
    /// `rises` are those of the targets.
    pub fn count_copies(
        &mut self,
        comparison: usize,
        replicas: usize,
        [before, after]: [&[NodeId]; 2],
        amounts: ChunkAmounts<'_>,
        rises: &[u32],
    ) {
        let copies = &mut self.copies[comparison];
        let pairs = before.chunks_exact(replicas).zip(after.chunks_exact(replicas));
        for (key, (before, after)) in pairs.enumerate() {
            copies.add(before, after, amounts.of(key), rises);
        }
    }

    /// Adds the counts of other keys.
    pub fn merge(mut self, other: Tally) -> Self {
        for (sums, amounts) in self.first.iter_mut().zip(other.first) {
            sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum += amount);
        }
        for (flows, more) in self.flows.iter_mut().zip(other.flows) {
            flows.merge(more);
        }
        for (copies, more) in self.copies.iter_mut().zip(&other.copies) {
            copies.merge(more);
        }
        for (held, more) in self.holdings.iter_mut().zip(&other.holdings) {
            held.merge(more);
        }
        self.fills.merge(&other.fills);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_those_whose_owner_changed() {
        let ids = |list: &[u32]| list.iter().map(|&id| NodeId(id)).collect::<Vec<_>>();
        let (before, after) = (ids(&[0, 1, 2, 0]), ids(&[0, 2, 2, 1]));
        let requests = [10, 20, 30, 40];
        let amounts = ChunkAmounts { requests: Some(&requests), bytes: None };
        let shape = Shape { nodes: 3, comparisons: 1, copied: 0, held: 0, marks: 0, ranks: 1 };
        let mut tally = Tally::new(shape);
        tally.count_first(&before, amounts);
        tally.count_moves(0, &before, &after, amounts);
        assert_eq!(tally.first, [[2, 50, 0], [1, 20, 0], [1, 30, 0]]);
        let cells: Vec<_> = tally.flows[0]
            .cells()
            .iter()
            .map(|c| (c.source.0, c.destination.0, c.amounts))
            .collect();
        assert_eq!(cells, [(0, 1, [1, 40, 0]), (1, 2, [1, 20, 0])]);
    }

    /// A million nodes squared would be 24 TB, where nothing is compared too.
    #[test]
    fn large_fleets_without_events_fit() {
        let shape =
            Shape { nodes: 1_000_000, comparisons: 0, copied: 0, held: 0, marks: 0, ranks: 1 };
        assert!(Tally::new(shape).flows.is_empty());
    }
}
