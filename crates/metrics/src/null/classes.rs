//! Nodes gathered by weight, and the chance of each to have a copy of a key.
//!
//! One copy of each key: node i has it with probability w_i ÷ W. R copies on distinct nodes: with
//! R · w_i ÷ W, but for nodes that this would give more than one copy. These have a copy of every
//! key, for certain, and the others share the rest: the heavy nodes are *cropped* (Brinkmann and
//! Effert, "Redundant data placement strategies for cluster storage environments", 2008).
//!
//! Up to [`CLASSES_MAX`] distinct weights make a class each. More are gathered in at most that many
//! classes of neighbours, none with more than 1/[`PARTS`] of the nodes nor of the range of the
//! logarithms of the weights, and every node counts with the mean weight of its class.
//!
//! Cost: a sort of the weights, some 30 ms for 10⁶ different ones.
//!
//! Limits: gathering shifts a weight by up to 1/[`PARTS`] of the logarithmic range: 0.7 % where the
//! heaviest is ten times the lightest, 3 % at a factor of 20,000. A ratio is off by no more than
//! that, and its mean over a fleet by far less, as shifts go both ways.

use placelab_core::math::{exp, ln};

use super::{positive_weights, total_weight};

/// Most distinct weights that are told apart.
pub const CLASSES_MAX: usize = 1_000;
/// Parts of the nodes, and of the range, where classes are gathered. Two classes in a row have
/// more than a part of the nodes, or more than one of the range, so there are at most three times
/// as many classes.
const PARTS: usize = CLASSES_MAX / 3;

/// Nodes of one weight, or of neighbouring weights where there are very many.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WeightClass {
    /// How many there are.
    pub nodes: u64,
    /// The lightest of their weights.
    pub lightest: u64,
    /// The heaviest.
    pub heaviest: u64,
    /// The probability that a given key has a copy on a given one of them, above 0 to 1.
    pub chance: f64,
    /// The mean of the weights with which they count: less than their own where they are cropped.
    pub effective: f64,
}

/// The chance of each node to have a copy of a key, by its weight.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Inclusion {
    /// Copies of a key that nodes share which are not cropped.
    left: u64,
    /// The sum of these nodes' weights.
    rest: u128,
}

impl Inclusion {
    /// Of so many copies of each key on nodes of the given weights, in any order. Panics where
    /// there are no copies, or fewer nodes of positive weight, but some.
    pub fn new(weights: &[u64], copies: u64) -> Self {
        Inclusion::of_sorted(&positive_weights(weights), copies)
    }

    fn of_sorted(sorted: &[u64], copies: u64) -> Self {
        assert!(copies > 0, "at least one copy of each key");
        assert!(sorted.is_empty() || copies <= sorted.len() as u64, "as many nodes as copies");
        let (mut left, mut rest) = (copies, total_weight(sorted));
        // Of one copy no node gets more, so some are always left.
        for &weight in sorted.iter().rev() {
            if u128::from(weight) * u128::from(left) <= rest {
                break;
            }
            left -= 1;
            rest -= u128::from(weight);
        }
        Inclusion { left, rest }
    }

    /// The probability that a given key has a copy on a given node of such a weight: 0 to 1.
    pub fn chance(&self, weight: u64) -> f64 {
        if weight > 0 && u128::from(weight) * u128::from(self.left) >= self.rest {
            1.0
        } else {
            self.chance_of(weight as f64)
        }
    }

    /// The same of a mean of weights that are not cropped.
    fn chance_of(&self, weight: f64) -> f64 {
        self.left as f64 * (weight / self.rest as f64)
    }

    /// The weight with which a node counts: the largest that is not too heavy where it is cropped.
    pub fn effective(&self, weight: u64) -> f64 {
        if self.is_cropped(weight) { self.rest as f64 / self.left as f64 } else { weight as f64 }
    }

