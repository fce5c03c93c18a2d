//! The free count of a node: its load if loads had not to sum to all copies.
//!
//! Where each key has one copy, free counts are Poisson, and given their sum they are multinomial:
//! that is exact. Where each key has R copies on distinct nodes, a load varies less than that. Its
//! free count is then of the binomial law with the same mean and with the variance that makes
//! the load's own variance right given the sum; its number of tries need not be whole.
//!
//! Source: the variances v_i with v_i − v_i² ÷ Σ v = chance_i (1 − chance_i), found by repeating
//! v ← chance (1 − chance) + v² ÷ Σ v (Deville and Tillé, "Variance approximation under balanced
//! sampling", Journal of Statistical Planning and Inference 128, 2005).
//!
//! Limits: where two nodes have nearly all the variance there is no solution, and what
//! [`STEPS_MAX`] steps reach is taken.

use placelab_core::math::exp;

use super::levin::Group;
use crate::special::{
    Tails, binomial_point_ln, ln_one_plus, poisson_point_ln, poisson_tails, real_binomial_tails,
};

/// Most steps towards the variances.
const STEPS_MAX: usize = 200;
/// Relative change of their sum below which they are settled.
const SETTLED: f64 = 1e-13;

/// Gives the groups the variances of their free counts, for so many copies on so many nodes. One
/// copy makes a multinomial of the loads and one absence makes one of the absences, in which both
/// are the chances themselves.
pub(super) fn set_variances(groups: &mut [Group], nodes: u64, copies: u64) {
    let is_absence = 2 * copies > nodes;
    let most = |group: &Group| if is_absence { 1.0 - group.share } else { group.share };
    if copies <= 1 || copies + 1 == nodes {
        groups.iter_mut().for_each(|group| group.free_variance = most(group));
        return;
    }
    let own = |group: &Group| group.share * (1.0 - group.share);
    let sum_of = |groups: &[Group]| -> f64 {
        groups.iter().map(|group| group.nodes as f64 * group.free_variance).sum()
    };
    groups.iter_mut().for_each(|group| group.free_variance = own(group));
    let mut sum = sum_of(groups);
    for _ in 0..STEPS_MAX {
        for group in groups.iter_mut() {
            let square = group.free_variance * group.free_variance;
            group.free_variance = (own(group) + square / sum).min(most(group));
        }
        let before = std::mem::replace(&mut sum, sum_of(groups));
        if (sum - before).abs() <= SETTLED * sum {
            break;
        }
    }
}

/// A Poisson count, or a binomial one of a real number of tries.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct FreeCount {
    /// Its mean.
    pub mean: f64,
    /// The chance of each try: variance = mean · (1 − shortfall). 0 for a Poisson count.
    pub shortfall: f64,
    /// The number of tries; infinite for a Poisson count.
    tries: f64,
}

impl FreeCount {
    /// The count of a node of the group for so many keys, with its odds tilted by θ ÷ keys.
    pub(super) fn new(keys: u64, group: &Group, theta: f64) -> Self {
        let untilted = group.shortfall();
        if untilted == 0.0 {
            let (mean, tries) = (theta * group.share, f64::INFINITY);
            return FreeCount { mean, shortfall: 0.0, tries };
        }
        let tries = keys as f64 * group.share / untilted;
        let tilt = theta / keys as f64;
        let shortfall = untilted * tilt / (1.0 + untilted * (tilt - 1.0));
        FreeCount { mean: tries * shortfall, shortfall, tries }
    }

    /// At most so many, and more.
    pub(super) fn tails(&self, count: u64) -> Tails {
        match self.shortfall {
            0.0 => poisson_tails(count, self.mean),
            chance => real_binomial_tails(count, self.tries, chance),
        }
    }

    /// The logarithm of the chance of just so many.
    pub(super) fn point_ln(&self, count: u64) -> f64 {
        match self.shortfall {
            0.0 => poisson_point_ln(count, self.mean),
            chance => binomial_point_ln(count, self.tries, chance),
        }
    }

    /// What a sum by parts leaves at its edge: chance · (tries − count), the mean for a Poisson
    /// count.
    pub(super) fn edge_rate(&self, count: u64) -> f64 {
        match self.shortfall {
            0.0 => self.mean,
            chance => (chance * (self.tries - count as f64)).max(0.0),
        }
    }

    /// The cumulant generating function: ln E[e^(log_tilt · count)].
    pub(super) fn growth(&self, log_tilt: f64) -> f64 {
        let tilt_less_one = exp(log_tilt) - 1.0;
        match self.shortfall {
            0.0 => self.mean * tilt_less_one,
            chance => self.tries * ln_one_plus(chance * tilt_less_one),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal nodes: v (1 − 1/N) = R/N (1 − R/N).
    #[test]
    fn variances_of_equal_nodes() {
        for (nodes, copies) in [(10, 1), (10, 3), (10, 7), (10, 9), (4, 2)] {
            let share = copies as f64 / nodes as f64;
            let mut groups = [Group { nodes, share, free_variance: 0.0 }];
            set_variances(&mut groups, nodes, copies);
            let want = share * (1.0 - share) / (1.0 - 1.0 / nodes as f64);
            let got = groups[0].free_variance;
            assert!((got - want).abs() < 1e-11, "{copies} on {nodes}: {got} {want}");
        }
    }

    /// Of unequal nodes each keeps the variance of its own binomial law.
    #[test]
    fn variances_of_unequal_nodes() {
        let group = |nodes, share| Group { nodes, share, free_variance: 0.0 };
        let mut groups = [group(4, 0.25), group(3, 0.5), group(2, 0.25)];
        set_variances(&mut groups, 9, 3);
        let sum: f64 = groups.iter().map(|g| g.nodes as f64 * g.free_variance).sum();
        for Group { share, free_variance: v, .. } in groups {
            assert!((v - v * v / sum - share * (1.0 - share)).abs() < 1e-12);
        }
    }
}
