//! Which of the suitable contenders is recommended, and whether that holds for other fleets.

use std::path::Path;

use placelab_algorithms::REGISTRY;
use placelab_results::{Measured, OutlookFleet, Recommendation, RunResults, Upkeep, verdict};
use placelab_sim::keys::KeySource;
use placelab_sim::run::{Settings, run};
use placelab_sim::scenario::parse;
use placelab_sim::sweep::Unwatched;

const EVENNESS: &str = "load.max_over_mean";
const MOVED: &str = "movement.moved";

/// A run of ring, rendezvous and jump over six nodes, of which the last goes.
fn results(requirements: &str) -> RunResults {
    let text = format!(
        "schema = 1\ntitle = \"recommended\"\nalgorithms = [\"ring\", \"jump\", \"rendezvous\"]\n\
         seeds = 12\n{requirements}[keys]\nsource = \"uniform\"\ncount = 6000\n[fleet]\nnodes = 6\n\
         [[timeline]]\nname = \"one\"\n[[timeline.event]]\nlabel = \"go\"\nshrink = 5\n"
    );
    let prepared = parse("recommended.toml", text, Path::new("."), &REGISTRY).unwrap();
    let source = KeySource::open(&prepared.scenario.keys).unwrap();
    run(&prepared, &source, "", Settings::default(), &Unwatched).unwrap()
}

fn require(metric: &str, max: f64) -> String {
    format!("[[require]]\nmetric = \"{metric}\"\nmax = {max}\n")
}

/// Two requirements that everybody meets.
fn lenient() -> RunResults {
    results(&(require(EVENNESS, 9.0) + &require(MOVED, 1.0)))
}

fn recommended(results: &RunResults) -> Recommendation {
    verdict(results, None).recommendation.unwrap()
}

/// Gives a contender such a figure at every step, with a range of a tenth of it.
fn set(results: &mut RunResults, name: &str, metric: &str, median: f64) {
    let contender = results.contenders.iter_mut().find(|one| one.name == name).unwrap();
    let (low, high) = (0.95 * median, 1.05 * median);
    for step in &mut contender.timelines[0].steps {
        let known = step.metrics.get_mut(metric);
        let Some(measured) = known else { continue };
        *measured = Measured { median, mean: median, low, high, min: low, max: high, chance: None };
    }
}

/// Nobody better than another.
fn alike() -> RunResults {
    let mut run = lenient();
    for name in ["ring", "jump", "rendezvous"] {
        set(&mut run, name, EVENNESS, 1.1);
        for metric in [MOVED, "movement.sideways", "work.lookup", "memory.derived_bytes"] {
            set(&mut run, name, metric, 0.2);
        }
    }
    run
}

#[test]
fn of_those_that_are_alike_the_simplest_is_taken() {
    let said = recommended(&alike());
    assert_eq!((said.contender.as_str(), said.upkeep), ("rendezvous", Upkeep::Members));
    let others = said.alternatives.iter().map(|other| (other.contender.as_str(), other.upkeep));
    assert!(others.eq([("ring", Upkeep::Members), ("jump", Upkeep::Numbers)]));
    assert!(said.alternatives.iter().all(|one| one.better.is_empty() && one.worse.is_empty()));
    assert!(said.outdone.is_empty());
}

#[test]
fn points_of_a_ring_are_a_table() {
    let run = lenient();
    let upkeep = run.contenders.iter().take(3).map(|contender| Upkeep::of(contender, &run));
    assert!(upkeep.eq([Upkeep::Table, Upkeep::Numbers, Upkeep::Members]));
}

#[test]
fn who_is_outdone_is_set_aside() {
    let mut run = alike();
    set(&mut run, "ring", EVENNESS, 0.9);
    let said = recommended(&run);
    assert_eq!(said.contender, "ring");
    assert!(said.alternatives.is_empty());
    let outdone = said.outdone.iter().map(|one| (one.contender.as_str(), one.by.as_str()));
    assert!(outdone.eq([("rendezvous", "ring"), ("jump", "ring")]));
    assert_eq!(said.outdone[0].at, ["load.max_over_mean at most 9"]);
}

