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

use placelab_core::mix::{close, mix, open, stir};
use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Claim, HashFunction, HashSeed, History, Key,
    KeyHash, KeyPart, Keys, Node, NodeId, Role,
};

use crate::contest::{Contest, Score, leader};
use crate::twins::highest;
use crate::{kernels, simd};

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
    /// Hash of the name, opened.
    type Entrant = u64;
    type Value = u64;

    fn entrant(seed: HashSeed, node: &Node) -> u64 {
        open(name_hash(seed, node))
    }

    #[inline(always)]
    fn score(_: HashSeed, key: Key<'_>, &entrant: &u64) -> u64 {
        opened_score(open(key.hash.0), entrant)
    }

    fn shown(value: u64) -> u64 {
        value
    }

    #[inline]
    fn first(_: HashSeed, key: Key<'_>, entrants: &[u64]) -> usize {
        first(key.hash, entrants)
    }

    fn leaders(_: HashSeed, keys: Keys<'_>, entrants: &[u64], places: &mut [u32]) {
        kernels::rendezvous::leaders(simd::level(), keys.hashes, entrants, places);
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

/// The score of a key and a node whose hashes the first part of the mixer has been applied to.
#[inline(always)]
pub(crate) fn opened_score(key: u64, name: u64) -> u64 {
    close(stir(key ^ name))
}

/// The place of the winner for a key among entrants of these opened name hashes.
///
/// The last part of the mixer leaves the upper 31 bits as they are, so whoever has less of them
/// than the best so far has lost before it.
#[inline]
pub(crate) fn first(key: KeyHash, names: &[u64]) -> usize {
    first_of_opened(open(key.0), names)
}

/// The place of the winner for an opened key.
#[inline]
pub(crate) fn first_of_opened(key: u64, names: &[u64]) -> usize {
    // The n-th takes the lead with probability 1/n: among the first a branch would be mispredicted.
    let (few, many) = names.split_at(names.len().min(8));
    let at = leader(few.iter().map(|&name| opened_score(key, name)), |_, _| ());
    let mut lead = (opened_score(key, names[at]), at);
    let (whole, rest) = many.as_chunks::<4>();
    let mut place = few.len();
    for names in whole {
        meet(key, names, place, &mut lead);
        place += 4;
    }
    for &name in rest {
        meet(key, &[name], place, &mut lead);
        place += 1;
    }
    lead.1
}

/// The leader meets some more, of whom the first stands at a place; one branch for all of them.
#[inline(always)]
fn meet<const NAMES: usize>(key: u64, names: &[u64; NAMES], place: usize, lead: &mut (u64, usize)) {
    const KEPT: u64 = !(u64::MAX >> 31);
    let stirred = names.map(|name| stir(key ^ name));
    if stirred.into_iter().fold(0, u64::max) >= lead.0 & KEPT {
        for (at, stirred) in (place..).zip(stirred) {
            if close(stirred) > lead.0 {
                *lead = (close(stirred), at);
            }
        }
    }
}

/// The twin: everybody's score for every key.
fn naive(_: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    highest(history, keys, |key, node| {
        mix(key.hash.0 ^ HashFunction::Xxh3.hash_name(seed, &node.name))
    })
}
