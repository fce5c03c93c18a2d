//! Crates that place keys, each asked through its public API, grouped by the algorithm of this
//! project that they are timed beside.
//!
//! A crate that hashes keys itself is timed as shipped and, where its API takes a hasher, with a
//! [`hashers::Fast`] one: the cost of its structure alone. Nodes are the numbers from 0, points of
//! rings are 160 a node, tables have 65,537 entries.

mod contests;
pub(crate) mod hashers;
mod ranges;
pub(crate) mod rings;
pub(crate) mod tables;

use placelab_benches::ours::Weights;
use placelab_core::Keys;

/// The sum of the owners of keys.
pub(crate) type Lookup = Box<dyn FnMut(Keys<'_>) -> u64>;

/// One call of a crate.
pub(crate) struct Peer {
    /// The crate, as the manifest has it.
    pub crate_name: &'static str,
    /// What is called, and with which keys where these are no 64-bit hashes.
    pub call: &'static str,
    pub hashing: Hashing,
    pub answers: Answers,
    /// Largest fleet that is tried.
    pub nodes_max: u32,
    pub build: fn(u32) -> Lookup,
}

/// What is done to a key before it is placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Hashing {
    /// Nothing: the call takes a hash.
    None,
    /// What the crate does by itself.
    Shipped(&'static str),
    /// Two multiplications, or nothing where the peer mixes the hash further itself.
    Fast,
}

impl Hashing {
    /// In tables.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Hashing::None => "takes a hash",
            Hashing::Shipped(name) => name,
            Hashing::Fast => "fast hasher",
        }
    }
}

/// The hash of the standard library.
const SIP: Hashing = Hashing::Shipped("SipHash 1-3");

/// Which function of the key a call claims to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answers {
    /// That of this project, so that answers can be compared.
    Ours,
    /// One of its own.
    ItsOwn,
}

/// A call whose answers are its own.
fn its_own(
    crate_name: &'static str,
    call: &'static str,
    hashing: Hashing,
    nodes_max: u32,
    build: fn(u32) -> Lookup,
) -> Peer {
    Peer { crate_name, call, hashing, answers: Answers::ItsOwn, nodes_max, build }
}

/// Peers of one algorithm.
pub(crate) struct Group {
    /// The algorithm, as it is asked for.
    pub ours: &'static str,
    pub weights: Weights,
    pub peers: Vec<Peer>,
    /// Why some fleets are too large for some peers.
    pub remark: &'static str,
}

impl Group {
    /// The text by which ours is asked for at a size.
    pub(crate) fn text(&self, nodes: u32) -> String {
        self.ours.replace("{nodes}", &nodes.to_string())
    }
}

/// Every group.
pub(crate) fn groups() -> Vec<Group> {
    let ranges = [ranges::jump(), ranges::flip(), ranges::jump_back(), ranges::choose_k()];
    let tables = [tables::maglev(), tables::anchor()];
    let rings = [rings::ring(), rings::multi_probe()];
    let contests = [contests::rendezvous(), contests::weighted(), contests::carp()];
    ranges.into_iter().chain(tables).chain(rings).chain(contests).collect()
}

/// A lookup from a function of the hash.
fn by_hash(mut owner: impl FnMut(u64) -> u32 + 'static) -> Lookup {
    Box::new(move |keys| keys.hashes.iter().map(|hash| u64::from(owner(hash.0))).sum())
}

/// A lookup from a function of the text: the 16 hex digits of the hash.
fn by_text(mut owner: impl FnMut(&[u8]) -> u32 + 'static) -> Lookup {
    Box::new(move |keys| {
        let owners = (0..keys.hashes.len()).map(|key| u64::from(owner(keys.get(key).bytes)));
        owners.sum()
    })
}

/// Nodes for crates that borrow theirs.
static IDS: [u32; 10_001] = {
    let mut ids = [0; 10_001];
    let mut at = 0;
    while at < ids.len() {
        ids[at] = at as u32;
        at += 1;
    }
    ids
};

fn ids(nodes: u32) -> &'static [u32] {
    &IDS[..nodes as usize]
}
