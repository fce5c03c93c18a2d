//! Where the labels of shards let them be.

use std::collections::BTreeMap;

use placelab_core::{Domain, Node};

use super::{Infeasible, Rules, Shard};

/// Sets of nodes, by what allows them.
pub(super) struct Allowances<'a> {
    nodes: &'a [&'a Node],
    /// The failure domain of each node.
    domains: &'a [usize],
    /// By number of the node, whether it is allowed; the first set has all.
    sets: Vec<Vec<bool>>,
    by_label: BTreeMap<&'a str, usize>,
}

impl<'a> Allowances<'a> {
    /// The sets of all labels.
    ///
    /// # Errors
    /// A label whose shards have too few failure domains for their copies.
    pub(super) fn new(
        nodes: &'a [&'a Node],
        domains: &'a [usize],
        shards: &[Shard],
        rules: &'a Rules,
    ) -> Result<Self, Infeasible> {
        let mut all = Allowances {
            nodes,
            domains,
            sets: vec![vec![true; nodes.len()]],
            by_label: BTreeMap::new(),
        };
        for (label, zones) in &rules.residency {
            let is_allowed =
                |node: &&Node| node.zone.as_ref().is_some_and(|zone| zones.contains(zone));
            let set = all.add(nodes.iter().map(is_allowed).collect());
            all.by_label.insert(label, set);
            let found = all.domains_of(set);
            let concerned = shards.iter().filter(|shard| shard.label.as_ref() == Some(label));
            let concerned: Vec<String> = concerned.map(|shard| shard.name.clone()).collect();
            if found < rules.copies && !concerned.is_empty() {
                return Err(Infeasible::Residency {
                    label: label.clone(),
                    shards: concerned,
                    copies: rules.copies,
                    domains: rules.spread.name(),
                    found,
                });
            }
        }
        Ok(all)
    }

    fn add(&mut self, set: Vec<bool>) -> usize {
        self.sets.push(set);
        self.sets.len() - 1
    }

    /// The set of a shard: that of its label, or all.
    pub(super) fn of(&self, shard: &Shard) -> usize {
        let label = shard.label.as_deref().and_then(|label| self.by_label.get(label));
        label.copied().unwrap_or(0)
    }

    /// The nodes that two sets have in common.
    pub(super) fn both(&mut self, one: usize, other: usize) -> usize {
        if one == other || other == 0 {
            return one;
        }
        if one == 0 {
            return other;
        }
        let both = std::iter::zip(&self.sets[one], &self.sets[other]);
        let both = both.map(|(one, other)| *one && *other).collect();
        self.add(both)
    }

    /// How many failure domains a set has nodes in.
    pub(super) fn domains_of(&self, set: usize) -> usize {
        let allowed = std::iter::zip(self.domains, &self.sets[set]).filter(|(_, yes)| **yes);
        let mut domains: Vec<usize> = allowed.map(|(domain, _)| *domain).collect();
        domains.sort_unstable();
        domains.dedup();
        domains.len()
    }

    /// The zones to which a set is kept; none where it has all nodes.
    pub(super) fn zones_of(&self, set: usize) -> Vec<Domain> {
        let mut zones = Vec::new();
        if self.sets[set].contains(&false) {
            let kept = std::iter::zip(self.nodes, &self.sets[set]).filter(|(_, yes)| **yes);
            zones.extend(kept.filter_map(|(node, _)| node.zone.clone()));
            zones.sort();
            zones.dedup();
        }
        zones
    }

    /// How many sets there are.
    pub(super) fn count(&self) -> usize {
        self.sets.len()
    }

    /// The sets, to be looked at quickly.
    pub(super) fn into_sets(self) -> Vec<Vec<bool>> {
        self.sets
    }
}
