//! `replicas/<algorithm>/<nodes>`: three copies of each key, each on a node of its own.

use criterion::{BenchmarkId, Criterion, Throughput};
use placelab_algorithms::REGISTRY;
use placelab_benches::{BATCH_KEYS, criterion, distinct_keys, node_counts, numbered};
use placelab_core::{CopyRule, NodeId, replicas};

const COPIES: usize = 3;

fn copies(criterion: &mut Criterion) {
    let batch = distinct_keys(1).remove(0);
    let mut chosen = vec![NodeId(u32::MAX); COPIES * BATCH_KEYS as usize];
    for spec in REGISTRY.iter() {
        let mut group = criterion.benchmark_group(format!("replicas/{}", spec.name));
        // With ten thousand nodes a contest takes a second for a batch.
        for nodes in node_counts(spec).filter(|&nodes| nodes <= 1_000) {
            let placement = numbered(spec, nodes).expect("it serves so many");
            let chooser = CopyRule::plain(COPIES).chooser(placement.roster());
            let chooser = chooser.expect("the fleet is large enough");
            chooser.choose_many(placement.as_ref(), batch.keys(), &mut chosen);
            for (key, copies) in chosen.chunks(COPIES).enumerate() {
                let alone = replicas(placement.as_ref(), batch.keys().get(key), COPIES);
                assert_eq!(alone.expect("the fleet is large enough"), copies);
            }
            group.throughput(Throughput::Elements(BATCH_KEYS));
            group.bench_function(BenchmarkId::from_parameter(nodes), |bencher| {
                bencher.iter(|| {
                    chooser.choose_many(placement.as_ref(), batch.keys(), &mut chosen);
                });
            });
        }
        group.finish();
    }
}

fn main() {
    let mut criterion = criterion();
    copies(&mut criterion);
    criterion.final_summary();
}
