//! Hostile and mistaken files: a clear message, the right exit code, nothing written, no panic.

use std::fs;
use std::path::Path;

use crate::support::placelab;

const KEYS: &str = "[keys]\nsource = \"sequential\"\ncount = 100\n";
const FLEET: &str = "[fleet]\nnodes = 3\n";

fn head(algorithm: &str) -> String {
    format!("schema = 1\ntitle = \"t\"\nalgorithms = [\"{algorithm}\"]\n")
}

fn event(text: &str) -> Vec<u8> {
    let head = head("ring");
    format!("{head}{KEYS}{FLEET}[[timeline]]\nname = \"t\"\n[[timeline.event]]\n{text}\n").into()
}

fn fleet(nodes: &str) -> Vec<u8> {
    format!("{}{KEYS}{nodes}", head("ring")).into()
}

fn keys(keys: &str) -> Vec<u8> {
    format!("{}{keys}{FLEET}", head("ring")).into()
}

fn node(name: &str, weight: &str) -> String {
    format!("[[fleet.node]]\nname = \"{name}\"\nweight = {weight}\n")
}

/// A name, contents, exit code, what the message says, and whether it points into the file.
type Case = (&'static str, Vec<u8>, i32, &'static str, bool);

fn cases() -> Vec<Case> {
    let with_algorithm = |name: &str| format!("{}{KEYS}{FLEET}", head(name)).into_bytes();
    let column = "[keys]\nsource = \"file\"\npath = \"k.csv\"\nkey = \"nowhere\"\n";
    let missing = "[keys]\nsource = \"file\"\npath = \"missing.csv\"\nkey = \"key\"\n";
    let unknown = format!("{}bogus = 1\n{KEYS}{FLEET}", head("ring")).into_bytes();
    let negative = fleet(&node("a", "-1"));
    let not_a_number = fleet(&node("a", "nan"));
    let all_zero = fleet(&(node("a", "0") + &node("b", "0")));
    let twice = fleet(&(node("a", "1") + &node("a", "1")));
    let escape = fleet(&node("a\\u001b[2J", "1"));
    let everybody = event("leave = [\"node-0\", \"node-1\", \"node-2\"]");
    vec![
        ("unknown field", unknown, 2, "bogus", true),
        ("unknown verb", event("explode = 1"), 2, "explode", true),
        ("unknown node", event("fail = \"node-7\""), 2, "node-7", true),
        ("unknown algorithm", with_algorithm("rign"), 2, "rign", true),
        ("unknown parameter", with_algorithm("ring:vndes=1"), 2, "vndes", true),
        ("weight below 0", negative, 2, "weight", true),
        ("weight not a number", not_a_number, 2, "weight", true),
        ("weights all 0", all_zero, 2, "weight", true),
        ("a name twice", twice, 2, "`a`", true),
        ("escape in a name", escape, 2, "name", true),
        ("nobody left", everybody, 2, "left", true),
        ("composite table", with_algorithm("maglev:size=65536"), 2, "65537", true),
        ("missing key file", keys(missing), 2, "missing.csv", true),
        ("missing column", keys(column), 2, "nowhere", true),
        ("outside the folder", keys(&missing.replace("missing", "../x")), 2, "../x", true),
        ("binary", vec![0xff, 0xfe, 0, 1, 2, 0x80], 2, "UTF-8", true),
        ("zero bytes", vec![0; 64], 2, "zero byte", true),
        ("empty", Vec::new(), 2, "empty", false),
        ("no TOML", b"[[[[".to_vec(), 2, "", true),
        ("too many nodes", fleet("[fleet]\nnodes = 1_000_000_000\n"), 4, "1000000", true),
    ]
}

