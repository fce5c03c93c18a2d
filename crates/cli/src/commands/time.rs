//! Timing the contenders of a scenario.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use placelab_core::{Arguments, HashSeed, Placement, PlacementError, Placer, Roster};
use placelab_results::{DenseTime, LookupTime, PercentileTime, Timings, timings::SCHEMA};
use placelab_sim::replay::{Burden, Snapshot};
use placelab_sim::scenario::{ContenderRequest, Prepared};
use placelab_sim::sweep::Progress;
use placelab_timing::{Floors, Lookups, busy, load, machine, refused, time_updates};

/// Largest placement that is made for timing.
const PLACEMENT_BYTES_MAX: u64 = 256 << 20;
/// Fleet sizes that are timed where the scenario's own say little.
const NODE_COUNTS: [u32; 4] = [10, 100, 1_000, 10_000];
/// Most fleet sizes of a scenario that are timed.
const NODE_COUNTS_MAX: usize = 12;
/// Times are those of the published functions.
const SEED: HashSeed = HashSeed::PUBLISHED;
/// No keys are placed while changes are timed.
const UNBURDENED: Burden = Burden { keys: 0, replicas: 1 };

/// Times contenders. Lookups do not depend on the scenario, so those of one contender over so many
/// nodes are timed once a run, however many scenarios ask for them.
pub(crate) struct Timer {
    /// Made when first needed: a run may go without.
    bench: LazyCell<Bench>,
    /// Before this run made a load of its own.
    load: Option<f64>,
    known: Vec<(Subject, Timed)>,
    /// Lookups over many sizes; none where no size was served.
    known_densely: Vec<(Subject, Option<DenseTime>)>,
}

/// What lookups are timed with.
struct Bench {
    lookups: Lookups,
    floors: Floors,
}

impl Bench {
    fn new() -> Self {
        let lookups = Lookups::default();
        let floors = Floors::measure(&lookups);
        Bench { lookups, floors }
    }
}

/// Lookups that were timed.
struct Timed {
    time: LookupTime,
    /// What a node took; what the fleet before took where this one was too large.
    node_bytes: u64,
}

/// What is timed, whatever scenario asks for it.
#[derive(PartialEq)]
struct Subject {
    algorithm: &'static str,
    arguments: Arguments,
}

impl Subject {
    fn of(contender: &ContenderRequest) -> Self {
        Subject { algorithm: contender.spec.name, arguments: contender.arguments.clone() }
    }
}

impl Timer {
    /// To be made before the run does anything: it looks at what others do.
    pub(crate) fn new() -> Self {
        Timer {
            bench: LazyCell::new(Bench::new),
            load: load(),
            known: vec![],
            known_densely: vec![],
        }
    }

    /// Times every contender: lookups over fleets of several sizes, and the scenario's first step.
    pub(crate) fn time(&mut self, prepared: &Prepared, progress: &dyn Progress) -> Timings {
        let contenders = &prepared.scenario.contenders;
        let node_counts = node_counts(prepared);
        progress.begin("timing", contenders.len() as u64 * (node_counts.len() as u64 + 1));
        let mut timings = Timings {
            schema: SCHEMA,
            machine: machine(&self.bench.floors, self.load),
            busy: Vec::new(),
            key_hash: self.bench.lookups.time_key_hash(prepared.scenario.keys.hash),
            lookups: Vec::new(),
            dense: Vec::new(),
            percentiles: Vec::new(),
            updates: Vec::new(),
        };
        for contender in contenders {
            let mut node_bytes = 0;
            for &nodes in &node_counts {
                let timed = self.timed(contender, nodes, node_bytes);
                node_bytes = timed.node_bytes;
                timings.lookups.push(timed.time.clone());
                progress.advance(1);
            }
            timings.dense.extend(self.timed_densely(contender));
            timings.percentiles.extend(self.percentiles(contender, prepared));
            timings.updates.extend(updates(contender, prepared));
            progress.advance(1);
        }
        timings.busy = busy(&timings);
        timings
    }

