//! Weighted rendezvous by exponential clocks.
//!
//! Source: Schindelhauer, Schomaker, "Weighted Distributed Hash Tables", SPAA 2005; Resch, "New
//! Hashing Algorithms for Data Storage", SDC 2015. Cost: one mix and one logarithm a node and
//! lookup; 16 bytes and an identity a node.
//!
//! What it cannot do: thousands of nodes cheaply.
//!
//! The literature's largest −w ÷ ln(u) is the least −ln(u) ÷ w here: the same winner, and no
//! division by a logarithm of 0 at u = 1. u comes from the score of `rendezvous`, so equal weights
//! give its answers; it is never 0 or 1 (`placelab_core::math::open_unit`). The logarithm is
//! pinned, since libraries differ in its last bit. Equal times go by name bytes.

use std::ops::ControlFlow;

use placelab_core::math::{ln, open_unit};
use placelab_core::{
    AlgorithmSpec, Capability, Change, Claim, Footprint, HashSeed, Key, KeyHash, KeyPart, NodeId,
    Placement, PlacementError, Roster, Scheme, Silent, Step, Trace,
};

use crate::entrants::Entrants;
use crate::rendezvous::score;

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "weighted-rendezvous",
    family: "rendezvous",
    year: 2005,
    citation: "Schindelhauer, Schomaker: Weighted Distributed Hash Tables, SPAA 2005",
    summary: "exponential clocks of rate w: exact weights with the least movement",
    lookup_cost: "O(N)",
    memory_cost: "O(N) names",
    capabilities: &[Capability::RemoveAny, Capability::Weights],
    claims: &[Claim::FairShares, Claim::MinimalMovement, Claim::OrderFree],
    reads: KeyPart::Hash,
    parameters: &[],
    build: |_, seed, roster| Ok(Box::new(WeightedRendezvous::new(seed, roster))),
};

#[derive(Clone)]
struct WeightedRendezvous {
    seed: HashSeed,
    roster: Roster,
    entrants: Entrants,
}

impl WeightedRendezvous {
    fn new(seed: HashSeed, roster: Roster) -> Self {
        WeightedRendezvous { seed, entrants: Entrants::new(&roster, seed), roster }
    }

    #[inline]
    fn walk<T: Trace + ?Sized>(&self, key: KeyHash, trace: &mut T) -> NodeId {
        let Entrants { name_hashes, weights, ids } = &self.entrants;
        let (mut least, mut winner) = (f64::INFINITY, ids[0]);
        for ((&name_hash, &weight), &node) in name_hashes.iter().zip(weights).zip(ids) {
            let time = time(key, name_hash, weight);
            trace.step(Step::Probe { at: time.to_bits(), node });
            if time < least {
                (least, winner) = (time, node);
            }
        }
        winner
    }
}

/// When the clock of a node strikes for a key.
#[inline(always)]
fn time(key: KeyHash, name_hash: u64, weight: f64) -> f64 {
    -ln(open_unit(score(key, name_hash))) / weight
}

impl Scheme for WeightedRendezvous {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn adopt(&mut self, next: Roster, _: &[Change]) -> Result<(), PlacementError> {
        *self = WeightedRendezvous::new(self.seed, next);
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        Footprint { shared_bytes: self.roster.shared_bytes(), derived_bytes: self.entrants.bytes() }
    }
}

impl Placement for WeightedRendezvous {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.walk(key.hash, &mut Silent)
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        self.walk(key.hash, trace)
    }

    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        let Entrants { name_hashes, weights, .. } = &self.entrants;
        let mut ranked = self.entrants.ranked(|at| time(key.hash, name_hashes[at], weights[at]));
        let _ = ranked.try_for_each(visit);
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}
