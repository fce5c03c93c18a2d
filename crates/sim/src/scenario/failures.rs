//! `[failures]`: what each failure of the first fleet does.

use placelab_core::Weight;

use super::Fleet;
use super::field::Beyond;
use super::table::Table;
use crate::failures::Capacity;

/// Largest capacity in loads of a node's own.
pub const FACTOR_MAX: f64 = 1e6;
/// What nodes can take where nothing is said.
const FACTOR: f64 = 1.5;
/// How many nodes fail at random where nothing is said.
const DOWN: u32 = 2;

/// What is asked about failures.
#[derive(Clone, PartialEq, Debug)]
pub struct FailureRequest {
    /// So many nodes fail at random, for losses.
    pub down: u32,
    /// How much each node can take: what `[fleet]` says, else a multiple of its own load.
    pub capacity: Capacity,
}

/// Reads what is asked about the failures of a fleet, as far as that could be read.
pub(super) fn read(table: &Table<'_>, fleet: Option<&Fleet>) -> Option<FailureRequest> {
    let (down, capacity) = (table.get("down"), table.get("capacity"));
    table.finish();
    let fleet = fleet?;
    let serving = fleet.nodes.iter().filter(|node| node.weight != Weight::ZERO).count() as u64;
    let down = match &down {
        Some(field) => field.count_u32(1..=serving, Beyond::Wrong),
        None => Some(DOWN.min(serving as u32)),
    };
    let capacity = match (&capacity, &fleet.capacities) {
        (None, None) => Some(Capacity::OwnLoad(FACTOR)),
        (None, Some(own)) => Some(Capacity::Own(own.clone())),
        (Some(field), None) => {
            let factor = field.number()?;
            let error = || {
                let message = format!("`capacity` takes a number from 1 to {FACTOR_MAX}");
                field.error(message).label("so many times its own load each node can take")
            };
            let is_possible = (1.0..=FACTOR_MAX).contains(&factor);
            table.report.take(is_possible.then_some(Capacity::OwnLoad(factor)).ok_or_else(error))
        }
        (Some(field), Some(_)) => {
            let message = "nodes have capacities of their own in [fleet]";
            let help = "leave `capacity` out here, or there";
            table.report.take(Err(field.error(message).help(help)))
        }
    };
    Some(FailureRequest { down: down?, capacity: capacity? })
}
