//! Properties of every plan, whatever happens in it.

use std::collections::BTreeSet;
use std::path::Path;

use placelab_core::mix::stream;
use placelab_core::{Change, NodeId, Roster};
use placelab_sim::plan::PlannedTimeline;

use crate::support::{HEAD, read_in, timeline};

/// Every verb more than once; not each is possible after each.
const EVENTS: [&str; 24] = [
    "join = 2",
    "join = \"x\"",
    "join = [\"node-0\", { name = \"y\", weight = 2, zone = \"zone-1\" }]",
    "leave = \"node-0\"",
    "leave = 1",
    "fail = 2",
    "fail = \"x\"",
    "recover = 1",
    "recover = \"x\"",
    "grow = 9",
    "shrink = 4",
    "reweight = { node-2 = 0 }",
    "reweight = { node-3 = 2.5 }",
    "rolling = 1",
    "rolling = 3",
    "zone_fail = \"zone-1\"",
    "zone_recover = \"zone-1\"",
    "replace = { node-1 = \"x\" }",
    "replace = { node-4 = \"y\", node-2 = \"node-0\" }",
    "rename = { node-0 = \"x\" }",
    "rename = { node-3 = \"node-4\", node-4 = \"node-3\" }",
    "rename = { x = \"node-0\" }",
    "rename = \"{}-a\"",
    "rehash = true",
];

/// The seed of a failure is its round.
#[test]
fn rosters_follow_from_their_changes() {
    let mut checked: BTreeSet<&str> = BTreeSet::new();
    for round in 0..4_000 {
        let draw = |index| stream(round, index) as usize % EVENTS.len();
        let events: Vec<&str> = (0..5).map(|index| EVENTS[draw(index)]).collect();
        let text = format!("{HEAD}fleet = {{ nodes = 6, zones = 3 }}\n{}", timeline("t", &events));
        let Ok(prepared) = read_in(Path::new("."), text) else { continue };
        checked.extend(&events);
        let shown = prepared.plan.to_results();
        assert_eq!(shown[0].steps.len(), prepared.plan.timelines[0].steps.len());
        check(&prepared.plan.timelines[0], &format!("round {round}: {events:?}"));
    }
    assert_eq!(checked.len(), EVENTS.len(), "only {checked:?} ever happened");
}

fn identities(roster: &Roster) -> BTreeSet<NodeId> {
    roster.nodes().iter().map(|node| node.id).collect()
}

fn check(timeline: &PlannedTimeline, round: &str) {
    let labels: BTreeSet<&str> = timeline.steps.iter().map(|step| step.label.as_str()).collect();
    assert_eq!(labels.len(), timeline.steps.len(), "{round}: labels are unique");
    let mut seen = identities(&timeline.steps[0].after);
    for pair in timeline.steps.windows(2) {
        let step = &pair[1];
        assert_eq!(pair[0].after, step.before, "{round}");
        assert_eq!(step.before.after(&step.changes).as_ref(), Ok(&*step.after), "{round}");
        let (before, after) = (identities(&step.before), identities(&step.after));
        let gone: Vec<NodeId> = step.before.nodes().iter().map(|node| node.id).collect();
        let gone: Vec<NodeId> = gone.into_iter().filter(|id| !after.contains(id)).collect();
        assert_eq!(step.gone, gone, "{round}");
        let added = step.changes.iter().filter(|change| matches!(change, Change::Add(_)));
        let returned: Vec<NodeId> = added.map(Change::id).filter(|id| seen.contains(id)).collect();
        assert_eq!(step.returned, returned, "{round}");
        let rehashed = u32::from(step.verb == "rehash");
        assert_eq!(step.rehashes, pair[0].rehashes + rehashed, "{round}");
        assert!(!before.is_disjoint(&after) || step.verb == "replace", "{round}");
        seen.extend(after);
    }
}
