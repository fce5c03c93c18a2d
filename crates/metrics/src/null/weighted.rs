//! The law of the loads where keys count by requests or bytes: by simulation.
//!
//! Each trial throws the largest keys one by one. The rest counts as the number of equal keys that
//! has its sum and its sum of squares; where every node expects many of these, their loads are
//! normal, with the covariance of a multinomial, Σ squares · (p_i δ_ij − p_i p_j), and a first
//! correction for skewness (Cornish and Fisher, 1937); else they are thrown too.
//!
//! Cost: about 10⁷ draws a call, so tens of milliseconds, whatever the keys; above some 10,000
//! nodes [`TRIALS_MIN`] trials of N normal variables, a second for 10⁶ nodes.
//!
//! Limits: the error of simulation, about 3 % of a figure's own standard deviation at
//! [`TRIALS_MAX`] trials and 16 % at [`TRIALS_MIN`]. The seed is a constant: equal questions get
//! equal answers.

use std::f64::consts::TAU;

use placelab_core::math::{ln, open_unit, sincos, sqrt};
use placelab_results::{Chance, quantile};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::surprise::Surprise;
use super::{KeyWeights, LoadChance, positive_weights, total_weight};
use crate::special::Tails;

/// Seed of every simulation: `placelab` in ASCII.
const SEED: u64 = 0x706c_6163_656c_6162;
/// Most trials of a simulation.
const TRIALS_MAX: usize = 1000;
/// Least number of trials.
const TRIALS_MIN: usize = 40;
/// Draws that a simulation may take while it has more than the least number of trials.
const DRAWS_MAX: usize = 9_000_000;
/// Draws that take as long as the tail's part of one node.
const DRAWS_A_NODE: usize = 8;
/// Equal keys that each node must expect for their loads to be taken as normal.
const NORMAL_MIN: f64 = 16.0;
/// Most equal keys that are thrown one by one.
const THROWN_MAX: f64 = 1e6;

/// The law of the loads of an ideal hash where keys count by their requests or bytes.
#[derive(Clone, Debug)]
pub struct WeightedNull {
    total: f64,
    /// Weights of the keys that are thrown one by one.
    head: Vec<f64>,
    tail: Tail,
    /// Part of the total weight by node.
    shares: Vec<f64>,
    /// The law of the spread; none where there is nothing to spread.
    surprise: Option<Surprise>,
    picker: NodePicker,
}

/// The keys that are not in the head.
#[derive(Clone, Copy, Debug)]
enum Tail {
    /// So many keys of equal weight, to be thrown one by one; none is a tail too.
    Thrown { count: usize, each: f64 },
    /// Keys of this sum and root of the sum of squares, like `count` equal ones.
    Normal { total: f64, root_squares: f64, count: f64 },
}

impl WeightedNull {
    /// The law for such keys and nodes of the given weights; nodes of weight 0 are ignored.
    pub fn new(keys: &KeyWeights, weights: &[u64]) -> Self {
        let weights = positive_weights(weights);
        let total = total_weight(&weights) as f64;
        let shares: Vec<f64> = weights.iter().map(|&weight| weight as f64 / total).collect();
        WeightedNull {
            total: keys.total() as f64,
            head: keys.head.iter().map(|&weight| weight as f64).collect(),
            tail: Tail::new(keys, shares.first().copied().unwrap_or(1.0)),
            picker: NodePicker::new(&weights),
            surprise: (keys.total() > 0 && shares.len() > 1).then(|| Surprise::new(keys, &shares)),
            shares,
        }
    }

    /// What each balance figure would be by chance: all 0 without load or nodes, and certain for
    /// one node.
    pub fn chance(&self) -> LoadChance {
        if self.total == 0.0 || self.shares.is_empty() {
            return LoadChance::NOTHING;
        }
        if self.shares.len() == 1 {
            return LoadChance::ALONE;
        }
        let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
        let mut figures = Figures::default();
        let mut trial = Trial::new(self.shares.len());
        for _ in 0..self.trials() {
            self.throw(&mut random, &mut trial);
            figures.record(&trial.loads, &self.shares, self.total);
        }
        figures.chance()
    }

    /// How the spreads of several placements compare with as many independent ideal hashes: the
    /// probabilities that these are together at least as even (lower) and more uneven (upper), for
    /// the coefficients of variation of the ratios, one a placement. None without load, and where
    /// there is nothing to vary.
    pub fn evenness(&self, cvs: &[f64]) -> Option<Tails> {
        self.surprise.as_ref()?.tails(cvs)
    }

