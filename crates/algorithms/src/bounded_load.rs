//! Consistent hashing with bounded loads: a full node hands keys on to the next.
//!
//! Source: Mirrokni, Thorup, Zadimoghaddam, "Consistent Hashing with Bounded Loads", SODA 2018
//! (arXiv 1608.01350). Every node takes at most ⌈(1 + ε)·m·w ÷ W⌉ of m keys, where w ÷ W is its
//! part of the weight; a key goes to the first node with room in the order of the placement
//! underneath: clockwise on a ring, by falling score in a contest. Cost: the lookup underneath and
//! O(1 ÷ ε²) further candidates on average; a counter a node that all clients must agree on.
//!
//! What it cannot do: answer for a key alone, as the answer depends on the keys before it. How many
//! keys a node takes does not depend on their order, but which ones does. So a change of the fleet
//! moves more keys than those of the node concerned, and the smaller ε the more: forwarded keys
//! are handed on again.
//!
//! Capacities come from the number of all keys m before the first is placed, in exact arithmetic:
//! the paper's guarantee at every moment is that of the last. Popular libraries grow the bound with
//! each key, and one of them rounds (1 + ε)·⌊m ÷ n⌋; both differ from the paper in every figure
//! measured here. `capacity=K` bounds by K keys a unit of weight instead, whatever m is: then the
//! fleet may be too small, which is a typed error.

use std::ops::ControlFlow;

use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Claim, HashSeed, History, Key, KeyPart, Keys,
    Node, NodeId, ParameterKind, ParameterSpec, Placement, PlacementError, Role, Roster, Step,
    Trace, Weight, replicas,
};

use crate::load_aware::{Books, OVER, RESOLUTION, Rule, VNODES, build, by_id, naive_pass};

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "bounded-load",
    role: Role::Rival,
    family: "load-aware",
    year: 2016,
    citation: "Mirrokni, Thorup, Zadimoghaddam: Consistent Hashing with Bounded Loads, SODA 2018",
    implementations: "C (HAProxy), C++ (Envoy), Go (buraksezer/consistent); none with the paper's \
        rule of removal",
    summary: "a node that has its part of all keys and ε more hands further ones on",
    lookup_cost: "O(1/ε²) expected",
    // Of a pass; for an ε of 0 there is no bound.
    steps: |arguments, _| match parse_epsilon(arguments.text("epsilon")) {
        Ok(epsilon) => 1.0 + 2.0 * (Weight::MICROS as f64 / epsilon as f64).powi(2),
        Err(_) => f64::INFINITY,
    },
    closed_forms: &[],
    memory_cost: "O(NV)",
    capabilities: &[Capability::RemoveAny, Capability::Weights],
    claims: &[Claim::Restores, Claim::OrderFree],
    resolution: Some(RESOLUTION),
    reads: KeyPart::Hash,
    parameters: &[
        ParameterSpec {
            name: "epsilon",
            kind: ParameterKind::Text(|text| parse_epsilon(text).map(|_| ())),
            default: Some("0.25"),
            help: "how far above its part of the keys a node may be loaded",
        },
        ParameterSpec {
            name: "capacity",
            kind: ParameterKind::Count { min: 0, max: 1 << 40 },
            default: Some("0"),
            help: "most keys a unit of weight; 0 for what epsilon says",
        },
        OVER,
        VNODES,
    ],
    small: "vnodes=3",
    build: Build::Assignment(build::<Bounded>),
    naive,
};

/// How many keys a node takes.
#[derive(Clone)]
enum Bounded {
    /// (1 + ε) of its part, ε in millionths.
    Epsilon(u64),
    /// So many a unit of weight.
    Capacity(u64),
}

/// Reads ε as millionths: the decimals of a weight, at most 1,000.
fn parse_epsilon(text: &str) -> Result<u64, String> {
    match text.parse::<Weight>() {
        Ok(epsilon) if epsilon <= Weight::units(1_000) => Ok(epsilon.micros()),
        _ => Err("needs a number from 0 to 1000 with at most six decimals".into()),
    }
}

