//! `placelab table`: from a start to an active version, a join, a rival who is late, and files
//! that are wrong.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Said, placelab};

/// A folder with tables in it.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `placelab table` with the names of files, which begin with `@`, below the folder.
    fn table(&self, arguments: &str) -> Said {
        let path = |word: &str| match word.strip_prefix('@') {
            Some(name) => self.path(name).to_str().unwrap().to_string(),
            None => word.into(),
        };
        let words: Vec<String> = arguments.split(' ').map(path).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        placelab(&[&["table"], &words[..]].concat())
    }

    fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.table(&format!("{arguments} --json")).ok()).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// 64 shards over eight nodes, and a ninth: it takes seven, and nothing else moves.
#[test]
fn a_node_joins() {
    let folder = Folder::new();
    let first = folder.table("plan --nodes 8 --shards 64 --out @1.toml");
    for says in ["1, the first", "64 shards, one copy of each, over 8 nodes", "8 to 8", "proven"] {
        assert!(first.ok().contains(says), "{says} in {}", first.out());
    }
    assert!(first.err().contains("placelab table activate"), "{}", first.err());
    let said = folder.table("activate @1.toml @active.toml").ok();
    assert!(said.contains("version 1 is active in") && said.contains("the first one"), "{said}");
    let joined = folder.json("plan @active.toml --nodes 9 --out @2.toml");
    for (figure, value) in [
        ("version", 2),
        ("replaces", 1),
        ("shards", 64),
        ("nodes", 9),
        ("moves", 7),
        ("owners_changed", 7),
        ("rows_changed", 7),
        ("bytes", fs::metadata(folder.path("2.toml")).unwrap().len()),
    ] {
        assert_eq!(joined[figure], value, "{figure}");
    }
    assert_eq!(joined["copies_per_weight"]["max"], 8.0);
    assert_eq!(joined["optimum"], "proven");
    assert_eq!(folder.json("activate @2.toml @active.toml")["replaced"], 1);
    let shown = folder.json("show @active.toml --csv @rows.csv");
    assert_eq!((&shown["version"], &shown["replaces"]), (&2.into(), &1.into()));
    assert_eq!(shown["nodes"][8]["name"], "node-8");
    let copies = |shown: &Value| -> Vec<u64> {
        let nodes = shown["nodes"].as_array().unwrap();
        nodes.iter().map(|node| node["copies"].as_u64().unwrap()).collect()
    };
    assert_eq!(copies(&shown).iter().sum::<u64>(), 64);
    let rows = folder.json("show @rows.csv --nodes 9");
    assert_eq!((copies(&rows), &rows["version"]), (copies(&shown), &2.into()));
    let text = folder.table("show @active.toml").ok();
    for says in ["version 2, replaces 1: ", "every rule is kept", "node-8", "owns"] {
        assert!(text.contains(says), "{says} in {text}");
    }
    let names = ["1.toml", "2.toml", "active.toml", "active.toml.lock", "rows.csv"];
    assert_eq!(folder.names(), names, "nothing temporary stays");
}

/// Somebody planned from a table that another one has replaced since.
#[test]
fn who_is_late_plans_anew() {
    let folder = Folder::new();
    folder.table("plan --nodes 3 --shards 9 --out @1.toml").ok();
    let early = folder.table("plan @1.toml --nodes 4 --out @2.toml");
    early.ok();
    let nothing = folder.table("activate @2.toml @active.toml");
    assert_eq!((nothing.code(), nothing.out()), (3, String::new()));
    let says = "version 2 replaces version 1, and nothing is active";
    assert!(nothing.err().contains(says), "{}", nothing.err());
    folder.table("activate @1.toml @active.toml").ok();
    folder.table("plan @active.toml --nodes 2 --out @2-too.toml").ok();
    folder.table("activate @2.toml @active.toml").ok();
    let late = folder.table("activate @2-too.toml @active.toml");
    assert_eq!((late.code(), late.out()), (3, String::new()));
    let active = folder.path("active.toml").display().to_string();
    let says = format!(
        "error: {active}: version 2 replaces version 1, and version 2 is active\n\
         help: plan anew from {active}\n"
    );
    assert_eq!(late.err(), says);
    let back = folder.table("activate @1.toml @active.toml");
    assert_eq!(back.code(), 3);
    assert!(back.err().contains("version 2 is active, and none goes back"), "{}", back.err());
    folder.table("plan @active.toml --nodes 2 --out @3.toml").ok();
    folder.table("activate @3.toml @active.toml").ok();
    let whole = fs::read(folder.path("3.toml")).unwrap();
    assert_eq!(fs::read(folder.path("active.toml")).unwrap(), whole);
}

