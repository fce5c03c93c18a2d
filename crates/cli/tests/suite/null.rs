//! `placelab null`: what chance gives, and the verdict on observed counts.

use std::fs;

use serde_json::Value;

use crate::support::{Said, placelab, with_input};

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&placelab(&[&["null", "--json"], arguments].concat()).ok()).unwrap()
}

fn judged(arguments: &[&str], counts: &str) -> Value {
    let arguments = [&["null", "--json", "--observed", "-"], arguments].concat();
    let said = with_input(&arguments, counts.as_bytes()).ok();
    serde_json::from_str::<Value>(&said).unwrap()["observed"].take()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is a number"))
}

fn assert_near(value: &Value, want: f64, tolerance: f64) {
    assert!((number(value) - want).abs() <= tolerance, "{value} for {want}");
}

/// No text of a table and no number of JSON is anything but a number.
fn assert_finite(said: &Said) {
    let out = said.ok();
    for odd in ["NaN", "nan", "inf", "null,\n      \"low\"", "-0\n", "-0,", "-0.0"] {
        assert!(!out.contains(odd), "{odd} in {out}");
    }
}

/// Figures that were worked out elsewhere: 100 storage devices with 3,200 placement groups, 100
/// and 10 keys on each of 1,000 nodes, about a key on each of 980,000, sessions over workers.
#[test]
fn chance_is_what_it_is_elsewhere() {
    let devices = json(&["--keys", "3_200", "--nodes", "100"]);
    assert_near(&devices["weights"][0]["sd"], 5.63, 0.005);
    assert_near(&devices["weights"][0]["expected"], 32.0, 1e-9);
    let thousand = json(&["--keys", "100_000", "--nodes", "1_000"]);
    assert_near(&thousand["fleet"]["max_over_mean"]["mean"], 1.340, 0.002);
    let sd = number(&thousand["weights"][0]["sd"]);
    assert!((sd * sd - 99.9).abs() < 1e-9);
    let ten = json(&["--keys", "10_000", "--nodes", "1000"]);
    assert_near(&ten["fleet"]["max_over_mean"]["mean"], 2.17, 0.01);
    let many = json(&["--keys", "1_000_000", "--nodes", "980_000"]);
    assert_near(&many["fleet"]["max_over_mean"]["mean"], 8.69, 0.03);
    assert_near(&many["fleet"]["largest_load"]["mean"], 8.86, 0.03);
    let sessions = json(&["--keys", "10", "--nodes", "4"]);
    assert_near(&sessions["fleet"]["idle_probability"], 0.2194, 5e-5);
    let few = json(&["--keys", "20", "--nodes", "6"]);
    assert_near(&few["fleet"]["max_over_mean"]["mean"], 1.74, 0.005);
    assert_near(&few["fleet"]["idle_probability"], 0.15, 0.005);
    assert_eq!(few["fleet"]["max_over_min"], Value::Null);
}

