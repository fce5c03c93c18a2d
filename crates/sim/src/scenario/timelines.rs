//! `[[timeline]]`: the courses of events.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::field::{Beyond, Field};
use super::table::{Report, Table};
use super::{Event, Joining, Named, Picked, Renaming, TimelineRequest, Verb, verbs};
use crate::diagnostics::quoted;
use crate::plan::START;

/// Most events of a scenario, repetitions and the steps of rolling events included.
pub const EVENTS_MAX: usize = 10_000;
const REPEAT_MAX: u64 = 1_000;

/// Name of the timeline where a scenario has none.
const UNEVENTFUL: &str = "as it is";

/// Timelines as far as they could be read.
pub(super) struct Timelines {
    /// Each up to its first event that is wrong: what follows depends on it.
    pub(super) list: Vec<TimelineRequest>,
}

impl Timelines {
    pub(super) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.list.iter().map(|timeline| timeline.name.as_str())
    }
}

/// Reads the courses of events.
pub(super) fn read(root: &Table<'_>) -> Timelines {
    let Some(field) = root.get("timeline") else {
        let only = TimelineRequest { name: UNEVENTFUL.into(), events: Vec::new() };
        return Timelines { list: vec![only] };
    };
    let (mut list, mut total) = (Vec::new(), 0);
    let mut names = BTreeSet::new();
    let tables = field.tables("[[timeline]]").unwrap_or_default();
    if tables.is_empty() {
        let help = "leave `timeline` out for a fleet that stays as it is";
        root.report.add(field.error("`timeline` is empty").label("no timelines").help(help));
    }
    for table in tables {
        let name = table.required("name").and_then(|field| {
            let name = field.line()?;
            if !names.insert(name.clone()) {
                let message = format!("timeline {} stands there twice", quoted(&name));
                root.report.add(field.error(message).label("the second one"));
            }
            Some(name)
        });
        let drafts = table.get("event").map_or(Some(Vec::new()), |field| read_events(&field));
        table.finish();
        let events = drafts.map_or(Vec::new(), |drafts| unroll(drafts, root.report, &mut total));
        // A timeline without a name is reported; its events can be checked all the same.
        list.push(TimelineRequest { name: name.unwrap_or_default(), events });
    }
    Timelines { list }
}

/// An event before its repetitions are unrolled.
struct Draft<'a> {
    label: Option<(String, Field<'a>)>,
    verb: Verb,
    value: Field<'a>,
    repeat: usize,
}

/// The events up to the first one that is wrong; each of those after it is checked by itself.
fn read_events<'a>(field: &Field<'a>) -> Option<Vec<Draft<'a>>> {
    let drafts: Vec<_> = field.list()?.iter().map(|element| read_event(element)).collect();
    Some(drafts.into_iter().map_while(|draft| draft).collect())
}

fn read_event<'a>(element: &Field<'a>) -> Option<Draft<'a>> {
    let table = element.table("[[timeline.event]]")?;
    let label = match table.get("label") {
        Some(field) => field.line().map(|label| Some((label, field))),
        None => Some(None),
    };
    let repeat = match table.get("repeat") {
        Some(field) => field.count(1..=REPEAT_MAX, Beyond::Wrong),
        None => Some(1),
    };
    let present: Vec<_> = Verb::NAMES
        .into_iter()
        .filter_map(|name| table.get(name).map(|field| (name, field)))
        .collect();
    let unknown = table.finish();
    let one = only_verb(&table, &present, unknown);
    let read = present.iter().map(|(name, field)| verbs::read(name, field)).collect::<Vec<_>>();
    let (_, value) = one?;
    let verb = read.into_iter().next().flatten();
    Some(Draft { label: label?, verb: verb?, value, repeat: repeat? as usize })
}

fn only_verb<'a>(
    table: &Table<'a>,
    present: &[(&'static str, Field<'a>)],
    unknown: usize,
) -> Option<(&'static str, Field<'a>)> {
    let verbs = Verb::NAMES.join("`, `");
    match present {
        [one] => return Some(one.clone()),
        // A misspelt verb has been reported as an unknown key.
        [] if unknown > 0 => {}
        [] => {
            let message = "an event needs a verb, which says what happens";
            table.report.add(table.error(message).help(format!("there are `{verbs}`")));
        }
        several => {
            let mut spans: Vec<_> =
                several.iter().filter_map(|(name, _)| table.key_span(name)).collect();
            spans.sort_by_key(|span| span.start);
            let error = crate::diagnostics::Diagnostic::new(
                "an event has one verb, not several",
                spans.get(1).cloned(),
            );
            let help = "write an [[timeline.event]] for each of them";
            table.report.add(error.label("the second one").help(help));
        }
    }
    None
}

