//! The traits of a contender, and the two functions through which a fleet comes to be and changes.
//!
//! [`establish`] makes a placement for a first roster, [`advance`] makes the one after some
//! changes. Both decide from the spec whether the algorithm can do it at all, so no algorithm
//! checks that for itself. A placement is immutable once made: `advance` forks, so a snapshot
//! stays what it was and a refused step leaves no trace.

use std::any::Any;
use std::ops::ControlFlow;

use crate::assignment::Placer;
use crate::error::PlacementError;
use crate::hash::HashSeed;
use crate::key::{Key, Keys};
use crate::node::NodeId;
use crate::roster::{Change, Roster};
use crate::spec::{AlgorithmSpec, Arguments};
use crate::trace::Trace;

/// Membership: what every contender has.
pub trait Scheme: Any + Send + Sync {
    /// The members that this placement serves.
    fn roster(&self) -> &Roster;

    /// Takes over the next roster. Called by [`advance`] only: `next` is valid, and `changes`
    /// (which lead to it) are within the declared capabilities.
    ///
    /// # Errors
    /// A limit or parameter of the scheme that the next roster breaks.
    fn adopt(&mut self, next: Roster, changes: &[Change]) -> Result<(), PlacementError>;

    /// Memory of the current state.
    fn footprint(&self) -> Footprint;
}

/// A pure function from keys to nodes.
pub trait Placement: Scheme {
    /// The owner of a key.
    fn place(&self, key: Key<'_>) -> NodeId;

    /// The owners of a batch of keys. Panics where `out` is shorter than the batch.
    fn place_many(&self, keys: Keys<'_>, out: &mut [NodeId]) {
        for (index, owner) in out[..keys.hashes.len()].iter_mut().enumerate() {
            *owner = self.place(keys.get(index));
        }
    }

    /// The owners under this and each later placement of the same contender: row `t` of `out` is
    /// for placement `t`, this one being row 0. The seam for schemes that can walk once for all.
    fn place_across(&self, later: &[&dyn Placement], keys: Keys<'_>, out: &mut [&mut [NodeId]]) {
        self.place_many(keys, out[0]);
        for (placement, row) in later.iter().zip(&mut out[1..]) {
            placement.place_many(keys, row);
        }
    }

    /// The owner of a key, with the steps that led there.
    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId;

    /// Visits distinct nodes of positive weight in order of preference, the owner first, until
    /// the visitor breaks or every such node was visited.
    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>);

    /// The number of a slot that alone decides the candidates of a key, now and after every change
    /// of the fleet: all keys of a slot go together. Nothing where no table of fixed size does.
    fn slot(&self, _: Key<'_>) -> Option<u64> {
        None
    }

    /// The owner of each row of an explicit table, which all clients hold. The row of a key follows
    /// from its hash and from how many rows there are, from nothing else, and has the key's owner.
    /// Nothing where no such table decides.
    fn table(&self) -> Option<Vec<NodeId>> {
        None
    }

    /// The exact share of each node, where the scheme has it.
    fn shares(&self) -> Option<Shares> {
        None
    }

    /// What it has made of the fleet, to explain a lookup by; as large as its tables. Nothing where
    /// a lookup has no more to it than its steps.
    fn anatomy(&self) -> Option<Anatomy> {
        None
    }

    /// A copy to change.
    fn fork(&self) -> Box<dyn Placement>;
}

/// What a placement has made of its fleet: what the steps of a lookup speak of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Anatomy {
    /// Points on a circle of 2^64 positions, rising, with their owners.
    Circle(Vec<(u64, NodeId)>),
    /// Slots, each with its owner.
    Table {
        /// By slot.
        owners: Vec<NodeId>,
        /// In which turn each slot was taken, from 1; empty where nodes took no turns.
        turns: Vec<u32>,
    },
    /// Numbered buckets with their owners, [`NodeId::NOBODY`] where one is out of service.
    Buckets(Vec<NodeId>),
    /// Nothing beforehand: every node scores for every key, and the highest score wins.
    Scores,
}

/// Memory of a placement in bytes: of its roster what [`Roster::shared_bytes`] counts, and all that
/// its tables hold. The law `footprint` compares it with an allocator's count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// What all clients must agree on: members, weights, explicit tables.
    pub shared_bytes: u64,
    /// What each client derives from that: points, tables, seeds.
    pub derived_bytes: u64,
}

/// Exact shares over one denominator: arcs over 2^64, slots over the table size, weights over
/// their sum. Nodes without a part are left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shares {
    /// Node and numerator.
    pub parts: Vec<(NodeId, u128)>,
    /// The denominator: the sum of the numerators.
    pub whole: u128,
}

impl Shares {
    /// Shares from one numerator an identity, in the order of the roster.
    pub fn of_roster(roster: &Roster, whole: u128, numerator: impl Fn(NodeId) -> u128) -> Self {
        let parts = roster.nodes().iter().map(|node| (node.id, numerator(node.id)));
        Shares { parts: parts.filter(|(_, part)| *part > 0).collect(), whole }
    }
}

/// The placement of a first roster.
///
/// # Errors
/// Those of [`Placer::first`]; [`PlacementError::LoadAware`] where the algorithm makes none.
pub fn establish(
    spec: &AlgorithmSpec,
    arguments: &Arguments,
    seed: HashSeed,
    roster: Roster,
) -> Result<Box<dyn Placement>, PlacementError> {
    Placer::first(spec, arguments, seed, roster)?.into_placement()
}

/// The placement after some changes; `before` stays what it was.
///
/// # Errors
/// [`PlacementError::Unsupported`] with the first capability that the changes need and the
/// algorithm lacks; what [`Roster::after`] says of the changes; a limit of the algorithm.
pub fn advance(
    spec: &AlgorithmSpec,
    before: &dyn Placement,
    changes: &[Change],
) -> Result<Box<dyn Placement>, PlacementError> {
    let next = next_roster(spec, before.roster(), changes)?;
    let mut after = before.fork();
    after.adopt(next, changes)?;
    Ok(after)
}

/// The roster after some changes, where the algorithm can follow them.
pub(crate) fn next_roster(
    spec: &AlgorithmSpec,
    before: &Roster,
    changes: &[Change],
) -> Result<Roster, PlacementError> {
    let next = before.after(changes)?;
    for (capability, change) in before.needs(changes) {
        if !spec.can(capability) {
            return Err(PlacementError::Unsupported { capability, change: Some(change) });
        }
    }
    Ok(next)
}
