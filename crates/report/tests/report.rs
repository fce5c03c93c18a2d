//! The report of ordinary results: complete, the same each time, and safe to open.

mod fixture;

use placelab_report::{Artifact, render};
use placelab_results::{RunResults, Timings};

fn text(artifacts: &[Artifact], name: &str) -> String {
    let artifact = artifacts.iter().find(|artifact| artifact.name == name).expect(name);
    String::from_utf8(artifact.bytes.clone()).expect("UTF-8")
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
    assert!(page.contains("Every contender lies within what chance alone gives."));
    assert!(page.contains("not distinguishable from pure chance"));
    assert!(page.contains("rendezvous takes every step."));
}

#[test]
fn every_chart_has_a_picture_a_caption_and_its_data() {
    let artifacts = rendered("failing", &fixture::failing(), Some(&fixture::timings()));
    let page = text(&artifacts, "index.html");
    let names =
        ["balance", "balance-requests", "movement", "peak", "failure", "latency", "crossover"];
    for name in names {
        let picture = artifacts.iter().find(|artifact| artifact.name == format!("{name}.png"));
        assert!(picture.expect(name).bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
        let start = page.find(&format!("<figure id=\"{name}\">")).expect(name);
        let figure = &page[start..start + page[start..].find("</figure>").expect(name)];
        for part in ["role=\"img\"", "<title ", "<desc ", "<figcaption>", "<details>"] {
            assert!(figure.contains(part), "{name} has no {part}");
        }
        assert!(!figure.contains("<figcaption></figcaption>"), "{name} finds nothing");
        assert!(text(&artifacts, "summary.md").contains(&format!("({name}.png)")), "{name}");
    }
    assert_eq!(artifacts.len(), names.len() + 2);
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

/// Three growing lookups against five: one never slower, one never told apart, and more pairs
/// than there is room for.
#[test]
fn crossings_of_every_kind_are_drawn() {
    let mut timings = fixture::timings();
    let alike = |timings: &Timings, name: &str, like: &str, factor: f64| {
        let those = timings.lookups.iter().filter(|lookup| lookup.contender == like);
        let mut those: Vec<_> = those.cloned().collect();
        for lookup in &mut those {
            lookup.contender = name.into();
            lookup.batch_ns = lookup.batch_ns.map(|time| time * factor);
        }
        those
    };
    let more = [
        alike(&timings, "table", "rendezvous", 0.2),
        alike(&timings, "anchor", "rendezvous", 0.02),
        alike(&timings, "multi-probe", "ring", 3.0),
    ];
    timings.lookups.extend(more.concat());
    for lookup in &mut timings.lookups {
        match lookup.contender.as_str() {
            "jump" => lookup.batch_ns = [20_000.0, 19_000.0, 21_000.0],
            "maglev" => lookup.batch_ns[2] = 50_000.0,
            _ => {}
        }
    }
    let artifacts = rendered("crossings", &fixture::replicated(), Some(&timings));
    let page = text(&artifacts, "index.html");
    let found = page.split("<figure id=\"crossover\">").nth(1).expect("the chart");
    for part in [
        "not slower than jump within the counts timed",
        "never told apart for good",
        "3 more pairs of contenders further down: see the table.",
        "faster at 10,000",
    ] {
        assert!(found.contains(part), "{part}");
    }
}

#[test]
fn charts_without_data_are_left_out() {
    let mut results = fixture::growing();
    results.keys.requests = None;
    let artifacts = rendered("plain", &results, None);
    let names: Vec<&str> = artifacts.iter().map(|artifact| artifact.name.as_str()).collect();
    assert_eq!(names, ["index.html", "summary.md", "balance.png", "movement.png", "peak.png"]);
    let page = text(&artifacts, "index.html");
    assert!(!page.contains("extra after a loss") && !page.contains("Machine of the times"));
}

#[test]
fn the_page_loads_nothing() {
    let artifacts = render(&fixture::failing(), Some(&fixture::timings())).expect("a report");
    let page = text(&artifacts, "index.html");
    assert!(page.contains("Content-Security-Policy") && page.contains("lang=\"en\""));
    for banned in ["<script", "<link", "<img", "src=\"http", "url(", "@import", "javascript:"] {
        assert!(!page.contains(banned), "{banned}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf "));
}

#[test]
fn the_answer_names_who_does_and_who_cannot() {
    let page = text(&render(&fixture::growing(), None).unwrap(), "index.html");
    assert!(page.contains("ring and rendezvous meet every requirement and take every step."));
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
