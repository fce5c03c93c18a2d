//! What the benches share: fleets, distinct keys, and a `main` that criterion can draw from.

use criterion::Criterion;
use placelab_core::mix::stream;
use placelab_core::{
    AlgorithmSpec, Arguments, HashSeed, KeyHash, Placement, PlacementError, Roster, establish,
};

/// Fleet sizes of the lookup benches.
pub const NODE_COUNTS: [u32; 4] = [10, 100, 1_000, 10_000];

/// Distinct hashed keys: one key again and again would teach the branch predictor its answer.
pub fn distinct_keys(count: u64) -> Vec<KeyHash> {
    (0..count).map(|index| KeyHash(stream(1, index))).collect()
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