    fn trials(&self) -> usize {
        let tail = match self.tail {
            Tail::Thrown { count, .. } => count,
            Tail::Normal { .. } => DRAWS_A_NODE * self.shares.len(),
        };
        (DRAWS_MAX / (self.head.len() + tail).max(1)).clamp(TRIALS_MIN, TRIALS_MAX)
    }

    fn throw(&self, random: &mut Xoshiro256PlusPlus, trial: &mut Trial) {
        trial.loads.fill(0.0);
        for weight in &self.head {
            trial.loads[self.picker.pick(random.next_u64())] += weight;
        }
        match self.tail {
            Tail::Thrown { count, each } => {
                for _ in 0..count {
                    trial.loads[self.picker.pick(random.next_u64())] += each;
                }
            }
            Tail::Normal { total, root_squares, count } => {
                trial.add_normal(random, &self.shares, total, root_squares, count);
            }
        }
    }
}

impl Tail {
    fn new(keys: &KeyWeights, least_share: f64) -> Self {
        if keys.tail_total == 0 {
            return Tail::Thrown { count: 0, each: 0.0 };
        }
        let total = keys.tail_total as f64;
        let count = (total * total / keys.tail_squares).round();
        if count * least_share < NORMAL_MIN && count <= THROWN_MAX {
            Tail::Thrown { count: count as usize, each: total / count }
        } else {
            Tail::Normal { total, root_squares: sqrt(keys.tail_squares), count }
        }
    }
}

/// The loads of one trial, and room for its normal variables.
struct Trial {
    loads: Vec<f64>,
    normals: Vec<f64>,
}

impl Trial {
    fn new(nodes: usize) -> Self {
        Trial { loads: vec![0.0; nodes], normals: vec![0.0; nodes] }
    }

    /// Adds Σ squares^½ · (√p_i z_i − p_i Σ √p_j z_j) to the expectation of each node: of
    /// independent z, that has the covariance of a multinomial.
    fn add_normal(
        &mut self,
        random: &mut Xoshiro256PlusPlus,
        shares: &[f64],
        total: f64,
        root_squares: f64,
        count: f64,
    ) {
        fill_normal(random, &mut self.normals);
        let mut common = 0.0;
        for (z, &share) in self.normals.iter_mut().zip(shares) {
            // A load of equal keys is nearly Poisson, of skewness 1 ÷ √expected.
            let skewness = 1.0 / (count * share).max(NORMAL_MIN).sqrt();
            *z = (*z + skewness / 6.0 * (*z * *z - 1.0)) * share.sqrt();
            common += *z;
        }
        for ((load, z), &share) in self.loads.iter_mut().zip(&self.normals).zip(shares) {
            // No load is negative, though a normal variable may be.
            *load += (total * share + root_squares * (z - share * common)).max(0.0);
        }
    }
}

/// Independent standard normal variables by Box and Muller's transform, a pair a time.
fn fill_normal(random: &mut Xoshiro256PlusPlus, normals: &mut [f64]) {
    for pair in normals.chunks_mut(2) {
        let radius = sqrt(-2.0 * ln(open_unit(random.next_u64())));
        let (sine, cosine) = sincos(TAU * open_unit(random.next_u64()));
        pair[0] = radius * cosine;
        if let Some(second) = pair.get_mut(1) {
            *second = radius * sine;
        }
    }
}

/// The figures of all trials.
#[derive(Default)]
struct Figures {
    largest: Vec<f64>,
    smallest: Vec<f64>,
    cv: Vec<f64>,
}

impl Figures {
    fn record(&mut self, loads: &[f64], shares: &[f64], total: f64) {
        let (mut largest, mut smallest, mut variance) = (0.0f64, f64::INFINITY, 0.0);
        for (load, share) in loads.iter().zip(shares) {
            let ratio = load / (share * total);
            largest = largest.max(ratio);
            smallest = smallest.min(ratio);
            variance += share * (ratio - 1.0) * (ratio - 1.0);
        }
        self.largest.push(largest);
        self.smallest.push(smallest);
        self.cv.push(sqrt(variance));
    }

    fn chance(self) -> LoadChance {
        LoadChance {
            max_over_mean: summarise(self.largest),
            min_over_mean: summarise(self.smallest),
            cv: summarise(self.cv),
        }
    }
}

