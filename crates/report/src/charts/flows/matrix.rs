//! Flows from group to group of nodes.

use std::collections::{BTreeMap, BTreeSet};

use placelab_results::{Flow, Step};

use super::{known, taken};
use crate::subject::Subject;

/// Rows and columns that a matrix has room for; more nodes than these are grouped.
const CELLS_MAX: usize = 60;

/// Keys and the pairs of nodes between which they went.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(super) struct Amount {
    pub(super) keys: u64,
    pub(super) pairs: u64,
}

impl Amount {
    fn add(&mut self, keys: u64) {
        self.keys = self.keys.saturating_add(keys);
        self.pairs += 1;
    }
}

/// Moves with a reason and without.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(super) struct Sums {
    pub(super) forced: Amount,
    pub(super) sideways: Amount,
}

impl Sums {
    pub(super) fn of(flows: &[Flow]) -> Self {
        let mut sums = Sums::default();
        flows.iter().for_each(|flow| sums.add(flow));
        sums
    }

    /// All keys that moved.
    pub(super) fn moved(&self) -> u64 {
        self.forced.keys.saturating_add(self.sideways.keys)
    }

    fn add(&mut self, flow: &Flow) {
        if flow.forced { &mut self.forced } else { &mut self.sideways }.add(flow.keys);
    }
}

/// The nodes of a step in the order of the fleet, cut in groups of neighbours.
pub(super) struct Order<'a> {
    names: Vec<&'a str>,
    places: BTreeMap<&'a str, usize>,
    group: usize,
    is_listed: bool,
    /// Groups with nodes that leave, and with ones that join.
    leaving: BTreeSet<usize>,
    joining: BTreeSet<usize>,
}

impl<'a> Order<'a> {
    /// Nodes before the step, then those that join; where they are not listed, as flows name them.
    pub(super) fn new(subject: &Subject<'a>, at: (usize, usize)) -> Option<Self> {
        let contenders =
            || subject.results.contenders.iter().filter(|one| known(one, at).is_some());
        let listed = |step: usize| -> Vec<&'a str> {
            let steps = contenders().filter_map(|one| taken(one, (at.0, step)));
            let nodes = steps.map(|step| &step.nodes).find(|nodes| !nodes.is_empty());
            nodes.into_iter().flatten().map(|node| node.name.as_str()).collect()
        };
        let (before, after) = (listed(at.1 - 1), listed(at.1));
        let flows = contenders().filter_map(|one| known(one, at)).flat_map(|step| &step.flows);
        let mut named: Vec<&str> =
            flows.flat_map(|flow| [flow.source.as_str(), flow.destination.as_str()]).collect();
        named.sort_by_key(|name| numbered(name));
        let mut places = BTreeMap::new();
        let mut names = Vec::new();
        for name in before.iter().chain(&after).copied().chain(named) {
            if !places.contains_key(name) {
                places.insert(name, names.len());
                names.push(name);
            }
        }
        let group = names.len().div_ceil(CELLS_MAX).max(1);
        let missing = |these: &[&'a str], those: &[&'a str]| -> BTreeSet<usize> {
            let those: BTreeSet<&str> = those.iter().copied().collect();
            let gone = these.iter().filter(|name| !those.is_empty() && !those.contains(**name));
            gone.map(|name| places[*name] / group).collect()
        };
        let (leaving, joining) = (missing(&before, &after), missing(&after, &before));
        let is_listed = !before.is_empty() && !after.is_empty();
        let order = Order { names, places, group, is_listed, leaving, joining };
        (!order.names.is_empty()).then_some(order)
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// Nodes of a group.
    pub(super) fn group(&self) -> usize {
        self.group
    }

    /// Whether the results list the nodes; else they are those that flows name.
    pub(super) fn is_listed(&self) -> bool {
        self.is_listed
    }

    /// Groups.
    pub(super) fn cells(&self) -> usize {
        self.names.len().div_ceil(self.group)
    }

    pub(super) fn leaves(&self, cell: usize) -> bool {
        self.leaving.contains(&cell)
    }

    pub(super) fn joins(&self, cell: usize) -> bool {
        self.joining.contains(&cell)
    }

    /// Whether some node leaves or joins.
    pub(super) fn has_changes(&self) -> bool {
        !(self.leaving.is_empty() && self.joining.is_empty())
    }

    /// The names of the first and the last node.
    pub(super) fn ends(&self) -> (&'a str, &'a str) {
        (self.names.first().copied().unwrap_or(""), self.names.last().copied().unwrap_or(""))
    }

    fn cell(&self, name: &str) -> Option<usize> {
        self.places.get(name).map(|place| place / self.group)
    }
}

/// A name in parts of which numbers come in their order: `node-9` before `node-10`.
fn numbered(name: &str) -> (&str, usize, &str) {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (head, tail) = name.split_at(name.len() - digits);
    (head, tail.len(), tail)
}

/// What went from each group to each.
pub(super) struct Matrix {
    pub(super) cells: BTreeMap<(usize, usize), Sums>,
    /// Most keys of one square.
    pub(super) most: u64,
    pub(super) sums: Sums,
}

impl Matrix {
    pub(super) fn new(order: &Order, step: &Step) -> Self {
        let mut cells: BTreeMap<(usize, usize), Sums> = BTreeMap::new();
        for flow in &step.flows {
            let Some(place) = order.cell(&flow.source).zip(order.cell(&flow.destination)) else {
                continue;
            };
            cells.entry(place).or_default().add(flow);
        }
        let squares = cells.values().flat_map(|sums| [sums.forced.keys, sums.sideways.keys]);
        let most = squares.max().unwrap_or(0);
        Matrix { cells, most, sums: Sums::of(&step.flows) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count() {
        let mut names = ["node-10", "node-9", "b", "node-100", "", "a7"];
        names.sort_by_key(|name| numbered(name));
        assert_eq!(names, ["", "a7", "b", "node-9", "node-10", "node-100"]);
    }
}
