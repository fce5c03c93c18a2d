//! What an algorithm says of itself: names, costs, capabilities, parameters.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::assignment::Assignment;
use crate::capability::Capability;
use crate::error::PlacementError;
use crate::hash::HashSeed;
use crate::key::Keys;
use crate::math::sqrt;
use crate::node::{NodeId, Weight};
use crate::placement::Placement;
use crate::roster::{History, Roster};

/// Why an algorithm stands in the registry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// To be chosen.
    Rival,
    /// To show that the figures tell good from bad: in every run unless left out.
    Canary,
    /// To be looked at, not chosen: a construction that is wrong or a curiosity.
    Exhibit,
}

impl Role {
    /// The name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Role::Rival => "rival",
            Role::Canary => "canary",
            Role::Exhibit => "exhibit",
        }
    }
}

/// What an algorithm promises; each claim is a law that the tests hold it to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Claim {
    /// Keys move only between nodes whose relative weight changed: sideways movement is 0.
    MinimalMovement,
    /// Shares are in proportion to the weights; loads differ from them by chance alone.
    FairShares,
    /// The order in which members joined does not matter.
    OrderFree,
    /// A node that joins and leaves again leaves every key where it was.
    Restores,
    /// Only the ratio of the weights matters: multiplying all of them by one number moves no key.
    /// Schemes that compute in doubles may differ where two scores agree to the last bit.
    ScaleFree,
}

impl Claim {
    /// The name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Claim::MinimalMovement => "minimal-movement",
            Claim::FairShares => "fair-shares",
            Claim::OrderFree => "order-free",
            Claim::Restores => "restores",
            Claim::ScaleFree => "scale-free",
        }
    }
}

/// Which part of a key a scheme reads; a sweep makes no other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyPart {
    /// The 64-bit hash.
    Hash,
    /// The bytes.
    Bytes,
}

/// Makes what an algorithm is, for a first roster.
#[derive(Clone, Copy, Debug)]
pub enum Build {
    /// A function of the key.
    Placement(Make<dyn Placement>),
    /// A rule for keys in an order: who gets a key depends on the loads so far.
    Assignment(Make<dyn Assignment>),
}

/// Makes something for a first roster.
pub type Make<T> = fn(&Arguments, HashSeed, Roster) -> Result<Box<T>, PlacementError>;

/// The slow, obvious twin of an algorithm: the owners of keys, in their order, after a history. It
/// works everything out anew from the definition, shares no code with the algorithm but pinned
/// hashes and the reading of parameters, and is never asked about a history that the algorithm
/// refused.
pub type Naive = fn(&Arguments, HashSeed, &History, Keys<'_>) -> Vec<NodeId>;

/// How many equal nodes a fleet had at first, and how many it has now that random ones have gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FleetSize {
    /// Nodes at first.
    pub first: u32,
    /// Nodes now, at least one.
    pub now: u32,
}

/// The mean number of steps of a lookup as the documentation has it: what
/// [`Placement::trace`] counts in such a fleet, over all keys and hash
/// seeds. Where it is no equality it is an upper bound, and less than twice the truth.
pub type Steps = fn(&Arguments, FleetSize) -> f64;

/// What a closed form says of a figure over the hash seeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Average {
    /// Its mean.
    Mean,
    /// The root of the mean of its square, as formulas of variances give.
    RootMeanSquare,
}

impl Average {
    /// This average of one value or more.
    pub fn of(self, values: &[f64]) -> f64 {
        let count = values.len() as f64;
        match self {
            Average::Mean => values.iter().sum::<f64>() / count,
            Average::RootMeanSquare => {
                sqrt(values.iter().map(|value| value * value).sum::<f64>() / count)
            }
        }
    }
}

/// A figure that theory gives for fleets of nodes of weight 1.
#[derive(Clone, Copy, Debug)]
pub struct ClosedForm {
    /// Id of the metric.
    pub metric: &'static str,
    /// What of the figure it is.
    pub average: Average,
    /// The formula in terms of N, V, k …, and where it holds: a limit, a special case.
    pub formula: &'static str,
    /// Its value; none where it does not apply.
    pub value: fn(&Arguments, PlainStep) -> Option<f64>,
}

/// How many nodes of weight 1 a fleet has, and how many it had before the last step where members
/// came or went at its end alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlainStep {
    /// Before; none where there was no step, or another.
    pub before: Option<u32>,
    /// Now, at least one.
    pub now: u32,
}

/// How finely a scheme tells weights apart.
#[derive(Clone, Copy, Debug)]
pub struct Resolution {
    /// The lightest weight that has its share, in words: W is the weight of the fleet.
    pub lightest: &'static str,
    /// What tables pay to tell lighter ones apart: `4 bytes an entry`; `none` where nothing does.
    pub memory: &'static str,
    /// The lightest weight as a figure, in units.
    pub weight: Lightest,
}

/// The lightest weight, in units, that has its share of the keys beside the others of a fleet:
/// such a node and all heavier ones are off by the share of one such weight at most, on average
/// over hash seeds; a node of a quarter of it is off by half its own share or more, or refused.
/// Infinite where shares are not in proportion to the weights at all.
pub type Lightest = fn(&Arguments, FleetWeight) -> f64;

/// What a resolution may depend on: the weights of a fleet, in units.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FleetWeight {
    /// Of all nodes.
    pub sum: f64,
    /// Of the heaviest one.
    pub heaviest: f64,
}

