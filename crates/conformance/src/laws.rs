//! The laws, one function each.

use placelab_core::{AlgorithmSpec, Capability, Claim};

use crate::subject::{Finding, Subject};

mod answers;
mod balance;
mod cost;
mod fleet;
mod movement;
mod weights;

/// A promise that can be checked.
pub(crate) struct Law {
    /// The name in certificates.
    pub(crate) name: &'static str,
    /// What it says, in a sentence.
    pub(crate) says: &'static str,
    /// Whom it binds.
    pub(crate) binds: fn(&'static AlgorithmSpec) -> bool,
    pub(crate) check: fn(&Subject) -> Finding,
}

const fn law(
    name: &'static str,
    says: &'static str,
    binds: fn(&'static AlgorithmSpec) -> bool,
    check: fn(&Subject) -> Finding,
) -> Law {
    Law { name, says, binds, check }
}

fn everybody(_: &AlgorithmSpec) -> bool {
    true
}

fn functions(spec: &AlgorithmSpec) -> bool {
    !spec.is_load_aware()
}

fn minimal(spec: &AlgorithmSpec) -> bool {
    spec.claims(Claim::MinimalMovement)
}

/// Every law but the footprint, in the order of certificates.
#[rustfmt::skip]
pub(crate) static LAWS: &[Law] = &[
    law("range", "Only live nodes of positive weight own keys.", everybody, fleet::range),
    law("deterministic", "A copy, a rebuild from the same history and another thread answer alike.",
        everybody, answers::deterministic),
    law("one-answer",
        "Single lookups, batches, several memberships at once and traced lookups agree.",
        functions, answers::one_answer),
    law("copies", "Replicas are distinct, the owner first, and too few nodes a typed error.",
        functions, answers::copies),
    law("candidates", "Every node of positive weight is a candidate exactly once.",
        functions, answers::candidates),
    law("capabilities", "What is declared can be done, and what is not is refused by name.",
        everybody, fleet::capabilities),
    law("names",
        "Renaming everybody moves what chance says or nothing; a new hash seed moves all but what \
         chance keeps.", everybody, movement::names_and_seeds),
    law("minimal-movement", "Keys move only to nodes whose relative weight rose.",
        minimal, movement::minimal),
    law("restores", "Adding a node and removing it again leaves every key where it was.",
        |spec| spec.claims(Claim::Restores), movement::restores),
    law("order-free", "The order of joining, and of updates, does not matter.",
        |spec| spec.claims(Claim::OrderFree), fleet::order_free),
    law("scripts", "Any script of changes leaves a valid placement or a typed error.",
        everybody, fleet::scripts),
    law("twin", "A slow, obvious twin agrees after any script of changes.",
        everybody, fleet::twin),
    law("table", "Where a table has the owners, a key changes its owner as some row does.",
        fleet::has_table, fleet::table),
    law("balance", "Loads of equal nodes differ by chance alone: a G-test over many fleet sizes.",
        |spec| spec.claims(Claim::FairShares), balance::equal),
    law("weights", "Loads of unequal nodes follow their weights: a G-test.",
        |spec| spec.claims(Claim::FairShares) && spec.can(Capability::Weights), balance::weights),
    law("exact-shares", "Shares that are said to be exact are complete, and what sampling finds.",
        functions, balance::exact_shares),
    law("bounds", "No node takes more keys than its bound, and all have room together.",
        AlgorithmSpec::is_load_aware, balance::bounds),
    law("resolution",
        "The lightest weight that has its share is the one that is stated, by exact shares.",
        |spec| functions(spec) && spec.can(Capability::Weights), weights::resolution),
    law("scale-free", "Multiplying all weights by one number moves no key.",
        |spec| spec.claims(Claim::ScaleFree), weights::scale_free),
    law("everybody-owns", "Every live node owns something.", everybody, balance::everybody_owns),
    law("work", "A lookup takes as many steps as documented, on average over keys and fleets.",
        functions, cost::work),
];
