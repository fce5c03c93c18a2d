//! Timing the contenders of a scenario.

use placelab_core::{HashSeed, Placement, PlacementError, Roster, advance, establish};
use placelab_results::{LookupTime, Timings, timings::SCHEMA};
use placelab_sim::scenario::{ContenderRequest, Prepared};
use placelab_sim::sweep::Progress;
use placelab_timing::{Lookups, machine, refused, time_updates};

/// Fleet sizes of the latency chart.
const NODE_COUNTS: [u32; 4] = [10, 100, 1_000, 10_000];

/// Times every contender: lookups over fleets of several sizes, and the scenario's first step.
pub(crate) fn time(prepared: &Prepared, progress: &dyn Progress) -> Timings {
    let contenders = &prepared.scenario.contenders;
    progress.begin(contenders.len() as u64 * (NODE_COUNTS.len() as u64 + 1));
    let lookups = Lookups::default();
    let mut timings = Timings {
        schema: SCHEMA,
        machine: machine(&lookups),
        lookups: Vec::new(),
        updates: Vec::new(),
    };
    for contender in contenders {
        for nodes in NODE_COUNTS {
            timings.lookups.push(time_lookups(contender, nodes, &lookups));
            progress.advance(1);
        }
        timings.updates.extend(updates(contender, prepared));
        progress.advance(1);
    }
    timings
}

fn time_lookups(contender: &ContenderRequest, nodes: u32, lookups: &Lookups) -> LookupTime {
    let name = contender.name();
    match Roster::numbered(nodes).and_then(|roster| build(contender, roster)) {
        Ok(placement) => lookups.time(&name, placement.as_ref()),
        Err(error) => refused(&name, nodes, error.to_string()),
    }
}

fn updates(
    contender: &ContenderRequest,
    prepared: &Prepared,
) -> Option<placelab_results::UpdateTime> {
    let start = || build(contender, prepared.plan.start.as_ref().clone());
    let before = start().ok()?;
    let first = prepared.plan.timelines.first().and_then(|timeline| timeline.steps.get(1));
    let apply = first.map(|step| || advance(contender.spec, before.as_ref(), &step.changes));
    let apply = apply.as_ref().map(|apply| apply as &dyn Fn() -> _);
    time_updates(&contender.name(), &start, apply).ok()
}

fn build(
    contender: &ContenderRequest,
    roster: Roster,
) -> Result<Box<dyn Placement>, PlacementError> {
    establish(contender.spec, &contender.arguments, HashSeed::PUBLISHED, roster)
}