impl Resolution {
    /// Of schemes that read every digit of a weight and keep no table for it.
    pub const EXACT: Resolution =
        Resolution { lightest: "exact", memory: "none", weight: |_, _| Weight::LEAST.as_f64() };
    /// Of schemes that weights do change, though not in proportion to them.
    pub const NONE: Resolution =
        Resolution { lightest: "not in proportion", memory: "none", weight: |_, _| f64::INFINITY };
}

/// One record an algorithm, in its own file; everything else learns of it through the registry.
#[derive(Debug)]
pub struct AlgorithmSpec {
    /// The name in scenarios, options and reports.
    pub name: &'static str,
    /// Why it is here.
    pub role: Role,
    /// The kind of scheme.
    pub family: &'static str,
    /// Year of the first publication.
    pub year: u16,
    /// Who published it where.
    pub citation: &'static str,
    /// Where a maintained implementation exists: languages, with a project each.
    pub implementations: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Cost of a lookup in terms of N, V, M.
    pub lookup_cost: &'static str,
    /// The same as a figure.
    pub steps: Steps,
    /// What theory says of its figures, to be printed beside what was measured.
    pub closed_forms: &'static [ClosedForm],
    /// Memory in terms of N, V, M.
    pub memory_cost: &'static str,
    /// What it can do, of [`Capability::DECLARED`].
    pub capabilities: &'static [Capability],
    /// What it promises.
    pub claims: &'static [Claim],
    /// How finely it tells weights apart; none where it takes equal ones alone.
    pub resolution: Option<Resolution>,
    /// Which part of a key it reads.
    pub reads: KeyPart,
    /// Its parameters.
    pub parameters: &'static [ParameterSpec],
    /// Parameters, as `name=value,…`, under which it is small enough to be enumerated.
    pub small: &'static str,
    /// Makes it.
    pub build: Build,
    /// Its twin.
    pub naive: Naive,
}

impl AlgorithmSpec {
    /// Whether it declares a capability.
    pub fn can(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// Whether who gets a key depends on the keys before it.
    pub fn is_load_aware(&self) -> bool {
        matches!(self.build, Build::Assignment(_))
    }

    /// Whether it makes a promise.
    pub fn claims(&self, claim: Claim) -> bool {
        self.claims.contains(&claim)
    }
}

/// A parameter of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct ParameterSpec {
    /// The name.
    pub name: &'static str,
    /// What values it takes.
    pub kind: ParameterKind,
    /// The value where none is given; none for a file that need not be there.
    pub default: Option<&'static str>,
    /// What it does, in a line.
    pub help: &'static str,
}

/// Checks a text; the error says what is wrong and what would be right.
pub type Check = fn(&str) -> Result<(), String>;

/// What values a parameter takes.
#[derive(Clone, Copy, Debug)]
pub enum ParameterKind {
    /// A whole number in a range.
    Count {
        /// Least value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// A prime in a range.
    Prime {
        /// Largest value.
        max: u64,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A text that passes a check.
    Text(Check),
    /// `@path` of a file whose contents pass a check.
    File(Check),
}

impl ParameterKind {
    /// The values in words.
    pub fn describe(&self) -> String {
        match self {
            ParameterKind::Count { min, max } => format!("a whole number from {min} to {max}"),
            ParameterKind::Prime { max } => format!("a prime up to {max}"),
            ParameterKind::Choice(words) => format!("one of {}", words.join(", ")),
            ParameterKind::Text(_) => "a text".into(),
            ParameterKind::File(_) => "@FILE".into(),
        }
    }
}

/// A parameter's value after its check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of a count or prime.
    Count(u64),
    /// Of a choice or text.
    Text(String),
    /// Of a file.
    File {
        /// As it was given.
        path: String,
        /// What it holds.
        contents: Arc<str>,
    },
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Count(count) => write!(f, "{count}"),
            Value::Text(text) => f.write_str(text),
            Value::File { path, .. } => write!(f, "@{path}"),
        }
    }
}

/// Checked values for the parameters of one spec; absent files are left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Arguments(pub(crate) BTreeMap<&'static str, Value>);

impl Arguments {
    /// A whole number. Panics where the spec declares no such count: a defect of the algorithm.
    pub fn count(&self, name: &str) -> u64 {
        match self.0.get(name) {
            Some(Value::Count(count)) => *count,
            other => panic!("`{name}` is declared as a count, not {other:?}"),
        }
    }

    /// A word or text. Panics where the spec declares none of that name.
    pub fn text(&self, name: &str) -> &str {
        match self.0.get(name) {
            Some(Value::Text(text)) => text,
            other => panic!("`{name}` is declared as a text, not {other:?}"),
        }
    }

    /// The contents of a file, where one was given.
    pub fn file(&self, name: &str) -> Option<&str> {
        match self.0.get(name) {
            Some(Value::File { contents, .. }) => Some(contents),
            _ => None,
        }
    }

    /// Every value by the name of its parameter.
    pub fn values(&self) -> &BTreeMap<&'static str, Value> {
        &self.0
    }
}

/// Whether a number is prime, by trial division: for table sizes, in at most 2^16 steps.
pub fn is_prime(number: u64) -> bool {
    number >= 2 && (2..).take_while(|d| d * d <= number).all(|d| !number.is_multiple_of(d))
}