const START: &str = "shards = 4\ncopies = 2\nspread = \"zones\"\ntogether = true\n\
    [residency]\neu = [\"x\", \"y\"]\n\
    [[node]]\nname = \"a\"\nzone = \"x\"\ncapacity = 3\n\
    [[node]]\nname = \"b\"\nzone = \"y\"\nweight = \"2\"\n\
    [[node]]\nname = \"c\"\nzone = \"z\"\n\
    [[shard]]\nname = \"orders, old\"\nlabel = \"eu\"\n\
    [[shard]]\nname = \"users\"\ntenant = \"acme\"\n\
    [[shard]]\nname = \"carts\"\ntenant = \"acme\"\n\
    [[shard]]\nname = \"logs\"\n";

/// A start written by hand, with every rule.
#[test]
fn a_start_is_planned() {
    let folder = Folder::new();
    fs::write(folder.path("start.toml"), START).unwrap();
    let planned = folder.table("plan @start.toml --out @1.toml").ok();
    for says in ["2 copies of each in zones of their own", "heuristic", "a unit of weight"] {
        assert!(planned.contains(says), "{says} in {planned}");
    }
    let shown = folder.table("show @1.toml").ok();
    for says in ["shards with label eu are in x, y", "shards of a tenant are on the same nodes"] {
        assert!(shown.contains(says), "{says} in {shown}");
    }
    let one = folder.json("show @1.toml --csv @rows.csv");
    assert_eq!(one["nodes"][0]["capacity"], 3);
    assert_eq!(one["residency"]["eu"], serde_json::json!(["x", "y"]));
    let rows = fs::read_to_string(folder.path("rows.csv")).unwrap();
    assert!(rows.contains("1,4,1,\"orders, old\",eu,,"), "{rows}");
    let wider = "--nodes a@x,b@y,c@x,d@y --copies 3 --spread nodes";
    let more = folder.json(&format!("plan @1.toml {wider} --out @2.toml"));
    assert_eq!((&more["copies"], &more["version"]), (&3.into(), &2.into()));
    let fewer = folder.table("plan @1.toml --nodes 2 --zones 2 --out @x.toml");
    assert_eq!((fewer.code(), fewer.out()), (2, String::new()));
    assert!(fewer.err().contains("1.toml: residency: shard `orders, old`"), "{}", fewer.err());
    assert!(!folder.path("x.toml").exists());
}

/// A table that is wrong: by every command with the same words, and nothing is written.
#[test]
fn mistakes_are_explained_and_nothing_is_written() {
    let folder = Folder::new();
    folder.table("plan --nodes a,b,c --shards 3 --copies 2 --out @1.toml").ok();
    folder.table("activate @1.toml @active.toml").ok();
    folder.table("plan @active.toml --out @2.toml").ok();
    let whole = fs::read_to_string(folder.path("2.toml")).unwrap();
    let active = fs::read(folder.path("active.toml")).unwrap();
    let names = [folder.names(), vec!["bad.toml".into()]].concat().len();
    for (from, to, code, says) in [
        ("shards = 3", "shards = 4", 2, ", line 3: 4 shards are announced, and 3 are there"),
        ("copies = 2", "copies = 2\nbogus = 1", 2, ", line 5: unknown field `bogus`"),
        ("copies = 2", "copies = 2\ncopies = 2", 2, ", line 5: duplicate key"),
        ("copies = 2\n", "", 2, "missing field `copies`"),
        ("copies = 2", "copies = 99", 4, "copies: 99, at most 8 possible"),
        ("shards = 3", "shards = 1_048_577", 4, "shards: 1048577, at most 1048576 possible"),
        ("\"c\"]", "\"z\"]", 2, "unknown owner: shard `shard-0` is on `z`"),
        ("\"c\"]", "\"a\"]", 2, "twice: shard `shard-0` has two copies on `a`"),
        (", \"c\"]", "]", 2, "hole: copy 1 of shard `shard-0` has no node"),
        ("\"shard-1\"", "\"shard-0\"", 2, "shard `shard-0` is there twice"),
        ("\"shard-1\"", "\"\\u001b[2J\"", 2, "this one holds U+001B"),
        ("name = \"b\"", "name = \"a\"", 2, "node `a` is there twice"),
        ("name = \"b\"", "name = \"b\"\ncapacity = 1", 2, "capacity: `b` holds 2 copies"),
        ("name = \"b\"", "name = \"b\"\nweight = \"0\"", 2, "weight 0: shard `shard-1` is on `b`"),
        ("version = 2\nreplaces = 1\n", "", 2, "there is no version"),
        ("replaces = 1\n", "", 2, "version 2 cannot follow no version"),
        ("[[shard]]", "[[[[", 2, ""),
    ] {
        assert!(whole.contains(from), "{from} in {whole}");
        fs::write(folder.path("bad.toml"), whole.replacen(from, to, 1)).unwrap();
        for command in ["show @bad.toml --csv @rows.csv", "activate @bad.toml @active.toml"] {
            let said = folder.table(command);
            let error = said.err();
            assert_eq!(said.code(), code, "{to}: {error}");
            assert!(error.starts_with("error: ") && error.contains("bad.toml"), "{error}");
            assert!(error.contains(says) && error.contains("\nhelp: "), "{to}: {error}");
            assert!(!error.contains("panicked") && !error.contains('\u{1b}'), "{to}: {error}");
            assert!(said.out().is_empty(), "{to}");
        }
        assert_eq!(fs::read(folder.path("active.toml")).unwrap(), active, "{to}");
        assert_eq!(folder.names().len(), names, "{to}: nothing was written");
    }
}

