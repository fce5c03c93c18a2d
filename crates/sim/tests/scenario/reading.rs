//! What a scenario that is right is read as.

use placelab_core::{Capability, HashFunction, Role};
use placelab_sim::scenario::{
    ExpectedClaim, Prepared, ScenarioError, SeedScope, SourceRequest, Verb, read,
};

use crate::support::{HEAD, REGISTRY, folder, read_in, read_text, with_fleet};

fn names(prepared: &Prepared) -> Vec<String> {
    prepared.scenario.contenders.iter().map(|contender| contender.name()).collect()
}

fn compared(algorithms: &str) -> Vec<String> {
    let text = format!(
        "schema = 1\n{algorithms}\nfleet = {{ nodes = 2 }}\n\
         keys = {{ source = \"sequential\", count = 9 }}\n"
    );
    names(&read_text(&text))
}

#[test]
fn defaults_are_filled_in() {
    let prepared = read_text(&with_fleet(""));
    let scenario = prepared.scenario;
    assert_eq!((scenario.name.as_str(), scenario.title.as_str()), ("s", "s"));
    assert_eq!((scenario.why.as_str(), scenario.seeds), ("", 1));
    assert_eq!(scenario.keys.hash, HashFunction::Xxh3);
    assert_eq!(scenario.keys.source, SourceRequest::Uniform { count: 1000 });
    assert_eq!(scenario.fleet.nodes[4].name.as_str(), "node-4");
    assert_eq!(scenario.timelines.len(), 1);
    assert_eq!(scenario.timelines[0].name, "as it is");
    assert_eq!(prepared.plan.timelines[0].steps.len(), 1);
    assert_eq!(scenario.sha256.len(), 64);
}

#[test]
fn contenders_keep_their_order_and_canaries_come_last() {
    assert_eq!(compared("algorithms = [\"ring\"]"), ["ring", "modulo", "ideal"]);
    assert_eq!(compared("algorithms = [\"ring\"]\ncanaries = false"), ["ring"]);
    assert_eq!(compared("algorithms = [\"ideal\", \"ring\"]"), ["ideal", "ring", "modulo"]);
    assert_eq!(compared("algorithms = [\"*\"]"), ["ring", "maglev", "modulo", "ideal"]);
    assert_eq!(compared("algorithms = [\"*\"]\ncanaries = false"), ["ring", "maglev"]);
    let sweep = compared("algorithms = [\"ring:vnodes={1,160}\", \"r*\"]\ncanaries = false");
    assert_eq!(sweep, ["ring:vnodes=1", "ring"], "one contender twice is one contender");
    let listed = read_text(&with_fleet("").replace("[\"ring\"]", "[\"modulo\"]"));
    assert!(listed.scenario.contenders.iter().all(|one| one.spec.role == Role::Canary));
}

#[test]
fn fleets_have_weights_and_zones() {
    let dealt = read_text(&format!("{HEAD}fleet = {{ nodes = 5, zones = 2 }}\n"));
    let zones: Vec<_> =
        dealt.scenario.fleet.nodes.iter().flat_map(|node| node.zone.clone()).collect();
    let expected = ["zone-0", "zone-1", "zone-0", "zone-1", "zone-0"];
    assert_eq!(zones.iter().map(|zone| zone.as_str()).collect::<Vec<_>>(), expected);
    let listed = "[[fleet.node]]\nname = \"a\"\nweight = 1.250_000\nzone = \"z\"\n\
                  [[fleet.node]]\nname = \"ü\"\nweight = 0\n";
    let nodes = read_text(&format!("{HEAD}{listed}")).scenario.fleet.nodes;
    assert_eq!((nodes[0].weight.micros(), nodes[1].weight.micros()), (1_250_000, 0));
    assert_eq!(nodes[0].zone.as_ref().map(|zone| zone.as_str()), Some("z"));
}

#[test]
fn labels_are_unique() {
    let events = "[[timeline]]\nname = \"t\"\n\
                  [[timeline.event]]\njoin = 2\n\
                  [[timeline.event]]\njoin = 2\nrepeat = 2\n\
                  [[timeline.event]]\njoin = 1\nlabel = \"join 2 (2)\"\n\
                  [[timeline.event]]\nfail = 1\nrepeat = 3\nlabel = \"storm\"\n\
                  [[timeline.event]]\ngrow = 30\nlabel = \"last\"\n";
    let prepared = read_text(&with_fleet(events));
    let labels: Vec<_> =
        prepared.plan.timelines[0].steps.iter().map(|step| step.label.as_str()).collect();
    let expected = [
        "start",
        "join 2",
        "join 2 (3)",
        "join 2 (4)",
        "join 2 (2)",
        "storm 1",
        "storm 2",
        "storm 3",
        "last",
    ];
    assert_eq!(labels, expected);
    assert!(matches!(*prepared.scenario.timelines[0].events[7].verb, Verb::Grow(30)));
}

