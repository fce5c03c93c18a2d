//! Files that do not have the form of a scenario.

use super::{Case, check};

#[test]
fn form_is_checked() {
    check(CASES);
}

const CASES: &[Case] = &[
    Case {
        name: "an unknown key",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
titel = "x"
"#,
        report: r#"
error: the scenario has no key `titel`
 --> s.toml:5:1
  |
5 | titel = "x"
  | ^^^^^ unknown key
  |
  = help: did you mean `title`? there are `schema`, `title`, `seeds`, `why`, `canaries`,
          `algorithms`, `keys`, `fleet`, `failures`, `timeline`, `require`, `expect`
"#,
    },
    Case {
        name: "an unknown verb",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
jion = 2
"#,
        report: r#"
error: [[timeline.event]] has no key `jion`
 --> s.toml:8:1
  |
8 | jion = 2
  | ^^^^ unknown key
  |
  = help: did you mean `join`? there are `label`, `repeat`, `join`, `leave`, `fail`,
          `recover`, `grow`, `shrink`, `reweight`, `rolling`, `zone_fail`, `zone_recover`,
          `replace`, `rename`, `rehash`
"#,
    },
    Case {
        name: "no verb",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
label = "a"
"#,
        report: r#"
error: an event needs a verb, which says what happens
 --> s.toml:7:1
  |
7 | [[timeline.event]]
  | ^^^^^^^^^^^^^^^^^^
  |
  = help: there are `join`, `leave`, `fail`, `recover`, `grow`, `shrink`, `reweight`,
          `rolling`, `zone_fail`, `zone_recover`, `replace`, `rename`, `rehash`
"#,
    },
    Case {
        name: "two verbs",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
fail = 2
join = 1
"#,
        report: r#"
error: an event has one verb, not several
 --> s.toml:9:1
  |
9 | join = 1
  | ^^^^ the second one
  |
  = help: write an [[timeline.event]] for each of them
"#,
    },
    Case {
        name: "a weight in quotes",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
[[fleet.node]]
name = "a"
weight = "2"
"#,
        report: r#"
error: `weight` takes a weight, a decimal number such as 2 or 1.25
 --> s.toml:6:10
  |
6 | weight = "2"
  |          ^^^ this is a string
"#,
    },
    Case {
        name: "an escape in a name",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
[[fleet.node]]
name = "a\u001b[2J"
"#,
        report: r#"
error: a name holds no control or bidirectional characters, this one holds U+001B
 --> s.toml:5:8
  |
5 | name = "a\u001b[2J"
  |        ^^^^^^^^^^^^
"#,
    },
    Case {
        name: "nodes beyond the limit",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 1_000_000_000 }
"#,
        report: r#"
error: `nodes` takes a whole number from 1 to 1000000
 --> s.toml:4:19
  |
4 | fleet = { nodes = 1_000_000_000 }
  |                   ^^^^^^^^^^^^^ more than the 1000000 possible
"#,
    },
    Case {
        name: "an empty file",
        scenario: r#""#,
        report: r#"
error: the file is empty
--> s.toml
 = help: `placelab init` writes a scenario to start from
"#,
    },
    Case {
        name: "a file with nothing but a comment",
        scenario: r#"
# nothing
"#,
        report: r#"
error: the file does not say `schema = 1`
--> s.toml
 = help: a scenario begins with the version of its format

error: the scenario needs `algorithms`
--> s.toml

error: the scenario needs `keys`
--> s.toml

error: the scenario needs `fleet`
--> s.toml
"#,
    },
    Case {
        name: "a file of another format",
        scenario: r#"
schema = 2
unknown = true
"#,
        report: r#"
error: the format of this file is schema 2
 --> s.toml:1:10
  |
1 | schema = 2
  |          ^ this version reads schema 1
"#,
    },
    Case {
        name: "text that is no toml",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
[fleet
nodes = 3
"#,
        report: r#"
error: unclosed table, expected `]`
 --> s.toml:4:7
  |
4 | [fleet
  |       ^
  |
  = help: everything else is checked once the file reads as TOML
"#,
    },
    Case {
        name: "several errors at once",
        scenario: r#"
schema = 1
seeds = 0
algorithms = ["rong"]
keys = { source = "unform", count = 10 }
fleet = { nodes = 3 }
[[timeline]]
name = "t"
[[timeline.event]]
leave = "node-7"
[[timeline]]
name = "u"
[[timeline.event]]
recover = 1
"#,
        report: r#"
error: `seeds` takes a whole number from 1 to 1000
 --> s.toml:2:9
  |
2 | seeds = 0
  |         ^ outside that range

error: no algorithm is called `rong`
 --> s.toml:3:15
  |
3 | algorithms = ["rong"]
  |               ^^^^^^ unknown algorithm
  |
  = help: did you mean `ring`? there are `modulo`, `ring`, `maglev`, `ideal`

error: `source` cannot be `unform`
 --> s.toml:4:19
  |
4 | keys = { source = "unform", count = 10 }
  |                   ^^^^^^^^
  |
  = help: did you mean `uniform`? there are `sequential`, `uniform`, `zipf`, `file`

error: `node-7` is not in the fleet
 --> s.toml:9:9
  |
9 | leave = "node-7"
  |         ^^^^^^^^ no such node at this point
  |
  = help: did you mean `node-0`?

error: 1 node cannot recover
  --> s.toml:13:11
   |
13 | recover = 1
   |           ^ no node has failed at this point
"#,
    },
];