/// Weights of a count of nodes are dealt out in turn, of a list or a file they are its own.
#[test]
fn every_weight_has_its_own_expectation() {
    let all = json(&["--keys", "10_000", "--nodes", "40", "--weights", "1,2,4", "--replicas", "3"]);
    let weights = all["weights"].as_array().unwrap();
    let nodes: Vec<u64> = weights.iter().map(|one| one["nodes"].as_u64().unwrap()).collect();
    assert_eq!(nodes, [14, 13, 13]);
    let sum = 14.0 + 26.0 + 52.0;
    for (one, weight) in weights.iter().zip([1.0, 2.0, 4.0]) {
        let chance = 3.0 * weight / sum;
        assert_near(&one["expected"], 10_000.0 * chance, 1e-6);
        assert_near(&one["sd"], (10_000.0 * chance * (1.0 - chance)).sqrt(), 1e-9);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("nodes.csv");
    fs::write(&file, "name,weight\nx,1\ny,2\nz,4\n").unwrap();
    let file = format!("@{}", file.display());
    let of_weights = json(&["--keys", "700", "--weights", "1,2,4"]);
    for nodes in ["x=1,y=2,z=4", &file] {
        assert_eq!(json(&["--keys", "700", "--nodes", nodes]), of_weights);
    }
}

/// A node that would have more than one copy of each key has just one, and the others the rest.
#[test]
fn heavy_nodes_are_cropped() {
    let asked = ["--keys", "30", "--weights", "1,1,9", "--replicas", "2"];
    let all = json(&asked);
    assert_eq!(
        (&all["weights"][1]["cropped"], &all["weights"][1]["chance"]),
        (&Value::Bool(true), &Value::from(1.0))
    );
    assert_near(&all["weights"][1]["weight_effective"], 2.0, 0.0);
    assert_near(&all["weights"][0]["expected"], 15.0, 1e-12);
    let text = placelab(&[&["null"][..], &asked].concat()).ok();
    assert!(text.contains("Nodes heavier than 2 have a copy of every key"), "{text}");
}

#[test]
fn verdicts_name_the_node_that_is_off() {
    let found = judged(&["--nodes", "a,b,c,d"], "node,count\na,100\nb,102\nc,60\nd,120\n");
    assert_eq!(found["verdict"], "worse than chance");
    assert_eq!(found["nodes_off"], 1);
    assert_eq!(found["nodes_off_listed"][0]["node"], "c");
    assert_eq!(found["family_wise_level"], 0.01);
    assert_near(&found["threshold"], 0.002, 1e-12);
    let found = judged(&["--nodes", "4", "--keys", "382"], "91\n102\n85\n104\n");
    assert_eq!((&found["verdict"], &found["nodes_off"]), (&"chance".into(), &0.into()));
    let even = "1000\n2000\n4000\n";
    assert_eq!(judged(&["--weights", "1,2,4"], even)["verdict"], "better than chance");
    // The same loads are no chance where the weights are equal.
    assert_eq!(judged(&["--nodes", "3"], even)["verdict"], "worse than chance");
    let arguments = ["null", "--nodes", "a,b,c,d", "--observed", "-"];
    let text = with_input(&arguments, b"d,120\nc,60\nb,102\na,100\n").ok();
    for says in ["worse than chance", "│ c ", "0.0020", "5 questions", "1 %"] {
        assert!(text.contains(says), "{says} in {text}");
    }
}

/// Copies count each, and a node of weight 0 has none.
#[test]
fn copies_and_idle_members_are_judged() {
    let copies = judged(&["--nodes", "3", "--replicas", "2"], "20\n21\n19\n");
    assert_eq!(copies["verdict"], "chance");
    let found = judged(&["--nodes", "a,b,c=0"], "a,50\nb,50\nc,1\n");
    assert_eq!(
        (&found["verdict"], &found["nodes_off_listed"][0]["node"]),
        (&"worse than chance".into(), &"c".into())
    );
}

#[test]
fn every_figure_is_a_number() {
    for arguments in [
        &["--keys", "1", "--nodes", "2"][..],
        &["--keys", "1", "--nodes", "1000"],
        &["--keys", "1_000_000_000_000", "--nodes", "2"],
        &["--keys", "1_000_000_000_000", "--weights", "1000000000,0.000001,0,3"],
        &["--keys", "5", "--nodes", "3", "--replicas", "3"],
        &["--keys", "1000", "--nodes", "50", "--replicas", "49"],
        &["--keys", "1000", "--nodes", "1000", "--replicas", "2", "--weights", "1,1,1,9000"],
    ] {
        for form in [&[][..], &["--json"]] {
            assert_finite(&placelab(&[&["null"], arguments, form].concat()));
        }
    }
    let arguments = ["null", "--nodes", "3", "--observed", "-", "--json"];
    for counts in ["0\n0\n1\n", "1\n1\n1\n", "1000000000000\n0\n0\n", "0\n1000000\n1000000\n"] {
        assert_finite(&with_input(&arguments, counts.as_bytes()));
    }
}

#[test]
fn what_cannot_be_asked_is_explained() {
    for (arguments, code, says) in [
        (&["--nodes", "3"][..], 2, "--keys"),
        (&["--keys", "9"], 2, "--nodes"),
        (&["--keys", "0", "--nodes", "4"], 2, "from 1 on"),
        (&["--keys", "-5", "--nodes", "4"], 2, "`-5`"),
        (&["--keys", "NaN", "--nodes", "4"], 2, "`NaN`"),
        (&["--keys", "1e6", "--nodes", "4"], 2, "such as 10_000"),
        (&["--keys", "1000000000001", "--nodes", "4"], 4, "at most 1000000000000"),
        (&["--keys", "9", "--nodes", "1"], 2, "one node"),
        (&["--keys", "9", "--nodes", "0"], 2, "at least one node"),
        (&["--keys", "9", "--nodes", "-3"], 2, "-3"),
        (&["--keys", "9", "--nodes", "a,a"], 2, "twice"),
        (&["--keys", "9", "--nodes", "1_000_000_000"], 4, "at most 1000000"),
        (&["--keys", "9", "--nodes", "@/nonexistent"], 1, "/nonexistent"),
        (&["--keys", "9", "--weights", "0,0"], 2, "all weights are 0"),
        (&["--keys", "9", "--weights", "0,5"], 2, "one node"),
        (&["--keys", "9", "--weights", "1,-2"], 2, "`-2`"),
        (&["--keys", "9", "--weights", "1,nan"], 2, "`nan`"),
        (&["--keys", "9", "--nodes", "2", "--weights", "1,2,3"], 2, "3 weights for 2 nodes"),
        (&["--keys", "9", "--nodes", "a,b", "--weights", "1,2"], 2, "name=weight"),
        (&["--keys", "9", "--nodes", "3", "--replicas", "4"], 2, "ask for 1 to 3"),
        (&["--keys", "9", "--nodes", "3", "--replicas", "0"], 2, "ask for 1 to 3"),
        (&["--nodes", "3", "--observed", "/nonexistent"], 1, "/nonexistent"),
    ] {
        let said = placelab(&[&["null"], arguments].concat());
        assert_eq!(said.code(), code, "{arguments:?}: {}", said.err());
        assert!(said.err().contains(says), "{arguments:?}: {}", said.err());
        assert!(said.err().starts_with("error: ") && said.out().is_empty(), "{arguments:?}");
    }
}

#[test]
fn counts_that_cannot_be_judged_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counts.csv");
    for (text, more, code, says) in [
        ("", &[][..], 2, "counts.csv: there are no counts"),
        ("a,0\nb,0\nc,0\n", &[], 2, "all counts are 0"),
        ("a,1\nb,-2\nc,3\n", &[], 2, "line 2: `-2`"),
        ("a,1\nb,many\nc,3\n", &[], 2, "line 2: `many`"),
        ("a,1\nb,NaN\nc,3\n", &[], 2, "line 2: `NaN`"),
        ("a,1,x\nb,2,y\nc,3,z\n", &[], 2, "line 1: 3 columns"),
        ("a,1\nb,2\nd,3\n", &[], 2, "line 3: node `d` is not in the fleet"),
        ("a,1\nb,2\nb\u{1b}[2J\u{202e},3\n", &[], 2, "line 3: node `b\u{fffd}[2J\u{fffd}`"),
        ("a,1\nb,2\n", &[], 2, "2 counts for 3 nodes: `c` has none"),
        ("1\n2\n3\n4\n", &[], 2, "line 4: more counts"),
        ("1\n2\n3\n", &["--keys", "7"], 2, "are of 6 keys and --keys is 7"),
        ("1\n2\n4\n", &["--replicas", "2"], 2, "sum to 7, which is no multiple of 2"),
        ("1\n2\n1000000000001\n", &[], 4, "at most 1000000000000"),
        ("1\n1000000000000\n3\n", &[], 4, "at most 1000000000000"),
    ] {
        fs::write(&path, text).unwrap();
        let base = ["null", "--nodes", "a,b,c", "--observed", path.to_str().unwrap()];
        let said = placelab(&[&base[..], more].concat());
        assert_eq!(said.code(), code, "{text:?}: {}", said.err());
        assert!(said.err().contains(says), "{text:?}: {}", said.err());
        assert!(!said.err().contains('\u{1b}') && said.out().is_empty(), "{text:?}");
    }
    let huge = vec![b'1'; (64 << 20) + 1];
    let said = with_input(&["null", "--nodes", "3", "--observed", "-"], &huge);
    assert_eq!(said.code(), 4, "{}", said.err());
}
