//! Every command as a user meets it.

use std::fs;
use std::path::Path;

use crate::support::{Said, placelab, root, with_input};

/// The decimal ids of a published article: XXH64, jump, 64 and 1,024 buckets.
#[test]
fn place_puts_keys_where_the_vectors_say() {
    let base = ["place", "--algorithm", "jump", "--key-hash", "xxh64", "--nodes"];
    for (nodes, answers) in [("64", [18, 48, 37, 55]), ("1024", [718, 957, 37, 603])] {
        let said = with_input(&[&base[..], &[nodes]].concat(), b"0\n1\n42\r\n8842").ok();
        let expected: Vec<String> = ["0", "1", "42", "8842"]
            .iter()
            .zip(answers)
            .map(|(key, node)| format!("{key}\tnode-{node}\n"))
            .collect();
        assert_eq!(said, expected.concat());
    }
}

/// A ring on 100 positions: the right end of an interval belongs to its token.
#[test]
fn place_walks_the_ring_of_a_token_file() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens.csv");
    fs::write(&tokens, "A,20\nB,60\nC,90\nD,40\n").unwrap();
    let ring = format!("ring:tokens=@{}", tokens.display());
    let place = |nodes: &str, position: &str, replicas: &str| {
        let arguments = [
            "place",
            "--algorithm",
            &ring,
            "--nodes",
            nodes,
            "--key-format",
            "u64",
            "--replicas",
            replicas,
        ];
        with_input(&arguments, position.as_bytes()).ok()
    };
    assert_eq!(place("A,B,C", "20\n21\n0x63", "1"), "20\tA\n21\tB\n0x63\tA\n");
    assert_eq!(place("A,B,C,D", "20\n21\n40\n41", "1"), "20\tA\n21\tD\n40\tD\n41\tB\n");
    assert_eq!(place("A,B,C", "10", "2"), "10\tA,B\n");
    assert_eq!(place("A,B,C,D", "10", "2"), "10\tA,D\n");
}

#[test]
fn place_takes_weights_and_refuses_what_cannot_be() {
    let place = |algorithm: &str, nodes: &str, more: &[&str]| {
        let arguments = [&["place", "--algorithm", algorithm, "--nodes", nodes][..], more].concat();
        with_input(&arguments, b"k1\nk2\n")
    };
    let json = place("weighted-rendezvous", "big=1000000,small=0.000001", &["--json"]).ok();
    assert_eq!(
        json,
        "{\"key\":\"k1\",\"nodes\":[\"big\"]}\n{\"key\":\"k2\",\"nodes\":[\"big\"]}\n"
    );
    // Whatever the key, one of two copies is on the only node of the other zone.
    let apart = ["--replicas", "2", "--zone-rule", "spread"];
    for line in place("ring", "a@x,b@x,c@x,d@y", &apart).ok().lines() {
        assert!(line.split_once('\t').unwrap().1.split(',').any(|node| node == "d"), "{line}");
    }
    for (algorithm, nodes, more, expected) in [
        ("jump", "a=1,b=2", &[][..], "not supported: needs weights"),
        ("jmup", "3", &[], "no algorithm is called `jmup`"),
        ("maglev:size=65536", "3", &[], "the next one is 65537"),
        ("maglev:size=7", "8", &[], "smaller than the fleet of 8"),
        ("ring:vnodes=0", "3", &[], "takes a whole number from 1"),
        ("ring", "a,a", &[], "a"),
        ("ring", "3", &["--replicas", "4"], "--replicas `4`: 4 copies"),
        ("ring", "a@x,b@x", &["--replicas", "2", "--zone-rule", "spread"], "--zone-rule spread"),
        ("ring", "3", &["--key-format", "u64"], "line 1: `k1` is no 64-bit number"),
        ("*", "3", &[], "name one algorithm"),
    ] {
        let said = place(algorithm, nodes, more);
        assert_eq!(said.code(), 2, "{algorithm} {nodes}: {}", said.err());
        assert!(said.err().contains(expected), "{}", said.err());
        assert_eq!(said.out(), "");
    }
    assert_eq!(place("ring", "1000000000", &[]).code(), 4);
    assert_eq!(place("ring", "2", &["--keys", "/nonexistent"]).code(), 1);
}

