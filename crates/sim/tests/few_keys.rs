//! The finite-key floor: where keys are few, what chance leaves and what a table would reach.

use std::path::Path;

use placelab_algorithms::REGISTRY;
use placelab_results::{FewKeys, Likeness, Measure, RunResults, table_floor};
use placelab_sim::keys::KeySource;
use placelab_sim::run::{Settings, run};
use placelab_sim::scenario::{Prepared, parse, read};
use placelab_sim::sweep::Unwatched;

fn results(prepared: &Prepared) -> RunResults {
    let source = KeySource::open(&prepared.scenario.keys).unwrap();
    run(prepared, &source, "", Settings::default(), &Unwatched).unwrap()
}

/// Runs one contender over so many keys; the fleet and timelines are TOML.
fn few_keys(count: u64, fleet: &str) -> Option<FewKeys> {
    let text = format!(
        "schema = 1\ntitle = \"few\"\nalgorithms = [\"weighted-rendezvous\"]\ncanaries = false\n\
         [keys]\nsource = \"sequential\"\ncount = {count}\n[fleet]\n{fleet}"
    );
    results(&parse("few.toml", &text, Path::new("."), &REGISTRY).unwrap()).few_keys
}

const STILL: &str = "[[timeline]]\nname = \"nothing happens\"\n";

fn still(count: u64, nodes: u32) -> Option<FewKeys> {
    few_keys(count, &format!("nodes = {nodes}\n{STILL}"))
}

fn near(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() < tolerance, "{got}, not {want}");
}

/// Figures that a reader can check: sums over all outcomes of few keys.
#[test]
fn known_floors() {
    let twenty = still(20, 6).unwrap();
    near(twenty.max_over_mean.mean, 1.74, 0.005);
    near(twenty.idle_probability, 0.15, 0.005);
    near(twenty.idle, 6.0 * (5.0f64 / 6.0).powi(20), 1e-9);
    assert_eq!((twenty.nodes, twenty.keys, twenty.table_max_keys), (6, 20, Some(4)));
    near(twenty.table_max_over_mean, 1.2, 1e-9);
    let ten = still(10, 4).unwrap();
    near(ten.idle_probability, 0.2194, 5e-5);
    assert_eq!(ten.table_max_keys, Some(3));
    // Two keys on two nodes: together or apart, each with one half.
    let two = still(2, 2).unwrap();
    let (most, least) = (two.max_keys.unwrap(), two.min_keys.unwrap());
    assert_eq!((most.mean, most.low, most.high), (1.5, 1.0, 2.0));
    assert_eq!((least.mean, least.low, least.high), (0.5, 0.0, 1.0));
    near(two.idle, 0.5, 1e-9);
}

#[test]
fn enough_keys_have_no_floor() {
    assert_eq!(still(180, 6), None);
    assert!(still(179, 6).is_some());
    assert_eq!(still(20, 1), None, "a fleet of one is even");
}

/// The floor is that of the first of the largest fleets, by nodes that can have keys.
#[test]
fn the_largest_fleet_is_named() {
    let events = "nodes = 4\n[[timeline]]\nname = \"a\"\n[[timeline.event]]\njoin = 2\n\
                  [[timeline.event]]\nreweight = { node-0 = 0, node-1 = 0 }\n\
                  [[timeline]]\nname = \"b\"\n[[timeline.event]]\njoin = 2\n\
                  [[timeline.event]]\nreweight = { node-0 = 2 }\n";
    let few = few_keys(50, events).unwrap();
    assert_eq!((few.timeline, few.step, few.nodes), (0, 1, 6));
    assert_eq!(few.on_curve, [[Some(4), Some(6), Some(4)], [Some(4), Some(6), None]]);
    let sizes: Vec<u32> = few.curve.iter().map(|one| one.nodes).collect();
    assert_eq!(sizes, (1..=12).collect::<Vec<_>>());
    for one in &few.curve {
        near(one.table, table_floor(50, one.nodes.into()), 1e-9);
        let chance = one.max_over_mean;
        assert!(chance.low <= chance.mean && chance.mean <= chance.high, "{one:?}");
        assert!(one.table <= chance.mean, "{one:?}");
    }
    let at_six = few.curve.iter().find(|one| one.nodes == 6).unwrap();
    assert_eq!(at_six.max_over_mean, few.max_over_mean);
}

/// Weights 1, 1 and 4 share ten keys best as 2, 2 and 6: the lightest have 1.2 × fair.
#[test]
fn unequal_weights_have_ratios_alone() {
    let weights = [("small", 1), ("other", 1), ("big", 4)];
    let nodes = weights
        .map(|(name, weight)| format!("[[fleet.node]]\nname = \"{name}\"\nweight = {weight}\n"));
    let few = few_keys(10, &(nodes.concat() + STILL)).unwrap();
    assert_eq!((few.max_keys, few.min_keys, few.table_max_keys), (None, None, None));
    assert_eq!(few.on_curve, [[None]]);
    near(few.table_max_over_mean, 1.2, 1e-9);
    let idle = 2.0 * (5.0f64 / 6.0).powi(10) + (1.0f64 / 3.0).powi(10);
    near(few.idle, idle, 1e-9);
}

/// 1,024 shards on 120 nodes: rendezvous puts 16.9 on the fullest, a table would put nine.
#[test]
fn shards_over_a_growing_fleet() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../scenarios/curated/13-few-keys-1024-shards.toml"
    );
    let results = results(&read(Path::new(file), &REGISTRY).unwrap());
    let few = results.few_keys.as_ref().unwrap();
    assert_eq!((few.nodes, few.table_max_keys), (120, Some(9)));
    near(few.max_keys.unwrap().mean, 16.9, 0.05);
    let contender = |name: &str| results.contenders.iter().find(|one| one.name == name).unwrap();
    let last = contender("rendezvous").timelines[0].steps.last().unwrap();
    let fullest = last.metrics["load.max_over_mean"].mean * 1_024.0 / 120.0;
    near(fullest, 16.9, 0.5);
    let likeness = |name: &str| results.likeness(contender(name), Measure::Keys);
    assert_eq!(likeness("rendezvous"), Some(Likeness::Chance));
    assert_eq!(likeness("two-choices"), Some(Likeness::Better));
    assert_eq!(likeness("bounded-load:epsilon=0"), Some(Likeness::Better));
}
