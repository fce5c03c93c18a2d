//! From the members that a page has to rosters and changes.

use std::collections::BTreeSet;

use placelab_core::{Change, Identities, Node, NodeId, NodeName, Roster, Weight};

use crate::protocol::{Error, FleetNode};

/// Most members: more than a page can show.
pub(crate) const NODES_MAX: usize = 10_000;

/// The members with identities, each name once.
pub(crate) fn nodes(given: &[FleetNode], identities: &mut Identities) -> Result<Vec<Node>, Error> {
    let about = |node: Option<usize>, message: String| Error { field: "nodes", node, message };
    if given.is_empty() {
        return Err(about(None, "a fleet has at least one node".into()));
    }
    if given.len() > NODES_MAX {
        let message = format!("{} nodes are more than a page shows: {NODES_MAX}", given.len());
        return Err(about(None, message));
    }
    let mut names = BTreeSet::new();
    let mut nodes = Vec::with_capacity(given.len());
    for (index, one) in given.iter().enumerate() {
        let name = NodeName::new(&one.name);
        let name = name.map_err(|error| about(Some(index), error.to_string()))?;
        let weight: Result<Weight, _> = one.weight.trim().parse();
        let weight = weight.map_err(|error| about(Some(index), error.to_string()))?;
        if !names.insert(name.clone()) {
            let message = format!("`{name}` is a member already");
            return Err(about(Some(index), message));
        }
        nodes.push(Node { id: identities.of(&name), name, weight, zone: None, rack: None });
    }
    Ok(nodes)
}

/// What leads from one fleet to another: first whoever is missing goes, the last to join first, so
/// that who can shrink at the end alone can do so by more than one; then newcomers join in their
/// order, then weights change.
pub(crate) fn changes(before: &Roster, after: &[Node]) -> Vec<Change> {
    let stays: BTreeSet<NodeId> = after.iter().map(|node| node.id).collect();
    let goes = before.nodes().iter().rev().filter(|node| !stays.contains(&node.id));
    let goes = goes.map(|node| Change::Remove(node.id));
    let joins = after.iter().filter(|node| before.get(node.id).is_none());
    let joins = joins.map(|node| Change::Add(node.clone()));
    let reweights = after.iter().filter_map(|node| {
        let held = before.get(node.id)?;
        (held.weight != node.weight).then_some(Change::Reweight(node.id, node.weight))
    });
    goes.chain(joins).chain(reweights).collect()
}
