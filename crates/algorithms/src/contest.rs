//! A contest: every node of positive weight scores for a key, and the highest score wins.
//!
//! The shape of the rendezvous family; each member is a [`Score`]. Entrants stand in name order,
//! so a contest does not depend on history, and "the first of equals wins" is the rule that ties
//! go by name bytes. Cost: N scores a lookup; the first k candidates O(N + k log N).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::select_unpredictable;
use std::ops::ControlFlow;

use placelab_core::{
    Change, Footprint, HashSeed, Key, Node, NodeId, Placement, PlacementError, Roster, Scheme,
    Silent, Step, Trace,
};

use crate::range_hash::{bytes_of, trimmed};

/// How an entrant scores for a key.
pub(crate) trait Score: Clone + Send + Sync + 'static {
    /// What of a node a score reads.
    type Entrant: Clone + Send + Sync;
    /// Greater wins.
    type Value: Ord + Copy;

    /// What is made of a node once.
    fn entrant(seed: HashSeed, node: &Node) -> Self::Entrant;

    /// The score of a pair.
    fn score(seed: HashSeed, key: Key<'_>, entrant: &Self::Entrant) -> Self::Value;

    /// A score as a trace shows it.
    fn shown(value: Self::Value) -> u64;
}

/// A placement by contest.
#[derive(Clone)]
pub(crate) struct Contest<S: Score> {
    seed: HashSeed,
    roster: Roster,
    entrants: Vec<S::Entrant>,
    ids: Vec<NodeId>,
}

impl<S: Score> Contest<S> {
    /// The contest of a roster.
    pub(crate) fn new(seed: HashSeed, roster: Roster) -> Self {
        let (entrants, ids) =
            roster.serving_by_name().map(|node| (S::entrant(seed, node), node.id)).unzip();
        Contest { seed, roster, entrants: trimmed(entrants), ids: trimmed(ids) }
    }

    #[inline]
    fn walk<T: Trace + ?Sized>(&self, key: Key<'_>, trace: &mut T) -> NodeId {
        let scores = self.entrants.iter().map(|entrant| S::score(self.seed, key, entrant));
        winner(scores, &self.ids, S::shown, trace)
    }
}

/// The entrant of the greatest score; of equals the first.
#[inline(always)]
pub(crate) fn winner<V: Ord + Copy, T: Trace + ?Sized>(
    scores: impl Iterator<Item = V>,
    ids: &[NodeId],
    shown: impl Fn(V) -> u64,
    trace: &mut T,
) -> NodeId {
    let mut contest = scores.zip(ids);
    let (mut best, &first) = contest.next().expect("a roster has a node of positive weight");
    trace.step(Step::Probe { at: shown(best), node: first });
    let mut winner = first;
    // The n-th entrant takes the lead with probability 1/n: a branch would be mispredicted again
    // and again among the first, and is free among the others.
    for (score, &node) in contest.by_ref().take(15) {
        trace.step(Step::Probe { at: shown(score), node });
        let leads = score > best;
        best = select_unpredictable(leads, score, best);
        winner = select_unpredictable(leads, node, winner);
    }
    for (score, &node) in contest {
        trace.step(Step::Probe { at: shown(score), node });
        if score > best {
            (best, winner) = (score, node);
        }
    }
    winner
}

/// The entrants from the greatest score to the least; equals in their order.
pub(crate) fn ranked<V: Ord>(
    scores: impl Iterator<Item = V>,
    ids: &[NodeId],
) -> impl Iterator<Item = NodeId> {
    let scored = scores.enumerate().map(|(at, score)| (score, Reverse(at)));
    let mut heap: BinaryHeap<(V, Reverse<usize>)> = scored.collect::<Vec<_>>().into();
    std::iter::from_fn(move || heap.pop().map(|(_, Reverse(at))| ids[at]))
}

impl<S: Score> Scheme for Contest<S> {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn adopt(&mut self, next: Roster, _: &[Change]) -> Result<(), PlacementError> {
        *self = Contest::new(self.seed, next);
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        Footprint {
            shared_bytes: self.roster.shared_bytes(),
            derived_bytes: bytes_of(&self.entrants) + bytes_of(&self.ids),
        }
    }
}

impl<S: Score> Placement for Contest<S> {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.walk(key, &mut Silent)
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        self.walk(key, trace)
    }

    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        let scores = self.entrants.iter().map(|entrant| S::score(self.seed, key, entrant));
        let _ = ranked(scores, &self.ids).try_for_each(visit);
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}
