//! Charts of what contenders cost against what they give, and of where keys go.

use placelab_results::{Flow, Measured, NodeRatio, Refusal, RunResults};

use crate::{fixture, rendered, text};

/// The figure of a chart in a page, where it has one.
fn figure<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let start = page.find(&format!("<figure id=\"{name}\">"))?;
    Some(&page[start..start + page[start..].find("</figure>")?])
}

/// The figure of a chart, rendered without times.
fn drawn(kept: &str, results: &RunResults, name: &str) -> String {
    let page = text(&rendered(kept, results, None), "index.html");
    figure(&page, name).unwrap_or_else(|| panic!("no {name}")).to_string()
}

#[track_caller]
fn has(figure: &str, parts: &[&str]) {
    let caption = figure.split("<figcaption>").nth(1).unwrap_or(figure);
    for part in parts {
        assert!(figure.contains(part), "{part} is not in {}", &caption[..caption.len().min(3_000)]);
    }
}

fn steps(results: &mut RunResults) -> impl Iterator<Item = (String, &mut placelab_results::Step)> {
    results.contenders.iter_mut().flat_map(|contender| {
        let name = contender.name.clone();
        let steps = contender.timelines.iter_mut().flat_map(|timeline| &mut timeline.steps);
        steps.map(move |step| (name.clone(), step))
    })
}

fn put(step: &mut placelab_results::Step, id: &str, seeds: &[f64]) {
    step.metrics.insert(id.into(), Measured::over_seeds(seeds, None));
}

/// Loads with ranges that lie apart or do not, for the counted cost of the fixture.
fn balanced() -> RunResults {
    let mut results = fixture::growing();
    for (name, step) in steps(&mut results) {
        let (low, high) = match name.as_str() {
            "maglev" => (1.05, 1.09),
            "jump" => (1.04, 1.08),
            "rendezvous" => (1.05, 1.10),
            "ring" => (1.12, 1.20),
            _ => (2.0, 4.0),
        };
        put(step, "load.max_over_mean", &[low, (low + high) / 2.0, high]);
    }
    results
}

#[test]
fn the_frontier_is_named_and_dominance_only_where_ranges_are_apart() {
    let found = drawn("pareto", &balanced(), "pareto");
    has(
        &found,
        &[
            "On the frontier by the medians are maglev (7.0 % above fair, 1.00 steps) and jump \
             (6.0 % above fair, 4.10 steps).",
            "Their loads cannot be told apart (ranges overlap), so that of them the cost alone \
             speaks, for maglev.",
            "Dominated, with ranges apart: ring (by jump and 1 more) and ring:vnodes=1 (by jump \
             and 1 more).",
            "By medians alone, since ranges overlap: rendezvous behind jump (loads).",
            "Members leave from the tail alone under jump.",
            "hollow: members join and leave at the tail alone",
        ],
    );
    let mut few = balanced();
    few.seeds = 9;
    let found = drawn("pareto-few-seeds", &few, "pareto");
    has(&found, &["No dominance is claimed: 9 hash seeds of 10 at least."]);
    assert!(!found.contains("Dominated, with"), "few seeds");

    let page = text(&rendered("timed", &balanced(), Some(&fixture::timings())), "index.html");
    has(figure(&page, "pareto").unwrap(), &["ns)", "the time of a lookup in batches at 10 nodes"]);

    let found = drawn("pareto-refused", &fixture::failing(), "pareto");
    has(&found, &["Over fewer steps, as some were refused: jump."]);

    let mut aware = balanced();
    aware.contenders[4].load_aware = true;
    let found = drawn("pareto-aware", &aware, "pareto");
    has(&found, &["On the frontier by the medians is jump", "has to be kept: maglev."]);
    aware.contenders.truncate(1);
    let page = text(&rendered("pareto-of-one", &aware, None), "index.html");
    assert!(figure(&page, "pareto").is_none(), "nothing to compare");
}

fn flow(source: usize, destination: usize, keys: u64, forced: bool) -> Flow {
    let (source, destination) = (format!("node-{source}"), format!("node-{destination}"));
    Flow { source, destination, keys, requests: None, bytes: None, forced }
}

