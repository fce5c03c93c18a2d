//! What must hold and what is required, judged on small runs.

use std::path::Path;

use placelab_algorithms::REGISTRY;
use placelab_results::{
    Expectation, Floor, KeyHashTime, LookupTime, Machine, Rounds, RunResults, Timings, timings,
    verdict,
};
use placelab_sim::keys::KeySource;
use placelab_sim::overrides::Overrides;
use placelab_sim::run::{Settings, run};
use placelab_sim::scenario::{Prepared, SourceRequest, parse, select};
use placelab_sim::sweep::Unwatched;

const BASE: &str = r#"
    schema = 1
    title = "judged"
    algorithms = ["jump", "ring", "rendezvous"]
    canaries = false
    seeds = 5
    [keys]
    source = "sequential"
    count = 4000
    [fleet]
    nodes = 5
    [[timeline]]
    name = "lose one"
    [[timeline.event]]
    label = "join"
    join = 1
    [[timeline.event]]
    label = "loss"
    fail = "node-2"
"#;

fn prepared(more: &str) -> Prepared {
    parse("judged.toml", format!("{BASE}{more}"), Path::new("."), &REGISTRY).unwrap()
}

fn results(prepared: &Prepared) -> RunResults {
    let source = KeySource::open(&prepared.scenario.keys).unwrap();
    run(prepared, &source, "placelab run judged.toml", Settings::default(), &Unwatched).unwrap()
}

fn expectation(expect: &str) -> Expectation {
    results(&prepared(&format!("[[expect]]\n{expect}\n"))).expectations.remove(0)
}

#[test]
fn each_contender_has_to_refuse() {
    let jump = expectation("refused = \"remove-any\"\nalgorithms = [\"jump\"]");
    assert!(jump.met, "{jump:?}");
    let there = expectation("refused = \"remove-any\"\nalgorithms = [\"jump\"]\nevent = \"loss\"");
    assert!(there.met, "{there:?}");
    let others = expectation("refused = \"remove-any\"");
    assert_eq!((others.met, others.failures.len()), (false, 2), "{others:?}");
    let elsewhere =
        expectation("refused = \"remove-any\"\nalgorithms = [\"jump\"]\nevent = \"join\"");
    assert!(!elsewhere.met, "{elsewhere:?}");
    let weights = expectation("refused = \"weights\"\nalgorithms = [\"jump\"]");
    assert!(!weights.met, "{weights:?}");
}

#[test]
fn who_is_named_needs_the_figure() {
    let at_loss = "metric = \"movement.sideways\"\nmax = 0\nevent = \"loss\"\n";
    let named = expectation(&format!("{at_loss}algorithms = [\"jump\", \"ring\"]"));
    assert!(!named.met && named.failures == ["jump: has no such figure"], "{named:?}");
    let anybody = expectation(at_loss);
    assert_eq!((anybody.met, anybody.checked), (true, 2), "{anybody:?}");
    let nobody = expectation("metric = \"failure.restored\"\nmax = 1");
    assert!(!nobody.met, "{nobody:?}");
}

#[test]
fn seeds_are_looked_at_one_by_one_unless_the_median_is_meant() {
    let run = results(&prepared(""));
    let moved = run.contenders[1].timelines[0].steps[1].metrics["movement.moved"];
    assert!(moved.min < moved.median && moved.median < moved.max);
    let bound = (moved.median + moved.max) / 2.0;
    let on_ring = format!(
        "metric = \"movement.moved\"\nmax = {bound}\nalgorithms = [\"ring\"]\nevent = \"join\"\n"
    );
    let every = expectation(&on_ring);
    assert!(!every.met && every.failures[0].contains("is above"), "{every:?}");
    assert!(expectation(&format!("{on_ring}seeds = \"median\"")).met);
}

/// Totals are summed at each seed before they are summarised.
#[test]
fn totals_are_those_of_the_seeds() {
    let run = results(&prepared(""));
    let course = &run.contenders[1].timelines[0];
    let total = course.totals["movement.moved"];
    let steps: Vec<_> = course.steps[1..].iter().map(|s| s.metrics["movement.moved"]).collect();
    assert!(total.min >= steps[0].min + steps[1].min - 1e-9);
    assert!(total.max <= steps[0].max + steps[1].max + 1e-9);
    assert!(total.high - total.low <= steps.iter().map(|s| s.high - s.low).sum::<f64>() + 1e-9);
    assert!(run.contenders[0].timelines[0].totals.is_empty(), "jump did not take every step");
}

fn rounds(ns: f64) -> Rounds {
    Rounds { median: ns, least: ns, largest: ns, ..Rounds::default() }
}

fn lookup(contender: &str, nodes: u32, ns: f64) -> LookupTime {
    LookupTime {
        contender: contender.into(),
        nodes,
        batch_ns: rounds(ns),
        dependent_ns: rounds(ns),
        cold_batch_ns: rounds(ns),
        cold_dependent_ns: rounds(ns),
        refusal: None,
    }
}

