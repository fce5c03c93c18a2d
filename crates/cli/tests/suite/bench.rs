//! `placelab bench`: histories that are added to and drawn, builds that are compared, and all that
//! can be wrong. The benches are scripts that write what criterion would: nothing here is timed.
#![cfg(unix)]

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Said, in_folder};

/// A folder to stand in, with benches and what they leave.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `placelab bench` in the folder; words are cut at spaces.
    fn bench(&self, arguments: &str) -> Said {
        let words: Vec<&str> = ["bench"].into_iter().chain(arguments.split(' ')).collect();
        let cargo = self.path("cargo");
        in_folder(
            self.0.path(),
            &[("CARGO", &cargo), ("CARGO_TARGET_DIR", "target".as_ref())],
            &words,
        )
    }

    fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.bench(&format!("{arguments} --json")).ok()).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn script(&self, name: &str, text: &str) {
        self.write(name, &format!("#!/bin/sh\n{text}"));
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// What criterion leaves of a bench whose iteration of 8 elements takes so many nanoseconds.
    fn criterion(&self, folder: &str, id: &str, ns: u32) {
        let folder = format!("{folder}/{}/new", id.replace('/', "_"));
        let [benchmark, sample, estimates] = written(id, &ns.to_string());
        self.write(&format!("{folder}/benchmark.json"), &benchmark);
        self.write(&format!("{folder}/sample.json"), &sample);
        self.write(&format!("{folder}/estimates.json"), &estimates);
    }
}

fn written(id: &str, ns: &str) -> [String; 3] {
    [
        format!("{{\"full_id\":\"{id}\",\"throughput\":{{\"Elements\":8}}}}"),
        format!("{{\"sampling_mode\":\"Flat\",\"iters\":[1,1],\"times\":[{ns},{ns}]}}"),
        format!(
            "{{\"median\":{{\"confidence_interval\":{{\"confidence_level\":0.95,\
             \"lower_bound\":{ns},\"upper_bound\":{ns}}},\"point_estimate\":{ns}}}}}"
        ),
    ]
}

/// A script that is a bench: it has one, `lookup/jump/100`, which takes what a shell prints.
fn bench_of(ns: &str) -> String {
    let [benchmark, sample, estimates] = written("lookup/jump/100", "'$ns'");
    format!(
        "case \"$2\" in --noplot|*jump*) ;; *) exit 0;; esac\nns={ns}\n\
         folder=\"$CRITERION_HOME/lookup_jump/100/new\"\nmkdir -p \"$folder\"\ncd \"$folder\"\n\
         echo '{benchmark}' >benchmark.json\necho '{sample}' >sample.json\n\
         echo '{estimates}' >estimates.json\n"
    )
}

#[test]
fn runs_are_recorded_and_shown() {
    let folder = Folder::new();
    folder.criterion("target/criterion", "lookup/jump/100", 80);
    folder.criterion("target/criterion", "lookup/ring/100", 800);
    let said = folder.bench("record --machine mine").ok();
    assert_eq!(said, "recorded 2 benches as run 1 of reports/history/mine.jsonl\n");
    folder.criterion("target/criterion", "lookup/jump/100", 96);
    fs::remove_file(folder.path("target/criterion/lookup_ring_100/new/sample.json")).unwrap();
    let said = folder.bench("record --machine mine");
    assert_eq!(said.ok(), "recorded 1 bench as run 2 of reports/history/mine.jsonl\n");
    let says = "warning: left out: target/criterion/lookup_ring_100/new: half written: there is \
                no sample.json\nhelp: the run was interrupted or is still going: run the bench \
                again\n";
    assert_eq!(said.err(), says);
    let line = fs::read_to_string(folder.path("reports/history/mine.jsonl")).unwrap();
    let run: Value = serde_json::from_str(line.lines().last().unwrap()).unwrap();
    assert_eq!((&run["schema"], &run["machine"]["name"]), (&1.into(), &"mine".into()));
    assert_eq!(run["benches"][0]["median_ns"], 12.0);
    assert!(run["rustc"].as_str().unwrap().starts_with("rustc "), "{run}");

    let shown = folder.bench("history --html page.html").ok();
    for says in ["mine: ", "runs: 2, from 20", "lookup/jump/100", "+20.0 %", "100 "] {
        assert!(shown.contains(says), "{says} in {shown}");
    }
    let page = fs::read_to_string(folder.path("page.html")).unwrap();
    for says in [
        "The median was 10.0 ns at first (run 1, 20",
        "and 12.0 ns at last (run 2, 20",
        "20.0\u{a0}% more. The intervals of the two, 10.0 ns and 12.0 ns, lie apart.",
        "1 slower: lookup/jump/100 (by 20.0\u{a0}%); none faster.",
        "One run (run 1, 20",
    ] {
        assert!(page.contains(says), "{says} in {page}");
    }
    for outside in ["http://", "https://", "<script", "src=\"/"] {
        let found = page.replace("http://www.w3.org/2000/svg", "").contains(outside);
        assert!(!found, "{outside}");
    }
    folder.bench("history --html page.html").ok();
    let json = folder.json("history --machine mine");
    assert_eq!((&json[0]["runs"], &json[0]["torn"]), (&2.into(), &false.into()));
    let change = json[0]["benches"][0]["change"].as_f64().unwrap();
    assert!((change - 0.2).abs() < 1e-9, "{change}");
}

