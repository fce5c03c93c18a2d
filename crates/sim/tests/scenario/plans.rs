//! What the events of a scenario come to.

use placelab_core::{Change, NodeId, Roster, Weight};
use placelab_metrics::movement::minimum;
use placelab_sim::fleet::numbered_nodes;
use placelab_sim::scenario::Domains;

use crate::support::{HEAD, members, planned, read_text, report, timeline, with_fleet};

#[test]
fn steps_follow_one_another() {
    let plan = planned(&["join = 2", "leave = \"node-1\"", "shrink = 3", "grow = 5"]);
    let steps = &plan.timelines[0].steps;
    assert_eq!(steps[0].after, plan.start);
    assert!(steps.windows(2).all(|pair| pair[0].after == pair[1].before));
    assert_eq!(members(&steps[2]), ["node-0", "node-2", "node-3", "node-4", "node-5", "node-6"]);
    assert_eq!(members(&steps[3]), ["node-0", "node-2", "node-3"]);
    assert_eq!(members(&steps[4]), ["node-0", "node-2", "node-3", "node-7", "node-8"]);
    assert_eq!(steps[3].gone, [NodeId(4), NodeId(5), NodeId(6)]);
    for step in &steps[1..] {
        assert_eq!(step.before.after(&step.changes).as_ref(), Ok(&*step.after));
    }
}

#[test]
fn removals_go_from_the_tail_inward() {
    let plan = planned(&["leave = [\"node-3\", \"node-4\"]"]);
    let step = &plan.timelines[0].steps[1];
    assert_eq!(step.changes, [Change::Remove(NodeId(4)), Change::Remove(NodeId(3))]);
    assert_eq!(step.before.needs(&step.changes), [], "the tail, in whatever order it is written");
}

#[test]
fn who_returns_is_who_went() {
    let plan = planned(&[
        "reweight = { node-1 = 2.5 }",
        "leave = \"node-1\"",
        "fail = [\"node-3\"]",
        "join = [\"node-1\", { name = \"new\", weight = 4, zone = \"z\" }]",
        "recover = 1",
    ]);
    let steps = &plan.timelines[0].steps;
    let last = &steps[5].after;
    assert_eq!(members(&steps[5]), ["node-0", "node-2", "node-4", "node-1", "new", "node-3"]);
    assert_eq!(last.get(NodeId(1)).map(|node| node.weight.to_string()).as_deref(), Some("2.5"));
    assert_eq!(last.nodes()[4].weight, Weight::units(4));
    assert_eq!(
        (&steps[4].returned[..], &steps[5].returned[..]),
        (&[NodeId(1)][..], &[NodeId(3)][..])
    );
}

#[test]
fn identities_are_those_of_the_whole_run() {
    let text = format!(
        "{}{}",
        timeline("one", &["join = [\"x\", \"y\"]"]),
        timeline("two", &["join = [\"y\"]", "join = 1"])
    );
    let plan = read_text(&with_fleet(&text)).plan;
    let id = |timeline: usize, step: usize, at: usize| {
        plan.timelines[timeline].steps[step].after.nodes()[at].id
    };
    assert_eq!(id(0, 1, 6), id(1, 1, 5), "`y` is one node in both timelines");
    assert_eq!(plan.names.names()[id(1, 2, 6).index()].as_str(), "node-5");
    assert_eq!(plan.timelines[1].steps[0].after, plan.start, "each timeline begins anew");
}

#[test]
fn numbered_nodes_make_way_for_named_ones() {
    let plan = planned(&["join = \"node-6\"", "join = 2"]);
    let steps = &plan.timelines[0].steps;
    assert_eq!(members(&steps[2])[5..], ["node-6", "node-5", "node-7"]);
    let text =
        format!("{HEAD}fleet = {{ nodes = 3, zones = 2 }}\n{}", timeline("t", &["join = 2"]));
    let plan = read_text(&text).plan;
    let zones: Vec<_> = plan.timelines[0].steps[1].after.nodes()[3..]
        .iter()
        .map(|node| node.zone.clone().expect("zones are dealt out to those who join").to_string())
        .collect();
    assert_eq!(zones, ["zone-1", "zone-0"]);
}

/// Picks are part of the promise that a run can be repeated: a change here changes every result
/// with a random event.
#[test]
fn picks_are_pinned() {
    let plan = planned(&["fail = 2", "recover = 1", "leave = 1"]);
    let words: Vec<String> =
        plan.to_results()[0].steps.iter().map(|step| step.changes.clone()).collect();
    assert_eq!(words, PICKED);
    let after_more = planned(&["grow = 5", "grow = 5", "leave = 1"]);
    let gone = &after_more.timelines[0].steps[3].gone;
    assert_eq!(*gone, plan.timelines[0].steps[3].gone, "whatever steps before it drew");
}

const PICKED: [&str; 4] = ["5 nodes", "node-2, node-3 fail", "node-2 recovers", "node-1 leaves"];

#[test]
fn plans_read_well() {
    let plan = planned(&[
        "join = [{ name = \"big\", weight = 2.5 }, \"small\"]",
        "join = 10",
        "reweight = { big = 1, small = 3 }",
        "leave = [\"big\"]",
        "grow = 16",
    ]);
    let shown = &plan.to_results()[0];
    let words: Vec<&str> = shown.steps.iter().map(|step| step.changes.as_str()).collect();
    let ten = "node-5, node-6, node-7, node-8, node-9, node-10, node-11, node-12 and 2 more join";
    let expected = [
        "5 nodes",
        "big (weight 2.5), small join",
        ten,
        "big from 2.5 to 1, small from 1 to 3",
        "big leaves",
        "nothing",
    ];
    assert_eq!(words, expected);
    let verbs: Vec<&str> = shown.steps.iter().map(|step| step.verb.as_str()).collect();
    assert_eq!(verbs, ["start", "join", "join", "reweight", "leave", "grow"]);
    assert_eq!((shown.steps[2].nodes, shown.steps[5].minimum), (17, 0.0));
}

#[test]
fn the_minimum_is_half_the_change_of_shares() {
    let roster = |weights: &[u32]| {
        let mut nodes = numbered_nodes(weights.len() as u32, Domains::default());
        for (node, &weight) in nodes.iter_mut().zip(weights) {
            node.weight = Weight::units(weight);
        }
        Roster::new(nodes).expect("a roster")
    };
    let cases: [(&[u32], &[u32], f64); 6] = [
        (&[1; 4], &[1; 5], 1.0 / 5.0),
        (&[1; 5], &[1; 4], 1.0 / 5.0),
        (&[1, 1], &[1, 3], 1.0 / 4.0),
        (&[1, 2, 3], &[2, 4, 6], 0.0),
        (&[1, 0], &[0, 1], 1.0),
        (&[1_000_000_000; 3], &[1_000_000_000; 4], 1.0 / 4.0),
    ];
    for (before, after, expected) in cases {
        let found = minimum(&roster(before), &roster(after));
        assert!((found - expected).abs() < 1e-15, "{before:?} to {after:?}: {found}");
    }
}

#[test]
fn each_timeline_reports_its_first_impossible_event() {
    let text = format!(
        "{}{}",
        timeline("one", &["leave = \"gone\"", "leave = \"not reported\""]),
        timeline("two", &["join = \"node-0\""])
    );
    let report = report(&with_fleet(&text));
    assert!(report.contains("`gone` is not in the fleet"), "{report}");
    assert!(report.contains("`node-0` cannot join"), "{report}");
    assert!(!report.contains("error: `not reported`"), "{report}");
}
