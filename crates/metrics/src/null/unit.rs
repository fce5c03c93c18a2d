//! The law of the loads where every key counts 1: a multinomial.
//!
//! Source: Levin's representation (`levin`) for the extremes, Pearson's statistic (`spread`) for
//! the coefficient of variation. The loads of a multinomial sum to the keys, so they are not
//! independent: for 20 keys on 6 nodes the mean largest ratio is 1.74, while a product of the
//! nodes' own laws would give 1.66.
//!
//! Copies: where each key is on R distinct nodes, a load is binomial of K tries with the chance
//! that [`Inclusion`](super::Inclusion) gives, and which other nodes a key is on depends on the
//! scheme. We take the most random choice with these chances, whose covariances are nearly
//! −v_i v_j ÷ Σ v for the v with v_i − v_i² ÷ Σ v = chance_i (1 − chance_i) (Hájek, "Asymptotic
//! theory of rejective sampling", Annals of Mathematical Statistics 35, 1964).
//!
//! Cost: the weights are sorted once; then some hundred evaluations a figure, each linear in the
//! number of classes of weights: 10⁶ equal nodes with 10⁹ keys take no longer than ten with a
//! hundred, a fraction of a millisecond, while 1,000 different weights take tens.
//!
//! Limits: those of `levin` and, above [`CLASSES_MAX`](super::CLASSES_MAX) distinct weights, of
//! [`weight_classes`]. With two or more copies, up to one less than there are nodes, means,
//! variances and the sum of the loads are right, and so are rare tails, but the extremes of few
//! nodes are off by some percent of their own standard deviation.

use placelab_core::math::{exp, ln, sqrt};
use placelab_results::Chance;

use super::levin::{Group, Throw, Window};
use super::ratio_law::{RatioLaw, whole_load, whole_load_above};
use super::spread::Pearson;
use super::{KeyWeights, LoadChance, WeightClass, WeightedNull, free, weight_classes};
use crate::special::{Tails, binomial_tails, ln_one_plus};

/// Logarithm of the probability that the window of a table may miss, over the nodes: e⁻²⁸ ≈ 10⁻¹².
const MISSED: f64 = 28.0;
/// Probabilities below this are taken as the sum of the nodes' own, which is then better.
const RARE: f64 = 1e-3;

/// Largest fleet whose spread is found by throwing keys where its law is not smooth.
const THROWN_NODES_MAX: u64 = 1_000;

/// The law of the loads of an ideal hash where every key counts 1.
///
/// ```
/// use placelab_metrics::null::UnitNull;
/// // Six buckets and twenty keys: a largest bucket 74 % above the mean is nobody's fault.
/// let chance = UnitNull::new(20, &[1; 6]).chance();
/// assert!((chance.max_over_mean.mean - 1.74).abs() < 0.005);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct UnitNull {
    pub(super) keys: u64,
    pub(super) copies: u64,
    /// Nodes that have a copy of every key.
    pub(super) certain: u64,
    /// All others.
    pub(super) nodes: u64,
    pub(super) groups: Vec<Group>,
    /// Expected load of a node of each group.
    pub(super) expected: Vec<f64>,
}

impl UnitNull {
    /// The law for so many keys and nodes of the given weights; nodes of weight 0 are ignored.
    pub fn new(keys: u64, weights: &[u64]) -> Self {
        UnitNull::of_classes(keys, 1, &weight_classes(weights, 1))
    }

    /// The law for so many keys and equal nodes, of which there is at least one.
    pub fn of_equal(keys: u64, nodes: u64) -> Self {
        let chance = 1.0 / nodes as f64;
        let all = WeightClass { nodes, lightest: 1, heaviest: 1, chance, effective: 1.0 };
        UnitNull::of_classes(keys, 1, &[all])
    }