#[test]
fn ranges_that_meet_set_nobody_aside() {
    let mut run = alike();
    set(&mut run, "ring", EVENNESS, 0.9);
    for contender in run.contenders.iter_mut().filter(|one| one.name == "ring") {
        for step in &mut contender.timelines[0].steps {
            step.metrics.get_mut(EVENNESS).unwrap().high = 1.06;
        }
    }
    assert_eq!(recommended(&run).contender, "rendezvous");
}

#[test]
fn a_trade_is_said_and_left_to_simplicity() {
    let mut run = alike();
    set(&mut run, "ring", EVENNESS, 0.9);
    set(&mut run, "ring", MOVED, 0.3);
    let said = recommended(&run);
    assert_eq!(said.contender, "rendezvous");
    let ring = &said.alternatives[0];
    assert_eq!(ring.better, ["load.max_over_mean at most 9"]);
    assert_eq!(ring.worse, ["movement.moved at most 1"]);
}

/// Better by what is required, at a price that nothing was said of: that is a trade too.
#[test]
fn nobody_is_outdone_for_a_price() {
    let mut run = alike();
    set(&mut run, "ring", EVENNESS, 0.9);
    set(&mut run, "ring", "memory.derived_bytes", 2_000.0);
    let said = recommended(&run);
    assert_eq!((said.contender.as_str(), said.outdone.len()), ("rendezvous", 0));
    assert_eq!(said.alternatives[0].worse, ["memory.derived_bytes"]);
}

/// Fewer steps for the same upkeep are a reason, fewer steps for more upkeep are a trade.
#[test]
fn at_no_more_upkeep_a_price_is_enough() {
    let mut run = alike();
    set(&mut run, "ring", "work.lookup", 0.1);
    let said = recommended(&run);
    assert_eq!(said.contender, "ring");
    let outdone = said.outdone.iter().map(|one| (one.contender.as_str(), one.at.join(",")));
    assert!(outdone.eq(["rendezvous", "jump"].map(|name| (name, "work.lookup".into()))));
    let mut run = alike();
    set(&mut run, "jump", "work.lookup", 0.1);
    let said = recommended(&run);
    assert_eq!((said.contender.as_str(), said.outdone.len()), ("rendezvous", 0));
    assert_eq!(said.alternatives[1].better, ["work.lookup"]);
}

#[test]
fn few_seeds_put_nobody_in_an_order() {
    let mut run = alike();
    set(&mut run, "ring", EVENNESS, 0.9);
    run.seeds = 9;
    assert_eq!(recommended(&run).contender, "rendezvous");
}

/// Each outdoes the next: ranges that meet in part can be like that.
#[test]
fn a_circle_sets_nobody_aside() {
    let all = require(EVENNESS, 9.0) + &require(MOVED, 1.0) + &require("work.lookup", 99.0);
    let mut run = results(&all);
    for name in ["ring", "jump", "rendezvous"] {
        set(&mut run, name, "memory.derived_bytes", 1.0);
    }
    let names = ["ring", "jump", "rendezvous"];
    for (turn, metric) in [EVENNESS, MOVED, "work.lookup"].into_iter().enumerate() {
        // The first is clearly better than the second alone; the third meets both.
        for (place, median) in [(0, 0.50), (1, 0.56), (2, 0.53)] {
            set(&mut run, names[(turn + place) % 3], metric, median);
        }
    }
    let said = recommended(&run);
    assert!(said.outdone.is_empty() && said.alternatives.len() == 2);
    assert_eq!(said.contender, "rendezvous");
}

#[test]
fn without_requirements_nothing_is_recommended() {
    let run = results("");
    assert_eq!((verdict(&run, None).recommendation, &run.outlook), (None, &None));
    assert_eq!(verdict(&run, None).suitable.len(), 3);
    // Nor is anybody who falls short.
    let strict = results(&require(EVENNESS, 0.5));
    assert_eq!(verdict(&strict, None).recommendation, None);
}

