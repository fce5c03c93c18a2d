//! Membership: who is in the fleet, and how that changes.

use std::collections::{BTreeMap, BTreeSet};

use crate::capability::Capability;
use crate::error::PlacementError;
use crate::node::{Node, NodeId, NodeName, Weight};

/// What a scheme reacts to. Why it happened (join, leave, fail) is an event of the scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// A node joins at the end of the roster.
    Add(Node),
    /// A node goes.
    Remove(NodeId),
    /// A node's weight becomes this.
    Reweight(NodeId, Weight),
    /// The same machine goes by another name from now on.
    Rename(NodeId, NodeName),
}

impl Change {
    /// Whom it is about.
    pub fn id(&self) -> NodeId {
        match self {
            Change::Add(node) => node.id,
            Change::Remove(id) | Change::Reweight(id, _) | Change::Rename(id, _) => *id,
        }
    }
}

/// Names to identities, for a whole run: a name that returns keeps its [`NodeId`]. An identity
/// is known by the name it first had, whatever a [`Change::Rename`] calls it later.
#[derive(Clone, Default, Debug)]
pub struct Identities {
    ids: BTreeMap<NodeName, NodeId>,
    names: Vec<NodeName>,
}

impl Identities {
    /// The identity of a name, a new one if the name was never seen.
    pub fn of(&mut self, name: &NodeName) -> NodeId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.another(name);
        self.ids.insert(name.clone(), id);
        id
    }

    /// A new identity for a machine whose name another machine, now called otherwise, once had.
    pub fn another(&mut self, name: &NodeName) -> NodeId {
        let id = NodeId(u32::try_from(self.names.len()).expect("limits keep nodes below 2^32"));
        self.names.push(name.clone());
        id
    }

    /// The identity of a name that was seen.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        NodeName::new(name).ok().and_then(|name| self.ids.get(&name).copied())
    }

    /// The first name of every identity; the index is the identity.
    pub fn names(&self) -> &[NodeName] {
        &self.names
    }
}

/// How a fleet came to be what it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct History {
    /// The first roster.
    pub start: Roster,
    /// The changes of each step since.
    pub steps: Vec<Vec<Change>>,
}

impl History {
    /// A fleet that has not changed yet.
    pub fn new(start: Roster) -> Self {
        History { start, steps: Vec::new() }
    }

    /// The roster as it is now. Panics where a step is impossible.
    pub fn now(&self) -> Roster {
        let next = |roster: Roster, changes: &Vec<Change>| {
            roster.after(changes).expect("steps of a history are possible")
        };
        self.steps.iter().fold(self.start.clone(), next)
    }
}

/// The members of a fleet in the order in which they joined. Never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Roster {
    nodes: Vec<Node>,
}

impl Roster {
    /// Most members of one roster.
    pub const NODES_MAX: usize = 1_000_000;

    /// A roster of these nodes.
    ///
    /// # Errors
    /// Too many or no nodes, one name or identity twice, no positive weight.
    pub fn new(nodes: Vec<Node>) -> Result<Self, PlacementError> {
        within_limit(nodes.len())?;
        let mut ids = BTreeSet::new();
        match nodes.iter().find(|node| !ids.insert(node.id)) {
            Some(node) => Err(PlacementError::DuplicateNode { name: node.name.clone() }),
            None => Roster { nodes }.distinct_names()?.checked(),
        }
    }

    /// `count` nodes `node-0` … of weight 1: the fleet of examples, tests and benches.
    ///
    /// # Errors
    /// A count of 0 or above [`Roster::NODES_MAX`].
    pub fn numbered(count: u32) -> Result<Self, PlacementError> {
        within_limit(count as usize)?;
        Roster { nodes: (0..count).map(Self::numbered_node).collect() }.checked()
    }

    /// The node `node-INDEX` of weight 1 whose identity is its index.
    pub fn numbered_node(index: u32) -> Node {
        Node {
            id: NodeId(index),
            name: NodeName::numbered(index),
            weight: Weight::ONE,
            zone: None,
            rack: None,
        }
    }

    fn distinct_names(self) -> Result<Self, PlacementError> {
        let mut names = BTreeSet::new();
        match self.nodes.iter().find(|node| !names.insert(&node.name)) {
            Some(node) => Err(PlacementError::DuplicateNode { name: node.name.clone() }),
            None => Ok(self),
        }
    }

