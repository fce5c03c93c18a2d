//! Every node competes for every key.

use std::hash::{BuildHasher, Hash};

use hrw_hash::{HrwNode, HrwNodes};
use placelab_benches::ours::Weights;
use rendezvous_hash::{Capacity, DefaultNodeHasher, IdNode, NodeHasher, WeightedNode};

use super::hashers::{FastBuild, SipBuild};
use super::{Group, Hashing, Lookup, Peer, SIP, by_hash, ids, its_own};

const REMARK: &str = "`hrw-hash` and `rendezvous_hash` sort all nodes before the first answer.";

fn peer(
    crate_name: &'static str,
    call: &'static str,
    hashing: Hashing,
    build: fn(u32) -> Lookup,
) -> Peer {
    its_own(crate_name, call, hashing, u32::MAX, build)
}

/// A node of `hrw-hash` with a weight.
#[derive(PartialEq, Eq, Hash)]
struct Heavy {
    id: u32,
    weight: u32,
}

impl HrwNode for Heavy {
    fn capacity(&self) -> usize {
        self.weight as usize
    }
}

fn hrw<S: BuildHasher + 'static>(
    nodes: u32,
    weights: Weights,
    make: fn(Vec<Heavy>) -> HrwNodes<Heavy, S>,
) -> Lookup {
    let node = |&id: &u32| Heavy { id, weight: weights.of(id) };
    let nodes = make(ids(nodes).iter().map(node).collect());
    by_hash(move |key| nodes.sorted(&key).next().expect("there are nodes").id)
}

fn fast_hrw(nodes: Vec<Heavy>) -> HrwNodes<Heavy, FastBuild> {
    HrwNodes::with_build_hasher(FastBuild::default(), nodes)
}

/// The fast hasher in the form of `rendezvous_hash`.
struct FastNodes;

impl<N: Hash> NodeHasher<N> for FastNodes {
    #[inline]
    fn hash<T: Hash>(&self, node: &N, item: &T) -> u64 {
        FastBuild::default().hash_one((item, node))
    }
}

fn ranked<H: NodeHasher<u32> + 'static>(nodes: u32, hasher: H) -> Lookup {
    let mut ranking = rendezvous_hash::RendezvousNodes::new(hasher);
    ids(nodes).iter().for_each(|&id| {
        ranking.insert(IdNode::new(id));
    });
    by_hash(move |key| **ranking.calc_candidates(&key).next().expect("there are nodes"))
}

fn ranked_by_weight<H: NodeHasher<u32> + 'static>(nodes: u32, hasher: H) -> Lookup {
    let mut ranking = rendezvous_hash::RendezvousNodes::new(hasher);
    ids(nodes).iter().for_each(|&id| {
        let capacity = Capacity::new(Weights::OneToFour.of(id).into()).expect("weights are finite");
        ranking.insert(WeightedNode::new(IdNode::new(id), capacity));
    });
    by_hash(move |key| *ranking.calc_candidates(&key).next().expect("there are nodes").node)
}

fn hash_rings<S: BuildHasher + Default + 'static>(nodes: u32) -> Lookup {
    let mut ring = hash_rings::rendezvous::Ring::with_hasher(S::default());
    ids(nodes).iter().for_each(|id| ring.insert_node(id, 1));
    by_hash(move |key| *ring.get_node(&key))
}

fn hash_rings_by_weight<S: BuildHasher + Default + 'static>(nodes: u32) -> Lookup {
    let mut ring = hash_rings::weighted_rendezvous::Ring::with_hasher(S::default());
    let weight = |id| f64::from(Weights::OneToFour.of(id));
    ids(nodes).iter().for_each(|id| ring.insert_node(id, weight(*id)));
    by_hash(move |key| *ring.get_node(&key))
}

fn hash_rings_carp<S: BuildHasher + Default + 'static>(nodes: u32) -> Lookup {
    let node = |id: &'static u32| hash_rings::carp::Node::new(id, 1.0);
    let nodes = ids(nodes).iter().map(node).collect();
    let ring = hash_rings::carp::Ring::with_hasher(S::default(), nodes);
    by_hash(move |key| *ring.get_node(&key))
}

pub(crate) fn rendezvous() -> Group {
    let rapid = Hashing::Shipped("rapidhash");
    let peers = vec![
        peer("hrw-hash", "sorted", rapid, |nodes| hrw(nodes, Weights::Equal, HrwNodes::new)),
        peer("hrw-hash", "sorted", Hashing::Fast, |nodes| hrw(nodes, Weights::Equal, fast_hrw)),
        peer("rendezvous_hash", "calc_candidates", SIP, |nodes| {
            ranked(nodes, DefaultNodeHasher::new())
        }),
        peer("rendezvous_hash", "calc_candidates", Hashing::Fast, |nodes| ranked(nodes, FastNodes)),
        peer("hash-rings", "rendezvous get_node", SIP, hash_rings::<SipBuild>),
        peer("hash-rings", "rendezvous get_node", Hashing::Fast, hash_rings::<FastBuild>),
    ];
    Group { ours: "rendezvous", weights: Weights::Equal, peers, remark: REMARK }
}

pub(crate) fn weighted() -> Group {
    let (weights, rapid) = (Weights::OneToFour, Hashing::Shipped("rapidhash"));
    let peers = vec![
        peer("hrw-hash", "sorted", rapid, |nodes| hrw(nodes, Weights::OneToFour, HrwNodes::new)),
        peer("hrw-hash", "sorted", Hashing::Fast, |nodes| hrw(nodes, Weights::OneToFour, fast_hrw)),
        peer("rendezvous_hash", "calc_candidates", SIP, |nodes| {
            ranked_by_weight(nodes, DefaultNodeHasher::new())
        }),
        peer("rendezvous_hash", "calc_candidates", Hashing::Fast, |nodes| {
            ranked_by_weight(nodes, FastNodes)
        }),
        peer("hash-rings", "weighted_rendezvous get_node", SIP, hash_rings_by_weight::<SipBuild>),
        peer("hash-rings", "weighted_rendezvous get_node", Hashing::Fast, |nodes| {
            hash_rings_by_weight::<FastBuild>(nodes)
        }),
    ];
    let remark = "Weights are 1, 2, 3, 4, 1, …; `hrw-hash` and `rendezvous_hash` sort all nodes \
                  before the first answer.";
    Group { ours: "weighted-rendezvous", weights, peers, remark }
}

pub(crate) fn carp() -> Group {
    let peers = vec![
        peer("hash-rings", "carp get_node", SIP, hash_rings_carp::<SipBuild>),
        peer("hash-rings", "carp get_node", Hashing::Fast, hash_rings_carp::<FastBuild>),
    ];
    Group { ours: "carp", weights: Weights::Equal, peers, remark: "" }
}
