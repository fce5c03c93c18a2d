//! Times in the report: what qualifies them, and where they cross.

use placelab_report::render;
use placelab_results::{Rounds, Timings};

use crate::{fixture, rendered, text};

/// A busy machine is called so at the head of the page and of the summary.
#[test]
fn a_busy_machine_is_said() {
    let mut timings = fixture::timings();
    let quiet = render(&fixture::growing(), Some(&timings)).unwrap();
    assert!(!text(&quiet, "summary.md").contains("The machine was busy"));
    timings.busy = vec!["Load average before the run: 3.10 a core.".into()];
    let artifacts = rendered("busy", &fixture::growing(), Some(&timings));
    for name in ["index.html", "summary.md"] {
        let found = text(&artifacts, name);
        assert!(found.contains("The machine was busy when times were taken"), "{name}");
        assert!(found.contains("3.10 a core"), "{name}");
    }
}

/// What was subtracted, what stands apart and how far figures lie from themselves is all shown.
#[test]
fn times_stand_beside_what_qualifies_them() {
    let mut timings = fixture::timings();
    timings.lookups[0].batch_ns = Rounds { floor: 0.2, largest: 0.3, ..Rounds::default() };
    let page = text(&rendered("qualified", &fixture::growing(), Some(&timings)), "index.html");
    for part in [
        "within the floor",
        "A/A ",
        "harness, hashes of keys, subtracted below",
        "harness, bytes of keys, subtracted below",
        "hash of a key, 16 bytes, xxh3, in none below",
        "cold batch",
        "33.6 MB that were read",
        "No more is left of 1 figure than was subtracted",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

/// Percentiles say how lookups were grouped and what they differ by.
#[test]
fn distributions_are_drawn() {
    let page = text(&render(&fixture::growing(), Some(&fixture::timings())).unwrap(), "index.html");
    let found = page.split("<figure id=\"percentiles\">").nth(1).expect("the chart");
    for part in ["at 20 nodes, warm, in groups of 8", "32,768", "99.9 %", "From 50 to 99 %"] {
        assert!(found.contains(part), "{part}");
    }
    let mut timings = fixture::timings();
    timings.percentiles.clear();
    let page = text(&render(&fixture::growing(), Some(&timings)).unwrap(), "index.html");
    assert!(!page.contains("id=\"percentiles\"") && page.contains("id=\"latency\""));
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
            let batch = &mut lookup.batch_ns;
            for time in [&mut batch.median, &mut batch.least, &mut batch.largest] {
                *time *= factor;
            }
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
            "jump" => {
                let (median, least, largest) = (20_000.0, 19_000.0, 21_000.0);
                lookup.batch_ns = Rounds { median, least, largest, ..lookup.batch_ns };
            }
            "maglev" => lookup.batch_ns.largest = 50_000.0,
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
