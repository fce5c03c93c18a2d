//! What a scenario file says, after every check.
//!
//! [`read`] takes a file to a [`Prepared`] scenario: the question in the types below and the
//! [`Plan`](crate::plan::Plan) of its events. A file that is wrong gives every error at once,
//! each with its place ([`ScenarioError`]). The format is described in `scenarios/README.md`.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use placelab_core::{
    AlgorithmSpec, Arguments, Capability, Domain, HashFunction, NodeName, Weight, node::NameError,
};

mod contenders;
mod document;
mod expectations;
mod failures;
mod field;
mod fleet;
mod keys;
mod prose;
mod read;
mod select;
mod suggest;
mod table;
mod timelines;
mod verbs;

pub use contenders::CANARIES;
pub use failures::{FACTOR_MAX, FailureRequest};
pub use fleet::{Capacities, Domains, Fleet};
pub use read::{FILE_BYTES_MAX, Prepared, ScenarioError, parse, read};
pub use select::{SelectError, glob_matches, select};
pub(crate) use suggest::among;
pub use suggest::nearest;
pub use timelines::EVENTS_MAX;

/// A question, ready to be replayed.
#[derive(Debug)]
pub struct Scenario {
    /// File name without folder and ending.
    pub name: String,
    /// One line; the name where the file gives none.
    pub title: String,
    /// Why the question matters; may be empty.
    pub why: String,
    /// SHA-256 of the file, in hex.
    pub sha256: String,
    /// Contenders in order, canaries that the file does not list last.
    pub contenders: Vec<ContenderRequest>,
    /// Hash seeds 0 … `seeds` − 1 are run.
    pub seeds: u32,
    /// What is placed.
    pub keys: KeyRequest,
    /// Who is there at the start.
    pub fleet: Fleet,
    /// What is asked about failures of the fleet at the start, if anything.
    pub failures: Option<FailureRequest>,
    /// At least one.
    pub timelines: Vec<TimelineRequest>,
    /// What must hold.
    pub expectations: Vec<ExpectationRequest>,
    /// What the design needs.
    pub requirements: Vec<placelab_results::Requirement>,
}

/// A contender with checked parameters.
#[derive(Clone, Debug)]
pub struct ContenderRequest {
    /// The algorithm.
    pub spec: &'static AlgorithmSpec,
    /// Its parameters.
    pub arguments: Arguments,
    /// Whether it was asked for by its own name: then a fleet that it cannot hold is a mistake,
    /// and else a finding.
    pub is_named: bool,
    /// Where the file asks for it; none for canaries and for what the command line asks for.
    pub span: Option<Range<usize>>,
}

impl ContenderRequest {
    /// The algorithm with every parameter that is not the default: `ring:vnodes=1`.
    pub fn name(&self) -> String {
        self.arguments.contender(self.spec)
    }
}

/// Where keys come from.
#[derive(Clone, PartialEq, Debug)]
pub struct KeyRequest {
    /// The source.
    pub source: SourceRequest,
    /// What hashes them.
    pub hash: HashFunction,
    /// Numbers of keys, ascending, after which the balance of the first fleet is taken too.
    pub marks: Vec<u64>,
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
    /// Its name, unique in the scenario.
    pub name: String,
    /// What happens; `repeat` is unrolled.
    pub events: Vec<Event>,
}

/// Something that happens.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Short label for axes, unique within its timeline.
    pub label: String,
    /// What happens; shared by the events of one `repeat`.
    pub verb: Arc<Verb>,
    /// Where it stands in the file, for errors found while planning.
    pub span: Range<usize>,
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
    Reweight(Vec<(Named, Weight)>),
    /// Every member in turn fails and recovers, so many at a time: steps of `fail` and `recover`.
    Rolling(u32),
    /// Every member in these zones stops serving.
    ZoneFail(Vec<Named>),
    /// Every node in these zones that failed is back.
    ZoneRecover(Vec<Named>),
    /// Old nodes go for good and new ones join in their stead, with their weights and zones.
    Replace(Vec<(Named, Named)>),
    /// The same machines go by other names.
    Rename(Renaming),
    /// The hash seed changes; the machines stay.
    Rehash,
}

impl Verb {
    /// The words for verbs in files and results.
    pub const NAMES: [&'static str; 13] = [
        "join",
        "leave",
        "fail",
        "recover",
        "grow",
        "shrink",
        "reweight",
        "rolling",
        "zone_fail",
        "zone_recover",
        "replace",
        "rename",
        "rehash",
    ];

