//! `results.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::certificate::{Certificate, LawText};
use crate::evenness::Evenness;
use crate::failures::{FailureAnswer, FailureQuestion};
use crate::few_keys::FewKeys;
use crate::fixed;
use crate::outlook::Outlook;
use crate::plan::Timeline;
use crate::theory::{ClosedForm, Theory};

/// Version of the layout of `results.json`.
pub const SCHEMA: u32 = 2;

/// Everything a run found out about its contenders, except how fast they are.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunResults {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Version of the program.
    pub version: String,
    /// What was asked.
    pub scenario: Scenario,
    /// What was placed.
    pub keys: KeySummary,
    /// Hash seeds 0 … `seeds` − 1 were run; 0 is the published function.
    pub seeds: u32,
    /// Copies of each key, each on a node of its own; the first is the owner.
    pub replicas: u32,
    /// What copies have to do with zones: `ignore`, `prefer` or `spread`.
    pub zone_rule: String,
    /// What copies have to do with racks, likewise.
    pub rack_rule: String,
    /// Ranks of a node at the marks of [`Contender::fills`].
    pub ranks: u32,
    /// Each timeline's steps, with every random pick resolved. Step 0 is the fleet at the start.
    pub plan: Vec<Timeline>,
    /// What chance allows where some fleet has few keys a node; none where every fleet of several
    /// nodes has [`crate::KEYS_A_NODE_MIN`] or more.
    pub few_keys: Option<FewKeys>,
    /// What was asked about failures of the first fleet; none where nothing was.
    pub failures: Option<FailureQuestion>,
    /// Each contender in the order of the scenario, canaries last.
    pub contenders: Vec<Contender>,
    /// Whether the answer would hold for other fleets; none where that was not looked at.
    pub outlook: Option<Outlook>,
    /// What had to hold, and whether it did.
    pub expectations: Vec<Expectation>,
    /// What the design needs; judged by [`crate::verdict()`].
    pub requirements: Vec<Requirement>,
    /// The laws that algorithms are held to.
    pub laws: Vec<LawText>,
}

/// The question.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// File name without folder and ending, such as `02-cache-grow-20-30`.
    pub name: String,
    /// One line.
    pub title: String,
    /// Why the question matters.
    pub why: String,
    /// SHA-256 of the scenario file, in hex.
    pub sha256: String,
    /// The command that makes these results again.
    pub command: String,
}

/// The keys of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeySummary {
    /// `sequential`, `uniform`, `zipf` or `file`, in words with its parameters.
    pub source: String,
    /// Name of the hash.
    pub hash: String,
    /// How many keys.
    pub count: u64,
    /// Sum of the requests, where keys have requests of their own.
    pub requests: Option<u64>,
    /// Sum of the bytes, where keys have sizes.
    pub bytes: Option<u64>,
    /// Largest part of all requests that one key has: no placement balances better than this.
    pub largest_request_share: Option<f64>,
    /// SHA-256 of the key file, in hex.
    pub sha256: Option<String>,
}

/// What one contender did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contender {
    /// Name with the parameters that are not defaults: `ring:vnodes=1`.
    pub name: String,
    /// Name of the algorithm alone.
    pub algorithm: String,
    /// Every parameter, defaults included.
    pub parameters: BTreeMap<String, String>,
    /// Kind of scheme.
    pub family: String,
    /// Year of publication.
    pub year: u16,
    /// Who published it where.
    pub citation: String,
    /// What it is, in a line.
    pub summary: String,
    /// Cost of a lookup.
    pub lookup_cost: String,
    /// What it can do beyond growing and shrinking at the tail.
    pub capabilities: Vec<String>,
    /// What its algorithm promises, by the names of the laws.
    pub claims: Vec<String>,
    /// Why it is in the run.
    pub role: Role,
    /// Whether keys are assigned in their order, each by the loads before it; else the owner is a
    /// function of the key.
    pub load_aware: bool,
    /// What its algorithm, with default parameters, was found to keep when this version was made;
    /// none where it was not certified.
    pub certificate: Option<Certificate>,
    /// Where [`Step::theory`] comes from, by metric id.
    pub closed_forms: BTreeMap<String, ClosedForm>,
    /// One entry a timeline of the plan.
    pub timelines: Vec<ContenderTimeline>,
    /// The first fleet as keys come, one entry a mark; empty where it was refused.
    pub fills: Vec<Fill>,
    /// What failures of the first fleet do; none where that was not asked.
    pub failures: Option<FailureAnswer>,
}

/// The balance by keys over the ranks of the first fleet when so many keys have come.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fill {
    /// How many keys.
    pub keys: u64,
    /// Largest load over the fair one.
    pub max_over_mean: Measured,
    /// Smallest load over the fair one.
    pub min_over_mean: Measured,
    /// Weighted coefficient of variation.
    pub cv: Measured,
    /// How the loads compare with ideal hashes; none for a single rank.
    pub evenness: Option<Evenness>,
}

/// Why a contender is in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// To be chosen.
    Rival,
    /// To show that the figures tell good from bad.
    Canary,
    /// To be looked at, not chosen.
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

impl Contender {
    /// Whether it may be chosen.
    pub fn is_rival(&self) -> bool {
        self.role == Role::Rival
    }
}

/// What one contender did in one timeline.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContenderTimeline {
    /// One entry a step that was reached; step 0 is the start. Empty where not even the first
    /// fleet could be served.
    pub steps: Vec<Step>,
    /// Sums of the movement of all steps by metric id, taken at each seed, then over the seeds: a
    /// key that moves twice counts twice. Empty where a step was refused.
    pub totals: BTreeMap<String, Measured>,
    /// Why the timeline ended early.
    pub refusal: Option<Refusal>,
}

