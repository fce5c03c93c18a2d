//! Nodes that cannot be replaced.

use super::{Case, check};

#[test]
fn exchanges_are_checked() {
    check(CASES);
}

const CASES: &[Case] = &[
    Case {
        name: "replacing an unknown node",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
replace = { "nod-1" = "new" }
"#,
        report: r#"
error: `nod-1` is not in the fleet
 --> s.toml:8:13
  |
8 | replace = { "nod-1" = "new" }
  |             ^^^^^^^ no such node at this point
  |
  = help: did you mean `node-1`?
"#,
    },
    Case {
        name: "replacing by members",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
replace = { "node-1" = "node-2", "node-3" = "node-1" }
"#,
        report: r#"
error: `node-2` cannot join: it is in the fleet already
 --> s.toml:8:24
  |
8 | replace = { "node-1" = "node-2", "node-3" = "node-1" }
  |                        ^^^^^^^^

error: `node-1` cannot join: it leaves in the same event
 --> s.toml:8:45
  |
8 | replace = { "node-1" = "node-2", "node-3" = "node-1" }
  |                                             ^^^^^^^^
"#,
    },
    Case {
        name: "replacing two by one",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
replace = { node-1 = "new", node-2 = "new" }
"#,
        report: r#"
error: `new` cannot join: it stands there twice
 --> s.toml:8:38
  |
8 | replace = { node-1 = "new", node-2 = "new" }
  |                                      ^^^^^
"#,
    },
    Case {
        name: "replacing by a node that failed",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
fail = "node-4"
[[timeline.event]]
replace = { "node-1" = "node-4" }
"#,
        report: r#"
error: `node-4` cannot join: it failed; `recover` brings it back
  --> s.toml:10:24
   |
10 | replace = { "node-1" = "node-4" }
   |                        ^^^^^^^^
"#,
    },
    Case {
        name: "replacing without a table",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
replace = "node-1"
"#,
        report: r#"
error: `replace` takes a table of old and new names: { "old" = "new" }
 --> s.toml:8:11
  |
8 | replace = "node-1"
  |           ^^^^^^^^ this is a string
"#,
    },
    Case {
        name: "replacing nobody",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
replace = {}
"#,
        report: r#"
error: `replace` names no node
 --> s.toml:8:11
  |
8 | replace = {}
  |           ^^
"#,
    },
    Case {
        name: "a second time what happens once",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
replace = { "node-0" = "x" }
repeat = 2
"#,
        report: r#"
error: `node-0` is not in the fleet
 --> s.toml:8:13
  |
8 | replace = { "node-0" = "x" }
  |             ^^^^^^^^ left before
  |
  = help: `join` brings it back

error: `x` cannot join: it is in the fleet already
 --> s.toml:8:24
  |
8 | replace = { "node-0" = "x" }
  |                        ^^^
"#,
    },
];