    /// The word in files and results.
    pub fn name(&self) -> &'static str {
        match self {
            Verb::Join(_) => "join",
            Verb::Leave(_) => "leave",
            Verb::Fail(_) => "fail",
            Verb::Recover(_) => "recover",
            Verb::Grow(_) => "grow",
            Verb::Shrink(_) => "shrink",
            Verb::Reweight(_) => "reweight",
            Verb::Rolling(_) => "rolling",
            Verb::ZoneFail(_) => "zone_fail",
            Verb::ZoneRecover(_) => "zone_recover",
            Verb::Replace(_) => "replace",
            Verb::Rename(_) => "rename",
            Verb::Rehash => "rehash",
        }
    }
}

/// A node or zone that an event names.
#[derive(Clone, PartialEq, Debug)]
pub struct Named {
    /// The name.
    pub name: NodeName,
    /// Where it stands in the file.
    pub span: Range<usize>,
}

/// Who joins.
#[derive(Clone, PartialEq, Debug)]
pub enum Joining {
    /// So many nodes `node-K` of weight 1, K counting on from the fleet's size at the start.
    Count(u32),
    /// These nodes; their identities are not yet known.
    Nodes(Vec<NewNode>),
}

/// A node that joins by its name.
#[derive(Clone, PartialEq, Debug)]
pub struct NewNode {
    /// Its name.
    pub named: Named,
    /// Its weight; where absent the one it had before it left, else 1.
    pub weight: Option<Weight>,
    /// Its zone; where absent the one it had before it left.
    pub zone: Option<Domain>,
    /// Its rack; where absent the one it had before it left.
    pub rack: Option<Domain>,
}

/// Which members an event is about.
#[derive(Clone, PartialEq, Debug)]
pub enum Picked {
    /// These.
    Names(Vec<Named>),
    /// So many, picked at random from a stated seed.
    Count(u32),
}

/// Which members are called otherwise from now on.
#[derive(Clone, PartialEq, Debug)]
pub enum Renaming {
    /// Old names and new ones.
    Pairs(Vec<(Named, Named)>),
    /// Every member.
    Every(Template),
}

/// A text around the old name of a node: `cache-{}` makes `cache-node-0` of `node-0`.
#[derive(Clone, PartialEq, Debug)]
pub struct Template {
    /// What stands before the old name.
    pub head: String,
    /// What stands after it.
    pub tail: String,
}

impl Template {
    /// What stands for the old name in files.
    pub const HOLE: &'static str = "{}";

    /// The new name of a node.
    ///
    /// # Errors
    /// The new name is no name: too long, or the template holds characters that hide text.
    pub fn name(&self, old: &NodeName) -> Result<NodeName, NameError> {
        NodeName::new(&format!("{}{old}{}", self.head, self.tail))
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.head, Template::HOLE, self.tail)
    }
}

/// Something that must hold.
#[derive(Clone, PartialEq, Debug)]
pub struct ExpectationRequest {
    /// What must hold.
    pub claim: ExpectedClaim,
    /// Globs over contender names; every contender, canaries too, where empty.
    pub algorithms: Vec<String>,
    /// Glob over the labels of planned steps; every step where absent. `start` is the fleet at
    /// the start.
    pub event: Option<String>,
    /// Name of the timeline, where only one is meant.
    pub timeline: Option<String>,
}

impl ExpectationRequest {
    /// Whether the contender of this name is meant.
    pub fn concerns(&self, contender: &str) -> bool {
        let any = self.algorithms.iter().any(|pattern| glob_matches(pattern, contender));
        self.algorithms.is_empty() || any
    }

    /// Whether the step with this label is meant.
    pub fn speaks_of(&self, label: &str) -> bool {
        self.event.as_ref().is_none_or(|pattern| glob_matches(pattern, label))
    }
}

/// What an expectation says.
#[derive(Clone, PartialEq, Debug)]
pub enum ExpectedClaim {
    /// A figure stays within bounds, of which there is at least one.
    Figure {
        /// Metric id, with its measure.
        metric: String,
        /// Least value.
        min: Option<f64>,
        /// Largest value.
        max: Option<f64>,
        /// At which seeds.
        seeds: SeedScope,
    },
    /// The contender cannot do the event, for want of this.
    Refused(Capability),
}

/// At which seeds an expectation must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeedScope {
    /// At each.
    Every,
    /// For the median.
    Median,
}