/// A last line that was cut is said, and kept when the next run is added.
#[test]
fn a_torn_line_is_not_lost() {
    let folder = Folder::new();
    folder.criterion("c", "lookup/jump/100", 80);
    folder.bench("record --criterion c --machine mine").ok();
    let file = folder.path("reports/history/mine.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}{}", &text[..40])).unwrap();
    let shown = folder.bench("history");
    shown.ok();
    let says = "warning: reports/history/mine.jsonl, line 2: torn: 40 bytes are no run; the next \
                `placelab bench record` keeps them aside\n";
    assert_eq!(shown.err(), says);
    let said = folder.bench("record --criterion c --machine mine --json");
    let json: Value = serde_json::from_str(&said.ok()).unwrap();
    assert_eq!((&json["runs"], &json["benches"]), (&2.into(), &1.into()));
    let says = "warning: the last line was torn: it is kept in reports/history/mine.jsonl.torn\n";
    assert_eq!(said.err(), says);
    let kept = fs::read_to_string(folder.path("reports/history/mine.jsonl.torn")).unwrap();
    assert_eq!(kept, format!("{}\n", &text[..40]));
}

#[test]
fn bad_records_are_explained() {
    let folder = Folder::new();
    folder.criterion("c", "lookup/jump/100", 80);
    folder.criterion("half", "lookup/jump/100", 80);
    fs::remove_file(folder.path("half/lookup_jump_100/new/estimates.json")).unwrap();
    folder.criterion("broken", "lookup/jump/100", 80);
    folder.write("broken/lookup_jump_100/new/sample.json", "{\"iters\": [1");
    folder.bench("record --criterion c --machine mine").ok();
    let line = fs::read_to_string(folder.path("reports/history/mine.jsonl")).unwrap();
    folder.write("reports/history/renamed.jsonl", &line);
    folder.write("other/mine.jsonl", &line.replace("\"cpu\":\"", "\"cpu\":\"Another "));
    folder.write("bad/mine.jsonl", &format!("{{}}\n{line}"));
    folder.write("later/mine.jsonl", &line.replace("\"schema\":1", "\"schema\":9"));
    folder.write("file", "");
    for (arguments, code, says) in [
        ("", 2, "error: target/criterion: there is no such folder\nhelp: run `cargo bench` first"),
        ("--criterion none", 2, "none: there is no such folder"),
        ("--criterion file", 2, "file: there is no such folder"),
        ("--criterion c --baseline old", 2, "`old`; there are `new`\nhelp: run `cargo bench`, or"),
        ("--criterion half", 2, "half/lookup_jump_100/new: half written: there is no estimates.js"),
        ("--criterion broken", 2, "broken/lookup_jump_100/new/sample.json: EOF while parsing"),
        ("--criterion c --machine ../up", 2, "--machine `../up`: name of a machine: 1 to 64"),
        ("--criterion c --machine renamed", 2, "renamed.jsonl, line 1: a run of the machine `mi"),
        ("--criterion c --history other", 2, "other/mine.jsonl: a run of `mine` ("),
        ("--criterion c --history bad", 2, "bad/mine.jsonl, line 1: missing field `schema`"),
        ("--criterion c --history later", 2, "later/mine.jsonl, line 1: schema 9, and this plac"),
        ("--criterion c --history file", 1, "file: cannot be written"),
    ] {
        let machine = if arguments.contains("--machine") { "" } else { " --machine mine" };
        let said =
            folder.bench(format!("record{machine} {arguments}").replace("  ", " ").trim_end());
        assert_eq!(said.code(), code, "{arguments}: {}", said.err());
        assert!(said.err().contains(says), "{arguments}: {}", said.err());
        assert!(said.err().starts_with("error: ") && said.out().is_empty(), "{arguments}");
    }
    let after = fs::read_to_string(folder.path("reports/history/mine.jsonl")).unwrap();
    assert_eq!(after, line, "nothing was added");
}

