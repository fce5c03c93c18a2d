//! Criterion's folder and histories: whole, half written, torn, and hostile.

use std::fs;
use std::path::{Path, PathBuf};

use placelab_regress::{FileError, Mistake, append, read_criterion, read_history};
use placelab_results::{BenchMachine, BenchRun, BenchTime};
use tempfile::TempDir;

const BENCHMARK: &str = r#"{"group_id":"lookup/jump","function_id":null,"value_str":"100",
    "throughput":{"Elements":8},"full_id":"lookup/jump/100","directory_name":"x","title":"x"}"#;
const SAMPLE: &str = r#"{"sampling_mode":"Linear","iters":[1.0,2.0,3.0],"times":[70,160,270]}"#;
const ESTIMATES: &str = r#"{"mean":null,"median":{"confidence_interval":{"confidence_level":0.95,
    "lower_bound":72.0,"upper_bound":88.0},"point_estimate":80.0,"standard_error":1.0}}"#;

/// A folder as criterion leaves it, with one bench.
fn criterion() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let bench = folder.path().join("lookup_jump/100/new");
    write(&bench, [BENCHMARK, SAMPLE, ESTIMATES]);
    fs::create_dir_all(folder.path().join("lookup_jump/report")).unwrap();
    (folder, bench)
}

fn write(bench: &Path, texts: [&str; 3]) {
    fs::create_dir_all(bench).unwrap();
    for (name, text) in ["benchmark.json", "sample.json", "estimates.json"].iter().zip(texts) {
        fs::write(bench.join(name), text).unwrap();
    }
}