    fn checked(self) -> Result<Self, PlacementError> {
        if self.nodes.iter().any(|node| node.weight > Weight::ZERO) {
            Ok(self)
        } else {
            Err(PlacementError::NobodyLeft)
        }
    }

    /// The members in join order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The members of positive weight in join order: who can own keys.
    pub fn serving(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.weight > Weight::ZERO)
    }

    /// How many members there are, those of weight 0 included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always false: a roster has members.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The member with this identity.
    pub fn get(&self, id: NodeId) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// Sum of the weights in micro-units.
    pub fn total_weight(&self) -> u128 {
        self.nodes.iter().map(|node| u128::from(node.weight.micros())).sum()
    }

    /// The largest weight.
    pub fn max_weight(&self) -> Weight {
        self.nodes.iter().map(|node| node.weight).max().unwrap_or(Weight::ZERO)
    }

    /// Members in the order of their name bytes: the order that does not depend on history.
    pub fn by_name(&self) -> Vec<&Node> {
        let mut nodes: Vec<&Node> = self.nodes.iter().collect();
        nodes.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        nodes
    }

    /// The identities of the members in join order.
    pub fn ids(&self) -> Vec<NodeId> {
        self.nodes.iter().map(|node| node.id).collect()
    }

    /// The identities of the members of positive weight in join order.
    pub fn serving_ids(&self) -> Vec<NodeId> {
        let mut ids: Vec<NodeId> = self.serving().map(|node| node.id).collect();
        ids.shrink_to_fit();
        ids
    }

    /// The members of positive weight in name order: who competes for keys, ties going to the
    /// first.
    pub fn serving_by_name(&self) -> impl Iterator<Item = &Node> {
        self.by_name().into_iter().filter(|node| node.weight > Weight::ZERO)
    }

    /// Bytes that every client must hold to know the members: names and weights.
    pub fn shared_bytes(&self) -> u64 {
        let name_bytes: usize = self.nodes.iter().map(|node| node.name.as_bytes().len()).sum();
        (name_bytes + self.nodes.len() * size_of::<Weight>()) as u64
    }

    /// The roster after these changes, taken in order, in O((N + changes) log N) together. Names
    /// need to be distinct only when all is done, so that two members can swap theirs.
    ///
    /// # Errors
    /// A member added twice, two of one name, an unknown member changed, or nobody left to own
    /// keys.
    pub fn after(&self, changes: &[Change]) -> Result<Roster, PlacementError> {
        // Members that go leave a gap, so that places stay what they are until the end.
        let mut places: Vec<Option<Node>> = self.nodes.iter().cloned().map(Some).collect();
        let mut ids: BTreeMap<NodeId, usize> =
            self.nodes.iter().enumerate().map(|(place, node)| (node.id, place)).collect();
        for change in changes {
            match change {
                Change::Add(node) => {
                    if ids.insert(node.id, places.len()).is_some() {
                        return Err(PlacementError::DuplicateNode { name: node.name.clone() });
                    }
                    places.push(Some(node.clone()));
                }
                Change::Remove(id) => {
                    let place = ids.remove(id).ok_or(PlacementError::UnknownNode { id: *id })?;
                    places[place] = None;
                }
                Change::Reweight(id, weight) => {
                    let place = *ids.get(id).ok_or(PlacementError::UnknownNode { id: *id })?;
                    member(&mut places, place).weight = *weight;
                }
                Change::Rename(id, name) => {
                    let place = *ids.get(id).ok_or(PlacementError::UnknownNode { id: *id })?;
                    member(&mut places, place).name = name.clone();
                }
            }
        }
        let nodes: Vec<Node> = places.into_iter().flatten().collect();
        within_limit(nodes.len())?;
        let next = Roster { nodes };
        // Members that go or change their weight cannot bring a name in.
        let brings_names = |change: &Change| matches!(change, Change::Add(_) | Change::Rename(..));
        let next = if changes.iter().any(brings_names) { next.distinct_names()? } else { next };
        next.checked()
    }

    /// The capabilities beyond growing and shrinking at the tail that these changes need, each
    /// with the index of a change that needs it. Decided here once, not in every algorithm.
    pub fn needs(&self, changes: &[Change]) -> Vec<(Capability, usize)> {
        // Whoever joins again stands behind its former place, which is then empty.
        let mut tail: Vec<(NodeId, usize)> =
            self.nodes.iter().enumerate().map(|(place, node)| (node.id, place)).collect();
        let mut places: BTreeMap<NodeId, usize> = tail.iter().copied().collect();
        let mut needs = Vec::new();
        let common = self.nodes[0].weight;
        for (index, change) in changes.iter().enumerate() {
            match change {
                Change::Add(node) => {
                    if node.weight != common {
                        needs.push((Capability::Weights, index));
                    }
                    let place = self.nodes.len() + index;
                    places.insert(node.id, place);
                    tail.push((node.id, place));
                }
                Change::Remove(id) => {
                    if tail.last().is_none_or(|(last, _)| last != id) {
                        needs.push((Capability::RemoveAny, index));
                    }
                    places.remove(id);
                    while tail.last().is_some_and(|(id, at)| places.get(id) != Some(at)) {
                        tail.pop();
                    }
                }
                Change::Reweight(..) => needs.push((Capability::Weights, index)),
                Change::Rename(..) => {}
            }
        }
        needs
    }

    /// Whether the weights differ, so that only a weighted scheme can serve this roster.
    pub fn is_weighted(&self) -> bool {
        self.nodes.iter().any(|node| node.weight != self.nodes[0].weight)
    }
}

