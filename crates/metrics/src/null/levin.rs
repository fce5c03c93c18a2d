//! The chance that every load stays within its window.
//!
//! Source: Levin, "A representation for multinomial cumulative distribution functions", Annals of
//! Statistics 9 (1981). Independent Poisson counts given their sum are multinomial, so
//!
//! P(all X_i ≤ c_i) = Π P(Y_i ≤ c_i) · P(W = keys) ÷ P(S = keys),
//!
//! where Y_i is Poisson of mean θ p_i, S = Σ Y_i is Poisson of mean θ, and W is the sum of the
//! Y_i truncated to their limits. Truncation from below, and from both sides, works alike.
//!
//! Deviation: Levin takes θ = keys, where P(W = keys) may lie far out in the tail of W and its
//! Edgeworth expansion fails for few nodes. The identity holds for every θ; we choose one that
//! brings the mean of W near the keys, which makes the expansion a saddle-point approximation.
//! Where keys and nodes are few, W is convolved exactly.
//!
//! Copies: where each key is on several distinct nodes, loads vary less, and the Y_i are counts
//! that do too (`free`); S then has no closed form and is expanded like W.
//!
//! Cost: a few hundred nanoseconds a distinct weight, whatever the keys.
//!
//! Limits: the expansion is off by at most 0.003 (of a probability) for three equal nodes, 0.001
//! for six, 0.0001 for 24, 10⁻⁵ for 100; by 0.006 where two nodes have nearly all weight. Two
//! nodes are for the caller, who has the binomial law.

use placelab_core::math::{exp, ln, sqrt};

use super::free::FreeCount;
use crate::special::{Tails, ln_one_plus, poisson_point_ln};

/// Nodes of one weight.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Group {
    /// How many there are.
    pub nodes: u64,
    /// The chance that a key has a copy on a given one of them.
    pub share: f64,
    /// The variance of a free count, a key.
    pub free_variance: f64,
}

impl Group {
    /// By what part of its mean the variance of a free count is less than that.
    pub(super) fn shortfall(&self) -> f64 {
        1.0 - self.free_variance / self.share
    }

    /// Where copies are not.
    fn absences(&self) -> Self {
        Group { share: 1.0 - self.share, ..*self }
    }
}

/// So many keys, each with so many copies on distinct nodes; or without one on so many.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Throw {
    keys: u64,
    copies: u64,
    /// Of the nodes; their shares sum to the copies.
    groups: Vec<Group>,
    /// Whether absences are thrown in place of copies, where they are fewer.
    is_absence: bool,
}

/// The loads that a node may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Window {
    /// The least.
    pub low: u64,
    /// The largest.
    pub high: u64,
}

impl Window {
    pub(super) const ANY: Window = Window { low: 0, high: u64::MAX };

    /// Without any load.
    pub(super) const EMPTY: Window = Window { low: 1, high: 0 };

    pub(super) const fn at_most(high: u64) -> Self {
        Window { low: 0, high }
    }

    pub(super) const fn at_least(low: u64) -> Self {
        Window { low, high: u64::MAX }
    }

    /// The absences that a node in this window has of so many keys.
    fn of_absences(self, keys: u64) -> Self {
        match keys.checked_sub(self.low) {
            Some(high) => Window { low: keys.saturating_sub(self.high), high },
            None => Window::EMPTY,
        }
    }

    fn contains(self, count: u64) -> bool {
        self.low <= count && count <= self.high
    }
}

/// Multiplications that an exact convolution may take.
const EXACT_WORK_MAX: f64 = 1.5e5;
/// The mean of W may be this many of its standard deviations from the keys.
const TILT_TOLERANCE: f64 = 0.25;
/// Newton steps for θ; more are needed only where the probability vanishes.
const TILT_STEPS_MAX: u32 = 60;
/// Events of probability below e⁻⁴⁵ count as impossible.
const IMPOSSIBLE: f64 = 45.0;

impl Throw {
    /// So many copies of each key on so many nodes.
    pub(super) fn new(keys: u64, copies: u64, nodes: u64, groups: &[Group]) -> Self {
        if nodes - copies < copies {
            let groups = groups.iter().map(Group::absences).collect();
            return Throw { keys, copies: nodes - copies, groups, is_absence: true };
        }
        Throw { keys, copies, groups: groups.to_vec(), is_absence: false }
    }

    /// The chance that the loads of all nodes are within the windows, one window a group.
    pub(super) fn all_within(&self, mut windows: Vec<Window>) -> f64 {
        if self.is_absence {
            windows.iter_mut().for_each(|window| *window = window.of_absences(self.keys));
        }
        self.all_counts_within(&windows)
    }

