//! Failure analysis: every single failure of a fleet, pairs of failures, and how far they go.
//!
//! A [`Subject`] is one contender with its fleet and keys; [`Subject::plan`] says what will be
//! looked at and by which [`Way`], [`Subject::look`] looks. All failures of a scheme of which
//! only the failed node's copies move, to the next candidates of their keys, come from one pass
//! over the keys; a scheme with a table of slots is asked once a slot for each failure, any other
//! once a key, and then perhaps only for a sample of failures. Counts are integers and samples
//! have a fixed seed, so any number of threads finds the same.

mod chain;
mod inquiry;
mod keyset;
mod pass;
mod replay;
mod sample;

use placelab_core::{
    AlgorithmSpec, Capability, Change, Claim, CopyChooser, CopyRule, NodeId, Placement,
    PlacementError, Roster, advance,
};
use placelab_metrics::failures::{Aftermath, Calm};
use placelab_metrics::loss::Holders;

pub use chain::{Capacity, Cascades};
pub use inquiry::Inquiry;
pub use keyset::Keyset;
pub use placelab_results::Way;
use sample::Sample;

/// A contender in a fleet, and the keys that it places.
pub struct Subject<'a> {
    spec: &'static AlgorithmSpec,
    placement: &'a dyn Placement,
    copies: CopyRule,
    chooser: CopyChooser,
    keys: Keyset,
    way: Way,
}

/// What will be looked at.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How.
    pub way: Way,
    /// Nodes of positive weight, each of which can fail.
    pub nodes: u64,
    /// Choices of copies over all keys or slots, about: what it costs.
    pub choices: u64,
    sample: Sample,
}

impl Plan {
    /// Single failures that will be looked at; others of the possible ones are left out.
    pub fn singles(&self) -> usize {
        self.sample.singles.len()
    }

    /// Pairs of failures that will be looked at.
    pub fn pairs(&self) -> usize {
        self.sample.pairs.len()
    }

    /// Single failures that are possible: after which the contender can go on and hold the copies.
    pub fn possible(&self) -> usize {
        self.sample.possible
    }

    /// Why a single failure is impossible, where one is.
    pub fn refusal(&self) -> Option<&PlacementError> {
        self.sample.refusal.as_ref()
    }
}

/// Bytes that a look at so many keys of a fleet holds, about: hashes and counts, copies, and their
/// sets in order; and the sums of one pass, once a thread.
pub(crate) fn bytes_of_a_look(keys: u64, copies: u64, nodes: u64, threads: u64) -> u64 {
    let singles = nodes.saturating_mul(nodes).min(sample::SINGLE_SUMS as u64);
    let pairs = singles.saturating_mul(nodes / 2).min(sample::PAIR_SUMS as u64);
    let sums = 8 * (singles + pairs) * threads;
    keys.saturating_mul(16 + 8 * copies + 32).saturating_add(sums)
}

/// What was found.
#[derive(Debug)]
pub struct Findings {
    /// The fleet before, with the copies on each node.
    pub calm: Calm,
    /// The sets of nodes that hold the copies of some key.
    pub holders: Holders,
    /// What each single failure leaves behind.
    pub singles: Vec<Aftermath>,
    /// What each pair leaves behind.
    pub pairs: Vec<Aftermath>,
}

/// The nodes of the copies of every key before anybody fails, one key after the other.
struct Before {
    copies: Vec<NodeId>,
    calm: Calm,
}

impl<'a> Subject<'a> {
    /// A contender with the keys that it places, which were salted with its hash seed.
    ///
    /// # Errors
    /// Those of [`CopyRule::check`].
    pub fn new(
        spec: &'static AlgorithmSpec,
        placement: &'a dyn Placement,
        copies: CopyRule,
        keys: Keyset,
    ) -> Result<Self, PlacementError> {
        let chooser = copies.chooser(placement.roster())?;
        let mut subject = Subject { spec, placement, copies, chooser, keys, way: Way::Replay };
        if subject.follows_candidates() {
            subject.way = Way::Candidates;
        } else if let Some(slots) = subject.keys.by_slot(placement) {
            subject.way = Way::Slot;
            subject.keys = slots;
        }
        Ok(subject)
    }

