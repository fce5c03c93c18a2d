//! Functions "hash and count in, bucket out", and the adapter that makes them placements.
//!
//! A range hash knows buckets 0 … n − 1 and nothing of nodes: it is positional by nature. The
//! adapter [`TailOnly`] gives bucket *i* to the member that joined *i*-th, and so can only grow
//! and shrink at the end of the join order.

use std::any::Any;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use placelab_core::mix::stream;
use placelab_core::{
    Change, Footprint, Key, KeyHash, Keys, NodeId, Placement, PlacementError, Roster, Scheme,
    Silent, Trace,
};

/// A stateless map from a hash to one of `count` buckets.
pub trait RangeHash: Copy + Send + Sync + 'static {
    /// The bucket of a key among `count` ≥ 1 buckets.
    fn bucket<T: Trace + ?Sized>(self, key: KeyHash, count: u32, trace: &mut T) -> u32;

    /// The bucket of a key under each of several counts in ascending order: the seam for
    /// functions that meet the smaller counts on the way to the largest.
    fn buckets(self, key: KeyHash, counts: &[u32], out: &mut [u32]) {
        for (&count, bucket) in counts.iter().zip(out) {
            *bucket = self.bucket(key, count, &mut Silent);
        }
    }
}

/// A range hash over the members in join order.
#[derive(Clone)]
pub struct TailOnly<R> {
    range: R,
    roster: Roster,
    /// Bucket to member.
    owners: Vec<NodeId>,
}

impl<R: RangeHash> TailOnly<R> {
    /// The placement of a roster of equal weights.
    pub fn new(range: R, roster: Roster) -> Self {
        let owners = owners_in_join_order(&roster);
        TailOnly { range, roster, owners }
    }

    fn count(&self) -> u32 {
        self.owners.len() as u32
    }

    fn walk<T: Trace + ?Sized>(&self, hash: KeyHash, trace: &mut T) -> NodeId {
        self.owners[self.range.bucket(hash, self.count(), trace) as usize]
    }
}

fn owners_in_join_order(roster: &Roster) -> Vec<NodeId> {
    roster.nodes().iter().map(|node| node.id).collect()
}

impl<R: RangeHash> Scheme for TailOnly<R> {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn adopt(&mut self, next: Roster, _: &[Change]) -> Result<(), PlacementError> {
        *self = TailOnly::new(self.range, next);
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        Footprint {
            shared_bytes: self.roster.shared_bytes(),
            derived_bytes: bytes_of(&self.owners),
        }
    }
}

impl<R: RangeHash> Placement for TailOnly<R> {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.walk(key.hash, &mut Silent)
    }

    fn place_across(&self, later: &[&dyn Placement], keys: Keys<'_>, out: &mut [&mut [NodeId]]) {
        let mut all = vec![self];
        all.extend(later.iter().filter_map(|&placement| {
            let any: &dyn Any = placement;
            any.downcast_ref::<Self>()
        }));
        assert_eq!(all.len(), later.len() + 1, "every placement is of one contender");
        let mut rows: Vec<usize> = (0..all.len()).collect();
        rows.sort_by_key(|&row| all[row].count());
        let counts: Vec<u32> = rows.iter().map(|&row| all[row].count()).collect();
        let mut buckets = vec![0; counts.len()];
        for (index, &hash) in keys.hashes.iter().enumerate() {
            self.range.buckets(hash, &counts, &mut buckets);
            for (&row, &bucket) in rows.iter().zip(&buckets) {
                out[row][index] = all[row].owners[bucket as usize];
            }
        }
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        self.walk(key.hash, trace)
    }

    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        retry(&self.owners, key.hash, |hash| self.walk(hash, &mut Silent), visit);
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

/// Visits the members that a single-answer function gives for a key and then for salted copies of
/// its hash. After 16 tries a member on average, those that never came up follow in join order.
pub(crate) fn retry(
    members: &[NodeId],
    hash: KeyHash,
    place: impl Fn(KeyHash) -> NodeId,
    visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>,
) {
    let mut seen = BTreeSet::new();
    let salted = (0..16 * members.len() as u64).map(|retry| match retry {
        0 => hash,
        _ => KeyHash(stream(hash.0, retry)),
    });
    for node in salted.map(place).chain(members.iter().copied()) {
        if seen.insert(node) && (visit(node).is_break() || seen.len() == members.len()) {
            return;
        }
    }
}

/// Bytes that the elements of a table occupy.
pub(crate) fn bytes_of<T>(table: &[T]) -> u64 {
    size_of_val(table) as u64
}
