//! What each verb beyond joining and leaving comes to.

use placelab_core::{Change, NodeId};
use placelab_sim::plan::{Plan, PlannedStep};
use placelab_sim::scenario::{Renaming, Verb};

use crate::support::{HEAD, members, planned, read_text, report, timeline, with_fleet};

/// The plan of some events of a fleet of four in two zones.
fn zoned(events: &[&str]) -> Plan {
    let fleet = "fleet = { nodes = 4, zones = 2 }\n";
    read_text(&format!("{HEAD}{fleet}{}", timeline("t", events))).plan
}

fn steps(plan: &Plan) -> &[PlannedStep] {
    &plan.timelines[0].steps
}

fn labels(plan: &Plan) -> Vec<&str> {
    steps(plan).iter().map(|step| step.label.as_str()).collect()
}

/// What the events of a plan come to, in words.
fn words(plan: &Plan) -> Vec<String> {
    plan.to_results()[0].steps[1..].iter().map(|step| step.changes.clone()).collect()
}

fn ids(ids: &[u32]) -> Vec<NodeId> {
    ids.iter().copied().map(NodeId).collect()
}

#[test]
fn verbs_are_read() {
    let events = [
        "rolling = 2",
        "zone_fail = \"zone-1\"",
        "zone_recover = [\"zone-1\"]",
        "replace = { node-3 = \"x\", \"node-0\" = \"y\" }",
        "rename = { x = \"y\", y = \"x\" }",
        "rename = \"cache-{}.local\"",
        "rehash = true\nrepeat = 2",
    ];
    let text = format!("{HEAD}fleet = {{ nodes = 5, zones = 2 }}\n{}", timeline("t", &events));
    let read = &read_text(&text).scenario.timelines[0].events;
    let labels: Vec<&str> = read.iter().map(|event| event.label.as_str()).collect();
    let expected = [
        "rolling 2",
        "zone_fail zone-1",
        "zone_recover zone-1",
        "replace 2 nodes",
        "rename 2 nodes",
        "rename to cache-{}.local",
        "rehash",
        "rehash (2)",
    ];
    assert_eq!(labels, expected);
    assert!(matches!(*read[0].verb, Verb::Rolling(2)));
    let Verb::Replace(pairs) = &*read[3].verb else { panic!("{:?}", read[3].verb) };
    let pairs: Vec<_> =
        pairs.iter().map(|(old, new)| (old.name.as_str(), new.name.as_str())).collect();
    assert_eq!(pairs, [("node-3", "x"), ("node-0", "y")], "in the order of the file");
    let Verb::Rename(Renaming::Every(template)) = &*read[5].verb else {
        panic!("{:?}", read[5].verb)
    };
    assert_eq!((template.head.as_str(), template.tail.as_str()), ("cache-", ".local"));
    assert_eq!(*read[7].verb, Verb::Rehash);
}

#[test]
fn rolling_restarts_everybody_in_turn() {
    let plan = planned(&["rolling = 2\nlabel = \"deploy\""]);
    let expected = [
        "start",
        "deploy: batch 1 fails",
        "deploy: batch 1 returns",
        "deploy: batch 2 fails",
        "deploy: batch 2 returns",
        "deploy: node-4 fails",
        "deploy: node-4 returns",
    ];
    assert_eq!(labels(&plan), expected);
    let verbs: Vec<&str> = steps(&plan)[1..].iter().map(|step| step.verb).collect();
    assert_eq!(verbs, ["fail", "recover", "fail", "recover", "fail", "recover"]);
    assert_eq!(words(&plan)[..2], ["node-0, node-1 fail", "node-0, node-1 recover"]);
    assert_eq!(members(&steps(&plan)[3]), ["node-4", "node-0", "node-1"]);
    assert_eq!(steps(&plan)[3].gone, ids(&[2, 3]));
    assert_eq!(steps(&plan)[4].returned, ids(&[2, 3]));
    assert_eq!(steps(&plan)[3].changes, [NodeId(3), NodeId(2)].map(Change::Remove));
    assert_eq!(steps(&plan)[6].after, plan.start, "everybody is back in the old order");
}

