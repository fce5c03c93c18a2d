//! Straw2, the bucket of CRUSH: every item draws a straw scaled by its weight, the longest wins.
//!
//! Source: Weil et al., "CRUSH: Controlled, Scalable, Decentralized Placement of Replicated Data",
//! SC 2006; straw2: Ceph Hammer, 2015. Cost: a hash, a logarithm and a division a node and lookup;
//! `draw=wide` takes the last two only for the few that bounds do not rule out.
//!
//! What it cannot do: thousands of nodes cheaply, for which CRUSH has trees of buckets. Their maps
//! and rules are not part of this scheme, and its next candidates are the next longest straws,
//! where a rule of CRUSH draws again with another rank.
//!
//! `draw=wide` takes −ln(u) of the draw u of `weighted-rendezvous` by the pinned logarithm, makes
//! it a whole number of 2^−58 and divides that by the weight: straws are whole numbers that cannot
//! differ by platform, with the winners of `weighted-rendezvous`.
//!
//! `draw=16-bit` is Ceph's arithmetic bit for bit: the low 16 bits of a Jenkins hash of x, item
//! and rank 0, `crush_ln`, and a division that truncates. Sixteen bits make equal straws, and the
//! more so as 10,007 of the upper 32,768 values of u have the logarithm of the value below; of
//! equal straws the earlier item wins. Of 10,000 equal items the first tenth gets 11.4 % and the
//! last 8.8 %. The last logarithm is even below the last but one.
//!
//! Ceph numbers its items; ours have names, so an item is the low 32 bits of XXH3 of its name
//! under the hash seed, "earlier" is by name bytes, and two names of one number, which 80,000
//! nodes have as likely as not, share one straw. x is the low 32 bits of the key hash. Weights
//! become 16.16 fixed point, at least 2^−16; above a million units the quotient runs out of bits.
//!
//! ```
//! use placelab_core::{Arguments, Change, HashSeed, Key, NodeId, Roster, advance, establish};
//! let spec = placelab_algorithms::find("straw2").unwrap();
//! let roster = Roster::numbered(5).unwrap();
//! let before = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//! let half = Change::Reweight(NodeId(2), "0.5".parse().unwrap());
//! let after = advance(spec, before.as_ref(), &[half]).unwrap();
//! // A changed weight changes one straw: only the node whose weight fell gives.
//! for key in (0..5_000).map(Key::hashed) {
//!     assert!(before.place(key) == NodeId(2) || after.place(key) == before.place(key));
//! }
//! ```

use std::cmp::{Ordering, Reverse};
use std::num::Wrapping;

use placelab_core::math::{ln, open_unit};
use placelab_core::mix::{mix, open};
use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Claim, HashFunction, HashSeed, History, Key,
    KeyPart, Keys, Node, NodeId, ParameterKind, ParameterSpec, Resolution, Role, Weight,
};

use crate::clocks::{self, Clock, Draws};
use crate::contest::{Contest, Score};
use crate::rendezvous::{name_hash, opened_score};
use crate::straw2_tables::{COARSE, FINE, RECIPROCAL};
use crate::twins::highest;

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "straw2",
    role: Role::Rival,
    family: "rendezvous",
    year: 2015,
    citation: "Weil et al.: CRUSH: Controlled, Scalable, Decentralized Placement of Replicated \
               Data, SC 2006; straw2: Ceph Hammer, 2015",
    implementations: "C (Ceph, Linux)",
    summary: "straws of the length ln(u) ÷ w in whole numbers, the longest wins",
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
        weight: |arguments, fleet| match arguments.text("draw") {
            // Sixteen bits cut the keys into so many parts.
            "16-bit" => fleet.sum / 65_536.0,
            _ => Weight::LEAST.as_f64(),
        },
    }),
    reads: KeyPart::Hash,
    parameters: &[ParameterSpec {
        name: "draw",
        kind: ParameterKind::Choice(&["wide", "16-bit"]),
        default: Some("wide"),
        help: "bits of a straw: 52 of them, or Ceph's 16, whose ties favour early names",
    }],
    small: "",
    build: Build::Placement(|arguments, seed, roster| {
        Ok(match arguments.text("draw") {
            "16-bit" => Box::new(Contest::<ShortStraw>::new(seed, roster)),
            _ => Box::new(Contest::<WideStraw>::new(seed, roster)),
        })
    }),
    naive,
};

#[derive(Clone)]
pub(crate) struct WideStraw;

