//! `timings.json`: how fast the contenders were on one machine.

use serde::{Deserialize, Serialize};

/// Version of the layout of `timings.json`.
pub const SCHEMA: u32 = 3;

/// Times of one run on one machine; never compared with another machine's.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timings {
    /// Version of the layout.
    pub schema: u32,
    /// Where the times were taken.
    pub machine: Machine,
    /// What says that the machine was busy with something else, a sentence each; empty where
    /// nothing does.
    pub busy: Vec<String>,
    /// What it takes to hash a key, which is no part of the lookups.
    pub key_hash: KeyHashTime,
    /// Lookups by contender and number of nodes.
    pub lookups: Vec<LookupTime>,
    /// Lookups over many numbers of nodes, by contender.
    pub dense: Vec<DenseTime>,
    /// How the times of dependent lookups are distributed, by contender, for the first fleet's
    /// number of nodes.
    pub percentiles: Vec<PercentileTime>,
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
    /// Load average over a minute before the run, where the system tells.
    pub load: Option<f64>,
    /// What the harness takes for schemes that read the hash of a key.
    pub floor: Floor,
    /// What the harness takes for schemes that read its bytes.
    pub bytes_floor: Floor,
    /// Bytes that were read before each cold figure, to displace what the caches held.
    pub displaced_bytes: u64,
}

/// What the harness itself takes: lookups by a placement that does nothing. It was subtracted from
/// every lookup time.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floor {
    /// Nanoseconds a key in batches.
    pub batch_ns: Rounds,
    /// Nanoseconds a dependent lookup.
    pub dependent_ns: Rounds,
}

/// Time of one operation over the rounds in which it was taken, in the unit of the field's name.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rounds {
    /// Median of the rounds, without the floor; never below 0.
    pub median: f64,
    /// Least of the rounds, without the floor; never below 0.
    pub least: f64,
    /// Largest of the rounds, without the floor; never below 0.
    pub largest: f64,
    /// What was subtracted as the harness's own time; 0 where nothing was.
    pub floor: f64,
    /// How far the medians of the odd and of the even rounds lie apart, over the median, or over
    /// the floor where that is larger: what the same work against itself differs by.
    pub aa_spread: f64,
}

impl Rounds {
    /// Median, least and largest.
    pub fn range(&self) -> [f64; 3] {
        [self.median, self.least, self.largest]
    }

    /// Whether no more is left than what was subtracted: such a figure says only that the
    /// operation is about as fast as doing nothing.
    pub fn is_within_floor(&self) -> bool {
        self.median <= self.floor
    }
}

/// Cost of hashing a key, in a batch.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyHashTime {
    /// The scenario's hash function.
    pub function: String,
    /// Bytes of a key.
    pub key_bytes: u32,
    /// Nanoseconds a key.
    pub batch_ns: Rounds,
}

/// Cost of a lookup of a distinct, already hashed key.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookupTime {
    /// The contender.
    pub contender: String,
    /// Members of equal weight.
    pub nodes: u32,
    /// Nanoseconds a key in batches of independent keys, warm.
    pub batch_ns: Rounds,
    /// Nanoseconds a lookup whose key depends on the answer before, warm.
    pub dependent_ns: Rounds,
    /// Nanoseconds a key in a batch, after the caches were displaced.
    pub cold_batch_ns: Rounds,
    /// Nanoseconds a dependent lookup, after the caches were displaced.
    pub cold_dependent_ns: Rounds,
    /// Why there are no figures, where the contender cannot serve such a fleet.
    pub refusal: Option<String>,
}

impl LookupTime {
    /// The figures, each with its name in words.
    pub fn figures(&self) -> [(&'static str, &Rounds); 4] {
        [
            ("batch", &self.batch_ns),
            ("dependent", &self.dependent_ns),
            ("cold batch", &self.cold_batch_ns),
            ("cold dependent", &self.cold_dependent_ns),
        ]
    }
}

/// Cost of lookups over ever larger fleets, as far as the time for them went.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DenseTime {
    /// The contender.
    pub contender: String,
    /// One entry a size, from small to large.
    pub times: Vec<SizedTime>,
}

/// Cost of a lookup over so many nodes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizedTime {
    /// Members of equal weight.
    pub nodes: u32,
    /// Nanoseconds a key in batches of independent keys, warm.
    pub batch_ns: Rounds,
}

/// Percentiles that are taken of the times of dependent lookups; the last is the largest time.
pub const PERCENTILES: [f64; 5] = [50.0, 90.0, 99.0, 99.9, 100.0];

/// How the times of dependent lookups are distributed.
///
/// A clock takes longer than many a lookup, so that groups of lookups are timed and each has the
/// mean of its group: what only one of them took shows as its part of the group.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PercentileTime {
    /// The contender.
    pub contender: String,
    /// Members of equal weight.
    pub nodes: u32,
    /// Lookups of a group, of which each waits for the one before.
    pub group: u32,
    /// Groups that were timed.
    pub groups: u32,
    /// What was subtracted, in nanoseconds a lookup: the median of groups that do nothing.
    pub floor_ns: f64,
    /// Nanoseconds a lookup at each of [`PERCENTILES`], without the floor; never below 0.
    pub dependent_ns: [f64; 5],
    /// A/A spread of each: between the odd and the even groups.
    pub aa_spread: [f64; 5],
}

/// Cost of building and changing the scenario's fleet.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateTime {
    /// The contender.
    pub contender: String,
    /// Microseconds to build the placement of the first fleet.
    pub build_us: Rounds,
    /// Microseconds to apply the first step of the first timeline; none where it was refused.
    pub apply_us: Option<Rounds>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_floor_may_say_nothing() {
        let rounds = |median: f64| Rounds { median, floor: 1.5, ..Rounds::default() };
        assert!(rounds(0.0).is_within_floor() && rounds(1.5).is_within_floor());
        assert!(!rounds(1.6).is_within_floor());
    }
}
