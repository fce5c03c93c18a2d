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

use placelab_core::mix::mix;
use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Claim, HashFunction, HashSeed, History, Key,
    KeyHash, KeyPart, Keys, Node, NodeId, Role,
};

use crate::contest::{Contest, Score};
use crate::twins::highest;

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "rendezvous",
    role: Role::Rival,
    family: "rendezvous",
    year: 1996,
    citation: "Thaler, Ravishankar: A Name-Based Mapping Scheme for Rendezvous, \
               University of Michigan CSE-TR-316-96",
    implementations: "Rust (hrw-hash), Java (Apache Ignite), Python (pymemcache), Elixir (hrw)",
    summary: "every node competes for every key, the highest score wins",
    lookup_cost: "O(N)",
    steps: |_, fleet| fleet.now.into(),
    closed_forms: &[],
    memory_cost: "O(N) names",
    capabilities: &[Capability::RemoveAny],
    claims: &[Claim::FairShares, Claim::MinimalMovement, Claim::OrderFree, Claim::Restores],
    resolution: None,
    reads: KeyPart::Hash,
    parameters: &[],
    small: "",
    build: Build::Placement(|_, seed, roster| {
        Ok(Box::new(Contest::<HighestRandomWeight>::new(seed, roster)))
    }),
    naive,
};

#[derive(Clone)]
struct HighestRandomWeight;

impl Score for HighestRandomWeight {
    type Entrant = u64;
    type Value = u64;

    fn entrant(seed: HashSeed, node: &Node) -> u64 {
        name_hash(seed, node)
    }

    #[inline(always)]
    fn score(_: HashSeed, key: Key<'_>, entrant: &u64) -> u64 {
        score(key.hash, *entrant)
    }

    fn shown(value: u64) -> u64 {
        value
    }
}

/// What the scores of the family read of a node: XXH3 of its name under the hash seed.
pub(crate) fn name_hash(seed: HashSeed, node: &Node) -> u64 {
    HashFunction::Xxh3.hash_name(seed, &node.name)
}

/// The 64-bit score of a key and a node.
#[inline(always)]
pub(crate) fn score(key: KeyHash, name_hash: u64) -> u64 {
    mix(key.0 ^ name_hash)
}

/// The twin: everybody's score for every key.
fn naive(_: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    highest(history, keys, |key, node| {
        mix(key.hash.0 ^ HashFunction::Xxh3.hash_name(seed, &node.name))
    })
}
