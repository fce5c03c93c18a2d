//! What failures of the first fleet do, and what random ones lose.

use serde::{Deserialize, Serialize};

/// What was asked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailureQuestion {
    /// Keys that are placed.
    pub keys: u64,
    /// Nodes of positive weight, each of which can fail.
    pub nodes: u32,
    /// Copies of each key.
    pub replicas: u32,
    /// What copies have to do with zones: `ignore`, `prefer` or `spread`.
    pub zone_rule: String,
    /// What copies have to do with racks, likewise.
    pub rack_rule: String,
    /// Hash seeds 0 … `seeds` − 1 were looked at.
    pub seeds: u32,
    /// What loads count: `keys`, `requests` or `bytes`, each once a copy.
    pub measure: String,
    /// So many nodes fail at random, for losses.
    pub down: u32,
    /// Copies that are more than half.
    pub quorum: u32,
    /// Each node can take so many times its own load before the failure; none where nodes have
    /// capacities of their own.
    pub capacity: Option<f64>,
    /// What an ideal hash would give; none where weights are unequal or copies heed domains.
    pub ideal: Option<IdealRisks>,
}

/// Risks where each key draws the set of its nodes independently, all sets alike.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdealRisks {
    /// Mean number of others with which a node shares keys.
    pub partners: f64,
    /// Probability that every copy of some key is lost.
    pub all_lost: f64,
    /// Probability that a quorum of the copies of some key is.
    pub quorum_lost: f64,
}

/// How the state after a failure is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// From the candidates of each key, for all failures in one pass.
    Candidates,
    /// By replaying each failure and asking once for each slot of a table.
    Slot,
    /// By replaying each failure and asking for every key.
    Replay,
}

/// What became of one contender.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FailureAnswer {
    /// It was looked at.
    Found(Box<FailureFigures>),
    /// It cannot serve the fleet, or has no copies.
    Refused {
        /// The reason in words.
        refusal: String,
    },
}

impl FailureAnswer {
    /// The figures, where there are any.
    pub fn figures(&self) -> Option<&FailureFigures> {
        match self {
            FailureAnswer::Found(figures) => Some(figures),
            FailureAnswer::Refused { .. } => None,
        }
    }
}

/// What the failures of one contender's fleet do, over all hash seeds. Loads are over the fair part
/// of a node by its weight while everybody is up.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailureFigures {
    /// How failures were looked at.
    pub way: Way,
    /// Single failures that are impossible, at one seed.
    pub refused: u64,
    /// Why one is.
    pub refused_because: Option<String>,
    /// Largest load before anybody fails.
    pub max_over_mean: f64,
    /// Most nodes above their capacity before anybody fails.
    pub overloaded: u64,
    /// Failures of one node; none where none is possible.
    pub single: Option<FailureKind>,
    /// Failures of two, likewise.
    pub pair: Option<FailureKind>,
    /// Mean number of others with which a node shares keys.
    pub partners: f64,
    /// That every copy of some key is lost.
    pub all_lost: LossRisk,
    /// That a quorum of the copies of some key is lost.
    pub quorum_lost: LossRisk,
    /// How far single failures go; none where none is possible.
    pub cascade: Option<Cascade>,
}

/// Failures of one or of two nodes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailureKind {
    /// How many were looked at, over the seeds.
    pub looked_at: u64,
    /// How many there are, possible or not.
    pub of: u64,
    /// Who fails in the one of the largest headroom.
    pub worst_failure: Vec<String>,
    /// The receiver that is fullest after it; none where nobody receives anything.
    pub worst_receiver: Option<String>,
    /// Its load before.
    pub load_before: Option<f64>,
    /// Its load after.
    pub load_after: Option<f64>,
    /// Largest load after any of these failures: what each node must be able to take.
    pub headroom: f64,
    /// The same over the node's own load before; none where no factor is enough.
    pub own_headroom: Option<f64>,
    /// What both would be if survivors shared everything by weight.
    pub fair_after: f64,
    /// Mean number of survivors that receive something.
    pub receivers: f64,
    /// Fewest.
    pub receivers_fewest: u64,
    /// Mean number of survivors.
    pub survivors: f64,
    /// Mean of the largest receiver's part over its fair part of what is lost.
    pub max_extra: f64,
    /// The largest of them.
    pub max_extra_worst: f64,
}

/// A probability, exact or estimated from random failures.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LossRisk {
    /// The probability; the mean over the seeds.
    pub probability: f64,
    /// Lower end of the 95 % interval of an estimate.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// Whether every choice of failures was looked at.
    pub exact: bool,
}

/// How far single failures go where nodes above their capacity fail in turn.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cascade {
    /// Failures looked at, over the seeds.
    pub failures: u64,
    /// Part of them after which another node is above its capacity.
    pub spreading: f64,
    /// How many of those were followed to their end; they stand for the others.
    pub followed: u64,
    /// How many there were.
    pub spread: u64,
    /// Mean number of nodes lost to a failure, itself included.
    pub lost: f64,
    /// Most nodes lost.
    pub lost_most: u64,
}
