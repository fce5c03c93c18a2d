//! `timings.json`: how fast the contenders were on one machine.

use serde::{Deserialize, Serialize};

/// Version of the layout of `timings.json`.
pub const SCHEMA: u32 = 1;

/// Times of one run on one machine; never compared with another machine's.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timings {
    /// Version of the layout.
    pub schema: u32,
    /// Where the times were taken.
    pub machine: Machine,
    /// Lookups by contender and number of nodes.
    pub lookups: Vec<LookupTime>,
    /// Builds and changes by contender, for the scenario's own fleet.
    pub updates: Vec<UpdateTime>,
}

/// What a time depends on beside the code.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Model of the processor.
    pub cpu: String,
    /// Logical processors.
    pub cores: u32,
    /// Operating system and architecture.
    pub platform: String,
    /// The compiler.
    pub rustc: String,
    /// `release` or `debug`.
    pub profile: String,
    /// Load average over a minute at the start, where the system tells.
    pub load: Option<f64>,
    /// Nanoseconds that the harness itself takes for a lookup that does nothing.
    pub harness_ns: f64,
}

/// Cost of a lookup of a distinct, already hashed key.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookupTime {
    /// The contender.
    pub contender: String,
    /// Members of equal weight.
    pub nodes: u32,
    /// Nanoseconds a key in batches of independent keys, warm: median, least and largest of the
    /// rounds.
    pub batch_ns: [f64; 3],
    /// Nanoseconds a lookup whose key depends on the answer before, warm.
    pub dependent_ns: [f64; 3],
    /// Nanoseconds of a dependent lookup after the caches were swept.
    pub cold_ns: [f64; 3],
    /// Why there are no figures, where the contender cannot serve such a fleet.
    pub refusal: Option<String>,
}

/// Cost of building and changing the scenario's fleet.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateTime {
    /// The contender.
    pub contender: String,
    /// Microseconds to build the placement of the first fleet: median, least and largest.
    pub build_us: [f64; 3],
    /// Microseconds to apply the first step of the first timeline; none where it was refused.
    pub apply_us: Option<[f64; 3]>,
}
