//! Two runs compared, as a page, as Markdown and in sentences: complete, and safe to open.

mod fixture;

use placelab_report::{
    Artifact, COMPARISON_MARK, comparison, comparison_findings, comparison_markdown,
};
use placelab_results::{Measured, Refusal, Run, RunResults, Timings, compare};

/// Page, Markdown and sentences; the page and the Markdown are left where they can be looked at.
fn drawn(name: &str, before: Run, after: Run) -> [String; 3] {
    let compared = compare(before, after);
    let page = comparison(&compared);
    let markdown = comparison_markdown(&compared);
    let file = |name: &str, text: &String| Artifact {
        name: name.into(),
        bytes: text.clone().into_bytes(),
    };
    fixture::keep(name, &[file("index.html", &page), file("summary.md", &markdown)]);
    [page, markdown, comparison_findings(&compared).join("\n")]
}

fn untimed(results: &RunResults) -> Run<'_> {
    Run { results, timings: None }
}

fn timed<'a>(results: &'a RunResults, timings: &'a Timings) -> Run<'a> {
    Run { results, timings: Some(timings) }
}

/// Every figure of a contender becomes what `change` makes of it.
fn change_figures(
    results: &mut RunResults,
    contender: usize,
    change: impl Fn(&str, &mut Measured),
) {
    for timeline in &mut results.contenders[contender].timelines {
        for step in &mut timeline.steps {
            step.metrics.iter_mut().for_each(|(id, measured)| change(id, measured));
        }
    }
}

/// A run after which jump can more, modulo moves less, `ring` balances better, moves more and is
/// slower, and `rendezvous` is refused.
fn changed() -> (RunResults, Timings) {
    let mut after = fixture::growing();
    change_figures(&mut after, 1, |id, measured| {
        let times = match id {
            "load.max_over_mean" => 0.8,
            "movement.moved" => 2.0,
            _ => return,
        };
        for value in [&mut measured.median, &mut measured.low, &mut measured.high] {
            *value *= times;
        }
    });
    after.contenders[3].timelines[1].refusal =
        Some(Refusal { step: 2, capability: None, reason: "not supported".into() });
    after.contenders[0].capabilities.push("remove-any".into());
    change_figures(&mut after, 5, |id, measured| {
        if id == "movement.sideways" {
            *measured = Measured::over_seeds(&[0.0], None);
        }
    });
    after.contenders[4].name = "maglev:size=101".into();
    let modulo = after.contenders.remove(5);
    after.contenders.insert(0, modulo);
    after.expectations[0].met = false;
    after.requirements[0].max = Some(1.3);
    let mut timings = fixture::timings();
    for lookup in timings.lookups.iter_mut().filter(|lookup| lookup.contender == "ring") {
        for value in [&mut lookup.batch_ns.median, &mut lookup.batch_ns.least] {
            *value *= 2.0;
        }
        lookup.batch_ns.largest *= 2.0;
    }
    (after, timings)
}

#[test]
fn a_run_beside_itself_changed_nothing() {
    let timings = fixture::timings();
    for results in [
        fixture::growing(),
        fixture::failing(),
        fixture::replicated(),
        fixture::few_keys(),
        fixture::failures(),
        fixture::tables(),
    ] {
        let run = timed(&results, &timings);
        let [page, markdown, said] = drawn("comparison-of-one", run, run);
        for text in [&page, &markdown, &said] {
            assert!(text.contains("Nothing changed: both runs have the same results."));
            assert!(text.contains("0 of 110 times lie apart"), "{said}");
            assert!(!text.contains("Figures beyond") && !text.contains("The question is the same"));
        }
    }
}

#[test]
fn what_changed_is_said_once_and_everywhere() {
    let before = fixture::growing();
    let timings = fixture::timings();
    let (after, slower) = changed();
    let [page, markdown, said] =
        drawn("comparison", timed(&before, &timings), timed(&after, &slower));
    for says in [
        "Now suitable: jump; no longer: rendezvous; still: ring. Of 84 figures, 2 are better \
         and 1 is worse",
        " 1 of them of canaries or exhibits.",
        "jump is suitable now, and was not.",
        "jump: “can remove-any” was not met and is met.",
        "modulo (canary): “moved without a reason at most 0 %” was not met (60.0 %) \
         and is met (0 %).",
        "rendezvous is suitable no longer",
        "rendezvous is refused now (add two: not supported).",
        "The expectation “movement.sideways at most 0 for rendezvous, ring*” held and does not now",
        "Largest load: better for ring (",
        "Moved: worse for ring (",
        "Batch lookup, 1,000 nodes: slower for ring (",
        "4 of 110 times lie apart",
    ] {
        assert!(said.contains(says), "{says} in {said}");
    }
    let at = |says: &str| said.find(says).expect(says);
    assert!(at("Largest load: better for ring") < at("Moved without a reason: better for modulo"));
    for says in ["What changed in the question", "at most 1.25", "at most 1.3", "maglev:size=101"] {
        assert!(page.contains(says) && markdown.contains(says), "{says}");
    }
    assert!(page[..1_024].contains(COMPARISON_MARK));
    for banned in ["<script", "<link", "<img", "http:", "https:", "url(", "@import"] {
        assert!(!page.contains(banned), "{banned}");
    }
    let again = drawn("comparison", timed(&before, &timings), timed(&after, &slower));
    assert_eq!([page, markdown, said], again, "the same runs, the same bytes");
}

