//! What a run would cost, before it runs.

use std::sync::Arc;

use placelab_core::{Footprint, HashSeed, Placement, PlacementError, Roster, establish};

use crate::keys::KeySource;
use crate::plan::Plan;
use crate::scenario::{ContenderRequest, Prepared};

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
    /// What `probe` said of the first placement; or why there is none.
    pub probed: Result<f64, PlacementError>,
}

/// The cost of each contender. Its first placement and that of the largest fleet are made, one
/// after the other, and dropped again; `probe` may look at the first.
pub fn estimate(
    prepared: &Prepared,
    source: &KeySource,
    mut probe: impl FnMut(&dyn Placement) -> f64,
) -> Vec<Estimate> {
    let Prepared { scenario, plan } = prepared;
    let steps: usize = plan.timelines.iter().map(|timeline| timeline.steps.len() - 1).sum();
    let snapshots = 1 + steps as u64;
    let tally = tally_bytes(plan.names.names().len() as u64, steps as u64, source.len());
    let largest = largest_fleet(plan);
    let one = |contender: &ContenderRequest| {
        let mut footprint = Footprint::default();
        let probed = first_placement(contender, &plan.start).map(|placement| {
            footprint = placement.footprint();
            probe(placement.as_ref())
        });
        if largest.len() > plan.start.len() {
            // Later fleets may be refused; then they cost nothing.
            let grown = first_placement(contender, largest).map(|placement| placement.footprint());
            footprint = grown.unwrap_or(footprint);
        }
        let placement_bytes = footprint.shared_bytes + footprint.derived_bytes;
        Estimate {
            contender: contender.name(),
            snapshots,
            bytes: placement_bytes.saturating_mul(snapshots).saturating_add(tally),
            lookups: u128::from(source.len()) * u128::from(snapshots) * u128::from(scenario.seeds),
            probed,
        }
    };
    scenario.contenders.iter().map(one).collect()
}

/// Bytes that a run holds at once on so many threads: the keys, and the dearest contender on each.
pub fn bytes_at_once(estimates: &[Estimate], source: &KeySource, threads: u64) -> u64 {
    let dearest = estimates.iter().map(|one| one.bytes).max().unwrap_or(0);
    dearest.saturating_mul(threads).saturating_add(source.memory_bytes())
}

fn first_placement(
    contender: &ContenderRequest,
    roster: &Arc<Roster>,
) -> Result<Box<dyn Placement>, PlacementError> {
    let roster = roster.as_ref().clone();
    establish(contender.spec, &contender.arguments, HashSeed::PUBLISHED, roster)
}

fn largest_fleet(plan: &Plan) -> &Arc<Roster> {
    let steps = plan.timelines.iter().flat_map(|timeline| &timeline.steps);
    steps.map(|step| &step.after).max_by_key(|roster| roster.len()).unwrap_or(&plan.start)
}

/// A matrix has a cell for each pair of nodes, but never more than keys that could fill it; while
/// a seed is summed up its cells are held three times.
fn tally_bytes(nodes: u64, comparisons: u64, keys: u64) -> u64 {
    const CELL_BYTES: u64 = 3 * 40;
    let cells = nodes.saturating_mul(nodes).min(keys);
    cells.saturating_mul(CELL_BYTES).saturating_mul(comparisons)
}
