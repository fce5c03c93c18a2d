//! All failures in one pass over the keys, for schemes whose copies go to the next candidates.
//!
//! A key matters to a failure of its R holders alone, so each key adds to R rows. Pairs add what
//! the two failures did apart; a key corrects that for pairs of two of its holders, and for pairs
//! of a holder with the node that would have replaced it. Whatever is not chosen can fail without
//! a difference, so there are no others.

use std::ops::{ControlFlow, Range};

use placelab_core::{CopyChooser, Key, NodeId, Placement};
use placelab_metrics::failures::Aftermath;
use placelab_metrics::loss::Holders;
use rayon::prelude::*;

use super::sample::Sample;
use super::{Before, Subject};

/// Candidates of a key that are asked for at first where copies heed domains, for each copy.
const DOMAIN_CANDIDATES: usize = 4;
/// No failure of this node, or no pair, is looked at.
const NOT_ASKED: u32 = u32::MAX;

/// The copies of one key after a failure.
type Row = [NodeId; Holders::COPIES_MAX];

/// The first candidates of a key, so many or all there are.
fn first_candidates(placement: &dyn Placement, key: Key<'_>, most: usize, order: &mut Vec<NodeId>) {
    order.clear();
    placement.candidates(key, &mut |node| {
        order.push(node);
        if order.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
}

/// The candidates of a key that mostly tell its copies after two failures.
pub(super) fn likely_candidates(
    placement: &dyn Placement,
    chooser: &CopyChooser,
    key: Key<'_>,
    order: &mut Vec<NodeId>,
) {
    let each = if chooser.heeds_domains() { DOMAIN_CANDIDATES } else { 1 };
    first_candidates(placement, key, each * (chooser.count() + 2), order);
}

/// The copies of a key without some nodes, from its candidates; asks for more where those do not
/// tell.
pub(super) fn choose_without(
    placement: &dyn Placement,
    chooser: &CopyChooser,
    key: Key<'_>,
    gone: &[NodeId],
    order: &mut Vec<NodeId>,
    chosen: &mut [NodeId],
) {
    while !chooser.choose_without(order, gone, chosen) {
        let known = order.len();
        first_candidates(placement, key, 2 * known, order);
        assert!(order.len() > known, "candidates are all nodes of positive weight");
    }
}

/// Where the sums of a failure are.
struct Places {
    /// By identity, the row of a single failure.
    single: Vec<u32>,
    /// By identity, the number of a node whose pairs are looked at.
    paired: Vec<u32>,
    /// By the numbers of two such nodes, the larger one first, the row of the pair.
    pairs: Vec<u32>,
    pair_count: usize,
    node_count: usize,
}

impl Places {
    fn new(subject: &Subject<'_>, sample: &Sample) -> Self {
        let node_count = subject.node_count();
        let mut single = vec![NOT_ASKED; node_count];
        let mut paired = single.clone();
        let singles = sample.singles.iter().chain(&sample.pairs).flatten();
        let (mut rows, mut nodes) = (0, 0);
        for node in singles {
            if single[node.index()] == NOT_ASKED {
                single[node.index()] = rows;
                rows += 1;
            }
        }
        for node in sample.pairs.iter().flatten() {
            if paired[node.index()] == NOT_ASKED {
                paired[node.index()] = nodes;
                nodes += 1;
            }
        }
        let mut places = Places {
            single,
            paired,
            pairs: vec![NOT_ASKED; (nodes * nodes) as usize],
            pair_count: sample.pairs.len(),
            node_count,
        };
        for (row, pair) in (0..).zip(&sample.pairs) {
            let at = places.pair_at(pair[0], pair[1]).expect("both are numbered");
            places.pairs[at] = row;
        }
        places
    }

    fn pair_at(&self, a: NodeId, b: NodeId) -> Option<usize> {
        let (a, b) = (self.paired[a.index()], self.paired[b.index()]);
        let side = self.pairs.len().isqrt();
        (a != NOT_ASKED && b != NOT_ASKED).then(|| a.max(b) as usize * side + a.min(b) as usize)
    }

    /// The row of a pair that is looked at.
    #[inline]
    fn pair(&self, a: NodeId, b: NodeId) -> Option<usize> {
        let row = self.pairs[self.pair_at(a, b)?];
        (row != NOT_ASKED).then_some(row as usize)
    }

    /// The row of a single failure that is looked at, or whose pairs are.
    #[inline]
    fn single(&self, node: NodeId) -> Option<usize> {
        let row = self.single[node.index()];
        (row != NOT_ASKED).then_some(row as usize)
    }

    fn sums(&self) -> Sums {
        let rows = self.single.iter().filter(|row| **row != NOT_ASKED).count();
        Sums {
            single: vec![0; rows * self.node_count],
            pair: vec![0; self.pair_count * self.node_count],
        }
    }
}

/// By failure and then by identity: what a node gains, less what it loses, modulo 2⁶⁴. No node has
/// as much of anything, so that its load afterwards is exact again.
struct Sums {
    single: Vec<u64>,
    /// For pairs what is beyond the sums of their nodes.
    pair: Vec<u64>,
}

impl Sums {
    fn merge(mut self, other: Sums) -> Sums {
        let add = |sums: &mut [u64], others: &[u64]| {
            let both = sums.iter_mut().zip(others);
            both.for_each(|(sum, other)| *sum = sum.wrapping_add(*other));
        };
        add(&mut self.single, &other.single);
        add(&mut self.pair, &other.pair);
        self
    }
}

/// A pass over some keys.
struct Pass<'a> {
    placement: &'a dyn Placement,
    chooser: &'a CopyChooser,
    places: &'a Places,
    sums: Sums,
    /// Candidates of the key at hand, in order.
    order: Vec<NodeId>,
}

impl Subject<'_> {
    /// What single failures and pairs leave behind.
    pub(super) fn by_candidates(
        &self,
        sample: &Sample,
        before: &Before,
    ) -> (Vec<Aftermath>, Vec<Aftermath>) {
        let places = Places::new(self, sample);
        let share = self.keys.len().div_ceil(rayon::current_num_threads()).max(1);
        let shares = (0..self.keys.len()).into_par_iter().step_by(share);
        let sums = shares
            .map(|start| self.pass(&places, before, start..(start + share).min(self.keys.len())))
            .reduce_with(Sums::merge)
            .unwrap_or_else(|| places.sums());
        let aftermath = |gone: &Vec<NodeId>| aftermath(gone, &places, &sums, before);
        (
            sample.singles.par_iter().map(aftermath).collect(),
            sample.pairs.par_iter().map(aftermath).collect(),
        )
    }

    fn pass(&self, places: &Places, before: &Before, keys: Range<usize>) -> Sums {
        let (placement, chooser) = (self.placement, &self.chooser);
        let mut pass = Pass { placement, chooser, places, sums: places.sums(), order: vec![] };
        let copies = chooser.count();
        for at in keys {
            let holders = &before.copies[at * copies..(at + 1) * copies];
            pass.key(self.keys.get(at), holders, self.keys.count(at));
        }
        pass.sums
    }
}

