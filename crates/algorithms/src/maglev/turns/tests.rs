//! The rules against the tables of the products, over the products' own hashes.

use std::hash::Hasher;

use murmur3::murmur3_x64_128;
use placelab_core::mix::stream;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use siphasher::sip::SipHasher13;
use xxhash_rust::xxh64::xxh64;

use super::*;
use crate::maglev::naive_rounds;
use crate::vectors::{Digest, golden, hex, vector_keys};

/// The permutation that two draws make.
fn turns(size: u32, offset: u64, skip: u64, weight: u64) -> Turns {
    Turns {
        offset: (offset % u64::from(size)) as u32,
        skip: (skip % u64::from(size - 1)) as u32 + 1,
        weight,
    }
}

fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().into_iter().flatten().map(|number| number.as_u64().unwrap()).collect()
}

/// Holds a table to all that a vector says of it.
fn hold_to(vector: &Value, table: &[u32], keys: &[u64]) {
    let what = (&vector["table_size"], &vector["weights_name"]);
    let mut digest = Digest::default();
    table.iter().for_each(|&entry| digest.add(entry));
    assert_eq!(digest.0, hex(&vector["table_fnv1a64"]), "{what:?}");
    let listed = numbers(&vector["table"]);
    assert!(listed.is_empty() || table.iter().map(|&entry| u64::from(entry)).eq(listed));
    let entries = |node| table.iter().filter(|&&entry| entry == node).count() as u64;
    for (node, count) in (0..).zip(numbers(&vector["counts"])) {
        assert_eq!(entries(node), count, "{what:?}: node {node}");
    }
    let owner = |key: &u64| u64::from(table[(key % table.len() as u64) as usize]);
    let lookups = match &vector["lookups"] {
        Value::Null => numbers(&vector["lookup_keys_mod_M"]),
        lookups => numbers(lookups),
    };
    assert!(lookups.is_empty() || keys.iter().map(owner).eq(lookups), "{what:?}");
}

/// The table of nodes that take turns in the order of their names, with entries by number.
fn by_name(names: &[String], nodes: &[Turns], populate: impl Fn(&[Turns]) -> Vec<u32>) -> Vec<u32> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&at| &names[at]);
    let sorted: Vec<Turns> = order.iter().map(|&at| nodes[at]).collect();
    populate(&sorted).into_iter().map(|entry| order[entry as usize] as u32).collect()
}

fn addresses(count: usize) -> Vec<String> {
    (1..=count).map(|host| format!("10.0.0.{host}:80")).collect()
}

/// The weights that the files name and do not all list.
fn named_weights(file: &Value, name: &str) -> Vec<u64> {
    match name {
        "eq10" => vec![1; 10],
        "eq1000" => vec![1; 1_000],
        "n1000_w100" => vec![100; 1_000],
        "n10_mod5" => (0..10).map(|i| 1 + i % 5).collect(),
        "n97_mod7" => (0..97).map(|i| 1 + i % 7).collect(),
        _ => {
            let listed = numbers(&file["parameters"]["weights"][name]);
            assert!(!listed.is_empty(), "{name} is listed");
            listed
        }
    }
}

fn envoy_table(size: u32, names: &[String], weights: &[u64]) -> Vec<u32> {
    let node = |(name, &weight): (&String, &u64)| {
        let [offset, skip] = [0, 1].map(|seed| xxh64(name.as_bytes(), seed));
        turns(size, offset, skip, weight)
    };
    let nodes: Vec<Turns> = names.iter().zip(weights).map(node).collect();
    by_name(names, &nodes, |nodes| Rule::Envoy.populate(size, nodes))
}

/// Every table of the file, and what the loss of the first host moves.
#[test]
fn golden_envoy_in_full() {
    let file = golden("maglev_envoy");
    for vector in file["vectors"].as_array().unwrap() {
        let weights = match numbers(&vector["weights"]) {
            listed if listed.is_empty() => {
                named_weights(&file, vector["weights_name"].as_str().unwrap())
            }
            listed => listed,
        };
        let size = vector["table_size"].as_u64().unwrap() as u32;
        let names = addresses(weights.len());
        let table = envoy_table(size, &names, &weights);
        hold_to(vector, &table, &vector_keys(&file));
        let loss = &vector["disruption_remove_host0"];
        if loss.is_object() {
            let after = envoy_table(size, &names[1..], &weights[1..]);
            let moved = std::iter::zip(&table, &after).filter(|(a, b)| **a != **b + 1).count();
            assert_eq!(moved as u64, loss["moved_slots"].as_u64().unwrap());
            let forced = table.iter().filter(|&&entry| entry == 0).count();
            assert_eq!(forced as u64, loss["forced_slots"].as_u64().unwrap());
        }
    }
}

