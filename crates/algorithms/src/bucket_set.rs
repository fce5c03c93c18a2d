//! Schemes with numbered buckets of which any may go.
//!
//! Where a range hash knows a count, these know a set: a bucket in the middle can be removed, and
//! the scheme says which bucket a newcomer takes. [`Numbered`] makes a placement of such a set by
//! one table from bucket to node. A first fleet takes buckets 0, 1, … in join order, a newcomer
//! the bucket that the scheme hands out, and a node that goes gives its bucket back. Names do not
//! matter, histories do: all clients must share the table, and what the set remembers of the order
//! of removals. Cost: the set's, and one table read a lookup; an update O(N log N).
//!
//! What they cannot do: serve weights. Copies of a key go to the members that salted hashes give
//! ([`retry`]), where a set has no order of its own.

mod naive;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use placelab_core::{
    Anatomy, Arguments, Change, Footprint, HashSeed, Key, KeyHash, Keys, NodeId, ParameterKind,
    ParameterSpec, Placement, PlacementError, Roster, Scheme, Silent, Trace,
};

use crate::range_hash::{bytes_of, retry};

pub(crate) use naive::{NaiveSet, Rows, naive};

/// Keys of a batch that go through each stage of a lookup together.
pub(crate) const STAGED: usize = 256;

/// A set of working buckets, and the map from keys to them.
pub(crate) trait BucketSet: Clone + Send + Sync + 'static {
    /// The set of buckets 0 … `count` − 1; `count` ≥ 1.
    ///
    /// # Errors
    /// A limit of the scheme.
    fn first(arguments: &Arguments, count: u32) -> Result<Self, PlacementError>;

    /// Puts another bucket to work, and says which.
    ///
    /// # Errors
    /// A limit of the scheme.
    fn add(&mut self) -> Result<u32, PlacementError>;

    /// Takes a working bucket out; never called for the last one.
    fn remove(&mut self, bucket: u32);

    /// The working bucket of a key.
    fn lookup<T: Trace + ?Sized>(&self, key: KeyHash, trace: &mut T) -> u32;

    /// The working buckets of many keys, at most [`STAGED`], one for each place of `buckets`.
    fn lookup_many(&self, keys: &[KeyHash], buckets: &mut [u32]) {
        for (key, bucket) in keys.iter().zip(buckets) {
            *bucket = self.lookup(*key, &mut Silent);
        }
    }

    /// All working buckets in the order that the scheme itself gives them, where it has one.
    fn ranked(&self, _: KeyHash) -> Option<Box<dyn Iterator<Item = u32> + '_>> {
        None
    }

    /// Gives back the room for more that changes left: placements do not change once made.
    fn trim(&mut self);

    /// Memory of the set: what all clients must agree on, and what each derives from it.
    fn footprint(&self) -> Footprint;
}

/// What one key hashes to: once to begin with, and again at each removed bucket that it meets.
pub(crate) trait Rehash {
    fn first(&mut self) -> u64;

    /// The hash that decides who stands in for `bucket`.
    fn again(&mut self, bucket: u32) -> u64;
}

/// Takes keys that came to removed buckets on until theirs work, at most [`STAGED`] of them;
/// `leave` gets the place of a key among them and the bucket that it leaves.
///
/// All leave one bucket, then those that came to another such: whether a key has to go on is as
/// good as random, and here nothing waits for a guess.
#[inline(always)]
pub(crate) fn in_rounds(
    buckets: &mut [u32],
    is_removed: impl Fn(u32) -> bool,
    mut leave: impl FnMut(usize, u32) -> u32,
) {
    let (mut places, mut count) = ([0; STAGED], 0);
    for (place, bucket) in buckets.iter().enumerate() {
        places[count] = place as u16;
        count += usize::from(is_removed(*bucket));
    }
    while count > 0 {
        let mut left = 0;
        for at in 0..count {
            let place = usize::from(places[at]);
            let bucket = leave(place, buckets[place]);
            buckets[place] = bucket;
            places[left] = place as u16;
            left += usize::from(is_removed(bucket));
        }
        count = left;
    }
}

/// The parameter of schemes whose tables have a fixed size.
pub(crate) const CAPACITY: ParameterSpec = ParameterSpec {
    name: "capacity",
    kind: ParameterKind::Count { min: 0, max: 1 << 22 },
    default: Some("0"),
    help: "most nodes at once, for good; 0 for twice the first fleet, 16 at least",
};

/// The capacity that is asked for.
pub(crate) fn capacity(arguments: &Arguments, count: u32) -> u32 {
    match arguments.count(CAPACITY.name) {
        0 => count.saturating_mul(2).max(16),
        given => u32::try_from(given).unwrap_or(u32::MAX),
    }
}

