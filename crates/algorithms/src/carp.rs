//! CARP, the cache array routing protocol.
//!
//! Source: Valloppillil, Ross, "Cache Array Routing Protocol v1.0", draft-vinod-carp-v1-03, 1998.
//! Cost: a pass over the key's bytes, then a multiplication or two a node; 16 bytes and an
//! identity a node.
//!
//! What it cannot do: be fair. The hash of a pair is one function of U ⊕ P, the hashes of key and
//! name, so a fleet keeps whatever luck its P have: of 16 equal nodes one has 1.25 times its share
//! of random keys, and 1.6 times its share of consecutive ones, which a 32-bit hash of shifts and
//! sums does not spread. The last factor is even once its summand is in, so the top bit of U ⊕ P
//! is lost. Neither does it change weights with least movement: a multiplier depends on every
//! weight, so while nodes of equal weight come and go at the price of their own keys, any change
//! among unequal ones moves keys between the others too.
//!
//! Multipliers: nodes in ascending order of load factor p = w ÷ Σw, equal ones by name. The draft's
//! recursion X_k^n = n·(p_k − p_(k−1)) ÷ Π + X_(k−1)^n, with n nodes left and Π = X_1 … X_(k−1), is
//! the same as X_k^n = (p_1 + … + p_(k−1) + n·p_k) ÷ Π, which neither subtracts nor adds up its
//! errors; ours agrees with a running proxy to 10^−12. The greatest product of combined hash and
//! multiplier wins, of equals the first in that order. Bytes count as signed, as in that proxy:
//! it matters beyond ASCII.
//!
//! `url-hash=accumulated` is what Squid runs: the hash of the key is not begun anew for each node,
//! so node k meets the key hashed k times in a row. A node that goes changes the hashes of all
//! behind it: when the first of six equal nodes goes, 67 % of all keys move that had not to.
//! The hash seed, unless 0, is read before name and key.
//!
//! ```
//! use placelab_core::{Arguments, Change, HashSeed, Key, KeyHash, NodeId, Roster};
//! use placelab_core::{advance, establish};
//! let spec = placelab_algorithms::find("carp").unwrap();
//! let roster = Roster::numbered(6).unwrap();
//! let before = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//! let after = advance(spec, before.as_ref(), &[Change::Remove(NodeId(0))]).unwrap();
//! // Among equals only the keys of the node that goes move.
//! for page in 0..5_000 {
//!     let text = format!("http://example.test/{page}");
//!     let key = Key { hash: KeyHash(0), bytes: text.as_bytes() };
//!     assert!(before.place(key) == NodeId(0) || after.place(key) == before.place(key));
//! }
//! ```

use std::ops::ControlFlow;

use placelab_core::math::pow;
use placelab_core::{
    AlgorithmSpec, Anatomy, Arguments, Build, Capability, Change, Claim, Footprint, HashSeed,
    History, Key, KeyPart, Keys, Node, NodeId, ParameterKind, ParameterSpec, Placement,
    PlacementError, Resolution, Role, Roster, Scheme, Silent, Trace,
};

use crate::contest::{ranked, winner};
use crate::range_hash::bytes_of;
use crate::twins::{by_name, each, seeded};

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "carp",
    role: Role::Rival,
    family: "rendezvous",
    year: 1998,
    citation: "Valloppillil, Ross: Cache Array Routing Protocol v1.0, draft-vinod-carp-v1-03",
    implementations: "C++ (Squid, which deviates from the draft)",
    summary: "rendezvous of URL and proxy, a 32-bit hash times a multiplier from the weights",
    lookup_cost: "O(N)",
    steps: |_, fleet| fleet.now.into(),
    closed_forms: &[],
    memory_cost: "O(N)",
    capabilities: &[Capability::RemoveAny, Capability::Weights],
    claims: &[Claim::OrderFree, Claim::Restores, Claim::ScaleFree],
    resolution: Some(Resolution {
        // A draw is a hash of 32 bits whose top bit is lost.
        lightest: "W ÷ 2³¹",
        memory: "none",
        weight: |_, fleet| fleet.sum / (1u64 << 31) as f64,
    }),
    reads: KeyPart::Bytes,
    parameters: &[ParameterSpec {
        name: "url-hash",
        kind: ParameterKind::Choice(&["once", "accumulated"]),
        default: Some("once"),
        help: "whether the key is hashed once, or once more for each node as in Squid",
    }],
    small: "",
    build: Build::Placement(|arguments, seed, roster| {
        Ok(Box::new(Carp::new(arguments, seed, roster)))
    }),
    naive,
};

