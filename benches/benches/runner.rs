//! `runner/…`: what the simulator costs beside the placements that it makes.
//!
//! Prints the ratio of its budget: the sweep of modulo, jump, ring and maglev from 100 to 101
//! nodes over 10^7 keys on one thread, over a bare loop that makes the same keys, hashes them
//! and calls `place_many` on the same snapshots. At most 1.3 by thread time, as a ratio of sums.
//! Then the memory of a sweep over 10^8 keys against one over 10^6: at most 1.1.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use placelab_algorithms::find;
use placelab_benches::criterion;
use placelab_benches::sweeps::{Pair, moved, source};
use placelab_core::{KeyPart, Keys, NodeId};
use placelab_sim::keys::{KeyChunk, KeySource};
use placelab_sim::sweep::CHUNK_KEYS;
use placelab_timing::{peak_bytes, thread_cpu_ns};

const CONTENDERS: [&str; 4] = ["modulo", "jump", "ring", "maglev"];

fn sweep(pair: &Pair, source: &KeySource) -> u64 {
    moved(&pair.sweep(source))
}

fn bare(pair: &Pair, source: &KeySource) {
    let mut chunk = KeyChunk::default();
    let mut owners = vec![NodeId(0); CHUNK_KEYS as usize];
    for start in (0..source.len()).step_by(CHUNK_KEYS as usize) {
        let end = (start + CHUNK_KEYS).min(source.len());
        source.fill(start..end, &mut chunk, KeyPart::Hash);
        for placement in pair.placements() {
            placement.place_many(Keys::hashed(&chunk.hashes), &mut owners);
            black_box(&mut owners);
        }
    }
}

/// Sums over the contenders of the thread time of both, interleaved; the least of the rounds.
fn print_budget(pairs: &[Pair], keys: u64) {
    let source = source(keys);
    let timed = |work: &mut dyn FnMut()| {
        let start = thread_cpu_ns()?;
        work();
        Some((thread_cpu_ns()? - start) as f64)
    };
    let (mut runner, mut loops) = (0.0, 0.0);
    for pair in pairs {
        let (mut least_runner, mut least_loop) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..5 {
            let Some(spent) = timed(&mut || {
                black_box(sweep(pair, &source));
            }) else {
                return eprintln!("this system does not tell the time of a thread");
            };
            least_runner = least_runner.min(spent);
            least_loop = least_loop.min(timed(&mut || bare(pair, &source)).unwrap_or(spent));
        }
        eprintln!("{:>8}: {:.3} × a bare loop", pair.name, least_runner / least_loop);
        runner += least_runner;
        loops += least_loop;
    }
    eprintln!("   runner: {:.3} × a bare loop over {keys} keys (at most 1.3)", runner / loops);
}

/// The peak of the process over few keys and over many: what a sweep holds must not grow.
fn print_memory(pair: &Pair, keys: u64) {
    let peak_after = |keys| {
        // The system starts to look for a new peak.
        std::fs::write("/proc/self/clear_refs", "5").ok()?;
        black_box(sweep(pair, &source(keys)));
        peak_bytes()
    };
    if let (Some(few), Some(many)) = (peak_after(keys / 100), peak_after(keys)) {
        let ratio = many as f64 / few as f64;
        eprintln!("   memory: {ratio:.3} × over {keys} keys, against a hundredth (at most 1.1)");
    }
}

fn runner(criterion: &mut Criterion, pairs: &[Pair]) {
    let keys = 1 << 17;
    let source = source(keys);
    let mut group = criterion.benchmark_group("runner");
    group.throughput(Throughput::Elements(keys));
    for pair in pairs {
        group.bench_function(BenchmarkId::new("sweep", pair.name), |bencher| {
            bencher.iter(|| sweep(pair, &source));
        });
        group.bench_function(BenchmarkId::new("bare", pair.name), |bencher| {
            bencher.iter(|| bare(pair, &source));
        });
    }
    group.finish();
}

/// The budget as a bench of its own, so that a filter leaves it out; criterion calls it several
/// times, and once is enough. In a test of the benches there is nothing to time.
fn budget(criterion: &mut Criterion, pairs: &[Pair]) {
    let is_asked = |flag: &str| std::env::args().any(|argument| argument == flag);
    let mut is_due = is_asked("--bench") && !is_asked("--test");
    let source = source(1 << 14);
    criterion.bench_function("runner/budget", |bencher| {
        if std::mem::take(&mut is_due) {
            // One worker, and it is the thread whose time is taken.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            pool.expect("this thread exists").install(|| {
                print_budget(pairs, 10_000_000);
                print_memory(&pairs[0], 100_000_000);
            });
        }
        bencher.iter(|| sweep(&pairs[0], &source));
    });
}

fn main() {
    let mut criterion = criterion();
    let pair = |name: &&str| Pair::new(find(name).expect("it is registered"), 100);
    let pairs: Vec<Pair> = CONTENDERS.iter().map(pair).collect();
    runner(&mut criterion, &pairs);
    budget(&mut criterion, &pairs);
    criterion.final_summary();
}
