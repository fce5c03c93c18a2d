//! The sweep against a slow, obvious twin, and against itself on other threads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use placelab_algorithms::REGISTRY;
use placelab_core::{HashSeed, Key, KeyPart, NodeId, Placer, Roster, Silent, replicas};
use placelab_results::{Measure, RunResults, Step};
use placelab_sim::keys::{KeyChunk, KeySource};
use placelab_sim::replay::{Burden, Snapshot, replay};
use placelab_sim::run::{Settings, run};
use placelab_sim::scenario::{Prepared, parse};
use placelab_sim::sweep::Unwatched;

const SCENARIO: &str = r#"
    schema = 1
    title = "twin"
    algorithms = ["*", "rendezvous-sha256"]
    seeds = 3
    [keys]
    source = "zipf"
    count = KEYS
    exponent = 1.1
    [fleet]
    nodes = 9
    replicas = COPIES
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
    [[timeline]]
    name = "deploys"
    [[timeline.event]]
    rename = { "node-1" = "node-2", "node-2" = "node-1", "node-3" = "three" }
    [[timeline.event]]
    rehash = true
    [[timeline.event]]
    grow = 10
"#;

/// More keys than a thread takes at a time.
const MANY: &str = "70_001";
/// More keys than a chunk has.
const FEW: &str = "5_001";

fn prepared(keys: &str, copies: usize) -> Prepared {
    let text = SCENARIO.replace("KEYS", keys).replace("COPIES", &copies.to_string());
    parse("twin.toml", text, Path::new("."), &REGISTRY).unwrap()
}

fn results(prepared: &Prepared, threads: usize) -> RunResults {
    let settings = Settings { threads: Some(threads) };
    let source = KeySource::open(&prepared.scenario.keys).unwrap();
    run(prepared, &source, "placelab run twin.toml", settings, &Unwatched).unwrap()
}

#[test]
fn threads_do_not_show_in_the_results() {
    let mut prepared = prepared(MANY, 1);
    // Slow ones tell no more.
    prepared.scenario.contenders.retain(|contender| contender.spec.reads == KeyPart::Hash);
    let one = results(&prepared, 1);
    for threads in [2, 3, 8] {
        assert_eq!(one, results(&prepared, threads), "{threads} threads");
    }
}

/// The copies of every key under a snapshot, one key at a time; the first is the owner.
fn copies(snapshot: &Snapshot, chunk: &KeyChunk, count: usize) -> Vec<Vec<NodeId>> {
    let hashes = chunk.hashes.iter().map(|hash| snapshot.seed.salt(*hash)).enumerate();
    let keys = hashes.map(|(index, hash)| Key { hash, bytes: chunk.text.get(index) });
    match &snapshot.placer {
        Placer::Placement(placement) => keys
            .map(|key| {
                let copies = replicas(placement.as_ref(), key, count).unwrap();
                assert_eq!(copies[0], placement.place(key));
                copies
            })
            .collect(),
        Placer::Assignment(assignment) => {
            let mut ledger = assignment.open(chunk.hashes.len() as u64).unwrap();
            keys.map(|key| vec![ledger.assign(key, &mut Silent)]).collect()
        }
    }
}

/// What the fleet holds in these tests.
fn burden(prepared: &Prepared, source: &KeySource) -> Burden {
    Burden { keys: source.len(), replicas: prepared.scenario.fleet.copies.count }
}

fn name(roster: &Roster, id: NodeId) -> &str {
    roster.get(id).unwrap().name.as_str()
}

