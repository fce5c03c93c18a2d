//! The law of the weighted coefficient of variation where keys count by requests or bytes.
//!
//! With key weights r, cv² · (Σ r)² ÷ Σ r² is Pearson's statistic with every pair of keys weighed:
//! Σ r_k² x_k + 2 Σ r_k r_l y_kl, over Σ r². Here x_k is 1 ÷ p − 1 for the share p of key k's node;
//! y_kl is 1 ÷ p − 1 where both keys are on that node, else −1. As y has a mean of 0 whatever
//! node one of its keys is on, the first three cumulants come down to sums over the keys of powers
//! of r and sums over the nodes of powers of 1 ÷ p. We take the gamma law with these three, moved
//! along its axis (Pearson's type III). Where all r are 1, mean and variance are those of `spread`.
//!
//! Limits: an approximation where one key outweighs all others together on nodes of different
//! weight, as the statistic of one hash then has a lump for each weight. A sum over several hash
//! seeds is smoother.

use placelab_core::math::sqrt;

use super::KeyWeights;
use crate::special::{Tails, gamma_tails};

/// Relative variance below which the statistic counts as certain.
const VARIANCE_MIN: f64 = 1e-12;
/// Less skewness than this makes no difference.
const SKEWNESS_MIN: f64 = 1e-3;

/// The first three cumulants of the statistic of one ideal hash.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Surprise {
    /// The statistic over cv²: (Σ r)² ÷ Σ r², as many equal keys as would vary as much.
    keys: f64,
    mean: f64,
    variance: f64,
    third: f64,
}

impl Surprise {
    /// For some load and at least two nodes of these shares.
    pub(super) fn new(keys: &KeyWeights, shares: &[f64]) -> Self {
        let (total, squares) = (keys.total() as f64, keys.sum_of(|weight| weight * weight));
        let unit = sqrt(squares);
        let cubes = keys.sum_of(|weight| cube(weight / unit));
        let fourths = keys.sum_of(|weight| cube(weight / unit) * (weight / unit));
        let sixths = keys.sum_of(|weight| cube(weight / unit) * cube(weight / unit));
        let sum = |term: &dyn Fn(f64) -> f64| shares.iter().map(|&share| term(share)).sum::<f64>();
        let nodes = shares.len() as f64;
        let one_key = sum(&|share| share * (1.0 / share - nodes) * (1.0 / share - nodes));
        let one_key_third = sum(&|share| share * cube(1.0 / share - nodes));
        let pair_third = sum(&|share| 1.0 / share) - 3.0 * nodes + 2.0;
        let pairs = cubes * cubes - sixths;
        let triples = 1.0 - 3.0 * fourths + 2.0 * sixths;
        Surprise {
            keys: total * total / squares,
            mean: nodes - 1.0,
            variance: 2.0 * (nodes - 1.0) * (1.0 - fourths) + one_key * fourths,
            third: sixths * one_key_third
                + (12.0 * (fourths - sixths) + 6.0 * pairs) * one_key
                + 4.0 * pairs * pair_third
                + 8.0 * triples * (nodes - 1.0),
        }
    }

    /// The tails at the sum of the statistics of independent ideal hashes with these coefficients
    /// of variation; none where the statistic is certain.
    pub(super) fn tails(&self, cvs: &[f64]) -> Option<Tails> {
        if cvs.is_empty() || self.variance < VARIANCE_MIN * self.mean * self.mean {
            return None;
        }
        let hashes = cvs.len() as f64;
        let sum: f64 = cvs.iter().map(|cv| self.keys * cv * cv).sum();
        let deviation = sqrt(hashes * self.variance);
        let distance = (sum - hashes * self.mean) / deviation;
        let skewness = hashes * self.third / cube(deviation);
        let root = skewness.abs().max(SKEWNESS_MIN) / 2.0;
        let shape = 1.0 / (root * root);
        let mirrored = skewness < 0.0;
        let tails = gamma_tails(shape, shape + if mirrored { -distance } else { distance } / root);
        let Tails { lower, upper } = tails;
        Some(if mirrored { Tails { lower: upper, upper: lower } } else { tails })
    }
}

fn cube(value: f64) -> f64 {
    value * value * value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to throw three keys of weights 3, 2, 1 on nodes of 1, 2 and 4 sevenths.
    #[test]
    fn cumulants_are_those_of_the_whole_law() {
        for shares in [vec![1.0 / 7.0, 2.0 / 7.0, 4.0 / 7.0], vec![0.25; 4], vec![0.1, 0.9]] {
            let (nodes, weights) = (shares.len(), [3u64, 2, 1]);
            let surprise = Surprise::new(&KeyWeights::from_keys(weights), &shares);
            let mut moments = [0.0; 3];
            for outcome in 0..nodes.pow(3) {
                let places = [outcome % nodes, outcome / nodes % nodes, outcome / nodes / nodes];
                let chance: f64 = places.iter().map(|&place| shares[place]).product();
                let mut loads = vec![0.0; nodes];
                places.iter().zip(weights).for_each(|(&at, weight)| loads[at] += weight as f64);
                let part =
                    |(load, share): (&f64, &f64)| (load - 6.0 * share).powi(2) / share / 14.0;
                let statistic: f64 = loads.iter().zip(&shares).map(part).sum();
                let distance = statistic - (nodes as f64 - 1.0);
                (1..=3)
                    .for_each(|power| moments[power - 1] += chance * distance.powi(power as i32));
            }
            let wanted = [0.0, surprise.variance, surprise.third];
            for (found, wanted) in moments.into_iter().zip(wanted) {
                assert!((found - wanted).abs() < 1e-9, "{shares:?}: {moments:?} {surprise:?}");
            }
        }
    }

    #[test]
    fn one_key_on_equal_nodes_is_certain() {
        let surprise = Surprise::new(&KeyWeights::from_keys([5]), &[0.5; 2]);
        assert_eq!(surprise.tails(&[1.0, 1.0]), None);
        assert_eq!(Surprise::new(&KeyWeights::from_keys([5, 1]), &[0.5; 2]).tails(&[]), None);
    }
}