    /// The same by replay of every failure, whatever the contender promises: slow, and right.
    pub fn by_replay(mut self) -> Self {
        self.way = Way::Replay;
        self
    }

    /// What a look will look at, at each of so many hash seeds.
    pub fn plan(&self, seeds: u32) -> Plan {
        let sample = Sample::new(self, seeds);
        let (nodes, keys) = (self.roster().serving().count() as u64, self.keys.len() as u64);
        let choices = match self.way {
            // The copies before, the candidates, and what is made of them.
            Way::Candidates => keys * 3,
            _ => keys * (1 + sample.singles.len() + sample.pairs.len()) as u64,
        };
        Plan { way: self.way, nodes, choices, sample }
    }

    /// Looks at every failure of a plan, where each node can take so much.
    ///
    /// # Errors
    /// What a contender says of a fleet that it cannot serve after all.
    pub fn look(&self, plan: &Plan, capacity: &Capacity) -> Result<Findings, PlacementError> {
        let before = self.before(capacity);
        let (singles, pairs) = match self.way {
            Way::Candidates => self.by_candidates(&plan.sample, &before),
            Way::Slot | Way::Replay => (
                self.replay_all(&plan.sample.singles, &before)?,
                self.replay_all(&plan.sample.pairs, &before)?,
            ),
        };
        let holders = Holders::new(self.chooser.count(), &before.copies);
        Ok(Findings { calm: before.calm, holders, singles, pairs })
    }

    fn roster(&self) -> &Roster {
        self.placement.roster()
    }

    /// Identities are below this.
    fn node_count(&self) -> usize {
        self.roster().nodes().iter().map(|node| node.id.index() + 1).max().unwrap_or(0)
    }

    /// Why the contender cannot go on without some nodes, if it cannot.
    fn refusal(&self, gone: &[NodeId]) -> Option<PlacementError> {
        let mut tail = self.roster().nodes().iter().rev().take(gone.len());
        let needs_more =
            !self.spec.can(Capability::RemoveAny) && tail.any(|node| !gone.contains(&node.id));
        if needs_more {
            let (capability, change) = (Capability::RemoveAny, Some(0));
            return Some(PlacementError::Unsupported { capability, change });
        }
        self.chooser.check_without(gone).err()
    }

    /// Who goes, the last first: so a contender that shrinks at its tail can follow.
    fn removals(&self, gone: &[NodeId]) -> Vec<Change> {
        let members = self.roster().nodes().iter().rev();
        members.filter(|node| gone.contains(&node.id)).map(|node| Change::Remove(node.id)).collect()
    }

    fn without(&self, gone: &[NodeId]) -> Result<Box<dyn Placement>, PlacementError> {
        advance(self.spec, self.placement, &self.removals(gone))
    }

    /// Whether the copies of a node that fails go to the next candidates of their keys and no
    /// other copy moves. An algorithm promises that of owners; of further copies it is seen from
    /// some keys and failures.
    fn follows_candidates(&self) -> bool {
        const KEYS: usize = 512;
        const NODES: usize = 6;
        let spec = self.spec;
        if !spec.can(Capability::RemoveAny) || !spec.claims(Claim::MinimalMovement) {
            return false;
        }
        let nodes: Vec<NodeId> = sample::some(&self.roster().serving_ids(), NODES);
        // Each alone, and with its neighbours.
        let failures = (0..nodes.len()).flat_map(|at| [&nodes[at..=at], &nodes[at / 2..=at]]);
        let mut possible = failures.filter(|gone| self.chooser.check_without(gone).is_ok());
        possible.all(|gone| {
            let Ok(after) = self.without(gone) else { return false };
            let Ok(chooser) = self.copies.chooser(after.roster()) else { return false };
            let (mut order, count) = (Vec::new(), chooser.count());
            let (mut expected, mut found) =
                (vec![NodeId::NOBODY; count], vec![NodeId::NOBODY; count]);
            (0..self.keys.len().min(KEYS)).map(|at| self.keys.get(at)).all(|key| {
                let (placement, before) = (self.placement, &self.chooser);
                pass::likely_candidates(placement, before, key, &mut order);
                pass::choose_without(placement, before, key, gone, &mut order, &mut expected);
                chooser.choose(after.as_ref(), key, &mut found);
                expected == found
            })
        })
    }
}
