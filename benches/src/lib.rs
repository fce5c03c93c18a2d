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
