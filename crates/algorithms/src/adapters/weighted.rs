//! `X+weighted`: logical buckets in proportion to the weights.
//!
//! Source: the shadow nodes of weighted jump hash: 1:2:3 takes six buckets, one for the first
//! node, two for the second, three for the third. Weights are counted in parts of
//! 1 ÷ `resolution`, and reduced by their greatest common divisor: 1.00 : 1.25 : 1.75 is 4:5:7
//! and takes 16 buckets, 10:15 takes 5. Cost: as the range hash over L buckets; every client must
//! have the table of L rows, and the number of buckets.
//!
//! `layout=append` keeps every bucket with its owner and appends more until the new ratio is
//! reached; where that ratio has fewer for somebody, it is scaled by the smallest factor that has
//! not. 1:2:3 → 2:5:6 appends seven buckets, and a third of the keys moves where 5.13 % had to:
//! of (1 + 3 + 3) ÷ 13 that change their bucket, those that find their owner there stay.
//! `layout=contiguous` lays all buckets out anew in join order, and moves 23 ÷ 39 of them.
//! The buckets of a node that goes are dealt out by the rule of [`crate::owner_table`], under both;
//! one that joins takes buckets over by the same rule where those that there are make the new
//! ratio, as when it returns, and else gets new ones.
//!
//! What it cannot do: keep small tables for odd ratios (at most 65,536 buckets, else the change
//! is refused), or exact shares after a removal: those are as fine as the buckets that there are.
//! Ratios that alternate can pile up buckets under `append`, since none is ever taken back.

mod naive;

use std::collections::BTreeMap;

use placelab_core::{
    Arguments, Capability, Change, Claim, FleetSize, FleetWeight, History, NodeId, ParameterKind,
    ParameterSpec, PlacementError, Roster, Weight,
};

use super::{Adapted, Adapter, Layout};
use crate::owner_table::rebalance;
use crate::range_hash::greatest_common;

/// Most logical buckets.
const BUCKETS_MAX: u64 = 1 << 16;

#[derive(Clone)]
pub(super) struct Weighted {
    resolution: u64,
    order: Order,
}

/// Where the buckets of a new ratio go.
#[derive(Clone, Copy)]
enum Order {
    Append,
    Contiguous,
}

impl Adapted for Weighted {
    const ADAPTER: Adapter = Adapter {
        suffix: "weighted",
        summary: "over logical buckets in proportion to the weights",
        memory_cost: "O(L) rows",
        counts: "L",
        capabilities: &[Capability::RemoveAny, Capability::Weights],
        claims: &[Claim::ScaleFree],
        resolution: Some(["W ÷ 65,536", "4 bytes a bucket"]),
        parameters: &[
            ParameterSpec {
                name: "layout",
                kind: ParameterKind::Choice(&["append", "contiguous"]),
                default: Some("append"),
                help: "whether a new ratio appends buckets or lays all out anew",
            },
            ParameterSpec {
                name: "resolution",
                kind: ParameterKind::Count { min: 1, max: Weight::MICROS },
                default: Some("1000000"),
                help: "parts of a unit of weight that are told apart",
            },
        ],
        small: "",
    };
}

impl Layout for Weighted {
    fn new(arguments: &Arguments) -> Self {
        let order = match arguments.text("layout") {
            "contiguous" => Order::Contiguous,
            _ => Order::Append,
        };
        Weighted { resolution: arguments.count("resolution"), order }
    }

    fn first(&self, roster: &Roster) -> Result<Vec<NodeId>, PlacementError> {
        let mut owners = Vec::new();
        append(&mut owners, &self.ratio(roster)?, roster)?;
        Ok(owners)
    }