/// The tables that Envoy's own unit test prints; its localities of 0.8 and 0.2 are weights 4:1.
#[test]
fn golden_envoy_as_published() {
    let ports = |prefix: &str| (90..96).map(|port| format!("{prefix}{port}")).collect::<Vec<_>>();
    let (hosts, names) = (ports("127.0.0.1:"), ports(""));
    let cases: [(&[String], &[u64]); 5] = [
        (&hosts, &[1; 6]),
        (&names, &[1; 6]),
        (&hosts[..2], &[1, 2]),
        (&hosts[..2], &[1, 1]),
        (&hosts[..2], &[4, 1]),
    ];
    let file = golden("maglev_envoy");
    let published = file["published_tables"].as_array().unwrap();
    assert_eq!(published.len(), cases.len());
    for (table, (names, weights)) in published.iter().zip(cases) {
        let size = table["M"].as_u64().unwrap() as u32;
        let entries = envoy_table(size, names, weights).into_iter().map(u64::from);
        assert!(entries.eq(numbers(&table["table"])), "{}", table["hosts"]);
    }
}

/// Katran's first version: the weights are turns in the first round, and then everybody has one.
fn katran_v1(nodes: &[Turns]) -> impl Iterator<Item = u32> {
    let all = 0..nodes.len() as u32;
    let first = all.clone().flat_map(|at| {
        let turns = nodes[at as usize].weight as usize;
        std::iter::repeat_n(at, turns)
    });
    first.chain(all.cycle())
}

#[test]
fn golden_katran_in_full() {
    let file = golden("maglev_katran");
    let keys = vector_keys(&file);
    let hash = |endpoint: u64, salt: u64, seed: u32| {
        let text = [endpoint.to_le_bytes(), salt.to_le_bytes()].concat();
        murmur3_x64_128(&mut &text[..], seed).unwrap() as u64
    };
    for version in ["v1", "v2"] {
        for vector in file[version].as_array().unwrap() {
            let size = vector["table_size"].as_u64().unwrap() as u32;
            let weights = named_weights(&file, vector["weights_name"].as_str().unwrap());
            let node = |(index, &weight)| {
                let endpoint = stream(0, index);
                let (offset, skip) = (hash(endpoint, 42, 0), hash(endpoint, 2_718_281_828, 2_307));
                turns(size, offset, skip, weight)
            };
            let nodes: Vec<Turns> = (0..).zip(&weights).map(node).collect();
            let table = match version {
                "v1" => claimed(size, &nodes, katran_v1(&nodes)),
                _ => Rule::KatranV2.populate(size, &nodes),
            };
            hold_to(vector, &table, &keys);
        }
    }
}

/// Cilium's rule: a turn goes on to the next node while this one is ahead of its weight; but
/// weights count only where their whole mean exceeds 1.
fn cilium(nodes: &[Turns]) -> impl Iterator<Item = u32> {
    let sum: u64 = nodes.iter().map(|node| node.weight).sum();
    let count = nodes.len();
    let mut ahead: Vec<f64> = nodes.iter().map(|node| node.weight as f64 / count as f64).collect();
    (0u64..).map(move |turn| {
        let mut at = (turn % count as u64) as usize;
        if sum / count as u64 > 1 {
            while (turn + 1) * nodes[at].weight < ahead[at] as u64 {
                at = (at + 1) % count;
            }
            ahead[at] += sum as f64;
        }
        at as u32
    })
}

/// A rule that we do not offer, to hold what turns claim to another program's tables.
#[test]
fn golden_cilium_in_full() {
    let file = golden("maglev_cilium");
    for vector in file["vectors"].as_array().unwrap() {
        let size = vector["table_size"].as_u64().unwrap() as u32;
        let weights = named_weights(&file, vector["weights_name"].as_str().unwrap());
        let names = addresses(weights.len());
        let node = |(name, &weight): (&String, &u64)| {
            let hash = murmur3_x64_128(&mut name.as_bytes(), 0x24b7_ef82).unwrap();
            turns(size, hash as u64, (hash >> 64) as u64, weight)
        };
        let nodes: Vec<Turns> = names.iter().zip(&weights).map(node).collect();
        let table = by_name(&names, &nodes, |nodes| claimed(size, nodes, cilium(nodes)));
        hold_to(vector, &table, &vector_keys(&file));
    }
}

