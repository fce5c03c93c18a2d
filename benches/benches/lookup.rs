//! `lookup/<algorithm>/<nodes>`: batches of distinct keys, hashed beforehand.

use criterion::{BenchmarkId, Criterion, Throughput};
use placelab_algorithms::REGISTRY;
use placelab_benches::{NODE_COUNTS, criterion, distinct_keys, numbered};
use placelab_core::{Key, KeyHash, Keys, NodeId, Placement};

/// Keys of one iteration: fewer where a lookup reads every node.
fn keys_for(nodes: u32) -> u64 {
    if nodes > 1_000 { 1 << 12 } else { 1 << 14 }
}

fn place_all(placement: &dyn Placement, keys: &[KeyHash], owners: &mut [NodeId]) {
    for (keys, owners) in keys.chunks(2_048).zip(owners.chunks_mut(2_048)) {
        placement.place_many(Keys::hashed(keys), owners);
    }
}

fn lookups(criterion: &mut Criterion) {
    for spec in REGISTRY {
        let mut group = criterion.benchmark_group(format!("lookup/{}", spec.name));
        for nodes in NODE_COUNTS {
            let Ok(placement) = numbered(spec, nodes) else { continue };
            let keys = distinct_keys(keys_for(nodes));
            let mut owners = vec![NodeId(u32::MAX); keys.len()];
            place_all(placement.as_ref(), &keys, &mut owners);
            let single = |key: &KeyHash| placement.place(Key::hashed(key.0));
            assert!(keys.iter().map(single).eq(owners.iter().copied()), "{}", spec.name);
            group.throughput(Throughput::Elements(keys.len() as u64));
            group.bench_function(BenchmarkId::from_parameter(nodes), |bencher| {
                bencher.iter(|| place_all(placement.as_ref(), &keys, &mut owners));
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
