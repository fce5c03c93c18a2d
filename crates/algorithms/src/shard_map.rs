//! Shard maps: for every shard the nodes that hold it, under constraints, by the fewest moves.
//!
//! A control plane that owns a table may place what no hash can: shards that must stay in some
//! zones (*residency*), copies that must not share a zone or rack (*spread*), shards of a tenant
//! that must be on one node (*together*), and nodes that hold only so much (*capacity*).
//! [`solve`] finds a map that meets them all, with loads in proportion to weights as far as they
//! allow, and from the map before it moves as little as it can.
//!
//! Without tenants that must be together this is a minimum-cost flow: from each shard over its
//! failure domains to nodes, where a copy costs nothing on a node that has one already and one move
//! anywhere else. Successive shortest paths (Ahuja, Magnanti, Orlin: Network Flows, 1993, section
//! 9.7) are run on the graph of the nodes: an edge from A to B is the cheapest copy that may leave
//! A for B. Where every node reaches its target the number of moves is the least there is for these
//! targets ([`Optimum::Proven`]). Tenants of several shards make it a packing, and labels may leave
//! targets out of reach; both are done by rule of thumb, and said so.
//!
//! Owners are then elected among the nodes that hold each shard, which moves nothing: the same
//! search with one copy, in proportion to weights and with few changes.
//!
//! Cost: one scan of the nodes for a copy that finds a node with room at once, as most do. Else a
//! search over the N nodes, O(N²) where copies are at home and up to O(N · copies) where many are
//! away or labels keep most nodes out of reach: a map made anew of which half is resident in half
//! of the zones takes far longer than one without labels.

mod contender;
mod election;
mod infeasible;
mod residency;
mod solve;
mod targets;
mod units;
mod verify;
mod ways;

use std::collections::{BTreeMap, BTreeSet};

use placelab_core::{Domain, NodeId, Roster};

pub(crate) use contender::SPEC;
pub use infeasible::Infeasible;
pub use solve::solve;
pub use verify::{Broken, verify};

/// Most copies of a shard that contenders and files take.
pub const COPIES_MAX: u64 = 8;

/// Something that is placed as a whole.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shard {
    /// What it is called.
    pub name: String,
    /// What decides where it may be: see [`Rules::residency`].
    pub label: Option<String>,
    /// Shards of one tenant are on the same nodes where [`Rules::together`] is set.
    pub tenant: Option<String>,
}

/// What copies of a shard must not share.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Spread {
    /// A node.
    #[default]
    Nodes,
    /// A zone; a node without one is a zone of its own.
    Zones,
    /// A rack of a zone; a node without both is a rack of its own.
    Racks,
}

impl Spread {
    /// Every kind.
    pub const ALL: [Spread; 3] = [Spread::Nodes, Spread::Zones, Spread::Racks];

    /// What copies are on different ones of, in the plural: the name in files and options.
    pub const fn name(self) -> &'static str {
        match self {
            Spread::Nodes => "nodes",
            Spread::Zones => "zones",
            Spread::Racks => "racks",
        }
    }

    /// The kind of a name; none where nothing is called so.
    pub fn named(name: &str) -> Option<Self> {
        Spread::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// What a map has to keep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Copies of each shard, on nodes of their own: at least one.
    pub copies: usize,
    /// What copies must not share.
    pub spread: Spread,
    /// Zones in which shards of a label may be; others may be anywhere.
    pub residency: BTreeMap<String, BTreeSet<Domain>>,
    /// Whether the shards of a tenant have to be on the same nodes.
    pub together: bool,
    /// Most copies of a node; without bound where none is given.
    pub capacity: BTreeMap<NodeId, u64>,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            copies: 1,
            spread: Spread::Nodes,
            residency: BTreeMap::new(),
            together: false,
            capacity: BTreeMap::new(),
        }
    }
}

/// Which nodes hold each shard, the owner first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardMap {
    copies: usize,
    /// Shard after shard; nobody where a copy has no place yet.
    holders: Vec<NodeId>,
}

impl ShardMap {
    /// A map in which nothing has a place yet. Panics without copies.
    pub fn empty(shards: usize, copies: usize) -> Self {
        ShardMap::new(copies, vec![NodeId::NOBODY; shards * copies])
    }

    /// A map of so many copies, shard after shard. Panics where they are no whole number of rows.
    pub fn new(copies: usize, holders: Vec<NodeId>) -> Self {
        assert!(copies > 0 && holders.len().is_multiple_of(copies), "rows of {copies} copies");
        ShardMap { copies, holders }
    }

    /// Copies of each shard.
    pub fn copies(&self) -> usize {
        self.copies
    }

    /// How many shards there are.
    pub fn shards(&self) -> usize {
        self.holders.len() / self.copies
    }

    /// The nodes of a shard, the owner first.
    #[inline]
    pub fn holders(&self, shard: usize) -> &[NodeId] {
        &self.holders[shard * self.copies..(shard + 1) * self.copies]
    }

    /// How many copies each node of a roster holds, in its order.
    pub fn loads(&self, roster: &Roster) -> Vec<u64> {
        let mut loads: BTreeMap<NodeId, u64> = BTreeMap::new();
        self.holders.iter().for_each(|node| *loads.entry(*node).or_default() += 1);
        roster.nodes().iter().map(|node| loads.get(&node.id).copied().unwrap_or(0)).collect()
    }

    /// Copies that are on a node on which the other map has none of the shard. Panics where the
    /// maps have other numbers of shards.
    pub fn moves_from(&self, before: &ShardMap) -> u64 {
        assert_eq!(self.shards(), before.shards(), "maps of the same shards");
        let moved = |shard: usize| {
            let old = before.holders(shard);
            self.holders(shard).iter().filter(|node| !old.contains(node)).count() as u64
        };
        (0..self.shards()).map(moved).sum()
    }
}

/// What is known of how few moves there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Optimum {
    /// No map with the same load of each node is reached by fewer.
    Proven,
    /// There may be fewer.
    Heuristic,
}

/// A map that keeps the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// The map.
    pub map: ShardMap,
    /// Copies that are made: those on a node that had none of their shard before.
    pub moves: u64,
    /// Whether fewer would do.
    pub optimum: Optimum,
}