impl Score for WideStraw {
    /// Hash of the name, opened, and weight in micro-units.
    type Entrant = (u64, u64);
    type Value = u128;

    fn entrant(seed: HashSeed, node: &Node) -> (u64, u64) {
        (open(name_hash(seed, node)), node.weight.micros())
    }

    /// The complement of what the straw lacks, so that the greatest wins.
    #[inline(always)]
    fn score(_: HashSeed, key: Key<'_>, &(name, weight): &(u64, u64)) -> u128 {
        const SCALE: f64 = (1u64 << 58) as f64;
        // At most 36.8 × 2^58, which is below 2^64.
        let draw = open_unit(opened_score(open(key.hash.0), name));
        let lacking = (-ln(draw) * SCALE) as u64;
        !(u128::from(lacking) * u128::from(Weight::MICROS) / u128::from(weight))
    }

    fn shown(value: u128) -> u64 {
        u64::try_from(!value).map_or(0, |lacking| !lacking)
    }

    #[inline]
    fn first(seed: HashSeed, key: Key<'_>, entrants: &[(u64, u64)]) -> usize {
        clocks::first::<Self>(seed, key, entrants)
    }

    fn leaders(seed: HashSeed, keys: Keys<'_>, entrants: &[(u64, u64)], places: &mut [u32]) {
        clocks::leaders::<Self>(seed, keys, entrants, places);
    }

    #[inline]
    fn compare(seed: HashSeed, key: Key<'_>, one: &(u64, u64), other: &(u64, u64)) -> Ordering {
        clocks::compare::<Self>(seed, key, one, other)
    }
}

impl Clock for WideStraw {
    const DRAWS: Draws = Draws::Long;

    #[inline(always)]
    fn lack(key: Key<'_>, &(name, _): &(u64, u64)) -> f64 {
        clocks::long_lack(key.hash, name)
    }

    #[inline(always)]
    fn name(entrant: &(u64, u64)) -> u64 {
        entrant.0
    }

    #[inline(always)]
    fn weight(entrant: &(u64, u64)) -> f64 {
        entrant.1 as f64 / Weight::MICROS as f64
    }

    /// A straw that lacks this and one more is shorter, and what it lacks was rounded down before
    /// it was divided.
    #[inline]
    fn latest(value: u128) -> f64 {
        (!value + 1) as f64 * (clocks::ROUNDED * clocks::GRAIN)
    }
}

#[derive(Clone)]
struct ShortStraw;

impl Score for ShortStraw {
    /// Number of the item, weight in 16.16 fixed point.
    type Entrant = (u32, u64);
    type Value = i64;

    fn entrant(seed: HashSeed, node: &Node) -> (u32, u64) {
        (name_hash(seed, node) as u32, fixed_point(node.weight))
    }

    #[inline(always)]
    fn score(_: HashSeed, key: Key<'_>, &(item, weight): &(u32, u64)) -> i64 {
        straw(key.hash.0 as u32, item, 0, weight)
    }

    fn shown(value: i64) -> u64 {
        value as u64
    }
}

/// The nearest number of 2^−16, and one for what is lighter.
fn fixed_point(weight: Weight) -> u64 {
    let micros = u128::from(Weight::MICROS);
    let units = ((u128::from(weight.micros()) << 16) + micros / 2) / micros;
    u64::try_from(units).expect("10^9 units are 2^46 such parts").max(1)
}

/// The straw of an item for x at a rank: never above 0, the minimum for an item of weight 0.
#[inline(always)]
fn straw(x: u32, item: u32, rank: u32, weight: u64) -> i64 {
    match weight {
        0 => i64::MIN,
        _ => (crush_ln(hash3(x, item, rank) as u16) - (1 << 48)) / weight as i64,
    }
}

/// 2^44·log2(u + 1), as Ceph's tables have it.
#[inline(always)]
fn crush_ln(u: u16) -> i64 {
    let x = u64::from(u) + 1;
    // Bit 15 leads, except in 2^16, for which the coarse tables have one entry more.
    let shift = x.leading_zeros().saturating_sub(48);
    let x = x << shift;
    let coarse = (x >> 8) as usize - 128;
    let fine = ((x * RECIPROCAL[coarse]) >> 48) as usize & 0xff;
    (i64::from(15 - shift) << 44) + ((COARSE[coarse] + FINE[fine]) >> 4) as i64
}

const HASH_SEED: u32 = 1_315_423_911;
const HASH_X: u32 = 231_232;
const HASH_Y: u32 = 1_232;