/// Whether so many buckets are within a capacity.
pub(crate) fn within(capacity: u32, asked: u32) -> Result<(), PlacementError> {
    match asked <= capacity {
        true => Ok(()),
        false => Err(PlacementError::Limit {
            what: "nodes (`capacity` sets how many)",
            asked: asked.into(),
            possible: capacity.into(),
            heaviest: None,
        }),
    }
}

/// A placement over a set of buckets.
#[derive(Clone)]
pub(crate) struct Numbered<S> {
    set: S,
    roster: Roster,
    /// Bucket to owner.
    owners: Vec<NodeId>,
    /// Members in join order.
    members: Vec<NodeId>,
}

/// Makes the placement of a first roster.
pub(crate) fn build<S: BucketSet>(
    arguments: &Arguments,
    _: HashSeed,
    roster: Roster,
) -> Result<Box<dyn Placement>, PlacementError> {
    let mut set = S::first(arguments, roster.len() as u32)?;
    set.trim();
    let owners = roster.ids();
    Ok(Box::new(Numbered { set, members: owners.clone(), owners, roster }))
}

impl<S: BucketSet> Numbered<S> {
    #[inline]
    fn walk<T: Trace + ?Sized>(&self, hash: KeyHash, trace: &mut T) -> NodeId {
        self.owners[self.set.lookup(hash, trace) as usize]
    }

    fn seat(&mut self, bucket: u32, node: NodeId) {
        let at = bucket as usize;
        if at >= self.owners.len() {
            self.owners.resize(at + 1, NodeId::NOBODY);
        }
        self.owners[at] = node;
    }
}

impl<S: BucketSet> Scheme for Numbered<S> {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    /// No set can do without its last bucket. Where a step replaces the whole fleet, that bucket
    /// stays and the next newcomer takes it over, as if it had been removed and handed out again.
    fn adopt(&mut self, next: Roster, changes: &[Change]) -> Result<(), PlacementError> {
        let seats = (0u32..).zip(&self.owners).filter(|(_, owner)| **owner != NodeId::NOBODY);
        let mut buckets: BTreeMap<NodeId, u32> =
            seats.map(|(bucket, owner)| (*owner, bucket)).collect();
        let mut vacant = None;
        for change in changes {
            match change {
                Change::Add(node) => {
                    let bucket = match vacant.take() {
                        Some(bucket) => bucket,
                        None => self.set.add()?,
                    };
                    self.seat(bucket, node.id);
                    buckets.insert(node.id, bucket);
                }
                Change::Remove(id) => {
                    let bucket = buckets.remove(id).expect("every member has a bucket");
                    self.seat(bucket, NodeId::NOBODY);
                    match buckets.is_empty() {
                        true => vacant = Some(bucket),
                        false => self.set.remove(bucket),
                    }
                }
                Change::Reweight(..) | Change::Rename(..) => {}
            }
        }
        self.set.trim();
        self.owners.shrink_to_fit();
        self.members = next.ids();
        self.roster = next;
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        let set = self.set.footprint();
        let table = self.roster.shared_bytes() + bytes_of(&self.owners);
        Footprint {
            shared_bytes: table + set.shared_bytes,
            derived_bytes: bytes_of(&self.members) + set.derived_bytes,
        }
    }
}

