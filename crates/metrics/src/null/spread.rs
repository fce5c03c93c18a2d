//! The law of the weighted coefficient of variation of unit loads.
//!
//! copies · cv² = Σ (X_i − E_i)² ÷ E_i, where E_i is what node i expects and the copies are all of
//! the keys, is Pearson's statistic. For one copy of each key it is nearly chi-square of N − 1
//! degrees of freedom. We take the gamma law with the statistic's exact mean N − 1 and exact
//! variance 2 (N − 1) + (Σ 1 ÷ p_i − N² − 2N + 2) ÷ keys (Haldane, "The exact value of the moments
//! of the distribution of χ²", Biometrika 29, 1937), which is the chi-square law for many keys
//! and stays honest for few.
//!
//! Copies on distinct nodes: the same moments follow from the covariances of one key's copies,
//! M_ij = v_i δ_ij − v_i v_j ÷ Σ v. With D the diagonal of 1 ÷ chance_i the mean is tr DM and the
//! variance 2 (1 − 1 ÷ keys) tr (DM)² + Σ (DMD)_ij ÷ keys.
//!
//! Limits: an approximation where nodes expect less than about one key each; the statistic is
//! then discrete, and the gamma law smooth.

use placelab_core::math::{exp, lgamma, sqrt};
use placelab_results::Chance;

use super::certainty;
use super::levin::Group;
use crate::special::{Tails, gamma_tails};

/// Relative variance of the statistic below which it counts as certain.
const VARIANCE_MIN: f64 = 1e-12;
/// From this shape on, a ratio of gamma functions is taken by its series.
const SERIES_SHAPE_MIN: f64 = 100.0;

/// Mean and variance of Pearson's statistic.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Pearson {
    mean: f64,
    variance: f64,
}

impl Pearson {
    /// For positive keys and at least two nodes; a group may also stand for nodes taken together.
    pub(super) fn new(keys: f64, groups: &[Group]) -> Self {
        let sum = |term: &dyn Fn(&Group) -> f64| -> f64 {
            groups.iter().map(|group| group.nodes as f64 * term(group)).sum()
        };
        let relative = |group: &Group| group.free_variance / group.share;
        let total = sum(&|group| group.free_variance);
        let part = |group: &Group| group.free_variance / total;
        let own = sum(&relative);
        let shared = sum(&|group| relative(group) * part(group));
        let squares = sum(&|group| relative(group) * relative(group) * (1.0 - 2.0 * part(group)));
        let one_key = sum(&|group| relative(group) / group.share) - own * own / total;
        let trace = squares + shared * shared;
        let mean = own - shared;
        Pearson { mean, variance: 2.0 * trace + (one_key - 2.0 * trace) / keys }
    }

    fn is_certain(&self) -> bool {
        self.variance < VARIANCE_MIN * self.mean * self.mean
    }

    /// Shape and scale of the gamma law with these moments.
    fn gamma(&self) -> (f64, f64) {
        (self.mean * self.mean / self.variance, self.variance / self.mean)
    }

    /// The chance of the coefficient of variation where there are so many copies in all.
    pub(super) fn cv(&self, copies: f64) -> Chance {
        if self.is_certain() {
            return certainty(sqrt(self.mean / copies));
        }
        let (shape, scale) = self.gamma();
        let quantile = |probability| sqrt(scale * gamma_quantile(shape, probability) / copies);
        Chance {
            mean: sqrt(scale / copies) * mean_root(shape),
            low: quantile(0.05),
            high: quantile(0.95),
        }
    }

    /// The tails at the sum of the statistics of so many independent ideal hashes; none where it is
    /// certain.
    pub(super) fn tails(&self, sum: f64, hashes: usize) -> Option<Tails> {
        let (shape, scale) = self.gamma();
        (!self.is_certain()).then(|| gamma_tails(shape * hashes as f64, sum / scale))
    }
}

/// The mean of the square root of a gamma variable: Γ(shape + ½) ÷ Γ(shape).
fn mean_root(shape: f64) -> f64 {
    if shape < SERIES_SHAPE_MIN {
        return exp(lgamma(shape + 0.5) - lgamma(shape));
    }
    let inverse = 1.0 / shape;
    let inner = 1.0 / 128.0 + 5.0 / 1024.0 * inverse;
    sqrt(shape) * (1.0 - inverse * (1.0 / 8.0 - inverse * inner))
}

/// The point below which the gamma law of scale 1 has the given probability.
fn gamma_quantile(shape: f64, probability: f64) -> f64 {
    // Bernstein's bound: less than 10⁻¹⁷ lies above.
    let mut low = 0.0;
    let mut high = shape + 40.0 + sqrt(80.0 * shape);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if gamma_tails(shape, middle).lower < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_invert_tails() {
        for shape in [0.5, 3.0, 500.0, 5e5] {
            for probability in [0.05, 0.5, 0.95] {
                let lower = gamma_tails(shape, gamma_quantile(shape, probability)).lower;
                assert!((lower - probability).abs() < 1e-9, "{shape}: {lower}");
            }
        }
    }

    /// The series and the gamma functions meet, and Γ(1.5) ÷ Γ(1) = √π ÷ 2.
    #[test]
    fn mean_roots() {
        let (below, above) = (mean_root(SERIES_SHAPE_MIN - 1e-9), mean_root(SERIES_SHAPE_MIN));
        assert!((below - above).abs() < 1e-8, "{below} {above}");
        assert!((mean_root(1.0) - sqrt(std::f64::consts::PI) / 2.0).abs() < 1e-14);
    }

    /// One key on ten equal nodes: one ratio is 10 and nine are 0, so cv² = 9 for certain.
    #[test]
    fn one_key_is_certain() {
        let ten = [Group { nodes: 10, share: 0.1, free_variance: 0.1 }];
        assert_eq!(Pearson::new(1.0, &ten).cv(1.0), certainty(3.0));
    }

    /// Haldane's variance for nodes of 1, 2 and 4 sevenths and 30 keys.
    #[test]
    fn moments_of_one_copy() {
        let group = |share: f64| Group { nodes: 1, share, free_variance: share };
        let pearson = Pearson::new(30.0, &[1.0, 2.0, 4.0].map(|weight| group(weight / 7.0)));
        let want = 4.0 + (7.0 + 3.5 + 1.75 - 9.0 - 6.0 + 2.0) / 30.0;
        assert!((pearson.mean - 2.0).abs() < 1e-12 && (pearson.variance - want).abs() < 1e-12);
    }
}
