//! Expectations about several events at once.

use std::path::Path;

use placelab_algorithms::REGISTRY;
use placelab_results::Expectation;
use placelab_sim::keys::KeySource;
use placelab_sim::run::{Settings, run};
use placelab_sim::scenario::parse;
use placelab_sim::sweep::Unwatched;

use crate::support::{planned, read_text, timeline, with_fleet};

#[test]
fn patterns_speak_of_planned_steps() {
    let expect =
        "[[expect]]\nmetric = \"movement.sideways\"\nmax = 0\nevent = \"restart: * fails\"";
    let text = format!("{}{expect}\n", timeline("t", &["rolling = 1\nlabel = \"restart\""]));
    let prepared = read_text(&with_fleet(&text));
    let expectation = &prepared.scenario.expectations[0];
    let steps = prepared.plan.timelines[0].steps.iter();
    let meant: Vec<&str> = steps
        .map(|step| step.label.as_str())
        .filter(|label| expectation.speaks_of(label))
        .collect();
    assert_eq!(meant.len(), 5, "{meant:?}");
    assert!(meant.iter().all(|label| label.ends_with("fails")));
}

/// Only the pattern gives `*` a meaning.
#[test]
fn labels_with_a_star_are_text() {
    let plan = planned(&["join = 1\nlabel = \"a*\"", "join = 1\nlabel = \"ab\""]);
    assert_eq!(plan.timelines[0].steps[1].label, "a*");
    let expect = "[[expect]]\nmetric = \"load.cv\"\nmax = 9\nevent = \"*b\"\n";
    let text = format!("{}{expect}", timeline("t", &["join = 1\nlabel = \"a*\""]));
    let error = crate::support::report(&with_fleet(&text));
    assert!(error.contains("no event has the label `*b`"), "{error}");
}

fn judged(expect: &str) -> Expectation {
    let text = format!(
        "schema = 1\nalgorithms = [\"jump\", \"rendezvous\"]\ncanaries = false\n\
         keys = {{ source = \"sequential\", count = 2000 }}\nfleet = {{ nodes = 4 }}\n\
         {}[[expect]]\n{expect}\n",
        timeline("t", &["join = 1", "rolling = 2\nlabel = \"restart\""])
    );
    let prepared = parse("s.toml", text, Path::new("."), &REGISTRY).expect("it is right");
    let source = KeySource::open(&prepared.scenario.keys).expect("keys");
    let results = run(&prepared, &source, "test", Settings::default(), &Unwatched).expect("a run");
    results.expectations.into_iter().next().expect("one expectation")
}

#[test]
fn every_step_that_is_meant_is_judged() {
    let on = |event: &str| {
        let bound = "metric = \"movement.sideways\"\nmax = 0\nalgorithms = [\"rendezvous\"]";
        judged(&format!("{bound}\nevent = \"{event}\""))
    };
    let counts = ["restart: * fail*", "restart*", "*", "join 1"].map(|event| on(event).checked);
    assert_eq!(counts, [3, 6, 7, 1]);
    let refused = |event: &str| {
        let claim = "refused = \"remove-any\"\nalgorithms = [\"jump\"]";
        judged(&format!("{claim}\nevent = \"{event}\"")).met
    };
    assert!(refused("restart: *") && refused("restart: batch 1 fails"));
    assert!(!refused("restart: * return*"));
}

/// Values that are defaults are left out of names, but a file may write them.
#[test]
fn contenders_go_by_what_the_file_calls_them() {
    let text = "schema = 1\nalgorithms = [\"ring:vnodes={100,160}\"]\n\
                fleet = { nodes = 3 }\nkeys = { source = \"sequential\", count = 9 }\n\
                [[expect]]\nmetric = \"load.cv\"\nmax = 9\nalgorithms = [\"ring:vnodes=160\"]\n";
    let prepared = parse("s.toml", text, Path::new("."), &REGISTRY).expect("it is right");
    assert_eq!(prepared.scenario.expectations[0].algorithms, ["ring"]);
}
