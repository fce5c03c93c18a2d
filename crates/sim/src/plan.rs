//! The plan of a scenario: every event resolved to changes of a roster, before anything runs.
//!
//! Random picks are drawn here, from a constant seed and the indices of timeline and step, so a
//! plan names every node and a run has nothing left to chance. Identities are run-wide: a name
//! has the same [`NodeId`] in every timeline, until a timeline renames the machine that bears it.
//! Each timeline begins with the fleet at the start.

use std::collections::BTreeSet;
use std::sync::Arc;

use placelab_core::{Change, Identities, NodeId, Roster};
use placelab_metrics::movement::minimum;

use crate::diagnostics::{Diagnostic, quoted};
use crate::scenario::{EVENTS_MAX, Event, Fleet, Scenario, TimelineRequest, Verb};

mod course;
mod naming;
pub(crate) mod picks;
mod words;

use course::Course;
pub use picks::PICK_SEED;

/// Most members of all rosters of a plan together: 20 million, some gigabytes.
pub const MEMBERS_MAX: u64 = 20_000_000;

/// Label and verb of the step before any event.
pub const START: &str = "start";

/// What happens, resolved.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The fleet at the start of every timeline.
    pub start: Arc<Roster>,
    /// Every name of the run; the first ones are those of the fleet at the start.
    pub names: Identities,
    /// Copies of each key.
    pub copies: u32,
    /// In the order of the scenario.
    pub timelines: Vec<PlannedTimeline>,
}

/// One course of events, resolved.
#[derive(Clone, Debug)]
pub struct PlannedTimeline {
    /// Its name.
    pub name: String,
    /// Step 0 is the fleet at the start; the others are the events in order, a rolling event
    /// being one step for each time that nodes fail or recover.
    pub steps: Vec<PlannedStep>,
}

/// One step, resolved.
#[derive(Clone, PartialEq, Debug)]
pub struct PlannedStep {
    /// Short label for axes, unique within its timeline.
    pub label: String,
    /// [`START`] or one of [`Verb::NAMES`]; the steps of `rolling` are `fail` and `recover`.
    pub verb: &'static str,
    /// What a scheme is told, removals from the tail inward; empty in step 0.
    pub changes: Vec<Change>,
    /// The fleet before.
    pub before: Arc<Roster>,
    /// The fleet after.
    pub after: Arc<Roster>,
    /// Members that failed or left, in roster order.
    pub gone: Vec<NodeId>,
    /// Nodes that recovered or joined after having left, in the order in which they join.
    pub returned: Vec<NodeId>,
    /// How often the hash seed has changed up to and including this step. The seed in force is
    /// that of the run after [`placelab_core::HashSeed::rehashed`] with this count.
    pub rehashes: u32,
}

impl PlannedStep {
    fn start(roster: &Arc<Roster>) -> Self {
        PlannedStep {
            label: START.into(),
            verb: START,
            changes: Vec::new(),
            before: roster.clone(),
            after: roster.clone(),
            gone: Vec::new(),
            returned: Vec::new(),
            rehashes: 0,
        }
    }

    /// Least fraction of keys that must move.
    pub fn minimum(&self) -> f64 {
        minimum(&self.before, &self.after)
    }
}

/// Resolves the events of a scenario.
///
/// # Errors
/// Every event that cannot happen, with its place; a timeline is followed up to its first one.
pub fn plan(scenario: &Scenario) -> Result<Plan, Vec<Diagnostic>> {
    plan_timelines(&scenario.fleet, &scenario.timelines)
}

/// Resolves the events of some timelines that begin with the same fleet.
///
/// # Errors
/// Those of [`plan()`].
pub fn plan_timelines(
    fleet: &Fleet,
    timelines: &[TimelineRequest],
) -> Result<Plan, Vec<Diagnostic>> {
    let mut names = Identities::default();
    for node in &fleet.nodes {
        names.of(&node.name);
    }
    let start = Roster::new(fleet.nodes.clone())
        .map_err(|error| vec![Diagnostic::new(error.to_string(), None)])?;
    let start = Arc::new(start);
    let (mut planned, mut errors, mut totals) = (Vec::new(), Vec::new(), Totals::default());
    for (index, timeline) in timelines.iter().enumerate() {
        let steps = match timeline.events.first() {
            None => Ok(vec![PlannedStep::start(&start)]),
            // Following a timeline costs as much as its start is large, however little happens.
            Some(first) => totals.add(first, 0, start.len() as u64).and_then(|()| {
                let course = Course::new(fleet, start.clone(), &mut names);
                follow(course, index, &timeline.events, &mut totals)
            }),
        };
        match steps {
            Ok(steps) => planned.push(PlannedTimeline { name: timeline.name.clone(), steps }),
            Err(found) => errors.extend(found),
        }
    }
    let copies = fleet.copies.count as u32;
    match errors.is_empty() {
        true => Ok(Plan { start, names, copies, timelines: planned }),
        false => Err(errors),
    }
}

fn follow(
    mut course: Course<'_>,
    timeline: usize,
    events: &[Event],
    totals: &mut Totals,
) -> Result<Vec<PlannedStep>, Vec<Diagnostic>> {
    let mut steps = vec![PlannedStep::start(course.roster())];
    let mut labels: BTreeSet<String> = events.iter().map(|event| event.label.clone()).collect();
    for event in events {
        let more = course.steps(event, picks::generator(timeline, steps.len()), totals)?;
        if let Verb::Rolling(_) = *event.verb {
            new_labels(&mut labels, event, &more)?;
        }
        steps.extend(more);
    }
    Ok(steps)
}

/// Labels that a rolling event derives must not be those that other events have.
fn new_labels(
    labels: &mut BTreeSet<String>,
    event: &Event,
    steps: &[PlannedStep],
) -> Result<(), Vec<Diagnostic>> {
    let Some(twice) = steps.iter().find(|step| !labels.insert(step.label.clone())) else {
        return Ok(());
    };
    let message = format!("two steps would have the label {}", quoted(&twice.label));
    let error = Diagnostic::new(message, event.span.clone()).label("one is a part of this event");
    Err(vec![error.help("give this event another `label`")])
}

/// What the steps of a plan hold so far, all timelines together.
#[derive(Default)]
struct Totals {
    steps: u64,
    members: u64,
}

impl Totals {
    /// Counts steps of an event and the members of the rosters after them.
    ///
    /// # Errors
    /// The limit that they break.
    fn add(&mut self, event: &Event, steps: u64, members: u64) -> Result<(), Vec<Diagnostic>> {
        self.steps += steps;
        self.members += members;
        let span = event.span.clone();
        let error = if self.steps > EVENTS_MAX as u64 {
            let message = format!("a scenario has at most {EVENTS_MAX} events");
            let label = match *event.verb {
                Verb::Rolling(_) => format!("this one is {steps} of them"),
                _ => "this one is too much".into(),
            };
            Diagnostic::new(message, span).label(label)
        } else if self.members > MEMBERS_MAX {
            let message =
                format!("the plan holds more than {MEMBERS_MAX} members in all its steps");
            Diagnostic::new(message, span).help("make the fleet smaller or the events fewer")
        } else {
            return Ok(());
        };
        Err(vec![error.limit()])
    }
}