#[test]
fn benches_are_read_by_the_element() {
    let (folder, _) = criterion();
    let other = BENCHMARK.replace("100", "10").replace(r#"{"Elements":8}"#, "null");
    write(&folder.path().join("lookup_jump/10/new"), [&other, SAMPLE, ESTIMATES]);
    let other = BENCHMARK.replace("100", "1").replace(r#"{"Elements":8}"#, r#"{"Bytes":8}"#);
    write(&folder.path().join("lookup_jump/1/new"), [&other, SAMPLE, ESTIMATES]);
    let read = read_criterion(folder.path(), "new").unwrap();
    assert!(read.faults.is_empty(), "{:?}", read.faults);
    let time = |id: &str, elements, [low_ns, median_ns, high_ns]: [f64; 3]| BenchTime {
        id: format!("lookup/jump/{id}"),
        elements,
        median_ns,
        low_ns,
        high_ns,
    };
    let whole = [72.0, 80.0, 88.0];
    let wanted =
        [time("1", None, whole), time("10", None, whole), time("100", Some(8), [9.0, 10.0, 11.0])];
    assert_eq!(read.benches, wanted);
}

/// A bench that is wrong is named with its file, and the others are there.
#[test]
fn faults_are_of_one_bench() {
    let (folder, bench) = criterion();
    let whole = folder.path().join("lookup_ring/100/new");
    write(&whole, [&BENCHMARK.replace("jump", "ring"), SAMPLE, ESTIMATES]);
    for (file, text, says) in [
        ("benchmark.json", "", "benchmark.json: EOF"),
        ("benchmark.json", "{}", "benchmark.json: missing field `full_id`"),
        ("benchmark.json", &BENCHMARK.replace("jump/", "ring/"), "`lookup/ring/100` is there tw"),
        ("benchmark.json", &BENCHMARK.replace("jump/", "\\u001b[2J"), "id: holds U+001B"),
        ("benchmark.json", &BENCHMARK.replace(":8", ":0"), "throughput: no elements"),
        ("sample.json", &SAMPLE[..40], "sample.json: EOF"),
        ("sample.json", &SAMPLE.replace("70,", ""), "iters, times: 3 counts and 2 times"),
        ("sample.json", &SAMPLE.replace("1.0,", "0.0,"), "times: not times"),
        ("sample.json", &SAMPLE.replace("160", "190"), "the median is 80 ns, and that of"),
        ("estimates.json", &ESTIMATES.replace("80.0", "-1"), "median: not a time"),
        ("estimates.json", &ESTIMATES.replace("80.0", "1e999"), "estimates.json: number out"),
        ("estimates.json", "[[[[", "estimates.json: "),
    ] {
        write(&bench, [BENCHMARK, SAMPLE, ESTIMATES]);
        fs::write(bench.join(file), text).unwrap();
        let read = read_criterion(folder.path(), "new").unwrap();
        let [fault] = &read.faults[..] else { panic!("{says}: {:?}", read.faults) };
        let said = fault.to_string();
        assert!(said.contains(says) && said.contains("\nhelp: "), "{says}: {said}");
        assert_eq!(read.benches.len(), 1, "{says}");
    }
    for file in ["benchmark.json", "sample.json", "estimates.json"] {
        write(&bench, [BENCHMARK, SAMPLE, ESTIMATES]);
        fs::remove_file(bench.join(file)).unwrap();
        let read = read_criterion(folder.path(), "new").unwrap();
        let said = read.faults[0].to_string();
        assert!(said.contains(&format!("half written: there is no {file}")), "{said}");
    }
    fs::remove_dir_all(&bench).unwrap();
    fs::create_dir_all(&bench).unwrap();
    assert_eq!(read_criterion(folder.path(), "new").unwrap().faults.len(), 1, "nothing yet");
}

#[test]
fn a_folder_that_is_wrong_is_an_error() {
    let (folder, bench) = criterion();
    let said = |folder: &Path, baseline| read_criterion(folder, baseline).unwrap_err().to_string();
    let none = said(&folder.path().join("none"), "new");
    assert!(none.contains("none: there is no such folder\nhelp: run `cargo bench`"), "{none}");
    assert!(said(&bench.join("sample.json"), "new").contains("no such folder"));
    let other = said(folder.path(), "old\u{1b}");
    let says = "no bench has the baseline `old\u{fffd}`; there are `new`\nhelp: ";
    assert!(other.contains(says), "{other}");
    // A link leads nowhere: it could lead around in circles.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path(), folder.path().join("again")).unwrap();
        assert_eq!(read_criterion(folder.path(), "new").unwrap().benches.len(), 1);
    }
}

fn run(name: &str, median_ns: f64) -> BenchRun {
    BenchRun {
        schema: 1,
        machine: BenchMachine { name: name.into(), cpu: "a processor".into(), cores: 2 },
        commit: Some("0123abc".into()),
        is_dirty: false,
        when: "2026-11-30T18:36:27Z".into(),
        rustc: "rustc 1.95.0".into(),
        benches: vec![BenchTime {
            id: "lookup/jump/100".into(),
            elements: Some(8),
            median_ns,
            low_ns: median_ns - 0.5,
            high_ns: median_ns + 0.5,
        }],
    }
}

#[test]
fn runs_are_added_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("reports/history");
    let file = history.join("mine.jsonl");
    for count in 1..=3 {
        let added = append(&history, &run("mine", 10.0 + count as f64)).unwrap();
        assert_eq!((&added.path, added.runs, added.torn), (&file, count, None));
    }
    append(&history, &run("yours", 1.0)).unwrap();
    let read = read_history(&file).unwrap();
    assert_eq!(read.runs, [11.0, 12.0, 13.0].map(|ns| run("mine", ns)));
    let mut names: Vec<_> =
        fs::read_dir(&history).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    let wanted = ["mine.jsonl", "mine.jsonl.lock", "yours.jsonl", "yours.jsonl.lock"];
    assert_eq!(names, wanted, "nothing temporary stays");
}

/// Who adds at the same time waits.
#[test]
fn no_run_is_lost_to_another() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let folder = folder.path();
            scope.spawn(move || {
                for turn in 0..5 {
                    append(folder, &run("mine", f64::from(10 * writer + turn + 1))).unwrap();
                }
            });
        }
    });
    let read = read_history(&folder.path().join("mine.jsonl")).unwrap();
    assert_eq!(read.runs.len(), 20);
}

