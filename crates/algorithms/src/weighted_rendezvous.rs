//! Weighted rendezvous by exponential clocks.
//!
//! Source: Schindelhauer, Schomaker, "Weighted Distributed Hash Tables", SPAA 2005; Resch, "New
//! Hashing Algorithms for Data Storage", SDC 2015. Cost: one mix a node and lookup, and a
//! logarithm for each of the few that bounds do not rule out; 16 bytes and an identity a node.
//!
//! What it cannot do: thousands of nodes cheaply.
//!
//! The literature's largest −w ÷ ln(u) is the least −ln(u) ÷ w here: the same winner, and no
//! division by a logarithm of 0 at u = 1. u comes from the score of `rendezvous`, so equal weights
//! give its answers; it is never 0 or 1 (`placelab_core::math::open_unit`). The logarithm is
//! pinned, since libraries differ in its last bit. Equal times go by name bytes.
//!
//! `score=32` draws from the 32-bit scores of `rendezvous`: a draw is a multiple of 2^−32, so a
//! node below 2^−32 of all weight has no share that one could rely on.
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

use std::cmp::Ordering;
use std::marker::PhantomData;

use placelab_core::math::{ln, open_unit};
use placelab_core::mix::{mix, open};
use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Claim, HashFunction, HashSeed, History, Key,
    KeyHash, KeyPart, Keys, Node, NodeId, ParameterKind, ParameterSpec, Resolution, Role, Weight,
};

use crate::clocks::{self, Clock, Draws};
use crate::contest::{Contest, Score};
use crate::rendezvous::{naive_short, name_hash, opened_score, score, short_score};
use crate::twins::highest;

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "weighted-rendezvous",
    role: Role::Rival,
    family: "rendezvous",
    year: 2005,
    citation: "Schindelhauer, Schomaker: Weighted Distributed Hash Tables, SPAA 2005",
    implementations: "Go (kraken), C++ (Envoy)",
    summary: "exponential clocks of rate w: exact weights with the least movement",
    lookup_cost: "O(N)",
    steps: |_, fleet| fleet.now.into(),
    closed_forms: &[],
    memory_cost: "O(N) names",
    capabilities: &[Capability::RemoveAny, Capability::Weights],
    claims: &[
        Claim::FairShares,
        Claim::MinimalMovement,
        Claim::OrderFree,
        Claim::Restores,
        Claim::ScaleFree,
    ],
    resolution: Some(Resolution {
        lightest: "exact",
        memory: "none",
        weight: |arguments, fleet| match arguments.text("score") {
            // 32 bits cut the keys into so many parts.
            "32" => fleet.sum / (1u64 << 32) as f64,
            _ => Weight::LEAST.as_f64(),
        },
    }),
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
            "32" => Box::new(Contest::<FirstToStrike<Short>>::new(seed, roster)),
            _ => Box::new(Contest::<FirstToStrike<Long>>::new(seed, roster)),
        })
    }),
    naive,
};

/// Clocks, by the scores that they draw from.
#[derive(Clone)]
pub(crate) struct FirstToStrike<D>(PhantomData<D>);

/// What a clock draws.
pub(crate) trait Draw: Clone + Send + Sync + 'static {
    const DRAWS: Draws;

    /// Hash of a name as scores take it.
    fn name(hash: u64) -> u64;

    /// The draw u of a key and such a name.
    fn unit(key: KeyHash, name: u64) -> f64;

    /// What the draw lacks, 1 − u.
    fn lack(key: KeyHash, name: u64) -> f64;
}

impl<D: Draw> Score for FirstToStrike<D> {
    /// Hash of the name, weight in units.
    type Entrant = (u64, f64);
    type Value = u64;

    fn entrant(seed: HashSeed, node: &Node) -> (u64, f64) {
        (D::name(name_hash(seed, node)), node.weight.as_f64())
    }

    #[inline(always)]
    fn score(_: HashSeed, key: Key<'_>, &(name, weight): &(u64, f64)) -> u64 {
        earliness(D::unit(key.hash, name), weight)
    }

    fn shown(value: u64) -> u64 {
        value
    }

    #[inline]
    fn first(seed: HashSeed, key: Key<'_>, entrants: &[(u64, f64)]) -> usize {
        clocks::first::<Self>(seed, key, entrants)
    }

    fn leaders(seed: HashSeed, keys: Keys<'_>, entrants: &[(u64, f64)], places: &mut [u32]) {
        clocks::leaders::<Self>(seed, keys, entrants, places);
    }

    #[inline]
    fn compare(seed: HashSeed, key: Key<'_>, one: &(u64, f64), other: &(u64, f64)) -> Ordering {
        clocks::compare::<Self>(seed, key, one, other)
    }
}

impl<D: Draw> Clock for FirstToStrike<D> {
    const DRAWS: Draws = D::DRAWS;