    fn after(
        &self,
        owners: &[NodeId],
        next: &Roster,
        changes: &[Change],
    ) -> Result<Vec<NodeId>, PlacementError> {
        let ratio = self.ratio(next)?;
        let has = |meant: fn(&Change) -> bool| changes.iter().any(meant);
        let joins = has(|change| matches!(change, Change::Add(node) if node.weight > Weight::ZERO));
        let reweights = has(|change| matches!(change, Change::Reweight(_, w) if *w > Weight::ZERO));
        if let (true, Order::Contiguous) = (joins || reweights, self.order) {
            return self.first(next);
        }
        let mut owners = owners.to_vec();
        let parts: BTreeMap<NodeId, u64> = ratio.iter().copied().collect();
        let is_orphaned = owners.iter().any(|owner| !parts.contains_key(owner));
        // Whoever joins takes over what was dealt out before, where that makes the ratio.
        let whole: u128 = ratio.iter().map(|(_, part)| u128::from(*part)).sum();
        let takes_over = joins && !reweights && (owners.len() as u128).is_multiple_of(whole);
        if is_orphaned || takes_over {
            rebalance(&mut owners, next, |node| parts[&node.id]);
        }
        if joins || reweights {
            append(&mut owners, &ratio, next)?;
        }
        Ok(owners)
    }

    fn naive(&self, history: &History) -> Vec<NodeId> {
        naive::table(self, history)
    }

    /// Buckets are dealt out again, never taken back.
    fn buckets(&self, fleet: FleetSize) -> u32 {
        fleet.first
    }

    /// A bucket of the largest table, where the ratio has no more.
    fn lightest(&self, fleet: FleetWeight, buckets_max: u32) -> f64 {
        let most = BUCKETS_MAX.min(buckets_max.into());
        (fleet.sum / most as f64).max(1.0 / self.resolution as f64)
    }

    fn is_shared(&self) -> bool {
        true
    }
}

impl Weighted {
    /// The least whole numbers in the ratio of the weights, in join order.
    fn ratio(&self, roster: &Roster) -> Result<Vec<(NodeId, u64)>, PlacementError> {
        let micros = u128::from(Weight::MICROS);
        let mut parts = Vec::new();
        for node in roster.serving() {
            let exact = u128::from(node.weight.micros()) * u128::from(self.resolution);
            let part = (exact + micros / 2) / micros;
            if part == 0 {
                return Err(PlacementError::Parameter {
                    parameter: "resolution".into(),
                    reason: format!(
                        "`{}` of weight {} would vanish in parts of 1/{}: choose a finer one",
                        node.name, node.weight, self.resolution
                    ),
                });
            }
            parts.push((node.id, u64::try_from(part).expect("10^9 units of 10^6 parts")));
        }
        let divisor = parts.iter().fold(0, |divisor, (_, part)| greatest_common(divisor, *part));
        Ok(parts.into_iter().map(|(node, part)| (node, part / divisor)).collect())
    }
}

/// Appends buckets until they are in a ratio, by the smallest multiple of it that holds those
/// that are there.
fn append(
    owners: &mut Vec<NodeId>,
    ratio: &[(NodeId, u64)],
    roster: &Roster,
) -> Result<(), PlacementError> {
    let mut counts: BTreeMap<NodeId, u64> = BTreeMap::new();
    owners.iter().for_each(|owner| *counts.entry(*owner).or_default() += 1);
    let count = |node: &NodeId| counts.get(node).copied().unwrap_or(0);
    let factor = ratio.iter().map(|(node, part)| count(node).div_ceil(*part)).max().unwrap_or(0);
    let factor = factor.max(1);
    let asked =
        ratio.iter().map(|(_, part)| part.saturating_mul(factor)).fold(0, u64::saturating_add);
    if asked > BUCKETS_MAX {
        let what = "logical buckets (a coarser `resolution` takes fewer)";
        return Err(PlacementError::too_much(what, asked, BUCKETS_MAX, roster));
    }
    for (node, part) in ratio {
        let missing = part * factor - count(node);
        owners.extend(std::iter::repeat_n(*node, missing as usize));
    }
    Ok(())
}
