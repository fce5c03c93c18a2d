//! Odd and hostile results: a report all the same, and nothing in it that acts.

mod fixture;

use std::collections::BTreeMap;

use placelab_report::render;
use placelab_results::{
    Chance, FailureAnswer, IdealRisks, Measured, Refusal, Rounds, RunResults, Timings,
};

/// Renders and gives page and summary; a panic or an error fails the test.
fn texts(name: &str, results: &RunResults, timings: Option<&Timings>) -> (String, String) {
    let artifacts = render(results, timings).expect("a report");
    fixture::keep(name, &artifacts);
    for artifact in &artifacts[2..] {
        let is_picture = artifact.bytes.starts_with(b"\x89PNG\r\n\x1a\n");
        assert_eq!(is_picture, !artifact.name.ends_with(".csv"), "{}", artifact.name);
    }
    let text = |index: usize| String::from_utf8(artifacts[index].bytes.clone()).expect("UTF-8");
    (text(0), text(1))
}

/// Every figure of every step becomes what `change` makes of it.
fn change_figures(results: &mut RunResults, change: impl Fn(&mut Measured)) {
    for contender in &mut results.contenders {
        for timeline in &mut contender.timelines {
            for step in &mut timeline.steps {
                step.metrics.values_mut().for_each(&change);
            }
        }
    }
}

#[test]
fn names_are_text() {
    let bad = "<script>alert(1)</script>|`*_\u{202e}\u{1b}[31m\n\"'&";
    let mut results = fixture::failures();
    results.failures.as_mut().expect("a question").measure = bad.into();
    results.scenario.title = bad.into();
    results.scenario.why = bad.into();
    results.scenario.command = bad.into();
    results.scenario.sha256 = bad.into();
    results.keys.source = bad.into();
    results.plan[0].name = bad.into();
    for step in &mut results.plan[0].steps {
        step.label = bad.into();
        step.changes = bad.into();
    }
    for contender in &mut results.contenders {
        contender.name = format!("{}{bad}", contender.name);
        contender.citation = bad.into();
        if let Some(FailureAnswer::Refused { refusal }) = &mut contender.failures {
            *refusal = bad.into();
        }
        contender.parameters = BTreeMap::from([(bad.to_string(), bad.to_string())]);
        for step in &mut contender.timelines[0].steps {
            step.nodes.iter_mut().for_each(|node| node.name += bad);
            step.flows.iter_mut().for_each(|flow| flow.source += bad);
            if let Some(failure) = &mut step.failure {
                failure.gone[0] = bad.into();
                failure.extra[0].0 = bad.into();
            }
        }
    }
    results.expectations[0].failures = vec![bad.into()];
    let mut timings = fixture::timings();
    timings.machine.cpu = bad.into();
    timings.lookups.iter_mut().for_each(|lookup| lookup.contender += bad);
    timings.updates.iter_mut().for_each(|update| update.contender += bad);
    let (page, summary) = texts("names-are-text", &results, Some(&timings));
    assert!(page.contains("&lt;script&gt;alert(1)"));
    // The page has one of its own.
    assert_eq!((page.matches("<script").count(), summary.matches("<script").count()), (1, 0));
    for text in [&page, &summary] {
        let is_unfit = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!text.contains(is_unfit), "{:?}", text.chars().find(|c| is_unfit(*c)));
    }
    for line in summary.lines().filter(|line| line.starts_with("| ")) {
        assert!(line.ends_with(" |"), "a broken row: {line}");
    }
}

#[test]
fn long_names_fit() {
    let mut results = fixture::growing();
    let long = "w".repeat(255);
    for (index, contender) in results.contenders.iter_mut().enumerate() {
        contender.name = format!("{index}{}", &long[2..]);
    }
    for timeline in &mut results.plan {
        timeline.name = long.clone();
        timeline.steps.iter_mut().for_each(|step| step.label = long.clone());
    }
    let (page, _) = texts("long-names-fit", &results, None);
    assert!(page.contains("…"));
}