#[test]
fn what_cannot_be_asked_is_explained() {
    let folder = Folder::new();
    folder.table("plan --nodes 3 --shards 3 --out @1.toml").ok();
    folder.table("show @1.toml --csv @rows.csv").ok();
    fs::write(folder.path("open.toml"), "shards = 1\ncopies = 1\n[[shard]]\nname = \"s\"\n")
        .unwrap();
    for (arguments, code, says) in [
        ("plan --shards 3 --out @x", 2, "--nodes"),
        ("plan --nodes 3 --out @x", 2, "--shards"),
        ("plan --nodes 3 --shards 3", 2, "--out"),
        ("plan @1.toml --shards 3 --out @x", 2, "--shards"),
        ("plan @1.toml --zones 3 --out @x", 2, "--nodes"),
        ("plan --nodes 3 --shards 0 --out @x", 2, "--shards `0`"),
        ("plan --nodes 3 --shards 1_048_577 --out @x", 4, "--shards `1_048_577`: at most 1048576"),
        ("plan --nodes 30 --shards 3 --copies 9 --out @x", 4, "--copies `9`: at most 8"),
        ("plan --nodes 3 --shards 3 --spread perhaps --out @x", 2, "one of nodes, zones, racks"),
        ("plan --nodes 3 --shards 3 --copies 4 --out @x", 2, "spread: 4 copies of each shard"),
        ("plan --nodes a,a --shards 3 --out @x", 2, "node `a`"),
        ("plan --nodes 3 --shards 3 --out @1.toml", 2, "1.toml: exists already"),
        ("plan --nodes 3 --shards 3 --out @no/x", 1, "x: cannot be written"),
        ("plan @open.toml --out @x", 2, "open.toml: there is no node"),
        ("plan @missing.toml --out @x", 1, "missing.toml: cannot be read"),
        ("show @missing.toml", 1, "missing.toml: cannot be read"),
        ("show @open.toml", 2, "open.toml: there is no node"),
        ("show @1.toml --csv @rows.csv", 2, "rows.csv: exists already"),
        ("show @1.toml --nodes 3", 2, "a whole table says what its fleet is"),
        ("show @rows.csv", 2, "rows do not say what the fleet is"),
        ("show @rows.csv --nodes 2", 2, "rows.csv, line 4: unknown owner: shard `shard-2`"),
        ("activate @1.toml", 2, "<ACTIVE>"),
        ("activate @open.toml @x", 2, "open.toml: there is no node"),
        ("activate @1.toml @no/x", 1, "x.lock: cannot be written"),
    ] {
        let said = folder.table(arguments);
        assert_eq!(said.code(), code, "{arguments}: {}", said.err());
        assert!(said.err().contains(says), "{arguments}: {}", said.err());
        assert!(said.err().starts_with("error: ") && said.out().is_empty(), "{arguments}");
        assert!(!folder.path("x").exists(), "{arguments}");
    }
}