#[test]
fn requirements_are_judged_by_their_worst_figure() {
    let require = "[[require]]\nmetric = \"load.min_over_mean\"\nmin = 0.5\n\
                   [[require]]\nmetric = \"time.lookup_ns\"\nmax = 20\n\
                   [[require]]\ncapability = \"remove-any\"\n";
    let run = results(&prepared(require));
    let floor = Floor { batch_ns: rounds(1.0), dependent_ns: rounds(1.0) };
    let machine = Machine {
        cpu: "test".into(),
        cores: 1,
        platform: "test".into(),
        rustc: "test".into(),
        profile: "release".into(),
        load: None,
        floor,
        bytes_floor: floor,
        displaced_bytes: 0,
    };
    let lookups =
        vec![lookup("ring", 10, 15.0), lookup("ring", 1_000, 90.0), lookup("rendezvous", 10, 25.0)];
    let key_hash = KeyHashTime { function: "xxh3".into(), key_bytes: 16, batch_ns: rounds(1.0) };
    let timings = Timings {
        schema: timings::SCHEMA,
        machine,
        busy: vec![],
        key_hash,
        lookups,
        dense: vec![],
        percentiles: vec![],
        updates: vec![],
    };
    let judged = verdict(&run, Some(&timings));
    assert_eq!(judged.suitable, ["ring"]);
    let ring = &judged.contenders[1];
    let steps = &run.contenders[1].timelines[0].steps;
    let least = steps.iter().map(|step| step.metrics["load.min_over_mean"].median);
    let median = |index: usize| ring.judgements[index].measured.map(|figure| figure.median);
    assert_eq!(median(0), least.reduce(f64::min));
    assert_eq!(median(1), Some(15.0), "at the count nearest to the fleet");
    assert_eq!(judged.contenders[2].judgements[1].met, Some(false));
    assert_eq!(judged.contenders[0].judgements[2].met, Some(false));
    assert!(judged.contenders[0].refusal.as_ref().unwrap().starts_with("loss: not supported"));
    let untimed = verdict(&run, None);
    assert_eq!(untimed.contenders[1].judgements[1].met, None);
    assert!(untimed.suitable.is_empty());
}

/// Of several figures beyond a bound the furthest is shown, not the first.
#[test]
fn the_worst_of_broken_figures_is_shown() {
    let run = results(&prepared("[[require]]\nmetric = \"load.max_over_mean\"\nmax = 1\n"));
    let judged = verdict(&run, None);
    for (contender, judged) in run.contenders.iter().zip(&judged.contenders) {
        let steps = &contender.timelines[0].steps;
        let medians = steps.iter().map(|step| step.metrics["load.max_over_mean"].median);
        let judgement = &judged.judgements[0];
        let figure = judgement.measured.unwrap();
        assert_eq!((judgement.met, Some(figure.median)), (Some(false), medians.reduce(f64::max)));
        assert!(figure.low <= figure.median && figure.median <= figure.high);
    }
}

/// Chance of what moves and of who receives: the ideal canary must lie within it.
#[test]
fn the_ideal_canary_looks_like_chance() {
    let text = BASE.replace("canaries = false", "").replace("seeds = 5", "seeds = 40");
    let prepared = parse("judged.toml", text, Path::new("."), &REGISTRY).unwrap();
    let run = results(&prepared);
    let ideal = run.contenders.iter().find(|contender| contender.name == "ideal").unwrap();
    let steps = &ideal.timelines[0].steps;
    for (step, id) in [
        (1, "movement.moved"),
        (1, "movement.excess"),
        (1, "load.max_over_mean"),
        (1, "load.cv"),
        (2, "movement.moved"),
        (2, "failure.max_extra"),
    ] {
        let measured = steps[step].metrics[id];
        let chance = measured.chance.unwrap_or_else(|| panic!("{id} has a chance"));
        assert!(chance.low < measured.median && measured.median < chance.high, "{id}");
        let (wide, expected) = (measured.high - measured.low, chance.high - chance.low);
        assert!(wide > 0.5 * expected && wide < 1.6 * expected, "{id}: {wide} for {expected}");
    }
}

#[test]
fn overrides_change_contenders_keys_and_seeds() {
    let more = "[[expect]]\nmetric = \"load.cv\"\nmax = 9\nalgorithms = [\"jump\"]\n\
                [[expect]]\nmetric = \"load.cv\"\nmax = 9\nalgorithms = [\"r*\"]\n";
    let mut prepared = prepared(more);
    let contenders = Some(select("ring:vnodes={1,7}", &REGISTRY, &|_| Err(String::new())).unwrap());
    let overrides = Overrides { contenders, keys: Some(77), seeds: Some(2) };
    overrides.apply(&mut prepared.scenario);
    let names: Vec<String> = prepared.scenario.contenders.iter().map(|one| one.name()).collect();
    assert_eq!(names, ["ring:vnodes=1", "ring:vnodes=7"]);
    assert_eq!(prepared.scenario.expectations.len(), 1, "nobody is left to be jump");
    assert_eq!(prepared.scenario.keys.source, SourceRequest::Sequential { count: 77 });
    assert_eq!(prepared.scenario.seeds, 2);
}
