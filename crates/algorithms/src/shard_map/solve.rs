//! The search for a map.
//!
//! Copies stay where they are as far as the rules and the targets of the nodes let them; each copy
//! that is left takes the cheapest way to a node with room. A way may push other copies on, each to
//! the next node: what that costs is the moves it adds, and one that goes back home takes a move
//! away.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use placelab_core::mix::stream;
use placelab_core::{Domain, DomainIndex, Node, NodeId, Roster};

use super::residency::Allowances;
use super::units::{Unit, units};
use super::{Infeasible, Optimum, Rules, Shard, ShardMap, Solution, Spread};
use crate::owner_table::largest_remainder;

/// A map of the shards over the members of positive weight that keeps the rules, reached from
/// another by few moves. The other may have copies on nodes that are gone, or nowhere.
///
/// # Errors
/// The rule that cannot be kept, with who is concerned; with tenants of several shards perhaps only
/// that no way was found to pack them.
pub fn solve(
    roster: &Roster,
    shards: &[Shard],
    rules: &Rules,
    before: &ShardMap,
) -> Result<Solution, Infeasible> {
    if before.shards() != shards.len() || before.copies() != rules.copies {
        let shape = |shards: usize, copies: usize| format!("{shards} shards of {copies} copies");
        return Err(Infeasible::OtherShape {
            found: shape(before.shards(), before.copies()),
            asked: shape(shards.len(), rules.copies),
        });
    }
    let mut solver = Solver::new(roster, shards, rules, before)?;
    solver.run()?;
    Ok(solver.solution(before))
}

/// A search for a map.
pub(super) struct Solver<'a> {
    pub(super) shards: &'a [Shard],
    /// Copies of each shard.
    pub(super) copies: usize,
    /// Members of positive weight in name order; their places here are their numbers.
    pub(super) nodes: Vec<&'a Node>,
    /// The number of each node's failure domain.
    pub(super) domains: Vec<usize>,
    pub(super) units: Vec<Unit>,
    pub(super) allowances: Vec<Allowance>,
    /// The zones to which an allowance keeps its shards; none where it has all nodes.
    pub(super) zones: Vec<Vec<Domain>>,
    /// How much each node is to hold.
    pub(super) targets: Vec<u64>,
    /// How much it can.
    pub(super) most: Vec<u64>,
    pub(super) loads: Vec<u64>,
    pub(super) held: Vec<Held>,
    /// Whether targets had to be raised, or units are of several shards.
    pub(super) is_raised: bool,
}

impl<'a> Solver<'a> {
    fn new(
        roster: &'a Roster,
        shards: &'a [Shard],
        rules: &'a Rules,
        before: &ShardMap,
    ) -> Result<Self, Infeasible> {
        let nodes: Vec<&Node> = roster.serving_by_name().collect();
        let (domains, domain_count) = number_domains(roster, &nodes, rules.spread);
        if domain_count < rules.copies {
            let (copies, domains, found) = (rules.copies, rules.spread.name(), domain_count);
            return Err(Infeasible::Spread { copies, domains, found });
        }
        let mut allowances = Allowances::new(&nodes, &domains, shards, rules)?;
        let units = units(shards, rules, before, &numbers(&nodes), &mut allowances)?;
        let zones = (0..allowances.count()).map(|set| allowances.zones_of(set)).collect();
        let allowances = allowances.into_sets().into_iter().map(Allowance::new).collect();
        let unit_count = units.len() as u64;
        let copies = (shards.len() * rules.copies) as u64;
        let most: Vec<u64> = nodes
            .iter()
            .map(|node| rules.capacity.get(&node.id).copied().unwrap_or(copies))
            .collect();
        Ok(Solver {
            shards,
            copies: rules.copies,
            loads: vec![0; nodes.len()],
            held: vec![Held::default(); nodes.len()],
            targets: Vec::new(),
            is_raised: unit_count < shards.len() as u64,
            nodes,
            domains,
            units,
            allowances,
            zones,
            most,
        })
    }

