//! Contenders that look at loads: who gets a key depends on the keys before it.
//!
//! A [`Placement`] is a function of the key alone. An [`Assignment`] is not: it needs all keys in
//! an order, and has no answer for a key by itself. A spec makes one or the other ([`Build`]), and
//! a [`Placer`] is what it made. Like a placement, an assignment is immutable once made; the loads
//! are in the [`Ledger`] of one pass over the keys, so that the same keys in the same order give
//! the same owners again.

use crate::capability::Capability;
use crate::error::PlacementError;
use crate::hash::HashSeed;
use crate::key::{Key, Keys};
use crate::node::NodeId;
use crate::placement::{Placement, Scheme, next_roster};
use crate::roster::{Change, Roster};
use crate::spec::{AlgorithmSpec, Arguments, Build};
use crate::trace::{Silent, Trace};

/// A rule that gives keys to nodes in the order in which they come.
pub trait Assignment: Scheme {
    /// Opens a pass over so many keys; no node has any yet.
    ///
    /// # Errors
    /// [`PlacementError::Limit`] where the nodes cannot hold so many.
    fn open(&self, keys: u64) -> Result<Box<dyn Ledger + '_>, PlacementError>;

    /// A copy to change.
    fn fork(&self) -> Box<dyn Assignment>;
}

/// One pass over all keys, with the loads so far.
pub trait Ledger: Send {
    /// The owner of the next key. Panics where more keys come than the pass was opened for and
    /// nobody has room for another.
    fn assign(&mut self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId;

    /// The owners of the next keys. Panics where `out` is shorter than the batch.
    fn assign_many(&mut self, keys: Keys<'_>, out: &mut [NodeId]) {
        for (index, owner) in out[..keys.hashes.len()].iter_mut().enumerate() {
            *owner = self.assign(keys.get(index), &mut Silent);
        }
    }

    /// Most keys that a node takes in this pass; none where loads are not bounded.
    fn capacity(&self, node: NodeId) -> Option<u64>;
}

/// What a spec makes for a fleet.
pub enum Placer {
    /// A function of the key.
    Placement(Box<dyn Placement>),
    /// A rule for keys in an order.
    Assignment(Box<dyn Assignment>),
}

impl Placer {
    /// For a first roster.
    ///
    /// # Errors
    /// [`PlacementError::Unsupported`] where the weights differ and the algorithm is not weighted,
    /// else what the algorithm says of its parameters and limits.
    pub fn first(
        spec: &AlgorithmSpec,
        arguments: &Arguments,
        seed: HashSeed,
        roster: Roster,
    ) -> Result<Self, PlacementError> {
        if roster.is_weighted() && !spec.can(Capability::Weights) {
            let capability = Capability::Weights;
            return Err(PlacementError::Unsupported { capability, change: None });
        }
        match spec.build {
            Build::Placement(build) => build(arguments, seed, roster).map(Placer::Placement),
            Build::Assignment(build) => build(arguments, seed, roster).map(Placer::Assignment),
        }
    }

    /// After some changes; this one stays what it was.
    ///
    /// # Errors
    /// Those of [`advance`](crate::advance).
    pub fn after(&self, spec: &AlgorithmSpec, changes: &[Change]) -> Result<Self, PlacementError> {
        match self {
            Placer::Placement(before) => {
                crate::advance(spec, before.as_ref(), changes).map(Placer::Placement)
            }
            Placer::Assignment(before) => {
                let next = next_roster(spec, before.roster(), changes)?;
                let mut after = before.fork();
                after.adopt(next, changes)?;
                Ok(Placer::Assignment(after))
            }
        }
    }

    /// A copy.
    pub fn fork(&self) -> Self {
        match self {
            Placer::Placement(placement) => Placer::Placement(placement.fork()),
            Placer::Assignment(assignment) => Placer::Assignment(assignment.fork()),
        }
    }

    /// The membership.
    pub fn scheme(&self) -> &dyn Scheme {
        match self {
            Placer::Placement(placement) => placement.as_ref(),
            Placer::Assignment(assignment) => assignment.as_ref(),
        }
    }

    /// The function of the key, where it is one.
    pub fn placement(&self) -> Option<&dyn Placement> {
        match self {
            Placer::Placement(placement) => Some(placement.as_ref()),
            Placer::Assignment(_) => None,
        }
    }

    /// The function of the key itself, where it is one.
    ///
    /// # Errors
    /// [`PlacementError::LoadAware`] where it is not.
    pub fn into_placement(self) -> Result<Box<dyn Placement>, PlacementError> {
        match self {
            Placer::Placement(placement) => Ok(placement),
            Placer::Assignment(_) => Err(PlacementError::LoadAware),
        }
    }

    /// The owners of keys; for an assignment these are all keys there are, in their order.
    ///
    /// # Errors
    /// [`PlacementError::Limit`] where the nodes cannot hold so many.
    pub fn owners(&self, keys: Keys<'_>) -> Result<Vec<NodeId>, PlacementError> {
        let mut owners = vec![NodeId::NOBODY; keys.hashes.len()];
        match self {
            Placer::Placement(placement) => placement.place_many(keys, &mut owners),
            Placer::Assignment(assignment) => {
                assignment.open(keys.hashes.len() as u64)?.assign_many(keys, &mut owners);
            }
        }
        Ok(owners)
    }
}