#[test]
fn few_seeds_and_other_machines_are_said() {
    let before = fixture::growing();
    let (mut after, mut timings) = changed();
    after.seeds = 3;
    timings.machine.cpu = "another".into();
    let times = fixture::timings();
    let [page, markdown, said] =
        drawn("comparison-without-order", timed(&before, &times), timed(&after, &timings));
    for says in [
        "figures lie apart; no order is claimed.",
        "No order is claimed: 3 hash seeds of 10 at least say too little of luck.",
        "Times are not compared, since they are of different machines or builds: processor",
        "Largest load: different for ring (",
    ] {
        assert!(said.contains(says), "{says} in {said}");
    }
    assert!(!page.contains("✓ better") && !markdown.contains("✓ better"));
    let [.., said] = drawn("comparison-half-timed", untimed(&before), timed(&after, &timings));
    assert!(said.contains("only the run after has some"), "{said}");
}

#[test]
fn questions_with_nothing_in_common_are_compared_all_the_same() {
    let (before, after) = (fixture::growing(), fixture::replicated());
    let [_, markdown, said] = drawn("comparison-of-strangers", untimed(&before), untimed(&after));
    assert!(said.contains("The events differ"), "{said}");
    assert!(markdown.contains("| figure | – | replica.changed |"), "{markdown}");
    let mut nobody = fixture::growing();
    nobody.contenders.clear();
    let [.., said] = drawn("comparison-with-nobody", untimed(&nobody), untimed(&after));
    assert!(said.contains("No figure is in both runs."), "{said}");
    nobody.plan.clear();
    drawn("comparison-with-nothing", untimed(&nobody), untimed(&nobody));
}

#[test]
fn names_are_text() {
    let bad = "<script>alert(1)</script>|`*_\u{202e}\u{1b}[31m\n\"'&";
    let mut before = fixture::failing();
    let (mut after, mut timings) = changed();
    for results in [&mut before, &mut after] {
        results.contenders.iter_mut().for_each(|contender| contender.name += bad);
        results.expectations.iter_mut().for_each(|one| one.text += bad);
    }
    after.scenario.title = bad.into();
    after.scenario.name = bad.into();
    after.version = bad.into();
    after.keys.source = bad.repeat(1_000);
    after.plan[0].name = bad.into();
    after.plan[0].steps[1].label = bad.into();
    after.contenders[0].parameters.insert(bad.into(), bad.into());
    timings.lookups.iter_mut().for_each(|lookup| lookup.contender += bad);
    let mut slower = timings.clone();
    slower.lookups.iter_mut().for_each(|lookup| lookup.batch_ns = slow(lookup.batch_ns.median));
    let runs = (timed(&before, &timings), timed(&after, &slower));
    let [page, markdown, said] = drawn("hostile-comparison", runs.0, runs.1);
    assert!(page.contains("&lt;script&gt;alert(1)"));
    for text in [&page, &markdown] {
        assert!(!text.contains("<script"));
    }
    for text in [&page, &markdown, &said] {
        let is_unfit = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!text.contains(is_unfit), "{:?}", text.chars().find(|c| is_unfit(*c)));
    }
    for line in markdown.lines().filter(|line| line.starts_with("| ")) {
        assert!(line.ends_with(" |"), "a broken row: {line}");
    }
}

fn slow(ns: f64) -> placelab_results::Rounds {
    let median = 10.0 * ns + 9.0;
    placelab_results::Rounds { median, least: median, largest: median, ..Default::default() }
}

#[test]
fn figures_that_are_no_numbers_leave_gaps() {
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e300, 1e300, 0.0] {
        let before = fixture::growing();
        let (mut after, mut timings) = changed();
        for contender in 0..after.contenders.len() {
            change_figures(&mut after, contender, |_, measured| {
                *measured = Measured::over_seeds(&[odd], None);
            });
        }
        after.plan[0].steps[1].minimum = odd;
        timings.lookups.iter_mut().for_each(|lookup| lookup.batch_ns.median = odd);
        let times = fixture::timings();
        let texts = drawn("odd-comparison", timed(&before, &times), timed(&after, &timings));
        for text in texts {
            assert!(!text.contains("NaN ") && !text.contains("NaN<"), "{odd}");
        }
    }
}
