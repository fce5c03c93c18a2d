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
//! `score=32` makes 32-bit scores, of which a vector holds twice as many, by two products of the
//! halves of both hashes. Two of N nodes share the greatest for less than one key in 2^32 ÷ N,
//! and the first by name takes it, so shares are fair to a part of N ÷ 2^32. Over 3·10^8 keys and
//! 100 nodes, chi-squared over degrees of freedom was 0.88 for shares and 0.85 to 1.14 for where
//! the keys of a lost node go (99 degrees, so 1 ± 0.14).
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
    KeyHash, KeyPart, Keys, Node, NodeId, ParameterKind, ParameterSpec, Role,
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
    parameters: &[ParameterSpec {
        name: "score",
        kind: ParameterKind::Choice(&["64", "32"]),
        default: Some("64"),
        help: "bits of a score: 32 are faster in batches, with ties and steps of 2^−32",
    }],
    small: "",
    build: Build::Placement(|arguments, seed, roster| {
        Ok(match arguments.text("score") {
            "32" => Box::new(Contest::<ShortWeight>::new(seed, roster)),
            _ => Box::new(Contest::<HighestRandomWeight>::new(seed, roster)),
        })
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
        kernels::single::winner(simd::level(), key.hash, entrants)
    }

    fn leaders(_: HashSeed, keys: Keys<'_>, entrants: &[u64], places: &mut [u32]) {
        kernels::rendezvous::leaders(simd::level(), keys.hashes, entrants, places);
    }
}

#[derive(Clone)]
struct ShortWeight;

impl Score for ShortWeight {
    /// Hash of the name.
    type Entrant = u64;
    type Value = u32;

    fn entrant(seed: HashSeed, node: &Node) -> u64 {
        name_hash(seed, node)
    }

    #[inline(always)]
    fn score(_: HashSeed, key: Key<'_>, &name: &u64) -> u32 {
        short_score(key.hash, name)
    }

    fn shown(value: u32) -> u64 {
        value.into()
    }

    fn leaders(_: HashSeed, keys: Keys<'_>, entrants: &[u64], places: &mut [u32]) {
        kernels::short_scores::leaders(simd::level(), keys.hashes, entrants, places);
    }
}

/// What a short score multiplies by last.
pub(crate) const SHORT_MULTIPLIER: u32 = 0xc2b2_ae35;

/// The 32-bit score of a key and a node. Either has a half in each step, so that all 64 bits of
/// both count, and every node has a multiplier of its own.
#[inline(always)]
pub(crate) fn short_score(key: KeyHash, name_hash: u64) -> u32 {
    let z = ((key.0 ^ name_hash) >> 32) as u32;
    let z = z.wrapping_mul(name_hash as u32 | 1);
    (z ^ (z >> 15) ^ key.0 as u32).wrapping_mul(SHORT_MULTIPLIER)
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
fn naive(arguments: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    highest(history, keys, |key, node| {
        let name = HashFunction::Xxh3.hash_name(seed, &node.name);
        match arguments.text("score") {
            "32" => naive_short(key.hash.0, name),
            _ => mix(key.hash.0 ^ name),
        }
    })
}

/// The twin of a 32-bit score, in words of 64 bits.
pub(crate) fn naive_short(key: u64, name: u64) -> u64 {
    let half = 1 << 32;
    let first = ((key / half) ^ (name / half)) * ((name % half) | 1) % half;
    (first ^ (first / (1 << 15)) ^ (key % half)) * 0xc2b2_ae35 % half
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;
    use placelab_core::{Change, Roster, advance};

    use super::*;
    use crate::fixtures::{contender, twin_agrees, weighted};

    #[test]
    fn short_scores_are_those_of_the_twin() {
        let equal = Roster::numbered(9).unwrap();
        let unequal = weighted(&[1, 2, 5, 1, 1, 9, 1, 1, 3]);
        let cases = [("rendezvous:score=32", equal), ("weighted-rendezvous:score=32", unequal)];
        for (text, roster) in cases {
            let edges = [0, 1, u64::MAX, 1 << 32, (1 << 32) - 1];
            let hashes = edges.into_iter().chain((0..500).map(|i| stream(4, i)));
            twin_agrees(text, HashSeed(3), roster, hashes);
        }
    }

    /// Four million keys, as a 75th of the check by hand: of a lost node each other gets the same.
    #[test]
    fn short_scores_spread_the_keys_of_a_lost_node() {
        let (spec, before) = contender("rendezvous:score=32", Roster::numbered(21).unwrap());
        let lost = NodeId(16);
        let after = advance(spec, before.as_ref(), &[Change::Remove(lost)]).unwrap();
        let hashes: Vec<KeyHash> = (0..4_001_792).map(|i| KeyHash(stream(99, i))).collect();
        let mut owners = vec![lost; hashes.len()];
        before.place_many(Keys::hashed(&hashes), &mut owners);
        let gone = hashes.iter().zip(&owners).filter(|(_, owner)| **owner == lost);
        let gone: Vec<KeyHash> = gone.map(|(&hash, _)| hash).collect();
        after.place_many(Keys::hashed(&gone), &mut owners);
        let mut loads = [0u32; 21];
        owners[..gone.len()].iter().for_each(|owner| loads[owner.index()] += 1);
        let mean = gone.len() as f64 / 20.0;
        let chi_squared: f64 = loads.iter().map(|&load| (f64::from(load) - mean).powi(2)).sum();
        // The lost one has none, which makes up one square of the mean.
        let per_degree = (chi_squared / mean - mean) / 19.0;
        assert!((0.2..2.5).contains(&per_degree), "{per_degree}");
    }
}
