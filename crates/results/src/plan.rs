//! The events of a run, resolved.

use serde::{Deserialize, Serialize};

/// One course of events.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeline {
    /// Its name.
    pub name: String,
    /// What happens, in order; the first entry is the fleet at the start.
    pub steps: Vec<PlannedStep>,
}

/// One step of a timeline, resolved.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedStep {
    /// Short label for axes.
    pub label: String,
    /// `start`, or the verb of the event: `join`, `fail`, `rename` and so on.
    pub verb: String,
    /// What changes, in words with the names of the nodes.
    pub changes: String,
    /// Members after the step.
    pub nodes: u32,
    /// Least fraction of keys that must move, from the target shares: ½ Σ |Δ share|.
    pub minimum: f64,
    /// Members too heavy for the copies, heaviest first; at most [`CROPPED_LISTED_MAX`].
    pub cropped: Vec<Cropped>,
}

/// Most members listed as too heavy.
pub const CROPPED_LISTED_MAX: usize = 8;

/// A member that would have to hold more than one copy of a key to have its part.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cropped {
    /// Its name.
    pub name: String,
    /// Its weight, exact.
    pub weight: String,
    /// The weight with which it counts: the largest of which it can hold the part.
    pub effective: f64,
}
