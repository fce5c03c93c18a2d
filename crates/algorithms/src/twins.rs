//! What several twins do in the same slow way.
//!
//! A twin is the definition of a scheme as the plainest program: no index, no state that is kept,
//! everything worked out anew. It shares nothing with the scheme that it checks but pinned hashes,
//! tables of constants and the reading of parameters, and nor do these helpers: no scheme may use
//! them for its own answers.

use std::cmp::Reverse;

use placelab_core::{HashSeed, History, Key, Keys, Node, NodeId, Roster};

/// The owners of keys, one after the other.
pub(crate) fn each(keys: Keys<'_>, owner: impl Fn(Key<'_>) -> NodeId) -> Vec<NodeId> {
    (0..keys.hashes.len()).map(|index| owner(keys.get(index))).collect()
}

/// The owners of keys that go to whoever scores highest among the members of positive weight, and
/// among equals to the least name.
pub(crate) fn highest<V: PartialOrd>(
    history: &History,
    keys: Keys<'_>,
    score: impl Fn(Key<'_>, &Node) -> V,
) -> Vec<NodeId> {
    let roster = history.now();
    each(keys, |key| {
        let mut leader: Option<(V, &Node)> = None;
        for node in roster.serving() {
            let score = score(key, node);
            let leads = leader.as_ref().is_none_or(|(best, holder)| {
                score > *best || (score == *best && node.name.as_bytes() < holder.name.as_bytes())
            });
            if leads {
                leader = Some((score, node));
            }
        }
        leader.expect("a roster has a node of positive weight").1.id
    })
}

/// A text behind what a hash seed puts before it.
pub(crate) fn seeded(seed: HashSeed, text: &[u8]) -> Vec<u8> {
    let mut bytes = seed.prefix().map_or(Vec::new(), Vec::from);
    bytes.extend(text);
    bytes
}

/// Members of positive weight by their name bytes.
pub(crate) fn by_name(roster: &Roster) -> Vec<&Node> {
    let mut nodes: Vec<&Node> = roster.serving().collect();
    nodes.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
    nodes
}

/// Brings a table of owners to the weights of a roster: targets by largest remainder, whoever has
/// more leaves its lowest buckets, and the lowest free bucket goes to whoever lacks most. Ties go
/// by name.
pub(crate) fn rebalance(owners: &mut [NodeId], roster: &Roster) {
    let nodes = by_name(roster);
    let targets = targets(owners.len(), &nodes);
    for owner in owners.iter_mut() {
        if !nodes.iter().any(|node| node.id == *owner) {
            *owner = NodeId::NOBODY;
        }
    }
    let mut lacks = Vec::new();
    for (node, &target) in nodes.iter().zip(&targets) {
        let held = owners.iter().filter(|owner| **owner == node.id).count();
        let lowest = owners.iter_mut().filter(|owner| **owner == node.id);
        lowest.take(held.saturating_sub(target)).for_each(|owner| *owner = NodeId::NOBODY);
        lacks.push(target.saturating_sub(held));
    }
    for owner in owners.iter_mut().filter(|owner| **owner == NodeId::NOBODY) {
        let neediest = (0..nodes.len()).max_by_key(|&at| (lacks[at], Reverse(at)));
        let neediest = neediest.expect("a roster has a node of positive weight");
        *owner = nodes[neediest].id;
        lacks[neediest] -= 1;
    }
}

/// So many buckets in proportion to the weights of nodes in name order, by largest remainder.
fn targets(buckets: usize, nodes: &[&Node]) -> Vec<usize> {
    let total: u128 = nodes.iter().map(|node| u128::from(node.weight.micros())).sum();
    let quota = |node: &Node| buckets as u128 * u128::from(node.weight.micros());
    let mut targets: Vec<usize> = nodes.iter().map(|node| (quota(node) / total) as usize).collect();
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by_key(|&at| (Reverse(quota(nodes[at]) % total), at));
    let left = buckets - targets.iter().sum::<usize>();
    order[..left].iter().for_each(|&at| targets[at] += 1);
    targets
}
