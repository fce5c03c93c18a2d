//! A plan as results show it.

use placelab_core::{Change, Node, NodeId, Roster, Weight};
use placelab_metrics::null::Inclusion;
use placelab_results::{CROPPED_LISTED_MAX, Cropped, PlannedStep as ShownStep, Timeline, fixed};

use super::{Plan, PlannedStep, PlannedTimeline};

/// Most nodes that a step names.
const NAMED_MAX: usize = 8;

impl Plan {
    /// The plan with every change in words.
    pub fn to_results(&self) -> Vec<Timeline> {
        let shown = |timeline: &PlannedTimeline| Timeline {
            name: timeline.name.clone(),
            steps: timeline.steps.iter().map(|step| shown_step(step, self.copies)).collect(),
        };
        self.timelines.iter().map(shown).collect()
    }
}

fn shown_step(step: &PlannedStep, copies: u32) -> ShownStep {
    ShownStep {
        label: step.label.clone(),
        verb: step.verb.into(),
        changes: changes(step),
        nodes: step.after.len() as u32,
        minimum: fixed(step.minimum()),
        cropped: cropped(&step.after, copies),
    }
}

/// The members that are too heavy for so many copies, heaviest first.
fn cropped(roster: &Roster, copies: u32) -> Vec<Cropped> {
    let weights: Vec<u64> = roster.nodes().iter().map(|node| node.weight.micros()).collect();
    let inclusion = Inclusion::new(&weights, copies.into());
    let is_cropped = |node: &&Node| inclusion.is_cropped(node.weight.micros());
    let mut nodes: Vec<&Node> = roster.nodes().iter().filter(is_cropped).collect();
    nodes.sort_by_key(|node| std::cmp::Reverse(node.weight));
    let cropped = |node: &Node| Cropped {
        name: node.name.to_string(),
        weight: node.weight.to_string(),
        effective: fixed(inclusion.effective(node.weight.micros()) / Weight::MICROS as f64),
    };
    nodes.into_iter().take(CROPPED_LISTED_MAX).map(cropped).collect()
}

fn changes(step: &PlannedStep) -> String {
    let changed = |change: &&Change| in_words(step, change);
    let gone = |id: &&NodeId| name(step, **id).to_string();
    match step.verb {
        super::START => match step.after.len() {
            1 => "1 node".into(),
            count => format!("{count} nodes"),
        },
        "fail" | "zone_fail" => sentence(step.gone.iter(), gone, "fails", "fail"),
        "leave" | "shrink" => sentence(step.gone.iter(), gone, "leaves", "leave"),
        "recover" | "zone_recover" => sentence(step.changes.iter(), changed, "recovers", "recover"),
        "reweight" | "rename" => sentence(step.changes.iter(), changed, "", ""),
        "replace" => {
            let joins = &step.changes[step.gone.len()..];
            let new = sentence(joins.iter(), changed, "replaces", "replace");
            format!("{new} {}", sentence(step.gone.iter(), gone, "", ""))
        }
        "rehash" => "the hash seed changes".into(),
        _ => sentence(step.changes.iter(), changed, "joins", "join"),
    }
}

fn in_words(step: &PlannedStep, change: &Change) -> String {
    match change {
        Change::Add(node) if node.weight == Weight::ONE => node.name.to_string(),
        Change::Add(node) => format!("{} (weight {})", node.name, node.weight),
        Change::Remove(id) => name(step, *id).into(),
        Change::Rename(id, new) => format!("{} becomes {new}", name(step, *id)),
        Change::Reweight(id, weight) => {
            let old = step.before.get(*id).map_or(*weight, |node| node.weight);
            format!("{} from {old} to {weight}", name(step, *id))
        }
    }
}

/// What a member is called in this step.
fn name(step: &PlannedStep, id: NodeId) -> &str {
    step.before.get(id).expect("who goes or changes was a member").name.as_str()
}

/// Names the first items only: describing one may mean a search in a large fleet.
fn sentence<T>(
    items: impl ExactSizeIterator<Item = T>,
    describe: impl Fn(&T) -> String,
    one: &str,
    many: &str,
) -> String {
    let (count, rest) = (items.len(), items.len().saturating_sub(NAMED_MAX));
    let list: Vec<String> = items.take(NAMED_MAX).map(|item| describe(&item)).collect();
    let (list, verb) = (list.join(", "), if count == 1 { one } else { many });
    let text = match (count, rest) {
        (0, _) => "nothing".into(),
        (_, 0) => format!("{list} {verb}"),
        _ => format!("{list} and {rest} more {verb}"),
    };
    text.trim_end().into()
}
