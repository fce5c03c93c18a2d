//! `[failures]` of a scenario: the figures of the analysis in the results of a run.

use std::path::Path;

use placelab_algorithms::REGISTRY;
use placelab_core::{HashSeed, establish};
use placelab_results::{FailureAnswer, FailureFigures, Measure, RunResults, Way};
use placelab_sim::failures::{Capacity, Keyset, Subject};
use placelab_sim::keys::KeySource;
use placelab_sim::run::{Settings, run};
use placelab_sim::scenario::{Prepared, parse};
use placelab_sim::sweep::Unwatched;

fn prepared(algorithms: &str, keys: &str, rest: &str) -> (Prepared, KeySource) {
    let text = format!(
        "schema = 1\nalgorithms = {algorithms}\ncanaries = false\nseeds = 3\n[keys]\n{keys}\n\
         [fleet]\n{rest}\n[[timeline]]\nname = \"nothing happens\"\n"
    );
    let prepared = parse("inquiry.toml", &text, Path::new("."), &REGISTRY).unwrap();
    let source = KeySource::open(&prepared.scenario.keys).unwrap();
    (prepared, source)
}

fn results(algorithms: &str, keys: &str, rest: &str, threads: usize) -> RunResults {
    let (prepared, source) = prepared(algorithms, keys, rest);
    run(&prepared, &source, "", Settings { threads: Some(threads) }, &Unwatched).unwrap()
}

fn figures(results: &RunResults, at: usize) -> &FailureFigures {
    results.contenders[at].failures.as_ref().unwrap().figures().unwrap()
}

const UNIFORM: &str = "source = \"uniform\"\ncount = 3000";
const ZIPF: &str = "source = \"zipf\"\nexponent = 1.0\ncount = 2000";

/// A ring of one point hands all to one heir; rendezvous shares out; two-choices is refused; who
/// did not ask has no answer.
#[test]
fn a_run_answers_for_every_contender() {
    let algorithms = r#"["ring:vnodes=1", "rendezvous", "maglev", "jump", "two-choices"]"#;
    let rest = "nodes = 9\nreplicas = 1\n[failures]\ncapacity = 1.5";
    let results = results(algorithms, UNIFORM, rest, 2);
    let question = results.failures.as_ref().unwrap();
    assert_eq!((question.nodes, question.down, question.quorum), (9, 2, 1));
    assert_eq!((question.capacity, question.measure.as_str()), (Some(1.5), "keys"));
    let [ring, rendezvous] = [0, 1].map(|at| figures(&results, at));
    let [heirs, all] = [ring, rendezvous].map(|of| of.single.as_ref().unwrap());
    assert_eq!((heirs.receivers, all.receivers), (1.0, 8.0));
    assert_eq!((heirs.looked_at, heirs.of), (27, 27), "nine failures at three seeds");
    assert!(ring.cascade.unwrap().spread > 0 && rendezvous.cascade.unwrap().spread == 0);
    let ways = [0, 1, 2, 3].map(|at| figures(&results, at).way);
    assert_eq!(ways, [Way::Candidates, Way::Candidates, Way::Slot, Way::Replay]);
    assert_eq!(figures(&results, 3).refused, 8);
    let refused = results.contenders[4].failures.as_ref().unwrap();
    assert!(matches!(refused, FailureAnswer::Refused { refusal } if refusal.contains("load")));
}

#[test]
fn threads_and_silence_make_no_difference() {
    let algorithms = r#"["ring", "modulo"]"#;
    let rest = "nodes = 7\nreplicas = 2";
    let asked = format!("{rest}\n[failures]");
    let [one, three] = [1, 3].map(|threads| results(algorithms, UNIFORM, &asked, threads));
    assert_eq!(one, three);
    let silent = results(algorithms, UNIFORM, rest, 2);
    assert!(silent.failures.is_none());
    assert!(silent.contenders.iter().all(|contender| contender.failures.is_none()));
}

/// Nodes with capacities of their own, by requests: the one that is above its own before anybody
/// fails overloads the fleet whoever fails.
#[test]
fn capacities_of_the_fleet_are_those_of_the_cascade() {
    let nodes = |small: u64| {
        format!(
            "capacity = 1_000_000_000\ncapacity_by = \"requests\"\nnode = [{{ name = 'a' }}, \
             {{ name = 'b' }}, {{ name = 'c', capacity = {small} }}, {{ name = 'd' }}]\n[failures]"
        )
    };
    let spreading = |small| {
        let results = results(r#"["rendezvous"]"#, ZIPF, &nodes(small), 2);
        let question = results.failures.as_ref().unwrap();
        assert_eq!((question.capacity, question.measure.as_str()), (None, "requests"));
        let of = figures(&results, 0);
        (of.overloaded, of.cascade.unwrap().spread, of.cascade.unwrap().lost_most)
    };
    assert_eq!(spreading(1_000_000_000), (0, 0, 1));
    // Of three seeds the failures of a, b and d each.
    assert_eq!(spreading(1), (1, 9, 2));
}

/// Sums of requests in one pass are those of replaying each failure.
#[test]
fn requests_are_counted_like_keys() {
    let (prepared, source) = prepared(r#"["ring:vnodes=4"]"#, ZIPF, "nodes = 6\nreplicas = 3");
    let contender = &prepared.scenario.contenders[0];
    let roster = prepared.plan.start.as_ref().clone();
    let placement =
        establish(contender.spec, &contender.arguments, HashSeed(1), roster.clone()).unwrap();
    let look = |slowly: bool| {
        let keys = Keyset::of(&source, contender.spec.reads, HashSeed(1), Measure::Requests);
        let copies = prepared.scenario.fleet.copies;
        let subject = Subject::new(contender.spec, placement.as_ref(), copies, keys).unwrap();
        let subject = if slowly { subject.by_replay() } else { subject };
        let findings = subject.look(&subject.plan(1), &Capacity::OwnLoad(1.2)).unwrap();
        (findings.singles, findings.pairs, findings.calm.loads().to_vec())
    };
    let [quick, slow] = [false, true].map(look);
    assert_eq!(quick, slow);
    let requests = source.summary().requests.unwrap();
    assert_eq!(quick.2.iter().sum::<u128>(), 3 * u128::from(requests));
}
