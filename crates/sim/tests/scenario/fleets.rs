//! Fleets as the command line gives them.

use placelab_sim::fleet::{FleetError, parse_nodes};

/// `name weight zone` of each node, or the error.
fn fleet(text: &str) -> Result<Vec<String>, String> {
    let nodes = parse_nodes(text).map_err(|error| error.to_string())?;
    let zone = |node: &placelab_core::Node| node.zone.clone().map_or("-".into(), |z| z.to_string());
    Ok(nodes.iter().map(|node| format!("{} {} {}", node.name, node.weight, zone(node))).collect())
}

fn from_file(contents: &str) -> Result<Vec<String>, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("nodes.csv");
    std::fs::write(&path, contents).expect("a file in a temporary folder");
    let path = path.to_string_lossy();
    fleet(&format!("@{path}")).map_err(|error| error.replace(&*path, "nodes.csv"))
}

#[test]
fn counts_and_lists_are_read() {
    assert_eq!(fleet("2").unwrap(), ["node-0 1 -", "node-1 1 -"]);
    assert_eq!(fleet("a=2.5@east, b, c@west").unwrap(), ["a 2.5 east", "b 1 -", "c 1 west"]);
    assert_eq!(fleet("k=v@x=3@y").unwrap(), ["k=v@x 3 y"], "the last `@`, then the last `=`");
}

#[test]
fn wrong_lists_say_which_node() {
    let cases = [
        ("", "node ``: a name has 1 to 255 bytes, this one has 0"),
        ("a,,b", "node ``: a name has 1 to 255 bytes, this one has 0"),
        ("a,a", "node `a`: the name stands there twice"),
        (
            "a=-1",
            "node `a=-1`: a weight is a decimal from 0 to 1000000000 with at most six digits after \
             the point, not `-1`",
        ),
        ("a@", "node `a@`: zone: a name has 1 to 255 bytes, this one has 0"),
        ("a=0,b=0", "a fleet needs at least one node of positive weight"),
        ("0", "a fleet needs at least one node of positive weight"),
        ("1000001", "nodes: 1000001 asked for, at most 1000000 possible"),
    ];
    for (text, expected) in cases {
        assert_eq!(fleet(text), Err(expected.into()), "{text}");
    }
    let digits = "9".repeat(1_000);
    assert!(matches!(parse_nodes(&digits), Err(FleetError::Limit { .. })));
}

#[test]
fn files_have_columns() {
    let csv = "name,weight,zone\n\"a,b\",2,east\nc,,\n";
    assert_eq!(from_file(csv).unwrap(), ["a,b 2 east", "c 1 -"]);
    assert_eq!(from_file("zone,name\nz,a\n").unwrap(), ["a 1 z"]);
    let cases = [
        ("weight\n1\n", "nodes.csv, line 1: no column is called `name`"),
        (
            "name,size\na,1\n",
            "nodes.csv, line 1: column `size`: there are `name`, `weight`, `zone`, `rack`",
        ),
        ("name\na\na\n", "nodes.csv, line 3: the name stands there twice"),
        ("name\n", "a fleet needs at least one node of positive weight"),
    ];
    for (text, expected) in cases {
        assert_eq!(from_file(text), Err(expected.into()), "{text}");
    }
    assert!(matches!(parse_nodes("@absent.csv"), Err(FleetError::Io { .. })));
}
