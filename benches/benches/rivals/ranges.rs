//! Functions from a hash and a count to a bucket.

use std::hash::{DefaultHasher, Hash, Hasher};

use consistent_choose_k::ConsistentHasher;
use placelab_benches::ours::Weights;
use placelab_core::mix::{GOLDEN, mix};

use super::hashers::{Fast, Identity, IdentityBuild, SipBuild};
use super::{Answers, Group, Hashing, Lookup, Peer, SIP, by_hash, by_text};

fn peer(
    crate_name: &'static str,
    call: &'static str,
    hashing: Hashing,
    build: fn(u32) -> Lookup,
) -> Peer {
    let answers = match hashing {
        Hashing::Shipped(_) => Answers::ItsOwn,
        Hashing::None | Hashing::Fast => Answers::Ours,
    };
    Peer { crate_name, call, hashing, answers, nodes_max: u32::MAX, build }
}

fn group(ours: &'static str, peers: Vec<Peer>) -> Group {
    Group { ours, weights: Weights::Equal, peers, remark: "" }
}

pub(crate) fn jump() -> Group {
    group(
        "jump",
        vec![
            peer("jch", "hash", Hashing::None, |nodes| {
                by_hash(move |key| jch::hash(key, nodes as i32) as u32)
            }),
            peer("jump-consistent-hash", "hash", Hashing::None, |nodes| {
                by_hash(move |key| jump_consistent_hash::hash(key, nodes as usize))
            }),
            peer("jumpconsistenthash", "jump_hash_from_u64", Hashing::None, |nodes| {
                by_hash(move |key| jumpconsistenthash::jump_hash_from_u64(key, nodes))
            }),
            peer("jumpconsistenthash", "jump_hash_from_str", SIP, |nodes| {
                by_text(move |text| {
                    let text = std::str::from_utf8(text).expect("hex digits");
                    jumpconsistenthash::jump_hash_from_str(text, nodes)
                })
            }),
            peer("jmphash", "jump_hash", Hashing::None, |nodes| {
                by_hash(move |key| jmphash::jump_hash(key, nodes.into()) as u32)
            }),
            peer("jumpch", "hash", Hashing::None, |nodes| {
                by_hash(move |key| jumpch::hash(key, nodes))
            }),
            peer("jumphash", "slot", SIP, |nodes| {
                let hasher = jumphash::JumpHasher::new_with_keys(0, 0);
                by_hash(move |key| hasher.slot(&key, nodes))
            }),
            peer("jumphash", "slot", Hashing::Fast, |nodes| {
                let hasher = jumphash::CustomJumpHasher::new(Identity::default());
                by_hash(move |key| hasher.slot(&key, nodes))
            }),
            peer("hash-rings", "jump get_node", SIP, |nodes| {
                let ring = hash_rings::jump::Ring::with_hasher(SipBuild::default(), nodes);
                by_hash(move |key| ring.get_node(&key))
            }),
            peer("hash-rings", "jump get_node", Hashing::Fast, |nodes| {
                let ring = hash_rings::jump::Ring::with_hasher(IdentityBuild::default(), nodes);
                by_hash(move |key| ring.get_node(&key))
            }),
        ],
    )
}

pub(crate) fn flip() -> Group {
    let build = |nodes: u32| {
        let last = u64::from(nodes) - 1;
        by_hash(move |key| fliphash::fliphash_64(key, ..=last) as u32)
    };
    group("flip", vec![peer("fliphash", "fliphash_64", Hashing::None, build)])
}

/// SplitMix64, as this project's `jump-back` draws.
struct SplitMix64(u64);

impl rand_core::RngCore for SplitMix64 {
    fn next_u32(&mut self) -> u32 {
        self.next_u64() as u32
    }

    #[inline]
    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next_u64().to_le_bytes()[..chunk.len()]);
        }
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand_core::Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

pub(crate) fn jump_back() -> Group {
    let build =
        |nodes: u32| by_hash(move |key| jump_back_hash::bucket(&mut SplitMix64(key), nodes));
    group("jump-back", vec![peer("jump-back-hash", "bucket", Hashing::None, build)])
}

/// The largest of a key's ranking below the count, with a hasher that has read the key.
fn previous<H: Hasher + Clone + Default + 'static>(nodes: u32) -> Lookup {
    by_hash(move |key| {
        let mut hasher = H::default();
        key.hash(&mut hasher);
        ConsistentHasher::new(hasher).into_prev(nodes as usize).expect("there are nodes") as u32
    })
}

pub(crate) fn choose_k() -> Group {
    let peer = |hashing, build| Peer {
        answers: Answers::ItsOwn,
        ..peer("consistent-choose-k", "into_prev", hashing, build)
    };
    group(
        "choose-k",
        vec![
            peer(Hashing::Shipped("SipHash 1-3"), previous::<DefaultHasher>),
            peer(Hashing::Fast, previous::<Fast>),
        ],
    )
}
