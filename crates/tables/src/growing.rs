//! A map that is read shard by shard, from whatever form of file.

use std::collections::{BTreeMap, BTreeSet};

use placelab_algorithms::shard_map::{Shard, ShardMap};
use placelab_core::{NodeId, NodeName, Roster};

use crate::mistake::Mistake;

/// A text that is to be a name: of nodes, shards, labels, tenants and zones alike.
pub(crate) fn name(key: &'static str, text: &str) -> Result<NodeName, Mistake> {
    NodeName::new(text).map_err(|error| Mistake::value(key, error))
}

/// Shards and who holds them, as far as they are read.
pub(crate) struct Growing<'a> {
    copies: usize,
    members: BTreeMap<&'a str, NodeId>,
    names: BTreeSet<String>,
    shards: Vec<Shard>,
    holders: Vec<NodeId>,
}

impl<'a> Growing<'a> {
    pub(crate) fn new(roster: Option<&'a Roster>, copies: usize) -> Self {
        let nodes = roster.into_iter().flat_map(|roster| roster.nodes());
        Growing {
            copies,
            members: nodes.map(|node| (node.name.as_str(), node.id)).collect(),
            names: BTreeSet::new(),
            shards: Vec::new(),
            holders: Vec::new(),
        }
    }

    /// Another shard, of which no holder is known yet. Its name is its own.
    pub(crate) fn shard(&mut self, shard: Shard) -> Result<(), Mistake> {
        if !self.names.insert(shard.name.clone()) {
            return Err(Mistake::Duplicate { what: "shard", name: shard.name });
        }
        self.shards.push(shard);
        self.holders.resize(self.shards.len() * self.copies, NodeId::NOBODY);
        Ok(())
    }

    /// Who holds a copy of the last shard. Panics where there is none, or beyond its copies.
    pub(crate) fn holder(&mut self, copy: usize, node: &str) -> Result<(), Mistake> {
        let last = self.shards.len() - 1;
        let Some(id) = self.members.get(node) else {
            let (shard, node) = (self.shards[last].name.clone(), name("holders", node)?);
            return Err(Mistake::UnknownOwner { shard, node: node.to_string() });
        };
        self.holders[last * self.copies..][..self.copies][copy] = *id;
        Ok(())
    }

    /// How many shards there are so far.
    pub(crate) fn len(&self) -> u64 {
        self.shards.len() as u64
    }

    pub(crate) fn finish(self) -> (Vec<Shard>, ShardMap) {
        (self.shards, ShardMap::new(self.copies, self.holders))
    }
}
