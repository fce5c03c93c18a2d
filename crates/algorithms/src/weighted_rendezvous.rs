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
//!
//! ```
//! use placelab_core::{Arguments, Change, HashSeed, Key, NodeId, Roster, advance, establish};
//! let spec = placelab_algorithms::find("weighted-rendezvous").unwrap();
//! let roster = Roster::numbered(3).unwrap();
//! let before = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//! let double = Change::Reweight(NodeId(1), "2".parse().unwrap());
//! let after = advance(spec, before.as_ref(), &[double]).unwrap();
//! // Only the node whose weight rose receives.
//! for key in (0..5_000).map(Key::hashed) {
//!     assert!(after.place(key) == NodeId(1) || after.place(key) == before.place(key));
//! }
//! ```

use std::ops::ControlFlow;

use placelab_core::math::{ln, open_unit};
use placelab_core::{
    AlgorithmSpec, Capability, Change, Claim, Footprint, HashSeed, Key, KeyHash, KeyPart, NodeId,
    Placement, PlacementError, Role, Roster, Scheme, Silent, Step, Trace,
};

use crate::entrants::{Entrants, entrants, ranked};
use crate::range_hash::bytes_of;
use crate::rendezvous::score;

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "weighted-rendezvous",
    role: Role::Rival,
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
    /// In units, in the order of the entrants.
    weights: Vec<f64>,
}

impl WeightedRendezvous {
    fn new(seed: HashSeed, roster: Roster) -> Self {
        let weights = entrants(&roster).map(|node| node.weight.as_f64()).collect();
        WeightedRendezvous { seed, entrants: Entrants::new(&roster, seed), weights, roster }
    }

    #[inline]
    fn walk<T: Trace + ?Sized>(&self, key: KeyHash, trace: &mut T) -> NodeId {
        let Entrants { name_hashes, ids } = &self.entrants;
        let draws = name_hashes.iter().map(|&name_hash| open_unit(score(key, name_hash)));
        first_to_strike(draws, &self.weights, ids, trace)
    }
}

/// When a clock of this rate strikes, from its draw u.
#[inline(always)]
fn time(u: f64, weight: f64) -> f64 {
    -ln(u) / weight
}

/// The node whose clock strikes first; of equals the first.
#[inline(always)]
fn first_to_strike<T: Trace + ?Sized>(
    draws: impl Iterator<Item = f64>,
    weights: &[f64],
    ids: &[NodeId],
    trace: &mut T,
) -> NodeId {
    let (mut least, mut winner) = (f64::INFINITY, ids[0]);
    for ((u, &weight), &node) in draws.zip(weights).zip(ids) {
        let time = time(u, weight);
        trace.step(Step::Probe { at: time.to_bits(), node });
        if time < least {
            (least, winner) = (time, node);
        }
    }
    winner
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
        Footprint {
            shared_bytes: self.roster.shared_bytes(),
            derived_bytes: self.entrants.bytes() + bytes_of(&self.weights),
        }
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
        let Entrants { name_hashes, ids } = &self.entrants;
        // Times are positive, so their bits are in their order.
        let bits = |at: usize| {
            time(open_unit(score(key.hash, name_hashes[at])), self.weights[at]).to_bits()
        };
        let _ = ranked(ids, bits).try_for_each(visit);
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::HashFunction;

    use super::*;
    use crate::vectors::{golden, vector_keys, weights};

    /// Two programs that score by −w ÷ ln(u), largest first, name the same winners and
    /// runners-up as our clocks over the same draws u.
    fn agree(program: &str, unit: impl Fn(u64, &str) -> f64) {
        let file = golden("weighted_hrw");
        let keys = vector_keys(&file);
        for vector in file[program]["vectors"].as_array().unwrap() {
            let all = weights(vector);
            let members: Vec<usize> = (0..all.len()).filter(|&at| all[at] > 0.0).collect();
            let ids: Vec<NodeId> = members.iter().map(|&at| NodeId(at as u32)).collect();
            let weights: Vec<f64> = members.iter().map(|&at| all[at]).collect();
            for (&key, expected) in keys.iter().zip(vector["lookups"].as_array().unwrap()) {
                let draw = |at: usize| unit(key, &format!("node-{}", members[at]));
                let order = ranked(&ids, |at| time(draw(at), weights[at]).to_bits());
                let best: Vec<String> = order.take(3).map(|node| node.0.to_string()).collect();
                assert_eq!(best.join(","), expected.as_str().unwrap(), "{program} {key:x}");
                let draws = (0..ids.len()).map(draw);
                let winner = first_to_strike(draws, &weights, &ids, &mut Silent);
                assert_eq!(winner.0.to_string(), best[0], "{program} {key:x}");
            }
        }
    }

    #[test]
    fn golden_kraken() {
        agree("kraken", |key, name| {
            let text = [&key.to_be_bytes()[..], name.as_bytes()].concat();
            let hash = HashFunction::Murmur3x128.hash(&text);
            (hash & ((1 << 53) - 1)) as f64 / (1u64 << 53) as f64
        });
    }

    #[test]
    fn golden_wikipedia() {
        agree("wikipedia", |key, name| {
            let text = format!("{name}: {key}");
            let hash = murmur3::murmur3_x64_128(&mut text.as_bytes(), 0).unwrap();
            (hash as f64 + 1.0) / 2f64.powi(128)
        });
    }
}
