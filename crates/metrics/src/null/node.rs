//! The law of one node's load: a binomial, exact.
//!
//! Cost: constant, but for a tail near the mean, which takes O(√load) steps.
//!
//! Limits: above a variance of 10⁴ the percentiles are those of Cornish and Fisher's expansion
//! (1937), which may be off by one key.

use placelab_core::math::{exp, sqrt};

use crate::special::{binomial_tails, ln_one_plus};

/// The 95th percentile of the standard normal law.
const NORMAL_95: f64 = 1.644_853_626_951_472_2;
/// Variance up to which percentiles are exact.
const EXACT_VARIANCE_MAX: f64 = 1e4;

/// How many keys one node has of an ideal hash: each with the same chance, independently.
///
/// ```
/// use placelab_metrics::null::NodeLaw;
/// // A storage device of a hundred with 3,200 placement groups.
/// let device = NodeLaw { keys: 3_200, chance: 0.01 };
/// assert!((device.deviation() - 5.63).abs() < 0.005);
/// assert_eq!(device.interval(), (23, 42));
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NodeLaw {
    /// How many keys there are.
    pub keys: u64,
    /// The probability that a key, or a copy of it, is on the node: 0 to 1.
    pub chance: f64,
}

impl NodeLaw {
    /// Expected load in keys.
    pub fn mean(&self) -> f64 {
        self.keys as f64 * self.chance
    }

    /// Standard deviation of the load in keys.
    pub fn deviation(&self) -> f64 {
        sqrt(self.variance())
    }

    fn variance(&self) -> f64 {
        self.mean() * (1.0 - self.chance)
    }

    /// The probability that the node has no key at all.
    pub fn idle(&self) -> f64 {
        if self.chance >= 1.0 {
            return if self.keys == 0 { 1.0 } else { 0.0 };
        }
        exp(self.keys as f64 * ln_one_plus(-self.chance))
    }

    /// The 5th and 95th percentile of the load: the least ones up to which the probability is
    /// reached.
    pub fn interval(&self) -> (u64, u64) {
        (self.percentile(0.05, -NORMAL_95), self.percentile(0.95, NORMAL_95))
    }

    fn percentile(&self, probability: f64, normal: f64) -> u64 {
        let guess = self.expansion(normal);
        if self.variance() > EXACT_VARIANCE_MAX {
            return guess;
        }
        let is_reached = |load| self.up_to(load) >= probability;
        let mut load = guess;
        while load > 0 && is_reached(load - 1) {
            load -= 1;
        }
        while !is_reached(load) {
            load += 1;
        }
        load
    }

    /// The least whole load not below Cornish and Fisher's percentile of a law of halves.
    fn expansion(&self, normal: f64) -> u64 {
        let variance = self.variance();
        if variance == 0.0 {
            return self.mean().round() as u64;
        }
        let square = normal * normal;
        let skew = 1.0 - 2.0 * self.chance;
        let excess = 1.0 - 6.0 * self.chance * (1.0 - self.chance);
        let second = excess * normal * (square - 3.0) / 24.0
            - skew * skew * normal * (2.0 * square - 5.0) / 36.0;
        let load = self.mean() - 0.5
            + self.deviation() * normal
            + skew * (square - 1.0) / 6.0
            + second / self.deviation();
        (load.ceil().max(0.0) as u64).min(self.keys)
    }

    /// The probability of at most so many keys.
    pub fn up_to(&self, load: u64) -> f64 {
        binomial_tails(load, self.keys, self.chance).lower
    }

    /// The probability of at least so many keys.
    pub fn from(&self, load: u64) -> f64 {
        match load.checked_sub(1) {
            Some(less) => binomial_tails(less, self.keys, self.chance).upper,
            None => 1.0,
        }
    }

    /// The two-sided p-value of a load: twice the smaller tail from it on, at most 1.
    pub fn p_value(&self, load: u64) -> f64 {
        (2.0 * self.up_to(load).min(self.from(load))).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Percentiles by summing exact probabilities.
    #[test]
    fn percentiles_are_exact() {
        for (keys, chance) in [(1, 0.5), (20, 1.0 / 6.0), (100, 0.03), (3200, 0.01), (50, 0.999)] {
            let law = NodeLaw { keys, chance };
            let point = |count: u64| {
                let ways: f64 = (0..count).map(|i| (keys - i) as f64 / (i + 1) as f64).product();
                ways * chance.powi(count as i32) * (1.0 - chance).powi((keys - count) as i32)
            };
            let least = |probability: f64| {
                let mut sum = 0.0;
                let reached = |count: &u64| {
                    sum += point(*count);
                    sum >= probability
                };
                (0..=keys).find(reached).unwrap()
            };
            if keys < 200 {
                assert_eq!(law.interval(), (least(0.05), least(0.95)), "{law:?}");
            }
            assert!((law.idle() - (1.0 - chance).powi(keys as i32)).abs() < 1e-14);
        }
    }

    /// Where the percentiles become an expansion it agrees with the exact ones.
    #[test]
    fn the_expansion_is_off_by_no_key() {
        for (keys, chance) in [(1_000_000, 0.0099), (100_000, 0.11), (40_000, 0.5), (2_000, 0.99)] {
            let law = NodeLaw { keys, chance };
            assert!(law.variance() < EXACT_VARIANCE_MAX * 1.0001);
            let expanded = (law.expansion(-NORMAL_95), law.expansion(NORMAL_95));
            assert_eq!(expanded, law.interval(), "{law:?}");
        }
    }

    #[test]
    fn what_is_certain() {
        let (all, none) = (NodeLaw { keys: 9, chance: 1.0 }, NodeLaw { keys: 0, chance: 0.3 });
        assert_eq!((all.interval(), all.idle(), all.deviation()), ((9, 9), 0.0, 0.0));
        assert_eq!((all.p_value(9), all.p_value(8)), (1.0, 0.0));
        assert_eq!((none.interval(), none.idle(), none.p_value(0)), ((0, 0), 1.0, 1.0));
    }

    /// 160 keys on a node that expects 100: the reference of the tails, twice.
    #[test]
    fn p_values_are_twice_a_tail() {
        let law = NodeLaw { keys: 100_000, chance: 0.001 };
        let p = law.p_value(161);
        assert!((p / (2.0 * 1.23818590313061e-8) - 1.0).abs() < 1e-10, "{p:e}");
    }
}