    /// The law where each key has so many copies on distinct nodes, as many as the classes were
    /// made for. Ratios are then to the expected loads, which for cropped nodes are not in
    /// proportion to their weights.
    pub fn of_classes(keys: u64, copies: u64, classes: &[WeightClass]) -> Self {
        let (free, certain): (Vec<_>, Vec<_>) = classes.iter().partition(|one| one.chance < 1.0);
        let count = |classes: &[&WeightClass]| classes.iter().map(|class| class.nodes).sum();
        let (nodes, certain): (u64, u64) = (count(&free), count(&certain));
        let group = |class: &&WeightClass| Group {
            nodes: class.nodes,
            share: class.chance,
            free_variance: class.chance,
        };
        let mut groups: Vec<Group> = free.iter().map(group).collect();
        let shared_copies = copies - certain.min(copies);
        free::set_variances(&mut groups, nodes, shared_copies);
        let expected = groups.iter().map(|group| keys as f64 * group.share).collect();
        UnitNull { keys, copies, certain, nodes, groups, expected }
    }

    /// What each balance figure would be by chance: all 0 without keys or nodes, and certain for
    /// one node.
    pub fn chance(&self) -> LoadChance {
        if self.is_nothing() {
            return LoadChance::NOTHING;
        }
        if self.nodes == 0 {
            return LoadChance::ALONE;
        }
        LoadChance {
            max_over_mean: self.largest().chance(),
            min_over_mean: self.smallest().chance(),
            cv: self.cv(),
        }
    }

    /// The smooth law of the spread, but for unequal nodes of which some expect less than a key:
    /// there a key more or less is all the spread there is, and keys are thrown one by one.
    fn cv(&self) -> Chance {
        let is_lumpy = self.groups.len() > 1 && self.expected.iter().any(|&keys| keys < 1.0);
        if is_lumpy && self.copies == 1 && self.nodes <= THROWN_NODES_MAX {
            let keys = KeyWeights::from_runs([(1, self.keys)]);
            let parts = |group: &Group| {
                let part = (group.share * 1e18).max(1.0) as u64;
                std::iter::repeat_n(part, group.nodes as usize)
            };
            let weights: Vec<u64> = self.groups.iter().flat_map(parts).collect();
            return WeightedNull::new(&keys, &weights).chance().cv;
        }
        Pearson::new(self.keys as f64, &self.groups).cv((self.keys * self.copies) as f64)
    }

    /// The probability that the largest ratio is at least `observed_max_ratio`: 1 for ratios up
    /// to 1, which every fleet reaches, and where there are no keys or nodes.
    pub fn p_max(&self, observed_max_ratio: f64) -> f64 {
        if self.is_nothing() || observed_max_ratio <= 1.0 {
            return 1.0;
        }
        // The expected loads are above 0, so it takes at least one key to reach the ratio.
        let limit = |&expected: &f64| whole_load_above(observed_max_ratio, expected) as u64 - 1;
        let limits: Vec<u64> = self.expected.iter().map(limit).collect();
        let above = 1.0 - self.all_at_most(&limits);
        if above < RARE { self.any_above(&limits) } else { above }
    }

    /// How the spreads of several placements compare with as many independent ideal hashes: the
    /// probabilities that these are together at least as even (lower) and more uneven (upper), for
    /// the coefficients of variation of the ratios, one a placement. By the sum of Pearson's
    /// statistics, with its exact mean and variance; none without keys, and where there is nothing
    /// to vary.
    pub fn evenness(&self, cvs: &[f64]) -> Option<Tails> {
        if self.keys == 0 || self.nodes < 2 || cvs.is_empty() {
            return None;
        }
        let copies = (self.keys * self.copies) as f64;
        let sum = cvs.iter().map(|cv| copies * cv * cv).sum();
        Pearson::new(self.keys as f64, &self.groups).tails(sum, cvs.len())
    }

    /// The probability that the smallest ratio is at most `observed_min_ratio`: 1 for ratios from
    /// 1 on, which no fleet exceeds, and where there are no keys or nodes.
    ///
    /// ```
    /// use placelab_metrics::null::UnitNull;
    /// // Of ten sessions on four workers one is idle in two fleets of nine.
    /// assert!((UnitNull::new(10, &[1; 4]).p_min(0.0) - 0.2194).abs() < 5e-5);
    /// ```
    pub fn p_min(&self, observed_min_ratio: f64) -> f64 {
        if self.is_nothing() || observed_min_ratio >= 1.0 {
            return 1.0;
        }
        let limit = |&expected: &f64| whole_load(observed_min_ratio, expected) as u64 + 1;
        let limits: Vec<u64> = self.expected.iter().map(limit).collect();
        let below = 1.0 - self.all_at_least(&limits);
        if below < RARE { self.any_below(&limits) } else { below }
    }

