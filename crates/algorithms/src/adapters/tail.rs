//! `X`: bucket *i* is the member that joined *i*-th.
//!
//! What it cannot do: lose any member but the one that joined last, or serve weights.

use placelab_core::{Arguments, Change, FleetSize, History, NodeId, PlacementError, Roster};

use super::Layout;

/// The layout of a range hash without an adapter.
#[derive(Clone)]
pub(crate) struct Tail;

impl Layout for Tail {
    fn new(_: &Arguments) -> Self {
        Tail
    }

    fn first(&self, roster: &Roster) -> Result<Vec<NodeId>, PlacementError> {
        Ok(roster.ids())
    }

    fn after(
        &self,
        _: &[NodeId],
        next: &Roster,
        _: &[Change],
    ) -> Result<Vec<NodeId>, PlacementError> {
        Ok(next.ids())
    }

    fn naive(&self, history: &History) -> Vec<NodeId> {
        history.now().ids()
    }

    fn buckets(&self, fleet: FleetSize) -> u32 {
        fleet.now
    }

    fn is_shared(&self) -> bool {
        false
    }
}
