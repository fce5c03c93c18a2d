//! Spacings: the arcs between points that fall on a circle at random.
//!
//! A ring with one point a node gives each node one of them, so these are the shares that the
//! simplest ring has by chance, before any key is placed. The largest is about ln N times the
//! mean, and no number of keys evens it out.
//!
//! Source: N uniform points cut a circle of length 1 into arcs whose ascending k-th has the mean
//! (1/N) Σ 1/(N + 1 − j) over j ≤ k (Holst, "On the lengths of the pieces of a stick broken at
//! random", Journal of Applied Probability 17, 1980). The sum of V of N·V arcs is of the beta law
//! with the parameters V and (N − 1) V.

use placelab_core::math::sqrt;

/// Mean share of the largest arc between so many points: H_N ÷ N, where H_N = 1 + 1/2 + … + 1/N;
/// 0 without points.
///
/// ```
/// use placelab_metrics::spacings::{mean_largest, mean_smallest};
/// // 48 queues with one point each: one has 9.29 % of everything, one 0.0434 %.
/// assert!((mean_largest(48) - 0.0929).abs() < 5e-5);
/// assert!((mean_smallest(48) - 0.000434).abs() < 5e-7);
/// ```
pub fn mean_largest(points: u32) -> f64 {
    // From the smallest term on, so that none is lost.
    let harmonic: f64 = (1..=points).rev().map(|rank| 1.0 / f64::from(rank)).sum();
    if points == 0 { 0.0 } else { harmonic / f64::from(points) }
}

/// Mean share of the smallest arc between so many points: 1 ÷ N²; 0 without points.
pub fn mean_smallest(points: u32) -> f64 {
    let points = f64::from(points);
    if points == 0.0 { 0.0 } else { 1.0 / (points * points) }
}

/// Standard deviation of a node's share over its mean, where each of `nodes` has so many points:
/// √((N − 1) ÷ (N·V + 1)); 0 without nodes.
///
/// ```
/// use placelab_metrics::spacings::relative_deviation;
/// assert!((relative_deviation(1_000, 160) - 0.079).abs() < 1e-4);
/// ```
pub fn relative_deviation(nodes: u32, points_each: u32) -> f64 {
    let points = f64::from(nodes) * f64::from(points_each);
    sqrt(f64::from(nodes.saturating_sub(1)) / (points + 1.0))
}

#[cfg(test)]
mod tests {
    use placelab_core::math::open_unit;
    use placelab_core::mix::stream;

    use super::*;

    /// The arcs between random points, in the order of the circle.
    fn arcs(trial: u64, points: u64) -> Vec<f64> {
        let mut at: Vec<f64> = (0..points).map(|point| open_unit(stream(trial, point))).collect();
        at.sort_by(f64::total_cmp);
        let mut arcs: Vec<f64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
        arcs.push(1.0 - at[at.len() - 1] + at[0]);
        arcs
    }

    /// Mean and standard error of a figure of 20,000 circles.
    fn mean_of(points: u64, figure: impl Fn(&[f64]) -> f64) -> (f64, f64) {
        const TRIALS: u64 = 20_000;
        let values: Vec<f64> = (0..TRIALS).map(|trial| figure(&arcs(trial, points))).collect();
        let mean = values.iter().sum::<f64>() / TRIALS as f64;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        (mean, squares.sqrt() / TRIALS as f64)
    }

    #[test]
    fn agrees_with_simulation() {
        for points in [1, 2, 5, 48] {
            let (largest, error) = mean_of(points, |arcs| arcs.iter().copied().fold(0.0, f64::max));
            let difference = (largest - mean_largest(points as u32)).abs();
            assert!(difference <= 4.0 * error + 1e-12, "{points}: {largest} ± {error}");
            let (smallest, error) =
                mean_of(points, |arcs| arcs.iter().copied().fold(1.0, f64::min));
            let difference = (smallest - mean_smallest(points as u32)).abs();
            assert!(difference <= 4.0 * error + 1e-12, "{points}: {smallest} ± {error}");
        }
        // Twelve nodes of four points each: which ones are whose does not matter.
        let square = |arcs: &[f64]| (12.0 * arcs[..4].iter().sum::<f64>() - 1.0).powi(2);
        let (variance, error) = mean_of(48, square);
        let want = relative_deviation(12, 4).powi(2);
        assert!((variance - want).abs() < 4.0 * error, "{variance} ± {error} for {want}");
    }

    #[test]
    fn without_points_there_is_nothing() {
        assert_eq!((mean_largest(0), mean_smallest(0)), (0.0, 0.0));
        assert_eq!((relative_deviation(0, 9), relative_deviation(1, 9)), (0.0, 0.0));
    }
}
