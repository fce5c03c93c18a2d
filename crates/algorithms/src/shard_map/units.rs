//! What is placed as a whole.

use std::collections::BTreeMap;

use placelab_core::NodeId;

use super::residency::Allowances;
use super::{Infeasible, Rules, Shard, ShardMap};

/// What is placed as a whole: a shard, or those of a tenant.
pub(super) struct Unit {
    pub(super) shards: Vec<u32>,
    /// Where it may be; into [`Solver::allowances`].
    pub(super) allowance: usize,
    /// On which nodes how many of its shards have a copy in the map before.
    pub(super) homes: Vec<(u32, u32)>,
    /// The nodes that hold it, by number.
    pub(super) on: Vec<u32>,
}

impl Unit {
    pub(super) fn size(&self) -> u64 {
        self.shards.len() as u64
    }

    /// Copies that have to be made to hold it there.
    pub(super) fn cost(&self, node: u32) -> i64 {
        let there = self.homes.iter().find(|(home, _)| *home == node).map_or(0, |(_, n)| *n);
        i64::from(self.shards.len() as u32 - there)
    }
}

/// Counts a shard of a unit on a node.
pub(super) fn come_home(homes: &mut Vec<(u32, u32)>, node: u32) {
    match homes.iter_mut().find(|(home, _)| *home == node) {
        Some((_, count)) => *count += 1,
        None => homes.push((node, 1)),
    }
}

/// The units of some shards, none of them placed.
pub(super) fn units(
    shards: &[Shard],
    rules: &Rules,
    before: &ShardMap,
    number: &BTreeMap<NodeId, u32>,
    allowances: &mut Allowances<'_>,
) -> Result<Vec<Unit>, Infeasible> {
    let mut tenants: BTreeMap<&str, usize> = BTreeMap::new();
    let mut units: Vec<Unit> = Vec::new();
    for (at, shard) in shards.iter().enumerate() {
        let allowance = allowances.of(shard);
        let tenant = shard.tenant.as_deref().filter(|_| rules.together);
        let unit = match tenant {
            Some(tenant) => *tenants.entry(tenant).or_insert(units.len()),
            None => units.len(),
        };
        if unit == units.len() {
            units.push(Unit { shards: vec![], allowance, homes: vec![], on: vec![] });
        }
        let unit = &mut units[unit];
        unit.allowance = allowances.both(unit.allowance, allowance);
        unit.shards.push(at as u32);
        let holders = before.holders(at);
        for (rank, holder) in holders.iter().enumerate() {
            let is_again = holders[..rank].contains(holder);
            let Some(node) = number.get(holder).filter(|_| !is_again) else { continue };
            come_home(&mut unit.homes, *node);
        }
    }
    let apart = tenants
        .iter()
        .find(|(_, unit)| allowances.domains_of(units[**unit].allowance) < rules.copies);
    match apart {
        Some((tenant, _)) => Err(Infeasible::Together { tenant: (*tenant).into() }),
        None => Ok(units),
    }
}
