//! Rolling events and zones that cannot be.

use super::{Case, check};

#[test]
fn outages_are_checked() {
    check(CASES);
}

const CASES: &[Case] = &[
    Case {
        name: "rolling everybody at once",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
rolling = 5
"#,
        report: r#"
error: `rolling` leaves nobody in the fleet
 --> s.toml:8:11
  |
8 | rolling = 5
  |           ^ the fleet has 5 nodes at this point
"#,
    },
    Case {
        name: "rolling nobody",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
rolling = 0
"#,
        report: r#"
error: `rolling` takes a whole number from 1 to 1000000
 --> s.toml:8:11
  |
8 | rolling = 0
  |           ^ outside that range
"#,
    },
    Case {
        name: "rolling the one node that serves",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
[[fleet.node]]
name = "a"
[[fleet.node]]
name = "b"
weight = 0
[[timeline]]
name = "t"
[[timeline.event]]
rolling = 1
"#,
        report: r#"
error: no node of positive weight would be left in the fleet
  --> s.toml:12:11
   |
12 | rolling = 1
   |           ^ after this event
"#,
    },
    Case {
        name: "rolling in more steps than there may be",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 100 }
[[timeline]]
name = "t"
[[timeline.event]]
rolling = 1
repeat = 51
"#,
        report: r#"
error: a scenario has at most 10000 events
 --> s.toml:8:11
  |
8 | rolling = 1
  |           ^ this one is 200 of them
"#,
    },
    Case {
        name: "rolling in rosters of too many members",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 4000 }
[[timeline]]
name = "t"
[[timeline.event]]
rolling = 1
"#,
        report: r#"
error: the plan holds more than 20000000 members in all its steps
 --> s.toml:8:11
  |
8 | rolling = 1
  |           ^
  |
  = help: make the fleet smaller or the events fewer
"#,
    },
    Case {
        name: "rolling into a label that is taken",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
rolling = 1
[[timeline.event]]
label = "rolling 1: node-3 fails"
fail = 1
"#,
        report: r#"
error: two steps would have the label `rolling 1: node-3 fails`
 --> s.toml:8:11
  |
8 | rolling = 1
  |           ^ one is a part of this event
  |
  = help: give this event another `label`
"#,
    },
    Case {
        name: "zones of a fleet that has none",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
zone_fail = "zone-1"
"#,
        report: r#"
error: this fleet has no zones
 --> s.toml:8:13
  |
8 | zone_fail = "zone-1"
  |             ^^^^^^^^
  |
  = help: deal them out with `zones = Z` in [fleet], or give each node its `zone`
"#,
    },
    Case {
        name: "an unknown zone",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 4, zones = 2 }
[[timeline]]
name = "t"
[[timeline.event]]
zone_fail = ["zone-1", "zon-0"]
"#,
        report: r#"
error: no zone is called `zon-0` at this point
 --> s.toml:8:24
  |
8 | zone_fail = ["zone-1", "zon-0"]
  |                        ^^^^^^^
  |
  = help: did you mean `zone-0`? there are `zone-0`, `zone-1`
"#,
    },
    Case {
        name: "a zone that stands there twice",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 4, zones = 2 }
[[timeline]]
name = "t"
[[timeline.event]]
zone_fail = ["zone-1", "zone-1"]
"#,
        report: r#"
error: zone `zone-1` stands there twice
 --> s.toml:8:24
  |
8 | zone_fail = ["zone-1", "zone-1"]
  |                        ^^^^^^^^ the second one
"#,
    },
    Case {
        name: "a zone without a member",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 4, zones = 2 }
[[timeline]]
name = "t"
[[timeline.event]]
zone_fail = "zone-1"
[[timeline.event]]
zone_fail = "zone-1"
"#,
        report: r#"
error: zone `zone-1` has no member at this point
  --> s.toml:10:13
   |
10 | zone_fail = "zone-1"
   |             ^^^^^^^^ all of it failed before
   |
   = help: `zone_recover` brings it back
"#,
    },
    Case {
        name: "a zone in which nothing failed",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 4, zones = 2 }
[[timeline]]
name = "t"
[[timeline.event]]
leave = "node-0"
[[timeline.event]]
zone_recover = "zone-0"
"#,
        report: r#"
error: zone `zone-0` cannot recover
  --> s.toml:10:16
   |
10 | zone_recover = "zone-0"
   |                ^^^^^^^^ no node of it has failed at this point
   |
   = help: `zone_fail` and `fail` are what nodes recover from
"#,
    },
    Case {
        name: "every zone at once",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 4, zones = 2 }
[[timeline]]
name = "t"
[[timeline.event]]
zone_fail = ["zone-0", "zone-1"]
"#,
        report: r#"
error: no node of positive weight would be left in the fleet
 --> s.toml:8:13
  |
8 | zone_fail = ["zone-0", "zone-1"]
  |             ^^^^^^^^^^^^^^^^^^^^ after this event
"#,
    },
    Case {
        name: "no zones",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 4, zones = 2 }
[[timeline]]
name = "t"
[[timeline.event]]
zone_fail = []
"#,
        report: r#"
error: `zone_fail` names no zone
 --> s.toml:8:13
  |
8 | zone_fail = []
  |             ^^
"#,
    },
    Case {
        name: "zones by count",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 4, zones = 2 }
[[timeline]]
name = "t"
[[timeline.event]]
zone_recover = 2
"#,
        report: r#"
error: `zone_recover` takes the name of a zone or a list of them
 --> s.toml:8:16
  |
8 | zone_recover = 2
  |                ^ this is a whole number
"#,
    },
    Case {
        name: "a pattern that means no event",
        scenario: r#"
schema = 1
algorithms = ["ring"]
keys = { source = "uniform", count = 1000 }
fleet = { nodes = 5 }
[[timeline]]
name = "t"
[[timeline.event]]
rolling = 2
label = "restart"
[[expect]]
metric = "load.cv"
max = 1
event = "restart"
[[expect]]
metric = "load.cv"
max = 1
event = "rest*join"
"#,
        report: r#"
error: no event has the label `restart`
  --> s.toml:13:9
   |
13 | event = "restart"
   |         ^^^^^^^^^
   |
   = help: did you mean `start`? there are `start`, `restart: batch 1 fails`, `restart:
           batch 1 returns`, `restart: batch 2 fails`, `restart: batch 2 returns`,
           `restart: node-4 fails`, `restart: node-4 returns`

error: no event has the label `rest*join`
  --> s.toml:17:9
   |
17 | event = "rest*join"
   |         ^^^^^^^^^^^
   |
   = help: there are `start`, `restart: batch 1 fails`, `restart: batch 1 returns`,
           `restart: batch 2 fails`, `restart: batch 2 returns`, `restart: node-4 fails`,
           `restart: node-4 returns`
"#,
    },
];