    /// The law of the largest ratio. It is at least 1, as the weighted mean of the ratios is 1.
    pub(super) fn largest(&self) -> RatioLaw {
        let distribution = |ratio| {
            let limit = |&expected: &f64| whole_load(ratio, expected) as u64;
            self.all_at_most(&self.expected.iter().map(limit).collect::<Vec<_>>())
        };
        let (_, high) = self.bounds(self.least_expected());
        RatioLaw::tabulate(&self.expected, (1.0 - 1e-9, high), distribution)
    }

    /// The law of the smallest ratio, which is at most 1.
    pub(super) fn smallest(&self) -> RatioLaw {
        let distribution = |ratio| {
            let limit = |&expected: &f64| whole_load(ratio, expected) as u64 + 1;
            1.0 - self.all_at_least(&self.expected.iter().map(limit).collect::<Vec<_>>())
        };
        let (low, _) = self.bounds(self.least_expected());
        RatioLaw::tabulate(&self.expected, (low, 1.0), distribution)
    }

    /// Between which ratios all nodes are that expect at least so many keys, by Bernstein's bound.
    pub(super) fn bounds(&self, expected: f64) -> (f64, f64) {
        let missed = MISSED + ln(self.nodes as f64);
        let surplus = missed / 3.0 + sqrt(missed * missed / 9.0 + 2.0 * missed * expected);
        let deficit = sqrt(2.0 * missed / expected);
        let low = if deficit < 1.0 { 1.0 - deficit } else { -1e-9 };
        (low, (1.0 + surplus / expected).min(self.keys as f64 / expected))
    }

    fn all_at_most(&self, limits: &[u64]) -> f64 {
        if self.nodes == 2 {
            1.0 - self.any_above(limits)
        } else {
            self.all_within(limits.iter().map(|&limit| Window::at_most(limit)).collect())
        }
    }

    pub(super) fn all_at_least(&self, limits: &[u64]) -> f64 {
        if self.nodes == 2 {
            1.0 - self.any_below(limits)
        } else {
            self.all_within(limits.iter().map(|&limit| Window::at_least(limit)).collect())
        }
    }

    /// The chance that the loads of all nodes are within the windows, one a group.
    pub(super) fn all_within(&self, windows: Vec<Window>) -> f64 {
        if self.nodes == 2 {
            return self.two_within(windows[0], windows[windows.len() - 1]);
        }
        let shared = self.copies - self.certain;
        Throw::new(self.keys, shared, self.nodes, &self.groups).all_within(windows)
    }

    /// The same of two nodes, of which the second has what the first has not.
    fn two_within(&self, first: Window, second: Window) -> f64 {
        let Some(high) = self.keys.checked_sub(second.low) else { return 0.0 };
        let high = high.min(first.high);
        let low = first.low.max(self.keys.saturating_sub(second.high));
        let up_to = |load| binomial_tails(load, self.keys, self.groups[0].share).lower;
        match low.checked_sub(1) {
            _ if low > high => 0.0,
            Some(less) => (up_to(high) - up_to(less)).max(0.0),
            None => up_to(high),
        }
    }

    /// The chance of a load above its limit from the nodes' own binomial laws: exact for two
    /// nodes, of which only one can be above; else good to half its own size squared, as loads
    /// of a multinomial are negatively associated.
    fn any_above(&self, limits: &[u64]) -> f64 {
        self.any(limits, |limit, share| binomial_tails(limit, self.keys, share).upper)
    }

    /// The chance of a load below its limit, which is at least 1; alike.
    pub(super) fn any_below(&self, limits: &[u64]) -> f64 {
        self.any(limits, |limit, share| binomial_tails(limit - 1, self.keys, share).lower)
    }

