//! An exhibit: rendezvous with the weight times the draw, largest wins.
//!
//! Source: the multiplication that suggests itself; Mohanty et al., "Weighted HRW and its
//! applications", draft-mohanty-bess-weighted-hrw, says why it is not enough. Cost: as
//! `rendezvous`.
//!
//! What it cannot do: give shares in proportion to the weights. The largest of w·u favours the
//! heavy: 1:2:3 becomes 1/18 : 11/36 : 23/36. (P(node 1 wins) = ∫₀¹ (x/2)(x/3) dx = 1/18, and so
//! on.) What it *can* do is told wrongly at times: a factor common to all weights cancels, and a
//! changed weight moves keys to or from that node alone. `weighted-rendezvous` does it right.
//!
//! The product is taken in whole numbers, weight in micro-units × 52 bits of the score, so equal
//! weights give the answers of `rendezvous` but for draws that agree in 52 bits.

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
    name: "naive-weighted-rendezvous",
    role: Role::Exhibit,
    family: "rendezvous",
    year: 1998,
    citation: "folklore; refuted in Mohanty et al.: draft-mohanty-bess-weighted-hrw, 2020",
    implementations: "none: it is a mistake",
    summary: "wrong weights: the largest of weight × draw favours heavy nodes",
    lookup_cost: "O(N)",
    steps: |_, fleet| fleet.now.into(),
    closed_forms: &[],
    memory_cost: "O(N) names",
    capabilities: &[Capability::RemoveAny, Capability::Weights],
    claims: &[Claim::MinimalMovement, Claim::OrderFree, Claim::Restores, Claim::ScaleFree],
    resolution: Some(Resolution::NONE),
    reads: KeyPart::Hash,
    parameters: &[],
    small: "",
    build: Build::Placement(|_, seed, roster| {
        Ok(Box::new(Contest::<WeightTimesDraw>::new(seed, roster)))
    }),
    naive,
};

#[derive(Clone)]
struct WeightTimesDraw;

impl Score for WeightTimesDraw {
    /// Hash of the name, weight in micro-units.
    type Entrant = (u64, u64);
    type Value = u128;

    fn entrant(seed: HashSeed, node: &Node) -> (u64, u64) {
        (name_hash(seed, node), node.weight.micros())
    }

    #[inline(always)]
    fn score(_: HashSeed, key: Key<'_>, &(name_hash, weight): &(u64, u64)) -> u128 {
        u128::from(weight) * u128::from(score(key.hash, name_hash) >> 12)
    }

    fn shown(value: u128) -> u64 {
        (value >> 52) as u64
    }
}

/// The twin: weight times the upper 52 bits of the draw, for everybody and every key.
fn naive(_: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    highest(history, keys, |key, node| {
        let draw = mix(key.hash.0 ^ HashFunction::Xxh3.hash_name(seed, &node.name)) >> 12;
        u128::from(draw) * u128::from(node.weight.micros())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::shares_of_one_two_three;

    #[test]
    fn heavy_nodes_are_favoured() {
        shares_of_one_two_three(&SPEC, [1.0 / 18.0, 11.0 / 36.0, 23.0 / 36.0]);
    }
}
