//! What can go wrong when a scheme is made or changed.

use crate::capability::Capability;
use crate::node::{NodeId, NodeName};
use crate::roster::Roster;

/// Why a scheme could not be made or changed. The state before stays as it was.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// The scheme cannot do this: a property of the algorithm, not a fault of the caller.
    #[error("not supported: needs {capability}")]
    Unsupported {
        /// What the scheme would have to be able to do.
        capability: Capability,
        /// Index of the change that needs it; none where the first roster does.
        change: Option<usize>,
    },
    /// More than the scheme or this build can hold.
    #[error("{what}: {asked} asked for, at most {possible} possible{}", due_to(heaviest.as_ref()))]
    Limit {
        /// What there would be too much of.
        what: &'static str,
        /// How much was asked for.
        asked: u64,
        /// How much is possible.
        possible: u64,
        /// The heaviest node, where weights ask for it and are not all the same.
        heaviest: Option<NodeName>,
    },
    /// A name or identity stands in the roster already.
    #[error("node `{name}` is in the fleet already")]
    DuplicateNode {
        /// The name.
        name: NodeName,
    },
    /// No member has this identity.
    #[error("node #{} is not in the fleet", id.0)]
    UnknownNode {
        /// The identity.
        id: NodeId,
    },
    /// More copies than nodes that could hold them.
    #[error(
        "{asked} copies of a key need as many nodes of positive weight, and there are {serving}"
    )]
    TooFewNodes {
        /// Copies of a key.
        asked: usize,
        /// Nodes of positive weight.
        serving: usize,
    },
    /// Copies have to spread over more zones or racks than have a node of positive weight.
    #[error(
        "{asked} copies of a key need as many {kind} with a node of positive weight, and there \
         are {found}"
    )]
    TooFewDomains {
        /// `zones` or `racks`.
        kind: &'static str,
        /// Copies of a key.
        asked: usize,
        /// Domains with a node of positive weight.
        found: usize,
    },
    /// Keys are assigned in their order, each by the loads before it, so a key alone has no owner.
    #[error("assigns keys in their order by load: a key alone has no owner")]
    LoadAware,
    /// The scheme has one place for a key and no order of preference for more.
    #[error("places one copy of a key, and {asked} are asked for")]
    OneCopy {
        /// Copies of a key.
        asked: usize,
    },
    /// Nobody with a positive weight is left to own keys.
    #[error("no node of positive weight would be left in the fleet")]
    NobodyLeft,
    /// A parameter has a value that the algorithm cannot take.
    #[error("parameter `{parameter}`: {reason}")]
    Parameter {
        /// The parameter.
        parameter: String,
        /// What is wrong, and what would be right.
        reason: String,
    },
}

impl PlacementError {
    /// Too much of something that the weights of a roster ask for.
    pub fn too_much(what: &'static str, asked: u64, possible: u64, roster: &Roster) -> Self {
        let heaviest = roster.nodes().iter().rev().max_by_key(|node| node.weight);
        let heaviest = heaviest.filter(|_| roster.is_weighted()).map(|node| node.name.clone());
        PlacementError::Limit { what, asked, possible, heaviest }
    }
}

fn due_to(heaviest: Option<&NodeName>) -> String {
    heaviest.map_or(String::new(), |name| format!("; the heaviest node is `{name}`"))
}
