//! Points on a circle.

use std::hash::{BuildHasher, Hash};
use std::net::{Ipv4Addr, SocketAddr};

use consistent_hash::RingHash;
use placelab_benches::ours::Weights;

use super::hashers::{FastBuild, SipBuild};
use super::{Group, Hashing, Lookup, SIP, by_hash, by_text, ids, its_own};

/// Points of a node.
pub(crate) const POINTS: u32 = 160;
/// Probes of a lookup.
const PROBES: u64 = 21;

/// One point of a node, as `hashring` wants them.
#[derive(Clone, Hash)]
pub(crate) struct PointOf {
    node: u32,
    point: u32,
}

/// All points of some nodes.
pub(crate) fn points(nodes: std::ops::Range<u32>) -> Vec<PointOf> {
    nodes.flat_map(|node| (0..POINTS).map(move |point| PointOf { node, point })).collect()
}

/// The ring of `hashring` with the fast hasher.
pub(crate) fn fast_hashring(nodes: u32) -> hashring::HashRing<PointOf, FastBuild> {
    let mut ring = hashring::HashRing::with_hasher(FastBuild::default());
    ring.batch_add(points(0..nodes));
    ring
}

/// The owner of one key in it.
pub(crate) fn owner(ring: &hashring::HashRing<PointOf, FastBuild>, key: u64) -> u32 {
    ring.get(&key).expect("there are nodes").node
}

fn shipped_hashring(nodes: u32) -> Lookup {
    let mut ring = hashring::HashRing::new();
    ring.batch_add(points(0..nodes));
    by_hash(move |key| ring.get(&key).expect("there are nodes").node)
}

fn hash_ring<S: BuildHasher + 'static>(ring: hash_ring::HashRing<u32, S>) -> Lookup {
    by_text(move |text| {
        let text = String::from_utf8(text.to_vec()).expect("hex digits");
        *ring.get_node(text).expect("there are nodes")
    })
}

/// The fast hasher in the form of `consistent_hash`.
struct FastItems;

impl RingHash for FastItems {
    #[inline]
    fn hash_item<T: Hash>(&self, item: &T) -> u64 {
        FastBuild::default().hash_one(item)
    }
}

fn consistent_hash<H: RingHash + 'static>(nodes: u32, hash: H) -> Lookup {
    let node = |&id: &u32| consistent_hash::Node::new(id).quantity(POINTS as usize);
    let ring = consistent_hash::StaticHashRing::new(hash, ids(nodes).iter().map(node));
    by_hash(move |key| ring.calc_candidates(&key).next().expect("there are nodes").key)
}

#[derive(Clone)]
struct Named(u32);

impl conhash::Node for Named {
    fn name(&self) -> String {
        format!("node-{}", self.0)
    }
}

fn fast_bytes(bytes: &[u8]) -> Vec<u8> {
    FastBuild::default().hash_one(bytes).to_be_bytes().to_vec()
}

fn conhash(mut ring: conhash::ConsistentHash<Named>, nodes: u32) -> Lookup {
    ids(nodes).iter().for_each(|&id| ring.add(&Named(id), POINTS as usize));
    by_text(move |text| ring.get(text).expect("there are nodes").0)
}

fn consistent_hash_ring<S: BuildHasher + 'static>(
    builder: consistent_hash_ring::RingBuilder<u32, S>,
    nodes: u32,
) -> Lookup {
    let ring = builder.vnodes(POINTS as usize).nodes_iter(ids(nodes).iter().copied()).build();
    by_hash(move |key| *ring.get(key))
}

fn ketama(nodes: u32) -> Lookup {
    let address = |&id: &u32| SocketAddr::from((Ipv4Addr::from(0x0a00_0000 + id), 80));
    let buckets: Vec<_> =
        ids(nodes).iter().map(|id| pingora_ketama::Bucket::new(address(id), 1)).collect();
    let ring = pingora_ketama::Continuum::new(&buckets);
    by_text(move |text| ring.node_idx(text) as u32)
}

fn hash_rings<S: BuildHasher + Default + 'static>(nodes: u32) -> Lookup {
    let mut ring = hash_rings::consistent::Ring::with_hasher(S::default());
    ids(nodes).iter().for_each(|id| ring.insert_node(id, POINTS as usize));
    by_hash(move |key| *ring.get_node(&key))
}

