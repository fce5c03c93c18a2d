//! The report of ordinary results: complete, the same each time, and safe to open.

#[path = "report/charts.rs"]
mod charts;
#[path = "report/decision.rs"]
mod decision;
#[path = "report/files.rs"]
mod files;
mod fixture;
#[path = "report/page.rs"]
mod page;
#[path = "report/times.rs"]
mod times;

use placelab_report::{Artifact, render};
use placelab_results::{Measured, RunResults, Timings};

/// The text of a file, with ordinary spaces where the page has some at which no line ends.
fn text(artifacts: &[Artifact], name: &str) -> String {
    let artifact = artifacts.iter().find(|artifact| artifact.name == name).expect(name);
    String::from_utf8(artifact.bytes.clone()).expect("UTF-8").replace('\u{a0}', " ")
}

/// Renders and leaves the files where they can be looked at.
fn rendered(name: &str, results: &RunResults, timings: Option<&Timings>) -> Vec<Artifact> {
    let artifacts = render(results, timings).expect("a report");
    fixture::keep(name, &artifacts);
    artifacts
}

#[test]
fn a_report_is_the_same_each_time() {
    let (results, timings) = (fixture::growing(), fixture::timings());
    let first = rendered("growing", &results, Some(&timings));
    assert!(first == render(&results, Some(&timings)).unwrap());
}

#[test]
fn a_report_is_drawn_from_json_alone() {
    let (results, timings) = (fixture::failing(), fixture::timings());
    let read: RunResults = serde_json::from_str(&serde_json::to_string(&results).unwrap()).unwrap();
    let read_timings: Timings =
        serde_json::from_str(&serde_json::to_string(&timings).unwrap()).unwrap();
    // Not `assert_eq`: megabytes of pictures in a message help nobody.
    assert!(
        render(&results, Some(&timings)).unwrap() == render(&read, Some(&read_timings)).unwrap()
    );
}

#[test]
fn what_chance_explains_is_called_so() {
    let mut results = fixture::growing();
    results.contenders.retain(|contender| contender.name == "rendezvous" || !contender.is_rival());
    results.requirements.clear();
    let page = text(&rendered("chance", &results, None), "index.html");
    assert!(page.contains(
        "For no contender does the fullest node of the whole range (5–95 % of the seeds) lie above"
    ));
    assert!(page.contains("of chance at any step."));
    assert!(page.contains("rendezvous takes every step."));
}

