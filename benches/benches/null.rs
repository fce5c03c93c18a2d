//! `null/…`: what chance gives a million nodes, and the verdict on their counts. Budgets: 100 ms
//! for `unit` with equal weights and with 1,000 different ones, 1 s with a million; 2 s for
//! `requests`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion};
use placelab_benches::criterion;
use placelab_core::mix::stream;
use placelab_metrics::null::{
    Inclusion, KeyWeights, UnitNull, WeightedNull, judge, weight_classes,
};

const KEYS: u64 = 1_000_000_000;
const NODES: u64 = 1_000_000;
const REQUEST_COUNTS: u64 = 10_000_000;

/// Weights of the nodes by how many of them are different.
fn fleets() -> [(&'static str, Vec<u64>); 3] {
    let thousand = (0..NODES).map(|node| 1_000 + node % 1_000).collect();
    let all = (0..NODES).map(|node| NODES + 9 * node).collect();
    [("equal", vec![1; NODES as usize]), ("1000-weights", thousand), ("million-weights", all)]
}

/// From the weights to every figure of the fleet.
fn unit(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("null/unit");
    for (name, weights) in fleets() {
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| UnitNull::new(KEYS, black_box(&weights)).chance());
        });
    }
    group.finish();
}

fn copies(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("null/copies");
    for (name, weights) in fleets() {
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| {
                let classes = weight_classes(black_box(&weights), 3);
                UnitNull::of_classes(KEYS, 3, &classes).chance()
            });
        });
    }
    group.finish();
}

/// Counts that scatter like an ideal hash's.
fn verdict(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("null/verdict");
    for (name, weights) in fleets() {
        let inclusion = Inclusion::new(&weights, 1);
        let count = |(node, &weight): (usize, &u64)| {
            let expected = KEYS as f64 * inclusion.chance(weight);
            let halves: u32 = stream(1, node as u64).count_ones();
            (expected + expected.sqrt() * (f64::from(halves) - 32.0) / 4.0) as u64
        };
        let counts: Vec<u64> = weights.iter().enumerate().map(count).collect();
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| judge(black_box(&counts), &weights, 1));
        });
    }
    group.finish();
}

/// From ten million request counts to every figure of the fleet.
fn requests(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("null/requests");
    let counts: Vec<u64> = (0..REQUEST_COUNTS)
        .map(|key| REQUEST_COUNTS / (1 + stream(1, key) % REQUEST_COUNTS))
        .collect();
    for nodes in [100, NODES as usize] {
        let weights = vec![1; nodes];
        group.bench_function(BenchmarkId::from_parameter(nodes), |bencher| {
            bencher.iter(|| {
                let keys = KeyWeights::from_keys(black_box(&counts).iter().copied());
                WeightedNull::new(&keys, &weights).chance()
            });
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = criterion();
    unit(&mut criterion);
    copies(&mut criterion);
    verdict(&mut criterion);
    requests(&mut criterion);
    criterion.final_summary();
}