impl Bounded {
    /// Most keys of a node of this weight, rounded up or down as the bound has it.
    fn capacity(&self, micros: u64, total: u128, keys: u64) -> u64 {
        let unit = u128::from(Weight::MICROS);
        let (micros, keys) = (u128::from(micros), u128::from(keys));
        let most = match *self {
            // At most 2^30 × 2^64 × 2^50 would overflow, so the whole keys come first.
            Bounded::Epsilon(epsilon) => {
                let over = unit + u128::from(epsilon);
                let (whole, rest) = (keys * micros / total, keys * micros % total);
                let rest = (whole * over % unit) * total + rest * over;
                whole * over / unit + rest.div_ceil(unit * total)
            }
            Bounded::Capacity(capacity) => u128::from(capacity) * micros / unit,
        };
        u64::try_from(most).unwrap_or(u64::MAX)
    }
}

impl Rule for Bounded {
    fn new(arguments: &Arguments) -> Self {
        match arguments.count("capacity") {
            0 => Bounded::Epsilon(
                parse_epsilon(arguments.text("epsilon")).expect("parameters passed their checks"),
            ),
            capacity => Bounded::Capacity(capacity),
        }
    }

    fn capacities(&self, roster: &Roster, keys: u64) -> Result<Option<Vec<u64>>, PlacementError> {
        let total = roster.total_weight();
        let all = by_id(roster, |micros| self.capacity(micros, total, keys));
        let possible = all.iter().fold(0, |sum: u64, most| sum.saturating_add(*most));
        match possible < keys {
            true => Err(PlacementError::Limit {
                what: "keys within the capacities",
                asked: keys,
                possible,
                heaviest: None,
            }),
            false => Ok(Some(all)),
        }
    }

    fn choose(
        &self,
        under: &dyn Placement,
        books: &Books,
        key: Key<'_>,
        trace: &mut dyn Trace,
    ) -> NodeId {
        let capacities = books.capacities.as_ref().expect("loads are bounded");
        let mut has_room = |node: NodeId| {
            let load = books.loads[node.index()];
            trace.step(Step::Probe { at: load, node });
            load < capacities[node.index()]
        };
        // Most keys stay with their owner, who is cheaper to find than an order of all nodes.
        let owner = under.place(key);
        if has_room(owner) {
            return owner;
        }
        let mut chosen = None;
        under.candidates(key, &mut |node| match node != owner && has_room(node) {
            true => {
                chosen = Some(node);
                ControlFlow::Break(())
            }
            false => ControlFlow::Continue(()),
        });
        chosen.expect("a pass has room for the keys it was opened for")
    }
}

