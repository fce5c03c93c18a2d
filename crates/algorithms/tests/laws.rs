//! What every algorithm of the registry must keep, whatever it is: laws, run over all of them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use placelab_algorithms::REGISTRY;
use placelab_core::mix::stream;
use placelab_core::{
    AlgorithmSpec, Arguments, Capability, Change, Claim, Count, HashSeed, Key, KeyHash, Keys, Node,
    NodeId, Placement, PlacementError, Record, Roster, Weight, advance, establish,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

fn build(spec: &'static AlgorithmSpec, roster: Roster) -> Box<dyn Placement> {
    establish(spec, &Arguments::defaults(spec), HashSeed::PUBLISHED, roster).unwrap()
}

fn numbered(spec: &'static AlgorithmSpec, count: u32) -> Box<dyn Placement> {
    build(spec, Roster::numbered(count).unwrap())
}

fn weighted(weights: &[u32]) -> Roster {
    let node = |(index, &weight): (usize, &u32)| Node {
        weight: Weight::units(weight),
        ..Roster::numbered_node(index as u32)
    };
    Roster::new(weights.iter().enumerate().map(node).collect()).unwrap()
}

fn hashes(count: u64) -> Vec<KeyHash> {
    (0..count).map(|index| KeyHash(stream(11, index))).collect()
}

fn owners(placement: &dyn Placement, keys: &[KeyHash]) -> Vec<NodeId> {
    let mut out = vec![NodeId(u32::MAX); keys.len()];
    placement.place_many(Keys::hashed(keys), &mut out);
    out
}

/// Moves without a reason: the destination's weight did not rise relative to the source's.
fn sideways(before: &dyn Placement, after: &dyn Placement, keys: &[KeyHash]) -> usize {
    let weight = |placement: &dyn Placement, id| {
        placement.roster().get(id).map_or(0, |node| u128::from(node.weight.micros()))
    };
    let weights = |id| (weight(before, id), weight(after, id));
    let moves = std::iter::zip(owners(before, keys), owners(after, keys));
    moves
        .filter(|(source, destination)| source != destination)
        .filter(|&(source, destination)| {
            let (source, destination) = (weights(source), weights(destination));
            destination.1 * source.0 <= destination.0 * source.1
        })
        .count()
}

#[test]
fn every_way_to_ask_gives_one_answer() {
    let keys = hashes(2_000);
    for &spec in REGISTRY {
        let first = numbered(spec, 12);
        let later =
            advance(spec, first.as_ref(), &[Change::Add(Roster::numbered_node(12))]).unwrap();
        let (batch, later_batch) = (owners(first.as_ref(), &keys), owners(later.as_ref(), &keys));
        let (mut one, mut two) = (vec![NodeId(0); keys.len()], vec![NodeId(0); keys.len()]);
        first.place_across(&[later.as_ref()], Keys::hashed(&keys), &mut [&mut one, &mut two]);
        assert_eq!((&one, &two), (&batch, &later_batch), "{}", spec.name);
        later.place_across(&[first.as_ref()], Keys::hashed(&keys), &mut [&mut one, &mut two]);
        assert_eq!((&one, &two), (&later_batch, &batch), "{}", spec.name);
        for (index, &owner) in batch.iter().enumerate() {
            let key = Keys::hashed(&keys).get(index);
            let (mut count, mut record) = (Count::default(), Record::default());
            assert_eq!(first.place(key), owner);
            assert_eq!(first.trace(key, &mut count), owner);
            assert_eq!(first.trace(key, &mut record), owner);
            assert_eq!(first.fork().place(key), owner);
            assert_eq!(count.0, record.0.len() as u64);
            assert!(count.0 > 0, "{}: a lookup takes a step", spec.name);
        }
    }
}

#[test]
fn candidates_are_everybody_once_with_the_owner_first() {
    for &spec in REGISTRY {
        let mut rosters = vec![Roster::numbered(7).unwrap()];
        if spec.can(Capability::Weights) {
            // One so light that a table has no slot for it.
            let light = Change::Reweight(NodeId(0), "0.000001".parse().unwrap());
            rosters.push(weighted(&[1, 10, 0, 3]).after(&[light]).unwrap());
        }
        for roster in rosters {
            let placement = build(spec, roster.clone());
            let serving = roster.nodes().iter().filter(|node| node.weight > Weight::ZERO);
            let mut everybody: Vec<NodeId> = serving.map(|node| node.id).collect();
            everybody.sort_unstable();
            for hash in hashes(300) {
                let key = Key::hashed(hash.0);
                let mut seen = Vec::new();
                placement.candidates(key, &mut |node| {
                    seen.push(node);
                    ControlFlow::Continue(())
                });
                assert_eq!(seen[0], placement.place(key), "{}", spec.name);
                seen.sort_unstable();
                assert_eq!(seen, everybody, "{}", spec.name);
            }
        }
    }
}

#[test]
fn declared_capabilities_are_real() {
    let keys = hashes(500);
    let needs = [
        (Capability::RemoveAny, Change::Remove(NodeId(2))),
        (Capability::Weights, Change::Reweight(NodeId(2), Weight::units(3))),
    ];
    for &spec in REGISTRY {
        let before = numbered(spec, 6);
        let answers = owners(before.as_ref(), &keys);
        for (capability, change) in &needs {
            let after = advance(spec, before.as_ref(), std::slice::from_ref(change));
            match after.err() {
                None => assert!(spec.can(*capability), "{} undeclared {capability}", spec.name),
                Some(error) => {
                    let change = Some(0);
                    let expected = PlacementError::Unsupported { capability: *capability, change };
                    assert_eq!(error, expected, "{}", spec.name);
                    assert!(!spec.can(*capability));
                }
            }
            assert_eq!(owners(before.as_ref(), &keys), answers, "{} kept its state", spec.name);
        }
        let unequal =
            establish(spec, &Arguments::defaults(spec), HashSeed(0), weighted(&[1, 2])).is_ok();
        assert_eq!(unequal, spec.can(Capability::Weights), "{}", spec.name);
    }
}

#[test]
fn movement_is_minimal_where_claimed() {
    let keys = hashes(20_000);
    for &spec in REGISTRY.iter().filter(|spec| spec.claims(Claim::MinimalMovement)) {
        let before = numbered(spec, 20);
        let mut steps = vec![
            vec![Change::Add(Roster::numbered_node(20)), Change::Add(Roster::numbered_node(21))],
            vec![Change::Remove(NodeId(19))],
        ];
        if spec.can(Capability::RemoveAny) {
            steps.push(vec![Change::Remove(NodeId(7)), Change::Add(Roster::numbered_node(20))]);
        }
        if spec.can(Capability::Weights) {
            steps.push(vec![Change::Reweight(NodeId(3), Weight::units(2))]);
            steps.push(vec![Change::Reweight(NodeId(3), Weight::ZERO)]);
        }
        for changes in steps {
            let after = advance(spec, before.as_ref(), &changes).unwrap();
            let moved =
                std::iter::zip(owners(before.as_ref(), &keys), owners(after.as_ref(), &keys))
                    .filter(|(a, b)| a != b)
                    .count();
            assert!(moved > 0, "{} reacts to {changes:?}", spec.name);
            let sideways = sideways(before.as_ref(), after.as_ref(), &keys);
            assert_eq!(sideways, 0, "{} on {changes:?}", spec.name);
        }
    }
}

#[test]
fn the_order_of_joining_does_not_matter_where_claimed() {
    let keys = hashes(5_000);
    for &spec in REGISTRY.iter().filter(|spec| spec.claims(Claim::OrderFree)) {
        let forward = numbered(spec, 13);
        let mut nodes = forward.roster().nodes().to_vec();
        nodes.reverse();
        let backward = build(spec, Roster::new(nodes).unwrap());
        let answers = owners(forward.as_ref(), &keys);
        assert_eq!(owners(backward.as_ref(), &keys), answers, "{}", spec.name);
    }
}

/// Shares are fair where claimed: G-test of 1,000 keys a node. Family-wise level 0.1 % over
/// about 100 tests by a bound of 6 standard deviations of the approximated normal.
#[test]
fn shares_are_fair_where_claimed() {
    for &spec in REGISTRY.iter().filter(|spec| spec.claims(Claim::FairShares)) {
        let mut rosters: Vec<Roster> =
            [2, 3, 5, 8, 16, 33, 64].map(|count| Roster::numbered(count).unwrap()).to_vec();
        if spec.can(Capability::Weights) {
            rosters.extend([weighted(&[1, 2, 3]), weighted(&[1, 10, 0, 5])]);
        }
        for roster in rosters {
            let placement = build(spec, roster.clone());
            let keys = hashes(1_000 * roster.len() as u64);
            let mut counts = BTreeMap::new();
            owners(placement.as_ref(), &keys)
                .iter()
                .for_each(|&id| *counts.entry(id).or_insert(0) += 1);
            let total = roster.total_weight() as f64;
            let (mut g, mut degrees) = (0.0, -1.0f64);
            for node in roster.nodes() {
                let observed = f64::from(counts.get(&node.id).copied().unwrap_or(0));
                let expected = keys.len() as f64 * node.weight.micros() as f64 / total;
                if expected == 0.0 {
                    assert_eq!(observed, 0.0, "{}: weight 0 owns nothing", spec.name);
                    continue;
                }
                degrees += 1.0;
                g += 2.0 * observed * placelab_core::math::ln(observed / expected);
            }
            let bound = degrees + 6.0 * (2.0 * degrees).sqrt() + 12.0;
            assert!(g < bound, "{} over {} nodes: G = {g}", spec.name, roster.len());
        }
    }
}

#[test]
fn exact_shares_are_complete_and_what_sampling_finds() {
    let keys = hashes(200_000);
    for &spec in REGISTRY {
        let Some(shares) = numbered(spec, 5).shares() else { continue };
        assert_eq!(shares.parts.iter().map(|(_, part)| part).sum::<u128>(), shares.whole);
        let found = owners(numbered(spec, 5).as_ref(), &keys);
        for (id, part) in shares.parts {
            let exact = part as f64 / shares.whole as f64;
            let sampled = found.iter().filter(|&&owner| owner == id).count() as f64 / 200_000.0;
            assert!((exact - sampled).abs() < 0.006, "{}: {exact} against {sampled}", spec.name);
        }
    }
}

/// Random scripts of adds, removes and reweights, some of them impossible: no panic, never a
/// dead owner, a refused step changes nothing, and where the order is free the state after any
/// history is the state of a fresh start.
#[test]
fn any_script_of_changes_keeps_its_promises() {
    let change = (0u32..9, 0u32..4).prop_map(|(id, kind)| match kind {
        0 | 1 => Change::Add(Roster::numbered_node(id)),
        2 => Change::Remove(NodeId(id)),
        _ => Change::Reweight(NodeId(id), Weight::units(id % 3)),
    });
    let scripts = proptest::collection::vec(proptest::collection::vec(change, 1..3), 1..12);
    let keys = hashes(200);
    for &spec in REGISTRY {
        let config = Config { cases: 24, failure_persistence: None, ..Config::default() };
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
        let mut runner = TestRunner::new_with_rng(config, rng);
        let run = |script: Vec<Vec<Change>>| {
            let mut placement = numbered(spec, 4);
            for changes in script {
                let before = owners(placement.as_ref(), &keys);
                match advance(spec, placement.as_ref(), &changes) {
                    Ok(next) => placement = next,
                    Err(_) => assert_eq!(owners(placement.as_ref(), &keys), before),
                }
                let now = owners(placement.as_ref(), &keys);
                for id in &now {
                    assert!(placement.roster().get(*id).unwrap().weight > Weight::ZERO);
                }
                if spec.claims(Claim::OrderFree) {
                    let fresh = build(spec, placement.roster().clone());
                    assert_eq!(owners(fresh.as_ref(), &keys), now, "{}", spec.name);
                    assert_eq!(fresh.shares(), placement.shares(), "{}", spec.name);
                }
            }
            Ok(())
        };
        runner.run(&scripts, run).unwrap_or_else(|error| panic!("{}: {error}", spec.name));
    }
}

#[test]
fn hash_seeds_are_independent_draws() {
    let keys = hashes(4_000);
    for &spec in REGISTRY {
        let roster = Roster::numbered(10).unwrap();
        let at = |seed| {
            let seed = HashSeed(seed);
            let arguments = Arguments::defaults(spec);
            let placement = establish(spec, &arguments, seed, roster.clone()).unwrap();
            let salted: Vec<KeyHash> = keys.iter().map(|&hash| seed.salt(hash)).collect();
            owners(placement.as_ref(), &salted)
        };
        let same = std::iter::zip(at(1), at(2)).filter(|(a, b)| a == b).count();
        assert!((250..650).contains(&same), "{}: {same} of 4,000 alike by chance", spec.name);
    }
}

/// Modulo N → M moves 1 − min(N, M) ÷ lcm(N, M) of the keys.
#[test]
fn modulo_moves_what_the_closed_form_says() {
    let spec = placelab_algorithms::find("modulo").unwrap();
    let keys = hashes(200_000);
    for (n, m, expected) in [(4, 5, 0.8), (20, 30, 2.0 / 3.0), (64, 65, 64.0 / 65.0)] {
        let (a, b) = (numbered(spec, n), numbered(spec, m));
        let moved = std::iter::zip(owners(a.as_ref(), &keys), owners(b.as_ref(), &keys))
            .filter(|(a, b)| a != b)
            .count() as f64;
        let greatest = (1..=n).rev().find(|d| n % d == 0 && m % d == 0).unwrap();
        let closed = 1.0 - f64::from(n.min(m)) / f64::from(n / greatest * m);
        assert!((closed - expected).abs() < 1e-12, "{n} → {m}");
        assert!((moved / 200_000.0 - closed).abs() < 0.005, "{n} → {m}: {moved}");
    }
}

/// Equal weights give the unweighted answers: the clocks order by the same scores.
#[test]
fn weighted_rendezvous_with_equal_weights_is_rendezvous() {
    let keys = hashes(20_000);
    let [plain, weighted] = ["rendezvous", "weighted-rendezvous"]
        .map(|name| owners(numbered(placelab_algorithms::find(name).unwrap(), 9).as_ref(), &keys));
    assert_eq!(plain, weighted);
}

#[test]
fn the_registry_has_each_name_once_and_says_what_it_is() {
    let mut names: Vec<&str> = REGISTRY.iter().map(|spec| spec.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), REGISTRY.len());
    for spec in REGISTRY {
        for text in [spec.family, spec.citation, spec.summary, spec.lookup_cost, spec.memory_cost] {
            assert!(!text.is_empty(), "{}", spec.name);
        }
    }
}