    /// Whether a node of such a weight would get more than one copy of each key.
    pub fn is_cropped(&self, weight: u64) -> bool {
        u128::from(weight) * u128::from(self.left) > self.rest
    }
}

/// The classes of some nodes in ascending order of their weights; nodes of weight 0 are ignored.
/// Panics like [`Inclusion::new`].
///
/// ```
/// use placelab_metrics::null::weight_classes;
/// // Two copies: the node of weight 8 has one of every key, as if its weight were 2.
/// let classes = weight_classes(&[1, 1, 8], 2);
/// assert_eq!((classes[0].chance, classes[1].chance), (0.5, 1.0));
/// assert_eq!(classes[1].effective, 2.0);
/// ```
pub fn weight_classes(weights: &[u64], copies: u64) -> Vec<WeightClass> {
    let sorted = positive_weights(weights);
    let inclusion = Inclusion::of_sorted(&sorted, copies);
    let certain = sorted.partition_point(|&weight| inclusion.chance(weight) < 1.0);
    let mut classes = Vec::new();
    for members in gathered(&sorted[..certain]).into_iter().chain(gathered(&sorted[certain..])) {
        let (lightest, heaviest) = (members[0], members[members.len() - 1]);
        let nodes = members.len() as u64;
        let (chance, effective) = if lightest == heaviest || inclusion.chance(lightest) == 1.0 {
            (inclusion.chance(lightest), inclusion.effective(lightest))
        } else {
            let mean = total_weight(members) as f64 / nodes as f64;
            (inclusion.chance_of(mean), mean)
        };
        classes.push(WeightClass { nodes, lightest, heaviest, chance, effective });
    }
    classes
}

