//! How far failures go where capacity is short.

use placelab_core::{NodeId, Roster};
use placelab_metrics::cascade::cascade;
use placelab_metrics::failures::Aftermath;
use rayon::prelude::*;

use super::{Findings, Subject, sample};
use crate::scenario::Capacities;

/// Choices of copies that cascades may take at all hash seeds together, where each has some ten
/// rounds.
const FOLLOWED: usize = 1_000_000;
/// Cascades that are followed at a hash seed even where others have used that up.
const FOLLOWED_MIN: usize = 4;

/// How much each node can take.
#[derive(Clone, PartialEq, Debug)]
pub enum Capacity {
    /// So many times what it has before anybody fails.
    OwnLoad(f64),
    /// So much of its own, in the unit of the loads; without bound where nothing is said.
    Own(Capacities),
}

impl Capacity {
    /// By identity, given the loads.
    pub(super) fn of(&self, roster: &Roster, loads: &[u128]) -> Vec<f64> {
        match self {
            Capacity::OwnLoad(factor) => loads.iter().map(|load| factor * *load as f64).collect(),
            Capacity::Own(capacities) => {
                let mut all = vec![f64::INFINITY; loads.len()];
                for node in roster.nodes() {
                    if let Some(own) = capacities.of(node.id) {
                        all[node.id.index()] = own as f64;
                    }
                }
                all
            }
        }
    }
}

/// What single failures lead to where capacity is short.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cascades {
    /// Single failures looked at.
    pub failures: u64,
    /// Failures after which another node is above its capacity.
    pub spread: u64,
    /// Of these those that were followed to their end.
    pub followed: u64,
    /// Nodes lost over all that were followed.
    pub lost: u64,
    /// Most nodes lost.
    pub lost_most: u64,
}

impl Cascades {
    /// The part of the failures after which another node is above its capacity.
    pub fn spreading(&self) -> f64 {
        self.spread as f64 / self.failures as f64
    }

    /// Mean number of nodes lost to a failure, itself included; those followed stand for all that
    /// spread.
    pub fn lost_mean(&self) -> f64 {
        let each = if self.spread == 0 { 0.0 } else { self.lost as f64 / self.followed as f64 };
        ((self.failures - self.spread) as f64 + self.spread as f64 * each) / self.failures as f64
    }

    /// Both, of different hash seeds.
    pub fn merge(self, other: Cascades) -> Cascades {
        Cascades {
            failures: self.failures + other.failures,
            spread: self.spread + other.spread,
            followed: self.followed + other.followed,
            lost: self.lost + other.lost,
            lost_most: self.lost_most.max(other.lost_most),
        }
    }
}

impl Subject<'_> {
    /// Follows single failures that were looked at, at one of so many hash seeds; nothing where
    /// none is possible.
    pub fn cascades(&self, findings: &Findings, seeds: u32) -> Option<Cascades> {
        let serving = self.roster().serving_ids();
        let is_spreading = |one: &&Aftermath| one.overloaded > 0;
        let spreading = findings.singles.iter().filter(is_spreading);
        let spreading: Vec<NodeId> = spreading.flat_map(|one| one.gone.clone()).collect();
        let most = (FOLLOWED / self.keys.len() / seeds as usize).max(FOLLOWED_MIN);
        let followed = sample::some(&spreading, most);
        let lost = |first: &NodeId| {
            let loads = |gone: &[NodeId]| self.loads_without(gone);
            cascade(&[*first], &serving, findings.calm.capacity(), loads).len() as u64
        };
        let lost: Vec<u64> = followed.par_iter().map(lost).collect();
        let failures = findings.singles.len() as u64;
        (failures > 0).then(|| Cascades {
            failures,
            spread: spreading.len() as u64,
            followed: followed.len() as u64,
            lost: lost.iter().sum(),
            lost_most: lost.iter().copied().max().unwrap_or(1),
        })
    }
}
