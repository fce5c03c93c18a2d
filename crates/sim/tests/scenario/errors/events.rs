//! Events that cannot happen.

use super::{Case, check};

#[test]
fn events_are_checked() {
    check(CASES);
}

const CASES: &[Case] = &[
    Case {
        name: "an unknown node",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
fail = ["node-1", "nod-2"]
"#,
        report: r#"
error: `nod-2` is not in the fleet
 --> s.toml:8:19
  |
8 | fail = ["node-1", "nod-2"]
  |                   ^^^^^^^ no such node at this point
  |
  = help: did you mean `node-2`?
"#,
    },
    Case {
        name: "nobody left by count",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
leave = 4
[[timeline.event]]
fail = 1
"#,
        report: r#"
error: `fail` leaves nobody in the fleet
  --> s.toml:10:8
   |
10 | fail = 1
   |        ^ the fleet has 1 node at this point
"#,
    },
    Case {
        name: "nobody left by name",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 2 }
[[timeline]]
name = "t"
[[timeline.event]]
leave = ["node-0", "node-1"]
"#,
        report: r#"
error: no node of positive weight would be left in the fleet
 --> s.toml:8:9
  |
8 | leave = ["node-0", "node-1"]
  |         ^^^^^^^^^^^^^^^^^^^^ after this event
"#,
    },
    Case {
        name: "nobody of positive weight left",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 1 }
[[timeline]]
name = "t"
[[timeline.event]]
reweight = { node-0 = 0 }
"#,
        report: r#"
error: no node of positive weight would be left in the fleet
 --> s.toml:8:12
  |
8 | reweight = { node-0 = 0 }
  |            ^^^^^^^^^^^^^^ after this event
"#,
    },
    Case {
        name: "a node that joins twice",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
join = ["new", "node-3"]
"#,
        report: r#"
error: `node-3` cannot join: it is in the fleet already
 --> s.toml:8:16
  |
8 | join = ["new", "node-3"]
  |                ^^^^^^^^
"#,
    },
    Case {
        name: "a recovery without a failure",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
leave = "node-1"
[[timeline.event]]
recover = "node-1"
"#,
        report: r#"
error: `node-1` cannot recover: it left; `join` brings it back
  --> s.toml:10:11
   |
10 | recover = "node-1"
   |           ^^^^^^^^
"#,
    },
    Case {
        name: "growth to fewer",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
grow = 3
"#,
        report: r#"
error: `grow = 3` asks for fewer nodes than there are
 --> s.toml:8:8
  |
8 | grow = 3
  |        ^ the fleet has 5 nodes at this point
  |
  = help: `grow` gives the total after the event; `shrink` goes the other way
"#,
    },
    Case {
        name: "shrinking to more",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
shrink = 7
"#,
        report: r#"
error: `shrink = 7` asks for more nodes than there are
 --> s.toml:8:10
  |
8 | shrink = 7
  |          ^ the fleet has 5 nodes at this point
  |
  = help: `shrink` gives the total after the event; `grow` goes the other way
"#,
    },
    Case {
        name: "an event that is not there",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
join = 2
[[expect]]
metric = "load.cv"
max = 1
event = "join 3"
"#,
        report: r#"
error: no event has the label `join 3`
  --> s.toml:12:9
   |
12 | event = "join 3"
   |         ^^^^^^^^
   |
   = help: did you mean `join 2`? there are `start`, `join 2`
"#,
    },
];
