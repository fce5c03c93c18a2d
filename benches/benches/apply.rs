//! `apply/<algorithm>/<nodes>`: one node joins a fleet of so many.

use criterion::{BenchmarkId, Criterion};
use placelab_algorithms::REGISTRY;
use placelab_benches::{criterion, node_counts, numbered};
use placelab_core::{Change, Roster, advance};

fn changes(criterion: &mut Criterion) {
    for spec in REGISTRY.iter() {
        let mut group = criterion.benchmark_group(format!("apply/{}", spec.name));
        for nodes in node_counts(spec) {
            let before = numbered(spec, nodes).expect("it serves so many");
            let join = [Change::Add(Roster::numbered_node(nodes))];
            if advance(spec, before.as_ref(), &join).is_err() {
                continue;
            }
            group.bench_function(BenchmarkId::from_parameter(nodes), |bencher| {
                bencher.iter_with_large_drop(|| {
                    advance(spec, before.as_ref(), &join).expect("it joined before")
                });
            });
        }
        group.finish();
    }
}

fn main() {
    let mut criterion = criterion();
    changes(&mut criterion);
    criterion.final_summary();
}
