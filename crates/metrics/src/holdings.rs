//! What nodes hold in one state of a fleet: the copies on each, and keys whose copies share a
//! failure domain.

use placelab_core::{DomainIndex, NodeId};

use crate::flows::Amounts;

/// Counts of the copies of all keys in one state; integers, so that merging in any order gives the
/// same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holdings {
    /// Copies by the identity of their node.
    pub loads: Vec<Amounts>,
    /// Keys of which two copies are in one zone, and in one rack.
    pub shared: [u64; 2],
}

impl Holdings {
    /// Nothing held by nodes whose identities are below `nodes`.
    pub fn new(nodes: usize) -> Self {
        Holdings { loads: vec![[0; 3]; nodes], shared: [0; 2] }
    }

    /// Counts one key: the nodes of its copies, and what it counts for. Zones and racks are looked
    /// at where they are given.
    #[inline]
    pub fn add(&mut self, copies: &[NodeId], amounts: Amounts, kinds: &[Option<DomainIndex>; 2]) {
        for node in copies {
            let load = &mut self.loads[node.index()];
            load.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum += amount);
        }
        for (shared, domains) in self.shared.iter_mut().zip(kinds) {
            let Some(domains) = domains else { continue };
            let meets = |(index, node): (usize, &NodeId)| {
                copies[..index].iter().any(|other| domains.of(*other) == domains.of(*node))
            };
            *shared += u64::from(copies.iter().enumerate().any(meets));
        }
    }

    /// Adds the counts of other keys.
    pub fn merge(&mut self, other: &Holdings) {
        for (sums, amounts) in self.loads.iter_mut().zip(&other.loads) {
            sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum += amount);
        }
        self.shared.iter_mut().zip(other.shared).for_each(|(sum, count)| *sum += count);
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::{NodeName, Roster};

    use super::*;

    #[test]
    fn copies_count_where_they_are() {
        let mut nodes: Vec<_> = (0..4).map(Roster::numbered_node).collect();
        for (node, zone) in nodes.iter_mut().zip(["a", "b", "a", "b"]) {
            node.zone = Some(NodeName::new(zone).unwrap());
        }
        let kinds = [Some(DomainIndex::zones(&Roster::new(nodes).unwrap())), None];
        let mut held = Holdings::new(4);
        held.add(&[NodeId(0), NodeId(1)], [1, 5, 0], &kinds);
        let mut more = Holdings::new(4);
        more.add(&[NodeId(3), NodeId(1)], [1, 2, 0], &kinds);
        held.merge(&more);
        assert_eq!(held.loads, [[1, 5, 0], [2, 7, 0], [0; 3], [1, 2, 0]]);
        assert_eq!(held.shared, [1, 0]);
    }
}