    fn all_counts_within(&self, windows: &[Window]) -> f64 {
        let total = u128::from(self.total());
        let at_lows = self.sum_of(windows.iter().map(|window| window.low));
        let at_highs = self.sum_of(windows.iter().map(|window| window.high));
        let is_empty = windows.iter().any(|window| window.low > window.high);
        let chance = if is_empty || at_highs < total || total < at_lows {
            0.0
        } else if at_highs == total {
            self.all_at(windows.iter().map(|window| window.high))
        } else if at_lows == total {
            self.all_at(windows.iter().map(|window| window.low))
        } else if self.exact_work() <= EXACT_WORK_MAX {
            self.by_convolution(windows)
        } else {
            self.by_expansion(windows)
        };
        chance.clamp(0.0, 1.0)
    }

    /// The sum of all loads.
    fn total(&self) -> u64 {
        self.keys * self.copies
    }

    /// The sum of all loads where the nodes of each group have the given one.
    fn sum_of(&self, loads: impl Iterator<Item = u64>) -> u128 {
        self.groups.iter().zip(loads).map(|(g, load)| u128::from(g.nodes) * u128::from(load)).sum()
    }

    /// The free count of each group, tilted by θ.
    fn free_counts(&self, theta: f64) -> impl Iterator<Item = FreeCount> {
        self.groups.iter().map(move |group| FreeCount::new(self.keys, group, theta))
    }

    /// The chance that every load is as given, where these sum to all copies.
    fn all_at(&self, loads: impl Iterator<Item = u64>) -> f64 {
        let theta = self.keys as f64;
        let counts = self.groups.iter().zip(self.free_counts(theta));
        let point = |((group, count), load): ((&Group, FreeCount), u64)| {
            group.nodes as f64 * count.point_ln(load)
        };
        let sum: f64 = counts.zip(loads).map(point).sum();
        exp(sum - self.sum_point_ln(theta))
    }

    fn exact_work(&self) -> f64 {
        let products: u32 = self.groups.iter().map(|group| 2 * group.nodes.ilog2() + 1).sum();
        self.total() as f64 * self.total() as f64 * f64::from(products)
    }

    /// Σ over the compositions of the keys, as the coefficient of a product of polynomials.
    fn by_convolution(&self, windows: &[Window]) -> f64 {
        let total = self.total() as usize;
        let of_all = if self.is_poisson() {
            exp(self.sum_point_ln(self.keys as f64))
        } else {
            self.product(&vec![Window::ANY; windows.len()])[total]
        };
        self.product(windows)[total] / of_all
    }

    /// The law of the sum of the free counts within their windows, up to all copies.
    fn product(&self, windows: &[Window]) -> Vec<f64> {
        let size = self.total() as usize + 1;
        let mut product = vec![1.0];
        let counts = self.groups.iter().zip(self.free_counts(self.keys as f64));
        for ((group, count), window) in counts.zip(windows) {
            let point = |load| if window.contains(load) { exp(count.point_ln(load)) } else { 0.0 };
            let single: Vec<f64> = (0..=self.total()).map(point).collect();
            product = multiply(&product, &power(single, group.nodes, size), size);
        }
        product
    }

    fn by_expansion(&self, windows: &[Window]) -> f64 {
        let total = self.total() as f64;
        let mut log_theta = ln(self.keys as f64);
        for _ in 0..TILT_STEPS_MAX {
            let theta = exp(log_theta);
            let sum = self.truncated_sum(theta, windows);
            let deviation = sum.deviation(total);
            if !deviation.is_finite() {
                // No tilt centres the keys: the limits are out of their reach.
                return 0.0;
            }
            if deviation.abs() <= TILT_TOLERANCE {
                // Each part alone may be too small for a float.
                return exp(sum.log_mass - self.sum_point_ln(theta)) * sum.density(total);
            }
            // Tilting by θ makes the variance the derivative of the mean.
            log_theta += (total - sum.mean) / sum.variance;
        }
        0.0
    }

    fn truncated_sum(&self, theta: f64, windows: &[Window]) -> TruncatedSum {
        let mut sum = TruncatedSum::default();
        let counts = self.groups.iter().zip(self.free_counts(theta));
        for ((group, count), &window) in counts.zip(windows) {
            sum.add(group.nodes as f64, &TruncatedSum::of_one(&count, window));
        }
        sum
    }

    fn is_poisson(&self) -> bool {
        self.groups.iter().all(|group| group.shortfall() == 0.0)
    }

