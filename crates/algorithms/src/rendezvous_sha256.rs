//! An exhibit: rendezvous over bytes, with SHA-256 of length-prefixed fields.
//!
//! Source: Thaler, Ravishankar 1996/1998, in the encoding of the textbooks: each field, key then
//! name, behind its length as four big-endian bytes; the largest digest wins. Cost: one SHA-256 a
//! node and lookup.
//!
//! What it cannot do: be fast. It is right, and stands here beside `rendezvous-concat`, which
//! leaves the lengths out. Equal digests would go to the least name, where the textbook takes the
//! greatest; none are known.
//!
//! ```
//! use placelab_core::{Arguments, HashSeed, Key, KeyHash, Roster, establish};
//! let spec = placelab_algorithms::find("rendezvous-sha256").unwrap();
//! let roster = Roster::numbered(4).unwrap();
//! let placement = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//! // It reads the bytes and never the hash.
//! let owner = |hash| placement.place(Key { hash: KeyHash(hash), bytes: b"order-7" });
//! assert_eq!(owner(1), owner(2));
//! ```

use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Claim, HashSeed, History, Key, KeyPart, Keys,
    Node, NodeId, NodeName, Role,
};
use sha2::{Digest, Sha256};

use crate::contest::{Contest, Score};
use crate::twins;

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "rendezvous-sha256",
    role: Role::Exhibit,
    family: "rendezvous",
    year: 1996,
    citation: "Thaler, Ravishankar: A Name-Based Mapping Scheme for Rendezvous, \
               University of Michigan CSE-TR-316-96; encoding of the textbooks",
    implementations: "none: it is a text of this suite",
    summary: "right and slow: SHA-256 of length-prefixed key and name, the largest wins",
    lookup_cost: "O(N)",
    steps: |_, fleet| fleet.now.into(),
    closed_forms: &[],
    memory_cost: "O(N) names",
    capabilities: &[Capability::RemoveAny],
    claims: &[Claim::FairShares, Claim::MinimalMovement, Claim::OrderFree, Claim::Restores],
    resolution: None,
    reads: KeyPart::Bytes,
    parameters: &[],
    small: "",
    build: Build::Placement(|_, seed, roster| {
        Ok(Box::new(Contest::<LengthPrefixed>::new(seed, roster)))
    }),
    naive,
};

#[derive(Clone)]
struct LengthPrefixed;

impl Score for LengthPrefixed {
    type Entrant = NodeName;
    type Value = [u8; 32];

    fn entrant(_: HashSeed, node: &Node) -> NodeName {
        node.name.clone()
    }

    fn score(seed: HashSeed, key: Key<'_>, name: &NodeName) -> [u8; 32] {
        seeded(seed)
            .chain_update(length(key.bytes))
            .chain_update(key.bytes)
            .chain_update(length(name.as_bytes()))
            .chain_update(name.as_bytes())
            .finalize()
            .into()
    }

    fn shown(value: [u8; 32]) -> u64 {
        head(value)
    }
}

/// SHA-256 that has read the hash seed.
pub(crate) fn seeded(seed: HashSeed) -> Sha256 {
    seed.prefix().map_or_else(Sha256::new, Sha256::new_with_prefix)
}

/// The first eight bytes of a digest.
pub(crate) fn head(digest: [u8; 32]) -> u64 {
    u64::from_be_bytes(digest[..8].try_into().expect("a digest has 32 bytes"))
}

fn length(field: &[u8]) -> [u8; 4] {
    u32::try_from(field.len()).expect("keys are shorter than 4 GiB").to_be_bytes()
}

/// The twin: the digest of the whole text, made anew for every pair.
fn naive(_: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    twins::highest(history, keys, |key, node| {
        let mut text = Vec::new();
        for field in [key.bytes, node.name.as_bytes()] {
            text.extend((field.len() as u32).to_be_bytes());
            text.extend(field);
        }
        Sha256::digest(twins::seeded(seed, &text)).to_vec()
    })
}

#[cfg(test)]
mod tests {
    use placelab_core::{Change, advance, establish};

    use super::*;
    use crate::fixtures::named;

    /// Keys `order-0` … `order-4999` over A, B, C and then D, as a textbook's program asserts; its
    /// loads were counted by running that program.
    #[test]
    fn five_thousand_orders() {
        let before =
            establish(&SPEC, &Arguments::defaults(&SPEC), HashSeed(0), named(&["A", "B", "C"]));
        let before = before.unwrap();
        let d = named(&["A", "B", "C", "D"]).nodes()[3].clone();
        let after = advance(&SPEC, before.as_ref(), &[Change::Add(d)]).unwrap();
        let removed = advance(&SPEC, before.as_ref(), &[Change::Remove(NodeId(1))]).unwrap();
        let mut loads = [0; 4];
        for order in 0..5_000 {
            let text = format!("order-{order}");
            let key = Key { hash: placelab_core::KeyHash(0), bytes: text.as_bytes() };
            let (old, new) = (before.place(key), after.place(key));
            assert!(new == old || new == NodeId(3));
            assert!(old == NodeId(1) || removed.place(key) == old);
            loads[new.index()] += 1;
        }
        assert_eq!(loads, [1_267, 1_233, 1_244, 1_256]);
    }

    #[test]
    fn lengths_tell_fields_apart() {
        let score = |key: &[u8], name: &str| {
            let node = named(&[name]).nodes()[0].clone();
            let key = Key { hash: placelab_core::KeyHash(0), bytes: key };
            LengthPrefixed::score(HashSeed(0), key, &LengthPrefixed::entrant(HashSeed(0), &node))
        };
        assert_ne!(score(b"ab", "c"), score(b"a", "bc"));
    }
}
