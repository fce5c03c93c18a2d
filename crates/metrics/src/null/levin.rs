//! The chance that every load of a multinomial stays within its limit.
//!
//! Source: Levin, "A representation for multinomial cumulative distribution functions", Annals of
//! Statistics 9 (1981). Independent Poisson counts given their sum are multinomial, so
//!
//! P(all X_i ≤ c_i) = Π P(Y_i ≤ c_i) · P(W = keys) ÷ P(S = keys),
//!
//! where Y_i is Poisson of mean θ p_i, S = Σ Y_i is Poisson of mean θ, and W is the sum of the
//! Y_i truncated to their limits. Truncation from below works alike.
//!
//! Deviation: Levin takes θ = keys, where P(W = keys) may lie far out in the tail of W and its
//! Edgeworth expansion fails for few nodes. The identity holds for every θ; we choose one that
//! brings the mean of W near the keys, which makes the expansion a saddle-point approximation.
//! Where keys and nodes are few, W is convolved exactly.
//!
//! Cost: a few hundred nanoseconds a distinct weight, whatever the keys.
//!
//! Limits: the expansion is off by at most 0.003 (of a probability) for three equal nodes, 0.001
//! for six, 0.0001 for 24, 10⁻⁵ for 100; by 0.006 where two nodes have nearly all weight. Two
//! nodes are for the caller, who has the binomial law.

use placelab_core::math::{exp, ln, sqrt};

use crate::special::{Tails, ln_one_plus, poisson_point, poisson_point_ln, poisson_tails};

/// Nodes of one weight.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Group {
    /// How many there are.
    pub nodes: u64,
    /// The part of all weight that one of them has.
    pub share: f64,
}

/// Which way loads are limited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    /// Every load is at most its limit.
    AtMost,
    /// Every load is at least its limit.
    AtLeast,
}

/// Multiplications that an exact convolution may take.
const EXACT_WORK_MAX: f64 = 1.5e5;
/// The mean of W may be this many of its standard deviations from the keys.
const TILT_TOLERANCE: f64 = 0.25;
/// Newton steps for θ; more are needed only where the probability vanishes.
const TILT_STEPS_MAX: u32 = 60;
/// Events of probability below e⁻⁴⁵ count as impossible.
const IMPOSSIBLE: f64 = 45.0;

/// The chance that the loads of all nodes are within the limits, one limit a group.
pub(super) fn all_within(keys: u64, groups: &[Group], side: Side, limits: &[u64]) -> f64 {
    let total = |(group, &limit): (&Group, &u64)| u128::from(group.nodes) * u128::from(limit);
    let at_limits: u128 = groups.iter().zip(limits).map(total).sum();
    let keys_wide = u128::from(keys);
    let chance = if at_limits == keys_wide {
        all_at(keys, groups, limits)
    } else if (side == Side::AtMost) == (at_limits < keys_wide) {
        0.0
    } else if exact_work(keys, groups) <= EXACT_WORK_MAX {
        by_convolution(keys, groups, side, limits)
    } else {
        by_expansion(keys, groups, side, limits)
    };
    chance.clamp(0.0, 1.0)
}

/// The chance that every load is at its limit, where these sum to the keys.
fn all_at(keys: u64, groups: &[Group], limits: &[u64]) -> f64 {
    let point = |(group, &limit): (&Group, &u64)| {
        group.nodes as f64 * poisson_point_ln(limit, keys as f64 * group.share)
    };
    let sum: f64 = groups.iter().zip(limits).map(point).sum();
    exp(sum - poisson_point_ln(keys, keys as f64))
}

fn exact_work(keys: u64, groups: &[Group]) -> f64 {
    let products: u32 = groups.iter().map(|group| 2 * group.nodes.ilog2() + 1).sum();
    keys as f64 * keys as f64 * f64::from(products)
}

/// Σ over the compositions of the keys, as the coefficient of a product of polynomials.
fn by_convolution(keys: u64, groups: &[Group], side: Side, limits: &[u64]) -> f64 {
    let size = keys as usize + 1;
    let mut product = vec![1.0];
    for (group, &limit) in groups.iter().zip(limits) {
        let mean = keys as f64 * group.share;
        let allowed = |count: u64| match side {
            Side::AtMost => count <= limit,
            Side::AtLeast => count >= limit,
        };
        let point = |count| if allowed(count) { poisson_point(count, mean) } else { 0.0 };
        let single: Vec<f64> = (0..=keys).map(point).collect();
        product = multiply(&product, &power(single, group.nodes, size), size);
    }
    product[keys as usize] / poisson_point(keys, keys as f64)
}

/// A power of a polynomial by repeated squaring, cut to `size` coefficients.
fn power(mut base: Vec<f64>, mut exponent: u64, size: usize) -> Vec<f64> {
    let mut result = vec![1.0];
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = multiply(&result, &base, size);
        }
        exponent /= 2;
        if exponent > 0 {
            base = multiply(&base, &base, size);
        }
    }
    result
}