#[test]
fn lists_are_complete_and_machines_can_read_them() {
    for (what, names) in [
        ("algorithms", vec!["modulo", "ideal", "jump", "ring", "rendezvous", "maglev"]),
        ("metrics", vec!["load.max_over_mean", "movement.sideways", "time.lookup_ns"]),
        ("hashes", vec!["xxh3", "blake2b-32be"]),
        ("scenarios", vec!["02-cache-fleet-20-to-30"]),
    ] {
        let text = placelab(&["list", what]).ok();
        let markdown = placelab(&["list", what, "--markdown"]).ok();
        let json: serde_json::Value =
            serde_json::from_str(&placelab(&["list", what, "--json"]).ok()).unwrap();
        let listed = json.as_array().unwrap().len();
        let all = match what {
            "algorithms" => placelab_algorithms::REGISTRY.len(),
            "metrics" => placelab_results::METRICS.len(),
            "hashes" => placelab_core::HashFunction::ALL.len(),
            _ => listed,
        };
        assert!(listed == all && listed >= names.len(), "{what}");
        for name in names {
            for form in [&text, &markdown, &json.to_string()] {
                assert!(form.contains(name), "{what} {name}");
            }
        }
    }
}

#[test]
fn init_writes_a_valid_scenario_and_never_overwrites() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    let path = file.to_str().unwrap();
    placelab(&["init", path]).ok();
    assert_eq!(fs::read_to_string(&file).unwrap(), placelab(&["init"]).ok());
    let again = placelab(&["init", path]);
    assert_eq!(again.code(), 2);
    assert!(again.err().contains("exists already"));
    let checked = placelab(&["check", path, "--keys", "1000"]).ok();
    assert!(checked.contains("grow at once") && checked.contains("lose one"), "{checked}");
}

