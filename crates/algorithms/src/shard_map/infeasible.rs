//! Why no map keeps the rules.

use std::fmt;

use placelab_core::{Domain, NodeName};

/// Shards or nodes that a message names.
const NAMED_MAX: usize = 5;

/// What cannot be kept, with who is concerned.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Infeasible {
    /// The map before has other numbers of shards or copies than are asked for.
    #[error("the map before is of {found}, and {asked} are asked for")]
    OtherShape {
        /// `8 shards of 2 copies`, as it is.
        found: String,
        /// As it should be.
        asked: String,
    },
    /// Shards may be in too few failure domains for their copies.
    #[error(
        "residency: {} with label `{label}` need {copies} of the {domains} that are allowed, and \
         {found} have a node of positive weight",
        some(shards)
    )]
    Residency {
        /// The label.
        label: String,
        /// Its shards.
        shards: Vec<String>,
        /// Copies of each.
        copies: usize,
        /// `zones`, `racks` or `nodes` of which copies must not share one.
        domains: &'static str,
        /// How many there are where the shards may be.
        found: usize,
    },
    /// There are too few failure domains for the copies of any shard.
    #[error("spread: {copies} copies of each shard need as many {domains}, and there are {found}")]
    Spread {
        /// Copies of each.
        copies: usize,
        /// `zones`, `racks` or `nodes`.
        domains: &'static str,
        /// How many have a node of positive weight.
        found: usize,
    },
    /// Shards of one tenant may be in too few places together.
    #[error("together: the labels of tenant `{tenant}` have too few nodes in common")]
    Together {
        /// The tenant.
        tenant: String,
    },
    /// No node with room for a whole tenant was found. Packing is a matter of luck: another order
    /// might find one.
    #[error(
        "together: tenant `{tenant}` needs room for {size} copies on one node, and the most that \
         was found is {room}; the search is no proof that there is no way"
    )]
    Packing {
        /// The tenant.
        tenant: String,
        /// Its shards.
        size: u64,
        /// Free on the emptiest node where it may be.
        room: u64,
    },
    /// The only nodes that could hold some shard are full.
    #[error(
        "capacity: no room for another copy of shard `{shard}`{}: {} hold the {room} copies that \
         they can",
        in_zones(zones),
        nodes(only)
    )]
    Capacity {
        /// A shard without a place.
        shard: String,
        /// The nodes where it may be, or that could be made free for it.
        only: Vec<NodeName>,
        /// What these can hold.
        room: u64,
        /// The zones to which residency keeps them; empty where it does not.
        zones: Vec<Domain>,
    },
}

/// `shard `a`` or `3 shards (`a`, `b`, `c`)`.
fn some(shards: &[String]) -> String {
    match shards {
        [only] => format!("shard `{only}`"),
        _ => {
            let named = shards.iter().take(NAMED_MAX).map(|shard| format!("`{shard}`"));
            let more = if shards.len() > NAMED_MAX { ", …" } else { "" };
            format!("{} shards ({}{more})", shards.len(), named.collect::<Vec<_>>().join(", "))
        }
    }
}

fn nodes(nodes: &[NodeName]) -> String {
    if nodes.is_empty() {
        return "no node".into();
    }
    let named = nodes.iter().take(NAMED_MAX).map(|node| format!("`{node}`"));
    let more = match nodes.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    named.collect::<Vec<_>>().join(", ") + &more
}

fn in_zones(zones: &[Domain]) -> impl fmt::Display {
    match zones {
        [] => String::new(),
        _ => {
            let zones: Vec<String> = zones.iter().map(|zone| format!("`{zone}`")).collect();
            format!(" (residency in {})", zones.join(", "))
        }
    }
}