pub(crate) fn ring() -> Group {
    Group {
        ours: "ring",
        weights: Weights::Equal,
        peers: vec![
            its_own("hashring", "get", Hashing::Shipped("SipHash 2-4"), u32::MAX, shipped_hashring),
            its_own("hashring", "get", Hashing::Fast, u32::MAX, |nodes| {
                let ring = fast_hashring(nodes);
                by_hash(move |key| owner(&ring, key))
            }),
            its_own("hash_ring", "get_node", Hashing::Shipped("XXH64"), 100, |nodes| {
                hash_ring(hash_ring::HashRing::new(ids(nodes).to_vec(), POINTS as isize))
            }),
            its_own("hash_ring", "get_node", Hashing::Fast, 100, |nodes| {
                let (all, hasher) = (ids(nodes).to_vec(), FastBuild::default());
                hash_ring(hash_ring::HashRing::with_hasher(all, POINTS as isize, hasher))
            }),
            its_own("consistent_hash", "calc_candidates", SIP, u32::MAX, |nodes| {
                consistent_hash(nodes, consistent_hash::DefaultHash)
            }),
            its_own("consistent_hash", "calc_candidates", Hashing::Fast, u32::MAX, |nodes| {
                consistent_hash(nodes, FastItems)
            }),
            its_own("conhash", "get", Hashing::Shipped("MD5"), 1_000, |nodes| {
                conhash(conhash::ConsistentHash::new(), nodes)
            }),
            its_own("conhash", "get", Hashing::Fast, 1_000, |nodes| {
                conhash(conhash::ConsistentHash::with_hash(fast_bytes), nodes)
            }),
            its_own("consistent_hash_ring", "get", Hashing::Shipped("FNV-1a"), 1_000, |nodes| {
                consistent_hash_ring(consistent_hash_ring::RingBuilder::default(), nodes)
            }),
            its_own("consistent_hash_ring", "get", Hashing::Fast, 1_000, |nodes| {
                let hasher = FastBuild::default();
                consistent_hash_ring(consistent_hash_ring::RingBuilder::new(hasher), nodes)
            }),
            its_own("pingora-ketama", "node_idx", Hashing::Shipped("CRC-32"), u32::MAX, ketama),
            its_own("hash-rings", "consistent get_node", SIP, u32::MAX, hash_rings::<SipBuild>),
            its_own("hash-rings", "consistent get_node", Hashing::Fast, u32::MAX, |nodes| {
                hash_rings::<FastBuild>(nodes)
            }),
        ],
        remark: "`hash_ring` copies the list of all its points in every lookup and sorts them at \
                 every node; `consistent_hash_ring` moves its points at every insertion, \
                 `conhash` allocates two vectors and a name for each: left out where a build \
                 takes more than a few seconds.",
    }
}

/// Multi-probe rings have one point a node and 21 probes a lookup.
pub(crate) fn multi_probe() -> Group {
    Group {
        ours: "multi-probe",
        weights: Weights::Equal,
        peers: vec![
            its_own("hash-rings", "mpc get_node", SIP, u32::MAX, multi_probe_of::<SipBuild>),
            its_own("hash-rings", "mpc get_node", Hashing::Fast, u32::MAX, |nodes| {
                multi_probe_of::<FastBuild>(nodes)
            }),
            its_own("mpchash", "node", Hashing::Shipped("XXH3"), u32::MAX, |nodes| {
                let ring = mpchash::HashRing::new();
                ids(nodes).iter().for_each(|&id| ring.add(id));
                by_hash(move |key| *ring.node(&key).expect("there are nodes"))
            }),
        ],
        remark: "`hash-rings` hashes probes with SipHash 2-4, whatever hasher it is given; that \
                 places its nodes.",
    }
}

fn multi_probe_of<S: BuildHasher + Default + 'static>(nodes: u32) -> Lookup {
    let mut ring = hash_rings::mpc::Ring::with_hasher(S::default(), PROBES);
    ids(nodes).iter().for_each(|id| ring.insert_node(id));
    by_hash(move |key| *ring.get_node(&key))
}
