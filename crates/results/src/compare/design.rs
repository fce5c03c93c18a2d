//! What changed in the question: scenario, keys, seeds, fleet, events, requirements, parameters.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Pair, Sides};
use crate::plan::Timeline;
use crate::schema::{Contender, Requirement, RunResults};

/// Nodes whose weights are written out.
const NODES_SHOWN_MAX: usize = 8;

/// Something that is not the same in both runs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DesignChange {
    /// What, in words.
    pub what: String,
    /// What it is in each run; none where a run has no such thing.
    #[serde(flatten)]
    pub sides: Sides<Option<Value>>,
}

/// A number of things, or words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// How many.
    Count(u64),
    /// Words, which may come from outside.
    Text(String),
}

fn text(words: impl Into<String>) -> Option<Value> {
    Some(Value::Text(words.into()))
}

fn count(number: impl Into<u64>) -> Option<Value> {
    Some(Value::Count(number.into()))
}

/// A fact of a run: what it is called, and how it is found.
type Fact = (&'static str, fn(&RunResults) -> Option<Value>);

const FACTS: [Fact; 16] = [
    ("scenario", |run| text(&run.scenario.name)),
    ("title", |run| text(&run.scenario.title)),
    ("SHA-256 of the scenario", |run| text(&run.scenario.sha256)),
    ("version of placelab", |run| text(&run.version)),
    ("source of the keys", |run| text(&run.keys.source)),
    ("keys", |run| count(run.keys.count)),
    ("requests", |run| run.keys.requests.and_then(count)),
    ("bytes", |run| run.keys.bytes.and_then(count)),
    ("hash of the keys", |run| text(&run.keys.hash)),
    ("SHA-256 of the key file", |run| run.keys.sha256.as_ref().and_then(text)),
    ("hash seeds", |run| count(run.seeds)),
    ("copies of each key", |run| count(run.replicas)),
    ("zone rule", |run| text(&run.zone_rule)),
    ("rack rule", |run| text(&run.rack_rule)),
    ("ranks of a node", |run| count(run.ranks)),
    ("question about failures", failures),
];

/// What changed in the question.
pub(super) fn design(runs: Sides<&RunResults>, pairs: &[Pair]) -> Vec<DesignChange> {
    let facts = FACTS.iter().map(|(what, of)| change((*what).into(), runs.map(of)));
    let mut changes: Vec<DesignChange> = facts.flatten().collect();
    changes.extend(change("nodes of the first fleet, with weights".into(), weights(runs)));
    changes.extend(timelines(runs));
    changes.extend(requirements(runs));
    for pair in pairs {
        let of = |what: &str, of: fn(&Contender) -> String| {
            let what = format!("{what} of {}", pair.name);
            change(what, pair.contenders.map(|contender| text(of(contender))))
        };
        changes.extend(of("parameters", parameters));
        changes.extend(of("capabilities", |contender| contender.capabilities.join(", ")));
        changes.extend(of("role", |contender| contender.role.name().into()));
    }
    changes
}

fn change(what: String, sides: Sides<Option<Value>>) -> Option<DesignChange> {
    sides.differ().then_some(DesignChange { what, sides })
}

fn failures(run: &RunResults) -> Option<Value> {
    let question = run.failures.as_ref()?;
    let capacity = question.capacity.map_or("of each node".into(), |times| format!("× {times}"));
    text(format!(
        "{} down at random, loads by {}, capacity {capacity}",
        question.down, question.measure
    ))
}

/// The nodes that differ with their weights, where nodes are listed in both runs.
fn weights(runs: Sides<&RunResults>) -> Sides<Option<Value>> {
    let Some(fleets) = runs.map(first_fleet).both() else { return Sides::default() };
    let differs = |name: &&str| fleets.before.get(name) != fleets.after.get(name);
    let names: BTreeSet<&str> =
        fleets.before.keys().chain(fleets.after.keys()).copied().filter(differs).collect();
    let shown = |fleet: &BTreeMap<&str, &str>| {
        let weight = |name: &&str| Some(format!("{name}={}", fleet.get(name)?));
        let own: Vec<String> = names.iter().filter_map(weight).collect();
        let more = own.len().saturating_sub(NODES_SHOWN_MAX);
        let listed = own[..own.len() - more].join(", ");
        match (own.is_empty(), more) {
            (true, _) => None,
            (_, 0) => text(listed),
            (_, more) => text(format!("{listed} and {more} more")),
        }
    };
    fleets.as_ref().map(shown)
}

fn first_fleet(run: &RunResults) -> Option<BTreeMap<&str, &str>> {
    let mut starts = run.contenders.iter().filter_map(|one| one.timelines.first()?.steps.first());
    let listed = starts.find(|step| !step.nodes.is_empty())?;
    Some(listed.nodes.iter().map(|node| (node.name.as_str(), node.weight.as_str())).collect())
}

/// The timelines of a run; of several with one name the first, which is put in last.
fn by_name(run: &RunResults) -> BTreeMap<&str, &Timeline> {
    run.plan.iter().rev().map(|timeline| (timeline.name.as_str(), timeline)).collect()
}

fn timelines(runs: Sides<&RunResults>) -> Vec<DesignChange> {
    let known = runs.map(by_name);
    let mut seen = BTreeSet::new();
    let names = runs.before.plan.iter().chain(&runs.after.plan).map(|timeline| &*timeline.name);
    let differing = names.filter(|name| seen.insert(*name)).filter_map(|name| {
        let sides = known.as_ref().map(|known| known.get(name).copied());
        change(format!("timeline “{name}”"), described(sides))
    });
    differing.collect()
}

/// Timelines in a few words; where these are alike, the first step that differs.
fn described(sides: Sides<Option<&Timeline>>) -> Sides<Option<Value>> {
    let spans = sides.map(|timeline| text(span(timeline?)));
    let Some(both) = sides.both().filter(|_| !spans.differ()) else { return spans };
    let steps = std::iter::zip(&both.before.steps, &both.after.steps);
    match steps.enumerate().find(|(_, (before, after))| before != after) {
        Some((index, _)) => both.map(|timeline| text(step(timeline, index))),
        None => spans,
    }
}

/// `5 steps, 20 to 30 nodes`.
fn span(timeline: &Timeline) -> String {
    let nodes = || timeline.steps.iter().map(|step| step.nodes);
    let (least, most) = (nodes().min().unwrap_or(0), nodes().max().unwrap_or(0));
    let steps = timeline.steps.len().saturating_sub(1);
    let steps = format!("{steps} {}", if steps == 1 { "step" } else { "steps" });
    match least == most {
        true => format!("{steps}, {most} nodes"),
        false => format!("{steps}, {least} to {most} nodes"),
    }
}

fn step(timeline: &Timeline, index: usize) -> String {
    let step = &timeline.steps[index];
    let least = match step.minimum.is_finite() {
        true => format!(", least movement {:.2} %", step.minimum * 100.0),
        false => String::new(),
    };
    format!(
        "step {index}, “{}” ({}): {}; {} nodes{least}",
        step.label, step.verb, step.changes, step.nodes
    )
}

/// Requirements that only one run states, by what they are about, side by side.
fn requirements(runs: Sides<&RunResults>) -> Vec<DesignChange> {
    let texts = |run: &RunResults| -> BTreeSet<String> {
        run.requirements.iter().map(Requirement::text).collect()
    };
    let known = runs.map(texts);
    let alone = |own: &RunResults, others: &BTreeSet<String>| {
        let mut by_subject = BTreeMap::<String, Vec<String>>::new();
        for one in &own.requirements {
            let text = one.text();
            if !others.contains(&text) {
                let about = one.metric.clone().or(one.capability.clone());
                by_subject.entry(about.unwrap_or_default()).or_default().push(text);
            }
        }
        by_subject
    };
    let (before, after) = (alone(runs.before, &known.after), alone(runs.after, &known.before));
    let subjects: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let mut changes = Vec::new();
    for about in subjects {
        let of = |all: &BTreeMap<String, Vec<String>>| all.get(about).cloned().unwrap_or_default();
        let (was, now) = (of(&before), of(&after));
        for index in 0..was.len().max(now.len()) {
            let side = |texts: &[String]| texts.get(index).and_then(text);
            let sides = Sides { before: side(&was), after: side(&now) };
            changes.push(DesignChange { what: "requirement".into(), sides });
        }
    }
    changes
}

fn parameters(contender: &Contender) -> String {
    let each = contender.parameters.iter().map(|(name, value)| format!("{name}={value}"));
    each.collect::<Vec<_>>().join(", ")
}
