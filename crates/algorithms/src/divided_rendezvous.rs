//! An exhibit: rendezvous with the hash divided by the weight, largest wins.
//!
//! Source: a slip of the pen of `weighted-rendezvous`, where a *time* is divided and the *least*
//! wins. Cost: as `rendezvous`.
//!
//! What it cannot do: serve weights. Division makes the heavy small: 1:2:3 becomes
//! 71.3 : 21.3 : 7.4 %. (The largest of u, u/2, u/3: node 3 wins with ∫₀^⅓ 6x² dx = 2/27, node 2
//! with 23/108, node 1 with 77/108.) A node whose weight rises loses keys.
//!
//! The quotient is compared in whole numbers: 2^64 × score over the weight in micro-units.

use placelab_core::mix::mix;
use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Claim, HashFunction, HashSeed, History, Key,
    KeyPart, Keys, Node, NodeId, Resolution, Role,
};

use crate::contest::{Contest, Score};
use crate::rendezvous::{name_hash, score};
use crate::twins::highest;

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "divided-rendezvous",
    role: Role::Exhibit,
    family: "rendezvous",
    year: 1998,
    citation: "folklore",
    implementations: "none: it is a mistake",
    summary: "wrong weights: the largest of hash ÷ weight starves heavy nodes",
    lookup_cost: "O(N)",
    steps: |_, fleet| fleet.now.into(),
    closed_forms: &[],
    memory_cost: "O(N) names",
    capabilities: &[Capability::RemoveAny, Capability::Weights],
    claims: &[Claim::OrderFree, Claim::Restores, Claim::ScaleFree],
    resolution: Some(Resolution::NONE),
    reads: KeyPart::Hash,
    parameters: &[],
    small: "",
    build: Build::Placement(|_, seed, roster| {
        Ok(Box::new(Contest::<HashOverWeight>::new(seed, roster)))
    }),
    naive,
};

#[derive(Clone)]
struct HashOverWeight;

impl Score for HashOverWeight {
    /// Hash of the name, weight in micro-units.
    type Entrant = (u64, u64);
    type Value = u128;

    fn entrant(seed: HashSeed, node: &Node) -> (u64, u64) {
        (name_hash(seed, node), node.weight.micros())
    }

    #[inline(always)]
    fn score(_: HashSeed, key: Key<'_>, &(name_hash, weight): &(u64, u64)) -> u128 {
        (u128::from(score(key.hash, name_hash)) << 64) / u128::from(weight)
    }

    fn shown(value: u128) -> u64 {
        (value >> 64) as u64
    }
}

/// The twin: the draw, 2^64 of it for one, over the weight, for everybody and every key.
fn naive(_: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    highest(history, keys, |key, node| {
        let draw = mix(key.hash.0 ^ HashFunction::Xxh3.hash_name(seed, &node.name));
        u128::from(draw) * (1 << 64) / u128::from(node.weight.micros())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::shares_of_one_two_three;

    #[test]
    fn heavy_nodes_are_starved() {
        shares_of_one_two_three(&SPEC, [77.0 / 108.0, 23.0 / 108.0, 2.0 / 27.0]);
        assert!((77.0f64 / 108.0 - 0.713).abs() < 5e-4 && (23.0f64 / 108.0 - 0.213).abs() < 5e-4);
    }
}
