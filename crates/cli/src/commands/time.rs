//! Timing the contenders of a scenario.

use placelab_core::{HashSeed, Placement, PlacementError, Roster, advance, establish};
use placelab_results::{LookupTime, Timings, timings::SCHEMA};
use placelab_sim::scenario::{ContenderRequest, Prepared};
use placelab_sim::sweep::Progress;
use placelab_timing::{Lookups, machine, refused, time_updates};

/// Largest placement that is made for timing.
const PLACEMENT_BYTES_MAX: u64 = 256 << 20;
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
        let mut node_bytes = 0;
        for nodes in NODE_COUNTS {
            let timed = time_lookups(contender, nodes, &mut node_bytes, &lookups);
            timings.lookups.push(timed);
            progress.advance(1);
        }
        timings.updates.extend(updates(contender, prepared));
        progress.advance(1);
    }
    timings
}

/// `node_bytes` is what a node took in the fleet before, and becomes what it takes in this one.
fn time_lookups(
    contender: &ContenderRequest,
    nodes: u32,
    node_bytes: &mut u64,
    lookups: &Lookups,
) -> LookupTime {
    let name = contender.name();
    let needed = node_bytes.saturating_mul(nodes.into());
    if needed > PLACEMENT_BYTES_MAX {
        let reason = format!("not timed: it would take {} MB", needed / 1_000_000);
        return refused(&name, nodes, reason);
    }
    match Roster::numbered(nodes).and_then(|roster| build(contender, roster)) {
        Ok(placement) => {
            let footprint = placement.footprint();
            *node_bytes = (footprint.shared_bytes + footprint.derived_bytes) / u64::from(nodes);
            lookups.time(&name, placement.as_ref())
        }
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