impl Pass<'_> {
    fn key(&mut self, key: Key<'_>, holders: &[NodeId], count: u64) {
        let places = self.places;
        likely_candidates(self.placement, self.chooser, key, &mut self.order);
        let mut apart = [None; Holders::COPIES_MAX];
        for (holder, after) in holders.iter().zip(&mut apart) {
            let Some(row) = places.single(*holder) else { continue };
            *after = self.after(key, &[*holder]);
            if let Some(after) = after {
                let sums = &mut self.sums.single[row * places.node_count..];
                add(sums, &after[..holders.len()], count);
                add(sums, holders, count.wrapping_neg());
            }
        }
        for (at, holder) in holders.iter().enumerate() {
            let Some(after) = apart[at] else { continue };
            let after = &after[..holders.len()];
            for replacement in after.iter().filter(|node| !holders.contains(node)) {
                self.pair(key, [*holder, *replacement], [holders, after, holders], count);
            }
            for (other, other_after) in holders.iter().zip(apart).skip(at + 1) {
                let Some(other_after) = other_after else { continue };
                let afters = [holders, after, &other_after[..holders.len()]];
                self.pair(key, [*holder, *other], afters, count);
            }
        }
    }

    /// Counts what two failures do together beyond what each does: the copies before, and after
    /// each of them.
    fn pair(&mut self, key: Key<'_>, gone: [NodeId; 2], known: [&[NodeId]; 3], count: u64) {
        let Some(row) = self.places.pair(gone[0], gone[1]) else { return };
        let Some(both) = self.after(key, &gone) else { return };
        let [before, one, other] = known;
        let sums = &mut self.sums.pair[row * self.places.node_count..];
        add(sums, &both[..before.len()], count);
        add(sums, before, count);
        add(sums, one, count.wrapping_neg());
        add(sums, other, count.wrapping_neg());
    }

    /// The copies of a key once some nodes are gone; nothing where the fleet cannot hold them.
    fn after(&mut self, key: Key<'_>, gone: &[NodeId]) -> Option<Row> {
        self.chooser.check_without(gone).ok()?;
        let mut row = [NodeId::NOBODY; Holders::COPIES_MAX];
        let Pass { placement, chooser, order, .. } = self;
        let chosen = &mut row[..chooser.count()];
        choose_without(*placement, chooser, key, gone, order, chosen);
        Some(row)
    }
}

#[inline]
fn add(sums: &mut [u64], nodes: &[NodeId], count: u64) {
    for node in nodes {
        let sum = &mut sums[node.index()];
        *sum = sum.wrapping_add(count);
    }
}

fn aftermath(gone: &[NodeId], places: &Places, sums: &Sums, before: &Before) -> Aftermath {
    let row = |sums: &[u64], row: usize, node: NodeId| sums[row * places.node_count + node.index()];
    let own = |node: NodeId| before.calm.loads()[node.index()];
    let after = |node: NodeId| {
        let single = |one: &NodeId| places.single(*one).map(|at| row(&sums.single, at, node));
        let pair = if let [a, b] = gone { places.pair(*a, *b) } else { None };
        let together = pair.map(|at| row(&sums.pair, at, node));
        let changes = gone.iter().filter_map(single).chain(together);
        u128::from(changes.fold(own(node) as u64, u64::wrapping_add))
    };
    let received = |node: NodeId| after(node).saturating_sub(own(node));
    before.calm.aftermath(gone.to_vec(), after, received)
}