    /// Finds a place for everything.
    pub(super) fn run(&mut self) -> Result<(), Infeasible> {
        self.set_targets();
        if self.units.iter().any(|unit| unit.size() > 1) {
            self.place_large()?;
            self.set_targets();
        }
        self.keep();
        self.place_all()
    }

    /// Places units of several shards, largest first, each where fewest of its shards have to move
    /// to and then where most room is.
    fn place_large(&mut self) -> Result<(), Infeasible> {
        let mut large: Vec<u32> =
            (0..self.units.len() as u32).filter(|unit| self.unit(*unit).size() > 1).collect();
        large.sort_by_key(|unit| (Reverse(self.unit(*unit).size()), *unit));
        for unit in large {
            for _ in 0..self.copies {
                let size = self.unit(unit).size();
                let room = |node: u32| self.most[node as usize] - self.loads[node as usize];
                let over = |node: u32| {
                    let node = node as usize;
                    (self.loads[node] + size).saturating_sub(self.targets[node].max(size))
                };
                let fits = self.legal(unit, None).filter(|node| room(*node) >= size);
                let best = fits.min_by_key(|node| {
                    let cost = self.unit(unit).cost(*node);
                    (over(*node) > 0, cost, over(*node), Reverse(room(*node)), *node)
                });
                let Some(node) = best else { return Err(self.no_room_together(unit)) };
                self.put(unit, node);
            }
        }
        Ok(())
    }

    pub(super) fn unit(&self, unit: u32) -> &Unit {
        &self.units[unit as usize]
    }

    /// Nodes on which a unit may get a copy, once it has left another.
    pub(super) fn legal(&self, unit: u32, leaves: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        let allowed = self.allowed(self.unit(unit)).iter().copied();
        allowed.filter(move |node| self.is_legal(unit, *node, leaves))
    }

    pub(super) fn is_legal(&self, unit: u32, node: u32, leaves: Option<u32>) -> bool {
        let one = self.unit(unit);
        let domain = self.domains[node as usize];
        let clashes =
            |other: &u32| Some(*other) != leaves && self.domains[*other as usize] == domain;
        self.allowances[one.allowance].allows[node as usize]
            && !one.on.contains(&node)
            && !one.on.iter().any(clashes)
    }

    pub(super) fn put(&mut self, unit: u32, node: u32) {
        self.loads[node as usize] += self.unit(unit).size();
        self.relist(unit, |on| on.push(node));
    }

    pub(super) fn take(&mut self, unit: u32, node: u32) {
        self.loads[node as usize] -= self.unit(unit).size();
        self.relist(unit, |on| on.retain(|one| *one != node));
    }

    /// Changes the nodes that hold a unit; whether its copies are settled depends on all of them.
    fn relist(&mut self, unit: u32, change: impl FnOnce(&mut Vec<u32>)) {
        let one = &mut self.units[unit as usize];
        for node in &one.on {
            let Held { settled, restless } = &mut self.held[*node as usize];
            for list in [settled, restless] {
                if let Some(at) = list.iter().position(|other| *other == unit) {
                    list.swap_remove(at);
                }
            }
        }
        change(&mut one.on);
        if one.shards.len() > 1 {
            return;
        }
        let has_lost = one.homes.iter().any(|(home, _)| !one.on.contains(home));
        for node in &one.on {
            let Held { settled, restless } = &mut self.held[*node as usize];
            let is_settled = !has_lost && one.cost(*node) == 0;
            if is_settled { settled } else { restless }.push(unit);
        }
    }

    /// Leaves copies where they are as far as rules and targets let them. Whoever has too many
    /// takes leave of its lowest shards; of those that it owns only where it owns too many, so that
    /// a copy that leaves takes the ownership along, and few shards need another owner.
    fn keep(&mut self) {
        let weights: Vec<u64> = self.nodes.iter().map(|node| node.weight.micros()).collect();
        let mut owned = largest_remainder(self.shards.len() as u64, &weights);
        self.keep_rank(0, |node| {
            let left = &mut owned[node as usize];
            let wants = *left > 0;
            *left -= u64::from(wants);
            wants
        });
        (1..self.copies).chain([0]).for_each(|rank| self.keep_rank(rank, |_| true));
    }

