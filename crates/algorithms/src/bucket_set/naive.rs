//! The slow, obvious twins of bucket sets.

use placelab_core::{Arguments, Change, HashSeed, History, Keys, NodeId};

/// A set of working buckets in its simplest form; the methods are those of the set.
pub(crate) trait NaiveSet {
    fn first(arguments: &Arguments, count: u32) -> Self;

    fn add(&mut self) -> u32;

    fn remove(&mut self, bucket: u32);

    fn lookup(&self, key: u64) -> u32;
}

/// The owners of keys after a history: a list says who sits on which bucket.
pub(crate) fn naive<S: NaiveSet>(
    arguments: &Arguments,
    _: HashSeed,
    history: &History,
    keys: Keys<'_>,
) -> Vec<NodeId> {
    let first = history.start.ids();
    let mut set = S::first(arguments, first.len() as u32);
    let mut seats: Vec<(u32, NodeId)> = (0u32..).zip(first).collect();
    // The bucket of the last to go: taken over as it is, for the set was not told.
    let mut last = 0;
    for change in history.steps.iter().flatten() {
        match change {
            Change::Add(node) if seats.is_empty() => seats.push((last, node.id)),
            Change::Add(node) => seats.push((set.add(), node.id)),
            Change::Remove(id) => {
                let seat = seats.iter().position(|(_, owner)| owner == id);
                let (bucket, _) = seats.remove(seat.expect("every member has a seat"));
                match seats.is_empty() {
                    true => last = bucket,
                    false => set.remove(bucket),
                }
            }
            Change::Reweight(..) | Change::Rename(..) => {}
        }
    }
    let owner = |bucket: u32| seats.iter().find(|(seat, _)| *seat == bucket).map(|(_, node)| *node);
    let place = |hash: u64| owner(set.lookup(hash)).expect("somebody sits on a working bucket");
    keys.hashes.iter().map(|hash| place(hash.0)).collect()
}

/// The working buckets side by side: first all that there ever were, then what was left of them
/// just after each removal that has not been taken back. Where one goes, the last takes its place.
pub(crate) struct Rows(Vec<Vec<u32>>);

impl Rows {
    pub(crate) fn new(count: u32) -> Self {
        Rows(vec![(0..count).collect()])
    }

    /// How many buckets there ever were.
    pub(crate) fn ever(&self) -> u32 {
        self.0[0].len() as u32
    }

    /// Takes a working bucket out.
    pub(crate) fn remove(&mut self, bucket: u32) {
        let mut left = self.0[self.0.len() - 1].clone();
        let place = left.iter().position(|other| *other == bucket).expect("a bucket that works");
        left.swap_remove(place);
        self.0.push(left);
    }

    /// Takes the last removal back, and says whose it was.
    pub(crate) fn restore(&mut self) -> Option<u32> {
        let [.., before, left] = &self.0[..] else { return None };
        let bucket = before.iter().copied().find(|bucket| !left.contains(bucket));
        self.0.pop();
        bucket
    }

    /// Takes a working bucket out of a set without a capacity, which closes the highest for good
    /// while no other is removed.
    pub(crate) fn close(&mut self, bucket: u32) {
        match bucket + 1 == self.ever() && self.0.len() == 1 {
            true => *self = Rows::new(bucket),
            false => self.remove(bucket),
        }
    }

    /// Puts a bucket to work in a set without a capacity: one that was removed, else a new one.
    pub(crate) fn open(&mut self) -> u32 {
        self.restore().unwrap_or_else(|| {
            *self = Rows::new(self.ever() + 1);
            self.ever() - 1
        })
    }

    /// The working bucket for a key that came to `bucket`: at a removed one it draws, below its
    /// second argument, a place among those that were left then.
    pub(crate) fn settle(&self, mut bucket: u32, mut draw: impl FnMut(u32, u32) -> u32) -> u32 {
        while let Some(left) = self.0.iter().find(|row| !row.contains(&bucket)) {
            bucket = left[draw(bucket, left.len() as u32) as usize];
        }
        bucket
    }
}