/// IPVS hashes addresses as numbers; a client's owner is that of its own address and port.
#[test]
fn golden_ipvs() {
    const SIZE: u32 = 4_093;
    let file = golden("ipvs_mh");
    let hash = |address: &str, port: &Value, key: u64| {
        let address: std::net::Ipv4Addr = address.parse().unwrap();
        let value = u32::from(address) + port.as_u64().unwrap() as u32;
        let mut hasher = SipHasher13::new_with_keys(key, key);
        hasher.write(&value.to_le_bytes());
        hasher.finish() & 0xffff_ffff
    };
    for case in file["cases"].as_array().unwrap() {
        let node = |node: &Value| {
            let [offset, skip] = [2_654_435_761, 2_654_446_892]
                .map(|key| hash(node["ip"].as_str().unwrap(), &node["port"], key));
            turns(SIZE, offset, skip, node["weight"].as_u64().unwrap())
        };
        let nodes: Vec<Turns> = case["nodes"].as_array().unwrap().iter().map(node).collect();
        let table = Rule::Turns.populate(SIZE, &nodes);
        let mut sha = Sha256::new();
        table.iter().for_each(|&entry| sha.update((entry as u16).to_le_bytes()));
        let digest: String = sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, case["table_sha256_u16le"].as_str().unwrap(), "{}", case["name"]);
        let owner = |key: &Value| {
            let hash = hash(key[0].as_str().unwrap(), &key[1], 2_654_435_761);
            u64::from(table[(hash % u64::from(SIZE)) as usize])
        };
        let owners = file["keys"].as_array().unwrap().iter().map(owner);
        assert!(owners.eq(numbers(&case["owners"])), "{}", case["name"]);
    }
}

/// The rules for weights from all walks, as the twin takes turns: by a look at everybody in each
/// round.
#[test]
fn plain_loops_over_rounds_agree() {
    for weights in [[3, 20, 7, 0, 20], [1, 1, 1, 1, 1], [1, 1_000, 1, 999, 0], [5, 3, 11, 2, 1]] {
        let nodes = std::iter::zip([(3, 5), (10, 7), (40, 11), (9, 9), (1, 2)], weights)
            .map(|((offset, skip), weight)| Turns { offset, skip, weight })
            .collect::<Vec<_>>();
        let taken = |rule: &str| {
            let rounds = (1..=2_000).flat_map(naive_rounds(rule, weights.to_vec()));
            rounds.map(|at| at as u32).collect::<Vec<u32>>()
        };
        let [earned, reached, in_rows] = ["katran-v2", "envoy", "turns"].map(taken);
        assert!(earned.iter().copied().eq(katran_v2(&nodes).take(earned.len())), "{weights:?}");
        assert!(reached.iter().copied().eq(envoy(&nodes).take(reached.len())), "{weights:?}");
        assert!(in_rows.iter().copied().eq(in_a_row(&nodes).take(in_rows.len())), "{weights:?}");
        assert!(Rule::KatranV2.populate(251, &nodes) == claimed(251, &nodes, earned.into_iter()));
    }
}

/// Equal nodes take turns one after the other under every rule, as the table takes for granted.
#[test]
fn equal_weights_are_one_rule() {
    for weights in [[1_000_000; 4], [7, 0, 7, 7], [1, 0, 0, 0]] {
        let nodes = std::iter::zip([(3, 5), (10, 7), (40, 11), (9, 9)], weights)
            .map(|((offset, skip), weight)| Turns { offset, skip, weight })
            .collect::<Vec<_>>();
        assert!(are_alike(&nodes));
        let one_by_one = || weighty(&nodes).cycle().take(1_000);
        assert!(katran_v2(&nodes).take(1_000).eq(one_by_one()), "{weights:?}");
        assert!(envoy(&nodes).take(1_000).eq(one_by_one()), "{weights:?}");
        assert!(in_a_row(&nodes).take(1_000).eq(one_by_one()), "{weights:?}");
    }
    let unlike = [1, 2].map(|weight| Turns { offset: 0, skip: 1, weight });
    assert!(!are_alike(&unlike));
}

#[test]
fn a_heavy_node_among_light_ones_is_no_slower() {
    let node = |offset| Turns { offset, skip: 1, weight: 1 };
    let mut nodes: Vec<Turns> = (0..60_000).map(node).collect();
    nodes[7].weight = 1_000_000_000_000_000;
    assert!(Rule::KatranV2.populate(65_537, &nodes).iter().all(|&entry| entry == 7));
    // Envoy's first iteration serves everybody; under IPVS every round does, and 10^15 in 6 bits
    // is 56.
    let envoy = Rule::Envoy.populate(65_537, &nodes);
    assert_eq!(envoy.iter().filter(|&&entry| entry == 7).count(), 65_537 - 59_999);
    let turns = Rule::Turns.populate(65_537, &nodes);
    assert_eq!(turns.iter().filter(|&&entry| entry == 7).count(), 2 * 56);
}