    /// The logarithm of the chance that the free counts, tilted by θ, sum to all copies. Untilted
    /// that is what they expect, where an expansion is best; a tilt changes the chance by a factor
    /// that is known.
    fn sum_point_ln(&self, theta: f64) -> f64 {
        let total = self.total();
        if self.is_poisson() {
            return poisson_point_ln(total, theta * self.copies as f64);
        }
        let untilted = self.truncated_sum(self.keys as f64, &vec![Window::ANY; self.groups.len()]);
        let growths = self.groups.iter().zip(self.free_counts(self.keys as f64));
        let log_tilt = ln(theta / self.keys as f64);
        let growth: f64 =
            growths.map(|(group, count)| group.nodes as f64 * count.growth(log_tilt)).sum();
        ln(untilted.density(total as f64)) + total as f64 * log_tilt - growth
    }
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

/// The sum W of truncated counts: its cumulants, and the chance of no truncation.
#[derive(Clone, Copy, Default, Debug)]
struct TruncatedSum {
    /// The logarithm of Π P(Y_i within its window).
    log_mass: f64,
    mean: f64,
    variance: f64,
    third: f64,
    fourth: f64,
}

impl TruncatedSum {
    fn add(&mut self, times: f64, one: &TruncatedSum) {
        self.log_mass += times * one.log_mass;
        self.mean += times * one.mean;
        self.variance += times * one.variance;
        self.third += times * one.third;
        self.fourth += times * one.fourth;
    }

