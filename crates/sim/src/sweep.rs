//! Sweep: every key placed by every snapshot, counted.
//!
//! Keys come in chunks of [`CHUNK_KEYS`], made once and placed by all snapshots while they are in
//! cache. Threads take shares of many chunks. Counts are integers and merging is exact, so any
//! cut of the keys over threads gives the same tally.

use placelab_core::{HashSeed, KeyPart, Keys, NodeId, Placement};
use placelab_metrics::tally::{ChunkAmounts, Tally};
use placelab_results::Measure;
use rayon::prelude::*;

use crate::keys::{KeyChunk, KeySource};
use crate::replay::Comparison;

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
    /// The hash seed of this pass.
    pub seed: HashSeed,
    /// What the contender reads of a key.
    pub reads: KeyPart,
    /// Placements of one contender; at least one.
    pub snapshots: &'a [Box<dyn Placement>],
    /// Which of them to compare.
    pub comparisons: &'a [Comparison],
    /// Identities are below this.
    pub node_count: usize,
}

/// What one thread needs: reused from share to share.
struct Worker {
    tally: Tally,
    chunk: KeyChunk,
    /// A row of owners for each snapshot.
    owners: Vec<Vec<NodeId>>,
}

impl Sweep<'_> {
    /// Counts every key. Runs on the current thread pool.
    pub fn run(&self, progress: &dyn Progress) -> Tally {
        let shares = self.source.len().div_ceil(SHARE_KEYS);
        let worked = (0..shares).into_par_iter().fold(
            || self.worker(),
            |mut worker, share| {
                let start = share * SHARE_KEYS;
                let end = (start + SHARE_KEYS).min(self.source.len());
                for chunk in (start..end).step_by(CHUNK_KEYS as usize) {
                    self.count_chunk(chunk..(chunk + CHUNK_KEYS).min(end), &mut worker);
                }
                progress.advance(end - start);
                worker
            },
        );
        let tallies = worked.map(|worker| worker.tally);
        tallies.reduce_with(Tally::merge).unwrap_or_else(|| self.worker().tally)
    }

    fn worker(&self) -> Worker {
        let row = vec![NodeId(0); CHUNK_KEYS as usize];
        Worker {
            tally: Tally::new(self.node_count, self.comparisons.len()),
            chunk: KeyChunk::default(),
            owners: vec![row; self.snapshots.len()],
        }
    }

    fn count_chunk(&self, range: std::ops::Range<u64>, worker: &mut Worker) {
        let key_count = (range.end - range.start) as usize;
        let chunk = &mut worker.chunk;
        self.source.fill(range, chunk, self.reads);
        if self.seed != HashSeed::PUBLISHED {
            chunk.hashes.iter_mut().for_each(|hash| *hash = self.seed.salt(*hash));
        }
        let text = (self.reads == KeyPart::Bytes).then_some(&chunk.text);
        let keys = Keys { hashes: &chunk.hashes, text };
        let later: Vec<&dyn Placement> = self.snapshots[1..].iter().map(AsRef::as_ref).collect();
        let mut rows: Vec<&mut [NodeId]> =
            worker.owners.iter_mut().map(|row| &mut row[..key_count]).collect();
        self.snapshots[0].place_across(&later, keys, &mut rows);
        let amounts = ChunkAmounts {
            requests: chunk.weights(Measure::Requests),
            bytes: chunk.weights(Measure::Bytes),
        };
        worker.tally.count_first(rows[0], amounts);
        for (index, comparison) in self.comparisons.iter().enumerate() {
            let (before, after) = (&*rows[comparison.before], &*rows[comparison.after]);
            worker.tally.count_moves(index, before, after, amounts);
        }
    }
}
