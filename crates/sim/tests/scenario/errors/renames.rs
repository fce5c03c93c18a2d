//! Nodes that cannot be renamed, and hash seeds that stay.

use super::{Case, check};

#[test]
fn renames_are_checked() {
    check(CASES);
}

const CASES: &[Case] = &[
    Case {
        name: "renaming an unknown node",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
rename = { "nod-1" = "new" }
"#,
        report: r#"
error: `nod-1` is not in the fleet
 --> s.toml:8:12
  |
8 | rename = { "nod-1" = "new" }
  |            ^^^^^^^ no such node at this point
  |
  = help: did you mean `node-1`?
"#,
    },
    Case {
        name: "a new name that another node keeps",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
rename = { "node-0" = "node-1" }
"#,
        report: r#"
error: `node-1` is in the fleet already
 --> s.toml:8:23
  |
8 | rename = { "node-0" = "node-1" }
  |                       ^^^^^^^^ another node keeps this name
"#,
    },
    Case {
        name: "two new names alike",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
rename = { "node-0" = "x", "node-1" = "x" }
"#,
        report: r#"
error: two nodes would be called `x`
 --> s.toml:8:39
  |
8 | rename = { "node-0" = "x", "node-1" = "x" }
  |                                       ^^^ the second one
"#,
    },
    Case {
        name: "the names of absent nodes",
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
leave = "node-3"
[[timeline.event]]
rename = { "node-0" = "node-4", "node-1" = "node-3" }
"#,
        report: r#"
error: `node-4` is the name of a node that failed before
  --> s.toml:12:23
   |
12 | rename = { "node-0" = "node-4", "node-1" = "node-3" }
   |                       ^^^^^^^^ that node could not come back

error: `node-3` is the name of a node that left before
  --> s.toml:12:44
   |
12 | rename = { "node-0" = "node-4", "node-1" = "node-3" }
   |                                            ^^^^^^^^ that node could not come back
"#,
    },
    Case {
        name: "a template that makes the name of an absent node",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
join = "x-node-0"
[[timeline.event]]
fail = "x-node-0"
[[timeline.event]]
rename = "x-{}"
"#,
        report: r#"
error: `x-node-0` is the name of a node that failed before
  --> s.toml:12:10
   |
12 | rename = "x-{}"
   |          ^^^^^^ that node could not come back
"#,
    },
    Case {
        name: "a template without a place",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
rename = "cache"
"#,
        report: r#"
error: `rename` takes a text with `{}` in it once
 --> s.toml:8:10
  |
8 | rename = "cache"
  |          ^^^^^^^ no `{}`
  |
  = help: `{}` stands for the old name: "cache-{}" makes `cache-node-0` of `node-0`
"#,
    },
    Case {
        name: "a template with two places",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
rename = "{}-{}"
"#,
        report: r#"
error: `rename` takes a text with `{}` in it once
 --> s.toml:8:10
  |
8 | rename = "{}-{}"
  |          ^^^^^^^ more than one `{}`
  |
  = help: `{}` stands for the old name: "cache-{}" makes `cache-node-0` of `node-0`
"#,
    },
    Case {
        name: "a template that hides text",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
rename = "{}\u0007"
"#,
        report: r#"
error: a name holds no control or bidirectional characters, this one holds U+0007
 --> s.toml:8:10
  |
8 | rename = "{}\u0007"
  |          ^^^^^^^^^^
"#,
    },
    Case {
        name: "renaming by number",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
rename = 3
"#,
        report: r#"
error: `rename` takes a table of old and new names, or a text such as "cache-{}"
 --> s.toml:8:10
  |
8 | rename = 3
  |          ^ this is a whole number
"#,
    },
    Case {
        name: "a name that nobody has any more",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
rename = { "node-0" = "x" }
[[timeline.event]]
fail = "node-0"
"#,
        report: r#"
error: `node-0` is not in the fleet
  --> s.toml:10:8
   |
10 | fail = "node-0"
   |        ^^^^^^^^ no such node at this point
   |
   = help: it is called `x` now
"#,
    },
    Case {
        name: "a name that is taken by renaming",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
rename = { "node-0" = "x" }
[[timeline.event]]
join = "x"
"#,
        report: r#"
error: `x` cannot join: it is in the fleet already
  --> s.toml:10:8
   |
10 | join = "x"
   |        ^^^
"#,
    },
    Case {
        name: "a hash seed that stays",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
rehash = false
"#,
        report: r#"
error: `rehash` takes true
 --> s.toml:8:10
  |
8 | rehash = false
  |          ^^^^^ nothing happens
  |
  = help: leave the event out where the seed stays
"#,
    },
    Case {
        name: "a hash seed by number",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
rehash = 7
"#,
        report: r#"
error: `rehash` takes true or false
 --> s.toml:8:10
  |
8 | rehash = 7
  |          ^ this is a whole number
"#,
    },
];