impl<S: BucketSet> Placement for Numbered<S> {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.walk(key.hash, &mut Silent)
    }

    fn place_many(&self, keys: Keys<'_>, out: &mut [NodeId]) {
        let mut buckets = [0; STAGED];
        let out = out[..keys.hashes.len()].chunks_mut(STAGED);
        for (hashes, out) in keys.hashes.chunks(STAGED).zip(out) {
            let buckets = &mut buckets[..hashes.len()];
            self.set.lookup_many(hashes, buckets);
            for (owner, bucket) in out.iter_mut().zip(buckets) {
                *owner = self.owners[*bucket as usize];
            }
        }
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        self.walk(key.hash, trace)
    }

    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        match self.set.ranked(key.hash) {
            Some(mut buckets) => {
                let _ = buckets.try_for_each(|bucket| visit(self.owners[bucket as usize]));
            }
            None => retry(&self.members, key.hash, |hash| self.walk(hash, &mut Silent), visit),
        }
    }

    fn anatomy(&self) -> Option<Anatomy> {
        Some(Anatomy::Buckets(self.owners.clone()))
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;
    use placelab_core::{Capability, advance};

    use super::*;
    use crate::fixtures::{contender, hold_to_twin};

    /// The contenders of this shape.
    fn texts() -> Vec<&'static str> {
        let of_family = crate::REGISTRY.iter().filter(|spec| spec.family == "bucket set");
        of_family.map(|spec| spec.name).collect()
    }

    fn owners(placement: &dyn Placement) -> Vec<NodeId> {
        (0..5_000).map(|i| placement.place(Key::hashed(stream(31, i)))).collect()
    }

    /// Longer scripts than those of the laws: from 1 … 20 nodes down to a few and up again, and now
    /// and then two newcomers replace the whole fleet.
    #[test]
    fn twins_agree_after_long_scripts() {
        let add = |id: u64| Change::Add(Roster::numbered_node(id as u32));
        for text in texts() {
            for run in 0..60 {
                let first = Roster::numbered(1 + run % 20).unwrap();
                hold_to_twin(text, first, 60, |step, roster| {
                    let random = stream(43, u64::from(run) * 100 + step);
                    let mut going = roster.ids();
                    going.rotate_left((random >> 32) as usize % roster.len());
                    let newcomers = [100 + 2 * step, 101 + 2 * step].map(add);
                    let grows = random % 4 < if step < 30 { 1 } else { 3 };
                    match (random >> 8) % 16 {
                        0 => going.into_iter().map(Change::Remove).chain(newcomers).collect(),
                        _ if grows => newcomers[..1].to_vec(),
                        _ => vec![Change::Remove(going[0])],
                    }
                });
            }
        }
    }

    /// Batches of any length answer as single lookups do, whatever was removed.
    #[test]
    fn batches_answer_as_single_keys_do() {
        let hashes: Vec<KeyHash> =
            (0..2_046).map(|i| KeyHash(stream(41, i))).chain([0, u64::MAX].map(KeyHash)).collect();
        for text in texts() {
            for count in [1u32, 2, 3, 7, 8, 9, 10, 100, 127, 128, 129, 1_000] {
                let (spec, mut placement) = contender(text, Roster::numbered(count).unwrap());
                for share in [0, 10, 50] {
                    let going = placement.roster().ids().into_iter();
                    let going = going.filter(|id| stream(share, id.0.into()) % 100 < share);
                    let changes: Vec<Change> = going.map(Change::Remove).collect();
                    if let Ok(next) = advance(spec, placement.as_ref(), &changes) {
                        placement = next;
                    }
                    let expected: Vec<NodeId> =
                        hashes.iter().map(|hash| placement.place(Key::hashed(hash.0))).collect();
                    for length in [0, 1, 7, 8, 9, 31, 64, 255, 256, 257, 1_023, 2_048] {
                        let mut out = vec![NodeId::NOBODY; length + 1];
                        placement.place_many(Keys::hashed(&hashes[..length]), &mut out);
                        assert_eq!(out[..length], expected[..length], "{text}, N = {count}");
                        assert_eq!(out[length], NodeId::NOBODY, "{text} writes no more");
                    }
                }
            }
        }
    }

    /// In one step a fleet is replaced by others, one for one or altogether.
    #[test]
    fn a_fleet_can_be_replaced_in_one_step() {
        let change = |id| [Change::Remove(NodeId(id)), Change::Add(Roster::numbered_node(id + 3))];
        let removes_first = [0, 1, 2].map(|id| Change::Remove(NodeId(id))).into_iter();
        let together = removes_first.chain((3..6).map(|id| Change::Add(Roster::numbered_node(id))));
        for changes in [together.collect(), [0, 1, 2].map(change).concat()] {
            for text in texts() {
                let (spec, before) = contender(text, Roster::numbered(3).unwrap());
                let after = advance(spec, before.as_ref(), &changes).unwrap();
                let mut seen = owners(after.as_ref());
                seen.sort_unstable();
                seen.dedup();
                assert_eq!(seen, [3, 4, 5].map(NodeId), "{text}");
            }
        }
    }

    /// Down to each single member, through random members, and back: only the keys of who goes
    /// move, and they move back when a node takes the bucket again.
    #[test]
    fn down_to_one_and_back() {
        for text in texts() {
            let (spec, first) = contender(text, Roster::numbered(9).unwrap());
            assert!(spec.can(Capability::RemoveAny));
            for survivor in 0..9 {
                let mut going: Vec<u32> = (0..9).filter(|id| *id != survivor).collect();
                going.sort_by_key(|id| stream(u64::from(survivor), u64::from(*id)));
                let mut placement = first.fork();
                for &id in &going {
                    let before = owners(placement.as_ref());
                    let remove = [Change::Remove(NodeId(id))];
                    placement = advance(spec, placement.as_ref(), &remove).unwrap();
                    let after = owners(placement.as_ref());
                    let stays = |(old, new): (&NodeId, &NodeId)| old == new || *old == NodeId(id);
                    assert!(std::iter::zip(&before, &after).all(stays), "{text} without {id}");
                }
                assert!(owners(placement.as_ref()).iter().all(|owner| owner.0 == survivor));
                for id in 9..17 {
                    let before = owners(placement.as_ref());
                    let add = [Change::Add(Roster::numbered_node(id))];
                    placement = advance(spec, placement.as_ref(), &add).unwrap();
                    let after = owners(placement.as_ref());
                    let stays = |(old, new): (&NodeId, &NodeId)| old == new || *new == NodeId(id);
                    assert!(std::iter::zip(&before, &after).all(stays), "{text} with {id}");
                }
            }
        }
    }
}
