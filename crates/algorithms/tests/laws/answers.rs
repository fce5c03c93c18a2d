//! One answer however it is asked: alone, in batches, with steps, as the first of several copies.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use placelab_algorithms::REGISTRY;
use placelab_core::{
    Arguments, Capability, Change, Count, HashSeed, NodeId, PlacementError, Record, Roster, Weight,
    advance, establish, replicas, replicate_many,
};

use crate::support::{Sample, numbered, owners, weighted};

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

#[test]
fn declared_capabilities_are_real() {
    let needs = [
        (Capability::RemoveAny, Change::Remove(NodeId(2))),
        (Capability::Weights, Change::Reweight(NodeId(2), Weight::units(3))),
    ];
    for &spec in REGISTRY.iter() {
        let before = numbered(spec, 6);
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
        }
        let unequal =
            establish(spec, &Arguments::defaults(spec), HashSeed(0), weighted(&[1, 2])).is_ok();
        assert_eq!(unequal, spec.can(Capability::Weights), "{}", spec.name);
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

/// Equal weights give the unweighted answers: the clocks order by the same scores.
#[test]
fn weighted_rendezvous_with_equal_weights_is_rendezvous() {
    let keys = Sample::new(20_000);
    let [plain, weighted] = ["rendezvous", "weighted-rendezvous"]
        .map(|name| owners(numbered(placelab_algorithms::find(name).unwrap(), 9).as_ref(), &keys));
    assert_eq!(plain, weighted);
}