#[test]
fn flows_tell_reason_from_none() {
    let mut results = fixture::growing();
    for (name, step) in steps(&mut results) {
        step.flows = vec![flow(3, 20, 9_000, true), flow(4, 21, 1_000, true)];
        match name.as_str() {
            "maglev" => step.flows.extend([flow(1, 2, 500, false), flow(2, 1, 250, false)]),
            "ring" => step.flows_omitted = 17,
            _ => {}
        }
    }
    let found = drawn("flows", &results, "flows");
    has(
        &found,
        &[
            "“add ten” of “all at once”, seed 0: 30 nodes, in the order of the fleet",
            "At “add ten” of “all at once” keys go sideways: maglev 0.75 % of the keys (7.0 % of \
             what it moves) between 2 pairs of nodes.",
            "nothing goes sideways under jump (10.0 % of the keys over 2 pairs of nodes)",
            "no flow that is listed goes sideways under ring (",
            "neither drawn nor counted here: ring 17.",
            "not drawn (see the table): ideal (canary)",
            "column of one that joins",
            "at least 10.0 % moved, 0 % sideways",
            "node-3 → node-20",
        ],
    );
    assert!(!found.contains("in groups of"));

    // More nodes than there is room for are grouped; nobody lists them here.
    for (_, step) in steps(&mut results) {
        step.nodes.clear();
        step.flows = (0..150).map(|node| flow(node, (node + 1) % 150, 10, node > 2)).collect();
    }
    let refusal = Refusal { step: 1, capability: None, reason: "no".into() };
    results.contenders[0].timelines[0].steps.truncate(1);
    results.contenders[0].timelines[0].refusal = Some(refusal);
    let found = drawn("flows-grouped", &results, "flows");
    has(&found, &["150 nodes in groups of 3, by name", "not reaching this step: jump"]);

    steps(&mut results).for_each(|(_, step)| step.flows.clear());
    let page = text(&rendered("no-flows", &results, None), "index.html");
    assert!(figure(&page, "flows").is_none(), "nothing is known");
}

#[test]
fn sums_of_moves_stand_beside_the_least() {
    let mut results = fixture::growing();
    let least: Vec<f64> = results.plan[1].steps.iter().map(|step| step.minimum).collect();
    let sum: f64 = least.iter().sum();
    for contender in &mut results.contenders {
        let timeline = &mut contender.timelines[1];
        let (part, low) = if contender.name == "maglev" { (1.5, 1.4) } else { (1.0, 0.9) };
        for (step, minimum) in timeline.steps.iter_mut().zip(&least).skip(1) {
            put(step, "movement.moved", &[part * minimum]);
        }
        let total = Measured::over_seeds(&[low * sum, 1.6 * sum], None);
        timeline.totals.insert("movement.moved".into(), total);
    }
    let jump = &mut results.contenders[0].timelines[1];
    jump.steps.truncate(3);
    jump.refusal = Some(Refusal { step: 3, capability: None, reason: "no".into() });
    let found = drawn("timeline", &results, "timeline");
    has(
        &found,
        &[
            "“two at a time”: after 5 events exact shares need 38.9 % moved.",
            "Above that end maglev 58.4 % (19.5 % above, 1.50 × the least).",
            "Not above it beyond the range of the seeds: ring, ring:vnodes=1, rendezvous",
            "Ended early: jump.",
            "jump × refused",
            "maglev 19.5 %",
        ],
    );
    assert!(!found.contains("all at once"), "one event has no course");
    results.plan.truncate(1);
    results.contenders.iter_mut().for_each(|one| one.timelines.truncate(1));
    let page = text(&rendered("one-event", &results, None), "index.html");
    assert!(figure(&page, "timeline").is_none());
}

#[test]
fn memory_and_updates_are_compared() {
    let mut results = fixture::growing();
    let mut timings = fixture::timings();
    let page = text(&rendered("cost", &results, Some(&timings)), "index.html");
    has(
        figure(&page, "cost").unwrap(),
        &[
            "highest for ring and maglev (51.7 kB).",
            "From 20 to 30 nodes it grows: jump 1.0-fold",
            "Time to build the first fleet: not to be told apart, ring (120 µs).",
            "That change is cheaper than a build for ring 3.5-fold.",
            "Memory of a client",
            "A/A ",
        ],
    );
    // Two sizes: marks instead of lines.
    results.plan.truncate(1);
    results.contenders.iter_mut().for_each(|one| one.timelines.truncate(1));
    timings.updates.clear();
    let page = text(&rendered("cost-of-two", &results, Some(&timings)), "index.html");
    let found = figure(&page, "cost").unwrap();
    has(found, &["Memory at the worst step: lowest for", "of it what all clients share"]);
    assert!(!found.contains("it grows") && !found.contains("Time to build"));
    for (_, step) in steps(&mut results) {
        step.metrics.retain(|id, _| !id.starts_with("memory."));
    }
    let page = text(&rendered("cost-of-nothing", &results, None), "index.html");
    assert!(figure(&page, "cost").is_none());
}

