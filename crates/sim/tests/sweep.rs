//! The sweep against a slow, obvious twin, and against itself on other threads.

use std::collections::BTreeMap;
use std::path::Path;

use placelab_algorithms::REGISTRY;
use placelab_core::{HashSeed, Key, KeyPart, NodeId};
use placelab_results::{Measure, RunResults};
use placelab_sim::keys::{KeyChunk, KeySource};
use placelab_sim::replay::replay;
use placelab_sim::run::{Settings, run};
use placelab_sim::scenario::{Prepared, parse};
use placelab_sim::sweep::Unwatched;

const SCENARIO: &str = r#"
    schema = 1
    title = "twin"
    algorithms = ["*"]
    seeds = 3
    [keys]
    source = "zipf"
    count = 70_001
    exponent = 1.1
    [fleet]
    nodes = 9
    [[timeline]]
    name = "to and fro"
    [[timeline.event]]
    join = 2
    [[timeline.event]]
    shrink = 8
    [[timeline.event]]
    fail = ["node-3", "node-5"]
    [[timeline.event]]
    recover = "node-3"
    [[timeline.event]]
    recover = "node-5"
    [[timeline]]
    name = "weights"
    [[timeline.event]]
    reweight = { "node-1" = 3, "node-2" = 0.5 }
"#;

fn prepared() -> Prepared {
    parse("twin.toml", SCENARIO, Path::new("."), REGISTRY).unwrap()
}

fn results(threads: usize) -> RunResults {
    let settings = Settings { threads: Some(threads) };
    let prepared = prepared();
    let source = KeySource::open(&prepared.scenario.keys).unwrap();
    run(&prepared, &source, "placelab run twin.toml", settings, &Unwatched).unwrap()
}

#[test]
fn threads_do_not_show_in_the_results() {
    let one = results(1);
    for threads in [2, 3, 8] {
        assert_eq!(one, results(threads), "{threads} threads");
    }
}

/// Every key of every seed, one at a time, with maps instead of tallies.
#[test]
fn a_loop_over_single_keys_agrees() {
    let prepared = prepared();
    let results = results(2);
    let source = KeySource::open(&prepared.scenario.keys).unwrap();
    let mut chunk = KeyChunk::default();
    source.fill(0..source.len(), &mut chunk, KeyPart::Hash);
    for (contender, found) in prepared.scenario.contenders.iter().zip(&results.contenders) {
        let replayed = replay(contender, HashSeed::PUBLISHED, &prepared.plan);
        for (timeline, course) in replayed.courses.iter().enumerate() {
            for step in 1..course.snapshots.len() {
                let [before, after] = [step - 1, step].map(|at| {
                    let placement = &replayed.snapshots[course.snapshots[at]];
                    let place =
                        |hash: &placelab_core::KeyHash| placement.place(Key::hashed(hash.0));
                    chunk.hashes.iter().map(place).collect::<Vec<NodeId>>()
                });
                let mut flows = BTreeMap::new();
                for (key, (source, destination)) in before.iter().zip(&after).enumerate() {
                    if source != destination {
                        let flow = flows.entry((*source, *destination)).or_insert((0u64, 0u64));
                        flow.0 += 1;
                        flow.1 += chunk.requests[key];
                    }
                }
                let figures = &found.timelines[timeline].steps[step];
                let name = |id: NodeId| prepared.plan.names.names()[id.index()].as_str();
                assert_eq!(figures.flows.len(), flows.len(), "{}", found.name);
                for flow in &figures.flows {
                    let same = |(source, destination): &(NodeId, NodeId)| {
                        name(*source) == flow.source && name(*destination) == flow.destination
                    };
                    let (_, amounts) = flows.iter().find(|(ends, _)| same(ends)).unwrap();
                    assert_eq!((flow.keys, flow.requests), (amounts.0, Some(amounts.1)));
                }
                loads_agree(&source, &after, &chunk, figures);
            }
        }
    }
}

fn loads_agree(
    source: &KeySource,
    owners: &[NodeId],
    chunk: &KeyChunk,
    figures: &placelab_results::Step,
) {
    let total_weight: f64 =
        figures.nodes.iter().map(|node| node.weight.parse::<f64>().unwrap()).sum();
    for node in &figures.nodes {
        let number: u32 = node.name.strip_prefix("node-").unwrap().parse().unwrap();
        let own = owners.iter().enumerate().filter(|(_, owner)| owner.0 == number);
        let requests: u64 = own.map(|(key, _)| chunk.requests[key]).sum();
        let total = source.totals().by(Measure::Requests).unwrap();
        let fair = node.weight.parse::<f64>().unwrap() / total_weight;
        let expected = requests as f64 / total as f64 / fair;
        assert!((node.load["requests"].first - expected).abs() < 1e-8, "{}", node.name);
    }
}

/// Jump has no names to hash: only salted keys can make its seeds differ.
#[test]
fn seeds_salt_the_keys() {
    let results = results(2);
    let jump = results.contenders.iter().find(|one| one.name == "jump").unwrap();
    let cv = jump.timelines[0].steps[0].metrics["load.cv"];
    assert!(cv.min < cv.median && cv.median < cv.max, "{cv:?}");
}

/// A contender stops at its first refusal; one that goes on gets its keys back.
#[test]
fn refusals_end_a_timeline_and_returns_restore() {
    let results = results(2);
    let jump = results.contenders.iter().find(|one| one.name == "jump").unwrap();
    assert_eq!(jump.timelines[0].steps.len(), 3, "start, join, shrink");
    assert_eq!(jump.timelines[0].refusal.as_ref().unwrap().step, 3);
    assert_eq!(jump.timelines[1].refusal.as_ref().unwrap().reason, "not supported: needs weights");
    let ring = results.contenders.iter().find(|one| one.name == "ring").unwrap();
    let restored = |step: usize| ring.timelines[0].steps[step].metrics["failure.restored"].min;
    assert_eq!(restored(4), 1.0, "node-3 has its keys again");
    assert_eq!(restored(5), 1.0, "and so has node-5, which went at the same time");
    let spread = &ring.timelines[0].steps[3].failure.as_ref().unwrap();
    assert_eq!(spread.gone, ["node-3", "node-5"]);
}
