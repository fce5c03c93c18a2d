//! Which nodes the walk for one key has met.

use std::collections::BTreeSet;

use placelab_core::NodeId;

/// Nodes that are held where the walk runs, without an allocation: most walks meet no more.
const FEW: usize = 16;

/// A set of nodes.
pub(crate) struct Seen {
    first: [NodeId; FEW],
    /// How many of the first there are.
    few: usize,
    more: BTreeSet<NodeId>,
}

impl Seen {
    /// Nobody yet.
    pub(crate) fn new() -> Self {
        Seen { first: [NodeId::NOBODY; FEW], few: 0, more: BTreeSet::new() }
    }

    /// Adds a node; false where it was there.
    #[inline]
    pub(crate) fn insert(&mut self, node: NodeId) -> bool {
        if self.first[..self.few].contains(&node) {
            false
        } else if self.few < FEW {
            self.first[self.few] = node;
            self.few += 1;
            true
        } else {
            self.more.insert(node)
        }
    }

    /// How many nodes there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.few + self.more.len()
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;

    use super::*;

    #[test]
    fn each_node_is_new_once() {
        for nodes in [1, 2, 15, 16, 17, 40] {
            let (mut seen, mut twin) = (Seen::new(), BTreeSet::new());
            for step in 0..200 {
                let node = NodeId((stream(nodes, step) % nodes) as u32);
                assert_eq!(seen.insert(node), twin.insert(node));
                assert_eq!(seen.len(), twin.len());
            }
            assert!(!seen.insert(NodeId(0)), "200 draws meet all of {nodes}");
        }
    }
}
