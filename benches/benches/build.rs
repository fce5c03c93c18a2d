//! `build/<algorithm>/<nodes>`: the placement of a first fleet, made from its roster.

use criterion::{BenchmarkId, Criterion};
use placelab_algorithms::REGISTRY;
use placelab_benches::{criterion, node_counts, numbered};

fn builds(criterion: &mut Criterion) {
    for spec in REGISTRY.iter() {
        let mut group = criterion.benchmark_group(format!("build/{}", spec.name));
        for nodes in node_counts(spec) {
            group.bench_function(BenchmarkId::from_parameter(nodes), |bencher| {
                bencher.iter_with_large_drop(|| numbered(spec, nodes).expect("it serves so many"));
            });
        }
        group.finish();
    }
}

fn main() {
    let mut criterion = criterion();
    builds(&mut criterion);
    criterion.final_summary();
}
