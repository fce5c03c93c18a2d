//! The G-test: whether counts are as uneven as pure chance makes them.
//!
//! Source: G = 2 Σ O ln(O ÷ E), scaled so that its mean is that of chi-square with N − 1 degrees of
//! freedom, against which it is held. Williams ("Improved likelihood ratio tests for complete
//! contingency tables", Biometrika 63, 1976) does so to the first order in 1 ÷ E. Unscaled, G at
//! E = 5 and N = 1,000 is on average one standard deviation too large.
//!
//! Deviation: Williams' first order leaves a third of a standard deviation there, so for small
//! E we sum the mean instead. Poisson counts make it easy: their deviance is G plus the deviance of
//! their sum, so the mean of G is the sum of the nodes' mean deviances less that of the total.
//!
//! Cost: one logarithm a node, and a hundred a distinct weight where E is small.
//!
//! Limits: expected counts of at least [`EXPECTED_MIN`].

use placelab_core::math::{ln, sqrt};

use crate::special::{chi_square_upper, poisson_point};

/// Least count that every node must expect.
pub const EXPECTED_MIN: f64 = 5.0;
/// From this expected count on, the series of the mean deviance has all the digits that matter.
const SERIES_MIN: f64 = 30.0;

/// The probability that an ideal hash spreads keys at least as unevenly over nodes of the given
/// weights as `counts` shows.
///
/// None for fewer than two nodes of positive weight, and where one of them expects fewer than
/// [`EXPECTED_MIN`] keys. A key on a node of weight 0 has probability 0. Panics where there are
/// not as many counts as weights.
///
/// ```
/// use placelab_metrics::uniform::g_test;
/// assert!(g_test(&[104, 96, 200], &[1, 1, 2]).unwrap() > 0.5);
/// assert!(g_test(&[150, 50, 200], &[1, 1, 2]).unwrap() < 1e-10);
/// ```
pub fn g_test(counts: &[u64], weights: &[u64]) -> Option<f64> {
    assert_eq!(counts.len(), weights.len(), "as many counts as weights");
    let nodes = || counts.iter().zip(weights).filter(|&(_, &weight)| weight > 0);
    let node_count = nodes().count() as f64;
    let keys: u128 = nodes().map(|(&count, _)| u128::from(count)).sum();
    let total: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    let expected = |weight: u64| keys as f64 * (weight as f64 / total as f64);
    if node_count < 2.0 || nodes().any(|(_, &weight)| expected(weight) < EXPECTED_MIN) {
        return None;
    }
    if counts.iter().zip(weights).any(|(&count, &weight)| count > 0 && weight == 0) {
        return Some(0.0);
    }
    let statistic: f64 = nodes().map(|(&count, &weight)| deviance(count, expected(weight))).sum();
    let means = mean_deviances(nodes().map(|(_, &weight)| weight), expected);
    let degrees = node_count - 1.0;
    let scale = (means - mean_deviance(keys as f64)) / degrees;
    Some(chi_square_upper(statistic / scale, degrees))
}

/// A node's part of G, 2 (O ln(O ÷ E) − (O − E)): the differences sum to nothing, but without
/// them large terms of both signs would cancel.
fn deviance(count: u64, expected: f64) -> f64 {
    let observed = count as f64;
    let surprise = if count == 0 { 0.0 } else { observed * ln(observed / expected) };
    2.0 * (surprise - (observed - expected))
}

/// The sum of the mean deviances, worked out once for each run of equal weights.
fn mean_deviances(weights: impl Iterator<Item = u64>, expected: impl Fn(u64) -> f64) -> f64 {
    let (mut sum, mut known) = (0.0, (0, 0.0));
    for weight in weights {
        if weight != known.0 {
            known = (weight, mean_deviance(expected(weight)));
        }
        sum += known.1;
    }
    sum
}

/// The mean deviance of a Poisson count: 1 + 1 ÷ 6E + 1 ÷ 6E² + …
fn mean_deviance(expected: f64) -> f64 {
    if expected >= SERIES_MIN {
        return 1.0 + (1.0 + 1.0 / expected) / (6.0 * expected);
    }
    // Less than 10⁻¹⁶ of a Poisson law of such a mean is above.
    let last = (expected + 10.0 * sqrt(expected) + 20.0) as u64;
    (0..=last).map(|count| poisson_point(count, expected) * deviance(count, expected)).sum()
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;

    use super::*;

    /// G = 2 (60 ln 1.2 + 40 ln 0.8) = 4.027103. Nodes of 50 have the mean deviance
    /// 1 + 1/300 + 1/15000 = 1.0034, all 100 keys 1.0016833, so the scale is 1.0051167 and the
    /// p-value that of chi-square 4.006602 with 1 degree: erfc(√(4.006602 ÷ 2)) = 0.045322.
    #[test]
    fn by_hand() {
        let p = g_test(&[60, 40], &[7, 7]).unwrap();
        assert!((p - 0.045_322).abs() < 1e-6, "{p}");
    }

    /// The series and the sum meet.
    #[test]
    fn mean_deviance_is_smooth() {
        let (below, above) = (mean_deviance(29.999_999), mean_deviance(30.0));
        assert!((below - above).abs() < 2e-5, "{below} {above}");
        // Summed with mpmath at 15 digits.
        assert!((mean_deviance(5.0) - 1.046_677).abs() < 1e-6);
    }

    #[test]
    fn what_cannot_be_tested() {
        assert_eq!(g_test(&[], &[]), None);
        assert_eq!(g_test(&[100], &[1]), None);
        assert_eq!(g_test(&[100, 0], &[1, 0]), None);
        assert_eq!(g_test(&[4, 4], &[1, 1]), None);
        assert_eq!(g_test(&[0, 0], &[1, 1]), None);
        assert_eq!(g_test(&[9, 9, 1], &[1, 1, 0]), Some(0.0));
        assert_eq!(g_test(&[9, 9, 0], &[1, 1, 0]), g_test(&[9, 9], &[1, 1]));
    }

    /// P-values of an ideal hash are uniform. 2,000 fleets of 100 nodes that expect as few keys
    /// as allowed: the mean is within four standard errors (1 ÷ √12 ÷ √2000) of a half. Unscaled
    /// it would be 15 standard errors off, with Williams' first order 4.
    #[test]
    fn p_values_are_uniform() {
        const FLEETS: u64 = 2000;
        let p_value = |fleet: u64| {
            let mut counts = vec![0; 100];
            for key in 0..500 {
                counts[(stream(fleet, key) % 100) as usize] += 1;
            }
            g_test(&counts, &[1; 100]).unwrap()
        };
        let mean = (0..FLEETS).map(p_value).sum::<f64>() / FLEETS as f64;
        assert!((mean - 0.5).abs() < 4.0 * 0.00646, "{mean}");
    }
}
