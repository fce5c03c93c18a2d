//! `placelab compare`: what it says of two runs, what it fails for, and all that can be wrong.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Said, placelab};

/// Two runs of a scenario, the second with other parameters.
struct Runs(TempDir);

impl Runs {
    fn new() -> Self {
        let runs = Runs(tempfile::tempdir().unwrap());
        runs.make("before", "\"ring:vnodes=4\", \"jump\"", 0.2);
        runs.make("after", "\"ring:vnodes=4\", \"maglev\"", 0.9);
        runs
    }

    /// Runs a scenario in which four nodes become five.
    fn make(&self, name: &str, algorithms: &str, max: f64) {
        let file = self.path("s.toml");
        let text = format!(
            "schema = 1\ntitle = \"Four become five\"\nalgorithms = [{algorithms}]\nseeds = 10\n\
             [keys]\nsource = \"sequential\"\ncount = 2000\n[fleet]\nnodes = 4\n\
             [[timeline]]\nname = \"grow\"\n[[timeline.event]]\njoin = 1\n\
             [[require]]\nmetric = \"load.excess\"\nmax = {max}\n"
        );
        fs::write(&file, text).unwrap();
        let out = self.path(name);
        let [file, out] = [&file, &out].map(|path| path.to_str().unwrap());
        placelab(&["run", file, "--no-timing", "--out", out]).ok();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The folder of a run's report.
    fn report(&self, name: &str) -> PathBuf {
        self.path(name).join("s")
    }

    fn compare(&self, before: &str, after: &str, more: &[&str]) -> Said {
        compare(&self.report(before), &self.report(after), more)
    }
}

fn compare(before: &Path, after: &Path, more: &[&str]) -> Said {
    let paths = [before, after].map(|path| path.to_str().unwrap());
    placelab(&[&["compare", paths[0], paths[1]][..], more].concat())
}

#[test]
fn a_run_beside_itself_changed_nothing() {
    let runs = Runs::new();
    let said = runs.compare("before", "before", &[]).ok();
    assert_eq!(said, "Nothing changed: both runs have the same results.\n");
    let json: Value =
        serde_json::from_str(&runs.compare("after", "after", &["--json"]).ok()).unwrap();
    assert_eq!(json["comparison"]["same_results"], true);
    assert_eq!(json["comparison"]["verdicts"], Value::Array(vec![]));
    assert_eq!(json["conditions"], Value::Array(vec![]));
}

#[test]
fn what_changed_is_said_in_every_form() {
    let runs = Runs::new();
    let page = runs.path("page.html");
    let html = ["--html", page.to_str().unwrap()];
    let text = runs.compare("before", "after", &html).ok();
    assert!(text.starts_with("Now suitable: "), "{text}");
    assert!(text.contains("maglev (new)") && text.contains("jump (left out)"), "{text}");
    let markdown = runs.compare("before", "after", &["--markdown"]).ok();
    let drawn = fs::read_to_string(&page).unwrap();
    for says in ["maglev", "jump", "load.excess at most 0.2", "What changed in the question"] {
        let plain = markdown.replace('\\', "");
        assert!(drawn.contains(says) && plain.contains(says), "{says} in {markdown}");
    }
    let json: Value =
        serde_json::from_str(&runs.compare("before", "after", &["--json"]).ok()).unwrap();
    assert_eq!(json["comparison"]["contenders_only"]["before"][0], "jump");
    assert_eq!(json["comparison"]["contenders_only"]["after"][0], "maglev");
    let both = runs.compare("before", "after", &["--json", "--markdown"]);
    assert_eq!(both.code(), 2);

    // Files of results are the same runs; the same results are the same bytes.
    let [before, after] = ["before", "after"].map(|name| runs.report(name).join("results.json"));
    assert_eq!(compare(&before, &after, &html).ok(), text);
    assert_eq!(fs::read_to_string(&page).unwrap(), drawn);
    fs::write(&page, "mine").unwrap();
    let refused = runs.compare("before", "after", &html);
    assert_eq!((refused.code(), fs::read_to_string(&page).unwrap().as_str()), (1, "mine"));
    assert!(refused.err().contains("is not a comparison of placelab"), "{}", refused.err());
}

#[test]
fn conditions_that_come_true_are_code_3() {
    let runs = Runs::new();
    let fail_on = |conditions: &[&str]| {
        let options: Vec<&str> = conditions.iter().flat_map(|one| ["--fail-on", one]).collect();
        runs.compare("before", "after", &options)
    };
    fail_on(&["load.excess > 5", "change of load.excess > 0", "load.min_over_mean < 0"]).ok();
    let said = fail_on(&["load.excess > 5", "load.excess >= 0.1", "load.max_over_mean < 1"]);
    assert_eq!(said.code(), 3);
    assert!(
        said.err().contains("error: load.excess >= 0.1: ring:vnodes=4 has 0."),
        "{}",
        said.err()
    );
    assert!(!said.err().contains("> 5") && !said.err().contains("modulo"), "{}", said.err());
    assert!(said.out().starts_with("Now suitable"), "what changed is said all the same");
    let same = fail_on(&["change of load.excess >= 0"]);
    assert_eq!(same.code(), 3, "of ring alone, which is in both");
    assert!(same.err().ends_with("change of load.excess >= 0: ring:vnodes=4 has 0\n"));
}

#[test]
fn conditions_that_cannot_be_judged_are_code_2() {
    let runs = Runs::new();
    for (condition, says) in [
        ("load.exces > 1", "no metric is called `load.exces`: `placelab list metrics`"),
        ("load.excess", "a condition is a metric, one of > >= < <=, and a number"),
        ("load.excess > nan", "`nan` is no number"),
        ("load.excess > 1\u{1b}[2J", "is no number"),
        ("-1 > load.excess", "no metric is called `-1`"),
        ("failure.max_extra > 1", "no rival of the run after has this figure"),
        ("time.lookup_ns > 1", "no rival of the run after has this figure"),
    ] {
        let said = runs.compare("before", "after", &["--fail-on", condition]);
        assert_eq!((said.code(), said.out().as_str()), (2, ""), "{condition}: {}", said.err());
        assert!(said.err().contains(says), "{condition}: {}", said.err());
        assert!(!said.err().contains('\u{1b}'), "{condition}");
    }
}

#[test]
fn files_that_are_no_results_are_refused() {
    let runs = Runs::new();
    let good = fs::read_to_string(runs.report("before").join("results.json")).unwrap();
    let bad = runs.path("bad.json");
    for (what, text, code, says) in [
        ("empty", String::new(), 2, "EOF"),
        ("truncated", good[..good.len() / 2].to_string(), 2, "EOF"),
        ("other schema", good.replacen("\"schema\": 2", "\"schema\": 99", 1), 2, "schema is 99"),
        ("no number", good.replacen("\"replicas\": 1", "\"replicas\": NaN", 1), 2, "expected"),
        (
            "too large a number",
            good.replacen("\"replicas\": 1", "\"replicas\": 1e999", 1),
            2,
            "range",
        ),
        ("unknown field", good.replacen("\"replicas\": 1", "\"replica\": 1", 1), 2, "replica"),
        ("something else", "[1, 2]".into(), 2, "bad.json:1:"),
    ] {
        fs::write(&bad, text).unwrap();
        let said = compare(&runs.report("before"), &bad, &[]);
        assert_eq!((said.code(), said.out().as_str()), (code, ""), "{what}: {}", said.err());
        assert!(
            said.err().contains(says) && said.err().contains("bad.json"),
            "{what}: {}",
            said.err()
        );
    }
    for missing in ["nowhere", "x\u{1b}[31m"] {
        let said = compare(&runs.report("before"), &runs.path(missing), &[]);
        assert_eq!(said.code(), 1, "{}", said.err());
        assert!(said.err().contains("cannot read") && !said.err().contains('\u{1b}'));
    }
    let timings = runs.report("after").join("timings.json");
    fs::write(timings, "{\"schema\": 1}").unwrap();
    let said = runs.compare("before", "after", &[]);
    assert_eq!(said.code(), 2);
    assert!(said.err().contains("timings.json"), "{}", said.err());
    assert_eq!(placelab(&["compare", "one"]).code(), 2);
}
