//! Reports drawn again from files that are not as a run wrote them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::placelab;

/// A small report to spoil, in a folder that goes with it.
fn report() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.toml");
    let text = "schema = 1\ntitle = \"t\"\nalgorithms = [\"jump\", \"ring\"]\nseeds = 2\n\
                [keys]\nsource = \"sequential\"\ncount = 1000\n[fleet]\nnodes = 3\n\
                [[timeline]]\nname = \"t\"\n[[timeline.event]]\nlabel = \"add\"\njoin = 1\n";
    fs::write(&file, text).unwrap();
    let out = folder.path().join("out");
    let (file, out_text) = (file.to_str().unwrap(), out.to_str().unwrap());
    placelab(&["run", file, "--no-timing", "--out", out_text]).ok();
    (folder, out.join("s"))
}

fn files(report: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = fs::read_dir(report).unwrap().map(|entry| entry.unwrap().path());
    paths.filter_map(|path| Some((path.clone(), fs::read(path).ok()?))).collect()
}

/// The results with one change.
fn changed(results: &str, change: impl Fn(&mut Value)) -> Vec<u8> {
    let mut json: Value = serde_json::from_str(results).unwrap();
    change(&mut json);
    serde_json::to_vec_pretty(&json).unwrap()
}

/// What stands in the results, the exit code, and what the message says.
type Case = (&'static str, Vec<u8>, i32, &'static [&'static str]);

fn cases(results: &str) -> Vec<Case> {
    const AGAIN: &str = "run the scenario again";
    let lines = results.lines().count();
    let cut = results.lines().take(lines / 2).collect::<Vec<_>>().join("\n");
    let first = "\"median\": ";
    let at = results.find(first).unwrap() + first.len();
    let end = at + results[at..].find(',').unwrap();
    let nan = format!("{}NaN{}", &results[..at], &results[end..]);
    let huge = format!("{}1e999{}", &results[..at], &results[end..]);
    let median = "/contenders/0/timelines/0/steps/0/metrics/load.cv/median";
    let null = changed(results, |json| *json.pointer_mut(median).unwrap() = Value::Null);
    let word = changed(results, |json| json["seeds"] = json!("two"));
    let below = changed(results, |json| json["seeds"] = json!(-1));
    let newer = changed(results, |json| json["schema"] = json!(99));
    let foreign = changed(results, |json| json["\u{1b}[31mred".repeat(99)] = json!(1));
    let without = changed(results, |json| drop(json.as_object_mut().unwrap().remove("plan")));
    let deep = "[".repeat(100_000);
    let deep = format!("{{\"schema\": 2, \"plan\": {deep}").into_bytes();
    vec![
        ("newer", newer, 2, &["results.json: its schema is 99", "reads schema 2", AGAIN]),
        ("cut", cut.into(), 2, &["EOF while parsing", "results.json:", AGAIN]),
        ("NaN", nan.into(), 2, &["expected value", "results.json:", AGAIN]),
        ("huge", huge.into(), 2, &["number out of range", "results.json:", AGAIN]),
        ("null", null, 2, &["null", "f64", AGAIN]),
        ("word", word, 2, &["\"two\"", "u32", AGAIN]),
        ("below zero", below, 2, &["-1", "u32", AGAIN]),
        ("foreign", foreign, 2, &["unknown field", "…", AGAIN]),
        ("without", without, 2, &["missing field `plan`", AGAIN]),
        ("deep", deep, 2, &["EOF while parsing", ":1:", AGAIN]),
        ("array", b"[1, 2]".into(), 2, &["results.json:1:", AGAIN]),
        ("empty", Vec::new(), 2, &["results.json:1:0: EOF", AGAIN]),
        ("binary", vec![0xff, 0xfe, 0, 1], 1, &["results.json", "UTF-8"]),
    ]
}

/// Every message says where, why and what to do, and the old report stays as it was.
#[test]
fn spoilt_results_are_explained_and_nothing_is_written() {
    let (_folder, report) = report();
    let path = report.join("results.json");
    let results = fs::read_to_string(&path).unwrap();
    for (what, text, code, says) in cases(&results) {
        fs::write(&path, text).unwrap();
        let before = files(&report);
        let said = placelab(&["report", report.to_str().unwrap()]);
        let error = said.err();
        assert_eq!(said.code(), code, "{what}: {error}");
        for part in says {
            assert!(error.contains(part), "{what}: {part} in {error}");
        }
        assert!(error.starts_with("error: ") && error.len() < 600, "{what}: {error}");
        assert!(!error.contains("panicked") && !error.contains('\u{1b}'), "{what}: {error}");
        assert!(files(&report) == before, "{what}: the old report stays");
    }
    fs::write(&path, &results).unwrap();
    let line = results.lines().position(|line| line.contains("\"seeds\"")).unwrap() + 1;
    fs::write(&path, results.replacen("\"seeds\": 2", "\"seeds\": x", 1)).unwrap();
    let error = placelab(&["report", report.to_str().unwrap()]).err();
    assert!(error.contains(&format!("results.json:{line}:")), "{error}");
}

#[test]
fn spoilt_timings_are_explained() {
    let (_folder, report) = report();
    for (timings, says) in [("{\"schema\": 2}", "its schema is 2"), ("{", "timings.json:1:1: EOF")]
    {
        fs::write(report.join("timings.json"), timings).unwrap();
        let before = files(&report);
        let said = placelab(&["report", report.to_str().unwrap()]);
        assert_eq!(said.code(), 2);
        assert!(said.err().contains(says), "{}", said.err());
        assert!(files(&report) == before);
    }
}

#[test]
fn what_is_no_file_is_said() {
    let (_folder, report) = report();
    let path = report.join("results.json");
    fs::remove_file(&path).unwrap();
    let said = placelab(&["report", report.to_str().unwrap()]);
    assert_eq!(said.code(), 1);
    assert!(said.err().contains("cannot read") && said.err().contains("results.json"));
    fs::create_dir(&path).unwrap();
    let said = placelab(&["report", report.to_str().unwrap()]);
    assert_eq!(said.code(), 1);
    assert!(said.err().contains("not a regular file"), "{}", said.err());
    assert!(report.join("index.html").exists(), "the old report stays");
}