#[test]
fn moves_take_time() {
    let mut results = fixture::growing();
    for (name, step) in steps(&mut results) {
        let is_maglev = name == "maglev";
        put(step, "movement.max_in", &[if is_maglev { 0.2 } else { 0.1 }]);
        put(step, "movement.max_out", &[if is_maglev { 0.3 } else { 0.05 }]);
        put(step, "movement.max_in.bytes", &[0.5]);
    }
    let found = drawn("transfer", &results, "transfer");
    has(
        &found,
        &[
            "Keys have no bytes here; for each TB of data",
            // 0.3 of 8e12 bits at 1e9 a second are 2,400 seconds.
            "maglev 40.0 min or 4.0 min (30.0 % out of one node at “add ten” of “all at once”)",
            "jump 13.3 min or 80.0 s (10.0 % into one node",
            "min at 1 Gbit/s",
        ],
    );
    results.keys.bytes = Some(1 << 40);
    results.replicas = 3;
    let found = drawn("transfer-bytes", &results, "transfer");
    has(
        &found,
        &[
            "Of 1.10 TB in all the slowest event takes",
            "jump 73.3 min or 7.3 min (50.0 % into one node",
            "Owners alone: copies behind them come on top.",
        ],
    );
    // Who fails sends nothing.
    results.keys.bytes = None;
    results
        .plan
        .iter_mut()
        .flat_map(|one| &mut one.steps)
        .for_each(|step| step.verb = "fail".into());
    let found = drawn("transfer-of-failures", &results, "transfer");
    has(&found, &["maglev 26.7 min or 2.7 min (20.0 % into one node", "fails sends nothing"]);
    for (_, step) in steps(&mut results) {
        step.metrics.retain(|id, _| !id.starts_with("movement.max"));
    }
    let page = text(&rendered("no-transfer", &results, None), "index.html");
    assert!(figure(&page, "transfer").is_none());
}

#[test]
fn the_fullest_node_is_compared_by_measure() {
    let mut results = fixture::growing();
    results.keys.bytes = Some(1 << 30);
    for (name, step) in steps(&mut results) {
        let most = if name == "ring:vnodes=1" { 4.0 } else { 1.1 };
        put(step, "load.max_over_mean", &[most]);
        put(step, "load.max_over_mean.requests", &[most + 0.3]);
        put(step, "load.max_over_mean.bytes", &[most + 0.1]);
        let ratio = NodeRatio { first: 1.0, low: 1.0, high: 1.0 };
        step.nodes.iter_mut().for_each(|node| {
            node.load.insert("bytes".into(), ratio);
        });
    }
    let found = drawn("skew", &results, "skew");
    has(
        &found,
        &[
            "by keys, requests and bytes on one scale",
            "above fair by 10.0 % by keys, 40.0 % by requests (4.0 times as far) and 20.0 % by \
             bytes (2.0 times as far).",
            "The largest key has 2.4 % of the requests: no fullest node has less than 0.72 × fair",
            "which is below fair and binds nobody",
            "→ 4.00",
        ],
    );
    results.keys.largest_request_share = Some(0.05);
    let found = drawn("skew-floor", &results, "skew");
    has(&found, &["less than 1.50 × fair, whatever the placement.", "the largest key alone"]);
    (results.keys.requests, results.keys.bytes) = (None, None);
    let page = text(&rendered("no-skew", &results, None), "index.html");
    assert!(figure(&page, "skew").is_none(), "one measure is balance");
}

/// Contenders that differ by one number are a curve; two of them are none.
#[test]
fn what_more_of_a_parameter_buys_is_drawn() {
    let mut results = fixture::growing();
    let page = text(&rendered("no-parameters", &results, None), "index.html");
    assert!(figure(&page, "parameters").is_none(), "two values are no curve");
    let like =
        results.contenders.iter().find(|contender| contender.name == "ring").unwrap().clone();
    for (vnodes, most, bytes) in [("40", 1.8, 1_000.0), ("640", 1.1, 64_000.0)] {
        let mut more = like.clone();
        more.name = format!("ring:vnodes={vnodes}");
        more.parameters.insert("vnodes".into(), vnodes.into());
        put(&mut more.timelines[0].steps[0], "load.max_over_mean", &[most]);
        put(&mut more.timelines[0].steps[0], "memory.derived_bytes", &[bytes]);
        results.contenders.push(more);
    }
    let found = drawn("parameters", &results, "parameters");
    has(
        &found,
        &[
            "vnodes of ring: what each costs",
            "vnodes of ring, from 1 to 640: the fullest node goes",
        ],
    );
}

/// A fleet above what is listed has a spread, and no more.
#[test]
fn the_spread_of_a_large_fleet_is_drawn() {
    let mut results = fixture::growing();
    for (_, step) in steps(&mut results) {
        step.nodes.clear();
        put(step, "load.cv", &[0.25]);
    }
    let found = drawn("spread", &results, "balance");
    has(&found, &["one standard deviation about fair", "standard deviation, median"]);
    let plain = drawn("no-spread", &fixture::growing(), "balance");
    assert!(!plain.contains("standard deviation"));
}

#[test]
fn cold_lookups_are_drawn() {
    let page =
        text(&rendered("cold", &fixture::growing(), Some(&fixture::timings())), "index.html");
    let found = figure(&page, "latency").unwrap();
    has(
        found,
        &[
            "Lookup in batches, cold: after the caches were displaced",
            "Lookup one after another, cold: after the caches were displaced",
            "At 10 nodes a dependent lookup takes longer cold than warm: ",
        ],
    );
}