    fn any(&self, limits: &[u64], tail: impl Fn(u64, f64) -> f64) -> f64 {
        let tails = self
            .groups
            .iter()
            .zip(limits)
            .map(|(group, &limit)| (group.nodes as f64, tail(limit, group.share)));
        if self.nodes == 2 {
            tails.map(|(nodes, tail)| nodes * tail).sum::<f64>().min(1.0)
        } else {
            one_minus_exp(tails.map(|(nodes, tail)| nodes * ln_one_plus(-tail)).sum())
        }
    }

    /// The variance of the free count of a node with such a chance, a key.
    pub(super) fn free_variance(&self, chance: f64) -> f64 {
        let class = self.groups.partition_point(|group| group.share < chance * (1.0 - 1e-12));
        let group = &self.groups[class.min(self.groups.len() - 1)];
        chance * (group.free_variance / group.share)
    }

    /// Without keys, or without nodes that could have one.
    pub(super) fn is_nothing(&self) -> bool {
        self.keys == 0 || self.nodes + self.certain == 0
    }

    /// The expected load of the lightest node, whose ratio strays furthest.
    pub(super) fn least_expected(&self) -> f64 {
        self.expected[0]
    }
}

/// 1 − eˣ, accurate for small x.
fn one_minus_exp(x: f64) -> f64 {
    // Five terms of the series have a relative error below 10⁻¹⁶ here.
    if x.abs() < 1e-3 {
        -x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0))))
    } else {
        1.0 - exp(x)
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;
    use placelab_results::Chance;

    use super::*;

    fn mean_max(keys: u64, nodes: usize) -> f64 {
        UnitNull::new(keys, &vec![1; nodes]).chance().max_over_mean.mean
    }

    /// Expected maxima of multinomials. Up to 60 keys they are sums over all outcomes; the others
    /// are where the union of the nodes' tails passes one: 8.86 keys for 980,000 nodes, 134.0 for
    /// 100 keys a node on 1,000. A product of marginals would give 1.66 for 20 keys on 6.
    #[test]
    fn known_maxima() {
        let known = [
            (100_000, 1000, 1.340, 0.002),
            (10_000, 1000, 2.17, 0.01),
            (1_000_000, 980_000, 8.69, 0.03),
            (12, 6, 1.96, 0.005),
            (20, 6, 1.74, 0.005),
            (60, 6, 1.42, 0.005),
            (600, 6, 1.13, 0.005),
        ];
        for (keys, nodes, ratio, tolerance) in known {
            let got = mean_max(keys, nodes);
            assert!((got - ratio).abs() < tolerance, "{keys} on {nodes}: {got} for {ratio}");
        }
    }

    /// A million keys on 64 nodes: mean 15,625 and standard deviation 124.0 keys, and the expected
    /// maximum of 64 normal variables is 2.37 standard deviations.
    #[test]
    fn a_million_keys_on_64_nodes() {
        let chance = UnitNull::new(1_000_000, &[1_000_000; 64]).chance();
        let keys = [chance.max_over_mean.mean, chance.min_over_mean.mean].map(|r| r * 15_625.0);
        assert!((keys[0] - 15_919.0).abs() < 3.0, "{keys:?}");
        assert!((keys[1] - 15_333.0).abs() < 3.0, "{keys:?}");
    }

    /// Ideal hashes, thrown: the p-values of twenty together are uniform, for many keys a node and
    /// for few, to three standard errors at the 5 % points; a spread three tenths above or below
    /// what chance gives is seen in two hundred.
    #[test]
    fn evenness_is_uniform_under_chance() {
        const TRIALS: u64 = 4_000;
        for (keys, nodes) in [(4_000u64, 40usize), (60, 40), (20, 6)] {
            let null = UnitNull::new(keys, &vec![1; nodes]);
            let cv = |trial| {
                let mut loads = vec![0.0; nodes];
                let owners = (0..keys).map(|key| stream(trial, key) % nodes as u64);
                owners.for_each(|owner| loads[owner as usize] += 1.0);
                let fair = keys as f64 / nodes as f64;
                let square = |load: &f64| (load / fair - 1.0) * (load / fair - 1.0);
                sqrt(loads.iter().map(square).sum::<f64>() / nodes as f64)
            };
            let cvs: Vec<f64> = (0..TRIALS).map(cv).collect();
            let uneven: Vec<f64> =
                cvs.chunks(20).map(|cvs| null.evenness(cvs).unwrap().upper).collect();
            for (part, bounds) in [(0.05, 0.015..0.11), (0.5, 0.39..0.61), (0.95, 0.89..0.985)] {
                let below = uneven.iter().filter(|&&p| p < part).count() as f64;
                let below = below / uneven.len() as f64;
                assert!(bounds.contains(&below), "{keys} on {nodes}: {below} below {part}");
            }
            let scaled = |by: f64| cvs[..200].iter().map(|cv| cv * by).collect::<Vec<f64>>();
            assert!(null.evenness(&scaled(1.3)).unwrap().upper < 1e-6);
            assert!(null.evenness(&scaled(0.7)).unwrap().lower < 1e-6);
        }
        assert_eq!(UnitNull::new(0, &[1, 1]).evenness(&[0.0]), None);
        assert_eq!(UnitNull::new(9, &[1]).evenness(&[0.0]), None);
        assert_eq!(UnitNull::new(1, &[1; 10]).evenness(&[3.0]), None, "it is certain");
    }

    /// Two nodes: the maximum strays from the half by |X − K/2|, of mean √(K ÷ 2π) = 399 keys, here
    /// met to 0.15 keys.
    #[test]
    fn two_nodes() {
        let want = 1.0 + sqrt(1e6 / std::f64::consts::TAU) / 5e5;
        assert!((mean_max(1_000_000, 2) - want).abs() < 3e-7);
        let null = UnitNull::new(3, &[1, 1]);
        assert!((null.p_max(4.0 / 3.0) - 1.0).abs() < 1e-14);
        assert!((null.p_max(2.0) - 0.25).abs() < 1e-14);
    }

    /// Reported by a user: this fleet took 17 seconds, in a fraction of what was no number.
    #[test]
    fn a_heavy_node_beside_two_light_ones_is_quick() {
        for keys in [1_000, 3_000, 10_000, 50_000] {
            for weights in [&[2, 1, 1][..], &[10, 1, 1], &[8, 4, 2, 1], &[100, 1, 1, 1, 1]] {
                let chance = UnitNull::new(keys, weights).chance();
                assert!(chance.max_over_mean.mean > 1.0 && chance.min_over_mean.mean < 1.0);
            }
        }
    }

    /// Two nodes of weight 1 and one of 10⁻⁵ over 1,000 keys: by 400,000 draws the spread is
    /// 0.0276 (0.0030 to 0.0640). The smooth law would say 0.0108 from nothing on.
    #[test]
    fn a_node_that_expects_no_key_makes_the_spread_lumpy() {
        let cv = UnitNull::new(1_000, &[1_000_000, 1_000_000, 10]).chance().cv;
        assert!((cv.mean - 0.0276).abs() < 0.004, "{cv:?}");
        assert!((cv.low - 0.0030).abs() < 0.002 && (cv.high - 0.0640).abs() < 0.006, "{cv:?}");
    }

    /// Every outcome of so many keys with its probability.
    fn outcomes(keys: u64, shares: &[f64]) -> Vec<(Vec<u64>, f64)> {
        let Some((&share, rest)) = shares.split_first() else {
            return if keys == 0 { vec![(vec![], 1.0)] } else { vec![] };
        };
        let mut all = Vec::new();
        for count in 0..=keys {
            let ways: f64 = (0..count).map(|i| (keys - i) as f64 / (i + 1) as f64).product();
            let part = ways * share.powi(count as i32);
            for (mut loads, chance) in outcomes(keys - count, rest) {
                loads.insert(0, count);
                all.push((loads, part * chance));
            }
        }
        all
    }

    fn ratios(loads: &[u64], weights: &[u64]) -> Vec<f64> {
        let scale = weights.iter().sum::<u64>() as f64 / loads.iter().sum::<u64>() as f64;
        loads.iter().zip(weights).map(|(&load, &w)| load as f64 / w as f64 * scale).collect()
    }

    fn extremes(ratios: &[f64]) -> (f64, f64) {
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        (ratios.iter().copied().fold(0.0, f64::max), least)
    }

    /// The least value up to which the probability is reached.
    fn quantile_of(mut law: Vec<(f64, f64)>, probability: f64) -> f64 {
        law.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut sum = 0.0;
        let reached = |&&(_, chance): &&(f64, f64)| {
            sum += chance;
            sum >= probability
        };
        law.iter().find(reached).unwrap().0
    }

    fn assert_is_law(got: Chance, law: Vec<(f64, f64)>, what: &str) {
        let mean: f64 = law.iter().map(|(value, chance)| value * chance).sum();
        assert!((got.mean - mean).abs() < 1e-9, "{what}: {got:?} for mean {mean}");
        let (low, high) = (quantile_of(law.clone(), 0.05), quantile_of(law, 0.95));
        assert!((got.low - low).abs() < 1e-9, "{what}: {got:?} for low {low}");
        assert!((got.high - high).abs() < 1e-9, "{what}: {got:?} for high {high}");
    }

    /// Small worlds completely: each outcome of 1 to 12 keys on 2 to 4 nodes.
    #[test]
    fn small_worlds() {
        let fleets: [&[u64]; 5] = [&[1, 1], &[1, 3], &[1, 2, 4], &[2, 2, 3], &[1, 1, 5, 2]];
        for weights in fleets {
            let total = weights.iter().sum::<u64>() as f64;
            let shares: Vec<f64> = weights.iter().map(|&w| w as f64 / total).collect();
            for keys in 1..=12 {
                let what = format!("{keys} keys on {weights:?}");
                let outcomes = outcomes(keys, &shares);
                let law = |figure: fn((f64, f64)) -> f64| -> Vec<(f64, f64)> {
                    let of = |loads: &[u64]| figure(extremes(&ratios(loads, weights)));
                    outcomes.iter().map(|(loads, chance)| (of(loads), *chance)).collect()
                };
                let null = UnitNull::new(keys, weights);
                let chance = null.chance();
                assert_is_law(chance.max_over_mean, law(|(max, _)| max), &what);
                assert_is_law(chance.min_over_mean, law(|(_, min)| min), &what);
                let maxima = law(|(max, _)| max);
                for &(ratio, _) in &maxima {
                    let at_least = maxima.iter().filter(|(max, _)| *max > ratio - 1e-9);
                    let want: f64 = at_least.map(|(_, chance)| chance).sum();
                    let got = null.p_max(ratio);
                    assert!((got - want).abs() < 1e-3 * want, "{what}: {got} for {want}");
                }
            }
        }
    }

    /// 5,000 keys on 42 nodes of weights 1, 2 and 4, thrown 4,000 times. Means agree to four
    /// standard errors, and 90 % of the throws are between the percentiles, give or take four
    /// standard errors (0.5 %) and the width of an atom.
    #[test]
    fn agrees_with_simulation() {
        const TRIALS: u64 = 4000;
        let weights: Vec<u64> = (0..42).map(|node| 1 << (node % 3)).collect();
        let owners: Vec<usize> = (0..42).flat_map(|n| vec![n; weights[n] as usize]).collect();
        let mut figures = [vec![], vec![], vec![]];
        for trial in 0..TRIALS {
            let mut loads = vec![0; 42];
            for key in 0..5000 {
                let draw = u128::from(stream(trial, key)) * owners.len() as u128;
                loads[owners[(draw >> 64) as usize]] += 1;
            }
            let ratios = ratios(&loads, &weights);
            let (max, min) = extremes(&ratios);
            let part = |(ratio, &w): (&f64, &u64)| w as f64 * (ratio - 1.0) * (ratio - 1.0);
            let variance: f64 = ratios.iter().zip(&weights).map(part).sum();
            figures[0].push(max);
            figures[1].push(min);
            figures[2].push(sqrt(variance / owners.len() as f64));
        }
        let chance = UnitNull::new(5000, &weights).chance();
        for (values, chance) in
            figures.iter().zip([chance.max_over_mean, chance.min_over_mean, chance.cv])
        {
            let mean = values.iter().sum::<f64>() / TRIALS as f64;
            let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
            let error = sqrt(variance) / TRIALS as f64;
            assert!((mean - chance.mean).abs() < 4.0 * error, "{mean} ± {error}: {chance:?}");
            let inside = values.iter().filter(|&&v| chance.low <= v && v <= chance.high).count();
            let part = inside as f64 / TRIALS as f64;
            assert!((0.88..0.94).contains(&part), "{part} within {chance:?}");
        }
    }

    /// Rare maxima keep their digits: the first of 6 nodes has all of 20 keys with 6⁻²⁰.
    #[test]
    fn rare_maxima() {
        let p = UnitNull::new(20, &[1; 6]).p_max(6.0);
        let want = 6.0 * 6f64.powi(-20);
        assert!((p / want - 1.0).abs() < 1e-10, "{p:e} for {want:e}");
        assert_eq!(UnitNull::new(20, &[1; 6]).p_max(6.1), 0.0);
        // Where the methods meet at 10⁻³ there is no step.
        let null = UnitNull::new(1_000_000, &[1; 64]);
        let tails: Vec<f64> =
            (0..450).map(|i| null.p_max((16_000 + i) as f64 / 15_625.0)).collect();
        assert!(tails[0] > 0.05 && tails[449] < 1e-8);
        let falls: Vec<f64> = tails.windows(2).map(|pair| pair[1] / pair[0]).collect();
        assert!(falls.iter().all(|fall| (0.94..1.0).contains(fall)));
        assert!(falls.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 1e-3));
    }

    #[test]
    fn nothing_and_one_node() {
        for null in [UnitNull::new(0, &[1, 1]), UnitNull::new(9, &[]), UnitNull::new(9, &[0])] {
            assert_eq!((null.chance(), null.p_max(1.5)), (LoadChance::NOTHING, 1.0));
        }
        let alone = UnitNull::new(9, &[0, 5]);
        assert_eq!((alone.chance(), alone.p_max(1.0)), (LoadChance::ALONE, 1.0));
        assert_eq!(alone.p_max(1.1), 0.0);
        let single = UnitNull::new(1, &[1; 10]).chance();
        assert_eq!(single.max_over_mean.mean, 10.0);
        assert_eq!((single.min_over_mean.mean, single.cv.mean), (0.0, 3.0));
    }

    /// Whatever the world, figures are finite and in order.
    #[test]
    fn odd_worlds() {
        for world in 0..300 {
            let draw = |i| stream(world, i);
            let keys = draw(0) >> (24 + draw(1) % 40);
            let nodes = 2 + draw(2) % 30;
            let weights: Vec<u64> =
                (3..3 + nodes).map(|i| draw(i) >> (14 + draw(4) % 50)).collect();
            let chance = UnitNull::new(keys, &weights).chance();
            let (max, min, cv) = (chance.max_over_mean, chance.min_over_mean, chance.cv);
            for figure in [max, min, cv] {
                let ordered = 0.0 <= figure.low && figure.low <= figure.high;
                assert!(
                    ordered && figure.mean.is_finite(),
                    "{world}: {keys} {weights:?} {figure:?}"
                );
            }
            if chance != LoadChance::NOTHING {
                assert!(max.low >= 1.0 - 1e-9 && max.mean >= 1.0 - 1e-9, "{world}: {max:?}");
                assert!(min.high <= 1.0 + 1e-9 && min.mean <= 1.0 + 1e-9, "{world}: {min:?}");
            }
        }
    }

    /// Weights count only relative to each other, and nodes of weight 0 not at all.
    #[test]
    fn scale_and_zeros_do_not_matter() {
        let null = UnitNull::new(1000, &[1, 2, 4]);
        assert_eq!(UnitNull::new(1000, &[0, 4_000_000, 1_000_000, 0, 2_000_000]), null);
    }
}
