//! Null models: the balance that an ideal hash gives by pure chance.
//!
//! An ideal hash sends every key, independently of all others, to a node with probability
//! proportional to the node's weight. Even so loads differ, and a contender can only be blamed
//! for what goes beyond. [`UnitNull`] is the law of these differences where every key counts 1;
//! [`WeightedNull`] where keys count by their requests or bytes.
//!
//! Both speak of ratio_i = (load_i ÷ w_i) ÷ (Σ load ÷ Σ w) over the nodes with w_i > 0. A fleet of
//! one node has the ratio 1 for certain. Without any load, or without any weight, there is no
//! ratio, and every figure is 0.

mod classes;
mod extremes;
mod free;
mod keys;
mod levin;
mod node;
mod ratio_law;
mod spread;
mod surprise;
mod unit;
mod verdict;
mod weighted;

use placelab_results::Chance;

pub use classes::{CLASSES_MAX, Inclusion, WeightClass, weight_classes};
pub use extremes::{Extremes, Idle};
pub use keys::{HEAD_MAX, KeyWeights};
pub use node::NodeLaw;
pub use unit::UnitNull;
pub use verdict::{Evidence, Judgement, LEVEL, Outlier, Question, judge};
pub use weighted::WeightedNull;

/// The law of the loads of an ideal hash: what each balance figure would be by chance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LoadChance {
    /// Of the largest ratio.
    pub max_over_mean: Chance,
    /// Of the smallest ratio.
    pub min_over_mean: Chance,
    /// Of the weighted coefficient of variation of the ratios: √ Σ p_i (ratio_i − 1)², where p_i
    /// is the weight of node i over the total weight.
    pub cv: Chance,
}

impl LoadChance {
    /// Of no load, or of no node that may have one.
    const NOTHING: LoadChance = LoadChance::certain(0.0, 0.0);
    /// Of a single node.
    const ALONE: LoadChance = LoadChance::certain(1.0, 0.0);

    const fn certain(ratio: f64, cv: f64) -> Self {
        let (ratio, cv) = (certainty(ratio), certainty(cv));
        LoadChance { max_over_mean: ratio, min_over_mean: ratio, cv }
    }
}

const fn certainty(value: f64) -> Chance {
    Chance { mean: value, low: value, high: value }
}

/// The weights above zero, ascending.
fn positive_weights(weights: &[u64]) -> Vec<u64> {
    let mut positive: Vec<u64> = weights.iter().copied().filter(|&weight| weight > 0).collect();
    positive.sort_unstable();
    positive
}

/// The sum of weights, exact.
fn total_weight(weights: &[u64]) -> u128 {
    weights.iter().map(|&weight| u128::from(weight)).sum()
}
