//! Runs of two contenders over two steps, and their times.

use std::collections::BTreeMap;

use placelab_results::timings::Floor;
use placelab_results::{
    Comparison, Contender, ContenderTimeline, KeyHashTime, KeySummary, LookupTime, Machine,
    Measured, NodeLoad, PlannedStep, Role, Rounds, Run, RunResults, Scenario, Step, Timeline,
    Timings, UpdateTime, compare,
};

/// A figure with this median that is off by as much to both sides.
pub(crate) fn around(median: f64, off: f64) -> Measured {
    let (low, high) = (median - off, median + off);
    Measured { median, mean: median, low, high, min: low, max: high, chance: None }
}

/// A run of `ring` and the canary `modulo`, with nothing found out.
pub(crate) fn run() -> RunResults {
    let step = |label: &str, nodes| PlannedStep {
        label: label.into(),
        verb: "join".into(),
        changes: "a node joins".into(),
        nodes,
        minimum: 0.25,
        cropped: vec![],
    };
    RunResults {
        schema: placelab_results::SCHEMA,
        version: "0.1.0".into(),
        scenario: Scenario {
            name: "s".into(),
            title: "t".into(),
            why: String::new(),
            sha256: "0".into(),
            command: String::new(),
        },
        keys: KeySummary {
            source: "sequential".into(),
            hash: "xxh3".into(),
            count: 1_000,
            requests: None,
            bytes: None,
            largest_request_share: None,
            sha256: None,
        },
        seeds: 10,
        replicas: 1,
        zone_rule: "ignore".into(),
        rack_rule: "ignore".into(),
        ranks: 1,
        plan: vec![Timeline { name: "grow".into(), steps: vec![step("start", 3), step("add", 4)] }],
        few_keys: None,
        outlook: None,
        failures: None,
        contenders: vec![contender("ring", Role::Rival), contender("modulo", Role::Canary)],
        expectations: vec![],
        requirements: vec![],
        laws: vec![],
    }
}

fn contender(name: &str, role: Role) -> Contender {
    let node =
        NodeLoad { name: "node-0".into(), weight: "1".into(), share: None, load: BTreeMap::new() };
    let step = Step {
        metrics: BTreeMap::new(),
        theory: BTreeMap::new(),
        evenness: BTreeMap::new(),
        nodes: vec![node],
        flows: vec![],
        flows_omitted: 0,
        failure: None,
        first_full: None,
    };
    let steps = vec![step.clone(), step];
    Contender {
        name: name.into(),
        algorithm: name.into(),
        parameters: BTreeMap::new(),
        family: String::new(),
        year: 1997,
        citation: String::new(),
        summary: String::new(),
        lookup_cost: String::new(),
        capabilities: vec![],
        claims: vec![],
        role,
        load_aware: false,
        certificate: None,
        closed_forms: BTreeMap::new(),
        timelines: vec![ContenderTimeline { steps, totals: BTreeMap::new(), refusal: None }],
        fills: vec![],
        failures: None,
    }
}

/// Puts a figure of a contender at a step.
pub(crate) fn put(run: &mut RunResults, contender: usize, step: usize, id: &str, of: Measured) {
    let steps = &mut run.contenders[contender].timelines[0].steps;
    steps[step].metrics.insert(id.into(), of);
}

/// A run in which `ring` has this figure after its second step.
pub(crate) fn with(id: &str, measured: Measured) -> RunResults {
    let mut run = run();
    put(&mut run, 0, 1, id, measured);
    run
}

pub(crate) fn untimed(results: &RunResults) -> Run<'_> {
    Run { results, timings: None }
}

pub(crate) fn compared(before: &RunResults, after: &RunResults) -> Comparison {
    compare(untimed(before), untimed(after))
}

/// A time between 0.9 and 1.1 of its median, of which the halves differ by 2 %.
pub(crate) fn rounds(median: f64) -> Rounds {
    Rounds { median, least: 0.9 * median, largest: 1.1 * median, floor: 0.0, aa_spread: 0.02 }
}

/// Times of `ring`: each lookup takes so many nanoseconds, a build so many microseconds.
pub(crate) fn timings(ns: f64) -> Timings {
    let time = rounds(ns);
    let floor = Floor { batch_ns: rounds(1.0), dependent_ns: rounds(1.0) };
    Timings {
        schema: placelab_results::timings::SCHEMA,
        machine: Machine {
            cpu: "c".into(),
            cores: 2,
            platform: "p".into(),
            rustc: "r".into(),
            profile: "release".into(),
            load: None,
            floor,
            bytes_floor: floor,
            displaced_bytes: 1 << 20,
        },
        busy: vec![],
        key_hash: KeyHashTime { function: "xxh3".into(), key_bytes: 16, batch_ns: time },
        lookups: vec![LookupTime {
            contender: "ring".into(),
            nodes: 10,
            batch_ns: time,
            dependent_ns: time,
            cold_batch_ns: time,
            cold_dependent_ns: time,
            refusal: None,
        }],
        dense: vec![],
        percentiles: vec![],
        updates: vec![UpdateTime { contender: "ring".into(), build_us: time, apply_us: None }],
    }
}