/// Every key of the published seed, one at a time, with maps instead of tallies.
#[test]
fn a_loop_over_single_keys_agrees() {
    let prepared = prepared(FEW, 1);
    let results = results(&prepared, 2);
    let source = KeySource::open(&prepared.scenario.keys).unwrap();
    let burden = burden(&prepared, &source);
    let mut chunk = KeyChunk::default();
    source.fill(0..source.len(), &mut chunk, KeyPart::Bytes);
    for (contender, found) in prepared.scenario.contenders.iter().zip(&results.contenders) {
        let replayed = replay(contender, HashSeed::PUBLISHED, &prepared.plan, burden);
        for (timeline, course) in replayed.courses.iter().enumerate() {
            for step in 1..course.snapshots.len() {
                let planned = &prepared.plan.timelines[timeline].steps[step];
                let [before, after] = [step - 1, step]
                    .map(|at| copies(&replayed.snapshots[course.snapshots[at]], &chunk, 1));
                let mut flows = BTreeMap::new();
                for (key, (before, after)) in before.iter().zip(&after).enumerate() {
                    if before[0] != after[0] {
                        let ends =
                            (name(&planned.before, before[0]), name(&planned.after, after[0]));
                        let flow = flows.entry(ends).or_insert((0u64, 0u64));
                        flow.0 += 1;
                        flow.1 += chunk.requests[key];
                    }
                }
                let figures = &found.timelines[timeline].steps[step];
                assert_eq!(figures.flows.len(), flows.len(), "{}", found.name);
                for flow in &figures.flows {
                    let amounts = flows[&(&*flow.source, &*flow.destination)];
                    assert_eq!((flow.keys, flow.requests), (amounts.0, Some(amounts.1)));
                }
                loads_agree(&source, &after, &chunk, &planned.after, figures);
            }
        }
    }
}

fn loads_agree(
    source: &KeySource,
    copies: &[Vec<NodeId>],
    chunk: &KeyChunk,
    roster: &Roster,
    figures: &Step,
) {
    let total_weight: f64 =
        figures.nodes.iter().map(|node| node.weight.parse::<f64>().unwrap()).sum();
    for node in &figures.nodes {
        let member = roster.nodes().iter().find(|one| one.name.as_str() == node.name).unwrap();
        let own = copies.iter().enumerate().filter(|(_, copies)| copies[0] == member.id);
        let requests: u64 = own.map(|(key, _)| chunk.requests[key]).sum();
        let total = source.totals().by(Measure::Requests).unwrap();
        let fair = node.weight.parse::<f64>().unwrap() / total_weight;
        let expected = requests as f64 / total as f64 / fair;
        assert!((node.load["requests"].first - expected).abs() < 1e-8, "{}", node.name);
    }
}

/// The copies that each step makes, by keys and by requests, as sets of nodes say it.
#[test]
fn sets_of_copies_agree() {
    let mut prepared = prepared(FEW, 2);
    prepared.scenario.seeds = 1;
    let source = KeySource::open(&prepared.scenario.keys).unwrap();
    let burden = burden(&prepared, &source);
    let results = results(&prepared, 2);
    let mut chunk = KeyChunk::default();
    source.fill(0..source.len(), &mut chunk, KeyPart::Bytes);
    for (contender, found) in prepared.scenario.contenders.iter().zip(&results.contenders) {
        let replayed = replay(contender, HashSeed::PUBLISHED, &prepared.plan, burden);
        for (timeline, course) in replayed.courses.iter().enumerate() {
            for step in 1..course.snapshots.len() {
                let [before, after] = [step - 1, step]
                    .map(|at| copies(&replayed.snapshots[course.snapshots[at]], &chunk, 2));
                let (mut keys, mut requests) = ([0u64; 3], [0u64; 3]);
                for (key, (before, after)) in before.iter().zip(&after).enumerate() {
                    let sets = [before, after].map(|all| all.iter().collect::<BTreeSet<_>>());
                    let new = sets[1].difference(&sets[0]).count() as u64;
                    let by_rank = (0..2).filter(|&rank| before[rank] != after[rank]).count() as u64;
                    let is_behind = u64::from(new > 0 && before[0] == after[0]);
                    for (measure, count) in [new, by_rank, is_behind].into_iter().enumerate() {
                        keys[measure] += count;
                        requests[measure] += count * chunk.requests[key];
                    }
                }
                let metrics = &found.timelines[timeline].steps[step].metrics;
                let ids = ["replica.changed", "replica.changed_ordered", "replica.behind_owner"];
                for (at, id) in ids.into_iter().enumerate() {
                    let per_key = if at == 2 { 1.0 } else { 2.0 };
                    for (counts, by) in [(&keys, Measure::Keys), (&requests, Measure::Requests)] {
                        let whole = source.totals().by(by).unwrap() as f64 * per_key;
                        let found = metrics[&by.id(id)].median;
                        let expected = counts[at] as f64 / whole;
                        assert!((found - expected).abs() < 1e-8, "{}: {id}", contender.name());
                    }
                }
            }
        }
    }
}

