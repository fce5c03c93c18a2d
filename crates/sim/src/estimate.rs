//! What a run would cost, before it runs.

use std::sync::Arc;

use placelab_core::{Footprint, HashSeed, NodeId, PlacementError, Placer, Roster};

use placelab_metrics::flows::Amounts;

use crate::failures::bytes_of_a_look;
use crate::keys::KeySource;
use crate::plan::Plan;
use crate::replay::{Burden, Snapshot};
use crate::scenario::{ContenderRequest, Prepared};
use crate::sweep::CHUNK_KEYS;

/// Bytes of a step's figures at one seed: some thirty numbers with their names.
const FIGURES_BYTES: u64 = 4_000;
/// Bytes of a step in the results, about.
const RESULTS_BYTES: u64 = 10_000;

/// What one contender would cost.
#[derive(Debug)]
pub struct Estimate {
    /// The contender.
    pub contender: String,
    /// Placements of the fleet that a hash seed holds at once.
    pub snapshots: u64,
    /// Bytes that one hash seed of it holds at once: its placements and what is counted.
    pub bytes: u64,
    /// Lookups over all keys, snapshots and seeds.
    pub lookups: u128,
    /// The largest that `probe` said; or why the first fleet has no placement.
    pub probed: Result<f64, PlacementError>,
}

/// The cost of each contender. The placements of its first and its largest fleets are made, one
/// after the other, and dropped again; `probe` looks at each, and its largest figure counts.
pub fn estimate(
    prepared: &Prepared,
    source: &KeySource,
    mut probe: impl FnMut(&ContenderRequest, &Placer) -> f64,
) -> Vec<Estimate> {
    let Prepared { scenario, plan, .. } = prepared;
    let steps: usize = plan.timelines.iter().map(|timeline| timeline.steps.len() - 1).sum();
    let snapshots = 1 + steps as u64;
    let names = plan.names.names().len() as u64;
    let held = if scenario.fleet.copies.count > 1 { names.saturating_mul(snapshots) } else { 0 };
    let tally = tally_bytes(names, steps as u64, source.len())
        .saturating_add(held.saturating_mul(size_of::<Amounts>() as u64));
    let rows = snapshots * CHUNK_KEYS * size_of::<NodeId>() as u64;
    let figures = snapshots * u64::from(scenario.seeds) * FIGURES_BYTES;
    let fleets = largest_fleets(plan);
    let replicas = scenario.fleet.copies.count;
    // Candidates take about three choices of copies a key; replays may take more, up to a budget.
    let passes = snapshots + if scenario.failures.is_some() { 3 * replicas as u64 } else { 0 };
    let burden = Burden { keys: source.len(), replicas };
    let one = |contender: &ContenderRequest| {
        let mut footprint = Footprint::default();
        let mut probed = first(contender, &plan.start, burden).map(|placer| {
            footprint = placer.scheme().footprint();
            probe(contender, &placer)
        });
        // Later fleets may be refused; then they cost nothing.
        for placer in fleets.iter().flat_map(|fleet| first(contender, fleet, burden)) {
            let grown = placer.scheme().footprint();
            footprint.shared_bytes = footprint.shared_bytes.max(grown.shared_bytes);
            footprint.derived_bytes = footprint.derived_bytes.max(grown.derived_bytes);
            probed = probed.map(|least| least.max(probe(contender, &placer)));
        }
        let placement_bytes = footprint.shared_bytes + footprint.derived_bytes;
        Estimate {
            contender: contender.name(),
            snapshots,
            bytes: placement_bytes.saturating_mul(snapshots).saturating_add(tally + rows + figures),
            lookups: u128::from(source.len()) * u128::from(passes) * u128::from(scenario.seeds),
            probed,
        }
    };
    scenario.contenders.iter().map(one).collect()
}

/// Bytes that a run holds at once on so many threads: the keys, the dearest contender on each or a
/// look at failures, and the results of all.
pub fn bytes_at_once(
    prepared: &Prepared,
    estimates: &[Estimate],
    source: &KeySource,
    threads: u64,
) -> u64 {
    let Prepared { scenario, plan, .. } = prepared;
    let (copies, nodes) = (scenario.fleet.copies.count as u64, plan.start.len() as u64);
    let look = match scenario.failures {
        Some(_) => bytes_of_a_look(source.len(), copies, nodes, threads),
        None => 0,
    };
    let dearest = estimates.iter().map(|one| one.bytes).max().unwrap_or(0);
    let swept = dearest.saturating_mul(threads).max(look);
    let held = swept.saturating_add(source.memory_bytes());
    held.saturating_add(3 * results_bytes(estimates))
}

/// Bytes of the results, about, as JSON.
pub fn results_bytes(estimates: &[Estimate]) -> u64 {
    estimates.iter().map(|one| one.snapshots * RESULTS_BYTES).sum()
}

fn first(
    contender: &ContenderRequest,
    roster: &Arc<Roster>,
    burden: Burden,
) -> Result<Placer, PlacementError> {
    let roster = roster.as_ref().clone();
    Ok(Snapshot::first(contender, HashSeed::PUBLISHED, roster, burden)?.placer)
}

/// The fleet of most members and the one of most weight, where they are not the first: what a
/// placement takes grows with one or the other.
fn largest_fleets(plan: &Plan) -> Vec<&Arc<Roster>> {
    let steps = || plan.timelines.iter().flat_map(|timeline| &timeline.steps);
    let fleets = || steps().map(|step| &step.after);
    let largest = [
        fleets().max_by_key(|roster| roster.len()).filter(|one| one.len() > plan.start.len()),
        fleets()
            .max_by_key(|roster| roster.total_weight())
            .filter(|one| one.total_weight() > plan.start.total_weight()),
    ];
    let [members, weight] = largest;
    let same = members.zip(weight).is_some_and(|(a, b)| Arc::ptr_eq(a, b));
    members.into_iter().chain(weight.filter(|_| !same)).collect()
}

/// A matrix has a cell for each pair of nodes, but never more than keys that could fill it; while
/// a seed is summed up its cells are held three times.
fn tally_bytes(nodes: u64, comparisons: u64, keys: u64) -> u64 {
    const CELL_BYTES: u64 = 3 * 40;
    let cells = nodes.saturating_mul(nodes).min(keys);
    cells.saturating_mul(CELL_BYTES).saturating_mul(comparisons)
}