fn summarise(mut values: Vec<f64>) -> Chance {
    values.sort_unstable_by(f64::total_cmp);
    Chance {
        mean: values.iter().sum::<f64>() / values.len() as f64,
        low: quantile(&values, 0.05),
        high: quantile(&values, 0.95),
    }
}

/// Picks nodes in proportion to their weights: the draws of each node are an interval, found by a
/// guide table (Chen and Asau, 1974) in about one step.
#[derive(Clone, Debug)]
struct NodePicker {
    /// The last draw of each node; ascending.
    last_draws: Vec<u64>,
    /// The node of the first draw of each of 2ᵏ equal intervals.
    guide: Vec<u32>,
    /// 64 − k.
    shift: u32,
}

impl NodePicker {
    fn new(weights: &[u64]) -> Self {
        let last_draws = last_draws(weights);
        let bits = (4 * weights.len().max(1)).next_power_of_two().ilog2();
        let shift = 64 - bits;
        let mut guide = Vec::with_capacity(1 << bits);
        let mut node = 0;
        for interval in 0..(1u64 << bits) {
            while last_draws.get(node).is_some_and(|&last| last < interval << shift) {
                node += 1;
            }
            guide.push(node as u32);
        }
        NodePicker { last_draws, guide, shift }
    }

    #[inline]
    fn pick(&self, draw: u64) -> usize {
        let mut node = self.guide[(draw >> self.shift) as usize] as usize;
        while self.last_draws[node] < draw {
            node += 1;
        }
        node
    }
}