#[derive(Clone, Copy)]
enum UrlHash {
    Once,
    Accumulated,
}

/// What a score reads of a node.
#[derive(Clone, Copy)]
struct Peer {
    hash: u32,
    multiplier: f64,
}

#[derive(Clone)]
struct Carp {
    url_hash: UrlHash,
    seed: HashSeed,
    roster: Roster,
    peers: Vec<Peer>,
    ids: Vec<NodeId>,
}

impl Carp {
    fn new(arguments: &Arguments, seed: HashSeed, roster: Roster) -> Self {
        let url_hash = match arguments.text("url-hash") {
            "accumulated" => UrlHash::Accumulated,
            _ => UrlHash::Once,
        };
        Carp::of(url_hash, seed, roster)
    }

    fn of(url_hash: UrlHash, seed: HashSeed, roster: Roster) -> Self {
        let mut members: Vec<_> = roster.serving_by_name().collect();
        members.sort_by_key(|node| node.weight);
        let weights: Vec<u64> = members.iter().map(|node| node.weight.micros()).collect();
        let peer = |(node, multiplier): (&&Node, f64)| Peer {
            hash: spread(absorb(start(seed), node.name.as_bytes())),
            multiplier,
        };
        let peers = members.iter().zip(multipliers(&weights)).map(peer).collect();
        let ids = members.iter().map(|node| node.id).collect();
        Carp { url_hash, seed, roster, peers, ids }
    }

    /// One score a node: the bits of a product that is not negative, which are in its order.
    #[inline]
    fn scores(&self, key: Key<'_>) -> impl Iterator<Item = u64> + Clone {
        let mut url = absorb(start(self.seed), key.bytes);
        self.peers.iter().enumerate().map(move |(index, peer)| {
            if index > 0 && matches!(self.url_hash, UrlHash::Accumulated) {
                url = absorb(url, key.bytes);
            }
            (f64::from(spread(url ^ peer.hash)) * peer.multiplier).to_bits()
        })
    }

    #[inline]
    fn walk<T: Trace + ?Sized>(&self, key: Key<'_>, trace: &mut T) -> NodeId {
        winner(self.scores(key), &self.ids, |score| f64::from_bits(score) as u64, trace)
    }
}

/// What a hash starts from: nothing, or what the hash seed leaves behind.
fn start(seed: HashSeed) -> u32 {
    seed.prefix().map_or(0, |prefix| absorb(0, &prefix))
}

/// The hash of bytes behind those that a hash has read.
#[inline]
fn absorb(hash: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(hash, |hash, &byte| {
        let signed = i32::from(byte.cast_signed()).cast_unsigned();
        hash.wrapping_add(hash.rotate_left(19)).wrapping_add(signed)
    })
}

/// The last step of the hash of a name, and of key and name together.
#[inline]
fn spread(hash: u32) -> u32 {
    hash.wrapping_add(hash.wrapping_mul(0x6253_1965)).rotate_left(21)
}

/// The multipliers of ascending positive weights.
fn multipliers(weights: &[u64]) -> Vec<f64> {
    let total = weights.iter().map(|&weight| u128::from(weight)).sum::<u128>() as f64;
    let (mut lighter, mut product) = (0u128, 1.0);
    let multiplier = |(index, &weight): (usize, &u64)| {
        let left = weights.len() - index;
        let mass = (lighter + left as u128 * u128::from(weight)) as f64 / total;
        let multiplier = pow(mass / product, 1.0 / left as f64);
        lighter += u128::from(weight);
        product *= multiplier;
        multiplier
    };
    weights.iter().enumerate().map(multiplier).collect()
}

