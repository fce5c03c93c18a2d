//! Sweep: every key placed by every snapshot, counted.
//!
//! Keys come in chunks of [`CHUNK_KEYS`], made once and placed by all snapshots while they are in
//! cache. Threads take shares of many chunks, one after the other. Counts are integers and merging
//! is exact, so any cut of the keys over threads gives the same tally. Contenders that look at
//! loads need the keys in their order: one thread takes all chunks of them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use placelab_core::mix::stream;
use placelab_core::{
    CopyChooser, CopyRule, DomainIndex, HashSeed, KeyHash, KeyPart, Keys, Ledger, Node, NodeId,
    Placement, Placer, Roster,
};
use placelab_metrics::movement::Targets;
use placelab_metrics::tally::{ChunkAmounts, Shape, Tally};
use placelab_results::Measure;
use rayon::prelude::*;

use crate::keys::{KeyChunk, KeySource};
use crate::replay::{Comparison, Comparisons, Snapshot};

/// Keys made and placed together: their hashes and owners fit the first cache.
pub const CHUNK_KEYS: u64 = 2_048;
/// Keys that a thread takes at a time.
const SHARE_KEYS: u64 = 32 * CHUNK_KEYS;

/// Learns how a run goes on; called from many threads.
pub trait Progress: Sync {
    /// A piece of work begins: what it is, as `placing keys`, and how many units it has.
    fn begin(&self, what: &'static str, units: u64);
    /// So many more are done.
    fn advance(&self, units: u64);
}

/// Nobody watches.
pub struct Unwatched;

impl Progress for Unwatched {
    fn begin(&self, _: &'static str, _: u64) {}
    fn advance(&self, _: u64) {}
}

/// What to sweep.
pub struct Sweep<'a> {
    /// The keys.
    pub source: &'a KeySource,
    /// What the contender reads of a key.
    pub reads: KeyPart,
    /// Placements of one contender; at least one.
    pub snapshots: &'a [Snapshot],
    /// Which of them to compare.
    pub comparisons: &'a Comparisons,
    /// Copies of each key; every fleet can hold them.
    pub copies: CopyRule,
    /// Identities are below this.
    pub node_count: usize,
    /// Where the first snapshot is looked at as keys come.
    pub marks: Marks<'a>,
}

/// Where a fleet is looked at as keys come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks<'a> {
    /// Numbers of keys, ascending; none beyond those that there are.
    pub keys: &'a [u64],
    /// Ranks of a node, of which a key takes one by a hash of its own; at least 1 where there are
    /// marks.
    pub ranks: u32,
}

impl Marks<'_> {
    /// Which rank of its owner takes a key.
    fn rank(&self, hash: KeyHash) -> usize {
        /// Sets the hash of ranks apart from others.
        const RANKS: u64 = 0x7261_6e6b_7321_2121;
        let draw = u128::from(stream(hash.0, RANKS));
        ((draw * u128::from(self.ranks)) >> 64) as usize
    }
}

/// The snapshots of a contender that is a function of the key.
struct Placements<'a> {
    all: Vec<&'a dyn Placement>,
    /// Hash seeds that occur: one, unless a deploy changed it.
    seeds: Vec<HashSeed>,
    /// Which of them salts the keys of each snapshot.
    group: Vec<usize>,
    /// What becomes of copies; none where keys have one.
    copying: Option<Copying>,
}

/// What is known of the copies before any key.
struct Copying {
    /// What chooses them under each snapshot.
    choosers: Vec<CopyChooser>,
    /// Zones and racks under each snapshot, where some node has one.
    kinds: Vec<[Option<DomainIndex>; 2]>,
    /// How far the weight of each node rose in each step.
    rises: Vec<Vec<u32>>,
}

/// What one thread needs: reused from share to share.
struct Worker {
    tally: Tally,
    chunk: KeyChunk,
    /// The hashes of the chunk under one hash seed.
    salted: Vec<KeyHash>,
    /// A row of owners for each snapshot.
    owners: Vec<Vec<NodeId>>,
    /// The copies under the snapshots of one comparison.
    copies: [CopyRow; 2],
}

/// The copies of a chunk's keys under one snapshot.
#[derive(Default)]
struct CopyRow {
    snapshot: Option<usize>,
    nodes: Vec<NodeId>,
}

