//! An exhibit: rendezvous over bytes without a separator between key and name.
//!
//! Source: the string concatenation of many a first version. Cost: as `rendezvous-sha256`.
//!
//! What it cannot do: tell ("ab", "c") from ("a", "bc"). Such pairs score alike, so the fates of
//! related keys hang together and loads scatter beyond chance where keys and names share an
//! alphabet. `rendezvous-sha256` puts each field behind its length.

use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Claim, HashSeed, History, Key, KeyPart, Keys,
    Node, NodeId, NodeName, Role,
};
use sha2::{Digest, Sha256};

use crate::contest::{Contest, Score};
use crate::rendezvous_sha256::{head, seeded};
use crate::twins;

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "rendezvous-concat",
    role: Role::Exhibit,
    family: "rendezvous",
    year: 1996,
    citation: "folklore",
    implementations: "none: it is a mistake",
    summary: "wrong encoding: SHA-256 of key and name run together",
    lookup_cost: "O(N)",
    steps: |_, fleet| fleet.now.into(),
    closed_forms: &[],
    memory_cost: "O(N) names",
    capabilities: &[Capability::RemoveAny],
    claims: &[Claim::MinimalMovement, Claim::OrderFree, Claim::Restores],
    resolution: None,
    reads: KeyPart::Bytes,
    parameters: &[],
    small: "",
    build: Build::Placement(|_, seed, roster| {
        Ok(Box::new(Contest::<RunTogether>::new(seed, roster)))
    }),
    naive,
};

#[derive(Clone)]
struct RunTogether;

impl Score for RunTogether {
    type Entrant = NodeName;
    type Value = [u8; 32];

    fn entrant(_: HashSeed, node: &Node) -> NodeName {
        node.name.clone()
    }

    fn score(seed: HashSeed, key: Key<'_>, name: &NodeName) -> [u8; 32] {
        seeded(seed).chain_update(key.bytes).chain_update(name.as_bytes()).finalize().into()
    }

    fn shown(value: [u8; 32]) -> u64 {
        head(value)
    }
}

/// The twin: the digest of the whole text, made anew for every pair.
fn naive(_: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    twins::highest(history, keys, |key, node| {
        let text = [key.bytes, node.name.as_bytes()].concat();
        Sha256::digest(twins::seeded(seed, &text)).to_vec()
    })
}

#[cfg(test)]
mod tests {
    use placelab_core::KeyHash;

    use super::*;
    use crate::fixtures::named;

    #[test]
    fn fields_run_into_each_other() {
        let score = |key: &[u8], name: &str| {
            let entrant = RunTogether::entrant(HashSeed(0), &named(&[name]).nodes()[0]);
            RunTogether::score(HashSeed(0), Key { hash: KeyHash(0), bytes: key }, &entrant)
        };
        assert_eq!(score(b"ab", "c"), score(b"a", "bc"));
        assert_ne!(score(b"ab", "c"), score(b"ab", "d"));
    }
}
