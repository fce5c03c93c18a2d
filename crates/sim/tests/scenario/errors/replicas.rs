//! Copies that the fleet cannot hold.

use super::{Case, check};

#[test]
fn replicas_are_checked() {
    check(CASES);
}

const CASES: &[Case] = &[
    Case {
        name: "no copies",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5, replicas = 0 }
"#,
        report: r#"
error: `replicas` takes a whole number from 1 to 8
 --> s.toml:4:33
  |
4 | fleet = { nodes = 5, replicas = 0 }
  |                                 ^ outside that range
"#,
    },
    Case {
        name: "too many copies",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 50, replicas = 9 }
"#,
        report: r#"
error: `replicas` takes a whole number from 1 to 8
 --> s.toml:4:34
  |
4 | fleet = { nodes = 50, replicas = 9 }
  |                                  ^ outside that range
"#,
    },
    Case {
        name: "more copies than nodes",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 2, replicas = 3 }
"#,
        report: r#"
error: `replicas = 3` needs as many nodes of positive weight
 --> s.toml:4:33
  |
4 | fleet = { nodes = 2, replicas = 3 }
  |                                 ^ the fleet has 2
"#,
    },
    Case {
        name: "more copies than zones",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 9, zones = 2, replicas = 3, zone_rule = "spread" }
"#,
        report: r#"
error: 3 copies need as many zones of positive weight
 --> s.toml:4:59
  |
4 | fleet = { nodes = 9, zones = 2, replicas = 3, zone_rule = "spread" }
  |                                                           ^^^^^^^^ the fleet has 2
"#,
    },
    Case {
        name: "a rule about racks where there are none",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 9, zones = 3, replicas = 3, rack_rule = "prefer" }
"#,
        report: r#"
error: `rack_rule` needs the rack of every node
 --> s.toml:4:59
  |
4 | fleet = { nodes = 9, zones = 3, replicas = 3, rack_rule = "prefer" }
  |                                                           ^^^^^^^^ `node-0` has none
  |
  = help: give each node a `rack`, or deal them out with `racks`
"#,
    },
    Case {
        name: "a zone goes that copies have to spread over",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 9, zones = 3, replicas = 3, zone_rule = "spread" }
timeline = [{ name = "t", event = [{ zone_fail = "zone-1" }] }]
"#,
        report: r#"
error: 3 copies of a key need as many zones with a node of positive weight, and there are 2
 --> s.toml:5:50
  |
5 | timeline = [{ name = "t", event = [{ zone_fail = "zone-1" }] }]
  |                                                  ^^^^^^^^ leaves zones: 2
"#,
    },
    Case {
        name: "more copies than nodes of positive weight",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
[fleet]
replicas = 2
[[fleet.node]]
name = "a"
[[fleet.node]]
name = "b"
weight = 0
"#,
        report: r#"
error: `replicas = 2` needs as many nodes of positive weight
 --> s.toml:5:12
  |
5 | replicas = 2
  |            ^ the fleet has 1
"#,
    },
    Case {
        name: "too few nodes left for the copies",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 4, replicas = 3 }
[[timeline]]
name = "t"
[[timeline.event]]
fail = 1
[[timeline.event]]
fail = 1
"#,
        report: r#"
error: 3 copies of a key need as many nodes of positive weight, and there are 2
  --> s.toml:10:8
   |
10 | fail = 1
   |        ^ leaves 2 nodes of positive weight
"#,
    },
    Case {
        name: "too few of positive weight left for the copies",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 3, replicas = 3 }
[[timeline]]
name = "t"
[[timeline.event]]
reweight = { node-1 = 0 }
"#,
        report: r#"
error: 3 copies of a key need as many nodes of positive weight, and there are 2
 --> s.toml:8:12
  |
8 | reweight = { node-1 = 0 }
  |            ^^^^^^^^^^^^^^ leaves 2 nodes of positive weight
"#,
    },
    Case {
        name: "rolling more than the copies allow",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5, replicas = 3 }
[[timeline]]
name = "t"
[[timeline.event]]
rolling = 3
"#,
        report: r#"
error: 3 copies of a key need as many nodes of positive weight, and there are 2
 --> s.toml:8:11
  |
8 | rolling = 3
  |           ^ leaves 2 nodes of positive weight
"#,
    },
    Case {
        name: "a metric of copies where there are none",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[require]]
metric = "replica.changed"
max = 1
[[expect]]
metric = "replica.behind_owner"
max = 0
"#,
        report: r#"
error: `replica.changed` needs several copies of each key
 --> s.toml:6:10
  |
6 | metric = "replica.changed"
  |          ^^^^^^^^^^^^^^^^^ each key has one here
  |
  = help: set `replicas` in [fleet] to 2 or more

error: `replica.behind_owner` needs several copies of each key
 --> s.toml:9:10
  |
9 | metric = "replica.behind_owner"
  |          ^^^^^^^^^^^^^^^^^^^^^^ each key has one here
  |
  = help: set `replicas` in [fleet] to 2 or more
"#,
    },
];