/// Ascending weights by class.
fn gathered(sorted: &[u64]) -> Vec<&[u64]> {
    let runs: Vec<&[u64]> = sorted.chunk_by(|a, b| a == b).collect();
    if runs.len() <= CLASSES_MAX {
        return runs;
    }
    let nodes_max = sorted.len() / PARTS;
    let range = ln(sorted[sorted.len() - 1] as f64 / sorted[0] as f64);
    let width = exp(range / PARTS as f64);
    let (mut classes, mut start, mut end) = (Vec::new(), 0, 0);
    for run in runs {
        let is_full = end - start + run.len() > nodes_max;
        let is_far = run[0] as f64 > sorted[start] as f64 * width;
        if end > start && (is_full || is_far) {
            classes.push(&sorted[start..end]);
            start = end;
        }
        end += run.len();
    }
    classes.push(&sorted[start..end]);
    classes
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;
    use placelab_results::Chance;

    use super::*;
    use crate::null::UnitNull;

    fn chances(weights: &[u64], copies: u64) -> Vec<(u64, f64, f64)> {
        let classes = weight_classes(weights, copies);
        classes.iter().map(|class| (class.nodes, class.chance, class.effective)).collect()
    }

    #[test]
    fn heavy_nodes_are_cropped() {
        assert_eq!(chances(&[4, 0, 1, 3], 1), [(1, 0.125, 1.0), (1, 0.375, 3.0), (1, 0.5, 4.0)]);
        assert_eq!(chances(&[1, 1, 8], 2), [(2, 0.5, 1.0), (1, 1.0, 2.0)]);
        // Half of all weight is just not too heavy for two copies.
        assert_eq!(chances(&[1, 1, 2], 2), [(2, 0.5, 1.0), (1, 1.0, 2.0)]);
        let cropped = |weights, weight| Inclusion::new(weights, 2).is_cropped(weight);
        assert!(!cropped(&[1, 1, 2], 2) && cropped(&[1, 1, 3], 3));
        // One crop makes the next node too heavy: 9 of 14, then 3 of 5.
        assert_eq!(chances(&[1, 1, 3, 9], 3), [(2, 0.5, 1.0), (1, 1.0, 2.0), (1, 1.0, 2.0)]);
        assert_eq!(chances(&[1, 8], 2), [(1, 1.0, 1.0), (1, 1.0, 1.0)]);
        assert_eq!(chances(&[7], 1), [(1, 1.0, 7.0)]);
        assert_eq!(chances(&[0, 0], 1), []);
    }

    /// Chances sum to the copies, whatever the weights.
    #[test]
    fn chances_sum_to_the_copies() {
        for world in 0..200 {
            let nodes = 1 + stream(world, 0) % 50;
            let shift = 10 + stream(world, 2) % 50;
            let weights: Vec<u64> =
                (0..nodes).map(|node| 1 + (stream(world, 9 + node) >> shift)).collect();
            let copies = 1 + stream(world, 1) % nodes;
            let classes = weight_classes(&weights, copies);
            let sum: f64 = classes.iter().map(|class| class.nodes as f64 * class.chance).sum();
            assert!((sum - copies as f64).abs() < 1e-9 * copies as f64, "{weights:?} {copies}");
            assert!(classes.iter().all(|class| 0.0 < class.chance && class.chance <= 1.0));
        }
    }

    #[test]
    fn many_weights_are_gathered() {
        let weights: Vec<u64> = (0..100_000).map(|i| 1_000 + stream(5, i) % 9_000).collect();
        let classes = weight_classes(&weights, 1);
        assert!((PARTS..=CLASSES_MAX).contains(&classes.len()), "{}", classes.len());
        assert_eq!(classes.iter().map(|class| class.nodes).sum::<u64>(), 100_000);
        let sum: f64 = classes.iter().map(|class| class.nodes as f64 * class.chance).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        for class in &classes {
            assert!(class.nodes <= 300, "{class:?}");
            let width = class.heaviest as f64 / class.lightest as f64;
            assert!(width < 1.0072, "{class:?}");
        }
        let exact: Vec<u64> = (1..=CLASSES_MAX as u64).collect();
        assert!(weight_classes(&exact, 1).iter().all(|class| class.lightest == class.heaviest));
    }

    /// 2,000 different weights, each in its own class and gathered: figures agree to a tenth of
    /// their interval, where nodes expect a hundred keys as where they expect two, and where a
    /// few weights stretch the range a millionfold.
    #[test]
    fn gathering_hardly_changes_the_figures() {
        let spread = |node: u64| 1_000_000 + 4_500 * node;
        let stretched = |node: u64| if node < 5 { 1 + node } else { 1_000_000 + node };
        let near = |got: Chance, want: Chance, what: &str| {
            let tolerance = 0.1 * (want.high - want.low).max(1e-9);
            for (got, want) in [(got.mean, want.mean), (got.low, want.low), (got.high, want.high)] {
                assert!((got - want).abs() <= tolerance, "{what}: {got} for {want}");
            }
        };
        for (keys, weight) in
            [(200_000, &spread as &dyn Fn(u64) -> u64), (4_000, &spread), (200_000, &stretched)]
        {
            let weights: Vec<u64> = (0..2_000).map(weight).collect();
            let inclusion = Inclusion::new(&weights, 1);
            let alone = |&weight: &u64| WeightClass {
                nodes: 1,
                lightest: weight,
                heaviest: weight,
                chance: inclusion.chance(weight),
                effective: weight as f64,
            };
            let each: Vec<WeightClass> = weights.iter().map(alone).collect();
            let exact = UnitNull::of_classes(keys, 1, &each).chance();
            let classes = weight_classes(&weights, 1);
            assert!(classes.len() < CLASSES_MAX, "{}", classes.len());
            let gathered = UnitNull::of_classes(keys, 1, &classes).chance();
            let what = format!("{keys} keys on weights from {}", weights[0]);
            near(gathered.max_over_mean, exact.max_over_mean, &format!("largest, {what}"));
            near(gathered.min_over_mean, exact.min_over_mean, &format!("smallest, {what}"));
            near(gathered.cv, exact.cv, &format!("spread, {what}"));
        }
    }
}
