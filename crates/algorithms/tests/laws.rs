//! What every algorithm of the registry must keep, whatever it is: laws, run over all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use placelab_algorithms::REGISTRY;
use placelab_core::mix::stream;
use placelab_core::{
    AlgorithmSpec, Arguments, Capability, Change, Claim, Count, HashSeed, Key, KeyHash, KeyText,
    Keys, Node, NodeId, NodeName, Placement, PlacementError, Record, Roster, Weight, advance,
    establish, replicas, replicate_many,
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

/// Keys with both their parts: hashes, and texts for the schemes that read bytes.
struct Sample {
    hashes: Vec<KeyHash>,
    text: KeyText,
}

impl Sample {
    fn new(count: u64) -> Self {
        let hashes = (0..count).map(|index| KeyHash(stream(11, index))).collect::<Vec<_>>();
        let mut text = KeyText::default();
        hashes.iter().for_each(|hash| text.push(format!("{:x}", hash.0).as_bytes()));
        Sample { hashes, text }
    }

    /// The keys as a sweep under a hash seed gives them to a scheme.
    fn salted(&self, seed: HashSeed) -> Self {
        let hashes = self.hashes.iter().map(|&hash| seed.salt(hash)).collect();
        Sample { hashes, text: self.text.clone() }
    }

    fn keys(&self) -> Keys<'_> {
        Keys { hashes: &self.hashes, text: Some(&self.text) }
    }

    fn each(&self) -> impl Iterator<Item = Key<'_>> {
        (0..self.hashes.len()).map(|index| self.keys().get(index))
    }
}

fn owners(placement: &dyn Placement, sample: &Sample) -> Vec<NodeId> {
    let mut out = vec![NodeId(u32::MAX); sample.hashes.len()];
    placement.place_many(sample.keys(), &mut out);
    out
}

