//! What the benches share: fleets, distinct keys, a `main` that criterion can draw from, and races.

pub mod gate;
pub mod ours;
pub mod sweeps;
pub mod versus;

use criterion::Criterion;
use placelab_core::mix::stream;
use placelab_core::{
    AlgorithmSpec, Arguments, HashSeed, KeyHash, KeyText, Keys, Placement, PlacementError, Roster,
    establish,
};

/// Fleet sizes of the benches.
pub const NODE_COUNTS: [u32; 4] = [10, 100, 1_000, 10_000];
/// Parameters that say how many owners a table has, and so how many nodes at most.
const OWNERS: [&str; 2] = ["buckets", "shards"];
/// Keys of a batch, as the simulator cuts them.
pub const BATCH_KEYS: u64 = 2_048;

/// Some keys with both their parts.
pub struct Batch {
    hashes: Vec<KeyHash>,
    text: KeyText,
}

impl Batch {
    /// So many distinct keys, the first of which has this index.
    pub fn distinct(first: u64, count: u64) -> Self {
        let hashes =
            (first..first + count).map(|index| KeyHash(stream(1, index))).collect::<Vec<_>>();
        let mut text = KeyText::default();
        hashes.iter().for_each(|hash| text.push(format!("{:016x}", hash.0).as_bytes()));
        Batch { hashes, text }
    }

    /// The first so many keys.
    pub fn first(&self, count: usize) -> Keys<'_> {
        Keys { hashes: &self.hashes[..count], text: Some(&self.text) }
    }

    /// The keys as a scheme takes them.
    pub fn keys(&self) -> Keys<'_> {
        Keys { hashes: &self.hashes, text: Some(&self.text) }
    }
}

/// Batches of distinct hashed keys: one key again and again would teach the branch predictor its
/// answer.
pub fn distinct_keys(batches: u64) -> Vec<Batch> {
    (0..batches).map(|batch| Batch::distinct(batch * BATCH_KEYS, BATCH_KEYS)).collect()
}

/// The fleet sizes that an algorithm serves with its defaults, told without making a placement: a
/// short bench of one of them would else take longest to make the others.
pub fn node_counts(spec: &AlgorithmSpec) -> impl Iterator<Item = u32> {
    let owners = spec.parameters.iter().find(|parameter| OWNERS.contains(&parameter.name));
    let owners = owners.and_then(|parameter| parameter.default?.parse::<u32>().ok());
    let most = match spec.is_load_aware() {
        // Its answers are no function of a key.
        true => 0,
        false => owners.unwrap_or(u32::MAX),
    };
    NODE_COUNTS.into_iter().filter(move |&nodes| nodes <= most)
}

/// An algorithm with its defaults over `node-0` … of weight 1.
///
/// # Errors
/// What the algorithm says of so many nodes.
pub fn numbered(
    spec: &'static AlgorithmSpec,
    nodes: u32,
) -> Result<Box<dyn Placement>, PlacementError> {
    let roster = Roster::numbered(nodes)?;
    establish(spec, &Arguments::defaults(spec), HashSeed::PUBLISHED, roster)
}

/// Criterion as the command line asks for. Its charts use the embedded font: without it a
/// machine that has no fonts could not draw them.
pub fn criterion() -> Criterion {
    placelab_report::register_font();
    Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1))
        .configure_from_args()
}

#[cfg(test)]
mod tests {
    use placelab_algorithms::REGISTRY;

    use super::*;

    #[test]
    fn sizes_are_those_that_are_served() {
        for spec in REGISTRY.iter() {
            let served = NODE_COUNTS.into_iter().filter(|&nodes| numbered(spec, nodes).is_ok());
            assert!(node_counts(spec).eq(served), "{}", spec.name);
        }
    }
}
