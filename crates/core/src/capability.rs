//! What schemes can do, by names that designs can require.

use std::fmt;

use crate::spec::{AlgorithmSpec, Arguments, Claim, FleetSize};

/// The family of schemes that number what they choose from.
pub const RANGE_HASH: &str = "range hash";
/// The family of schemes that write down who owns what.
pub const OWNER_TABLE: &str = "owner table";
/// Between these sizes of a fleet [`Capability::ConstantLookup`] is asked,
const CONSTANT_OVER: [u32; 2] = [100, 10_000];
/// and so many times the steps are taken for no more.
const CONSTANT_GROWTH_MAX: f64 = 1.25;

/// What a scheme can do beyond growing and shrinking at the tail with equal weights.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Capability {
    /// Any member may go, not only the one that joined last.
    RemoveAny,
    /// Members may have different weights, and weights may change.
    Weights,
    /// A weight that changes moves keys to or from that member alone.
    IndependentWeights,
    /// A key may have copies on further nodes.
    Replicas,
    /// A key has a number of a stable range, which who knows the count alone can work out.
    NumberedRange,
    /// Who owns what is written down and can be chosen: where the law, a rack or a tenant asks.
    ChosenOwners,
    /// The steps of a lookup do not grow with the fleet, on average.
    ConstantLookup,
}

impl Capability {
    /// Every capability.
    pub const ALL: [Capability; 7] = [
        Capability::RemoveAny,
        Capability::Weights,
        Capability::IndependentWeights,
        Capability::Replicas,
        Capability::NumberedRange,
        Capability::ChosenOwners,
        Capability::ConstantLookup,
    ];
    /// Those that events need, and that algorithms declare. The others follow from what an
    /// algorithm says of itself elsewhere.
    pub const DECLARED: [Capability; 2] = [Capability::RemoveAny, Capability::Weights];

    /// The name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Capability::RemoveAny => "remove-any",
            Capability::Weights => "weights",
            Capability::IndependentWeights => "independent-weights",
            Capability::Replicas => "replicas",
            Capability::NumberedRange => "numbered-range",
            Capability::ChosenOwners => "chosen-owners",
            Capability::ConstantLookup => "constant-lookup",
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl AlgorithmSpec {
    /// Whether it has a capability with these arguments, be it declared or not.
    pub fn offers(&self, arguments: &Arguments, capability: Capability) -> bool {
        match capability {
            Capability::RemoveAny | Capability::Weights => self.can(capability),
            Capability::IndependentWeights => {
                self.can(Capability::Weights) && self.claims(Claim::MinimalMovement)
            }
            Capability::Replicas => !self.is_load_aware(),
            Capability::NumberedRange => [RANGE_HASH, OWNER_TABLE].contains(&self.family),
            Capability::ChosenOwners => self.family == OWNER_TABLE,
            Capability::ConstantLookup => {
                let steps = |nodes| (self.steps)(arguments, FleetSize { first: nodes, now: nodes });
                let [few, many] = CONSTANT_OVER.map(steps);
                many <= CONSTANT_GROWTH_MAX * few
            }
        }
    }
}