impl Sweep<'_> {
    /// Counts every key. Runs on the current thread pool, but for contenders that look at loads:
    /// these get the keys in their order, one after the other.
    pub fn run(&self, progress: &dyn Progress) -> Tally {
        match self.placements() {
            Some(placements) => self.run_shares(&placements, progress),
            None => self.run_in_order(progress),
        }
    }

    /// Each thread takes shares until there are none left, into one tally: a tally a share would
    /// cost more than the counting where nodes are many.
    fn run_shares(&self, placements: &Placements<'_>, progress: &dyn Progress) -> Tally {
        let shares = self.source.len().div_ceil(SHARE_KEYS);
        let next = AtomicU64::new(0);
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&share| share < shares);
        let work = |_| {
            let mut worker = None;
            while let Some(share) = take() {
                let worker = worker.get_or_insert_with(|| self.worker());
                let start = share * SHARE_KEYS;
                let end = (start + SHARE_KEYS).min(self.source.len());
                self.sweep_share(placements, start..end, worker);
                progress.advance(end - start);
            }
            worker.map(|worker| worker.tally)
        };
        let threads = (0..rayon::current_num_threads()).into_par_iter().with_max_len(1);
        let tallies = threads.filter_map(work);
        tallies.reduce_with(Tally::merge).unwrap_or_else(|| self.worker().tally)
    }

    fn sweep_share(&self, placements: &Placements<'_>, keys: Range<u64>, worker: &mut Worker) {
        for chunk in chunks(keys) {
            self.source.fill(chunk.clone(), &mut worker.chunk, self.reads);
            self.place(placements, worker);
            self.count(chunk, worker);
            if let Some(copying) = &placements.copying {
                self.count_copies(placements, copying, worker);
            }
        }
    }

    fn run_in_order(&self, progress: &dyn Progress) -> Tally {
        let mut ledgers: Vec<Box<dyn Ledger + '_>> = self
            .snapshots
            .iter()
            .map(|snapshot| {
                let Placer::Assignment(assignment) = &snapshot.placer else {
                    unreachable!("all snapshots are of one contender")
                };
                assignment.open(self.source.len()).expect("the replay opened it before")
            })
            .collect();
        let mut worker = self.worker();
        for range in chunks(0..self.source.len()) {
            let key_count = range.end - range.start;
            self.source.fill(range.clone(), &mut worker.chunk, self.reads);
            let Worker { chunk, salted, owners, .. } = &mut worker;
            for ((snapshot, ledger), row) in self.snapshots.iter().zip(&mut ledgers).zip(owners) {
                let keys = salted_keys(chunk, snapshot.seed, salted, self.reads);
                ledger.assign_many(keys, row);
            }
            self.count(range, &mut worker);
            progress.advance(key_count);
        }
        worker.tally
    }

    fn placements(&self) -> Option<Placements<'_>> {
        let mut known = BTreeMap::new();
        let mut placements =
            Placements { all: vec![], seeds: vec![], group: vec![], copying: None };
        for snapshot in self.snapshots {
            let placement = snapshot.placer.placement()?;
            placements.all.push(placement);
            let group = *known.entry(snapshot.seed).or_insert_with(|| {
                placements.seeds.push(snapshot.seed);
                placements.seeds.len() - 1
            });
            placements.group.push(group);
        }
        placements.copying = (self.copies.count > 1).then(|| self.copying());
        Some(placements)
    }

    fn copying(&self) -> Copying {
        let rosters: Vec<&Roster> =
            self.snapshots.iter().map(|snapshot| snapshot.placer.scheme().roster()).collect();
        let chooser = |roster: &&Roster| self.copies.chooser(roster).expect("the plan saw to it");
        let kinds = |roster: &&Roster| {
            let known = |is_known: fn(&Node) -> bool| roster.nodes().iter().any(is_known);
            [
                known(|node| node.zone.is_some()).then(|| DomainIndex::zones(roster)),
                known(|node| node.rack.is_some()).then(|| DomainIndex::racks(roster)),
            ]
        };
        let rises = |comparison: &Comparison| {
            let (before, after) = (rosters[comparison.before], rosters[comparison.after]);
            Targets::new(before, after, self.node_count).rises()
        };
        Copying {
            choosers: rosters.iter().map(chooser).collect(),
            kinds: rosters.iter().map(kinds).collect(),
            rises: self.comparisons.steps().iter().map(rises).collect(),
        }
    }

    fn worker(&self) -> Worker {
        let row = vec![NodeId(0); CHUNK_KEYS as usize];
        let (all, steps) = (self.comparisons.all().len(), self.comparisons.steps().len());
        let (copied, held) =
            if self.copies.count > 1 { (steps, self.snapshots.len()) } else { (0, 0) };
        Worker {
            tally: Tally::new(Shape {
                nodes: self.node_count,
                comparisons: all,
                copied,
                held,
                marks: self.marks.keys.len(),
                ranks: self.marks.ranks as usize,
            }),
            chunk: KeyChunk::default(),
            salted: Vec::new(),
            owners: vec![row; self.snapshots.len()],
            copies: Default::default(),
        }
    }

    /// The owners of a chunk under every snapshot, those of one hash seed together.
    fn place(&self, placements: &Placements<'_>, worker: &mut Worker) {
        let Worker { chunk, salted, owners, .. } = worker;
        let Placements { all, seeds, group, .. } = placements;
        let mut rows: Vec<Vec<&mut [NodeId]>> = Vec::new();
        rows.resize_with(seeds.len(), Vec::new);
        let mut grouped = vec![Vec::new(); seeds.len()];
        for ((row, placement), &group) in owners.iter_mut().zip(all).zip(group) {
            rows[group].push(&mut row[..chunk.hashes.len()]);
            grouped[group].push(*placement);
        }
        for ((seed, grouped), mut rows) in seeds.iter().zip(grouped).zip(rows) {
            let keys = salted_keys(chunk, *seed, salted, self.reads);
            let (first, later) = grouped.split_first().expect("a group has a snapshot");
            first.place_across(later, keys, &mut rows);
        }
    }

    /// Counts the owners of a chunk.
    fn count(&self, range: Range<u64>, worker: &mut Worker) {
        let Worker { tally, chunk, owners, .. } = worker;
        let row = |snapshot: usize| &owners[snapshot][..chunk.hashes.len()];
        let amounts = amounts(chunk);
        tally.count_first(row(0), amounts);
        for (index, comparison) in self.comparisons.all().iter().enumerate() {
            tally.count_moves(index, row(comparison.before), row(comparison.after), amounts);
        }
        if self.marks.keys.last().is_some_and(|last| range.start < *last) {
            self.count_fill(range, worker);
        }
    }

    /// Counts the ranks that take the keys of a chunk under the first snapshot, by mark.
    fn count_fill(&self, range: Range<u64>, worker: &mut Worker) {
        let Worker { tally, chunk, owners, .. } = worker;
        let seed = self.snapshots[0].seed;
        for ((key, owner), hash) in range.zip(&owners[0]).zip(&chunk.hashes) {
            let mark = self.marks.keys.partition_point(|mark| *mark <= key);
            if mark < self.marks.keys.len() {
                tally.fills.add(mark, *owner, self.marks.rank(seed.salt(*hash)));
            }
        }
    }

    /// Copies of a chunk under every snapshot, and before and after each step. The state after a
    /// step is mostly that before the next, so two rows are enough.
    fn count_copies(&self, placements: &Placements<'_>, copying: &Copying, worker: &mut Worker) {
        let Worker { tally, chunk, salted, copies, .. } = worker;
        let count = self.copies.count;
        copies.iter_mut().for_each(|row| row.snapshot = None);
        let mut counted = vec![false; self.snapshots.len()];
        let mut fill = |snapshot: usize, row: &mut CopyRow, tally: &mut Tally| {
            if row.snapshot == Some(snapshot) {
                return;
            }
            let keys = salted_keys(chunk, self.snapshots[snapshot].seed, salted, self.reads);
            row.nodes.resize(keys.hashes.len() * count, NodeId(0));
            let chooser = &copying.choosers[snapshot];
            chooser.choose_many(placements.all[snapshot], keys, &mut row.nodes);
            row.snapshot = Some(snapshot);
            if !std::mem::replace(&mut counted[snapshot], true) {
                let kinds = &copying.kinds[snapshot];
                tally.count_holdings(snapshot, count, &row.nodes, amounts(chunk), kinds);
            }
        };
        fill(0, &mut copies[1], tally);
        for (index, comparison) in self.comparisons.steps().iter().enumerate() {
            let [before, after] = copies;
            if after.snapshot == Some(comparison.before) {
                std::mem::swap(before, after);
            }
            fill(comparison.before, before, tally);
            fill(comparison.after, after, tally);
            let rows = [&before.nodes[..], &after.nodes[..]];
            tally.count_copies(index, count, rows, amounts(chunk), &copying.rises[index]);
        }
    }
}

/// A range of keys cut into chunks.
fn chunks(keys: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let end = keys.end;
    keys.step_by(CHUNK_KEYS as usize).map(move |start| start..(start + CHUNK_KEYS).min(end))
}

/// The keys of a chunk under a hash seed.
fn salted_keys<'a>(
    chunk: &'a KeyChunk,
    seed: HashSeed,
    salted: &'a mut Vec<KeyHash>,
    reads: KeyPart,
) -> Keys<'a> {
    salted.clear();
    salted.extend(chunk.hashes.iter().map(|&hash| seed.salt(hash)));
    Keys { hashes: salted, text: (reads == KeyPart::Bytes).then_some(&chunk.text) }
}

fn amounts(chunk: &KeyChunk) -> ChunkAmounts<'_> {
    ChunkAmounts {
        requests: chunk.weights(Measure::Requests),
        bytes: chunk.weights(Measure::Bytes),
    }
}