#[test]
fn capabilities_that_follow_can_be_required() {
    for (capability, suitable) in [
        ("numbered-range", vec!["jump"]),
        ("replicas", vec!["ring", "jump", "rendezvous"]),
        ("independent-weights", vec!["ring"]),
        ("chosen-owners", vec![]),
        ("constant-lookup", vec!["ring"]),
        ("weights", vec!["ring"]),
    ] {
        let run = results(&format!("[[require]]\ncapability = \"{capability}\"\n"));
        assert_eq!(verdict(&run, None).suitable, suitable, "{capability}");
    }
}

fn fleet(run: &RunResults, nodes: u32, ratio: u32) -> &OutlookFleet {
    let others = &run.outlook.as_ref().unwrap().others;
    others.iter().find(|fleet| (fleet.nodes, fleet.ratio) == (nodes, ratio)).unwrap()
}

#[test]
fn other_fleets_may_give_other_answers() {
    let run = results(&(require("work.lookup", 10.0) + &require("time.lookup_ns", 1.0)));
    let outlook = run.outlook.as_ref().unwrap();
    assert_eq!((outlook.seeds, outlook.own.nodes, outlook.own.keys), (3, 6, 6_000));
    assert_eq!(outlook.requirements, ["work.lookup at most 10"], "times are not looked at");
    assert_eq!(outlook.own.suitable, ["ring", "jump", "rendezvous"]);
    let large = fleet(&run, 30, 1);
    assert_eq!((large.keys, &large.suitable), (30_000, &vec!["ring".into(), "jump".into()]));
    assert_eq!(large.missed["rendezvous"], "work.lookup at most 10");
    assert_eq!(fleet(&run, 3, 1).suitable.len(), 3);
    let heavy = fleet(&run, 6, 2);
    assert_eq!(heavy.suitable, ["ring"], "the others know no weights");
    assert!(heavy.missed["jump"].contains("weights"), "{}", heavy.missed["jump"]);
}

#[test]
fn the_sweep_costs_a_fraction_of_the_run() {
    // A contest in which every node takes part: twenty times the fleet is dearer than the run.
    let text = "schema = 1\ntitle = \"t\"\nalgorithms = [\"rendezvous\"]\ncanaries = false\n\
                [[require]]\nmetric = \"work.lookup\"\nmax = 99\n\
                [keys]\nsource = \"uniform\"\ncount = 50000\n[fleet]\nnodes = 60\n\
                [[timeline]]\nname = \"one\"\n[[timeline.event]]\nlabel = \"go\"\nshrink = 59\n";
    let prepared = parse("t.toml", text, Path::new("."), &REGISTRY).unwrap();
    let source = KeySource::open(&prepared.scenario.keys).unwrap();
    let run = run(&prepared, &source, "", Settings::default(), &Unwatched).unwrap();
    let nodes = run.outlook.unwrap().others.into_iter().map(|fleet| fleet.nodes);
    assert!(nodes.eq([30, 60, 60]), "no larger fleet");
}

/// The memory of the run was looked at before it, that of twenty times the fleet was not.
#[test]
fn the_sweep_makes_no_huge_fleet() {
    let text = "schema = 1\ntitle = \"t\"\nalgorithms = [\"maglev\"]\ncanaries = false\n\
                [[require]]\nmetric = \"work.lookup\"\nmax = 99\n\
                [keys]\nsource = \"uniform\"\ncount = 6000\n[fleet]\nnodes = 6000\n";
    let prepared = parse("t.toml", text, Path::new("."), &REGISTRY).unwrap();
    let source = KeySource::open(&prepared.scenario.keys).unwrap();
    let run = run(&prepared, &source, "", Settings::default(), &Unwatched).unwrap();
    let fleets = run.outlook.unwrap().others.into_iter().map(|fleet| (fleet.nodes, fleet.ratio));
    assert!(fleets.eq([(3_000, 1), (12_000, 1), (6_000, 2)]));
}
