//! The members of positive weight in name order: who competes for a key.
//!
//! Name order makes a contest independent of history, and "the first of equals wins" the rule
//! that ties go by name bytes.

use placelab_core::{HashFunction, HashSeed, Node, NodeId, Roster};

use crate::range_hash::bytes_of;

/// Columns with one row an entrant.
#[derive(Clone)]
pub(crate) struct Entrants {
    /// XXH3 of the name under the hash seed.
    pub(crate) name_hashes: Vec<u64>,
    /// Identity.
    pub(crate) ids: Vec<NodeId>,
}

/// The entrants of a roster in their order.
pub(crate) fn entrants(roster: &Roster) -> impl Iterator<Item = &Node> {
    roster.by_name().into_iter().filter(|node| node.weight.micros() > 0)
}

impl Entrants {
    pub(crate) fn new(roster: &Roster, seed: HashSeed) -> Self {
        let (name_hashes, ids) = entrants(roster)
            .map(|node| (HashFunction::Xxh3.hash_name(seed, &node.name), node.id))
            .unzip();
        Entrants { name_hashes, ids }
    }

    pub(crate) fn bytes(&self) -> u64 {
        bytes_of(&self.name_hashes) + bytes_of(&self.ids)
    }
}

/// Entrants from the least to the greatest score; equal scores in name order.
pub(crate) fn ranked<S: Ord>(
    ids: &[NodeId],
    score: impl Fn(usize) -> S,
) -> impl Iterator<Item = NodeId> {
    let mut order: Vec<usize> = (0..ids.len()).collect();
    // A stable sort keeps equals in name order.
    order.sort_by_cached_key(|&at| score(at));
    order.into_iter().map(|at| ids[at])
}