/// The same machines under other names, and under another hash seed.
#[test]
fn deploys_move_what_is_hashed() {
    let results = results(&prepared(FEW, 1), 2);
    let moved = |name: &str, step: usize| {
        let found = results.contenders.iter().find(|one| one.name == name).unwrap();
        found.timelines[2].steps[step].metrics["movement.moved"].median
    };
    assert_eq!(moved("jump", 1), 0.0, "positions stay");
    assert!(moved("rendezvous", 1) > 0.25, "three of nine have other names");
    for name in ["jump", "modulo", "ring", "rendezvous", "rendezvous-sha256", "jump+alias"] {
        assert!((moved(name, 2) - 8.0 / 9.0).abs() < 0.05, "{name}: {}", moved(name, 2));
    }
    assert!((moved("rendezvous", 3) - 0.1).abs() < 0.02, "afterwards all is as ever");
}

/// Jump has no names to hash: only salted keys can make its seeds differ.
#[test]
fn seeds_salt_the_keys() {
    let results = results(&prepared(FEW, 1), 2);
    let jump = results.contenders.iter().find(|one| one.name == "jump").unwrap();
    let cv = jump.timelines[0].steps[0].metrics["load.cv"];
    assert!(cv.min < cv.median && cv.median < cv.max, "{cv:?}");
}

/// A contender stops at its first refusal; one that goes on gets its keys back.
#[test]
fn refusals_end_a_timeline_and_returns_restore() {
    let results = results(&prepared(FEW, 1), 2);
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

/// Keys come in their order whoever counts them, every node within its bound; copies, and a fleet
/// that cannot hold all keys, are refused by name.
#[test]
fn load_aware_contenders_get_the_keys_in_order() {
    let text = "schema = 1\nseeds = 2\nfleet = { nodes = 9 }\n\
                algorithms = [\"bounded-load:epsilon=0.1\", \"bounded-load:capacity=1200\"]\n\
                keys = { source = \"uniform\", count = 10000 }\n[[timeline]]\nname = \"t\"\n\
                [[timeline.event]]\nfail = \"node-1\"\n";
    let prepared = parse("s.toml", text, Path::new("."), &REGISTRY).unwrap();
    let run = results(&prepared, 2);
    let [bounded, full] = [0, 1].map(|at| &run.contenders[at]);
    let largest = |step: usize| {
        let metrics = &bounded.timelines[0].steps[step].metrics;
        metrics["load.max_over_mean"].max
    };
    // ⌈1.1 · 10,000 ÷ 9⌉ = 1,223 and ⌈1.1 · 10,000 ÷ 8⌉ = 1,375.
    assert!((largest(0) - 1_223.0 * 9.0 / 10_000.0).abs() < 1e-8, "somebody is full");
    assert!((largest(1) - 1_375.0 * 8.0 / 10_000.0).abs() < 1e-8, "somebody is full");
    let refusal = full.timelines[0].refusal.as_ref().unwrap();
    assert_eq!((full.timelines[0].steps.len(), refusal.step), (1, 1));
    let reason = "keys within the capacities: 10000 asked for, at most 9600 possible";
    assert_eq!(refusal.reason, reason);
    let copies = results(&self::prepared(FEW, 2), 2);
    let refused = copies.contenders.iter().find(|one| one.name == "two-choices").unwrap();
    let reason = &refused.timelines[0].refusal.as_ref().unwrap().reason;
    assert_eq!(reason, "places one copy of a key, and 2 are asked for");
}

/// Who replaces a node takes over what it had: that is no uneven spread of a loss.
#[test]
fn a_replacement_is_no_failure() {
    let text = "schema = 1\nalgorithms = [\"jump+alias\"]\nfleet = { nodes = 9 }\n\
                keys = { source = \"uniform\", count = 3000 }\n[[timeline]]\nname = \"t\"\n\
                [[timeline.event]]\nfail = \"node-1\"\n\
                [[timeline.event]]\nreplace = { node-2 = \"other\" }\n";
    let prepared = parse("s.toml", text, Path::new("."), &REGISTRY).unwrap();
    let results = results(&prepared, 2);
    let steps = &results.contenders[0].timelines[0].steps;
    assert!(steps[1].metrics.contains_key("failure.receivers") && steps[1].failure.is_some());
    assert!(!steps[2].metrics.keys().any(|id| id.starts_with("failure.")));
    assert!(steps[2].metrics["movement.moved"].median > 0.0 && steps[2].failure.is_none());
}