/// A product of polynomials, cut to `size` coefficients.
fn multiply(left: &[f64], right: &[f64], size: usize) -> Vec<f64> {
    let mut product = vec![0.0; size];
    for (i, &a) in left.iter().enumerate().filter(|&(_, &a)| a != 0.0) {
        for (slot, &b) in product[i..].iter_mut().zip(right) {
            *slot += a * b;
        }
    }
    product
}

fn by_expansion(keys: u64, groups: &[Group], side: Side, limits: &[u64]) -> f64 {
    let mut log_theta = ln(keys as f64);
    for _ in 0..TILT_STEPS_MAX {
        let theta = exp(log_theta);
        let sum = TruncatedSum::of(theta, groups, side, limits);
        let deviation = sum.deviation(keys as f64);
        if !deviation.is_finite() {
            // No tilt centres the keys: the limits are out of their reach.
            return 0.0;
        }
        if deviation.abs() <= TILT_TOLERANCE {
            // Each part alone may be too small for a float.
            return exp(sum.log_mass - poisson_point_ln(keys, theta)) * sum.density(keys as f64);
        }
        // Tilting by θ makes the variance the derivative of the mean.
        log_theta += (keys as f64 - sum.mean) / sum.variance;
    }
    0.0
}

/// The sum W of truncated Poisson counts: its cumulants, and the chance of no truncation.
#[derive(Clone, Copy, Default, Debug)]
struct TruncatedSum {
    /// The logarithm of Π P(Y_i within its limit).
    log_mass: f64,
    mean: f64,
    variance: f64,
    third: f64,
    fourth: f64,
}

impl TruncatedSum {
    fn of(theta: f64, groups: &[Group], side: Side, limits: &[u64]) -> Self {
        let mut sum = TruncatedSum::default();
        for (group, &limit) in groups.iter().zip(limits) {
            let one = TruncatedSum::of_one(theta * group.share, side, limit);
            let nodes = group.nodes as f64;
            sum.log_mass += nodes * one.log_mass;
            sum.mean += nodes * one.mean;
            sum.variance += nodes * one.variance;
            sum.third += nodes * one.third;
            sum.fourth += nodes * one.fourth;
        }
        sum
    }

    /// A single count. With s = −P(Y = c) ÷ P(Y ≤ c) and d = c + 1 − mean for truncation from
    /// above, s = P(Y = c − 1) ÷ P(Y ≥ c) and d = c − mean from below, summation by parts gives
    /// mean = λ (1 + s) and the central moments
    /// μ(r + 1) = λ Σ over j < r of C(r, j) μ(j) + λ s (dʳ − μ(r)).
    fn of_one(mean: f64, side: Side, limit: u64) -> Self {
        if cannot_reach(mean, side, limit) {
            let [third, fourth] = [mean; 2];
            return TruncatedSum { log_mass: 0.0, mean, variance: mean, third, fourth };
        }
        let (log_mass, slope, edge) = match side {
            Side::AtMost => {
                let Tails { lower, upper } = poisson_tails(limit, mean);
                (log_of(lower, upper), -poisson_point(limit, mean) / lower, limit as f64 + 1.0)
            }
            Side::AtLeast => {
                let Tails { lower, upper } = poisson_tails(limit - 1, mean);
                (log_of(upper, lower), poisson_point(limit - 1, mean) / upper, limit as f64)
            }
        };
        let pull = mean * slope;
        let truncated_mean = mean + pull;
        let d = edge - truncated_mean;
        let variance = mean + pull * d;
        let third = mean + pull * (d * d - variance);
        let fourth_moment = mean * (1.0 + 3.0 * variance) + pull * (d * d * d - third);
        let fourth = fourth_moment - 3.0 * variance * variance;
        TruncatedSum { log_mass, mean: truncated_mean, variance, third, fourth }
    }

    /// How far the keys are from the mean, in standard deviations.
    fn deviation(&self, keys: f64) -> f64 {
        (keys - self.mean) / sqrt(self.variance)
    }

    /// The Edgeworth expansion of P(W = keys) to the fourth cumulant.
    fn density(&self, keys: f64) -> f64 {
        let sigma = sqrt(self.variance);
        let skew = self.third / (self.variance * sigma);
        let excess = self.fourth / (self.variance * self.variance);
        let z = self.deviation(keys);
        let square = z * z;
        let hermite_3 = z * (square - 3.0);
        let hermite_4 = square * (square - 6.0) + 3.0;
        let hermite_6 = square * (square * (square - 15.0) + 45.0) - 15.0;
        let correction = 1.0
            + skew / 6.0 * hermite_3
            + excess / 24.0 * hermite_4
            + skew * skew / 72.0 * hermite_6;
        exp(-0.5 * square) / (sigma * sqrt(std::f64::consts::TAU)) * correction
    }
}