#[test]
fn expectations_and_requirements_are_read() {
    let text = with_fleet(
        "[[require]]\nmetric = \"load.max_over_mean\"\nmax = 1.25\n\
         [[require]]\ncapability = \"remove-any\"\n\
         [[expect]]\nmetric = \"movement.sideways\"\nalgorithms = [\"r*\"]\nmax = 0\n\
         [[expect]]\nmetric = \"load.cv\"\nmin = 1e-3\nseeds = \"median\"\nevent = \"start\"\n\
         [[expect]]\nrefused = \"weights\"\ntimeline = \"as it is\"\n",
    );
    let scenario = read_text(&text).scenario;
    let texts: Vec<String> = scenario.requirements.iter().map(|one| one.text()).collect();
    assert_eq!(texts, ["load.max_over_mean at most 1.25", "can remove-any"]);
    let [first, second, third] = &scenario.expectations[..] else { panic!("three of them") };
    assert!(first.concerns("ring:vnodes=1") && !first.concerns("modulo"));
    let median = ExpectedClaim::Figure {
        metric: "load.cv".into(),
        min: Some(0.001),
        max: None,
        seeds: SeedScope::Median,
    };
    assert_eq!((&second.claim, second.event.as_deref()), (&median, Some("start")));
    assert_eq!(third.claim, ExpectedClaim::Refused(Capability::Weights));
    assert!(third.concerns("modulo"));
}

#[test]
fn csv_columns_are_named_or_found() {
    let folder = folder();
    let source = |keys: &str| {
        let text = format!(
            "schema = 1\nalgorithms = [\"ring\"]\nfleet = {{ nodes = 2 }}\n\
             [keys]\nsource = \"file\"\n{keys}\n"
        );
        let prepared = read_in(folder.path(), text).unwrap_or_else(|error| panic!("{error}"));
        match prepared.scenario.keys.source {
            SourceRequest::File { columns, .. } => columns,
            other => panic!("{other:?} is no file"),
        }
    };
    assert_eq!(source("path = \"keys.txt\""), None);
    let found = source("path = \"keys.csv\"").expect("a CSV file");
    assert_eq!((found.key.as_str(), found.requests.as_deref()), ("key", Some("requests")));
    assert_eq!(found.bytes, None, "sizes are used where their column is called `bytes`");
    let named = source("path = \"./keys.csv\"\nkey = \"key\"\nbytes = \"size\"").expect("CSV");
    assert_eq!((named.requests, named.bytes.as_deref()), (None, Some("size")));
}

#[test]
fn files_are_read_from_their_folder() {
    let folder = folder();
    let path = folder.path().join("07-what-if.toml");
    let text = with_fleet("").replace("\"uniform\", count = 1000", "\"file\", path = \"keys.txt\"");
    std::fs::write(&path, &text).expect("a file in a temporary folder");
    let prepared = read(&path, REGISTRY).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(prepared.scenario.name, "07-what-if");
    let absent = read(&folder.path().join("absent.toml"), REGISTRY);
    assert!(matches!(absent, Err(ScenarioError::Io { .. })));
    let is_folder = read(folder.path(), REGISTRY);
    assert!(matches!(is_folder, Err(ScenarioError::Io { .. })));
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_the_folder() {
    let (outside, inside) = (folder(), folder());
    let target = outside.path().join("keys.txt");
    std::os::unix::fs::symlink(target, inside.path().join("link.txt")).expect("a link");
    let text = with_fleet("").replace("\"uniform\", count = 1000", "\"file\", path = \"link.txt\"");
    let error = read_in(inside.path(), text).expect_err("the link leads out");
    assert!(error.to_string().contains("lies outside the scenario's folder"), "{error}");
}

#[test]
fn limits_are_told_from_mistakes() {
    let huge = format!("{HEAD}fleet = {{ nodes = 1_000_000_000 }}\n");
    let error = |text: &str| read_in(std::path::Path::new("."), text).expect_err("refused");
    assert!(matches!(error(&huge), ScenarioError::Limit(_)));
    assert!(matches!(error(&format!("{huge}seeds = 0\n")), ScenarioError::Invalid(_)));
    let keys = with_fleet("").replace("1000", "1_000_000_000_001");
    assert!(matches!(error(&keys), ScenarioError::Limit(_)));
}