    /// The distribution of lookup times over as many nodes as the first fleet has, where the
    /// contender serves them.
    fn percentiles(
        &self,
        contender: &ContenderRequest,
        prepared: &Prepared,
    ) -> Option<PercentileTime> {
        let placement = placement(contender, prepared.plan.start.len() as u32).ok()?;
        let reads = contender.spec.reads;
        let lookups = &self.bench.lookups;
        Some(lookups.time_percentiles(&contender.name(), reads, placement.as_ref()))
    }

    /// The lookups of a contender over so many nodes, of which each took so much in the fleet
    /// before.
    fn timed(&mut self, contender: &ContenderRequest, nodes: u32, node_bytes: u64) -> &Timed {
        let subject = Subject::of(contender);
        let is_known =
            |(known, timed): &(Subject, Timed)| *known == subject && timed.time.nodes == nodes;
        let at = self.known.iter().position(is_known).unwrap_or_else(|| {
            let timed = time_lookups(contender, nodes, node_bytes, &self.bench);
            self.known.push((subject, timed));
            self.known.len() - 1
        });
        &self.known[at].1
    }

    /// The lookups of a contender over many sizes.
    fn timed_densely(&mut self, contender: &ContenderRequest) -> Option<DenseTime> {
        let subject = Subject::of(contender);
        let at = self.known_densely.iter().position(|(known, _)| *known == subject);
        let at = at.unwrap_or_else(|| {
            let Bench { lookups, floors } = &*self.bench;
            let make = |nodes| placement(contender, nodes).ok();
            let reads = contender.spec.reads;
            let time = lookups.time_densely(floors, &contender.name(), reads, &make);
            self.known_densely.push((subject, time));
            self.known_densely.len() - 1
        });
        self.known_densely[at].1.clone()
    }
}

/// The sizes through which the scenario's fleet goes, where these are several and the largest is
/// a hundred times the smallest: then size is what the scenario is about.
fn node_counts(prepared: &Prepared) -> Vec<u32> {
    let steps = prepared.plan.timelines.iter().flat_map(|timeline| &timeline.steps);
    let own: BTreeSet<u32> = steps.map(|step| step.after.len() as u32).collect();
    let spans = |own: &BTreeSet<u32>| Some(own.last()? / own.first()?);
    match spans(&own) {
        Some(100..) if (4..=NODE_COUNTS_MAX).contains(&own.len()) => own.into_iter().collect(),
        _ => NODE_COUNTS.to_vec(),
    }
}

/// `node_bytes` is what a node took in the fleet before.
fn time_lookups(
    contender: &ContenderRequest,
    nodes: u32,
    mut node_bytes: u64,
    bench: &Bench,
) -> Timed {
    let name = contender.name();
    let needed = node_bytes.saturating_mul(nodes.into());
    let time = if needed > PLACEMENT_BYTES_MAX {
        let reason = format!("not timed: it would take {} MB", needed / 1_000_000);
        refused(&name, nodes, reason)
    } else {
        match placement(contender, nodes) {
            Ok(placement) => {
                let footprint = placement.footprint();
                node_bytes = (footprint.shared_bytes + footprint.derived_bytes) / u64::from(nodes);
                let reads = contender.spec.reads;
                bench.lookups.time(&bench.floors, &name, reads, placement.as_ref())
            }
            Err(error) => refused(&name, nodes, error.to_string()),
        }
    };
    Timed { time, node_bytes }
}

fn updates(
    contender: &ContenderRequest,
    prepared: &Prepared,
) -> Option<placelab_results::UpdateTime> {
    let start = || first(contender, prepared.plan.start.as_ref().clone());
    let before = Snapshot { seed: SEED, placer: start().ok()? };
    let next = prepared.plan.timelines.first().and_then(|timeline| timeline.steps.get(1));
    let apply = next.map(|step| || Ok(before.after(contender, SEED, step, UNBURDENED)?.placer));
    let apply = apply.as_ref().map(|apply| apply as &dyn Fn() -> _);
    time_updates(&contender.name(), &start, apply).ok()
}

/// The placement over so many equal nodes.
fn placement(
    contender: &ContenderRequest,
    nodes: u32,
) -> Result<Box<dyn Placement>, PlacementError> {
    first(contender, Roster::numbered(nodes)?)?.into_placement()
}

fn first(contender: &ContenderRequest, roster: Roster) -> Result<Placer, PlacementError> {
    Placer::first(contender.spec, &contender.arguments, SEED, roster)
}