#[test]
fn every_chart_has_a_picture_a_caption_and_its_data() {
    let artifacts = rendered("failing", &fixture::failing(), Some(&fixture::timings()));
    let page = text(&artifacts, "index.html");
    let names = [
        "pareto",
        "balance",
        "balance-requests",
        "skew",
        "movement",
        "timeline",
        "flows",
        "transfer",
        "peak",
        "failure",
        "cost",
        "latency",
        "percentiles",
        "crossover",
    ];
    for name in names {
        let picture = artifacts.iter().find(|artifact| artifact.name == format!("{name}.png"));
        assert!(picture.expect(name).bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
        let start = page.find(&format!("<figure id=\"{name}\">")).expect(name);
        let figure = &page[start..start + page[start..].find("</figure>").expect(name)];
        for part in ["role=\"img\"", "<title ", "<desc ", "<figcaption>", "<details>"] {
            assert!(figure.contains(part), "{name} has no {part}");
        }
        assert!(!figure.contains("<figcaption></figcaption>"), "{name} finds nothing");
        for ending in ["png", "csv"] {
            let link = format!("({name}.{ending})");
            assert!(text(&artifacts, "summary.md").contains(&link), "{link}");
        }
    }
    assert_eq!(artifacts.len(), 2 * names.len() + 3);
}

/// By requests the largest key is a floor of the fullest node.
#[test]
fn the_largest_key_is_drawn_as_a_floor() {
    let page = text(&rendered("floor", &fixture::growing(), None), "index.html");
    let start = page.find("<figure id=\"balance-requests\">").unwrap();
    let chart = &page[start..start + page[start..].find("</figure>").unwrap()];
    assert!(chart.contains("the largest key alone: no fullest node has less"));
    let strokes = chart.matches("<path").count() + chart.matches("<polyline").count();
    let mut without = fixture::growing();
    without.keys.largest_request_share = None;
    let page = text(&rendered("no-floor", &without, None), "index.html");
    assert!(!page.contains("the largest key alone:"));
    let start = page.find("<figure id=\"balance-requests\">").unwrap();
    let plain = &page[start..start + page[start..].find("</figure>").unwrap()];
    let fewer = plain.matches("<path").count() + plain.matches("<polyline").count();
    // Pieces of the legend and of a line in each row.
    assert!(strokes > fewer + 8, "{strokes} against {fewer}");
}

#[test]
fn copies_have_a_chart_a_column_and_a_meaning() {
    let results = fixture::replicated();
    let artifacts = rendered("replicated", &results, Some(&fixture::timings()));
    let page = text(&artifacts, "index.html");
    assert!(artifacts.iter().any(|artifact| artifact.name == "copies.png"));
    for part in [
        "8 contenders, 2 exhibits and 2 canaries compared over 100,000 keys",
        "3 copies of each key, a fleet of 11 to 13 nodes",
        "who watches owners alone misses those",
        "as erasure coding has to rebuild",
        "copies made<small>as a set, worst step",
        "to be looked at and not to be chosen: rendezvous-concat and naive-weights",
        "<dt>Exhibit</dt>",
        "<dt>Copies</dt>",
        "canaries and exhibits apart",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("Nothing here knows of replicas"));

    let page = text(&render(&fixture::growing(), None).unwrap(), "index.html");
    for part in ["copies", "xhibit"] {
        assert!(!page.contains(part), "{part}");
    }
}

#[test]
fn tables_stand_beside_the_best_hash() {
    let artifacts = rendered("tables", &fixture::tables(), None);
    assert!(artifacts.iter().any(|artifact| artifact.name == "tables.png"));
    let page = text(&artifacts, "index.html");
    let chart = page.split("<figure id=\"tables\">").nth(1).expect("the chart");
    for part in [
        "The best hash here,",
        "row by row under maglev (",
        " of 64 rows); all clients at once under ring:vnodes=1 (",
        "as it then has 65 rows",
        "A single row of 64, repointed, would move 1.6 % of the keys and be no fair share",
    ] {
        assert!(chart.contains(part), "{part}");
    }
    let page = text(&render(&fixture::growing(), None).unwrap(), "index.html");
    assert!(!page.contains("<figure id=\"tables\">"));
}

#[test]
fn failures_have_a_chart() {
    let results = fixture::failures();
    let json = serde_json::to_string(&results).unwrap();
    assert_eq!(serde_json::from_str::<RunResults>(&json).unwrap(), results);
    let artifacts = rendered("failures", &results, None);
    assert!(artifacts.iter().any(|artifact| artifact.name == "failures.png"));
    let page = text(&artifacts, "index.html");
    let start = page.find("<figure id=\"failures\">").unwrap();
    let chart = &page[start..start + page[start..].find("</figure>").unwrap()];
    for part in [
        "20 nodes, 3 copies of each key",
        "ring 1.10, rendezvous 1.10, maglev 1.10",
        "ring:vnodes=1 6.00; shared out by weight it would be 1.05.",
        "ring:vnodes=1 in 66.7 % of failures (3.50 nodes lost on average, 20 at most).",
        "Above capacity before anybody fails: ring:vnodes=1 1 node.",
        "ring:vnodes=1 25.0 %",
        "of an ideal hash 100.0 %",
        "Refused: jump (needs &lt;remove-any&gt;).",
        "25.0 % (20.0–30.0 %)",
        "no factor is enough",
        "20 of 400 and 20 of 400",
    ] {
        assert!(chart.contains(part), "{part} in {chart}");
    }
    let mut own = fixture::failures();
    own.failures.as_mut().unwrap().capacity = None;
    let page = text(&rendered("failures-own", &own, None), "index.html");
    assert!(page.contains("At their own capacities the failure of one overloads another node"));
    // With one copy there is no quorum to lose; without a question, no chart.
    let mut single = fixture::failures();
    single.failures.as_mut().unwrap().replicas = 1;
    let page = text(&rendered("failures-single", &single, None), "index.html");
    assert!(page.contains("id=\"failures\"") && !page.contains("loses a quorum of its copies"));
    let page = text(&rendered("failing", &fixture::failing(), None), "index.html");
    assert!(!page.contains("id=\"failures\""));
}

#[test]
fn unequal_weights_have_a_chart() {
    let mut results = fixture::growing();
    for contender in &mut results.contenders {
        for step in contender.timelines.iter_mut().flat_map(|timeline| &mut timeline.steps) {
            let (share, error) = match contender.name.as_str() {
                "ring" => (Some(1.123_456), Some(123_456.0)),
                "maglev" => (Some(1.000_000_25), Some(0.25)),
                _ => (None, None),
            };
            for (node, index) in step.nodes.iter_mut().zip(0..) {
                (node.share, node.weight) = (share, ["1", "1.25", "0"][index % 3].into());
            }
            let error = error.map(|error| Measured::over_seeds(&[error], None));
            step.metrics.extend(error.map(|error| ("share.error".into(), error)));
        }
    }
    let page = text(&rendered("weights", &results, None), "index.html");
    let start = page.find("<figure id=\"weights\">").unwrap();
    let chart = &page[start..start + page[start..].find("</figure>").unwrap()];
    for part in [
        "no node is off by 1 ppm under maglev.",
        "ring by 123,000 ppm (12.3 %) at “start”",
        "By measured loads, without exact shares:",
        "within the band of chance",
        "<details",
    ] {
        assert!(chart.contains(part), "{part}");
    }
    let equal = text(&rendered("equal", &fixture::growing(), None), "index.html");
    assert!(!equal.contains("id=\"weights\""));
}

#[test]
fn few_keys_come_first() {
    let mut results = fixture::few_keys();
    let artifacts = rendered("few-keys", &results, None);
    let page = text(&artifacts, "index.html");
    let summary = text(&artifacts, "summary.md");
    let floor = page.find("20 keys over 6 nodes at “add ten” are only 3.33 a node.").unwrap();
    assert!(floor < page.find("class=\"headline\"").unwrap());
    assert!(summary.find("20 keys over 6 nodes").unwrap() < summary.find("**").unwrap());
    for part in [
        "0.16 nodes idle on average (with a probability of 15.0 % some node is)",
        "its fullest node has 5.8 keys (5–95 %: 5–8), 1.74 × fair.",
        "No hash does better than chance here on average: only a table, which somebody keeps, or \
         at best a rule that looks at loads reaches \
         ⌈20 ÷ 6⌉ = 4 keys on the fullest node, 1.20 × fair.",
        "no hashes of the key: counts.",
        "<dt>Finite-key floor</dt>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("the key alone decides"));
    let first = page.find("<figure").unwrap();
    let chart = &page[first..first + page[first..].find("</figure>").unwrap()];
    assert!(chart.starts_with("<figure id=\"quantisation\">"));
    for part in [
        "Chance alone gives 1.74 × fair on average over 6 equal nodes, where a table reaches 1.20",
        "over 12 equal nodes, where a table reaches 1.20 × fair",
        "Medians measured at 6 nodes: counts 1.20 × fair, jump 1.79 × fair",
        "<details>",
    ] {
        assert!(chart.contains(part), "{part}");
    }

    // A function of the key that these keys happen to suit, weights, and copies.
    results.contenders[1].load_aware = false;
    results.replicas = 2;
    let few = results.few_keys.as_mut().unwrap();
    (few.max_keys, few.min_keys, few.table_max_keys) = (None, None, None);
    (few.idle, few.idle_probability) = (1e-7, 1e-7);
    few.on_curve[0][1] = None;
    let page = text(&rendered("few-keys-weighted", &results, None), "index.html");
    for part in [
        "are only 3.33 a node, counting owners alone.",
        "leaves no node idle but with a probability of &lt; 0.01 %",
        "its fullest node has 1.74 × fair (5–95 %: 1.30–2.48).",
        "reaches the 1.20 × fair that whole keys allow on the fullest node.",
        "although the key alone decides: counts.",
        "Fleets of unequal weights are not shown",
    ] {
        assert!(page.contains(part), "{part}");
    }

    let page = text(&render(&fixture::growing(), None).unwrap(), "index.html");
    assert!(!page.contains("quantisation") && !page.contains("Finite-key"));
}

#[test]
fn copies_that_stay_are_said_to() {
    let mut results = fixture::replicated();
    for contender in &mut results.contenders {
        for step in contender.timelines.iter_mut().flat_map(|timeline| &mut timeline.steps) {
            let still = placelab_results::Measured::over_seeds(&[0.0], None);
            step.metrics.values_mut().for_each(|measured| *measured = still);
        }
    }
    let page = text(&rendered("copies-that-stay", &results, None), "index.html");
    assert!(page.contains("every copy stays where it is, at any step or seed."));
}

#[test]
fn a_crossing_is_named_with_its_bounds() {
    let page = text(&render(&fixture::growing(), Some(&fixture::timings())).unwrap(), "index.html");
    let found = page.split("<figure id=\"crossover\">").nth(1).expect("the chart");
    for part in [
        "The lookup of rendezvous is slower than ring from about 54 nodes on",
        "all rounds faster at 10, all slower from 100",
        "slower than jump and maglev at every count timed",
    ] {
        assert!(found.contains(part), "{part}");
    }
    // Two counts are too few for a crossing.
    let mut timings = fixture::timings();
    timings.lookups.retain(|lookup| lookup.nodes < 1_000);
    let page = text(&render(&fixture::growing(), Some(&timings)).unwrap(), "index.html");
    assert!(!page.contains("id=\"crossover\"") && page.contains("id=\"latency\""));
}

#[test]
fn charts_without_data_are_left_out() {
    let mut results = fixture::growing();
    results.keys.requests = None;
    let artifacts = rendered("plain", &results, None);
    let names: Vec<&str> = artifacts.iter().map(|artifact| artifact.name.as_str()).collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !name.ends_with(".csv")).collect();
    assert_eq!(names[..2], ["index.html", "summary.md"]);
    let charts = "pareto balance movement timeline flows transfer peak cost";
    let charts: Vec<String> = charts.split(' ').map(|name| format!("{name}.png")).collect();
    assert_eq!(names[2..], charts);
    let page = text(&artifacts, "index.html");
    assert!(!page.contains("extra after a loss") && !page.contains("Machine of the times"));
}

#[test]
fn the_answer_names_who_does_and_who_cannot() {
    let page = text(&render(&fixture::growing(), None).unwrap(), "index.html");
    assert!(page.contains("Take rendezvous: of the 2 contenders that meet every requirement"));
    let page = text(&render(&fixture::failing(), None).unwrap(), "index.html");
    assert!(page.contains("jump cannot do “node-7 fails”: not supported"));
    let headline = page.split("class=\"headline\">").nth(1).expect("a headline");
    let headline = &headline[..headline.find('<').expect("an end")];
    assert!(!headline.contains("modulo") && !headline.contains("ideal"), "{headline}");
}

#[test]
fn theory_stands_beside_measurement() {
    let artifacts = rendered("theory", &fixture::growing(), None);
    let page = text(&artifacts, "index.html");
    let start = page.find("Theory beside measurement").expect("a section");
    let section = &page[start..start + page[start..].find("</section>").unwrap()];
    for part in ["modulo", "1 − min(N, M) ÷ lcm(N, M)", "95.2 %", "all keys"] {
        assert!(section.contains(part), "{part}");
    }
    assert_eq!(section.matches("modulo").count(), 1, "equal values stand once");
    assert!(text(&artifacts, "summary.md").contains("## Theory beside measurement"));
    // Nobody of these has a closed form.
    let mut without = fixture::growing();
    without.contenders.retain(|contender| contender.name != "modulo");
    assert!(!text(&rendered("no-theory", &without, None), "index.html").contains("Theory beside"));
}

/// Ranges of two or three seeds lie apart by chance more often than not.
#[test]
fn few_seeds_claim_no_order() {
    let mut results = fixture::growing();
    let before = text(&rendered("ordered", &results, None), "summary.md");
    assert!(before.contains("least for"), "{before}");
    results.seeds = 9;
    let page = text(&rendered("few-seeds", &results, None), "summary.md");
    assert!(!page.contains("least for") && !page.contains("more for"), "{page}");
    assert!(page.contains("No order is claimed: 9 hash seeds of 10 at least"), "{page}");
}