/// Repeats events and labels them. Labels that are written stay as they are; derived ones make
/// way for them.
fn unroll(drafts: Vec<Draft<'_>>, report: &Report, total: &mut usize) -> Vec<Event> {
    let mut taken = BTreeSet::from([START.to_string()]);
    let mut used = BTreeMap::new();
    for draft in &drafts {
        *total += draft.repeat;
        if *total > EVENTS_MAX {
            let message = format!("a scenario has at most {EVENTS_MAX} events");
            report.add(draft.value.error(message).label("this one is too much").limit());
            return Vec::new();
        }
        for label in written_labels(draft) {
            if !taken.insert(label.clone()) {
                let (_, field) = draft.label.as_ref().expect("only events with a label have one");
                let message = format!("the label {} stands there twice", quoted(&label));
                let help = "labels are unique in a timeline; `start` is the fleet at the start";
                report.add(field.error(message).help(help));
            }
        }
    }
    let mut events = Vec::with_capacity(*total);
    for draft in drafts {
        let mut labels = written_labels(&draft);
        let verb = Arc::new(draft.verb);
        if labels.is_empty() {
            let one = |_| derived_label(&verb, &mut taken, &mut used);
            labels.extend((0..draft.repeat).map(one));
        }
        let event = |label| Event { label, verb: verb.clone(), span: draft.value.span() };
        events.extend(labels.into_iter().map(event));
    }
    events
}

fn written_labels(draft: &Draft<'_>) -> Vec<String> {
    match (&draft.label, draft.repeat) {
        (None, _) => Vec::new(),
        (Some((label, _)), 1) => vec![label.clone()],
        (Some((label, _)), repeat) => (1..=repeat).map(|n| format!("{label} {n}")).collect(),
    }
}

/// `used` is the last number given to each label, so that counting goes on from there.
fn derived_label(
    verb: &Verb,
    taken: &mut BTreeSet<String>,
    used: &mut BTreeMap<String, u64>,
) -> String {
    let label = label_of(verb);
    let last = used.entry(label.clone()).or_insert(0);
    loop {
        *last += 1;
        let free = if *last == 1 { label.clone() } else { format!("{label} ({last})") };
        if taken.insert(free.clone()) {
            return free;
        }
    }
}

fn label_of(verb: &Verb) -> String {
    let name = verb.name();
    match verb {
        Verb::Join(Joining::Count(count)) => format!("{name} {count}"),
        Verb::Join(Joining::Nodes(nodes)) => {
            format!("{name} {}", names_in_words(nodes.len(), &nodes[0].named))
        }
        Verb::Leave(picked) | Verb::Fail(picked) | Verb::Recover(picked) => match picked {
            Picked::Count(count) => format!("{name} {count}"),
            Picked::Names(names) => format!("{name} {}", names_in_words(names.len(), &names[0])),
        },
        Verb::Grow(total) | Verb::Shrink(total) => format!("{name} to {total}"),
        Verb::Reweight(weights) => {
            format!("{name} {}", names_in_words(weights.len(), &weights[0].0))
        }
        Verb::Rolling(size) => format!("{name} {size}"),
        Verb::ZoneFail(zones) | Verb::ZoneRecover(zones) => match &zones[..] {
            [one] => format!("{name} {}", one.name),
            several => format!("{name} {} zones", several.len()),
        },
        Verb::Replace(pairs) | Verb::Rename(Renaming::Pairs(pairs)) => {
            format!("{name} {}", names_in_words(pairs.len(), &pairs[0].0))
        }
        Verb::Rename(Renaming::Every(template)) => format!("{name} to {template}"),
        Verb::Rehash => name.into(),
    }
}

fn names_in_words(count: usize, first: &Named) -> String {
    if count == 1 { first.name.to_string() } else { format!("{count} nodes") }
}
