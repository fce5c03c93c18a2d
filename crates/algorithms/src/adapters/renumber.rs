//! `X+renumber`: a bucket for each member, and numbers closed up when one goes.
//!
//! Source: what is done in practice when a member in the middle must go. With `fill=compact`
//! everybody behind it moves down by one; with `fill=swap-last` the last takes its number. Cost:
//! as the range hash; a removal O(N).
//!
//! What it cannot do: move only what it must, and that is the point: the price is measured. Of N
//! members the one of rank r (from 0, not the last) going moves 1 − (r ÷ N + 1 ÷ (N(N − 1))) of
//! the keys under `compact`, two thirds of them for N = 4 and r = 1, where a quarter had to.
//! Under `swap-last` it is (2N − 3) ÷ (N(N − 1)) whatever r, 0.417 for N = 4: the keys of the node
//! itself, and those of the last but for the 1 ÷ (N − 1) of them that fall into its new number.

use std::collections::BTreeMap;

use placelab_core::{
    Arguments, Capability, Change, Claim, FleetSize, History, NodeId, ParameterKind, ParameterSpec,
    PlacementError, Roster,
};

use super::{Adapted, Adapter, Layout};

#[derive(Clone, Copy)]
pub(super) enum Renumber {
    Compact,
    SwapLast,
}

impl Adapted for Renumber {
    const ADAPTER: Adapter = Adapter {
        suffix: "renumber",
        summary: "with members renumbered when one in the middle goes",
        memory_cost: "O(N) names",
        counts: "N",
        capabilities: &[Capability::RemoveAny],
        claims: &[Claim::FairShares, Claim::Restores],
        resolution: None,
        parameters: &[ParameterSpec {
            name: "fill",
            kind: ParameterKind::Choice(&["compact", "swap-last"]),
            default: Some("compact"),
            help: "who takes the number of a member that goes: the next, or the last",
        }],
        small: "",
    };
}

impl Layout for Renumber {
    fn new(arguments: &Arguments) -> Self {
        match arguments.text("fill") {
            "swap-last" => Renumber::SwapLast,
            _ => Renumber::Compact,
        }
    }

    fn first(&self, roster: &Roster) -> Result<Vec<NodeId>, PlacementError> {
        Ok(roster.ids())
    }

    fn after(
        &self,
        owners: &[NodeId],
        next: &Roster,
        changes: &[Change],
    ) -> Result<Vec<NodeId>, PlacementError> {
        Ok(match self {
            Renumber::Compact => next.ids(),
            Renumber::SwapLast => swapped(owners, changes),
        })
    }

    /// One list, from which members are taken out where they stand.
    fn naive(&self, history: &History) -> Vec<NodeId> {
        let mut owners = history.start.ids();
        for change in history.steps.iter().flatten() {
            match change {
                Change::Add(node) => owners.push(node.id),
                Change::Remove(id) => {
                    let number = owners.iter().position(|owner| owner == id);
                    let number = number.expect("every member has a number");
                    match self {
                        Renumber::Compact => owners.remove(number),
                        Renumber::SwapLast => owners.swap_remove(number),
                    };
                }
                Change::Reweight(..) | Change::Rename(..) => {}
            }
        }
        owners
    }

    fn buckets(&self, fleet: FleetSize) -> u32 {
        fleet.now
    }

    /// After a swap the numbers are no longer those of the join order.
    fn is_shared(&self) -> bool {
        matches!(self, Renumber::SwapLast)
    }
}

fn swapped(owners: &[NodeId], changes: &[Change]) -> Vec<NodeId> {
    let mut owners = owners.to_vec();
    let mut numbers: BTreeMap<NodeId, usize> =
        owners.iter().enumerate().map(|(number, owner)| (*owner, number)).collect();
    for change in changes {
        match change {
            Change::Add(node) => {
                numbers.insert(node.id, owners.len());
                owners.push(node.id);
            }
            Change::Remove(id) => {
                let number = numbers.remove(id).expect("every member has a bucket");
                owners.swap_remove(number);
                if let Some(&moved) = owners.get(number) {
                    numbers.insert(moved, number);
                }
            }
            Change::Reweight(..) | Change::Rename(..) => {}
        }
    }
    owners
}
