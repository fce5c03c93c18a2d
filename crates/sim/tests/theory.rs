//! Closed forms stand beside the steps they speak of, and beside no other; errors of shares are
//! those of whole points, entries and buckets.

use std::path::Path;

use placelab_algorithms::REGISTRY;
use placelab_core::math::harmonic;
use placelab_results::RunResults;
use placelab_sim::keys::KeySource;
use placelab_sim::run::{Settings, run};
use placelab_sim::scenario::parse;
use placelab_sim::sweep::Unwatched;

fn results(fleet: &str, events: &str) -> RunResults {
    results_of(r#"["modulo", "ring:vnodes=1", "jump"]"#, fleet, events)
}

fn results_of(algorithms: &str, fleet: &str, events: &str) -> RunResults {
    let text = format!(
        r#"
        schema = 1
        title = "theory"
        algorithms = {algorithms}
        canaries = false
        seeds = 2
        [keys]
        source = "uniform"
        count = 20000
        [fleet]
        {fleet}
        [[timeline]]
        name = "steps"
        {events}
    "#
    );
    let prepared = parse("theory.toml", &text, Path::new("."), &REGISTRY).unwrap();
    let source = KeySource::open(&prepared.scenario.keys).unwrap();
    run(&prepared, &source, "theory", Settings::default(), &Unwatched).unwrap()
}

/// The theory of each step of a contender for a metric.
fn theory(results: &RunResults, contender: &str, metric: &str) -> Vec<Option<f64>> {
    let found = results.contenders.iter().find(|one| one.name == contender).unwrap();
    assert!(found.closed_forms.contains_key(metric));
    found.timelines[0]
        .steps
        .iter()
        .map(|step| step.theory.get(metric).map(|theory| theory.value))
        .collect()
}

#[test]
fn a_movement_has_a_closed_form_at_the_end_of_the_fleet_alone() {
    let events = "
        [[timeline.event]]
        join = 1
        [[timeline.event]]
        fail = 'node-1'
        [[timeline.event]]
        leave = 'node-4'
    ";
    let results = results("nodes = 4", events);
    let moved = theory(&results, "modulo", "movement.moved");
    assert_eq!(moved, [None, Some(0.8), None, Some(0.75)]);
    let modulo = &results.contenders[0].timelines[0].steps;
    for (step, moved) in modulo.iter().zip(moved) {
        let measured = step.metrics.get("movement.moved").map(|measured| measured.mean);
        assert!(moved.is_none_or(|moved| (moved - measured.unwrap()).abs() < 0.01));
    }
    let peaks = theory(&results, "ring:vnodes=1", "share.max_over_mean");
    for (peak, nodes) in peaks.into_iter().zip([4, 5, 4, 3]) {
        assert!((peak.unwrap() - harmonic(nodes)).abs() < 1e-8);
    }
}

/// The formula of a spread is a root mean square, and so is what stands beside it: of two seeds,
/// that of the least and the largest.
#[test]
fn a_spread_stands_beside_a_root_mean_square() {
    let results =
        results_of(r#"["ring:vnodes=1", "multi-probe:draws=independent"]"#, "nodes = 4", "");
    for contender in &results.contenders {
        let step = &contender.timelines[0].steps[0];
        let (cv, theory) = (step.metrics["share.cv"], &step.theory["share.cv"]);
        let measured = theory.measured.unwrap();
        let both = ((cv.min * cv.min + cv.max * cv.max) / 2.0).sqrt();
        assert!((measured - both).abs() < 1e-8 && measured > cv.mean, "{measured}");
    }
}

/// Double draws are not what the formulas of independent ones speak of.
#[test]
fn double_draws_have_none() {
    let results = results_of(r#"["multi-probe"]"#, "nodes = 4", "");
    assert!(results.contenders[0].timelines[0].steps[0].theory.is_empty());
}

#[test]
fn unequal_nodes_have_none() {
    let events = "
        [[timeline.event]]
        reweight = { 'node-1' = 2 }
    ";
    let results = results("nodes = 3", events);
    assert!(matches!(theory(&results, "ring:vnodes=1", "share.cv")[..], [Some(_), None]));
}

/// Of 1:1000 the light node has one bucket of 1,024 where 1.023 are its part, or 65 entries of
/// 65,537 where 65.47 are; a 1,001st of the buckets is exact, and so is a clock.
#[test]
fn errors_of_shares_are_those_of_whole_parts() {
    let algorithms = r#"["jump+alias", "maglev", "jump+weighted", "weighted-rendezvous"]"#;
    let fleet = "node = [{ name = 'a' }, { name = 'b', weight = 1000 }]";
    let results = results_of(algorithms, fleet, "");
    let part = |parts: f64, whole: f64| 1e6 * (1.0 - parts * 1_001.0 / whole);
    let expected = [part(1.0, 1_024.0), part(65.0, 65_537.0), 0.0, 0.0];
    for (contender, expected) in results.contenders.iter().zip(expected) {
        let error = contender.timelines[0].steps[0].metrics["share.error"].median;
        assert!((error - expected).abs() < 0.001, "{}: {error}", contender.name);
    }
}
