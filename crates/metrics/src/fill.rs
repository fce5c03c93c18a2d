//! Loads as keys come: how the first placement fills up.
//!
//! A mark is a number of keys after which the balance is wanted. Between two marks a counter a slot
//! counts what came; a slot is one of the ranks of a node, of which a key takes one by a hash of
//! its own.

use placelab_core::NodeId;

/// Keys of each slot between marks; integers, so that merging in any order gives the same.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fills {
    ranks: usize,
    /// One row a mark, one number a slot: those of a node side by side.
    rows: Vec<Vec<u64>>,
}

impl Fills {
    /// Nothing counted yet, for identities below `nodes` of so many ranks each.
    pub fn new(nodes: usize, ranks: usize, marks: usize) -> Self {
        Fills { ranks, rows: vec![vec![0; nodes * ranks]; marks] }
    }

    /// Counts a key that came before a mark and after the mark before it.
    pub fn add(&mut self, mark: usize, owner: NodeId, rank: usize) {
        self.rows[mark][owner.index() * self.ranks + rank] += 1;
    }

    /// Adds the counts of other keys.
    pub fn merge(&mut self, other: &Fills) {
        for (row, more) in self.rows.iter_mut().zip(&other.rows) {
            row.iter_mut().zip(more).for_each(|(sum, count)| *sum += count);
        }
    }

    /// The load of each slot of some nodes at each mark.
    pub fn loads(&self, nodes: &[NodeId]) -> Vec<Vec<u128>> {
        let slots = nodes.iter().flat_map(|node| {
            let first = node.index() * self.ranks;
            first..first + self.ranks
        });
        let mut sums: Vec<(usize, u128)> = slots.map(|slot| (slot, 0)).collect();
        let add = |row: &Vec<u64>| {
            sums.iter_mut().for_each(|(slot, sum)| *sum += u128::from(row[*slot]));
            sums.iter().map(|(_, sum)| *sum).collect()
        };
        self.rows.iter().map(add).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_add_up() {
        let mut fills = Fills::new(3, 2, 2);
        for (mark, owner, rank) in [(0, 2, 1), (0, 0, 0), (1, 2, 1), (1, 1, 0)] {
            fills.add(mark, NodeId(owner), rank);
        }
        let mut twice = fills.clone();
        twice.merge(&fills);
        let of = |fills: &Fills| fills.loads(&[NodeId(2), NodeId(0)]);
        assert_eq!(of(&fills), [[0, 1, 1, 0], [0, 2, 1, 0]]);
        assert_eq!(of(&twice), [[0, 2, 2, 0], [0, 4, 2, 0]]);
    }
}
