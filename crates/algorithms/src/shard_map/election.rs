//! Who owns each shard, of the nodes that hold it.

use super::ShardMap;
use super::solve::{Allowance, Held, Solver, numbers};
use super::units::{Unit, come_home};

impl Solver<'_> {
    /// The owner of each unit among the nodes that hold it: in proportion to the weights as far as
    /// that goes, and another than before for as few shards as that takes. It is the same search,
    /// of one copy that is kept to those nodes.
    pub(super) fn elect(&self, before: &ShardMap) -> Vec<u32> {
        let number = numbers(&self.nodes);
        let is_held = |unit: &Unit| {
            let nodes = 0..self.nodes.len() as u32;
            Allowance::new(nodes.map(|node| unit.on.contains(&node)).collect())
        };
        let candidate = |(allowance, unit): (usize, &Unit)| {
            let mut homes = Vec::new();
            for shard in &unit.shards {
                let owner = number.get(&before.holders(*shard as usize)[0]);
                owner.iter().for_each(|owner| come_home(&mut homes, **owner));
            }
            Unit { shards: unit.shards.clone(), allowance, homes, on: Vec::new() }
        };
        let mut election = Solver {
            shards: self.shards,
            copies: 1,
            nodes: self.nodes.clone(),
            domains: (0..self.nodes.len()).collect(),
            units: self.units.iter().enumerate().map(candidate).collect(),
            allowances: self.units.iter().map(is_held).collect(),
            zones: vec![Vec::new(); self.units.len()],
            targets: Vec::new(),
            // A node can own all that it holds, so that there always is a place.
            most: self.loads.clone(),
            loads: vec![0; self.nodes.len()],
            held: vec![Held::default(); self.nodes.len()],
            is_raised: self.is_raised,
        };
        election.run().expect("a node can own what it holds");
        election.units.iter().map(|unit| unit.on[0]).collect()
    }
}
