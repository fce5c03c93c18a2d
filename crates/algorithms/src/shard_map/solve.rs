//! The search for a map.
//!
//! Copies stay where they are as far as the rules and the targets of the nodes let them; each copy
//! that is left takes the cheapest way to a node with room. A way may push other copies on, each to
//! the next node: what that costs is the moves it adds, and one that goes back home takes a move
//! away.

use std::collections::{BTreeMap, VecDeque};

use placelab_core::{Domain, Node, NodeId, Roster};

use super::residency::{Allowances, kind};
use super::targets::{Room, targets};
use super::{Infeasible, Optimum, Rules, Shard, ShardMap, Solution, Spread};

/// A map of the shards over the members of positive weight that keeps the rules, reached from
/// another by few moves. The other may have copies on nodes that are gone, or nowhere.
///
/// # Errors
/// The rule that cannot be kept, with who is concerned.
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
    solver.keep();
    solver.place_all()?;
    Ok(solver.solution(before))
}

/// What is placed as a whole: a shard, or those of a tenant.
struct Unit {
    shards: Vec<u32>,
    /// Where it may be; into [`Solver::allowances`].
    allowance: usize,
    /// On which nodes how many of its shards have a copy in the map before.
    homes: Vec<(u32, u32)>,
    /// The nodes that hold it, by number.
    on: Vec<u32>,
}

impl Unit {
    fn size(&self) -> u64 {
        self.shards.len() as u64
    }

    /// Copies that have to be made to hold it there.
    fn cost(&self, node: u32) -> i64 {
        let there = self.homes.iter().find(|(home, _)| *home == node).map_or(0, |(_, n)| *n);
        i64::from(self.shards.len() as u32 - there)
    }
}

struct Solver<'a> {
    shards: &'a [Shard],
    /// Copies of each shard.
    copies: usize,
    /// Whether a failure domain is a node.
    is_spread_by_node: bool,
    /// Members of positive weight in name order; their places here are their numbers.
    nodes: Vec<&'a Node>,
    /// The number of each node's failure domain.
    domains: Vec<usize>,
    units: Vec<Unit>,
    allowances: Vec<Allowance>,
    /// The zones to which an allowance keeps its shards; none where it has all nodes.
    zones: Vec<Vec<Domain>>,
    /// How much each node is to hold.
    targets: Vec<u64>,
    /// How much it can.
    most: Vec<u64>,
    loads: Vec<u64>,
    held: Vec<Held>,
    /// Whether targets had to be raised, or units are of several shards.
    is_raised: bool,
}

impl<'a> Solver<'a> {
    fn new(
        roster: &'a Roster,
        shards: &'a [Shard],
        rules: &'a Rules,
        before: &ShardMap,
    ) -> Result<Self, Infeasible> {
        let nodes: Vec<&Node> = roster.serving_by_name().collect();
        let (domains, domain_count) = number_domains(&nodes, rules.spread);
        let kind = kind(rules.spread);
        if domain_count < rules.copies {
            let (copies, found) = (rules.copies, domain_count);
            return Err(Infeasible::Spread { copies, domains: kind, found });
        }
        let number: BTreeMap<NodeId, u32> = (0..).zip(&nodes).map(|(at, n)| (n.id, at)).collect();
        let mut allowances = Allowances::new(&nodes, &domains, shards, rules)?;
        let units = units(shards, rules, before, &number, &mut allowances)?;
        let zones = (0..allowances.count()).map(|set| allowances.zones_of(set)).collect();
        let allowances = allowances.into_sets().into_iter().map(Allowance::new).collect();
        let unit_count = units.len() as u64;
        let copies = (shards.len() * rules.copies) as u64;
        let most: Vec<u64> = nodes
            .iter()
            .map(|node| rules.capacity.get(&node.id).copied().unwrap_or(copies))
            .collect();
        let mut solver = Solver {
            shards,
            copies: rules.copies,
            is_spread_by_node: rules.spread == Spread::Nodes,
            loads: vec![0; nodes.len()],
            held: vec![Held::default(); nodes.len()],
            targets: most.clone(),
            is_raised: unit_count < shards.len() as u64,
            nodes,
            domains,
            units,
            allowances,
            zones,
            most,
        };
        solver.place_large()?;
        solver.set_targets();
        Ok(solver)
    }

