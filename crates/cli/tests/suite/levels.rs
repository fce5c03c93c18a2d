//! Vector instructions by level: the same results by each, and a clear word where one is not there.

use std::fs;

use placelab_algorithms::simd::Level;

use crate::support::at_level;

/// Every algorithm, over a fleet that grows, loses a node in the middle and is weighted anew.
const SCENARIO: &str = r#"
schema = 1
title = "Every algorithm at every level"
algorithms = ["*", "rendezvous:score=32", "weighted-rendezvous:score=32"]
seeds = 2

[keys]
source = "uniform"
count = 5_000

[fleet]
nodes = 30

[[timeline]]
name = "changes"
[[timeline.event]]
join = 3
[[timeline.event]]
leave = "node-7"
[[timeline.event]]
reweight = { node-3 = 2.5 }
"#;

#[test]
fn results_have_the_same_bytes_at_every_level() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("levels.toml");
    fs::write(&scenario, SCENARIO).unwrap();
    let mut first: Option<Vec<u8>> = None;
    for level in Level::available() {
        let out = folder.path().join(level.name());
        let [scenario, reports] = [&scenario, &out].map(|path| path.to_str().unwrap());
        at_level(level.name(), &["run", scenario, "--no-timing", "--out", reports]).ok();
        let results = fs::read(out.join("levels/results.json")).unwrap();
        let first = first.get_or_insert_with(|| results.clone());
        // The command that makes them again names the folder.
        let [one, other] = [&*first, &results].map(|bytes| {
            let text = String::from_utf8_lossy(bytes);
            Level::ALL
                .iter()
                .fold(text.into_owned(), |text, level| text.replace(&format!("/{level}"), ""))
        });
        assert!(one == other, "{level} gives other results than portable code");
    }
}

#[test]
fn levels_that_are_not_there_are_refused() {
    let unknown = at_level("sse9\u{1b}[2J", &["list", "hashes"]);
    assert_eq!((unknown.code(), unknown.out()), (2, String::new()));
    let error = unknown.err();
    let says = "PLACELAB_SIMD: no such level: `sse9";
    assert!(error.contains(says) && error.contains("portable, avx2, avx512"), "{error}");
    assert!(!error.contains('\u{1b}'), "{error:?}");
    for level in Level::ALL.into_iter().filter(|level| !level.is_available()) {
        let said = at_level(level.name(), &["list", "hashes"]);
        assert_eq!(said.code(), 2);
        assert!(said.err().contains(&format!("this machine has no {level}")), "{}", said.err());
    }
}