/// A step that a contender could not take.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// Index of the step in the plan.
    pub step: usize,
    /// The capability that is missing; none where a limit or parameter stands in the way.
    pub capability: Option<String>,
    /// The reason in words: `not supported: needs remove-any`.
    pub reason: String,
}

/// The fleet after a step and what the step did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Metrics by id; ids of a measure other than keys end in `.requests` or `.bytes`.
    pub metrics: BTreeMap<String, Measured>,
    /// What theory gives for some of the metrics; empty where weights are not all 1.
    pub theory: BTreeMap<String, Theory>,
    /// How the loads compare with ideal hashes by measure (`keys`, `requests`, `bytes`); empty for
    /// a fleet of one.
    pub evenness: BTreeMap<String, Evenness>,
    /// Each member, in roster order; empty for fleets above [`NODES_LISTED_MAX`], and between the
    /// first and the last step of timelines of more than [`NODE_ROWS_MAX`] members in all steps.
    pub nodes: Vec<NodeLoad>,
    /// Where keys went at the first seed, largest first; at most [`FLOWS_LISTED_MAX`], and fewer
    /// where a timeline has many steps.
    pub flows: Vec<Flow>,
    /// How many smaller flows were left out.
    pub flows_omitted: u64,
    /// Who received the keys of nodes that failed or left, at the first seed.
    pub failure: Option<Failure>,
    /// Name of the node that is full first as loads grow, at the first seed; none without
    /// capacities.
    pub first_full: Option<String>,
}

/// Fleets above this have no table of nodes in the results.
pub const NODES_LISTED_MAX: usize = 300;
/// Timelines whose steps have more members together list those of the first and last step only.
pub const NODE_ROWS_MAX: usize = 5_000;
/// Most flows listed for a step.
pub const FLOWS_LISTED_MAX: usize = 2_000;
/// Most flows listed for a timeline.
pub const FLOW_ROWS_MAX: usize = 100_000;

/// A figure over the hash seeds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Median over the seeds.
    pub median: f64,
    /// Mean over the seeds.
    pub mean: f64,
    /// 5th percentile, by linear interpolation between the seeds' values.
    pub low: f64,
    /// 95th percentile, likewise.
    pub high: f64,
    /// Smallest value over the seeds: what an expectation `at every seed` looks at.
    pub min: f64,
    /// Largest value over the seeds.
    pub max: f64,
    /// What an ideal hash would give, where that is known.
    pub chance: Option<Chance>,
}

impl Measured {
    /// Summarises one value a seed. Panics where there is none.
    pub fn over_seeds(values: &[f64], chance: Option<Chance>) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Measured {
            median: fixed(quantile(&sorted, 0.5)),
            mean: fixed(sorted.iter().sum::<f64>() / sorted.len() as f64),
            low: fixed(quantile(&sorted, 0.05)),
            high: fixed(quantile(&sorted, 0.95)),
            min: fixed(sorted[0]),
            max: fixed(sorted[sorted.len() - 1]),
            chance,
        }
    }
}

/// The quantile of a sorted sample, between neighbours by linear interpolation. Panics where the
/// sample is empty.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let (below, part) = (at.floor() as usize, at.fract());
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + part * (sorted[above] - sorted[below])
}

/// What pure chance gives: the figure of an ideal hash for the same keys, weights and nodes.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chance {
    /// Expected value.
    pub mean: f64,
    /// 5th percentile.
    pub low: f64,
    /// 95th percentile.
    pub high: f64,
}

/// Load of one member. Ratios are to its weighted fair part: 1 is fair; 0 for a member of
/// weight 0.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeLoad {
    /// Its name.
    pub name: String,
    /// Its weight, exact.
    pub weight: String,
    /// Exact share over fair share at the first seed, where the scheme has exact shares.
    pub share: Option<f64>,
    /// Load over fair load by measure (`keys`, `requests`, `bytes`).
    pub load: BTreeMap<String, NodeRatio>,
}

/// Load over fair load of one member.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeRatio {
    /// At the first seed: the published function.
    pub first: f64,
    /// 5th percentile over the seeds.
    pub low: f64,
    /// 95th percentile over the seeds.
    pub high: f64,
}

/// Keys that went from one node to another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Owner before.
    pub source: String,
    /// Owner after.
    pub destination: String,
    /// How many keys.
    pub keys: u64,
    /// Their requests, where keys have requests.
    pub requests: Option<u64>,
    /// Their bytes, where keys have sizes.
    pub bytes: Option<u64>,
    /// Whether the destination's weight rose relative to the source's; else the move is sideways.
    pub forced: bool,
}

/// Who received the keys of the nodes that went.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The nodes that went.
    pub gone: Vec<String>,
    /// Each survivor's extra keys over the fair extra, largest first; at most
    /// [`NODES_LISTED_MAX`]. Fair is 1.
    pub extra: Vec<(String, f64)>,
    /// How many survivors there are.
    pub survivors: u32,
}

/// Something that must hold.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The expectation in words.
    pub text: String,
    /// Whether it held wherever it applied, and applied somewhere.
    pub met: bool,
    /// How many figures were looked at.
    pub checked: u64,
    /// The figures that broke it, in words; at most ten.
    pub failures: Vec<String>,
}

/// Something that the design needs of a contender.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// A metric with bounds, or none.
    pub metric: Option<String>,
    /// Least value, where bounded.
    pub min: Option<f64>,
    /// Largest value, where bounded.
    pub max: Option<f64>,
    /// A capability by name, or none.
    pub capability: Option<String>,
}
