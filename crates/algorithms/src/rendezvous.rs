//! Rendezvous hashing, highest random weight (HRW).
//!
//! Source: Thaler, Ravishankar, "A Name-Based Mapping Scheme for Rendezvous", University of
//! Michigan CSE-TR-316-96, 1996; IEEE/ACM Transactions on Networking, 1998. Cost: one 64-bit mix
//! a node and lookup; 8 bytes and an identity a node.
//!
//! What it cannot do: weights (see `weighted-rendezvous`), and thousands of nodes cheaply.
//!
//! The score of a pair is the SplitMix64 finaliser of key hash ⊕ name hash: both are hashed well
//! already, so one bijective mix of their difference suffices. The largest score wins; equal
//! scores go by name bytes.
//!
//! ```
//! use placelab_core::{Arguments, HashSeed, Key, Roster, establish, replicas};
//! let spec = placelab_algorithms::find("rendezvous").unwrap();
//! let roster = Roster::numbered(10).unwrap();
//! let placement = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//! // The next in the ranking take over: the first two of three copies are the two copies.
//! let key = Key::hashed(42);
//! let copies = |count| replicas(placement.as_ref(), key, count).unwrap();
//! assert_eq!(copies(3)[..2], copies(2));
//! ```

use std::cmp::Reverse;
use std::ops::ControlFlow;

use placelab_core::mix::mix;
use placelab_core::{
    AlgorithmSpec, Capability, Change, Claim, Footprint, HashSeed, Key, KeyHash, KeyPart, NodeId,
    Placement, PlacementError, Role, Roster, Scheme, Silent, Step, Trace,
};

use crate::entrants::{Entrants, ranked};

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "rendezvous",
    role: Role::Rival,
    family: "rendezvous",
    year: 1996,
    citation: "Thaler, Ravishankar: A Name-Based Mapping Scheme for Rendezvous, \
               University of Michigan CSE-TR-316-96",
    summary: "every node competes for every key, the highest score wins",
    lookup_cost: "O(N)",
    memory_cost: "O(N) names",
    capabilities: &[Capability::RemoveAny],
    claims: &[Claim::FairShares, Claim::MinimalMovement, Claim::OrderFree],
    reads: KeyPart::Hash,
    parameters: &[],
    build: |_, seed, roster| Ok(Box::new(Rendezvous::new(seed, roster))),
};

#[derive(Clone)]
struct Rendezvous {
    seed: HashSeed,
    roster: Roster,
    entrants: Entrants,
}

/// The 64-bit score of a key and a node.
#[inline(always)]
pub(crate) fn score(key: KeyHash, name_hash: u64) -> u64 {
    mix(key.0 ^ name_hash)
}

impl Rendezvous {
    fn new(seed: HashSeed, roster: Roster) -> Self {
        Rendezvous { seed, entrants: Entrants::new(&roster, seed), roster }
    }

    #[inline]
    fn walk<T: Trace + ?Sized>(&self, key: KeyHash, trace: &mut T) -> NodeId {
        let Entrants { name_hashes, ids } = &self.entrants;
        let (mut best, mut winner) = (0, ids[0]);
        for (&name_hash, &node) in name_hashes.iter().zip(ids) {
            let score = score(key, name_hash);
            trace.step(Step::Probe { at: score, node });
            if score > best {
                (best, winner) = (score, node);
            }
        }
        winner
    }
}

impl Scheme for Rendezvous {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn adopt(&mut self, next: Roster, _: &[Change]) -> Result<(), PlacementError> {
        *self = Rendezvous::new(self.seed, next);
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        Footprint { shared_bytes: self.roster.shared_bytes(), derived_bytes: self.entrants.bytes() }
    }
}

impl Placement for Rendezvous {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.walk(key.hash, &mut Silent)
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        self.walk(key.hash, trace)
    }

    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        let Entrants { name_hashes, ids } = &self.entrants;
        let highest_first = |at: usize| Reverse(score(key.hash, name_hashes[at]));
        let _ = ranked(ids, highest_first).try_for_each(visit);
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}