#[test]
fn nothing_to_show_is_said() {
    let mut results = fixture::growing();
    results.contenders.clear();
    let (page, _) = texts("nothing-to-show-is-said", &results, None);
    assert!(page.contains("the run has no contenders"));
    assert!(!page.contains("<figure"));

    results.plan.clear();
    results.keys.count = 0;
    results.seeds = 0;
    texts("nothing-to-show-is-said", &results, Some(&fixture::timings()));
}

#[test]
fn timelines_without_steps_leave_gaps() {
    let mut results = fixture::growing();
    for contender in &mut results.contenders {
        contender.timelines.iter_mut().for_each(|timeline| timeline.steps.clear());
    }
    let (page, _) = texts("timelines-without-steps-leave-gaps", &results, None);
    assert!(page.contains("No contender meets every requirement"));

    results.contenders[0].timelines.clear();
    results.plan[0].steps.clear();
    texts("timelines-without-steps-leave-gaps", &results, Some(&fixture::timings()));
}

#[test]
fn refusals_at_the_start_are_named() {
    let mut results = fixture::growing();
    for contender in &mut results.contenders {
        for timeline in &mut contender.timelines {
            timeline.steps.clear();
            let reason = "table of 7 slots: 20 nodes asked for".to_string();
            timeline.refusal = Some(Refusal { step: 0, capability: None, reason });
        }
    }
    let (page, summary) = texts("refusals-at-the-start-are-named", &results, None);
    assert!(
        page.contains("ideal (canary) cannot do “start”") && summary.contains("table of 7 slots")
    );
}

#[test]
fn figures_that_are_no_numbers_leave_gaps() {
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e300, 1e300, 0.0] {
        let mut results = fixture::failing();
        change_figures(&mut results, |measured| {
            *measured = Measured::over_seeds(&[odd], measured.chance);
            if let Some(chance) = &mut measured.chance {
                (chance.low, chance.mean, chance.high) = (odd, odd, odd);
            }
        });
        for contender in &mut results.contenders {
            for step in &mut contender.timelines[0].steps {
                for node in &mut step.nodes {
                    node.share = Some(odd);
                    node.load.values_mut().for_each(|load| load.first = odd);
                }
                if let Some(failure) = &mut step.failure {
                    failure.extra.iter_mut().for_each(|extra| extra.1 = odd);
                }
            }
        }
        results.keys.largest_request_share = Some(odd);
        results.plan[0].steps.iter_mut().for_each(|step| step.minimum = odd);
        let mut timings = fixture::timings();
        for lookup in &mut timings.lookups {
            let times =
                Rounds { median: odd, least: odd, largest: odd, floor: odd, aa_spread: odd };
            (lookup.batch_ns, lookup.dependent_ns) = (times, times);
        }
        timings.percentiles.iter_mut().for_each(|time| time.dependent_ns = [odd; 5]);
        for update in &mut timings.updates {
            update.build_us.median = odd;
            update.apply_us = Some(Rounds { median: odd, least: -odd, ..update.build_us });
        }
        let (page, summary) =
            texts("figures-that-are-no-numbers-leave-gaps", &results, Some(&timings));
        for text in [page, summary] {
            assert!(!text.contains("NaN"), "{odd}");
        }
    }
}

#[test]
fn odd_flows_leave_gaps() {
    let mut results = fixture::growing();
    results.keys.count = 1;
    results.keys.bytes = Some(u64::MAX);
    let flow = results.contenders[0].timelines[0].steps[1].flows[0].clone();
    for contender in &mut results.contenders {
        let step = &mut contender.timelines[0].steps[1];
        let odd = |node: usize| {
            let mut flow = flow.clone();
            (flow.source, flow.destination) = ("w".repeat(node % 300), format!("{node}\u{202e}"));
            (flow.keys, flow.forced) = (u64::MAX - node as u64, node.is_multiple_of(2));
            flow
        };
        step.flows = (0..100_000).map(odd).collect();
        step.flows_omitted = u64::MAX;
        contender.timelines[0].totals.clear();
        contender.timelines[1].steps.truncate(2);
        contender.timelines[1].totals.clear();
    }
    let (page, summary) = texts("odd-flows-leave-gaps", &results, None);
    assert!(page.contains("id=\"flows\"") && page.contains("in groups of 1,673"));
    assert!(!page.contains("NaN") && !summary.contains("NaN") && !page.contains('\u{202e}'));
}