    /// Leaves the copies of a rank where they are, if their node wants them.
    fn keep_rank(&mut self, rank: usize, mut wants: impl FnMut(u32) -> bool) {
        for unit in (0..self.units.len() as u32).rev() {
            let one = self.unit(unit);
            let home = one.homes.get(rank).filter(|_| one.size() == 1);
            let Some(&(node, _)) = home else { continue };
            if self.has_room(node) && self.is_legal(unit, node, None) && wants(node) {
                self.put(unit, node);
            }
        }
    }

    /// Finds a place for every copy that has none, first of those that may be on fewest nodes:
    /// else others would be there already, and had to be pushed on.
    fn place_all(&mut self) -> Result<(), Infeasible> {
        let mut order: Vec<u32> = (0..self.units.len() as u32).collect();
        order.sort_by_key(|unit| (self.allowed(self.unit(*unit)).len(), *unit));
        for unit in order {
            while self.unit(unit).on.len() < self.copies {
                self.place_one(unit)?;
            }
        }
        Ok(())
    }

    fn place_one(&mut self, unit: u32) -> Result<(), Infeasible> {
        if let Some(node) = self.at_once(unit) {
            self.put(unit, node);
            return Ok(());
        }
        let ways = self.ways(unit);
        let cost = |node: &u32| ways[*node as usize].as_ref().map(|way| way.cost);
        let reached: Vec<u32> =
            (0..self.nodes.len() as u32).filter(|node| cost(node).is_some()).collect();
        let ends = reached.iter().copied().filter(|node| self.has_room(*node));
        let end = match ends.min_by_key(|node| (cost(node), Reverse(self.lack(*node)), *node)) {
            Some(end) => end,
            None => self.raise(unit, &reached)?,
        };
        self.follow(unit, &ways, end);
        Ok(())
    }

    /// Where all nodes that can be reached are at their targets: lets the one take one more that is
    /// then the least over its weight, and lets another that has room take one less.
    fn raise(&mut self, unit: u32, reached: &[u32]) -> Result<u32, Infeasible> {
        let over = |node: u32, more: u64| {
            let node = node as usize;
            (self.targets[node] + more) as f64 / self.nodes[node].weight.micros() as f64
        };
        let can_more = |node: &&u32| self.targets[**node as usize] < self.most[**node as usize];
        let least = reached.iter().filter(can_more);
        let least = least.min_by(|a, b| over(**a, 1).total_cmp(&over(**b, 1)).then(a.cmp(b)));
        let Some(&raised) = least else { return Err(self.no_room(unit, reached)) };
        let others = (0..self.nodes.len() as u32).filter(|node| self.has_room(*node));
        let lowered = others.max_by(|a, b| over(*a, 0).total_cmp(&over(*b, 0)).then(b.cmp(a)));
        self.targets[raised as usize] += 1;
        lowered.into_iter().for_each(|node| self.targets[node as usize] -= 1);
        self.is_raised = true;
        Ok(raised)
    }

    pub(super) fn has_room(&self, node: u32) -> bool {
        self.loads[node as usize] < self.targets[node as usize]
    }

    /// How many copies a node with room has less than it should.
    fn lack(&self, node: u32) -> u64 {
        self.targets[node as usize] - self.loads[node as usize]
    }

    /// The node that lacks most of those where the copy may go, if no way over other nodes is
    /// cheaper: one at home, or any where no home has a copy that could be pushed on for nothing.
    fn at_once(&self, unit: u32) -> Option<u32> {
        let free = self.legal(unit, None).filter(|node| self.has_room(*node));
        let one = self.unit(unit);
        // The further copies of a node's shards are anywhere, so that many share its load when it
        // fails; by number they would always be on the next ones.
        let tie = |node: u32| if one.on.is_empty() { 0 } else { stream(unit.into(), node.into()) };
        let best =
            free.min_by_key(|&node| (one.cost(node), Reverse(self.lack(node)), tie(node), node))?;
        let can_push = |home: u32| {
            self.is_legal(unit, home, None) && !self.held[home as usize].restless.is_empty()
        };
        let is_cheapest = one.cost(best) == 0 || !one.homes.iter().any(|(home, _)| can_push(*home));
        is_cheapest.then_some(best)
    }