/// Ceph's Jenkins hash of three words.
#[inline(always)]
fn hash3(mut a: u32, mut b: u32, mut c: u32) -> u32 {
    let (mut x, mut y) = (HASH_X, HASH_Y);
    let mut hash = HASH_SEED ^ a ^ b ^ c;
    stir(&mut a, &mut b, &mut hash);
    stir(&mut c, &mut x, &mut hash);
    stir(&mut y, &mut a, &mut hash);
    stir(&mut b, &mut x, &mut hash);
    stir(&mut y, &mut c, &mut hash);
    hash
}

/// One round of Jenkins's mix of three words.
#[inline(always)]
fn stir(a: &mut u32, b: &mut u32, c: &mut u32) {
    for (right, left, last) in [(13, 8, 13), (12, 16, 5), (3, 10, 15)] {
        *a = a.wrapping_sub(*b).wrapping_sub(*c) ^ (*c >> right);
        *b = b.wrapping_sub(*c).wrapping_sub(*a) ^ (*a << left);
        *c = c.wrapping_sub(*a).wrapping_sub(*b) ^ (*b >> last);
    }
}

/// The twin: everybody's straw for every key. The longest wide one is what lacks least; short ones
/// are Ceph's, whose weights are the nearest to w·2^16.
fn naive(arguments: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    let unit = u128::from(Weight::MICROS);
    let micros = |node: &Node| u128::from(node.weight.micros());
    let name = |node: &Node| HashFunction::Xxh3.hash_name(seed, &node.name);
    match arguments.text("draw") {
        "wide" => highest(history, keys, |key, node| {
            let u = open_unit(mix(key.hash.0 ^ name(node)));
            let lacking = (-ln(u) * (1u64 << 58) as f64).floor() as u128;
            Reverse(lacking * unit / micros(node))
        }),
        _ => highest(history, keys, |key, node| {
            let weight = (micros(node) * 65_536 + unit / 2) / unit;
            let u = naive_hash(key.hash.0 as u32, name(node) as u32, 0) & 0xffff;
            (naive_ln(u) - (1 << 48)) / weight.max(1) as i64
        }),
    }
}

/// Ceph's logarithm of u + 1, which is shifted bit by bit until bit 15 leads.
fn naive_ln(u: u32) -> i64 {
    let (mut x, mut exponent) = (u64::from(u) + 1, 15);
    while x < 1 << 15 {
        x *= 2;
        exponent -= 1;
    }
    let coarse = (x / 256 - 128) as usize;
    let fine = ((x * RECIPROCAL[coarse]) / (1 << 48) % 256) as usize;
    exponent * (1 << 44) + (COARSE[coarse] + FINE[fine]) as i64 / 16
}

/// Ceph's Jenkins hash of three words, as it is published.
fn naive_hash(a: u32, b: u32, c: u32) -> u32 {
    let [a, b, c, x, y] = [a, b, c, 231_232, 1_232].map(Wrapping);
    let h = Wrapping(1_315_423_911) ^ a ^ b ^ c;
    let [a, b, h] = naive_mix([a, b, h]);
    let [c, x, h] = naive_mix([c, x, h]);
    let [y, _, h] = naive_mix([y, a, h]);
    let [_, _, h] = naive_mix([b, x, h]);
    let [_, _, h] = naive_mix([y, c, h]);
    h.0
}

/// Jenkins's mix of three words, as it is published.
#[rustfmt::skip]
fn naive_mix([mut a, mut b, mut c]: [Wrapping<u32>; 3]) -> [Wrapping<u32>; 3] {
    a -= b; a -= c; a ^= c >> 13;
    b -= c; b -= a; b ^= a << 8;
    c -= a; c -= b; c ^= b >> 13;
    a -= b; a -= c; a ^= c >> 12;
    b -= c; b -= a; b ^= a << 16;
    c -= a; c -= b; c ^= b >> 5;
    a -= b; a -= c; a ^= c >> 3;
    b -= c; b -= a; b ^= a << 10;
    c -= a; c -= b; c ^= b >> 15;
    [a, b, c]
}

#[cfg(test)]
mod tests {
    use placelab_core::hash::fnv1a_64;
    use placelab_core::mix::stream;
    use placelab_core::{Roster, Silent};
    use serde_json::Value;

    use super::*;
    use crate::contest::winner;
    use crate::fixtures::{contender, weighted};
    use crate::vectors::{Digest, golden, hex, vector_keys};

