//! Whether the answer would hold for a fleet of another size, or of other weights.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The scenario again, at a small scale, for fleets around its own.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outlook {
    /// Hash seeds of each.
    pub seeds: u32,
    /// Requirements that were judged, in words; those on times were not, nor those that such a run
    /// has no figure for.
    pub requirements: Vec<String>,
    /// The fleet at the start as it is.
    pub own: OutlookFleet,
    /// Other fleets, the smallest first, then those with other weights.
    pub others: Vec<OutlookFleet>,
}

/// What a fleet would say.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutlookFleet {
    /// Nodes at the start. Counts in events are in proportion to the scenario's own.
    pub nodes: u32,
    /// Every other node is so many times as heavy as in the scenario.
    pub ratio: u32,
    /// Keys.
    pub keys: u64,
    /// Rivals that meet the requirements and take every step.
    pub suitable: Vec<String>,
    /// The first thing that stands in the way of the other rivals, in words.
    pub missed: BTreeMap<String, String>,
}
