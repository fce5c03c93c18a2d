//! `lookup/<algorithm>/<nodes>`: batches of distinct keys, hashed beforehand.

use criterion::{BenchmarkId, Criterion, Throughput};
use placelab_algorithms::REGISTRY;
use placelab_benches::{BATCH_KEYS, Batch, criterion, distinct_keys, node_counts, numbered};
use placelab_core::{AlgorithmSpec, NodeId, Placement};

/// Batches of one iteration: fewer where a lookup reads every node.
fn batches_for(nodes: u32) -> u64 {
    if nodes > 1_000 { 1 } else { 8 }
}

fn place_all(placement: &dyn Placement, batches: &[Batch], owners: &mut [NodeId]) {
    for (batch, owners) in batches.iter().zip(owners.chunks_mut(BATCH_KEYS as usize)) {
        placement.place_many(batch.keys(), owners);
    }
}

/// Whether a batch gives what single lookups give, before it is timed.
fn check(placement: &dyn Placement, batches: &[Batch], owners: &[NodeId]) {
    for (batch, owners) in batches.iter().zip(owners.chunks(BATCH_KEYS as usize)) {
        for (key, &owner) in owners.iter().enumerate() {
            assert_eq!(placement.place(batch.keys().get(key)), owner);
        }
    }
}

/// A placement, keys, and room for their owners, after a check; only of what is timed, for all
/// together take longer than a short bench.
fn prepare(
    spec: &'static AlgorithmSpec,
    nodes: u32,
) -> (Box<dyn Placement>, Vec<Batch>, Vec<NodeId>) {
    let placement = numbered(spec, nodes).expect("it serves so many");
    let batches = distinct_keys(batches_for(nodes));
    let mut owners = vec![NodeId(u32::MAX); batches.len() * BATCH_KEYS as usize];
    place_all(placement.as_ref(), &batches, &mut owners);
    check(placement.as_ref(), &batches, &owners);
    (placement, batches, owners)
}

fn lookups(criterion: &mut Criterion) {
    for spec in REGISTRY.iter() {
        let mut group = criterion.benchmark_group(format!("lookup/{}", spec.name));
        for nodes in node_counts(spec) {
            let keys = batches_for(nodes) * BATCH_KEYS;
            let mut ready = None;
            group.throughput(Throughput::Elements(keys));
            group.bench_function(BenchmarkId::from_parameter(nodes), |bencher| {
                let (placement, batches, owners) =
                    ready.get_or_insert_with(|| prepare(spec, nodes));
                bencher.iter(|| place_all(placement.as_ref(), batches, owners));
            });
        }
        group.finish();
    }
}

fn main() {
    let mut criterion = criterion();
    lookups(&mut criterion);
    criterion.final_summary();
}
