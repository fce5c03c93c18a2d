//! Sweep: every key placed by every snapshot, counted.
//!
//! Keys come in chunks of [`CHUNK_KEYS`], made once and placed by all snapshots while they are in
//! cache. Threads take shares of many chunks. Counts are integers and merging is exact, so any
//! cut of the keys over threads gives the same tally.

use std::collections::BTreeMap;
use std::ops::Range;

use placelab_core::{HashSeed, KeyHash, KeyPart, Keys, NodeId, replicate_many};
use placelab_metrics::tally::{ChunkAmounts, Tally};
use placelab_results::Measure;
use rayon::prelude::*;

use crate::keys::{KeyChunk, KeySource};
use crate::replay::{Comparisons, Snapshot};

/// Keys made and placed together: their hashes and owners fit the first cache.
pub const CHUNK_KEYS: u64 = 2_048;
/// Keys that a thread takes at a time.
const SHARE_KEYS: u64 = 32 * CHUNK_KEYS;

/// Learns how a run goes on; called from many threads.
pub trait Progress: Sync {
    /// So many keys will be swept, each once a contender and seed.
    fn begin(&self, keys: u64);
    /// So many more have been.
    fn advance(&self, keys: u64);
}

/// Nobody watches.
pub struct Unwatched;

impl Progress for Unwatched {
    fn begin(&self, _: u64) {}
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
    /// Copies of each key; every fleet has as many nodes.
    pub replicas: usize,
    /// Identities are below this.
    pub node_count: usize,
}

/// Which snapshots have their keys salted alike: all of them, unless a deploy changed the hash
/// seed.
struct Groups {
    seeds: Vec<HashSeed>,
    /// The group of each snapshot.
    of: Vec<usize>,
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
    /// Counts every key. Runs on the current thread pool.
    pub fn run(&self, progress: &dyn Progress) -> Tally {
        let groups = self.groups();
        let shares = self.source.len().div_ceil(SHARE_KEYS);
        let worked = (0..shares).into_par_iter().fold(
            || self.worker(),
            |mut worker, share| {
                let start = share * SHARE_KEYS;
                let end = (start + SHARE_KEYS).min(self.source.len());
                for chunk in (start..end).step_by(CHUNK_KEYS as usize) {
                    self.count_chunk(&groups, chunk..(chunk + CHUNK_KEYS).min(end), &mut worker);
                }
                progress.advance(end - start);
                worker
            },
        );
        let tallies = worked.map(|worker| worker.tally);
        tallies.reduce_with(Tally::merge).unwrap_or_else(|| self.worker().tally)
    }

    fn groups(&self) -> Groups {
        let mut known = BTreeMap::new();
        let mut groups = Groups { seeds: Vec::new(), of: Vec::new() };
        for snapshot in self.snapshots {
            let group = *known.entry(snapshot.seed).or_insert_with(|| {
                groups.seeds.push(snapshot.seed);
                groups.seeds.len() - 1
            });
            groups.of.push(group);
        }
        groups
    }

    fn worker(&self) -> Worker {
        let row = vec![NodeId(0); CHUNK_KEYS as usize];
        let (all, steps) = (self.comparisons.all().len(), self.comparisons.steps().len());
        let copied = if self.replicas > 1 { steps } else { 0 };
        Worker {
            tally: Tally::new(self.node_count, all, copied),
            chunk: KeyChunk::default(),
            salted: Vec::new(),
            owners: vec![row; self.snapshots.len()],
            copies: Default::default(),
        }
    }

    fn count_chunk(&self, groups: &Groups, range: Range<u64>, worker: &mut Worker) {
        let key_count = (range.end - range.start) as usize;
        self.source.fill(range, &mut worker.chunk, self.reads);
        self.place(groups, worker);
        let Worker { tally, chunk, owners, .. } = worker;
        let amounts = amounts(chunk);
        tally.count_first(&owners[0][..key_count], amounts);
        for (index, comparison) in self.comparisons.all().iter().enumerate() {
            let row = |snapshot: usize| &owners[snapshot][..key_count];
            tally.count_moves(index, row(comparison.before), row(comparison.after), amounts);
        }
        if self.replicas > 1 {
            self.count_copies(worker);
        }
    }

    /// The owners of a chunk under every snapshot, those of one hash seed together.
    fn place(&self, groups: &Groups, worker: &mut Worker) {
        let Worker { chunk, salted, owners, .. } = worker;
        let mut rows: Vec<Vec<&mut [NodeId]>> = Vec::new();
        rows.resize_with(groups.seeds.len(), Vec::new);
        let mut placements = vec![Vec::new(); groups.seeds.len()];
        for (snapshot, row) in owners.iter_mut().enumerate() {
            rows[groups.of[snapshot]].push(&mut row[..chunk.hashes.len()]);
            placements[groups.of[snapshot]].push(self.snapshots[snapshot].placement.as_ref());
        }
        for ((seed, placements), mut rows) in groups.seeds.iter().zip(placements).zip(rows) {
            let keys = salted_keys(chunk, *seed, salted, self.reads);
            let (first, later) = placements.split_first().expect("a group has a snapshot");
            first.place_across(later, keys, &mut rows);
        }
    }

    /// Copies of a chunk before and after each step. The state after a step is mostly that before
    /// the next, so two rows are enough.
    fn count_copies(&self, worker: &mut Worker) {
        let Worker { tally, chunk, salted, copies, .. } = worker;
        copies.iter_mut().for_each(|row| row.snapshot = None);
        let mut fill = |snapshot: usize, row: &mut CopyRow| {
            if row.snapshot == Some(snapshot) {
                return;
            }
            let Snapshot { seed, placement } = &self.snapshots[snapshot];
            let keys = salted_keys(chunk, *seed, salted, self.reads);
            row.nodes.resize(keys.hashes.len() * self.replicas, NodeId(0));
            replicate_many(placement.as_ref(), keys, self.replicas, &mut row.nodes);
            row.snapshot = Some(snapshot);
        };
        for (index, comparison) in self.comparisons.steps().iter().enumerate() {
            let [before, after] = copies;
            if after.snapshot == Some(comparison.before) {
                std::mem::swap(before, after);
            }
            fill(comparison.before, before);
            fill(comparison.after, after);
            let amounts = amounts(chunk);
            tally.count_copies(index, self.replicas, &before.nodes, &after.nodes, amounts);
        }
    }
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
