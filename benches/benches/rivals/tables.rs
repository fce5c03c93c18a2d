//! Tables: Maglev's, and the buckets of AnchorHash.

use std::hash::BuildHasher;

use maglev::ConsistentHasher;
use placelab_benches::ours::Weights;

use super::hashers::{FastBuild, SipBuild};
use super::{Group, Hashing, Lookup, SIP, by_hash, ids, its_own};

/// Entries of a table of Maglev.
pub(crate) const ENTRIES: u32 = 65_537;

/// The table of `maglev`.
pub(crate) fn maglev_of<S: BuildHasher + Default>(nodes: u32) -> maglev::Maglev<u32, S> {
    let all = ids(nodes).iter().copied();
    maglev::Maglev::with_capacity_and_hasher(all, ENTRIES as usize, S::default())
}

fn maglev_lookup<S: BuildHasher + Default + 'static>(nodes: u32) -> Lookup {
    let table = maglev_of::<S>(nodes);
    by_hash(move |key| *table.get(&key).expect("there are nodes"))
}

pub(crate) fn maglev() -> Group {
    Group {
        ours: "maglev",
        weights: Weights::Equal,
        peers: vec![
            its_own("maglev", "get", SIP, 100, maglev_lookup::<SipBuild>),
            its_own("maglev", "get", Hashing::Fast, 100, maglev_lookup::<FastBuild>),
            its_own("maglev-hash", "get", SIP, u32::MAX, |nodes| {
                let all = ids(nodes).to_vec();
                let table = maglev_hash::MaglevTable::with_capacity(all, ENTRIES as usize);
                by_hash(move |key| *table.get(&key).expect("there are nodes"))
            }),
            its_own(
                "hash-rings",
                "maglev get_node",
                Hashing::Shipped("SipHash 2-4"),
                100,
                |nodes| {
                    let all = ids(nodes).iter().collect();
                    let table = hash_rings::maglev::Ring::with_capacity_hint(all, ENTRIES as usize);
                    by_hash(move |key| *table.get_node(&key))
                },
            ),
        ],
        remark: "`maglev` and `hash-rings` hold all permutations while they build, 0.5 GB for \
                 1,000 nodes: left out there.",
    }
}

pub(crate) fn anchor() -> Group {
    Group {
        ours: "anchor:capacity={nodes}",
        weights: Weights::Equal,
        peers: vec![
            its_own("anchorhash", "get_resource", SIP, 10_000, |nodes| {
                anchor_lookup::<SipBuild>(nodes, &[])
            }),
            its_own("anchorhash", "get_resource", Hashing::Fast, 10_000, |nodes| {
                anchor_lookup::<FastBuild>(nodes, &[])
            }),
        ],
        remark: "As many buckets as nodes, and none removed.",
    }
}

/// A capacity of which some buckets have been removed, one after the other.
pub(crate) fn anchor_lookup<S: BuildHasher + Default + 'static>(
    capacity: u32,
    removed: &[u32],
) -> Lookup {
    let builder = anchorhash::Builder::with_hasher(S::default());
    let size = u16::try_from(capacity).expect("the crate counts buckets in 16 bits");
    let mut anchor = builder.with_resources(ids(capacity).iter().copied()).build::<u64>(size);
    removed.iter().for_each(|gone| anchor.remove_resource(gone).expect("it is there"));
    by_hash(move |key| *anchor.get_resource(key).expect("there are nodes"))
}