    /// A shard that has no place, and the nodes where room would have to be made.
    fn no_room(&self, unit: u32, reached: &[u32]) -> Infeasible {
        let one = self.unit(unit);
        Infeasible::Capacity {
            shard: self.shards[one.shards[0] as usize].name.clone(),
            only: reached.iter().map(|node| self.nodes[*node as usize].name.clone()).collect(),
            room: reached.iter().map(|node| self.most[*node as usize]).sum(),
            zones: self.zones[one.allowance].clone(),
        }
    }

    /// A tenant for which no node with enough room was found.
    fn no_room_together(&self, unit: u32) -> Infeasible {
        let one = self.unit(unit);
        let shard = &self.shards[one.shards[0] as usize];
        let room = |node: u32| self.most[node as usize] - self.loads[node as usize];
        Infeasible::Packing {
            tenant: shard.tenant.clone().unwrap_or_default(),
            size: one.size(),
            room: self.legal(unit, None).map(room).max().unwrap_or(0),
        }
    }

    /// The map: the owner of each shard, then copies that stay in their order, then those that
    /// come.
    fn solution(&self, before: &ShardMap) -> Solution {
        let owners = self.elect(before);
        let mut holders = vec![NodeId::NOBODY; self.shards.len() * self.copies];
        let id = |node: &u32| self.nodes[*node as usize].id;
        for (unit, owner) in self.units.iter().zip(&owners) {
            for shard in &unit.shards {
                let shard = *shard as usize;
                let old = before.holders(shard);
                let rank = |node: &NodeId| old.iter().position(|one| one == node);
                let row = &mut holders[shard * self.copies..(shard + 1) * self.copies];
                row.iter_mut().zip(&unit.on).for_each(|(place, node)| *place = id(node));
                row.sort_by_key(|node| (*node != id(owner), rank(node).unwrap_or(usize::MAX)));
            }
        }
        let map = ShardMap::new(self.copies, holders);
        let moves = map.moves_from(before);
        let optimum = if self.is_raised { Optimum::Heuristic } else { Optimum::Proven };
        Solution { map, moves, optimum }
    }
}

/// The nodes on which some units may be.
pub(super) struct Allowance {
    /// By number of the node.
    allows: Vec<bool>,
    /// Their numbers.
    pub(super) nodes: Vec<u32>,
}

impl Allowance {
    pub(super) fn new(allows: Vec<bool>) -> Self {
        let nodes = (0..).zip(&allows).filter(|(_, allows)| **allows).map(|(node, _)| node);
        Allowance { nodes: nodes.collect(), allows }
    }
}

/// The copies of single shards on a node.
#[derive(Clone, Default)]
pub(super) struct Held {
    /// At home, and at every other home of their shard there is a copy: they move for a move.
    pub(super) settled: Vec<u32>,
    /// The others: some move costs nothing or saves one.
    pub(super) restless: Vec<u32>,
}

/// The failure domain of each node, numbered, and how many there are.
fn number_domains(roster: &Roster, nodes: &[&Node], spread: Spread) -> (Vec<usize>, usize) {
    let index = match spread {
        Spread::Nodes => return ((0..nodes.len()).collect(), nodes.len()),
        Spread::Zones => DomainIndex::zones(roster),
        Spread::Racks => DomainIndex::racks(roster),
    };
    let domains: Vec<usize> = nodes.iter().map(|node| index.of(node.id) as usize).collect();
    let count = domains.iter().max().map_or(0, |last| last + 1);
    (domains, count)
}

/// The number of each node.
pub(super) fn numbers(nodes: &[&Node]) -> BTreeMap<NodeId, u32> {
    (0..).zip(nodes).map(|(at, node)| (node.id, at)).collect()
}
