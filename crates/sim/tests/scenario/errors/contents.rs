//! Values that make no sense: contenders, keys, weights, what is expected.

use super::{Case, check};

#[test]
fn contents_are_checked() {
    check(CASES);
}

const CASES: &[Case] = &[
    Case {
        name: "an unknown algorithm",
        scenario: r#"
schema = 1
algorithms = ["maglev", "rign:vnodes=3"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
"#,
        report: r#"
error: no algorithm is called `rign`
 --> s.toml:2:25
  |
2 | algorithms = ["maglev", "rign:vnodes=3"]
  |                         ^^^^^^^^^^^^^^^ unknown algorithm
  |
  = help: did you mean `ring`? there are `modulo`, `ring`, `maglev`, `ideal`
"#,
    },
    Case {
        name: "a composite table size",
        scenario: r#"
schema = 1
algorithms = ["maglev:size=65536"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
"#,
        report: r#"
error: `size=65536` of `maglev`: 65536 is not a prime; the next one is 65537
 --> s.toml:2:15
  |
2 | algorithms = ["maglev:size=65536"]
  |               ^^^^^^^^^^^^^^^^^^^
"#,
    },
    Case {
        name: "an unknown parameter",
        scenario: r#"
schema = 1
algorithms = ["ring:nodes=3"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
"#,
        report: r#"
error: `ring` has no parameter `nodes`; it has vnodes, hash, tokens
 --> s.toml:2:15
  |
2 | algorithms = ["ring:nodes=3"]
  |               ^^^^^^^^^^^^^^
"#,
    },
    Case {
        name: "a negative weight",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
[[fleet.node]]
name = "a"
weight = -1
"#,
        report: r#"
error: a weight is a decimal from 0 to 1000000000 with at most six digits after the point, not `-1`
 --> s.toml:6:10
  |
6 | weight = -1
  |          ^^
"#,
    },
    Case {
        name: "a weight that is no number",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
[[fleet.node]]
name = "a"
weight = nan
"#,
        report: r#"
error: a weight is a decimal from 0 to 1000000000 with at most six digits after the point, not `nan`
 --> s.toml:6:10
  |
6 | weight = nan
  |          ^^^
"#,
    },
    Case {
        name: "weights that are all zero",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
[[fleet.node]]
name = "a"
weight = 0
[[fleet.node]]
name = "b"
weight = 0.0
"#,
        report: r#"
error: a fleet needs a node of positive weight
 --> s.toml:6:10
  |
6 | weight = 0
  |          ^ this and every other weight is 0
"#,
    },
    Case {
        name: "a name that stands there twice",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
[[fleet.node]]
name = "a"
[[fleet.node]]
name = "a"
"#,
        report: r#"
error: node `a` stands there twice
 --> s.toml:7:8
  |
7 | name = "a"
  |        ^^^ the second one
"#,
    },
    Case {
        name: "a missing key file",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "file", path = "absent.txt" }
fleet = { nodes = 5 }
"#,
        report: r#"
error: there is no file `absent.txt`; paths begin at the scenario's folder
 --> s.toml:3:34
  |
3 | keys = { source = "file", path = "absent.txt" }
  |                                  ^^^^^^^^^^^^
"#,
    },
    Case {
        name: "a path out of the folder",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "file", path = "../keys.txt" }
fleet = { nodes = 5 }
"#,
        report: r#"
error: `../keys.txt` lies outside the scenario's folder; copy it into that folder or one below it
 --> s.toml:3:34
  |
3 | keys = { source = "file", path = "../keys.txt" }
  |                                  ^^^^^^^^^^^^^
"#,
    },
    Case {
        name: "a column that is not there",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "file", path = "keys.csv", key = "key", requests = "hits" }
fleet = { nodes = 5 }
"#,
        report: r#"
error: the file has no column `hits`
 --> s.toml:3:70
  |
3 | keys = { source = "file", path = "keys.csv", key = "key", requests = "hits" }
  |                                                                      ^^^^^^
  |
  = help: there are `key`, `requests`, `size`
"#,
    },
    Case {
        name: "a file of tokens that fails its check",
        scenario: r#"
schema = 1
algorithms = ["ring:tokens=@tokens.txt"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
"#,
        report: r#"
error: `tokens=@tokens.txt` of `ring`: an x is no token
 --> s.toml:2:15
  |
2 | algorithms = ["ring:tokens=@tokens.txt"]
  |               ^^^^^^^^^^^^^^^^^^^^^^^^^
"#,
    },
    Case {
        name: "an unknown metric",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[require]]
metric = "load.cv.request"
max = 1
"#,
        report: r#"
error: no metric is called `load.cv.request`
 --> s.toml:6:10
  |
6 | metric = "load.cv.request"
  |          ^^^^^^^^^^^^^^^^^
  |
  = help: beside `load.cv` there may be `.requests` and `.bytes`
"#,
    },
    Case {
        name: "a metric the keys cannot give",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[expect]]
metric = "load.cv.requests"
max = 1
"#,
        report: r#"
error: `load.cv.requests` needs keys with requests
 --> s.toml:6:10
  |
6 | metric = "load.cv.requests"
  |          ^^^^^^^^^^^^^^^^^^ keys have no requests here
"#,
    },
    Case {
        name: "a pattern that matches nobody",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[expect]]
metric = "load.cv"
max = 1
algorithms = ["rang*"]
"#,
        report: r#"
error: no contender matches `rang*`
 --> s.toml:8:15
  |
8 | algorithms = ["rang*"]
  |               ^^^^^^^
  |
  = help: did you mean `ring`? there are `ring`, `modulo`, `ideal`
"#,
    },
];
