//! How far failures go where capacity is short.

use placelab_core::NodeId;
use placelab_metrics::cascade::cascade;
use placelab_metrics::failures::Aftermath;
use rayon::prelude::*;

use super::{Findings, Subject, sample};

/// Choices of copies that cascades may take, where each has some ten rounds.
const FOLLOWED: usize = 1_000_000;

/// What single failures lead to where each node can hold so many times its own load.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cascades {
    /// Single failures looked at.
    pub failures: u64,
    /// Failures that overload another node.
    pub spread: u64,
    /// Of these those that were followed to their end.
    pub followed: u64,
    /// Nodes lost over all that were followed.
    pub lost: u64,
    /// Most nodes lost.
    pub lost_most: u64,
}

impl Cascades {
    /// The part of the failures that overload another node.
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
    /// Follows the single failures that were looked at, where each node can hold `factor` times
    /// what it had before; nothing where none is possible.
    pub fn cascades(&self, findings: &Findings, factor: f64) -> Option<Cascades> {
        let capacity: Vec<f64> =
            findings.calm.loads().iter().map(|load| factor * *load as f64).collect();
        let serving = self.roster().serving_ids();
        let is_spreading = |one: &&Aftermath| one.own_headroom > factor;
        let spreading = findings.singles.iter().filter(is_spreading);
        let spreading: Vec<NodeId> = spreading.flat_map(|one| one.gone.clone()).collect();
        let most = (FOLLOWED / self.keys.len()).max(2);
        let followed = sample::some(&spreading, most);
        let lost = |first: &NodeId| {
            let loads = |gone: &[NodeId]| self.loads_without(gone);
            cascade(&[*first], &serving, &capacity, loads).len() as u64
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
