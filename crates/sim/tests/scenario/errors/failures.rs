//! Wrong questions about failures.

use super::{Case, check};

#[test]
fn questions_are_checked() {
    check(&[Case {
        name: "more down than there are",
        scenario: r#"
schema = 1
algorithms = ["ring"]
[keys]
source = "uniform"
count = 10
[fleet]
nodes = 3
[failures]
down = 4
capcity = 2
[[timeline]]
name = "t"
"#,
        report: r#"
error: `down` takes a whole number from 1 to 3
 --> s.toml:9:8
  |
9 | down = 4
  |        ^ outside that range

error: [failures] has no key `capcity`
  --> s.toml:10:1
   |
10 | capcity = 2
   | ^^^^^^^ unknown key
   |
   = help: did you mean `capacity`? there are `down`, `capacity`
"#,
    }]);
}

#[test]
fn capacities_are_checked() {
    check(&[
        Case {
            name: "capacity twice",
            scenario: r#"
schema = 1
algorithms = ["ring"]
[keys]
source = "uniform"
count = 10
[fleet]
nodes = 3
capacity = 9
[failures]
capacity = 2
[[timeline]]
name = "t"
"#,
            report: r#"
error: nodes have capacities of their own in [fleet]
  --> s.toml:10:12
   |
10 | capacity = 2
   |            ^
   |
   = help: leave `capacity` out here, or there
"#,
        },
        Case {
            name: "capacity below the load",
            scenario: r#"
schema = 1
algorithms = ["ring"]
[keys]
source = "uniform"
count = 10
[fleet]
nodes = 3
[failures]
capacity = 0.5
[[timeline]]
name = "t"
"#,
            report: r#"
error: `capacity` takes a number from 1 to 1000000
 --> s.toml:9:12
  |
9 | capacity = 0.5
  |            ^^^ so many times its own load each node can take
"#,
        },
    ]);
}