#[test]
fn rolling_passes_over_who_is_away() {
    let plan = planned(&[
        "fail = \"node-1\"",
        "leave = \"node-2\"",
        "reweight = { node-3 = 0 }",
        "rolling = 1",
        "recover = \"node-1\"",
        "rolling = 1",
    ]);
    let first = &steps(&plan)[4..10];
    let labels: Vec<&str> = first.iter().map(|step| step.label.as_str()).collect();
    let expected = [
        "rolling 1: node-0 fails",
        "rolling 1: node-0 returns",
        "rolling 1: node-3 fails",
        "rolling 1: node-3 returns",
        "rolling 1: node-4 fails",
        "rolling 1: node-4 returns",
    ];
    assert_eq!(labels, expected);
    assert_eq!(members(&first[5]), ["node-0", "node-3", "node-4"]);
    assert_eq!(steps(&plan)[11].label, "rolling 1 (2): node-0 fails");
    assert_eq!(steps(&plan).len(), 11 + 2 * 4);
}

#[test]
fn zones_fail_and_recover_as_one() {
    let plan = zoned(&[
        "fail = \"node-1\"",
        "zone_fail = \"zone-1\"",
        "zone_recover = \"zone-1\"",
        "zone_fail = [\"zone-0\"]",
        "recover = \"node-2\"",
        "zone_recover = \"zone-0\"",
    ]);
    let expected = [
        "node-1 fails",
        "node-3 fails",
        "node-1, node-3 recover",
        "node-0, node-2 fail",
        "node-2 recovers",
        "node-0 recovers",
    ];
    assert_eq!(words(&plan), expected);
    assert_eq!((&steps(&plan)[2].gone, &steps(&plan)[3].returned), (&ids(&[3]), &ids(&[1, 3])));
    assert_eq!(steps(&plan)[4].verb, "zone_fail");
}

#[test]
fn who_replaces_takes_weight_and_zone() {
    let plan = zoned(&[
        "reweight = { node-1 = 2.5 }",
        "replace = { node-3 = \"x\", node-1 = \"y\" }",
        "leave = \"x\"",
        "replace = { y = \"node-1\" }",
        "join = \"y\"",
    ]);
    let step = &steps(&plan)[2];
    assert_eq!(members(step), ["node-0", "node-2", "x", "y"]);
    let [.., x, y] = step.after.nodes() else { panic!("four nodes") };
    assert_eq!((x.weight.to_string(), y.weight.to_string()), ("1".into(), "2.5".into()));
    assert!([x, y].iter().all(|n| n.zone.as_ref().is_some_and(|z| z.as_str() == "zone-1")));
    assert_eq!((&step.gone, &step.returned), (&ids(&[1, 3]), &vec![]));
    assert_eq!(step.changes[..2], [NodeId(3), NodeId(1)].map(Change::Remove));
    assert_eq!(steps(&plan)[4].returned, ids(&[1]), "it left before");
    assert_eq!(steps(&plan)[5].returned, [y.id], "who was replaced can come back");
    let expected = [
        "node-1 from 1 to 2.5",
        "x, y (weight 2.5) replace node-1, node-3",
        "x leaves",
        "node-1 (weight 2.5) replaces y",
        "y (weight 2.5) joins",
    ];
    assert_eq!(words(&plan), expected);
}

#[test]
fn renamed_machines_stay_who_they_are() {
    let plan = planned(&["rename = \"cache-{}\"", "fail = [\"cache-node-1\"]", "recover = 1"]);
    let step = &steps(&plan)[1];
    assert!(step.before.nodes().iter().zip(step.after.nodes()).all(|(old, new)| {
        old.id == new.id && new.name.as_str() == format!("cache-{}", old.name)
    }));
    assert!(step.gone.is_empty() && step.returned.is_empty());
    assert_eq!(step.minimum(), 0.0);
    let becomes = "node-0 becomes cache-node-0, node-1 becomes cache-node-1";
    assert!(words(&plan)[0].starts_with(becomes), "{:?}", words(&plan));
    assert_eq!(words(&plan)[1..], ["cache-node-1 fails", "cache-node-1 recovers"]);
    let same = planned(&["rename = { node-1 = \"node-1\" }"]);
    assert_eq!(words(&same), ["nothing"]);
}

