//! What a scenario file says, after every check.

use std::path::PathBuf;

use placelab_core::{AlgorithmSpec, Arguments, Capability, HashFunction, Node};

/// A question, ready to be planned.
#[derive(Debug)]
pub struct Scenario {
    /// File name without folder and ending.
    pub name: String,
    /// One line.
    pub title: String,
    /// Why the question matters.
    pub why: String,
    /// SHA-256 of the file, in hex.
    pub sha256: String,
    /// Contenders in order, the canaries last.
    pub contenders: Vec<ContenderRequest>,
    /// Hash seeds 0 … `seeds` − 1 are run.
    pub seeds: u32,
    /// What is placed.
    pub keys: KeyRequest,
    /// Who is there at the start. At least one member; identities are positions.
    pub fleet: Vec<Node>,
    /// At least one.
    pub timelines: Vec<TimelineRequest>,
    /// What must hold.
    pub expectations: Vec<ExpectationRequest>,
    /// What the design needs.
    pub requirements: Vec<placelab_results::Requirement>,
}

/// A contender with checked parameters.
#[derive(Debug)]
pub struct ContenderRequest {
    /// The algorithm.
    pub spec: &'static AlgorithmSpec,
    /// Its parameters.
    pub arguments: Arguments,
    /// Whether it is there only as a canary.
    pub canary: bool,
}

/// Where keys come from.
#[derive(Clone, Debug)]
pub struct KeyRequest {
    /// The source.
    pub source: SourceRequest,
    /// What hashes them.
    pub hash: HashFunction,
}

/// A key source with its parameters.
#[derive(Clone, PartialEq, Debug)]
pub enum SourceRequest {
    /// Decimal numbers 0 … count − 1.
    Sequential {
        /// How many.
        count: u64,
    },
    /// Random 64-bit numbers as 16 hex digits.
    Uniform {
        /// How many.
        count: u64,
    },
    /// Unique keys whose requests follow a power law of their rank.
    Zipf {
        /// How many.
        count: u64,
        /// Requests of rank r are in proportion to r to the power of minus this.
        exponent: f64,
    },
    /// Lines of a text file, or columns of a CSV file.
    File {
        /// The file, below the scenario's folder.
        path: PathBuf,
        /// As the scenario gives it.
        shown: String,
        /// CSV columns; none for a text file with a key a line.
        columns: Option<Columns>,
        /// Only the first keys, where limited.
        limit: Option<u64>,
    },
}

/// Columns of a CSV file by their names in its header.
#[derive(Clone, PartialEq, Debug)]
pub struct Columns {
    /// The key.
    pub key: String,
    /// Whole numbers of requests.
    pub requests: Option<String>,
    /// Whole numbers of bytes.
    pub bytes: Option<String>,
}

/// One course of events.
#[derive(Clone, PartialEq, Debug)]
pub struct TimelineRequest {
    /// Its name.
    pub name: String,
    /// What happens; `repeat` is unrolled.
    pub events: Vec<Event>,
}

/// Something that happens.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Short label for axes, unique within its timeline.
    pub label: String,
    /// What happens.
    pub verb: Verb,
    /// Where it stands in the file, for errors found while planning.
    pub span: std::ops::Range<usize>,
}

/// What happens to the fleet.
#[derive(Clone, PartialEq, Debug)]
pub enum Verb {
    /// Nodes join at the end: new ones or, by name, ones that left.
    Join(Joining),
    /// Nodes go for good.
    Leave(Picked),
    /// Nodes stop serving.
    Fail(Picked),
    /// Nodes that failed are back.
    Recover(Picked),
    /// The fleet has this many members, by joining at the tail.
    Grow(u32),
    /// The fleet has this many members, by removing from the tail.
    Shrink(u32),
    /// Weights become these.
    Reweight(Vec<(String, placelab_core::Weight)>),
}

/// Who joins.
#[derive(Clone, PartialEq, Debug)]
pub enum Joining {
    /// So many nodes `node-K` of weight 1, K counting on from the fleet's size at the start.
    Count(u32),
    /// These nodes; their identities are not yet known.
    Nodes(Vec<NewNode>),
}

/// A node that a scenario names.
#[derive(Clone, PartialEq, Debug)]
pub struct NewNode {
    /// Its name.
    pub name: placelab_core::NodeName,
    /// Its weight.
    pub weight: placelab_core::Weight,
    /// Its failure domain.
    pub zone: Option<placelab_core::Zone>,
}

/// Which members an event is about.
#[derive(Clone, PartialEq, Debug)]
pub enum Picked {
    /// These.
    Names(Vec<String>),
    /// So many, picked at random from a stated seed.
    Count(u32),
}

/// Something that must hold.
#[derive(Clone, PartialEq, Debug)]
pub struct ExpectationRequest {
    /// Metric id, with its measure.
    pub metric: String,
    /// Globs over contender names; every contender, canaries too, where empty.
    pub algorithms: Vec<String>,
    /// Label of the event, where only one is meant.
    pub event: Option<String>,
    /// Name of the timeline, where only one is meant.
    pub timeline: Option<String>,
    /// Least value.
    pub min: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
    /// Whether the median over the seeds is meant, not every seed.
    pub seeds: SeedScope,
    /// Capability refused, where the expectation is that the contender cannot do the event.
    pub refused: Option<Capability>,
}

/// At which seeds an expectation must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeedScope {
    /// At each.
    Every,
    /// For the median.
    Median,
}