#[test]
fn check_prints_plan_and_cost() {
    let curated = "scenarios/curated/03-one-fails-and-returns.toml";
    let text = placelab(&["check", curated]).ok();
    for expected in ["node-9 fails", "node-9 is back", "ring:vnodes=1", "processor time"] {
        assert!(text.contains(expected), "{text}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&placelab(&["check", curated, "--json"]).ok()).unwrap();
    assert_eq!(json[0]["plan"][0]["steps"][1]["nodes"], 19);
    assert_eq!(json[0]["contenders"].as_array().unwrap().len(), 7);
}

fn small_run(out: &Path, more: &[&str]) -> Said {
    let out = out.to_str().unwrap();
    let base = [
        "run",
        "scenarios/curated/03-one-fails-and-returns.toml",
        "--keys",
        "20000",
        "--seeds",
        "2",
        "--no-timing",
        "--out",
        out,
    ];
    placelab(&[&base[..], more].concat())
}

/// Same inputs, same bytes: of every file of the report, for any number of threads, and again
/// when it is drawn from its results.
#[test]
fn reports_have_the_same_bytes_for_any_threads() {
    let folder = tempfile::tempdir().unwrap();
    let read = |out: &Path| {
        let mut files: Vec<_> = fs::read_dir(out.join("03-one-fails-and-returns"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.file_name().unwrap().to_owned(), fs::read(&path).unwrap()))
            .collect();
        files.sort();
        files
    };
    let one = folder.path().join("1");
    small_run(&one, &["--threads", "1"]).ok();
    let files = read(&one);
    let names: Vec<_> = files.iter().map(|(name, _)| name.to_str().unwrap()).collect();
    for expected in [
        "index.html",
        "results.json",
        "summary.md",
        "summary.csv",
        "balance.png",
        "balance.csv",
        "failure.png",
    ] {
        assert!(names.contains(&expected), "{names:?}");
    }
    for threads in ["2", "3"] {
        let out = folder.path().join(threads);
        small_run(&out, &["--threads", threads]).ok();
        assert!(files == read(&out), "{threads} threads");
    }
    let report = one.join("03-one-fails-and-returns");
    fs::remove_file(report.join("index.html")).unwrap();
    placelab(&["report", report.to_str().unwrap()]).ok();
    assert!(files == read(&one), "drawn again");
}

#[test]
fn run_times_and_tells_machines() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let said = placelab(&[
        "run",
        "scenarios/curated/01-grow-4-to-5.toml",
        "--keys",
        "2000",
        "--seeds",
        "1",
        "--algorithms",
        "jump",
        "--out",
        out,
        "--json",
    ]);
    let json: serde_json::Value = serde_json::from_str(&said.out()).unwrap();
    assert_eq!(json[0]["scenario"], "01-grow-4-to-5");
    assert_eq!(json[0]["verdict"]["contenders"].as_array().unwrap().len(), 3);
    let report = folder.path().join("01-grow-4-to-5");
    let timings = fs::read_to_string(report.join("timings.json")).unwrap();
    let timings: placelab_results::Timings = serde_json::from_str(&timings).unwrap();
    assert_eq!(timings.lookups.len(), 3 * 4);
    for one in &timings.lookups {
        assert!(one.figures().iter().all(|(_, rounds)| rounds.largest > 0.0), "{one:?}");
    }
    assert_eq!((timings.key_hash.function.as_str(), timings.key_hash.key_bytes), ("xxh3", 16));
    assert!(timings.updates.iter().all(|one| one.build_us.median > 0.0 && one.apply_us.is_some()));
    assert_eq!(timings.percentiles.len(), 3);
    assert!(timings.percentiles.iter().all(|one| one.nodes == 4 && one.dependent_ns.is_sorted()));
    assert!(report.join("latency.png").exists() && report.join("percentiles.png").exists());
}

#[test]
fn what_must_hold_and_does_not_is_code_3() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let base = "schema = 1\ntitle = \"t\"\nalgorithms = [\"jump\"]\n[keys]\n\
                source = \"sequential\"\ncount = 1000\n[fleet]\nnodes = 3\n";
    let expected =
        write("expect.toml", &format!("{base}[[expect]]\nmetric = \"load.cv\"\nmax = 0\n"));
    let required =
        write("require.toml", &format!("{base}[[require]]\ncapability = \"remove-any\"\n"));
    let out = folder.path().join("out");
    let run = |file: &str, more: &[&str]| {
        let base = ["run", file, "--no-timing", "--out", out.to_str().unwrap()];
        placelab(&[&base[..], more].concat())
    };
    let said = run(&expected, &[]);
    assert_eq!(said.code(), 3);
    assert!(said.err().contains("expected load.cv at most 0"), "{}", said.err());
    assert!(out.join("expect/index.html").exists(), "the report shows what failed");
    assert_eq!(run(&required, &[]).code(), 0);
    assert_eq!(run(&required, &["--strict"]).code(), 3);
}

/// Whoever stands in the report's folder still gets a report.
#[test]
fn a_report_is_drawn_again_from_within() {
    let folder = tempfile::tempdir().unwrap();
    small_run(folder.path(), &[]).ok();
    let report = folder.path().join("03-one-fails-and-returns");
    for path in ["../03-one-fails-and-returns", "."] {
        let drawn = std::process::Command::new(env!("CARGO_BIN_EXE_placelab"))
            .args(["report", path])
            .current_dir(&report)
            .output()
            .unwrap();
        assert!(drawn.status.success(), "{path}: {drawn:?}");
        assert!(report.join("index.html").exists());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing temporary stays");
}

#[test]
fn names_do_not_act_on_the_terminal() {
    for arguments in [["check", "x\u{1b}[31m.toml"], ["report", "x\u{1b}[31m"]] {
        let said = placelab(&arguments);
        assert_eq!(said.code(), 1, "{}", said.err());
        assert!(!said.err().contains('\u{1b}') && said.err().contains('\u{fffd}'));
    }
}

/// What must hold is judged although nobody reads the table.
#[test]
fn a_closed_reader_hides_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.toml");
    let text = "schema = 1\nalgorithms = [\"jump\"]\n[keys]\nsource = \"sequential\"\n\
                count = 1000\n[fleet]\nnodes = 3\n[[expect]]\nmetric = \"load.cv\"\nmax = 0\n";
    fs::write(&file, text).unwrap();
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_placelab"))
        .args(["run", "--no-timing", "--out"])
        .arg(folder.path().join("out"))
        .arg(&file)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn();
    let mut child = child.unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(3));
}