impl Scheme for Carp {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn adopt(&mut self, next: Roster, _: &[Change]) -> Result<(), PlacementError> {
        *self = Carp::of(self.url_hash, self.seed, next);
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        Footprint {
            shared_bytes: self.roster.shared_bytes(),
            derived_bytes: bytes_of(&self.peers) + bytes_of(&self.ids),
        }
    }
}

impl Placement for Carp {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.walk(key, &mut Silent)
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        self.walk(key, trace)
    }

    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        let _ = ranked(self.scores(key), &self.ids).try_for_each(visit);
    }

    fn anatomy(&self) -> Option<Anatomy> {
        Some(Anatomy::Scores)
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

/// The twin: the draft's loops for every pair. The mass in a multiplier, p_1 + … + p_(k−1) + n·p_k,
/// is the sum of min(p_j, p_k) over all nodes j.
fn naive(arguments: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    let roster = history.now();
    let mut peers = by_name(&roster);
    peers.sort_by_key(|node| node.weight);
    let micros = |node: &Node| u128::from(node.weight.micros());
    let total: u128 = peers.iter().map(|node| micros(node)).sum();
    let mut multipliers: Vec<f64> = Vec::new();
    for (k, peer) in peers.iter().enumerate() {
        let mass: u128 = peers.iter().map(|other| micros(other).min(micros(peer))).sum();
        let power = mass as f64 / total as f64 / multipliers.iter().product::<f64>();
        multipliers.push(pow(power, 1.0 / (peers.len() - k) as f64));
    }
    each(keys, |key| {
        let (mut best, mut owner) = (-1.0, NodeId::NOBODY);
        for (k, peer) in peers.iter().enumerate() {
            let times = if arguments.text("url-hash") == "accumulated" { k + 1 } else { 1 };
            let url = naive_sum(&seeded(seed, &key.bytes.repeat(times)));
            let name = naive_spread(naive_sum(&seeded(seed, peer.name.as_bytes())));
            let score = f64::from(naive_spread(url ^ name)) * multipliers[k];
            if score > best {
                (best, owner) = (score, peer.id);
            }
        }
        owner
    })
}

/// The draft's sum over bytes, which count as signed.
fn naive_sum(bytes: &[u8]) -> u32 {
    let mut sum = 0u32;
    for &byte in bytes {
        sum = sum.wrapping_add(sum.rotate_left(19)).wrapping_add(byte as i8 as u32);
    }
    sum
}

/// The draft's last step.
fn naive_spread(sum: u32) -> u32 {
    sum.wrapping_mul(0x6253_1966).rotate_left(21)
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;
    use placelab_core::{KeyHash, NodeName, Weight, advance};

    use super::*;
    use crate::fixtures::contender;
    use crate::vectors::{golden, hex, weights};

    fn peers(weights: &[f64]) -> Roster {
        let node = |(index, &weight): (u32, &f64)| Node {
            name: NodeName::new(&format!("peer{index}.example")).unwrap(),
            weight: Weight::units(weight as u32),
            ..Roster::numbered_node(index)
        };
        Roster::new((0..).zip(weights).map(node).collect()).unwrap()
    }

    fn owner(placement: &dyn Placement, url: &str) -> u32 {
        placement.place(Key { hash: KeyHash(0), bytes: url.as_bytes() }).0
    }

    /// Every set in full: what the running proxy answered, and the draft's form, which a
    /// re-implementation computed.
    #[test]
    fn golden_squid() {
        let file = golden("carp");
        for set in file["sets"].as_array().unwrap() {
            let fleet = peers(&weights(set));
            let carp = Carp::of(UrlHash::Once, HashSeed(0), fleet.clone());
            let listed = set["peers_in_selection_order"].as_array().unwrap();
            for ((peer, id), expected) in carp.peers.iter().zip(&carp.ids).zip(listed) {
                assert_eq!(fleet.get(*id).unwrap().name.as_str(), expected["name"]);
                assert_eq!(u64::from(peer.hash), hex(&expected["hash"]));
                let multiplier = expected["multiplier"].as_f64().unwrap();
                assert!((peer.multiplier / multiplier - 1.0).abs() < 1e-12);
            }
            for (text, column) in [("accumulated", "lookups"), ("once", "carp_once")] {
                let (_, placement) = contender(&format!("carp:url-hash={text}"), fleet.clone());
                let expected = set[column].as_array().unwrap();
                for (url, expected) in file["urls"].as_array().unwrap().iter().zip(expected) {
                    let found = owner(placement.as_ref(), url.as_str().unwrap());
                    assert_eq!(u64::from(found), expected.as_u64().unwrap(), "{url} {column}");
                }
            }
        }
    }

    /// Of six equal peers one goes: which part of all keys moves though it stayed.
    #[test]
    fn accumulation_moves_what_stands_behind() {
        let sideways = |text: &str, gone: u32| {
            let (spec, before) = contender(text, peers(&[1.0; 6]));
            let after = advance(spec, before.as_ref(), &[Change::Remove(NodeId(gone))]).unwrap();
            let urls = (0..30_000).map(|i| format!("http://example.test/obj/{i}"));
            let pairs = urls.map(|url| (owner(before.as_ref(), &url), owner(after.as_ref(), &url)));
            pairs.filter(|(old, new)| *old != gone && old != new).count() as f64 / 30_000.0
        };
        assert_eq!(sideways("carp", 0), 0.0);
        assert_eq!(sideways("carp:url-hash=accumulated", 5), 0.0);
        let first = sideways("carp:url-hash=accumulated", 0);
        assert!((first - 0.67).abs() < 0.02, "{first}");
    }

    /// Sixteen equal peers: no key is too random for shares that chance does not explain, and
    /// consecutive names are worse.
    #[test]
    fn shares_are_not_fair() {
        let (_, placement) = contender("carp", peers(&[1.0; 16]));
        let peak = |url: &dyn Fn(u64) -> String| {
            let mut loads = [0u32; 16];
            (0..64_000).for_each(|i| loads[owner(placement.as_ref(), &url(i)) as usize] += 1);
            f64::from(*loads.iter().max().unwrap()) / 4_000.0
        };
        let random = peak(&|i| format!("{:x}", stream(11, i)));
        let consecutive = peak(&|i| format!("http://example.test/obj/{i}"));
        assert!((1.2..1.3).contains(&random), "{random}");
        assert!((1.5..1.7).contains(&consecutive), "{consecutive}");
    }

    /// The draft's own recursion, and shares of ideal draws: a product of uniform draws and
    /// multipliers wins as often as its weight says.
    #[test]
    fn multipliers_are_those_of_the_draft() {
        let loads = [1, 1, 2, 4, 8, 16, 16, 500];
        let total: u64 = loads.iter().sum();
        let (mut before, mut product, mut last) = (0.0, 1.0, 0.0);
        for (index, (multiplier, load)) in multipliers(&loads).into_iter().zip(loads).enumerate() {
            let (left, factor) = ((loads.len() - index) as f64, load as f64 / total as f64);
            let power = left * (factor - before) / product + pow(last, left);
            let expected = pow(power, 1.0 / left);
            assert!((multiplier / expected - 1.0).abs() < 1e-9, "{index}");
            (before, product, last) = (factor, product * expected, expected);
        }
        assert!(multipliers(&[1, 1_000_000_000_000_000]).iter().all(|x| x.is_finite()));
        assert_eq!(multipliers(&[7; 9]), [1.0; 9]);
    }

    #[test]
    fn bytes_are_signed() {
        assert_eq!(absorb(0, &[0xff]), u32::MAX);
        assert_eq!(absorb(1, &[]), 1);
    }
}