    /// Places units of several shards, largest first, each where fewest of its shards have to move
    /// to and then where most room is.
    fn place_large(&mut self) -> Result<(), Infeasible> {
        self.set_targets();
        let mut large: Vec<u32> =
            (0..self.units.len() as u32).filter(|unit| self.unit(*unit).size() > 1).collect();
        large.sort_by_key(|unit| (std::cmp::Reverse(self.unit(*unit).size()), *unit));
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
                    (over(*node) > 0, cost, over(*node), std::cmp::Reverse(room(*node)), *node)
                });
                let Some(node) = best else { return Err(self.no_room(unit)) };
                self.put(unit, node);
            }
        }
        Ok(())
    }

    fn unit(&self, unit: u32) -> &Unit {
        &self.units[unit as usize]
    }

    /// In proportion to the weights, given what nodes hold already and can never give up.
    fn set_targets(&mut self) {
        let rooms: Vec<Room> = (0..self.nodes.len())
            .map(|node| Room {
                least: self.loads[node],
                most: self.most[node].min(self.shards.len() as u64),
                domain: self.domains[node],
            })
            .collect();
        let domain_most = (!self.is_spread_by_node).then_some(self.shards.len() as u64);
        let copies = (self.shards.len() * self.copies) as u64;
        self.targets = targets(copies, &self.nodes, &rooms, domain_most);
    }

    /// Nodes on which a unit may get a copy, once it has left another.
    fn legal(&self, unit: u32, leaves: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        let allowed = self.allowed(self.unit(unit)).iter().copied();
        allowed.filter(move |node| self.is_legal(unit, *node, leaves))
    }

    fn is_legal(&self, unit: u32, node: u32, leaves: Option<u32>) -> bool {
        let one = self.unit(unit);
        let domain = self.domains[node as usize];
        let clashes =
            |other: &u32| Some(*other) != leaves && self.domains[*other as usize] == domain;
        self.allowances[one.allowance].allows[node as usize]
            && !one.on.contains(&node)
            && !one.on.iter().any(clashes)
    }

    fn put(&mut self, unit: u32, node: u32) {
        self.loads[node as usize] += self.unit(unit).size();
        self.relist(unit, |on| on.push(node));
    }

    fn take(&mut self, unit: u32, node: u32) {
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

    /// Leaves copies where they are as far as rules and targets let them, owners before others, so
    /// that few shards need another owner.
    fn keep(&mut self) {
        for rank in 0..self.copies {
            for unit in 0..self.units.len() as u32 {
                let one = self.unit(unit);
                let Some(&(node, _)) = one.homes.get(rank).filter(|_| one.size() == 1) else {
                    continue;
                };
                if self.has_room(node) && self.is_legal(unit, node, None) {
                    self.put(unit, node);
                }
            }
        }
    }

    /// Finds a place for every copy that has none.
    fn place_all(&mut self) -> Result<(), Infeasible> {
        for unit in 0..self.units.len() as u32 {
            while self.unit(unit).on.len() < self.copies {
                self.place_one(unit)?;
            }
        }
        Ok(())
    }

    fn place_one(&mut self, unit: u32) -> Result<(), Infeasible> {
        loop {
            if let Some(node) = self.at_once(unit) {
                self.put(unit, node);
                return Ok(());
            }
            let ways = self.ways(unit);
            let has_room = |node: &u32| self.has_room(*node);
            let reached =
                (0..self.nodes.len() as u32).filter(|node| ways[*node as usize].is_some());
            let ends: Vec<u32> = reached.clone().filter(has_room).collect();
            let cost = |node: &u32| ways[*node as usize].as_ref().map_or(i64::MAX, |way| way.cost);
            if let Some(end) = ends.iter().copied().min_by_key(|node| (cost(node), *node)) {
                self.follow(unit, &ways, end);
                return Ok(());
            }
            // All that can be reached are at their targets: the one that is least over its part of
            // them takes one more.
            let over = |node: u32| {
                self.targets[node as usize] as f64
                    / self.nodes[node as usize].weight.micros() as f64
            };
            let raised = reached
                .filter(|node| self.targets[*node as usize] < self.most[*node as usize])
                .min_by(|a, b| over(*a).total_cmp(&over(*b)).then(a.cmp(b)));
            let Some(raised) = raised else { return Err(self.no_room(unit)) };
            self.targets[raised as usize] += 1;
            self.is_raised = true;
        }
    }

    fn has_room(&self, node: u32) -> bool {
        self.loads[node as usize] < self.targets[node as usize]
    }

    /// A node with room where the copy may go, if no way over other nodes is cheaper: one at home,
    /// or any where no copy could be pushed on for nothing.
    fn at_once(&self, unit: u32) -> Option<u32> {
        let free = self.legal(unit, None).filter(|node| self.has_room(*node));
        let filled =
            |node: u32| self.loads[node as usize] as f64 / self.targets[node as usize] as f64;
        let best = free.min_by(|a, b| {
            let cost = |node: u32| self.unit(unit).cost(node);
            cost(*a).cmp(&cost(*b)).then(filled(*a).total_cmp(&filled(*b))).then(a.cmp(b))
        })?;
        let mut homes = self.unit(unit).homes.iter();
        let has_home = homes.any(|(home, _)| self.is_legal(unit, *home, None));
        (self.unit(unit).cost(best) == 0 || !has_home).then_some(best)
    }

    /// The cheapest way of a copy to each node, by a queue (Bellman, Ford).
    fn ways(&self, unit: u32) -> Vec<Option<Way>> {
        let mut search = Search {
            ways: vec![None; self.nodes.len()],
            queue: VecDeque::new(),
            is_queued: vec![false; self.nodes.len()],
        };
        for node in self.legal(unit, None) {
            search.found(node, Way { cost: self.unit(unit).cost(node), pushed: None });
        }
        while let Some(from) = search.next() {
            if !self.has_room(from) {
                self.push_restless(unit, from, &mut search);
                self.push_settled(unit, from, &mut search);
            }
        }
        search.ways
    }

    /// Pushes copies on from a node that may move for nothing: away from home they may go
    /// anywhere, and at home to another one that they have lost.
    fn push_restless(&self, but: u32, from: u32, search: &mut Search) {
        let here = search.cost(from);
        for &unit in self.held[from as usize].restless.iter().filter(|unit| **unit != but) {
            let one = self.unit(unit);
            let is_away = one.cost(from) > 0;
            let mut push = |to: u32| {
                // Where targets were raised there may be rounds that save moves: nobody goes round.
                let least = if self.is_raised { 0 } else { i64::MIN };
                let cost = here + (one.cost(to) - one.cost(from)).max(least);
                if cost < search.cost(to) && self.is_legal(unit, to, Some(from)) {
                    search.found(to, Way { cost, pushed: Some((from, unit)) });
                }
            };
            match is_away {
                true => self.allowed(one).iter().copied().for_each(push),
                false => one.homes.iter().for_each(|(home, _)| push(*home)),
            }
        }
    }

    /// Pushes any copy on for a move, where a node is not reached for as much.
    fn push_settled(&self, but: u32, from: u32, search: &mut Search) {
        let cost = search.cost(from) + 1;
        let mut farther = search.count_above(cost);
        let Held { settled, restless } = &self.held[from as usize];
        for &unit in settled.iter().chain(restless).filter(|unit| **unit != but) {
            for &to in self.allowed(self.unit(unit)) {
                // Most nodes are known after the first copies.
                if farther == 0 {
                    return;
                }
                if search.cost(to) > cost && self.is_legal(unit, to, Some(from)) {
                    search.found(to, Way { cost, pushed: Some((from, unit)) });
                    farther -= 1;
                }
            }
        }
    }

    /// The nodes on which a unit may be at all.
    fn allowed(&self, unit: &Unit) -> &[u32] {
        &self.allowances[unit.allowance].nodes
    }

    /// Pushes every copy along a way on, the last first.
    fn follow(&mut self, unit: u32, ways: &[Option<Way>], end: u32) {
        let mut to = end;
        while let Some((from, pushed)) = ways[to as usize].as_ref().and_then(|way| way.pushed) {
            self.take(pushed, from);
            self.put(pushed, to);
            to = from;
        }
        self.put(unit, to);
    }

    /// Who has no place, and where room would have to be made.
    fn no_room(&self, unit: u32) -> Infeasible {
        let ways = self.ways(unit);
        let reached: Vec<usize> = (0..ways.len()).filter(|node| ways[*node].is_some()).collect();
        let shards = self.unit(unit).shards.iter();
        Infeasible::Capacity {
            shards: shards.map(|shard| self.shards[*shard as usize].name.clone()).collect(),
            only: reached.iter().map(|node| self.nodes[*node].name.clone()).collect(),
            room: reached.iter().map(|node| self.most[*node]).sum(),
            zones: self.zones[self.unit(unit).allowance].clone(),
        }
    }

    /// The owner of each unit among the nodes that hold it: in proportion to the weights as far as
    /// that goes, and another than before for as few shards as that takes. It is the same search, of
    /// one copy that is kept to those nodes.
    fn elect(&self, before: &ShardMap) -> Vec<u32> {
        let number = self.numbers();
        let is_held = |unit: &Unit| {
            let nodes = 0..self.nodes.len() as u32;
            Allowance::new(nodes.map(|node| unit.on.contains(&node)).collect())
        };
        let candidate = |(allowance, unit): (usize, &Unit)| {
            let mut homes = Vec::new();
            for shard in &unit.shards {
                let owner = number.get(&before.holders(*shard as usize)[0]);
                owner.iter().for_each(|owner| come_home(&mut homes, **owner));
            }
            Unit { shards: unit.shards.clone(), allowance, homes, on: Vec::new() }
        };
        let mut election = Solver {
            shards: self.shards,
            copies: 1,
            is_spread_by_node: true,
            nodes: self.nodes.clone(),
            domains: (0..self.nodes.len()).collect(),
            units: self.units.iter().enumerate().map(candidate).collect(),
            allowances: self.units.iter().map(is_held).collect(),
            zones: vec![Vec::new(); self.units.len()],
            targets: Vec::new(),
            // A node can own all that it holds, so that there always is a place.
            most: self.loads.clone(),
            loads: vec![0; self.nodes.len()],
            held: vec![Held::default(); self.nodes.len()],
            is_raised: self.is_raised,
        };
        election.place_large().expect("a node can own what it holds");
        election.set_targets();
        election.keep();
        election.place_all().expect("a node can own what it holds");
        election.units.iter().map(|unit| unit.on[0]).collect()
    }

    fn numbers(&self) -> BTreeMap<NodeId, u32> {
        (0..).zip(&self.nodes).map(|(at, node)| (node.id, at)).collect()
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

/// Counts a shard of a unit on a node.
fn come_home(homes: &mut Vec<(u32, u32)>, node: u32) {
    match homes.iter_mut().find(|(home, _)| *home == node) {
        Some((_, count)) => *count += 1,
        None => homes.push((node, 1)),
    }
}

/// The nodes on which some units may be.
struct Allowance {
    /// By number of the node.
    allows: Vec<bool>,
    /// Their numbers.
    nodes: Vec<u32>,
}

impl Allowance {
    fn new(allows: Vec<bool>) -> Self {
        let nodes = (0..).zip(&allows).filter(|(_, allows)| **allows).map(|(node, _)| node);
        Allowance { nodes: nodes.collect(), allows }
    }
}

/// The copies of single shards on a node.
#[derive(Clone, Default)]
struct Held {
    /// At home, and at every other home of their shard there is a copy: they move for a move.
    settled: Vec<u32>,
    /// The others: some move costs nothing or saves one.
    restless: Vec<u32>,
}

/// What is known of the ways of a copy.
struct Search {
    ways: Vec<Option<Way>>,
    queue: VecDeque<u32>,
    is_queued: Vec<bool>,
}

impl Search {
    fn cost(&self, node: u32) -> i64 {
        self.ways[node as usize].as_ref().map_or(i64::MAX, |way| way.cost)
    }

    fn found(&mut self, node: u32, way: Way) {
        self.ways[node as usize] = Some(way);
        if !std::mem::replace(&mut self.is_queued[node as usize], true) {
            self.queue.push_back(node);
        }
    }

    /// How many nodes are not reached for so much.
    fn count_above(&self, cost: i64) -> usize {
        (0..self.ways.len() as u32).filter(|node| self.cost(*node) > cost).count()
    }

    fn next(&mut self) -> Option<u32> {
        let node = self.queue.pop_front()?;
        self.is_queued[node as usize] = false;
        Some(node)
    }
}

/// How a copy gets to a node: for how many moves, and which copy comes from where last; none where
/// it comes itself.
#[derive(Clone)]
struct Way {
    cost: i64,
    pushed: Option<(u32, u32)>,
}

/// The failure domain of each node, numbered, and how many there are.
fn number_domains(nodes: &[&Node], spread: Spread) -> (Vec<usize>, usize) {
    let mut numbers = BTreeMap::new();
    let key = |node: &Node| {
        let (zone, rack) = match spread {
            Spread::Nodes => (None, None),
            Spread::Zones => (node.zone.clone(), None),
            Spread::Racks => (node.zone.clone(), node.rack.clone()),
        };
        let is_alone = zone.is_none() && rack.is_none();
        (zone, rack, is_alone.then_some(node.id))
    };
    let of = |node: &&Node| {
        let next = numbers.len();
        *numbers.entry(key(node)).or_insert(next)
    };
    let domains: Vec<usize> = nodes.iter().map(of).collect();
    (domains, numbers.len())
}

fn units(
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