    /// A single count. Let λ be its mean, q its shortfall, and for each end of the window let
    /// s = q (n − c) P(Y = c) ÷ P(Y in the window), taken at c = high with the sign − and the edge
    /// high + 1, or at c = low − 1 with + and the edge low; for a Poisson count q (n − c) is λ.
    /// With d = edge − mean, summation by parts gives mean = λ + Σ s and, where a = λ − q · mean,
    /// the central moments, in sums over j < r, are
    /// μ(r + 1) = a Σ C(r, j) μ(j) − q Σ C(r, j) μ(j + 1) + Σ s (dʳ − μ(r)).
    fn of_one(count: &FreeCount, window: Window) -> Self {
        let (log_mass, pulls) = pulls(count, window);
        let q = count.shortfall;
        let mean = count.mean + pulls.iter().map(|(pull, _)| pull).sum::<f64>();
        let pulled = |by: &dyn Fn(f64) -> f64| -> f64 {
            pulls.iter().map(|&(pull, edge)| pull * by(edge - mean)).sum()
        };
        let scale = count.mean - q * mean;
        let variance = scale + pulled(&|d| d);
        let third = scale - 2.0 * q * variance + pulled(&|d| d * d - variance);
        let fourth_moment = scale * (1.0 + 3.0 * variance) - 3.0 * q * (variance + third)
            + pulled(&|d| d * d * d - third);
        let fourth = fourth_moment - 3.0 * variance * variance;
        TruncatedSum { log_mass, mean, variance, third, fourth }
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

/// The logarithm of the chance to be in the window, and how each of its ends pulls the mean, with
/// the edge there; the pull of an end that is out of reach is 0.
fn pulls(count: &FreeCount, Window { low, high }: Window) -> (f64, [(f64, f64); 2]) {
    let above = (!cannot_pass(count.mean, high)).then(|| count.tails(high));
    let below = (!cannot_fall_below(count.mean, low)).then(|| count.tails(low - 1));
    let (log_mass, mass) = match (below, above) {
        (None, None) => return (0.0, [(0.0, 0.0); 2]),
        (None, Some(Tails { lower, upper })) => (log_of(lower, upper), lower),
        (Some(Tails { lower, upper }), None) => (log_of(upper, lower), upper),
        (Some(below), Some(above)) => {
            let mass = between(below, above);
            (ln(mass), mass)
        }
    };
    let pull = |at: u64| count.edge_rate(at) * (exp(count.point_ln(at)) / mass);
    let high_pull = if above.is_some() { (-pull(high), high as f64 + 1.0) } else { (0.0, 0.0) };
    let low_pull = if below.is_some() { (pull(low - 1), low as f64) } else { (0.0, 0.0) };
    (log_mass, [low_pull, high_pull])
}

/// The chance between two points, from the tails that keep its digits.
fn between(below: Tails, above: Tails) -> f64 {
    let mass = if above.lower < 0.5 {
        above.lower - below.lower
    } else if below.upper < 0.5 {
        below.upper - above.upper
    } else {
        1.0 - below.lower - above.upper
    };
    mass.max(0.0)
}

/// Whether Bernstein's bound makes it impossible that a count of such a mean is above `high`: a
/// Poisson count, or one that varies less.
fn cannot_pass(mean: f64, high: u64) -> bool {
    let room = high as f64 - mean;
    room > 0.0 && room * room > 2.0 * IMPOSSIBLE * (mean + room / 3.0)
}

/// Whether the same bound makes it impossible that it is below `low`.
fn cannot_fall_below(mean: f64, low: u64) -> bool {
    let room = mean - low as f64;
    low == 0 || (room > 0.0 && room * room > 2.0 * IMPOSSIBLE * mean)
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
        let group = |&(nodes, weight): &(u64, f64)| {
            let share = weight / total;
            Group { nodes, share, free_variance: share }
        };
        weights.iter().map(group).collect()
    }

    fn throw(keys: u64, groups: &[Group]) -> Throw {
        Throw::new(keys, 1, u64::MAX, groups)
    }

    /// Largest difference of the expansion from the convolution over the ratios 0.01 to 3.
    fn expansion_error(keys: u64, groups: &[Group]) -> f64 {
        let mut worst = 0.0f64;
        for percent in 1..300 {
            let limit = |group: &Group| (percent as f64 * keys as f64 * group.share / 100.0) as u64;
            let limits: Vec<u64> = groups.iter().map(limit).collect();
            let total: u64 = groups.iter().zip(&limits).map(|(g, limit)| g.nodes * limit).sum();
            let window = if total > keys { Window::at_most } else { Window::at_least };
            let windows: Vec<Window> = limits.iter().map(|&limit| window(limit)).collect();
            if total != keys {
                let throw = throw(keys, groups);
                let exact = throw.by_convolution(&windows);
                let error = (exact - throw.by_expansion(&windows)).abs();
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
        let eight = throw(8, &four);
        for window in [Window::at_most(2), Window::at_least(2)] {
            let chance = eight.all_within(vec![window]);
            assert!((chance - 2520.0 / 65536.0).abs() < 1e-14, "{chance}");
        }
        assert_eq!(eight.all_within(vec![Window::at_most(1)]), 0.0);
        assert_eq!(eight.all_within(vec![Window::at_least(3)]), 0.0);
        assert!((eight.all_within(vec![Window::ANY]) - 1.0).abs() < 1e-14);
    }

    /// Two-sided windows too: twice what was seen.
    #[test]
    fn two_sided_expansion_is_near_the_convolution() {
        for (nodes, bound) in [(6, 4e-3), (24, 4e-4), (100, 2e-5)] {
            let throw = throw(300, &groups(&[(nodes, 1.0)]));
            let mean = 300 / nodes;
            for low in 0..mean {
                for high in mean + 1..3 * mean {
                    let windows = [Window { low, high }];
                    let exact = throw.by_convolution(&windows);
                    let error = (exact - throw.by_expansion(&windows)).abs();
                    assert!(error < bound, "{nodes} nodes, {low} to {high}: {error:e}");
                }
            }
        }
    }

    /// Truncated moments against their plain sums, of Poisson and binomial counts.
    #[test]
    fn cumulants_of_a_truncated_count() {
        let poisson = |share| Group { nodes: 1, share, free_variance: share };
        let binomial = Group { nodes: 1, share: 0.4, free_variance: 0.3 };
        for (keys, group, window) in [
            (100, poisson(0.0102), Window::at_most(3)),
            (100, poisson(0.0102), Window::at_least(1)),
            (100, poisson(0.4), Window::at_most(45)),
            (100, poisson(0.4), Window { low: 38, high: 45 }),
            (100, binomial, Window::ANY),
            (100, binomial, Window::at_most(42)),
            (100, binomial, Window { low: 39, high: 47 }),
        ] {
            let count = FreeCount::new(keys, &group, 1.1 * keys as f64);
            let moment = |f: &dyn Fn(f64) -> f64| -> f64 {
                let inside = (0..=160).filter(|&x| window.contains(x));
                inside.map(|x| exp(count.point_ln(x)) * f(x as f64)).sum()
            };
            let mass = moment(&|_| 1.0);
            let m = moment(&|x| x) / mass;
            let central = |r| moment(&|x| (x - m).powi(r)) / mass;
            let got = TruncatedSum::of_one(&count, window);
            let fourth = central(4) - 3.0 * central(2) * central(2);
            let want = [ln(mass), m, central(2), central(3), fourth];
            let got = [got.log_mass, got.mean, got.variance, got.third, got.fourth];
            for (got, want) in got.iter().zip(want) {
                let error = (got - want).abs();
                assert!(error < 1e-10 * (1.0 + want.abs()), "{group:?} {window:?}: {got} {want}");
            }
        }
    }

    /// Two of three copies are one absence: a multinomial again, exactly.
    #[test]
    fn absences_are_thrown_where_they_are_fewer() {
        let two_of_three = Group { nodes: 3, share: 2.0 / 3.0, free_variance: 1.0 - 2.0 / 3.0 };
        let pairs = Throw::new(30, 2, 3, &[two_of_three]);
        let absences = throw(30, &groups(&[(3, 1.0)]));
        for limit in 20..30 {
            let (got, want) = (Window::at_most(limit), Window::at_least(30 - limit));
            let error = pairs.all_within(vec![got]) - absences.all_within(vec![want]);
            assert!(error.abs() < 1e-12, "{limit}: {error:e}");
        }
        assert_eq!(pairs.all_within(vec![Window::at_least(31)]), 0.0);
    }
}
