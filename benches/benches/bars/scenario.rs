//! Bars of the simulator: both balances and the matrix of moves while one node joins.

use std::hint::black_box;

use placelab_algorithms::find;
use placelab_algorithms::simd::{self, Level};
use placelab_benches::sweeps::{Pair, moved, source};
use placelab_benches::versus::{Clock, Ratio, Runner, race};
use placelab_core::{HashSeed, Key, KeyPart, Keys, NodeId};
use placelab_sim::keys::{KeyChunk, KeySource};
use placelab_sim::sweep::CHUNK_KEYS;
use rayon::ThreadPool;

use crate::rows::{Bound, Laboratory};

/// Loads before and after, and the matrix: what the least program would count.
struct Counts {
    nodes: usize,
    before: Vec<u64>,
    after: Vec<u64>,
    moves: Vec<u64>,
}

impl Counts {
    fn new(nodes: usize) -> Self {
        let loads = vec![0; nodes];
        Counts { nodes, before: loads.clone(), after: loads, moves: vec![0; nodes * nodes] }
    }

    /// Every pair, whether it moved or not.
    fn add_pair(&mut self, before: NodeId, after: NodeId) {
        self.before[before.index()] += 1;
        self.after[after.index()] += 1;
        self.moves[before.index() * self.nodes + after.index()] += 1;
    }

    /// Pairs of a chunk; those that stay need no cell, and loads after follow from the others.
    fn add_moved(&mut self, before: &[NodeId], after: &[NodeId]) {
        for (before, after) in before.iter().zip(after) {
            self.before[before.index()] += 1;
            if before != after {
                self.moves[before.index() * self.nodes + after.index()] += 1;
            }
        }
    }

    fn sum(&self) -> u64 {
        self.moves.iter().chain(&self.after).sum::<u64>() + self.before[0]
    }
}

fn chunks(source: &KeySource, mut each: impl FnMut(&KeyChunk)) {
    let mut chunk = KeyChunk::default();
    for start in (0..source.len()).step_by(CHUNK_KEYS as usize) {
        let end = (start + CHUNK_KEYS).min(source.len());
        source.fill(start..end, &mut chunk, KeyPart::Hash);
        each(&chunk);
    }
}

/// Key by key: makes it, places it twice, counts the pair.
fn plain_loop(pair: &Pair, source: &KeySource) -> u64 {
    let [before, after] = pair.placements();
    let mut counts = Counts::new(pair.node_count());
    chunks(source, |chunk| {
        for &hash in &chunk.hashes {
            let key = Key { hash: HashSeed::PUBLISHED.salt(hash), bytes: &[] };
            counts.add_pair(before.place(key), after.place(key));
        }
    });
    counts.sum()
}

/// Batch by batch: the keys, both placements, the counting, and nothing else.
fn parts(pair: &Pair, source: &KeySource) -> u64 {
    let mut counts = Counts::new(pair.node_count());
    let mut owners = [(); 2].map(|()| vec![NodeId(0); CHUNK_KEYS as usize]);
    chunks(source, |chunk| {
        let count = chunk.hashes.len();
        for (placement, row) in pair.placements().into_iter().zip(&mut owners) {
            placement.place_many(Keys::hashed(&chunk.hashes), &mut row[..count]);
        }
        counts.add_moved(&owners[0][..count], &owners[1][..count]);
    });
    counts.sum()
}

fn pool(threads: usize) -> ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be had")
}

fn pair(name: &str, nodes: u32) -> Pair {
    Pair::new(find(name).expect("it is registered"), nodes)
}

fn keys(laboratory: &Laboratory, most: u64) -> KeySource {
    source(if laboratory.is_test() { CHUNK_KEYS + 1 } else { most })
}

/// The times of a sweep on some threads and of other work, with the best instructions.
fn sweep_against(
    laboratory: &Laboratory,
    threads: usize,
    pair: &Pair,
    source: &KeySource,
    other: impl FnMut() -> u64,
) -> Ratio {
    let best = Level::available().last().unwrap_or(Level::Portable);
    simd::force(best).expect("this machine has it");
    let pool = pool(threads);
    let sweep = Runner::new(1, |_| pool.install(|| moved(&pair.sweep(source))));
    let mut other = other;
    let other = Runner::new(1, move |_| other());
    let times = race(laboratory.effort, Clock::Process, vec![sweep, other]);
    times.ratio(0, 1)
}

pub(crate) fn against_loop(laboratory: &mut Laboratory) {
    let (pair, source) = (pair("jump", 100), keys(laboratory, 10_000_000));
    let ratio = sweep_against(laboratory, 1, &pair, &source, || plain_loop(&pair, &source));
    let case = "jump, N = 100 and 101, 10^7 keys, one thread".into();
    laboratory.record(case, Bound::AtMost(0.17), Ok(ratio));
}

pub(crate) fn against_parts(laboratory: &mut Laboratory) {
    let source = keys(laboratory, 1 << 21);
    for (name, most) in [("jump", 1.25), ("flip", 1.25), ("ring", 1.25), ("maglev", 1.5)] {
        let pair = pair(name, 100);
        let ratio = sweep_against(laboratory, 1, &pair, &source, || parts(&pair, &source));
        let case = format!("{name}, N = 100 and 101, one thread");
        laboratory.record(case, Bound::AtMost(most), Ok(ratio));
    }
}

pub(crate) fn on_all_cores(laboratory: &mut Laboratory) {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let source = keys(laboratory, 10_000_000);
    let one = pool(1);
    for nodes in [100, 1_000] {
        let pair = pair("jump", nodes);
        let alone = || one.install(|| moved(&pair.sweep(&source)));
        let ratio = sweep_against(laboratory, cores, &pair, &source, alone);
        let case = format!("jump, N = {nodes} and {}, {cores} threads", nodes + 1);
        laboratory.record(case, Bound::AtMost(1.15), Ok(ratio));
    }
}

pub(crate) fn rendezvous_grows(laboratory: &mut Laboratory) {
    for nodes in [100, 1_000] {
        let pair = pair("rendezvous", nodes);
        let [before, after] = pair.placements();
        let owners = || [(); 2].map(|()| vec![NodeId(0); CHUNK_KEYS as usize]);
        let (mut across, mut alone) = (owners(), owners());
        let batch = &laboratory.batch;
        let grown = Runner::new(laboratory.effort.keys, |count| {
            for hashes in batch.first(count).hashes.chunks(CHUNK_KEYS as usize) {
                let mut rows = across.each_mut().map(|row| &mut row[..hashes.len()]);
                before.place_across(&[after], Keys::hashed(hashes), &mut rows);
                black_box(&mut rows);
            }
            across[1][0].0.into()
        });
        let placed = Runner::new(laboratory.effort.keys, |count| {
            for hashes in batch.first(count).hashes.chunks(CHUNK_KEYS as usize) {
                before.place_many(Keys::hashed(hashes), &mut alone[0]);
                after.place_many(Keys::hashed(hashes), &mut alone[1]);
                black_box(&mut alone);
            }
            alone[1][0].0.into()
        });
        let times = race(laboratory.effort, Clock::Thread, vec![grown, placed]);
        let case = format!("rendezvous, from N = {nodes}");
        laboratory.record(case, Bound::AtMost(0.6), Ok(times.ratio(0, 1)));
    }
}
