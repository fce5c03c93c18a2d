//! Copies that a step makes: counts of the sets of nodes that hold a key, before and after.

use placelab_core::NodeId;

use crate::flows::Amounts;

/// What became of the copies of all keys in one comparison; integers, so that merging in any
/// order gives the same. Sums are wide because each key counts once for each of its copies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Copies {
    /// Copies on nodes that had none of the key before.
    pub changed: [u128; 3],
    /// Copies whose node is not the one of the same rank before.
    pub changed_ordered: [u128; 3],
    /// Keys whose owner stays although the set of their copies changes.
    pub behind_owner: [u128; 3],
}

impl Copies {
    /// Counts one key: the nodes of its copies before and after, the owner first, and what the
    /// key counts for.
    #[inline]
    pub fn add(&mut self, before: &[NodeId], after: &[NodeId], amounts: Amounts) {
        let changed = after.iter().filter(|node| !before.contains(node)).count();
        let ordered = std::iter::zip(before, after).filter(|(a, b)| a != b).count();
        if ordered == 0 {
            return;
        }
        let is_behind = changed > 0 && before[0] == after[0];
        for (measure, amount) in amounts.into_iter().enumerate() {
            let times = |count: usize| u128::from(amount) * count as u128;
            self.changed[measure] += times(changed);
            self.changed_ordered[measure] += times(ordered);
            self.behind_owner[measure] += times(usize::from(is_behind));
        }
    }

    /// Adds the counts of other keys.
    pub fn merge(&mut self, other: &Copies) {
        let pairs = [
            (&mut self.changed, &other.changed),
            (&mut self.changed_ordered, &other.changed_ordered),
            (&mut self.behind_owner, &other.behind_owner),
        ];
        for (sums, amounts) in pairs {
            sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum += amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(before: [u32; 3], after: [u32; 3]) -> [u128; 3] {
        let mut copies = Copies::default();
        copies.add(&before.map(NodeId), &after.map(NodeId), [1, 10, 0]);
        let by_keys = [copies.changed[0], copies.changed_ordered[0], copies.behind_owner[0]];
        let by_requests = [copies.changed[1], copies.changed_ordered[1], copies.behind_owner[1]];
        assert_eq!(by_requests, by_keys.map(|count| 10 * count));
        by_keys
    }

    #[test]
    fn sets_and_ranks_are_told_apart() {
        assert_eq!(counted([0, 1, 2], [0, 1, 2]), [0, 0, 0]);
        // The same nodes in another order: nothing to copy, two fragments to rebuild.
        assert_eq!(counted([0, 1, 2], [0, 2, 1]), [0, 2, 0]);
        // The owner stays and the second copy moves.
        assert_eq!(counted([0, 1, 2], [0, 3, 2]), [1, 1, 1]);
        // A new owner in front of all: one copy to make, every rank differs.
        assert_eq!(counted([0, 1, 2], [3, 0, 1]), [1, 3, 0]);
        assert_eq!(counted([0, 1, 2], [3, 4, 5]), [3, 3, 0]);
    }
}