/// Cuts the 2⁶⁴ draws in proportion to the weights, to less than one draw where the total is
/// below 2⁶⁴.
fn last_draws(weights: &[u64]) -> Vec<u64> {
    let total = total_weight(weights);
    let excess = (128 - total.leading_zeros()).saturating_sub(64);
    let mut sum = 0;
    let mut last = |&weight: &u64| {
        sum += u128::from(weight);
        let draws =
            if sum == total { 1 << 64 } else { ((sum >> excess) << 64) / (total >> excess) };
        draws.saturating_sub(1).min(u128::from(u64::MAX)) as u64
    };
    weights.iter().map(&mut last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::null::UnitNull;

    /// Whether a simulated mean is within four standard errors of the exact one. A standard
    /// deviation is about 1 ÷ 3.3 of the distance of the percentiles.
    fn assert_agrees(simulated: Chance, exact: Chance, trials: usize, what: &str) {
        let deviation = ((exact.high - exact.low) / 3.3).max(0.001);
        let error = deviation / sqrt(trials as f64);
        let difference = (simulated.mean - exact.mean).abs();
        assert!(difference < 4.0 * error, "{what} ± {error}: {simulated:?} for {exact:?}");
        for (got, want) in [(simulated.low, exact.low), (simulated.high, exact.high)] {
            assert!((got - want).abs() < 0.4 * deviation, "{what}: {simulated:?} for {exact:?}");
        }
    }

    /// Keys of weight 1 are unit keys, however they are thrown: all in the head, with a normal
    /// tail, with a tail of equal keys.
    #[test]
    fn keys_of_weight_one() {
        let weights = |nodes: u64| (0..nodes).map(|node| 1 << (node % 3)).collect::<Vec<u64>>();
        for (keys, weights) in [
            (3000, vec![1; 24]),
            (50_000, vec![1; 24]),
            // So few nodes that it shows when their loads do not sum to the total.
            (50_000, vec![1, 2, 4]),
            (50_000, weights(24)),
            (50_000, vec![1; 1000]),
            (20_000, weights(2000)),
        ] {
            let ones = KeyWeights::from_keys(std::iter::repeat_n(1, keys));
            let null = WeightedNull::new(&ones, &weights);
            let (simulated, trials) = (null.chance(), null.trials());
            let exact = UnitNull::new(keys as u64, &weights).chance();
            let what = format!("{keys} keys on {} nodes", weights.len());
            let pairs = [
                (simulated.max_over_mean, exact.max_over_mean),
                (simulated.min_over_mean, exact.min_over_mean),
                (simulated.cv, exact.cv),
            ];
            for (simulated, exact) in pairs {
                assert_agrees(simulated, exact, trials, &what);
            }
        }
    }

    /// The node of a giant key has at least its share, in every trial.
    #[test]
    fn a_giant_key_sets_the_floor() {
        let keys = KeyWeights::from_keys((0..20_000).map(|i| if i == 7 { 10_000 } else { 1 }));
        let chance = WeightedNull::new(&keys, &[1; 24]).chance();
        let floor = keys.largest_share() * 24.0;
        assert!(chance.max_over_mean.low > floor, "{chance:?}");
        assert!(chance.max_over_mean.high < floor + 1.0, "{chance:?}");
        assert!(chance.cv.low > 1.0 && chance.min_over_mean.high < 0.75, "{chance:?}");
    }

    /// Of 600 runs of 20 ideal hashes each, 1 % and 5 % are called uneven and even, within four
    /// standard errors: with Zipf's keys, with one that outweighs all others, on unequal nodes.
    #[test]
    fn ideal_hashes_are_as_even_as_said() {
        let zipf = || (1..=3_000u64).map(|rank| 1_000_000 / rank);
        let giant = || (0..400).map(|i| if i == 7 { 1_000 } else { 1 });
        for (keys, weights) in [
            (KeyWeights::from_keys(zipf()), vec![1; 10]),
            (KeyWeights::from_keys(zipf()), vec![1, 2, 4, 8]),
            (KeyWeights::from_keys(giant()), vec![1; 10]),
            (KeyWeights::from_keys(giant()), vec![1, 2, 4]),
        ] {
            let null = WeightedNull::new(&keys, &weights);
            let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
            let mut trial = Trial::new(weights.len());
            let mut run = || {
                let mut figures = Figures::default();
                for _ in 0..20 {
                    null.throw(&mut random, &mut trial);
                    figures.record(&trial.loads, &null.shares, null.total);
                }
                null.evenness(&figures.cv).unwrap()
            };
            let runs: Vec<Tails> = (0..600).map(|_| run()).collect();
            for level in [0.01, 0.05] {
                let bound = 600.0 * level + 4.0 * sqrt(600.0 * level);
                let uneven = runs.iter().filter(|tails| tails.upper < level).count();
                let even = runs.iter().filter(|tails| tails.lower < level).count();
                let what = format!("{weights:?} {level}: {uneven} and {even}");
                assert!((uneven as f64) < bound && (even as f64) < bound, "{what}");
                assert!(level < 0.05 || (uneven > 8 && even > 8), "{what}");
            }
        }
    }

    #[test]
    fn nothing_and_one_node() {
        let (none, one) = (KeyWeights::from_keys([0]), KeyWeights::from_keys([3, 4]));
        assert_eq!(WeightedNull::new(&none, &[1, 1]).evenness(&[0.0]), None);
        assert_eq!(WeightedNull::new(&one, &[1]).evenness(&[0.0]), None);
        let (none, some) = (KeyWeights::from_keys([0]), KeyWeights::from_keys([3, 4]));
        assert_eq!(WeightedNull::new(&none, &[1, 1]).chance(), LoadChance::NOTHING);
        assert_eq!(WeightedNull::new(&some, &[]).chance(), LoadChance::NOTHING);
        assert_eq!(WeightedNull::new(&some, &[0, 0]).chance(), LoadChance::NOTHING);
        assert_eq!(WeightedNull::new(&some, &[0, 5]).chance(), LoadChance::ALONE);
    }

    #[test]
    fn equal_questions_get_equal_answers() {
        let keys = |sign: i64| (0..9000).map(move |i| (1 + (sign * i).rem_euclid(9000)) as u64);
        let chance = |keys: KeyWeights, weights: &[u64]| WeightedNull::new(&keys, weights).chance();
        let first = chance(KeyWeights::from_keys(keys(1)), &[1, 2, 4]);
        assert_eq!(chance(KeyWeights::from_keys(keys(-1)), &[4, 0, 2, 1]), first);
    }

    #[test]
    fn draws_are_cut_by_weight() {
        let quarter = 1 << 62;
        assert_eq!(last_draws(&[1, 1, 2]), [quarter - 1, 2 * quarter - 1, u64::MAX]);
        // A total beyond 2⁶⁴ is cut to within a rounding of its lowest bits.
        let huge = last_draws(&[u64::MAX; 4]);
        assert!(huge[0].abs_diff(quarter) < 4 && huge[3] == u64::MAX, "{huge:?}");
        let picker = NodePicker::new(&[1, 1, 2]);
        let draws = [0, quarter - 1, quarter, 2 * quarter - 1, 2 * quarter, u64::MAX];
        assert_eq!(draws.map(|draw| picker.pick(draw)), [0, 0, 1, 1, 2, 2]);
    }
}