/// What asks for too much, and what a fleet has not.
fn limits() -> Vec<Case> {
    let with_algorithm = |name: &str| format!("{}{KEYS}{FLEET}", head(name)).into_bytes();
    vec![
        (
            "too many points",
            {
                let nodes = "[fleet]\nnodes = 1_000_000\n";
                format!("{}{KEYS}{nodes}", head("ring:vnodes=100000")).into_bytes()
            },
            4,
            "points of a ring",
            true,
        ),
        (
            "too many logical buckets",
            {
                let nodes = node("a", "1") + &node("b", "0.999999");
                format!("{}{KEYS}{nodes}", head("jump+weighted")).into_bytes()
            },
            4,
            "1999999 asked for, at most 65536",
            true,
        ),
        ("resolution", with_algorithm("jump+weighted:resolution=1000001"), 2, "1000000", true),
        (
            "a million values",
            {
                let values: Vec<String> = (1..=1_000_000).map(|value| value.to_string()).collect();
                with_algorithm(&format!("ring:vnodes={{{}}}", values.join(",")))
            },
            4,
            "1000000 contenders",
            true,
        ),
        (
            "a sweep of a million",
            {
                let values: Vec<String> = (1..=1_000).map(|value| value.to_string()).collect();
                let values = values.join(",");
                with_algorithm(&format!("ring:vnodes={{{values}}},hash={{{values}}}"))
            },
            4,
            "1000000 contenders",
            true,
        ),
        ("no copies", fleet("[fleet]\nnodes = 3\nreplicas = 0\n"), 2, "replicas", true),
        ("nine copies", fleet("[fleet]\nnodes = 30\nreplicas = 9\n"), 2, "replicas", true),
        ("more copies than nodes", fleet("[fleet]\nnodes = 3\nreplicas = 4\n"), 2, "3", true),
        ("no zones", event("zone_fail = \"zone-0\""), 2, "no zones", true),
        ("a name that is taken", event("rename = { node-0 = \"node-1\" }"), 2, "node-1", true),
        ("a huge file", vec![b'#'; (8 << 20) + 1], 4, "8388608", false),
    ]
}

fn files_below(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn mistakes_are_explained_and_nothing_is_written() {
    for (what, contents, code, says, points) in cases().into_iter().chain(limits()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.toml");
        fs::write(&path, contents).unwrap();
        fs::write(folder.path().join("k.csv"), "key,requests\na,1\n").unwrap();
        let path = path.to_str().unwrap();
        let out = folder.path().join("out");
        for arguments in [&["check", path][..], &["run", path, "--out", out.to_str().unwrap()]] {
            let said = placelab(arguments);
            let error = said.err();
            assert_eq!(said.code(), code, "{what}: {error}");
            assert!(error.contains(says), "{what}: {error}");
            assert!(error.starts_with("error"), "{what}: {error}");
            assert!(!error.contains("panicked") && !error.contains('\u{1b}'), "{what}: {error}");
            if points {
                assert!(error.contains("s.toml:") && error.contains('^'), "{what}: {error}");
            }
            // A check prints the plan and the cost before it says who is beyond a limit.
            let prints = what.starts_with("too many") && arguments[0] == "check";
            assert!(prints || said.out().is_empty(), "{what}");
        }
        assert_eq!(files_below(folder.path()), 2, "{what}: nothing was written");
    }
}

#[test]
fn every_mistake_of_a_file_is_shown_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.toml");
    let text = "schema = 1\ntitle = \"t\"\nalgorithms = [\"rign\", \"ring:vnodes=x\"]\nbogus = 1\n\
                [keys]\nsource = \"sequential\"\ncount = -5\n[fleet]\nnodes = 0\n";
    fs::write(&path, text).unwrap();
    let error = placelab(&["check", path.to_str().unwrap()]).err();
    for expected in ["rign", "vnodes", "bogus", "count", "nodes"] {
        assert!(error.contains(expected), "{expected} in {error}");
    }
    assert!(error.matches("error").count() >= 5, "{error}");
}

#[test]
fn a_scenario_that_is_not_there_is_code_1() {
    let said = placelab(&["run", "/nonexistent.toml"]);
    assert_eq!(said.code(), 1);
    assert!(said.err().contains("/nonexistent.toml"), "{}", said.err());
    assert_eq!(placelab(&["run"]).code(), 2);
    assert_eq!(placelab(&["fly"]).code(), 2);
}
