//! Membership: who is in the fleet, and how that changes.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::PlacementError;
use crate::node::{Node, NodeId, NodeName, Weight};
use crate::spec::Capability;

/// What a scheme reacts to. Why it happened (join, leave, fail) is an event of the scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// A node joins at the end of the roster.
    Add(Node),
    /// A node goes.
    Remove(NodeId),
    /// A node's weight becomes this.
    Reweight(NodeId, Weight),
}

/// Names to identities: a name that returns keeps its [`NodeId`].
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
        let id = NodeId(u32::try_from(self.names.len()).expect("limits keep nodes below 2^32"));
        self.ids.insert(name.clone(), id);
        self.names.push(name.clone());
        id
    }

    /// The identity of a name that was seen.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        NodeName::new(name).ok().and_then(|name| self.ids.get(&name).copied())
    }

    /// Every name ever seen; the index is the identity.
    pub fn names(&self) -> &[NodeName] {
        &self.names
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
        if nodes.len() > Self::NODES_MAX {
            return Err(PlacementError::Limit {
                what: "nodes",
                asked: nodes.len() as u64,
                possible: Self::NODES_MAX as u64,
            });
        }
        let (mut names, mut ids) = (BTreeSet::new(), BTreeSet::new());
        for node in &nodes {
            if !names.insert(&node.name) || !ids.insert(node.id) {
                return Err(PlacementError::DuplicateNode { name: node.name.clone() });
            }
        }
        Roster { nodes }.checked()
    }

    /// `count` nodes `node-0` … of weight 1: the fleet of examples, tests and benches.
    ///
    /// # Errors
    /// A count of 0 or above [`Roster::NODES_MAX`].
    pub fn numbered(count: u32) -> Result<Self, PlacementError> {
        let possible = Self::NODES_MAX as u64;
        if u64::from(count) > possible {
            return Err(PlacementError::Limit { what: "nodes", asked: count.into(), possible });
        }
        Roster { nodes: (0..count).map(Self::numbered_node).collect() }.checked()
    }

    /// The node `node-INDEX` of weight 1 whose identity is its index.
    pub fn numbered_node(index: u32) -> Node {
        Node { id: NodeId(index), name: NodeName::numbered(index), weight: Weight::ONE, zone: None }
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

    /// Bytes that every client must hold to know the members: names and weights.
    pub fn shared_bytes(&self) -> u64 {
        let name_bytes: usize = self.nodes.iter().map(|node| node.name.as_bytes().len()).sum();
        (name_bytes + self.nodes.len() * size_of::<Weight>()) as u64
    }

    /// The roster after these changes, taken in order.
    ///
    /// # Errors
    /// A member added twice, an unknown member removed or reweighted, or nobody left to own keys.
    pub fn after(&self, changes: &[Change]) -> Result<Roster, PlacementError> {
        let mut nodes = self.nodes.clone();
        let mut names: BTreeSet<NodeName> = nodes.iter().map(|node| node.name.clone()).collect();
        for change in changes {
            match change {
                Change::Add(node) => {
                    let known = nodes.iter().any(|member| member.id == node.id);
                    if known || !names.insert(node.name.clone()) {
                        return Err(PlacementError::DuplicateNode { name: node.name.clone() });
                    }
                    nodes.push(node.clone());
                }
                Change::Remove(id) => {
                    let gone = nodes.remove(position(&nodes, *id)?);
                    names.remove(&gone.name);
                }
                Change::Reweight(id, weight) => {
                    let at = position(&nodes, *id)?;
                    nodes[at].weight = *weight;
                }
            }
        }
        if nodes.len() > Self::NODES_MAX {
            let possible = Self::NODES_MAX as u64;
            return Err(PlacementError::Limit {
                what: "nodes",
                asked: nodes.len() as u64,
                possible,
            });
        }
        Roster { nodes }.checked()
    }

    /// The first capability beyond growing and shrinking at the tail that these changes need,
    /// with the index of the change that needs it. Decided here once, not in every algorithm.
    pub fn needs(&self, changes: &[Change]) -> Vec<(Capability, usize)> {
        let mut tail: Vec<NodeId> = self.nodes.iter().map(|node| node.id).collect();
        let mut needs = Vec::new();
        let common = self.nodes[0].weight;
        for (index, change) in changes.iter().enumerate() {
            match change {
                Change::Add(node) => {
                    if node.weight != common {
                        needs.push((Capability::Weights, index));
                    }
                    tail.push(node.id);
                }
                Change::Remove(id) if tail.last() == Some(id) => {
                    tail.pop();
                }
                Change::Remove(id) => {
                    tail.retain(|member| member != id);
                    needs.push((Capability::RemoveAny, index));
                }
                Change::Reweight(..) => needs.push((Capability::Weights, index)),
            }
        }
        needs
    }

    /// Whether the weights differ, so that only a weighted scheme can serve this roster.
    pub fn is_weighted(&self) -> bool {
        self.nodes.iter().any(|node| node.weight != self.nodes[0].weight)
    }
}

fn position(nodes: &[Node], id: NodeId) -> Result<usize, PlacementError> {
    nodes.iter().position(|node| node.id == id).ok_or(PlacementError::UnknownNode { id })
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
    }
}