/// Moves without a reason: the destination's weight did not rise relative to the source's.
fn sideways(before: &dyn Placement, after: &dyn Placement, keys: &Sample) -> usize {
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
    let keys = Sample::new(2_000);
    for &spec in REGISTRY.iter() {
        let first = numbered(spec, 12);
        let later =
            advance(spec, first.as_ref(), &[Change::Add(Roster::numbered_node(12))]).unwrap();
        let (batch, later_batch) = (owners(first.as_ref(), &keys), owners(later.as_ref(), &keys));
        let (mut one, mut two) = (batch.clone(), batch.clone());
        one.fill(NodeId(0));
        first.place_across(&[later.as_ref()], keys.keys(), &mut [&mut one, &mut two]);
        assert_eq!((&one, &two), (&batch, &later_batch), "{}", spec.name);
        later.place_across(&[first.as_ref()], keys.keys(), &mut [&mut one, &mut two]);
        assert_eq!((&one, &two), (&later_batch, &batch), "{}", spec.name);
        for (key, &owner) in keys.each().zip(&batch) {
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
    for &spec in REGISTRY.iter() {
        let mut rosters = vec![Roster::numbered(7).unwrap()];
        if spec.can(Capability::Weights) {
            // One so light that a table has no slot for it.
            let light = Change::Reweight(NodeId(0), "0.000001".parse().unwrap());
            rosters.push(weighted(&[1, 10, 0, 3]).after(&[light]).unwrap());
        }
        for roster in rosters {
            let mut everybody: Vec<NodeId> = roster.serving().map(|node| node.id).collect();
            everybody.sort_unstable();
            let arguments = Arguments::defaults(spec);
            let placement = match establish(spec, &arguments, HashSeed::PUBLISHED, roster) {
                Ok(placement) => placement,
                // Weights that are too far apart for a table.
                Err(PlacementError::Limit { .. }) if spec.name.ends_with("+weighted") => continue,
                Err(error) => panic!("{}: {error}", spec.name),
            };
            for key in Sample::new(300).each() {
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
fn copies_are_distinct_and_the_first_is_the_owner() {
    let sample = Sample::new(200);
    for &spec in REGISTRY.iter() {
        let placement = numbered(spec, 8);
        for count in 1..=8 {
            let mut all = vec![NodeId(u32::MAX); count * sample.hashes.len()];
            replicate_many(placement.as_ref(), sample.keys(), count, &mut all);
            for (key, copies) in sample.each().zip(all.chunks(count)) {
                assert_eq!(replicas(placement.as_ref(), key, count).unwrap(), copies);
                assert_eq!(copies[0], placement.place(key), "{}", spec.name);
                let distinct: BTreeSet<NodeId> = copies.iter().copied().collect();
                assert_eq!(distinct.len(), count, "{}", spec.name);
            }
        }
        let too_few = replicas(placement.as_ref(), sample.keys().get(0), 9);
        assert_eq!(too_few, Err(PlacementError::TooFewNodes { asked: 9, serving: 8 }));
    }
}

fn part_moved(before: &[NodeId], after: &[NodeId]) -> f64 {
    let moved = before.iter().zip(after).filter(|(a, b)| a != b).count();
    moved as f64 / before.len() as f64
}

/// A deploy that gives every machine another name moves (N − 1) ÷ N of the keys where names are
/// hashed, and nothing where positions count.
#[test]
fn renaming_everybody_moves_nearly_everything_or_nothing() {
    let sample = Sample::new(20_000);
    let renames: Vec<Change> = (0..12)
        .map(|id| Change::Rename(NodeId(id), NodeName::new(&format!("cache-{id}")).unwrap()))
        .collect();
    for &spec in REGISTRY.iter() {
        let before = numbered(spec, 12);
        let after = advance(spec, before.as_ref(), &renames).unwrap();
        let moved = part_moved(&owners(before.as_ref(), &sample), &owners(after.as_ref(), &sample));
        let is_positional = spec.family == "range hash" || spec.name == "modulo";
        match is_positional {
            true => assert_eq!(moved, 0.0, "{}", spec.name),
            false => assert!((moved - 11.0 / 12.0).abs() < 0.03, "{}: {moved}", spec.name),
        }
    }
}

/// A deploy that changes the hash seed moves (N − 1) ÷ N of the keys under everybody.
#[test]
fn rehashing_moves_nearly_everything() {
    let sample = Sample::new(20_000);
    for &spec in REGISTRY.iter() {
        let at = |seed: HashSeed| {
            let arguments = Arguments::defaults(spec);
            let fleet = Roster::numbered(12).unwrap();
            let placement = establish(spec, &arguments, seed, fleet).unwrap();
            owners(placement.as_ref(), &sample.salted(seed))
        };
        let moved = part_moved(&at(HashSeed(3)), &at(HashSeed(3).rehashed(1)));
        assert!((moved - 11.0 / 12.0).abs() < 0.03, "{}: {moved}", spec.name);
    }
}

#[test]
fn declared_capabilities_are_real() {
    let keys = Sample::new(500);
    let needs = [
        (Capability::RemoveAny, Change::Remove(NodeId(2))),
        (Capability::Weights, Change::Reweight(NodeId(2), Weight::units(3))),
    ];
    for &spec in REGISTRY.iter() {
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
    let keys = Sample::new(20_000);
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
    let keys = Sample::new(5_000);
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
            let keys = Sample::new(1_000 * roster.len() as u64);
            let mut counts = BTreeMap::new();
            owners(placement.as_ref(), &keys)
                .iter()
                .for_each(|&id| *counts.entry(id).or_insert(0) += 1);
            let total = roster.total_weight() as f64;
            let (mut g, mut degrees) = (0.0, -1.0f64);
            for node in roster.nodes() {
                let observed = f64::from(counts.get(&node.id).copied().unwrap_or(0));
                let expected = keys.hashes.len() as f64 * node.weight.micros() as f64 / total;
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
    let keys = Sample::new(200_000);
    for &spec in REGISTRY.iter() {
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
    let change = (0u32..9, 0u32..5).prop_map(|(id, kind)| match kind {
        0 | 1 => Change::Add(Roster::numbered_node(id)),
        2 => Change::Remove(NodeId(id)),
        3 => Change::Rename(NodeId(id), NodeName::numbered(9 - id)),
        _ => Change::Reweight(NodeId(id), Weight::units(id % 3)),
    });
    let scripts = proptest::collection::vec(proptest::collection::vec(change, 1..3), 1..12);
    let keys = Sample::new(200);
    for &spec in REGISTRY.iter() {
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
    let keys = Sample::new(4_000);
    for &spec in REGISTRY.iter() {
        let roster = Roster::numbered(10).unwrap();
        let at = |seed| {
            let seed = HashSeed(seed);
            let arguments = Arguments::defaults(spec);
            let placement = establish(spec, &arguments, seed, roster.clone()).unwrap();
            owners(placement.as_ref(), &keys.salted(seed))
        };
        let same = std::iter::zip(at(1), at(2)).filter(|(a, b)| a == b).count();
        assert!((250..650).contains(&same), "{}: {same} of 4,000 alike by chance", spec.name);
    }
}

/// Modulo N → M moves 1 − min(N, M) ÷ lcm(N, M) of the keys.
#[test]
fn modulo_moves_what_the_closed_form_says() {
    let spec = placelab_algorithms::find("modulo").unwrap();
    let keys = Sample::new(200_000);
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
    let keys = Sample::new(20_000);
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
    for spec in REGISTRY.iter() {
        for text in [spec.family, spec.citation, spec.summary, spec.lookup_cost, spec.memory_cost] {
            assert!(!text.is_empty(), "{}", spec.name);
        }
    }
}
