//! Copies of keys through a whole run: how even they are, which of them a step makes for nothing,
//! and how they spread over racks.

use std::collections::BTreeSet;
use std::path::Path;

use placelab_algorithms::REGISTRY;
use placelab_core::mix::stream;
use placelab_core::{
    AlgorithmRequest, CopyRule, DomainRule, HashSeed, Key, Node, NodeId, Placement, Roster,
    establish,
};
use placelab_metrics::copies::Copies;
use placelab_results::{Measured, RunResults, Step};
use placelab_sim::fleet::numbered_nodes;
use placelab_sim::keys::KeySource;
use placelab_sim::run::{Settings, run};
use placelab_sim::scenario::{Domains, parse};
use placelab_sim::sweep::Unwatched;

fn results(head: &str, keys: u64, rest: &str) -> RunResults {
    let text = format!(
        "schema = 1\ntitle = \"copies\"\ncanaries = false\n{head}\n\
         [keys]\nsource = \"uniform\"\ncount = {keys}\n{rest}"
    );
    let prepared = parse("copies.toml", &text, Path::new("."), &REGISTRY).unwrap();
    let source = KeySource::open(&prepared.scenario.keys).unwrap();
    run(&prepared, &source, "copies", Settings::default(), &Unwatched).unwrap()
}

/// The step of a contender.
fn step<'a>(results: &'a RunResults, contender: &str, index: usize) -> &'a Step {
    let found = results.contenders.iter().find(|one| one.name == contender).unwrap();
    &found.timelines[0].steps[index]
}

fn mean(results: &RunResults, contender: &str, index: usize, id: &str) -> f64 {
    let measured: &Measured = &step(results, contender, index).metrics[id];
    measured.mean
}

const HEAVY: &str = r#"
    [[fleet.node]]
    name = "heavy"
    weight = 5
    [[fleet.node]]
    name = "a"
    [[fleet.node]]
    name = "b"
    [[fleet.node]]
    name = "c"
    [[fleet.node]]
    name = "d"
    [[timeline]]
    name = "another"
    [[timeline.event]]
    join = 1
"#;

/// Weights 5, 1, 1, 1, 1 and two copies: the heavy node counts as 4, half of all, which nobody can
/// give it but with a copy of every key. Who takes the next of a weighted order gives it 5/12 of
/// the copies and each light one 7/48: the heavy one is first with probability 5/9, and second
/// after a light one with 4/9 · 5/8.
#[test]
fn a_heavy_node_has_at_most_one_copy_of_each_key() {
    let head = "algorithms = [\"straw2\", \"weighted-rendezvous\"]\nseeds = 4";
    let rest = format!("[fleet]\nreplicas = 2\n{HEAVY}");
    let results = results(head, 200_000, &rest);
    let cropped = &results.plan[0].steps[0].cropped;
    assert_eq!((cropped.len(), cropped[0].name.as_str(), cropped[0].effective), (1, "heavy", 4.0));
    for contender in ["straw2", "weighted-rendezvous"] {
        let most = mean(&results, contender, 0, "replica.max_over_mean");
        let least = mean(&results, contender, 0, "replica.min_over_mean");
        assert!((most - 7.0 / 48.0 * 8.0).abs() < 0.01, "{contender}: {most}");
        assert!((least - 5.0 / 12.0 * 2.0).abs() < 0.01, "{contender}: {least}");
        // By chance the fair part is half of all.
        let chance = step(&results, contender, 0).metrics["replica.max_over_mean"].chance.unwrap();
        assert!(chance.high < 1.03, "{chance:?}");
    }
}

/// Copies are made on a node that joins and on no other by whoever takes the best of an order that
/// the other nodes keep.
#[test]
fn a_join_makes_no_copies_between_old_nodes() {
    let head = "algorithms = [\"ring\", \"rendezvous\", \"multi-probe\", \"jump\"]\nseeds = 3";
    let rest = "[fleet]\nnodes = 9\nreplicas = 3\n[[timeline]]\nname = \"t\"\n\
                [[timeline.event]]\njoin = 1";
    let results = results(head, 50_000, rest);
    for contender in ["ring", "rendezvous", "multi-probe"] {
        let sideways = &step(&results, contender, 1).metrics["replica.sideways"];
        assert_eq!((sideways.min, sideways.max), (0.0, 0.0), "{contender}");
        let made = mean(&results, contender, 1, "replica.changed");
        let least = mean(&results, contender, 1, "replica.minimum");
        assert!((least - 0.1).abs() < 1e-9 && made > 0.05, "{contender}: {made} for {least}");
    }
    // Asked again with another hash, jump may name a node of the set, and the next answer moves up.
    let sideways = mean(&results, "jump", 1, "replica.sideways");
    assert!(sideways > 0.0 && sideways < 0.05, "{sideways}");
}

/// Nine nodes in some racks and the same with a tenth, under a ring of 100 points a node.
fn rings(racks: u32, joins: u32, seed: u64) -> [Box<dyn Placement>; 2] {
    let mut nodes = numbered_nodes(9, Domains { zones: None, racks: Some(racks) });
    let rack = nodes[joins as usize].rack.clone();
    nodes.push(Node { rack, ..Roster::numbered_node(9) });
    let spec = placelab_algorithms::find("ring").unwrap();
    let arguments = AlgorithmRequest::expand("ring:vnodes=100").unwrap().remove(0);
    let arguments = arguments.arguments(spec, &|_| unreachable!()).unwrap();
    let ring = |count: usize| {
        let roster = Roster::new(nodes[..count].to_vec()).unwrap();
        establish(spec, &arguments, HashSeed(seed), roster).unwrap()
    };
    [ring(9), ring(10)]
}