#[test]
fn a_folder_that_is_not_ours_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mine = folder.path().join("03-one-fails-and-returns");
    fs::create_dir(&mine).unwrap();
    fs::write(mine.join("thesis.txt"), "years of work").unwrap();
    let said = small_run(folder.path(), &[]);
    assert_eq!(said.code(), 1);
    assert!(said.err().contains("holds thesis.txt"), "{}", said.err());
    assert_eq!(fs::read_dir(&mine).unwrap().count(), 1);
}

/// Two scenarios that take no time, run with their reports below `out`.
fn two_runs(out: &Path, more: &[&str]) -> Said {
    let files = ["grow & <go>.toml", "stay.toml"].map(|name| out.with_file_name(name));
    for file in &files {
        let text = "schema = 1\ntitle = \"<b>t</b>\"\nalgorithms = [\"jump\"]\n[keys]\n\
                    source = \"sequential\"\ncount = 1000\n[fleet]\nnodes = 3\n";
        fs::write(file, text).unwrap();
    }
    let [first, second] = files.each_ref().map(|file| file.to_str().unwrap());
    let base = ["run", first, second, "--no-timing", "--out", out.to_str().unwrap()];
    placelab(&[&base[..], more].concat())
}

#[test]
fn several_reports_have_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let index = out.join("index.html");
    let said = two_runs(&out, &[]).ok();
    assert!(said.ends_with(&format!("index: {}\n", index.display())), "{said}");
    let page = fs::read_to_string(&index).unwrap();
    for link in ["./grow%20%26%20%3Cgo%3E/index.html", "./stay/index.html"] {
        assert!(page.contains(link), "{link}");
    }
    assert!(page.contains("&lt;b&gt;t&lt;/b&gt;") && !page.contains("<b>"));

    let json: serde_json::Value = serde_json::from_str(&two_runs(&out, &["--json"]).ok()).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 2);
    assert!(page == fs::read_to_string(&index).unwrap(), "the same again");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 3, "nothing temporary stays");
}

#[test]
fn a_page_that_is_no_index_stays() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("index.html"), "my home page").unwrap();
    let said = two_runs(&out, &[]);
    assert_eq!(said.code(), 1);
    assert!(said.err().contains("index.html is not an index of placelab"), "{}", said.err());
    assert_eq!(fs::read_to_string(out.join("index.html")).unwrap(), "my home page");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1, "nothing was run");

    small_run(&out, &[]).ok();
    assert_eq!(fs::read_to_string(out.join("index.html")).unwrap(), "my home page");
}

#[test]
fn the_readme_has_its_two_commands() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let main = "cargo run --release -- run scenarios/curated/02-cache-fleet-20-to-30.toml";
    for command in [main, "scripts/test"] {
        assert!(readme.contains(command), "{command}");
    }
    assert!(readme.lines().count() < 200);
    let test = fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(test.contains("exec scripts/test"));
}

/// Without a file, a check certifies every algorithm; a line for each algorithm and law.
#[test]
fn algorithms_are_certified() {
    let certificates: serde_json::Value =
        serde_json::from_str(&placelab(&["check", "--json"]).ok()).unwrap();
    let all = certificates.as_array().unwrap();
    assert_eq!(all.len(), placelab_algorithms::REGISTRY.len());
    for certificate in all {
        let findings = certificate["findings"].as_array().unwrap();
        let held = findings.iter().filter(|finding| finding[1] == "held").count();
        assert!(held >= 10, "{certificate}");
    }
}