    /// Which words a hash of so many words stirs together in turn; 5 and 6 are the constants.
    const ORDERS: [&[(usize, usize)]; 5] = [
        &[(1, 5), (6, 0)],
        &[(0, 1), (5, 0), (1, 6)],
        &[(0, 1), (2, 5), (6, 0), (1, 5), (6, 2)],
        &[(0, 1), (2, 3), (0, 5), (6, 1), (2, 5), (6, 3)],
        &[(0, 1), (2, 3), (4, 5), (6, 0), (1, 5), (6, 2), (3, 5), (6, 4)],
    ];

    /// The family of which `hash3` is a member. That of one word stirs the word in twice.
    fn jenkins(given: &[u32]) -> u32 {
        let mut words = [0, 0, 0, 0, 0, HASH_X, HASH_Y];
        words[..given.len()].copy_from_slice(given);
        let mut hash = given.iter().fold(HASH_SEED, |hash, word| hash ^ word);
        if given.len() == 1 {
            words[1] = words[0];
        }
        for &(one, other) in ORDERS[given.len() - 1] {
            let (mut a, mut b) = (words[one], words[other]);
            stir(&mut a, &mut b, &mut hash);
            (words[one], words[other]) = (a, b);
        }
        hash
    }

    #[test]
    fn golden_hashes() {
        let file = golden("straw2");
        for (index, key) in vector_keys(&file).into_iter().enumerate() {
            let words = [key as u32, (key >> 32) as u32, 7, u32::MAX, 99];
            for count in 1..=5 {
                let expected = &file["hashes"][format!("H{count}")][index];
                assert_eq!(u64::from(jenkins(&words[..count])), expected.as_u64().unwrap());
            }
            assert_eq!(hash3(words[0], words[1], words[2]), jenkins(&words[..3]));
        }
    }

    #[test]
    fn golden_crush_ln() {
        let file = golden("straw2");
        for (u, expected) in file["crush_ln_samples"].as_object().unwrap() {
            assert_eq!(crush_ln(u.parse().unwrap()).to_string(), expected.as_str().unwrap());
        }
        let all: Vec<i64> = (0..=u16::MAX).map(crush_ln).collect();
        let bytes: Vec<u8> = all.iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(fnv1a_64(&bytes), hex(&file["crush_ln_all"]["fnv1a64"]));
        let falls: Vec<usize> = (1..all.len()).filter(|&u| all[u] < all[u - 1]).collect();
        assert_eq!(falls, [65_535], "and nowhere else");
        let stays: Vec<usize> = (1..all.len()).filter(|&u| all[u] == all[u - 1]).collect();
        assert!(stays.len() == 10_007 && stays[0] > 32_768);
    }

    /// Raw weights of the sets that the vectors name.
    fn raw_weights(set: &str, count: usize) -> Vec<u64> {
        let halves = |weights: &[u64]| weights.iter().map(|weight| weight << 15).collect();
        let cycle = |modulus: usize| (0..count).map(move |i| 2 * (1 + i % modulus) as u64);
        match set {
            "w1_2_4" => halves(&[2, 4, 8]),
            "w1_0_half_1.5" => halves(&[2, 0, 1, 3]),
            "allzero3" => vec![0; 3],
            "tiny1_1_2raw" => vec![1, 1, 2],
            "n10_mod5" => halves(&cycle(5).collect::<Vec<_>>()),
            "n10_mod5_node3x10" => {
                let heavy = |(i, weight)| if i == 3 { 10 * weight } else { weight };
                halves(&cycle(5).enumerate().map(heavy).collect::<Vec<_>>())
            }
            "n97_mod7_half" => halves(&cycle(7).map(|weight| weight / 2).collect::<Vec<_>>()),
            _ => vec![1 << 16; count],
        }
    }

    fn longest(x: u32, rank: u32, weights: &[u64], ids: &[NodeId]) -> u32 {
        let straws = (0..).zip(weights).map(|(item, &weight)| straw(x, item, rank, weight));
        winner(straws, ids, |value| value as u64, &mut Silent).0
    }

    fn items(set: &Value) -> (Vec<u64>, Vec<NodeId>) {
        let count = set["n"].as_u64().unwrap() as usize;
        let weights = raw_weights(set["weights_name"].as_str().unwrap(), count);
        assert_eq!(weights.len(), count);
        (weights, (0..count as u32).map(NodeId).collect())
    }

