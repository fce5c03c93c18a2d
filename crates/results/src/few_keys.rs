//! The finite-key floor: what no hash gets below where keys are few.

use serde::{Deserialize, Serialize};

use crate::schema::Chance;

/// From so many keys a node on, chance no longer leaves nodes idle, and keys are not called few.
pub const KEYS_A_NODE_MIN: u64 = 30;

/// The floor of the fleet with the fewest keys a node, and of equal nodes of any number.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FewKeys {
    /// Index of the timeline in which a fleet has the fewest keys a node, the first such.
    pub timeline: usize,
    /// Index of its step.
    pub step: usize,
    /// Nodes of positive weight after that step.
    pub nodes: u32,
    /// Keys that they share.
    pub keys: u64,
    /// Nodes without a key that an ideal hash leaves on average.
    pub idle: f64,
    /// Probability that an ideal hash leaves such a node.
    pub idle_probability: f64,
    /// Largest load of an ideal hash over the fair one.
    pub max_over_mean: Chance,
    /// Smallest load of an ideal hash over the fair one.
    pub min_over_mean: Chance,
    /// The same in keys; none where weights are unequal.
    pub max_keys: Option<Chance>,
    /// The same in keys; none where weights are unequal.
    pub min_keys: Option<Chance>,
    /// Least possible largest load over the fair one with whole keys: what a table reaches.
    pub table_max_over_mean: f64,
    /// Least possible largest load in keys; none where weights are unequal.
    pub table_max_keys: Option<u64>,
    /// Of each step of each timeline, how many nodes share the keys where these have equal weights:
    /// where the fleet stands on the curve.
    pub on_curve: Vec<Vec<Option<u32>>>,
    /// The same keys over equal nodes, by rising number up to twice the nodes of that step.
    pub curve: Vec<Quantum>,
}

/// The keys of a run over so many equal nodes.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantum {
    /// How many nodes.
    pub nodes: u32,
    /// Largest load of an ideal hash over the mean.
    pub max_over_mean: Chance,
    /// Least possible largest load over the mean, as [`table_floor`] gives it.
    pub table: f64,
}

/// Least possible largest load over the mean of equal nodes where keys are whole:
/// ⌈K ÷ N⌉ ÷ (K ÷ N); 0 without keys or nodes.
///
/// ```
/// use placelab_results::table_floor;
/// // 1,024 shards on 120 nodes: somebody has nine, of a mean of 8.53.
/// assert_eq!(table_floor(1_024, 120), 9.0 * 120.0 / 1_024.0);
/// ```
pub fn table_floor(keys: u64, nodes: u64) -> f64 {
    if keys == 0 || nodes == 0 {
        return 0.0;
    }
    keys.div_ceil(nodes) as f64 * nodes as f64 / keys as f64
}