/// Cut at any byte of its last line, a history keeps every whole run and what is left of the last.
#[test]
fn a_torn_line_is_kept_aside() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.jsonl");
    let aside = folder.path().join("mine.jsonl.torn");
    append(folder.path(), &run("mine", 1.0)).unwrap();
    let first = fs::read(&file).unwrap();
    append(folder.path(), &run("mine", 2.0)).unwrap();
    let both = fs::read(&file).unwrap();
    for end in first.len() + 1..both.len() - 1 {
        fs::write(&file, &both[..end]).unwrap();
        let read = read_history(&file).unwrap();
        let torn = read.torn.expect("it is reported");
        assert_eq!((read.runs.len(), torn.line), (1, 2));
        assert_eq!(torn.bytes, both[first.len()..end]);
    }
    let added = append(folder.path(), &run("mine", 3.0)).unwrap();
    assert_eq!((added.runs, added.torn.as_ref()), (2, Some(&aside)));
    let read = read_history(&file).unwrap();
    assert_eq!((read.runs, read.torn), (vec![run("mine", 1.0), run("mine", 3.0)], None));
    let kept = fs::read(&aside).unwrap();
    assert_eq!(kept, [&both[first.len()..both.len() - 2], b"\n"].concat());
    // Only the end of the line is missing: that is a run.
    fs::write(&file, &both[..both.len() - 1]).unwrap();
    assert_eq!(append(folder.path(), &run("mine", 3.0)).unwrap().runs, 3);
    assert_eq!(read_history(&file).unwrap().runs.len(), 3);
    // A torn line may end within a letter, or hold anything.
    fs::write(&file, [&both[..], b"\xff\xfe\0"].concat()).unwrap();
    assert_eq!(read_history(&file).unwrap().torn.unwrap().bytes, b"\xff\xfe\0");
}

fn error(file: &Path, text: &str) -> FileError {
    fs::write(file, text).unwrap();
    let read = read_history(file).unwrap_err();
    let added = append(file.parent().unwrap(), &run("mine", 1.0)).unwrap_err();
    assert_eq!(added.to_string(), read.to_string());
    assert_eq!(fs::read_to_string(file).unwrap(), text, "it stays as it was");
    read
}

#[test]
fn a_history_that_is_wrong_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.jsonl");
    let line = serde_json::to_string(&run("mine", 10.0)).unwrap() + "\n";
    for (from, to, says) in [
        ("{", "", "line 2: "),
        ("\"schema\":1", "\"schema\":2", "line 2: schema 2, and this placelab reads up to 1"),
        ("\"schema\":1", "\"schema\":0", "line 2: schema: 0, not 1"),
        ("\"cores\":2", "\"cores\":4", "line 2: a run of `mine` (a processor, cores: 4), and th"),
        ("\"mine\"", "\"yours\"", "line 2: a run of the machine `yours`, and the file is named"),
        ("\"mine\"", "\"../up\"", "name of a machine: 1 to 64 letters"),
        ("a processor", "\\u001b[2J", "cpu: at most 255 bytes"),
        ("0123abc", "; rm", "commit: it has 7 to 64"),
        ("T18", " 18", "when: it has the form"),
        ("10.0", "-10.0", "median_ns: not a time"),
        ("10.0", "99.0", "median_ns: not a time"),
        ("\"elements\":8", "\"elements\":0", "elements: at least one"),
        ("\"is_dirty\"", "\"is_clean\"", "line 2: unknown field `is_clean`"),
        ("lookup/jump/100", "", "id: it has 1 to 400 bytes"),
    ] {
        assert!(line.contains(from), "{from}");
        let said = error(&file, &format!("{line}{}{line}", line.replacen(from, to, 1))).to_string();
        assert!(said.contains(says) && said.contains("\nhelp: "), "{says}: {said}");
        assert!(!said.contains('\u{1b}'), "{said}");
    }
    let mut twice = run("mine", 10.0);
    twice.benches.extend(run("mine", 10.0).benches);
    let twice = serde_json::to_string(&twice).unwrap() + "\n";
    assert!(error(&file, &twice).to_string().contains("`lookup/jump/100` is there twice"));
    assert!(error(&file, "\n").to_string().contains(", line 1: "));
}

#[test]
fn a_run_of_another_machine_is_not_added() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.jsonl");
    append(folder.path(), &run("mine", 1.0)).unwrap();
    let before = fs::read(&file).unwrap();
    let mut other = run("mine", 2.0);
    other.machine.cpu = "another".into();
    let refused = append(folder.path(), &other).unwrap_err();
    assert!(matches!(*refused.mistake, Mistake::OtherMachine { .. }), "{refused}");
    assert!(refused.to_string().contains("name this machine by --machine"), "{refused}");
    for name in ["", "../up", ".hidden", "a/b", "a b", "ä", &"x".repeat(65)] {
        let refused = append(folder.path(), &run(name, 1.0)).unwrap_err();
        assert!(refused.to_string().contains("name of a machine"), "{refused}");
    }
    assert_eq!(fs::read(&file).unwrap(), before);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let refused = append(folder.path(), &run("mine", 1.0)).unwrap_err();
    assert!(refused.to_string().contains("not a regular file"), "{refused}");
}