#[test]
fn names_can_be_swapped() {
    let swap = "rename = { node-0 = \"node-1\", node-1 = \"node-0\" }";
    let plan = planned(&[swap, "fail = \"node-0\"", "recover = \"node-0\"", swap]);
    assert_eq!(words(&plan)[0], "node-0 becomes node-1, node-1 becomes node-0");
    assert_eq!(members(&steps(&plan)[1])[..2], ["node-1", "node-0"]);
    assert_eq!(steps(&plan)[2].gone, ids(&[1]), "who is called so now");
    let restored = &steps(&plan)[4].after;
    assert!(plan.start.nodes().iter().all(|node| restored.get(node.id) == Some(node)));
    let chain = planned(&["rename = { node-0 = \"node-1\", node-1 = \"node-2\", node-2 = \"x\" }"]);
    assert_eq!(members(&steps(&chain)[1]), ["node-1", "node-2", "x", "node-3", "node-4"]);
}

#[test]
fn a_former_name_is_free_for_another_machine() {
    let events = [
        "rename = { node-0 = \"x\" }",
        "join = \"node-0\"",
        "leave = \"node-0\"",
        "join = \"node-0\"",
        "rename = { node-0 = \"y\" }",
        "rename = { x = \"node-0\" }",
        "reweight = { node-0 = 2, y = 3 }",
    ];
    let text = format!("{}{}", timeline("t", &events), timeline("u", &["join = [\"x\", \"y\"]"]));
    let plan = read_text(&with_fleet(&text)).plan;
    let joined = steps(&plan)[2].after.nodes()[5].id;
    assert!(joined.index() > 4, "another machine than node #0");
    assert_eq!(plan.names.names()[joined.index()].as_str(), "node-0");
    assert_eq!((&steps(&plan)[3].gone, &steps(&plan)[4].returned), (&vec![joined], &vec![joined]));
    let changes = &steps(&plan)[7].changes;
    assert_eq!(changes.iter().map(Change::id).collect::<Vec<_>>(), [NodeId(0), joined]);
    let other: Vec<NodeId> =
        plan.timelines[1].steps[1].after.nodes()[5..].iter().map(|node| node.id).collect();
    assert!(!other.contains(&NodeId(0)) && !other.contains(&joined), "timelines are independent");
}

#[test]
fn numbered_nodes_make_way_for_renamed_ones() {
    let plan = planned(&["rename = { node-1 = \"node-5\" }", "join = 2"]);
    assert_eq!(members(&steps(&plan)[2])[5..], ["node-6", "node-7"]);
    let plan = planned(&["join = \"node-6\"", "rename = { node-6 = \"x\" }", "join = 2"]);
    assert_eq!(members(&steps(&plan)[3])[5..], ["x", "node-5", "node-6"]);
}

#[test]
fn seeds_change_once_an_event() {
    let plan = planned(&["join = 1", "rehash = true\nrepeat = 2", "rolling = 3", "rehash = true"]);
    let counts: Vec<u32> = steps(&plan).iter().map(|step| step.rehashes).collect();
    assert_eq!(counts, [0, 0, 1, 2, 2, 2, 2, 2, 3]);
    assert_eq!(words(&plan)[1..3], ["the hash seed changes"; 2]);
    let step = &steps(&plan)[2];
    assert!(step.changes.is_empty() && step.before == step.after && step.minimum() == 0.0);
}

#[test]
fn copies_are_read() {
    let fleet = |replicas: &str| read_text(&format!("{HEAD}[fleet]\nnodes = 8\n{replicas}"));
    assert_eq!(fleet("").scenario.fleet.copies.count, 1);
    assert_eq!(fleet("replicas = 8").scenario.fleet.copies.count, 8);
    let metric = "[[require]]\nmetric = \"replica.changed\"\nmax = 1";
    assert_eq!(fleet(&format!("replicas = 2\n{metric}")).scenario.requirements.len(), 1);
}

#[test]
fn names_made_by_a_template_have_a_limit() {
    let event = "rename = \"cache-cache-cache-cache-{}\"\nrepeat = 20";
    let report = report(&with_fleet(&timeline("t", &[event])));
    let expected = "…` cannot be renamed: a name has 1 to 255 bytes, this one has 270";
    assert!(report.contains(expected), "{report}");
    assert_eq!(report.matches("error: ").count(), 1, "one place, one error: {report}");
}