    /// Every bucket of libcrush at every rank, raw weights too. Its maps and rules
    /// (`map_for_rules`, `rules`) walk trees of such buckets, which is not this scheme.
    #[test]
    fn golden_buckets() {
        let file = golden("straw2");
        let keys = vector_keys(&file);
        for set in file["flat_buckets"].as_array().unwrap() {
            let (weights, ids) = items(set);
            let rank = set["r"].as_u64().unwrap() as u32;
            for (&key, expected) in keys.iter().zip(set["lookups"].as_array().unwrap()) {
                let found = longest(key as u32, rank, &weights, &ids);
                assert_eq!(u64::from(found), expected.as_u64().unwrap(), "{set}");
            }
        }
        for bulk in file["bulk_digests"].as_array().unwrap() {
            let (weights, ids) = items(bulk);
            let (mut digest, mut counts) = (Digest::default(), vec![0u64; ids.len()]);
            for index in 0..bulk["count"].as_u64().unwrap() {
                let found = longest(stream(0, index) as u32, 0, &weights, &ids);
                digest.add(found);
                counts[found as usize] += 1;
            }
            assert_eq!(digest.0, hex(&bulk["fnv1a64"]), "{}", bulk["weights_name"]);
            let listed = bulk["counts"].as_array().unwrap();
            assert!(listed.is_empty() || listed.iter().eq(&counts));
        }
    }

    /// 10,000 equal items and 40,000 keys: ties favour the first tenth over the last by a third.
    #[test]
    fn sixteen_bits_favour_the_early() {
        let logarithms: Vec<i64> = (0..=u16::MAX).map(crush_ln).collect();
        let (mut draws, mut tenths) = (vec![0u16; 10_000], [0; 10]);
        for x in (0..40_000).map(|index| stream(0, index) as u32) {
            // A pass of its own, so that the compiler hashes several items at a time.
            draws.iter_mut().zip(0..).for_each(|(draw, item)| *draw = hash3(x, item, 0) as u16);
            let lengths = draws.iter().map(|&draw| logarithms[usize::from(draw)]);
            let longest = lengths.clone().max();
            tenths[lengths.map(Some).position(|length| length == longest).unwrap() / 1_000] += 1;
        }
        assert_eq!((tenths[0], tenths[9]), (4_561, 3_525));
    }

    /// The part of all pairs of draws in which a light item beats a heavy one that comes later.
    fn share_beside(light: u64, heavy: u64) -> f64 {
        let straws =
            |weight: u64| (0..=u16::MAX).map(move |u| (crush_ln(u) - (1 << 48)) / weight as i64);
        let mut others: Vec<i64> = straws(heavy).collect();
        others.sort_unstable();
        let beaten = |straw: i64| others.partition_point(|other| *other <= straw) as f64;
        straws(light).map(beaten).sum::<f64>() / (1u64 << 32) as f64
    }

    /// A 65,536th of all weight has its share to within another, and a quarter of that has not.
    #[test]
    fn sixteen_bits_tell_a_65536th_apart() {
        let whole: u64 = 1 << 32;
        let parts = |light: u64| share_beside(light, whole - light) * 65_536.0;
        for times in [1, 2, 3, 10, 100, 1_000] {
            assert!((parts(times << 16) - times as f64).abs() <= 1.0, "{times}");
        }
        assert!(parts(1 << 14) >= 1.5 * 0.25);
    }

    #[test]
    fn wide_straws_are_weighted_rendezvous() {
        let fleet = weighted(&[1, 5, 2, 0, 7, 1, 1, 3]);
        let (_, straws) = contender("straw2", fleet.clone());
        let (_, clocks) = contender("weighted-rendezvous", fleet);
        for key in (0..50_000).map(|i| Key::hashed(stream(3, i))) {
            assert_eq!(straws.place(key), clocks.place(key));
        }
    }

    /// The registered form is the kernel over the numbers of the names.
    #[test]
    fn names_become_numbers() {
        let (_, placement) = contender("straw2:draw=16-bit", weighted(&[1, 2, 3]));
        let nodes = Roster::numbered(3).unwrap();
        for key in (0..1_000).map(|i| stream(6, i)) {
            let straws = (1..).zip(nodes.nodes()).map(|(weight, node)| {
                straw(key as u32, name_hash(HashSeed(0), node) as u32, 0, weight << 16)
            });
            let longest = straws.zip(0..).max().unwrap().1;
            assert_eq!(placement.place(Key::hashed(key)), NodeId(longest));
        }
    }
}
