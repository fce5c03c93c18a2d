//! `X+alias`: many logical buckets, and a table from bucket to node.
//!
//! Source: the hybrid that practice recommends for jump hash: hash into far more buckets than
//! machines and let a table of a few hundred rows say which machine has which. Cost: as the range
//! hash over L buckets; the table has L rows that every client must have. Members and weights
//! change the table alone, by the rule of [`crate::owner_table`].
//!
//! What it cannot do: shares finer than 1 ÷ L, or more nodes than buckets.

use placelab_core::{
    Arguments, Capability, Change, Claim, FleetSize, FleetWeight, History, NodeId, ParameterKind,
    ParameterSpec, PlacementError, Roster,
};

use super::{Adapted, Adapter, Layout};
use crate::owner_table::{check_room, dealt, follow, naive_table};

#[derive(Clone)]
pub(super) struct Alias {
    buckets: u64,
}

impl Adapted for Alias {
    const ADAPTER: Adapter = Adapter {
        suffix: "alias",
        summary: "over many logical buckets with a table of their owners",
        memory_cost: "O(L) rows",
        counts: "L",
        capabilities: &[Capability::RemoveAny, Capability::Weights],
        claims: &[Claim::ScaleFree],
        resolution: Some(["W ÷ L", "4 bytes a bucket"]),
        parameters: &[ParameterSpec {
            name: "buckets",
            kind: ParameterKind::Count { min: 1, max: 1 << 20 },
            default: Some("1024"),
            help: "logical buckets: a hundred a node or more",
        }],
        small: "buckets=10",
    };
}

impl Layout for Alias {
    fn new(arguments: &Arguments) -> Self {
        Alias { buckets: arguments.count("buckets") }
    }

    fn first(&self, roster: &Roster) -> Result<Vec<NodeId>, PlacementError> {
        check_room("buckets", self.buckets, roster)?;
        Ok(dealt(self.buckets as usize, roster))
    }

    fn after(
        &self,
        owners: &[NodeId],
        next: &Roster,
        changes: &[Change],
    ) -> Result<Vec<NodeId>, PlacementError> {
        check_room("buckets", self.buckets, next)?;
        let mut owners = owners.to_vec();
        follow(&mut owners, next, changes);
        Ok(owners)
    }

    fn naive(&self, history: &History) -> Vec<NodeId> {
        naive_table(self.buckets as usize, history)
    }

    fn buckets(&self, _: FleetSize) -> u32 {
        self.buckets as u32
    }

    fn lightest(&self, fleet: FleetWeight, _: u32) -> f64 {
        fleet.sum / self.buckets as f64
    }

    fn is_shared(&self) -> bool {
        true
    }
}