    #[inline(always)]
    fn lack(key: Key<'_>, &(name, _): &(u64, f64)) -> f64 {
        D::lack(key.hash, name)
    }

    #[inline(always)]
    fn name(entrant: &(u64, f64)) -> u64 {
        entrant.0
    }

    #[inline(always)]
    fn weight(entrant: &(u64, f64)) -> f64 {
        entrant.1
    }

    /// The time of a score; the logarithm and the quotient err by less than 2^−51 of it.
    #[inline]
    fn latest(value: u64) -> f64 {
        f64::from_bits(!value) * (1.0 + 1.0 / (1u64 << 40) as f64)
    }
}

/// Of 64-bit scores; names are opened.
#[derive(Clone)]
pub(crate) struct Long;

impl Draw for Long {
    const DRAWS: Draws = Draws::Long;

    fn name(hash: u64) -> u64 {
        open(hash)
    }

    #[inline(always)]
    fn unit(key: KeyHash, name: u64) -> f64 {
        open_unit(opened_score(open(key.0), name))
    }

    #[inline(always)]
    fn lack(key: KeyHash, name: u64) -> f64 {
        clocks::long_lack(key, name)
    }
}

/// Of 32-bit scores.
#[derive(Clone)]
pub(crate) struct Short;

impl Draw for Short {
    const DRAWS: Draws = Draws::Short;

    fn name(hash: u64) -> u64 {
        hash
    }

    #[inline(always)]
    fn unit(key: KeyHash, name: u64) -> f64 {
        short_unit(short_score(key, name))
    }

    #[inline(always)]
    fn lack(key: KeyHash, name: u64) -> f64 {
        short_unit(!short_score(key, name))
    }
}

/// A float strictly between 0 and 1 from a 32-bit score.
#[inline(always)]
fn short_unit(score: u32) -> f64 {
    (f64::from(score) + 0.5) / (1u64 << 32) as f64
}

/// How early the clock of a node of this name hash and weight strikes for a key.
#[inline(always)]
pub(crate) fn strike(key: KeyHash, (name_hash, weight): (u64, f64)) -> u64 {
    earliness(open_unit(score(key, name_hash)), weight)
}

/// How early a clock of this rate strikes, from its draw u: times are positive, so their bits are
/// in their order, and the complement turns the least into the greatest.
#[inline(always)]
fn earliness(u: f64, weight: f64) -> u64 {
    !(-ln(u) / weight).to_bits()
}

/// The twin: everybody's clock for every key, the least −ln(u) ÷ w as the greatest ln(u) ÷ w.
fn naive(arguments: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    highest(history, keys, |key, node| {
        let name = HashFunction::Xxh3.hash_name(seed, &node.name);
        let u = match arguments.text("score") {
            "32" => (naive_short(key.hash.0, name) as f64 + 0.5) * 0.5f64.powi(32),
            _ => open_unit(mix(key.hash.0 ^ name)),
        };
        ln(u) / node.weight.as_f64()
    })
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;
    use placelab_core::{Change, Silent, advance};

    use super::*;
    use crate::contest::{ranked, winner};
    use crate::fixtures::{contender, weighted};
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
                let scores = || (0..ids.len()).map(|at| earliness(draw(at), weights[at]));
                let order = ranked(scores(), &ids);
                let best: Vec<String> = order.take(3).map(|node| node.0.to_string()).collect();
                assert_eq!(best.join(","), expected.as_str().unwrap(), "{program} {key:x}");
                let winner = winner(scores(), &ids, |score| score, &mut Silent);
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

    /// 1:2:3 → 2:5:6 and → 1:2:4: only the node whose relative weight rose receives, and little
    /// more than 5.13 % and 7.14 % move, half the sum of the changes of share.
    #[test]
    fn only_who_gained_receives() {
        let cases = [([2, 5, 6], NodeId(1), 2.0 / 39.0), ([1, 2, 4], NodeId(2), 1.0 / 14.0)];
        for (weights, receiver, minimum) in cases {
            let (spec, before) = contender("weighted-rendezvous", weighted(&[1, 2, 3]));
            let changes: Vec<Change> = (0u32..)
                .zip(weights)
                .map(|(id, weight)| Change::Reweight(NodeId(id), Weight::units(weight)))
                .collect();
            let after = advance(spec, before.as_ref(), &changes).unwrap();
            let pairs = (0..1_000_000).map(|i| Key::hashed(stream(31, i)));
            let pairs = pairs.map(|key| (before.place(key), after.place(key)));
            let moves: Vec<NodeId> = pairs.filter(|(a, b)| a != b).map(|(_, b)| b).collect();
            assert!(moves.iter().all(|&node| node == receiver), "{weights:?}");
            let moved = moves.len() as f64 / 1e6;
            assert!((moved - minimum).abs() < 0.001, "{weights:?}: {moved}");
        }
    }
}