/// Random points of some nodes on a circle, 100 a node.
fn points(seed: u64, nodes: u32) -> Vec<(u64, u32)> {
    let point = |node: u32, index: u64| (stream(stream(seed, node.into()), 1 + index), node);
    let mut points: Vec<(u64, u32)> =
        (0..nodes).flat_map(|node| (0..100).map(move |index| point(node, index))).collect();
    points.sort_unstable();
    points
}

/// A walk that puts nobody aside: it passes over nodes in racks that have a copy, and when every
/// one of `racks` has one forgets about them and walks on.
fn in_rounds(
    points: &[(u64, u32)],
    key: u64,
    copies: usize,
    racks: u32,
    rack: &dyn Fn(u32) -> u32,
) -> Vec<NodeId> {
    let first = points.partition_point(|(position, _)| *position < key);
    let (mut walk, mut used) = (Vec::new(), BTreeSet::new());
    for (_, node) in points[first..].iter().chain(&points[..first]).copied() {
        if walk.contains(&NodeId(node)) || !used.insert(rack(node)) {
            continue;
        }
        walk.push(NodeId(node));
        if walk.len() == copies {
            break;
        }
        if used.len() == racks as usize {
            used.clear();
        }
    }
    walk
}

/// Copies that such walks make between old nodes when a tenth node joins the rack of another, as a
/// part of all: the mean of 300 rings.
fn sideways(copies: usize, racks: u32, joins: u32) -> f64 {
    const KEYS: u64 = 300;
    let rack = |node: u32| if node == 9 { joins } else { node % racks };
    let mut counted = Copies::default();
    let rises: Vec<u32> = (0..10).map(|id| u32::from(id == 9)).collect();
    for seed in 0..300 {
        let rings = [9, 10].map(|nodes| points(seed, nodes));
        for key in (0..KEYS).map(|key| stream(seed, key)) {
            let walk = |ring: &Vec<_>| in_rounds(ring, key, copies, racks, &rack);
            let [before, after] = rings.each_ref().map(walk);
            counted.add(&before, &after, [1, 0, 0], &rises);
        }
    }
    counted.sideways[0] as f64 / (300 * KEYS * copies as u64) as f64
}

/// Nodes that were passed over are put aside and come next: of a fleet with one more node the best
/// such choice differs by that node and one that gives way to it, whatever the racks.
#[test]
fn racks_cost_no_copies_where_nobody_is_forgotten() {
    for (copies, racks) in [(3, 3), (5, 3), (3, 2)] {
        let rule = CopyRule { racks: DomainRule::Prefer, ..CopyRule::plain(copies) };
        for seed in 0..100 {
            let rings = rings(racks, 0, seed);
            let choosers = rings.each_ref().map(|ring| rule.chooser(ring.roster()).unwrap());
            for key in (0..300).map(|key| Key::hashed(stream(seed, key))) {
                let [before, after] = [0, 1].map(|at: usize| {
                    let mut chosen = vec![NodeId::NOBODY; copies];
                    choosers[at].choose(rings[at].as_ref(), key, &mut chosen);
                    chosen
                });
                let made = after.iter().filter(|node| !before.contains(node));
                assert!(made.eq(after.iter().filter(|node| **node == NodeId(9))), "{before:?}");
            }
        }
    }
}

/// The figures of a walk in rounds, which some stores do: it forgets whom it passed over.
#[test]
fn racks_cost_copies_where_a_walk_forgets() {
    assert_eq!(sideways(3, 3, 0), 0.0);
    let five = sideways(5, 3, 0);
    assert!((0.014..=0.0155).contains(&five), "{five}");
    let (of_five, of_four) = (sideways(3, 2, 0), sideways(3, 2, 1));
    assert!((of_five - 0.012).abs() < 0.002, "the rack of five: {of_five}");
    assert!((of_four - 0.022).abs() < 0.002, "the rack of four: {of_four}");
}

/// Three copies over three zones: none in one zone where they spread; where zones do not matter a
/// third of the keys of 30 nodes have no two in one, 20/29 · 10/28 · … of them to be exact.
#[test]
fn violations_are_counted() {
    let spread = |rule: &str| {
        let head = "algorithms = [\"rendezvous\"]\nseeds = 2";
        let rest = format!(
            "[fleet]\nnodes = 30\nzones = 3\nreplicas = 3\nzone_rule = \"{rule}\"\n\
             [[timeline]]\nname = \"t\"\n[[timeline.event]]\njoin = 3"
        );
        let results = results(head, 50_000, &rest);
        mean(&results, "rendezvous", 0, "replica.zone_violations")
    };
    assert_eq!(spread("spread"), 0.0);
    assert_eq!(spread("prefer"), 0.0);
    let apart = 20.0 / 29.0 * 10.0 / 28.0;
    let found = spread("ignore");
    assert!((found - (1.0 - apart)).abs() < 0.005, "{found}");
}