fn member(places: &mut [Option<Node>], place: usize) -> &mut Node {
    places[place].as_mut().expect("identities point at members")
}

fn within_limit(nodes: usize) -> Result<(), PlacementError> {
    let possible = Roster::NODES_MAX as u64;
    match nodes as u64 {
        asked if asked > possible => {
            Err(PlacementError::Limit { what: "nodes", asked, possible, heaviest: None })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_taken_in_order() {
        let roster = Roster::numbered(3).unwrap();
        let back = Roster::numbered_node(1);
        let after = roster.after(&[Change::Remove(NodeId(1)), Change::Add(back)]).unwrap();
        let ids: Vec<u32> = after.nodes().iter().map(|node| node.id.0).collect();
        assert_eq!(ids, [0, 2, 1], "a node that returns joins at the end");
    }

    /// Names need to be distinct when all is done, not on the way.
    #[test]
    fn members_swap_names_but_never_share_one() {
        let roster = Roster::numbered(3).unwrap();
        let rename = |id, number| Change::Rename(NodeId(id), NodeName::numbered(number));
        let swapped = roster.after(&[rename(0, 1), rename(1, 0)]).unwrap();
        let names: Vec<&str> = swapped.nodes().iter().map(|node| node.name.as_str()).collect();
        assert_eq!(names, ["node-1", "node-0", "node-2"]);
        let taken = PlacementError::DuplicateNode { name: NodeName::numbered(2) };
        assert_eq!(roster.after(&[rename(0, 2)]), Err(taken.clone()));
        let twin = Node { id: NodeId(7), ..Roster::numbered_node(2) };
        assert_eq!(roster.after(&[Change::Add(twin)]), Err(taken));
        assert_eq!(
            roster.after(&[rename(7, 9)]),
            Err(PlacementError::UnknownNode { id: NodeId(7) })
        );
    }

    #[test]
    fn impossible_changes_are_typed() {
        let roster = Roster::numbered(2).unwrap();
        let twice = roster.after(&[Change::Add(Roster::numbered_node(1))]);
        assert!(matches!(twice, Err(PlacementError::DuplicateNode { .. })));
        let unknown = roster.after(&[Change::Remove(NodeId(7))]);
        assert_eq!(unknown, Err(PlacementError::UnknownNode { id: NodeId(7) }));
        let all = [Change::Remove(NodeId(0)), Change::Remove(NodeId(1))];
        assert_eq!(roster.after(&all), Err(PlacementError::NobodyLeft));
        let idle = [0, 1].map(|id| Change::Reweight(NodeId(id), Weight::ZERO));
        assert_eq!(roster.after(&idle), Err(PlacementError::NobodyLeft));
    }

    #[test]
    fn only_the_tail_is_free() {
        let roster = Roster::numbered(3).unwrap();
        assert_eq!(roster.needs(&[Change::Remove(NodeId(2)), Change::Remove(NodeId(1))]), []);
        let middle = roster.needs(&[Change::Remove(NodeId(1))]);
        assert_eq!(middle, [(Capability::RemoveAny, 0)]);
        let inward = [1, 2, 0].map(|id| Change::Remove(NodeId(id)));
        let after_the_gap = roster.needs(&inward);
        assert_eq!(after_the_gap, [(Capability::RemoveAny, 0)], "0 is the tail once 1 and 2 went");
    }
}
