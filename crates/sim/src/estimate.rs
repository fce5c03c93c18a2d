//! What a run would cost, before it runs.

use placelab_core::{HashSeed, Placement, PlacementError, establish};

use crate::plan::Plan;
use crate::scenario::{ContenderRequest, Prepared};

/// What one contender would cost.
pub struct Estimate {
    /// The contender.
    pub contender: String,
    /// Placements of the fleet that a hash seed holds at once.
    pub snapshots: u64,
    /// Bytes of these placements, by the first one.
    pub snapshot_bytes: u64,
    /// Bytes of what a thread counts.
    pub tally_bytes: u64,
    /// Lookups over all keys, snapshots and seeds.
    pub lookups: u128,
    /// The first placement, for timing; or why there is none.
    pub first: Result<Box<dyn Placement>, PlacementError>,
}

/// The cost of each contender over so many keys.
pub fn estimate(prepared: &Prepared, keys: u64) -> Vec<Estimate> {
    let Prepared { scenario, plan } = prepared;
    let steps: usize = plan.timelines.iter().map(|timeline| timeline.steps.len() - 1).sum();
    let snapshots = 1 + steps as u64;
    let one = |contender: &ContenderRequest| {
        let start = plan.start.as_ref().clone();
        let seed = HashSeed::PUBLISHED;
        let first = establish(contender.spec, &contender.arguments, seed, start);
        let footprint = first.as_ref().map(|placement| placement.footprint()).unwrap_or_default();
        let largest = largest_fleet(plan) as u64;
        // Fleets of unlike size: the placement of the first fleet, scaled to the largest.
        let grown = |bytes: u64| bytes.saturating_mul(largest).div_ceil(plan.start.len() as u64);
        Estimate {
            contender: contender.name(),
            snapshots,
            snapshot_bytes: grown(footprint.shared_bytes + footprint.derived_bytes)
                .saturating_mul(snapshots),
            tally_bytes: tally_bytes(plan.names.names().len() as u64, steps as u64, keys),
            lookups: u128::from(keys) * u128::from(snapshots) * u128::from(scenario.seeds),
            first,
        }
    };
    scenario.contenders.iter().map(one).collect()
}

/// Bytes that a run would hold at once on so many threads: the dearest contenders side by side.
pub fn bytes_at_once(estimates: &[Estimate], threads: u64) -> u64 {
    let dearest = estimates.iter().map(|one| one.snapshot_bytes.saturating_add(one.tally_bytes));
    dearest.max().unwrap_or(0).saturating_mul(threads)
}

fn largest_fleet(plan: &Plan) -> usize {
    let steps = plan.timelines.iter().flat_map(|timeline| &timeline.steps);
    steps.map(|step| step.after.len()).max().unwrap_or(0)
}

/// A matrix has a cell for each pair of nodes, but never more than keys that could fill it.
fn tally_bytes(nodes: u64, comparisons: u64, keys: u64) -> u64 {
    const CELL_BYTES: u64 = 40;
    let cells = nodes.saturating_mul(nodes).min(keys.max(512 * 512));
    cells.saturating_mul(CELL_BYTES).saturating_mul(comparisons)
}