#[test]
fn odd_copies_leave_gaps() {
    for odd in [f64::NAN, -1.0, 1e300] {
        let mut results = fixture::replicated();
        results.replicas = u32::MAX;
        change_figures(&mut results, |measured| *measured = Measured::over_seeds(&[odd], None));
        for (index, contender) in results.contenders.iter_mut().enumerate() {
            contender.name = format!("<b>{index}{}", "w".repeat(200));
        }
        let (page, summary) = texts("odd-copies-leave-gaps", &results, None);
        assert!(!page.contains("<b>") && !page.contains("NaN") && !summary.contains("NaN"));
    }
}

#[test]
fn odd_tables_leave_gaps() {
    for odd in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300] {
        let mut results = fixture::tables();
        change_figures(&mut results, |measured| *measured = Measured::over_seeds(&[odd], None));
        results.contenders.iter_mut().for_each(|one| one.name = format!("<b>{}", one.name));
        results.plan.iter_mut().for_each(|timeline| timeline.steps.truncate(2));
        let (page, summary) = texts("odd-tables-leave-gaps", &results, None);
        assert!(!page.contains("<b>") && !page.contains("NaN") && !summary.contains("NaN"));
    }
}

#[test]
fn odd_floors_leave_gaps() {
    let odd_chance = |odd: f64| Chance { mean: odd, low: -odd, high: odd };
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e300, 1e300, f64::MAX, 0.0] {
        let mut results = fixture::few_keys();
        let few = results.few_keys.as_mut().expect("a floor");
        (few.timeline, few.step) = (usize::MAX, usize::MAX);
        (few.nodes, few.keys) = (if odd == 0.0 { 0 } else { u32::MAX }, u64::MAX);
        (few.idle, few.idle_probability, few.table_max_over_mean) = (odd, odd, odd);
        (few.max_over_mean, few.min_over_mean) = (odd_chance(odd), odd_chance(odd));
        (few.max_keys, few.min_keys) = (Some(odd_chance(odd)), None);
        few.table_max_keys = Some(u64::MAX);
        few.on_curve = vec![vec![Some(0), Some(u32::MAX), None], vec![], vec![Some(3); 9]];
        few.curve.reverse();
        few.curve[2].nodes = u32::MAX;
        few.curve[3].nodes = 0;
        few.curve[4].table = odd;
        few.curve[5].max_over_mean = odd_chance(odd);
        few.curve[6].max_over_mean.high = odd;
        let (page, summary) = texts("odd-floors-leave-gaps", &results, None);
        for text in [page, summary] {
            assert!(!text.contains("NaN") && !text.contains("inf "), "{odd}");
        }
        let few = results.few_keys.as_mut().expect("a floor");
        few.curve.truncate(1);
        few.keys = 0;
        let (page, _) = texts("floors-without-a-curve", &results, None);
        assert!(!page.contains("id=\"quantisation\""));
    }
}

