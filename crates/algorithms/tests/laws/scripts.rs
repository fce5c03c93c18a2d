//! Whatever happens to a fleet, in any order.

use placelab_algorithms::REGISTRY;
use placelab_core::{Change, Claim, NodeId, NodeName, Roster, Weight, advance};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::support::{Sample, build, numbered, owners};

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
                // What is refused leaves no trace: a placement never changes.
                if let Ok(next) = advance(spec, placement.as_ref(), &changes) {
                    placement = next;
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
