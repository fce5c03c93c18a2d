//! Golden results: the curated scenarios at small size, figure by figure.
//!
//! A change of behaviour shows here as a difference of lines. Where it is meant, run the test
//! with `PLACELAB_BLESS=1` and commit the files with the reason.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::support::{placelab, root};
use placelab_results::{FailureAnswer, RunResults};

/// The figures that are written out; the digest holds all.
const SHOWN: [&str; 11] = [
    "load.max_over_mean",
    "load.max_over_mean.requests",
    "share.max_over_mean",
    "movement.moved",
    "movement.sideways",
    "failure.receivers",
    "failure.max_extra",
    "failure.restored",
    "replica.changed",
    "replica.behind_owner",
    "work.lookup",
];

fn lines(json: &str) -> String {
    let results: RunResults = serde_json::from_str(json).unwrap();
    let mut text = String::new();
    for contender in &results.contenders {
        for (plan, course) in results.plan.iter().zip(&contender.timelines) {
            for (planned, step) in plan.steps.iter().zip(&course.steps) {
                let place = format!("{} · {} · {}", contender.name, plan.name, planned.label);
                write!(text, "{place}:").unwrap();
                for (id, measured) in &step.metrics {
                    if SHOWN.contains(&id.as_str()) {
                        write!(text, " {id} {}", measured.median).unwrap();
                    }
                }
                text.push('\n');
            }
            if let Some(refusal) = &course.refusal {
                writeln!(text, "{} · {}: {}", contender.name, plan.name, refusal.reason).unwrap();
            }
        }
    }
    for contender in &results.contenders {
        let found = contender.failures.as_ref().and_then(FailureAnswer::figures);
        let Some((figures, single)) = found.and_then(|of| Some((of, of.single.as_ref()?))) else {
            continue;
        };
        let (headroom, receivers) = (single.headroom, single.receivers);
        write!(text, "{}: headroom {headroom} receivers {receivers}", contender.name).unwrap();
        let (quorum, all) = (figures.quorum_lost.probability, figures.all_lost.probability);
        write!(text, " partners {} quorum {quorum} all {all}", figures.partners).unwrap();
        let cascade = figures.cascade.as_ref().map_or(0.0, |cascade| cascade.spreading);
        writeln!(text, " spreading {cascade}").unwrap();
    }
    let digest = placelab_core::hash::fnv1a_64(json.as_bytes());
    writeln!(text, "digest of results.json: {digest:016x}").unwrap();
    text
}

/// `more` are arguments beside the scenario and its size.
fn check(file: &Path, golden: &str, more: &[&str]) {
    let name = file.file_stem().unwrap().to_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let file = file.strip_prefix(root()).unwrap().to_str().unwrap();
    let size = ["--keys", "2000", "--seeds", "3", "--no-timing", "--out", out];
    let said = placelab(&[&["run", file], &size[..], more].concat());
    // Expectations are about the full size; here they may fail.
    assert!([0, 3].contains(&said.code()), "{}", said.err());
    let json = fs::read_to_string(folder.path().join(name).join("results.json")).unwrap();
    let found = lines(&json);
    let golden = root().join(format!("crates/cli/tests/golden/{golden}.txt"));
    if std::env::var_os("PLACELAB_BLESS").is_some() {
        fs::write(&golden, &found).unwrap();
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected, "{name}");
    }
    assert_eq!(found, expected, "{name}");
}

#[test]
fn curated_scenarios_give_their_golden_results() {
    let mut files: Vec<_> = fs::read_dir(root().join("scenarios/curated"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    files.sort();
    assert!(files.len() >= 16);
    for file in &files {
        check(file, file.file_stem().unwrap().to_str().unwrap(), &[]);
    }
}

/// The smallest change there is, under everybody.
#[test]
fn every_rival_gives_its_golden_results() {
    let file = root().join("scenarios/curated/01-grow-4-to-5.toml");
    check(&file, "everybody", &["--algorithms", "*"]);
}

/// At full size every expectation of the curated scenarios holds.
#[test]
fn curated_expectations_hold() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let mut arguments = vec!["run".to_string()];
    for entry in fs::read_dir(root().join("scenarios/curated")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            arguments.push(path.to_str().unwrap().into());
        }
    }
    arguments.extend(["--no-timing", "--out", out].map(String::from));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    placelab(&arguments).ok();
}
