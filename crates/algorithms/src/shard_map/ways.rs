//! The cheapest ways of a copy to the nodes, over others that it pushes on.

use std::collections::VecDeque;

use super::solve::{Held, Solver};
use super::units::Unit;

impl Solver<'_> {
    /// The cheapest way of a copy to each node, by a queue (Bellman, Ford).
    pub(super) fn ways(&self, unit: u32) -> Vec<Option<Way>> {
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
    fn push_restless(&self, placing: u32, from: u32, search: &mut Search) {
        let here = search.cost(from);
        for &unit in &self.held[from as usize].restless {
            let one = self.unit(unit);
            let is_away = one.cost(from) > 0;
            let mut push = |to: u32| {
                // Where targets were raised there may be rounds that save moves: nobody goes round.
                let least = if self.is_raised { 0 } else { i64::MIN };
                let cost = here + (one.cost(to) - one.cost(from)).max(least);
                if cost < search.cost(to) && self.may_push(unit, from, to, placing) {
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
    fn push_settled(&self, placing: u32, from: u32, search: &mut Search) {
        let cost = search.cost(from) + 1;
        let mut farther = search.count_above(cost);
        let Held { settled, restless } = &self.held[from as usize];
        for &unit in settled.iter().chain(restless) {
            for &to in self.allowed(self.unit(unit)) {
                // Most nodes are known after the first copies.
                if farther == 0 {
                    return;
                }
                if search.cost(to) > cost && self.may_push(unit, from, to, placing) {
                    search.found(to, Way { cost, pushed: Some((from, unit)) });
                    farther -= 1;
                }
            }
        }
    }

    /// Whether a copy may go from one node to another while a copy of a unit is being placed: one
    /// of that unit itself within its failure domain only, or it would take a domain twice.
    fn may_push(&self, unit: u32, from: u32, to: u32, placing: u32) -> bool {
        let is_near = || self.domains[from as usize] == self.domains[to as usize];
        (unit != placing || is_near()) && self.is_legal(unit, to, Some(from))
    }

    /// The nodes on which a unit may be at all.
    pub(super) fn allowed(&self, unit: &Unit) -> &[u32] {
        &self.allowances[unit.allowance].nodes
    }

    /// Pushes every copy along a way on, the last first.
    pub(super) fn follow(&mut self, unit: u32, ways: &[Option<Way>], end: u32) {
        let mut to = end;
        while let Some((from, pushed)) = ways[to as usize].as_ref().and_then(|way| way.pushed) {
            self.take(pushed, from);
            self.put(pushed, to);
            to = from;
        }
        self.put(unit, to);
    }
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
pub(super) struct Way {
    pub(super) cost: i64,
    pushed: Option<(u32, u32)>,
}