#[test]
fn odd_failures_leave_gaps() {
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e300, 1e300, f64::MAX, 0.0] {
        let mut results = fixture::failures();
        let question = results.failures.as_mut().expect("a question");
        (question.nodes, question.down, question.capacity) = (0, u32::MAX, Some(odd));
        question.ideal = Some(IdealRisks { partners: odd, all_lost: odd, quorum_lost: odd });
        for contender in &mut results.contenders {
            let Some(FailureAnswer::Found(of)) = &mut contender.failures else { continue };
            (of.max_over_mean, of.partners, of.overloaded) = (odd, -odd, u64::MAX);
            of.all_lost.probability = odd;
            (of.quorum_lost.low, of.quorum_lost.high) = (Some(odd), Some(-odd));
            for kind in [&mut of.single, &mut of.pair].into_iter().flatten() {
                (kind.headroom, kind.fair_after, kind.survivors) = (odd, odd, odd);
                kind.own_headroom = Some(odd);
            }
            let cascade = of.cascade.as_mut().expect("a cascade");
            (cascade.spreading, cascade.lost, cascade.spread) = (odd, odd, u64::MAX);
        }
        let (page, summary) = texts("odd-failures-leave-gaps", &results, None);
        for text in [page, summary] {
            assert!(!text.contains("NaN") && !text.contains("inf "), "{odd}");
        }
        results.contenders.iter_mut().for_each(|contender| contender.failures = None);
        let (page, _) = texts("failures-of-nobody", &results, None);
        assert!(!page.contains("no failure of one overloads"), "nobody was looked at");
    }
}

#[test]
fn one_seed_claims_no_order() {
    let mut results = fixture::growing();
    results.seeds = 1;
    results.requirements.clear();
    change_figures(&mut results, |measured| {
        let value = measured.median;
        *measured = Measured::over_seeds(&[value], measured.chance);
    });
    let (page, _) = texts("one-seed-claims-no-order", &results, None);
    assert!(page.contains("No order is claimed: 1 hash seed of 10 at least"));
    assert!(!page.contains("least for"));
}

#[test]
fn many_contenders_and_nodes_fit() {
    let mut results = fixture::growing();
    let ring = results.contenders[1].clone();
    for vnodes in 0..40 {
        let mut other = ring.clone();
        other.name = format!("ring:vnodes={vnodes}");
        results.contenders.insert(1, other);
    }
    for contender in &mut results.contenders {
        for step in contender.timelines.iter_mut().flat_map(|timeline| &mut timeline.steps) {
            let node = step.nodes[0].clone();
            step.nodes = (0..300)
                .map(|index| {
                    let mut node = node.clone();
                    node.name = format!("node-{index}");
                    node
                })
                .collect();
        }
    }
    let (page, _) = texts("many-contenders-and-nodes-fit", &results, None);
    assert!(page.contains("shows 24 of 47 contenders"));

    for contender in &mut results.contenders {
        for step in contender.timelines.iter_mut().flat_map(|timeline| &mut timeline.steps) {
            step.nodes.clear();
        }
    }
    let (page, _) = texts("fleets-without-nodes", &results, None);
    assert!(page.contains("medians over the seeds") && page.contains("fullest node, median"));
}

#[test]
fn long_plans_fit() {
    let mut results = fixture::growing();
    let planned = results.plan[1].steps[1].clone();
    results.plan[1].steps.extend(std::iter::repeat_n(planned, 70));
    for contender in &mut results.contenders {
        let taken = contender.timelines[1].steps[1].clone();
        contender.timelines[1].steps.extend(std::iter::repeat_n(taken, 70));
    }
    let (page, _) = texts("long-plans-fit", &results, None);
    assert!(page.contains("more rows left out"));
}

/// More than a run lists, with names that are nobody's: a page that opens, and data that is whole.
#[test]
fn a_hundred_thousand_nodes_fit() {
    const NODES: usize = 100_000;
    let mut results = fixture::growing();
    results.contenders.truncate(2);
    for contender in &mut results.contenders {
        for timeline in &mut contender.timelines {
            let step = timeline.steps.last_mut().expect("a step");
            let node = step.nodes[0].clone();
            let named = |index: usize| {
                let mut node = node.clone();
                node.name = format!("<i>{}", index / 2);
                node.weight = ["1", "2"][index % 2].into();
                node
            };
            step.nodes = (0..NODES).map(named).collect();
        }
    }
    let artifacts = render(&results, None).expect("a report");
    let bytes = |name: &str| &artifacts.iter().find(|one| one.name == name).expect(name).bytes;
    assert!(bytes("index.html").len() < 1_000_000, "{} bytes", bytes("index.html").len());
    let lines = bytes("balance.csv").iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(lines, 1 + NODES / 2, "a row for each name");
}