#[test]
fn bad_histories_are_explained() {
    let folder = Folder::new();
    folder.criterion("c", "lookup/jump/100", 80);
    folder.bench("record --criterion c --machine mine").ok();
    folder.write("bad/mine.jsonl", "{\"schema\":1,\"\\u001b[2J\":0}\n{}\n");
    folder.write("mine.html", "<p>mine</p>");
    for (arguments, code, says) in [
        ("--history none", 2, "none: no runs are recorded there\nhelp: run `cargo bench`, then"),
        ("--machine yours", 1, "reports/history/yours.jsonl: cannot be read"),
        ("--machine a/b", 2, "--machine `a/b`: name of a machine"),
        ("--history bad", 2, "bad/mine.jsonl, line 1: unknown field `\u{fffd}[2J`"),
        ("--html mine.html", 1, "mine.html is not a history of placelab: move it away or choo"),
    ] {
        let said = folder.bench(&format!("history {arguments}"));
        assert_eq!(said.code(), code, "{arguments}: {}", said.err());
        assert!(said.err().contains(says), "{arguments}: {}", said.err());
        assert!(said.err().starts_with("error: ") && said.out().is_empty(), "{arguments}");
    }
    assert_eq!(fs::read_to_string(folder.path("mine.html")).unwrap(), "<p>mine</p>");
}

#[test]
fn a_slower_build_is_found() {
    let folder = Folder::new();
    folder.script("base", &bench_of("80"));
    folder.script("head", &bench_of("104"));
    let said = folder.bench("compare ./base ./head");
    assert_eq!(said.code(), 3, "{}", said.err());
    for says in ["base ./base, head ./head", "lookup/jump/100", "1.300–1.300", "0.0 %", "slower"]
    {
        assert!(said.out().contains(says), "{says} in {}", said.out());
    }
    let lines = said.err();
    for says in [
        "comparing ./head with ./base: 35 rounds of 3 launches\n",
        "round 1 of 35: base, head, base again\nround 2 of 35: base, base again, head\n",
        "error: slower: lookup/jump/100 by +30.0 % (+30.0 % to +30.0 %)\n",
    ] {
        assert!(lines.contains(says), "{says} in {lines}");
    }
    let faster = folder.json("compare ./head ./base --rounds 7 --filter jump");
    let one = &faster["benches"][0];
    assert_eq!((&one["answer"], &faster["rounds"]), (&"faster".into(), &7.into()));
    assert_eq!((&one["base_ns"], &one["head_ns"]), (&13.0.into(), &10.0.into()));
    let same = folder.json("compare ./base ./base --rounds 7");
    assert_eq!(same["benches"][0]["answer"], "no difference");
    // Every other launch takes twice as long.
    let noisy = "$(test -e \"$0.n\" && rm \"$0.n\" && echo 160 || { touch \"$0.n\"; echo 80; })";
    folder.script("noisy", &bench_of(noisy));
    let said = folder.bench("compare ./noisy ./head --rounds 7");
    assert!(said.ok().contains("inconclusive"), "{}", said.out());
    assert!(
        said.err().contains("1 of 1 inconclusive: the machine was too noisy"),
        "{}",
        said.err()
    );
}

#[test]
fn bad_comparisons_are_explained() {
    let folder = Folder::new();
    folder.script("base", &bench_of("80"));
    folder.script("other", &bench_of("80").replace("jump", "ring"));
    folder.script("fails", "printf 'it is \\033[2J broken\\n' >&2\nexit 7\n");
    folder.script("half", &(bench_of("80") + "rm sample.json\n"));
    folder.script("silent", "exit 0\n");
    folder.write("text", "no program");
    for (arguments, code, says) in [
        ("base none", 2, "none: neither an executable nor a revision of git\nhelp: build a bench"),
        ("none base", 2, "none: neither an executable"),
        ("base text", 2, "text: not an executable\nhelp: build a bench"),
        ("base base --filter anchor", 2, "base: no bench matches --filter `anchor`\nhelp: `BENCH"),
        ("base base --filter=-x", 2, "--filter `-x`: not the name of a bench"),
        ("base silent", 2, "silent: it ran no bench\nhelp: is it a bench of criterion?"),
        ("base fails", 1, "fails: exit status: 7\nit is \u{fffd}[2J broken"),
        ("base half", 2, "half written: there is no sample.json"),
        ("base other", 2, "base and head have no bench in common"),
        ("base base --rounds 6", 2, "--rounds `6`: at least 7, or luck could pass for an answer"),
        ("base base --rounds -1", 2, "--rounds `-1`: a whole number from 7 on"),
        ("base base --rounds 1_000", 4, "--rounds `1_000`: at most 999"),
        ("base", 2, "<HEAD>"),
    ] {
        let said = folder.bench(&format!("compare {arguments}"));
        assert_eq!(said.code(), code, "{arguments}: {}", said.err());
        assert!(said.err().contains(says), "{arguments}: {}", said.err());
        assert!(said.out().is_empty() && !said.err().contains('\u{1b}'), "{arguments}");
    }
}

fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
    let ended = Command::new("git").args(identity).args(arguments).current_dir(folder).output();
    let ended = ended.unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}

/// Revisions are built from sources of their own, and nothing of them stays but the target folder.
#[test]
fn revisions_are_built_and_compared() {
    let folder = Folder::new();
    let here = folder.0.path();
    git(here, &["init", "--quiet", "--initial-branch=main"]);
    folder.write(".gitignore", "/target\n/cargo\n");
    for ns in ["80", "104"] {
        folder.script("bench.sh", &bench_of(ns));
        git(here, &["add", "-A"]);
        git(here, &["commit", "--quiet", "-m", ns]);
    }
    // Builds a bench by copying it, and says so as cargo does.
    folder.script(
        "cargo",
        "test \"$5\" = lookup || { echo 'error: no bench target' >&2; exit 101; }\n\
         mkdir -p \"$CARGO_TARGET_DIR\"\ncp bench.sh \"$CARGO_TARGET_DIR/lookup-1\"\n\
         echo '{\"reason\":\"build-script-executed\"}'\n\
         echo '{\"target\":{\"kind\":[\"bench\"],\"name\":\"lookup\"},\
         \"executable\":\"'\"$CARGO_TARGET_DIR\"'/lookup-1\"}'\n",
    );
    let said = folder.bench("compare HEAD~1 main --rounds 7");
    assert_eq!(said.code(), 3, "{}", said.err());
    assert!(said.out().contains("base HEAD~1 ("), "{}", said.out());
    assert!(said.err().contains("building bench lookup of "), "{}", said.err());
    assert_eq!(fs::read_dir(here.join(".git/worktrees")).map_or(0, Iterator::count), 0);
    assert_eq!(fs::read_dir(here.join("target/compare")).unwrap().count(), 2);
    let said = folder.bench("compare HEAD main --bench build");
    assert_eq!((said.code(), said.out()), (1, String::new()));
    assert!(said.err().contains("cargo could not build it"), "{}", said.err());
    assert_eq!(fs::read_dir(here.join(".git/worktrees")).map_or(0, Iterator::count), 0);
    // A record names the commit, and whether files were changed.
    folder.criterion("target/criterion", "lookup/jump/100", 80);
    folder.bench("record --machine mine").ok();
    folder.script("bench.sh", "exit 0\n");
    folder.bench("record --machine mine").ok();
    let text = fs::read_to_string(folder.path("reports/history/mine.jsonl")).unwrap();
    let runs: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(runs[0]["commit"].as_str().unwrap().len(), 40);
    assert_eq!((&runs[0]["is_dirty"], &runs[1]["is_dirty"]), (&false.into(), &true.into()));
}

/// An interrupt reaches the programs of a comparison too; what it had made is gone afterwards.
#[test]
fn an_interrupted_comparison_cleans_up() {
    let folder = Folder::new();
    let here = folder.0.path();
    git(here, &["init", "--quiet", "--initial-branch=main"]);
    folder.write(".gitignore", "/temporary\n/cargo\n/started\n");
    folder.script("bench.sh", "exit 0\n");
    git(here, &["add", "-A"]);
    git(here, &["commit", "--quiet", "-m", "one"]);
    folder.script("cargo", &format!("touch {}\nsleep 600\n", folder.path("started").display()));
    fs::create_dir(folder.path("temporary")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_placelab"))
        .args(["bench", "compare", "HEAD", "main"])
        .current_dir(here)
        .env("CARGO", folder.path("cargo"))
        .env("TMPDIR", folder.path("temporary"))
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    while !folder.path("started").exists() {
        std::thread::yield_now();
    }
    assert_eq!(fs::read_dir(here.join(".git/worktrees")).map_or(0, Iterator::count), 1);
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.ends_with("interrupted\n"), "{said}");
    assert_eq!(fs::read_dir(here.join(".git/worktrees")).map_or(0, Iterator::count), 0);
    assert_eq!(fs::read_dir(folder.path("temporary")).unwrap().count(), 0);
}