/// The twin: counts everybody's keys again for each key, and finds the bound by trying.
fn naive(arguments: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    let micros = u128::from(Weight::MICROS);
    let total = history.now().total_weight();
    let has_room = |node: &Node, load: u64| {
        let (weight, load) = (u128::from(node.weight.micros()), u128::from(load));
        match u128::from(arguments.count("capacity")) {
            0 => {
                // ⌈x⌉ is more than a whole number where x is.
                let epsilon = arguments.text("epsilon").parse::<Weight>().expect("it was checked");
                let bound = (micros + u128::from(epsilon.micros())) * keys.hashes.len() as u128;
                load * total * micros < bound * weight
            }
            capacity => (load + 1) * micros <= capacity * weight,
        }
    };
    naive_pass(arguments, seed, history, keys, |under, key, before| {
        let roster = under.roster();
        let load = |node| before.iter().filter(|owner| **owner == node).count() as u64;
        let mut everybody = replicas(under, key, roster.serving().count())
            .expect("as many as there are")
            .into_iter();
        let node = |id| roster.get(id).expect("candidates are members");
        everybody.find(|&id| has_room(node(id), load(id))).expect("there is room for all")
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use blake2::{Blake2b512, Digest};
    use placelab_core::mix::stream;
    use placelab_core::{
        AlgorithmRequest, Change, HashFunction, HashSeed, KeyHash, Keys, Placer, Silent, advance,
        establish,
    };
    use rayon::prelude::*;

    use super::*;
    use crate::fixtures::{named, weighted};
    use crate::load_aware::over;
    use crate::vectors::{buckets, golden, vector_keys};

    /// A ring of explicit points: `hash(text(i, name))` for each i below `count`.
    fn ring(roster: Roster, count: u32, hash: impl Fn(u32, &str) -> u64) -> Box<dyn Placement> {
        let mut tokens = String::new();
        for node in roster.nodes() {
            let name = node.name.as_str();
            (0..count).for_each(|i| tokens += &format!("{name},{}\n", hash(i, name)));
        }
        let request = AlgorithmRequest::expand("ring:tokens=@points").unwrap().remove(0);
        let spec = crate::find("ring").unwrap();
        let arguments = request.arguments(spec, &|_| Ok(Arc::from(&*tokens))).unwrap();
        establish(spec, &arguments, HashSeed::PUBLISHED, roster).unwrap()
    }

    fn members(name: impl Fn(u32) -> String, count: u32) -> Roster {
        let names: Vec<String> = (0..count).map(name).collect();
        named(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn listed(value: &serde_json::Value) -> Vec<u32> {
        buckets(value).collect()
    }

    /// A table of partitions is an assignment of their numbers in their order.
    #[test]
    fn golden_partition_tables_in_full() {
        let fnv = |bytes: &[u8]| HashFunction::Fnv1a64.hash(bytes);
        let table = |vector: &serde_json::Value, roster: Roster| {
            let load = (vector["load"].as_f64().unwrap() * 1e6).round() as u64;
            let points = vector["replication"].as_u64().unwrap() as u32;
            let placement = ring(roster, points, |i, name| fnv(format!("{i}:{name}").as_bytes()));
            let rule = Bounded::Epsilon(load - Weight::MICROS);
            let spec = crate::find("ring").unwrap();
            let partitions = vector["partitions"].as_u64().unwrap();
            let keys: Vec<KeyHash> =
                (0..partitions).map(|p| KeyHash(fnv(&p.to_le_bytes()))).collect();
            let assignment = over(rule, spec, placement);
            let capacity = assignment.open(partitions).unwrap().capacity(NodeId(0)).unwrap();
            let owners = Placer::Assignment(assignment).owners(Keys::hashed(&keys)).unwrap();
            (capacity as f64, owners.iter().map(|node| node.0).collect::<Vec<u32>>())
        };
        let file = golden("chbl");
        let name = |i| format!("node{i}.example");
        for vector in file["buraksezer"]["vectors"].as_array().unwrap() {
            let roster = members(name, vector["members"].as_u64().unwrap() as u32);
            let (capacity, owners) = table(vector, roster.clone());
            assert_eq!(capacity, vector["cap"].as_f64().unwrap());
            assert_eq!(owners, listed(&vector["table"]));
            let after = &vector["after_removing_node1"];
            if after.is_object() {
                let gone = roster.after(&[Change::Remove(NodeId(1))]).unwrap();
                let (capacity, owners) = table(vector, gone);
                assert_eq!(capacity, after["cap"].as_f64().unwrap());
                assert_eq!(owners, listed(&after["table"]));
            }
        }
    }

    /// The bound of a library that grows with each request: ⌈1.25 · max(1, ⌊(T + 1) ÷ n⌋)⌉.
    fn online(books: &mut Books) {
        let requests = books.loads.iter().sum::<u64>() + 1;
        let mean = (requests / books.loads.len() as u64).max(1);
        books.capacities = Some(vec![(5 * mean).div_ceil(4); books.loads.len()]);
    }

    #[test]
    fn golden_requests_in_full() {
        let blake = |text: &str| {
            let digest = Blake2b512::digest(text.as_bytes());
            u64::from_le_bytes(digest[..8].try_into().unwrap())
        };
        let key = |key: u64| Key::hashed(blake(&key.to_string()));
        let hosts = |count| {
            let roster = members(|i| format!("host-{i}"), count);
            ring(roster, 10, |i, name| blake(&format!("{name}{i}")))
        };
        let file = golden("chbl");
        let family = &file["lafikl"];
        for vector in family["get"].as_array().unwrap() {
            let ring = hosts(vector["n"].as_u64().unwrap() as u32);
            let owners = vector_keys(&file).into_iter().map(|hash| ring.place(key(hash)).0);
            assert_eq!(owners.collect::<Vec<u32>>(), listed(&vector["buckets"]));
        }
        for vector in family["get_least_sequences"].as_array().unwrap() {
            let count = vector["n"].as_u64().unwrap() as usize;
            let ring = hosts(count as u32);
            let mut books =
                Books { loads: vec![0; count], weights: vec![1; count], capacities: None };
            let mut chosen = Vec::new();
            let request = |books: &mut Books, index| {
                online(books);
                let key = key(stream(0, index));
                let node = Bounded::Epsilon(0).choose(ring.as_ref(), books, key, &mut Silent);
                books.loads[node.index()] += 1;
                node.0
            };
            (0..300).for_each(|index| chosen.push(request(&mut books, index)));
            assert_eq!(chosen, listed(&vector["chosen_in_order"]));
            assert_eq!(books.loads.iter().max(), vector["observed_max"].as_u64().as_ref());
            chosen.iter().step_by(3).for_each(|&node| books.loads[node as usize] -= 1);
            let more: Vec<u32> = (300..400).map(|index| request(&mut books, index)).collect();
            assert_eq!(more, listed(&vector["then_done_every_third_then_100_more"]));
        }
    }

    /// Capacities are exact: thirds of thirds, and products beyond 64 bits.
    #[test]
    fn capacities_round_up_exactly() {
        let most = |epsilon: &str, weights: &[u32], keys| {
            let rule = Bounded::Epsilon(parse_epsilon(epsilon).unwrap());
            rule.capacities(&weighted(weights), keys).unwrap().unwrap()
        };
        assert_eq!(most("0", &[1, 1, 1], 9), [3, 3, 3]);
        assert_eq!(most("0", &[1, 1, 1], 10), [4, 4, 4]);
        assert_eq!(most("0.1", &[1; 10], 100), [11; 10], "not 12: the product is whole");
        assert_eq!(most("0.25", &[1, 2, 0, 5], 1_000), [157, 313, 0, 782]);
        let large = 1 << 62;
        let [a, b] = most("1000", &[1, 2], large)[..] else { unreachable!() };
        assert_eq!((a, b), (u64::MAX, u64::MAX), "more than can be counted is no bound");
        let [a, b] = most("0.5", &[1, 2], large)[..] else { unreachable!() };
        assert_eq!((a, b), (large / 2, large));
    }

    #[test]
    fn too_small_a_fleet_is_typed() {
        let all = Bounded::Capacity(10).capacities(&weighted(&[1, 2]), 31);
        let what = "keys within the capacities";
        assert_eq!(
            all,
            Err(PlacementError::Limit { what, asked: 31, possible: 30, heaviest: None })
        );
        assert!(parse_epsilon("-0.1").is_err() && parse_epsilon("nan").is_err());
    }

    /// Bounds whose price is known, in millionths.
    const EPSILONS: [u64; 4] = [100_000, 250_000, 500_000, 1_000_000];

    /// Keys that move from 1,000 to 1,001 nodes under each bound, placed afresh in the same order,
    /// over the least that must: the newcomer's part.
    fn moved_over_minimum(vnodes: u32, seed: HashSeed) -> [f64; 4] {
        const KEYS: u64 = 10_000;
        let text = format!("ring:vnodes={vnodes}");
        let request = AlgorithmRequest::expand(&text).unwrap().remove(0);
        let spec = crate::find("ring").unwrap();
        let arguments = request.arguments(spec, &|_| unreachable!("no file is named")).unwrap();
        let roster = Roster::numbered(1_000).unwrap();
        let before = establish(spec, &arguments, seed, roster).unwrap();
        let newcomer = Change::Add(Roster::numbered_node(1_000));
        let after = advance(spec, before.as_ref(), &[newcomer]).unwrap();
        let keys: Vec<KeyHash> = (0..KEYS).map(|i| seed.salt(KeyHash(stream(1, i)))).collect();
        EPSILONS.map(|epsilon| {
            let [a, b] = [&before, &after].map(|placement| {
                let assignment = over(Bounded::Epsilon(epsilon), spec, placement.fork());
                Placer::Assignment(assignment).owners(Keys::hashed(&keys)).unwrap()
            });
            let moved = a.iter().zip(&b).filter(|(a, b)| a != b).count();
            moved as f64 / (KEYS as f64 / 1_001.0)
        })
    }

    /// The mean over so many hash seeds is within a tenth of what was computed elsewhere.
    fn prices(vnodes: u32, trials: u64, expected: [f64; 4]) {
        let trials = (1..=trials).into_par_iter();
        let prices: Vec<[f64; 4]> =
            trials.map(|seed| moved_over_minimum(vnodes, HashSeed(seed))).collect();
        for (at, expected) in expected.into_iter().enumerate() {
            let mean = prices.iter().map(|price| price[at]).sum::<f64>() / prices.len() as f64;
            let apart = (mean / expected - 1.0).abs();
            assert!(apart < 0.1, "{} millionths: {mean}, not {expected}", EPSILONS[at]);
        }
    }

    #[test]
    fn the_price_of_a_bound_with_one_point_a_node() {
        prices(1, 1_600, [9.75, 3.83, 2.52, 1.61]);
    }

    #[test]
    fn the_price_of_a_bound_with_many_points_a_node() {
        prices(160, 400, [1.86, 1.26, 1.09, 1.01]);
    }
}
