//! The law of the weighted coefficient of variation of unit loads.
//!
//! keys · cv² = Σ (X_i − keys·p_i)² ÷ (keys·p_i) is Pearson's statistic, nearly chi-square of
//! N − 1 degrees of freedom. We take the gamma law with the statistic's exact mean N − 1 and
//! exact variance 2 (N − 1) + (Σ 1 ÷ p_i − N² − 2N + 2) ÷ keys (Haldane, "The exact value of the
//! moments of the distribution of χ²", Biometrika 29, 1937), which is the chi-square law for many
//! keys and stays honest for few.
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

/// The gamma law of the statistic, by its shape and scale.
///
/// # Errors
/// The statistic itself, where it is certain.
fn law(keys: f64, groups: &[Group]) -> Result<(f64, f64), f64> {
    let count = |group: &Group| group.nodes as f64;
    let nodes: f64 = groups.iter().map(count).sum();
    let inverse_shares: f64 = groups.iter().map(|group| count(group) / group.share).sum();
    let mean = nodes - 1.0;
    let variance = 2.0 * mean + (inverse_shares - nodes * nodes - 2.0 * nodes + 2.0) / keys;
    match variance < VARIANCE_MIN * mean * mean {
        true => Err(mean),
        false => Ok((mean * mean / variance, variance / mean)),
    }
}

/// The chance of the coefficient of variation for positive keys and at least two nodes.
pub(super) fn cv(keys: f64, groups: &[Group]) -> Chance {
    let (shape, scale) = match law(keys, groups) {
        Ok(law) => law,
        Err(certain) => return certainty(sqrt(certain / keys)),
    };
    let quantile = |probability| sqrt(scale * gamma_quantile(shape, probability) / keys);
    Chance {
        mean: sqrt(scale / keys) * mean_root(shape),
        low: quantile(0.05),
        high: quantile(0.95),
    }
}

/// The tails of the law of the sum of the statistics of several independent ideal hashes, at the
/// sum for these coefficients of variation; none where the statistic is certain.
pub(super) fn tails(keys: f64, groups: &[Group], cvs: &[f64]) -> Option<Tails> {
    let (shape, scale) = law(keys, groups).ok()?;
    let sum: f64 = cvs.iter().map(|cv| keys * cv * cv).sum();
    Some(gamma_tails(shape * cvs.len() as f64, sum / scale))
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
        let ten = [Group { nodes: 10, share: 0.1 }];
        assert_eq!(cv(1.0, &ten), certainty(3.0));
    }
}