/// Whether Bernstein's bound makes it impossible that a Poisson count passes its limit.
fn cannot_reach(mean: f64, side: Side, limit: u64) -> bool {
    let limit = limit as f64;
    match side {
        Side::AtMost => {
            let room = limit - mean;
            room > 0.0 && room * room > 2.0 * IMPOSSIBLE * (mean + room / 3.0)
        }
        Side::AtLeast => {
            let room = mean - limit;
            limit == 0.0 || (room > 0.0 && room * room > 2.0 * IMPOSSIBLE * mean)
        }
    }
}

/// The logarithm of a probability whose complement is known with its own digits.
fn log_of(probability: f64, complement: f64) -> f64 {
    if probability < 0.5 { ln(probability) } else { ln_one_plus(-complement) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(weights: &[(u64, f64)]) -> Vec<Group> {
        let total: f64 = weights.iter().map(|&(nodes, weight)| nodes as f64 * weight).sum();
        let group = |&(nodes, weight): &(u64, f64)| Group { nodes, share: weight / total };
        weights.iter().map(group).collect()
    }

    /// Largest difference of the expansion from the convolution over the ratios 0.01 to 3.
    fn expansion_error(keys: u64, groups: &[Group]) -> f64 {
        let mut worst = 0.0f64;
        for percent in 1..300 {
            let limit = |group: &Group| (percent as f64 * keys as f64 * group.share / 100.0) as u64;
            let limits: Vec<u64> = groups.iter().map(limit).collect();
            let total: u64 = groups.iter().zip(&limits).map(|(g, limit)| g.nodes * limit).sum();
            let side = if total > keys { Side::AtMost } else { Side::AtLeast };
            if total != keys {
                let exact = by_convolution(keys, groups, side, &limits);
                let error = (exact - by_expansion(keys, groups, side, &limits)).abs();
                assert!(!error.is_nan(), "{percent} % of {keys} keys: {groups:?}");
                worst = worst.max(error);
            }
        }
        worst
    }

    /// The bounds are twice what was seen.
    #[test]
    fn expansion_is_near_the_convolution() {
        let bounds = [(3, 6e-3), (4, 3e-3), (6, 1.5e-3), (12, 4e-4), (24, 1e-4), (100, 4e-6)];
        for (nodes, bound) in bounds {
            for keys in [30, 100, 300] {
                let error = expansion_error(keys, &groups(&[(nodes, 1.0)]));
                assert!(error < bound, "{keys} keys, {nodes} nodes: {error:e}");
            }
        }
        let error = expansion_error(300, &groups(&[(2, 1.0), (2, 2.0), (2, 4.0)]));
        assert!(error < 2e-3, "six nodes 1:2:4: {error:e}");
        let error = expansion_error(300, &groups(&[(1, 1.0), (2, 100.0)]));
        assert!(error < 1.2e-2, "all but two nodes negligible: {error:e}");
    }

    /// Eight keys on four nodes: all at two is 8! ÷ (2!⁴ 4⁸) = 2520 ÷ 65536, both as the only
    /// way to be at most two and the only way to be at least two.
    #[test]
    fn the_balanced_outcome_is_exact() {
        let four = groups(&[(4, 1.0)]);
        for side in [Side::AtMost, Side::AtLeast] {
            let chance = all_within(8, &four, side, &[2]);
            assert!((chance - 2520.0 / 65536.0).abs() < 1e-14, "{chance}");
        }
        assert_eq!(all_within(8, &four, Side::AtMost, &[1]), 0.0);
        assert_eq!(all_within(8, &four, Side::AtLeast, &[3]), 0.0);
        assert!((all_within(8, &four, Side::AtLeast, &[0]) - 1.0).abs() < 1e-14);
    }

    /// Truncated moments against their plain sums.
    #[test]
    fn cumulants_of_a_truncated_count() {
        for (mean, side, limit) in
            [(1.02, Side::AtMost, 3), (1.02, Side::AtLeast, 1), (40.0, Side::AtMost, 45)]
        {
            let inside = |&x: &u64| if side == Side::AtMost { x <= limit } else { x >= limit };
            let moment = |f: &dyn Fn(f64) -> f64| -> f64 {
                (0..200).filter(inside).map(|x| f(x as f64) * poisson_point(x, mean)).sum()
            };
            let mass = moment(&|_| 1.0);
            let m = moment(&|x| x) / mass;
            let central = |r| moment(&|x| (x - m).powi(r)) / mass;
            let got = TruncatedSum::of_one(mean, side, limit);
            let fourth = central(4) - 3.0 * central(2) * central(2);
            let want = [ln(mass), m, central(2), central(3), fourth];
            let got = [got.log_mass, got.mean, got.variance, got.third, got.fourth];
            for (got, want) in got.iter().zip(want) {
                assert!((got - want).abs() < 1e-10 * (1.0 + want.abs()), "{got} for {want}");
            }
        }
    }
}
