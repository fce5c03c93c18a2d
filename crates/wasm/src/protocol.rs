//! What a page asks, and what it is told.

use placelab_operate::Explanation;
use serde::{Deserialize, Serialize};

/// One of two contenders that stand beside each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The first one.
    Left,
    /// The one that it is compared with.
    Right,
}

/// What a page asks.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    /// Every algorithm.
    Algorithms,
    /// From now on these keys: named ones, or `prefix`0, `prefix`1, … so many.
    Keys {
        /// Keys by name.
        #[serde(default)]
        names: Vec<String>,
        /// Numbered keys after the named ones.
        #[serde(default)]
        count: u64,
        /// What stands before the number.
        #[serde(default)]
        prefix: String,
        /// How names are read.
        #[serde(default)]
        format: KeyFormat,
    },
    /// A contender over a first fleet; what the side had is forgotten.
    Start {
        /// Where.
        side: Side,
        /// `ring:vnodes=20`.
        algorithm: String,
        /// Its members in the order in which they joined.
        nodes: Vec<FleetNode>,
    },
    /// The fleet of a side becomes this one: whoever is missing goes, then newcomers join in their
    /// order, then weights change.
    Change {
        /// Where.
        side: Side,
        /// The members from now on.
        nodes: Vec<FleetNode>,
    },
    /// How a key is placed on a side.
    Explain {
        /// Where.
        side: Side,
        /// The key.
        key: String,
    },
    /// What the placement of a side has made of its fleet.
    Anatomy {
        /// Where.
        side: Side,
    },
}

/// How the names of keys are read, as by the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyFormat {
    /// Texts to hash.
    #[default]
    Text,
    /// Hashes already: 16 hexadecimal digits, or fewer.
    Hash,
}

/// A member as the page has it.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FleetNode {
    /// Its name.
    pub name: String,
    /// Its weight as people write it.
    #[serde(default = "one")]
    pub weight: String,
}

fn one() -> String {
    "1".into()
}

/// What a page is told.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answer {
    /// To [`Request::Algorithms`].
    Algorithms(Vec<AlgorithmView>),
    /// To [`Request::Keys`]: how many there are.
    Keys(u64),
    /// To [`Request::Start`] and [`Request::Change`].
    View(View),
    /// To [`Request::Explain`].
    Explanation(Explanation),
    /// To [`Request::Anatomy`].
    Anatomy(AnatomyView),
    /// Why nothing happened: everything is as it was.
    Error(Error),
}

/// Why a request was refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Error {
    /// What it is about: `algorithm`, `nodes`, `keys`, `key` or `request`.
    pub field: &'static str,
    /// Index of the node, where it is about one.
    pub node: Option<usize>,
    /// The reason, and what would be right.
    pub message: String,
}

/// An algorithm to choose.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AlgorithmView {
    /// Its name.
    pub name: &'static str,
    /// `rival`, `canary` or `exhibit`.
    pub role: &'static str,
    /// Kind of scheme.
    pub family: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Cost of a lookup.
    pub lookup_cost: &'static str,
    /// Who published it where.
    pub citation: &'static str,
    /// What it can do beyond growing and shrinking at the tail.
    pub capabilities: Vec<&'static str>,
    /// Parameters with their defaults and meanings.
    pub parameters: Vec<ParameterView>,
}

/// A parameter of an algorithm.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ParameterView {
    /// Its name.
    pub name: &'static str,
    /// The default; none where a value has to be given.
    pub default: Option<&'static str>,
    /// What it does.
    pub help: &'static str,
}

/// A side after a change.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct View {
    /// The contender by name.
    pub contender: String,
    /// How many keys there are.
    pub keys: u64,
    /// First name of every identity that was ever seen; owners are indices into this.
    pub names: Vec<String>,
    /// The members in the order in which they joined.
    pub nodes: Vec<NodeView>,
    /// Load of the fullest node over its fair load; none without keys.
    pub max_over_mean: Option<f64>,
    /// What an ideal hash gives for that, 5th and 95th percentile; none without keys.
    pub chance: Option<[f64; 2]>,
    /// What the last change did; none after a start.
    pub moves: Option<Moves>,
}

/// A member of a side.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NodeView {
    /// Identity: an index into the names.
    pub id: u32,
    /// Weight as people write it.
    pub weight: String,
    /// Its keys.
    pub keys: u64,
    /// Keys that would be fair.
    pub fair: f64,
}

/// What a change did to the keys.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Moves {
    /// Keys whose owner changed.
    pub moved: u64,
    /// Those of them that went to a node whose weight did not rise against that of the one before.
    pub sideways: u64,
    /// Least part of all keys that has to move, from 0 to 1.
    pub minimum: f64,
}

/// What a placement has made of its fleet.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum AnatomyView {
    /// Points of a circle in order: the part of the circle before each, and its owner's identity.
    Circle {
        /// From 0 to 1, rising.
        parts: Vec<f64>,
        /// Identities.
        owners: Vec<u32>,
    },
    /// Slots with owners, and in which turn each was taken; no turns where there were none.
    Table {
        /// Identities.
        owners: Vec<u32>,
        /// From 1.
        turns: Vec<u32>,
    },
    /// Numbered buckets with owners; none where a bucket is out of service.
    Buckets {
        /// Identities.
        owners: Vec<Option<u32>>,
    },
    /// Every node scores for every key.
    Scores,
    /// There is no more to it than the steps of a lookup.
    Plain,
}
