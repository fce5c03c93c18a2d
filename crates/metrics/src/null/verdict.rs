//! Whether observed loads are chance: a verdict in words, and the nodes that are off.
//!
//! Source: five questions are put to the loads, each with a p-value: is the fleet as a whole too
//! uneven, or too even (Pearson's statistic against its law, see `spread`); is the largest ratio
//! too large, or the smallest too small ([`UnitNull`]); is any node off (two-sided p-values of the
//! nodes' own binomial laws, by Holm, "A simple sequentially rejective multiple test procedure",
//! Scandinavian Journal of Statistics 6, 1979). Each is held to [`LEVEL`] over the number of
//! questions (Bonferroni), so all that is said about one fleet, the nodes named included, is wrong
//! for at most [`LEVEL`] of ideal hashes.
//!
//! Nodes that expect fewer than [`EXPECTED_MIN`] keys are taken together with the next heavier ones
//! until they do, for the statistic alone. As it comes in steps, half a step of the smallest such
//! cell, 1 ÷ its expectation, is granted to either side.
//!
//! Cost: a sort of the nodes and a tail for each that is more than [`SCREEN`] standard deviations
//! off; 0.5 s for 10⁶ nodes with different weights.
//!
//! Limits: the statistic needs two cells that are not certain. With copies its law has the right
//! moments where no nodes are taken together, and nearly so where they are.

use placelab_results::Likeness;

use super::levin::Group;
use super::spread::Pearson;
use super::{Inclusion, NodeLaw, UnitNull, weight_classes};

/// Least keys that a cell of the evenness test expects. The chi-square law would ask for five; with
/// the statistic's own mean and variance one is enough.
const EXPECTED_MIN: f64 = 1.0;
/// The probability with which anything is said of an ideal hash but that it is chance.
pub const LEVEL: f64 = 0.01;

/// Standard deviations within which no node is off at a third of [`LEVEL`], the largest threshold
/// there is: for normal loads the p-value is 0.016 there.
const SCREEN: f64 = 2.4;
/// Variance from which on a load is normal enough for that.
const SCREEN_VARIANCE_MIN: f64 = 100.0;

/// A question put to observed loads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Are they more uneven as a whole?
    Uneven,
    /// Are they more even as a whole?
    Even,
    /// Is the largest ratio too large?
    Largest,
    /// Is the smallest ratio too small?
    Smallest,
    /// Is a node off its own law?
    Node,
}

impl Question {
    /// In words, as what the p-value is the probability of.
    pub fn name(self) -> &'static str {
        match self {
            Question::Uneven => "loads as uneven as these",
            Question::Even => "loads as even as these",
            Question::Largest => "a largest load as far above fair",
            Question::Smallest => "a smallest load as far below fair",
            Question::Node => "a node as far off its own law",
        }
    }
}

/// The answer to a question.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Evidence {
    /// What was asked.
    pub question: Question,
    /// The probability that an ideal hash gives such loads, or more extreme ones.
    pub p_value: f64,
}

/// A node whose load chance does not explain.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outlier {
    /// Its place among the nodes.
    pub node: usize,
    /// What it has.
    pub load: u64,
    /// What it expects.
    pub expected: f64,
    /// Its p-value as adjusted by Holm for the number of nodes.
    pub p_value: f64,
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Judgement {
    /// In a word.
    pub verdict: Likeness,
    /// The least p-value times the number of questions, at most 1: what to hold against [`LEVEL`].
    pub p_value: f64,
    /// The answers.
    pub evidence: Vec<Evidence>,
    /// The p-value up to which an answer counts: [`LEVEL`] over the number of questions.
    pub threshold: f64,
    /// The nodes that are off, the least probable first.
    pub outliers: Vec<Outlier>,
}

/// Judges the loads of nodes of the given weights, where each key has so many copies on distinct
/// nodes. Loads on nodes of weight 0 are no chance.
///
/// Panics where there are not as many loads as weights, no nodes of positive weight or fewer
/// than copies, no copies, or where the loads do not sum to whole keys.
///
/// ```
/// use placelab_metrics::null::judge;
/// use placelab_results::Likeness;
/// assert_eq!(judge(&[104, 96, 200], &[1, 1, 2], 1).verdict, Likeness::Chance);
/// let found = judge(&[100, 40, 100, 100, 100], &[1; 5], 1);
/// assert_eq!(found.verdict, Likeness::Worse);
/// assert_eq!(found.outliers[0].node, 1);
/// ```
pub fn judge(loads: &[u64], weights: &[u64], copies: u64) -> Judgement {
    let fleet = Observed::new(loads, weights, copies);
    let classes = weight_classes(weights, copies);
    let null = UnitNull::of_classes(fleet.keys, copies, &classes);
    let mut evidence = Vec::new();
    let mut answer = |question, p_value| evidence.push(Evidence { question, p_value });
    if let Some((uneven, even)) = fleet.evenness(&null) {
        answer(Question::Uneven, uneven);
        answer(Question::Even, even);
    }
    let (smallest, largest) = fleet.extreme_ratios();
    answer(Question::Largest, null.p_max(largest));
    answer(Question::Smallest, null.p_min(smallest));
    let p_values = fleet.p_values();
    answer(Question::Node, p_values.first().map_or(1.0, |&(_, p)| p));
    let questions = evidence.len() as f64;
    let threshold = LEVEL / questions;
    let is_so = |of: &Evidence| of.p_value <= threshold;
    let even = |of: &Evidence| of.question == Question::Even;
    let verdict = if evidence.iter().any(|of| is_so(of) && !even(of)) {
        Likeness::Worse
    } else if evidence.iter().any(is_so) {
        Likeness::Better
    } else {
        Likeness::Chance
    };
    let least = evidence.iter().map(|of| of.p_value).fold(1.0, f64::min);
    let off = p_values.into_iter().take_while(|&(_, p_value)| p_value <= threshold);
    let outlier = |(node, p_value)| {
        let (load, expected) = (loads[node], fleet.law(node).mean());
        Outlier { node, load, expected, p_value }
    };
    let outliers = off.map(outlier).collect();
    Judgement { verdict, p_value: (least * questions).min(1.0), evidence, threshold, outliers }
}

/// Loads, and what each node would have by chance.
struct Observed<'a> {
    keys: u64,
    loads: &'a [u64],
    weights: &'a [u64],
    inclusion: Inclusion,
}

impl<'a> Observed<'a> {
    fn new(loads: &'a [u64], weights: &'a [u64], copies: u64) -> Self {
        assert_eq!(loads.len(), weights.len(), "as many loads as weights");
        assert!(weights.iter().any(|&weight| weight > 0), "a node that may have keys");
        let total: u64 = loads.iter().sum();
        assert!(total.is_multiple_of(copies), "whole keys");
        let inclusion = Inclusion::new(weights, copies);
        Observed { keys: total / copies, loads, weights, inclusion }
    }

    fn law(&self, node: usize) -> NodeLaw {
        NodeLaw { keys: self.keys, chance: self.inclusion.chance(self.weights[node]) }
    }

    /// The smallest and the largest load over its expectation; 1 without keys.
    fn extreme_ratios(&self) -> (f64, f64) {
        let may_load = |&node: &usize| self.keys > 0 && self.weights[node] > 0;
        let ratio = |node: usize| self.loads[node] as f64 / self.law(node).mean();
        let widen = |(low, high): (f64, f64), ratio: f64| (low.min(ratio), high.max(ratio));
        (0..self.loads.len()).filter(may_load).map(ratio).fold((1.0, 1.0), widen)
    }

    /// P-values of the nodes that are far off, adjusted by Holm; ascending.
    fn p_values(&self) -> Vec<(usize, f64)> {
        let nodes = self.loads.len() as f64;
        let far = (0..self.loads.len()).filter(|&node| self.is_far(node));
        let mut found: Vec<(usize, f64)> =
            far.map(|node| (node, self.law(node).p_value(self.loads[node]))).collect();
        found.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut least = 0.0f64;
        for (rank, (_, p_value)) in found.iter_mut().enumerate() {
            least = least.max((nodes - rank as f64) * *p_value).min(1.0);
            *p_value = least;
        }
        found
    }

    /// Whether a node may be off, before its p-value is worked out.
    fn is_far(&self, node: usize) -> bool {
        let law = self.law(node);
        let distance = (self.loads[node] as f64 - law.mean()).abs();
        let deviation = law.deviation();
        deviation * deviation < SCREEN_VARIANCE_MIN || distance > SCREEN * deviation
    }

    /// The probabilities of loads as uneven, and as even, as these; none where there is too little
    /// to tell.
    fn evenness(&self, null: &UnitNull) -> Option<(f64, f64)> {
        let cells = self.cells(null);
        let least = cells.iter().map(|cell| cell.expected).fold(f64::INFINITY, f64::min);
        if cells.len() < 2 || least < EXPECTED_MIN {
            return None;
        }
        let groups: Vec<Group> = cells.iter().map(Cell::group).collect();
        let pearson = Pearson::new(self.keys as f64, &groups);
        let statistic: f64 = cells.iter().map(Cell::surprise).sum();
        let step = 1.0 / least;
        let uneven = pearson.tails((statistic - step).max(0.0), 1)?.upper;
        Some((uneven, pearson.tails(statistic + step, 1)?.lower))
    }

    /// The nodes that are neither certain nor of weight 0, the light ones together.
    fn cells(&self, null: &UnitNull) -> Vec<Cell> {
        let chance = |node: usize| self.law(node).chance;
        let mut nodes: Vec<usize> = (0..self.loads.len())
            .filter(|&node| 0.0 < chance(node) && chance(node) < 1.0)
            .collect();
        nodes.sort_by_key(|&node| self.weights[node]);
        let (mut cells, mut cell) = (Vec::new(), Cell::default());
        for node in nodes {
            let (load, share) = (self.loads[node], chance(node));
            let (expected, free_variance) = (self.law(node).mean(), null.free_variance(share));
            cell.join(&Cell { load, expected, share, free_variance });
            if cell.expected >= EXPECTED_MIN {
                cells.push(std::mem::take(&mut cell));
            }
        }
        if let Some(last) = cells.last_mut() {
            last.join(&cell);
        }
        cells
    }
}

/// Nodes of which each expects few keys, taken together.
#[derive(Clone, Copy, Default, Debug)]
struct Cell {
    load: u64,
    expected: f64,
    share: f64,
    free_variance: f64,
}

impl Cell {
    fn join(&mut self, other: &Cell) {
        self.load += other.load;
        self.expected += other.expected;
        self.share += other.share;
        self.free_variance += other.free_variance;
    }

    /// As one node.
    fn group(&self) -> Group {
        Group { nodes: 1, share: self.share, free_variance: self.free_variance }
    }

    /// Its part of Pearson's statistic.
    fn surprise(&self) -> f64 {
        let distance = self.load as f64 - self.expected;
        distance * distance / self.expected
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;

    use super::*;

    /// Loads of an ideal hash: each key on the nodes of the least −ln(u) ÷ weight.
    fn thrown(trial: u64, keys: u64, weights: &[u64], copies: usize) -> Vec<u64> {
        let mut loads = vec![0; weights.len()];
        for key in 0..keys {
            let score = |node: usize| {
                let draw = placelab_core::math::open_unit(stream(stream(trial, key), node as u64));
                -placelab_core::math::ln(draw) / weights[node] as f64
            };
            let mut order: Vec<(f64, usize)> = (0..weights.len()).map(|n| (score(n), n)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            order[..copies].iter().for_each(|&(_, node)| loads[node] += 1);
        }
        loads
    }

    /// An ideal hash is taken for chance but for one fleet in a hundred: of 2,000 of each kind at
    /// most 36 are not, four standard errors above 20.
    #[test]
    fn an_ideal_hash_is_chance() {
        for (keys, weights, copies) in [
            (20, vec![1; 6], 1),
            (60, vec![1; 20], 1),
            (200, vec![1, 2, 4, 1, 2, 4, 1], 1),
            (40, vec![1; 30], 1),
            (300, vec![1; 8], 3),
            (100, vec![1; 5], 4),
        ] {
            let is_off = |&trial: &u64| {
                let loads = thrown(trial, keys, &weights, copies);
                judge(&loads, &weights, copies as u64).verdict != Likeness::Chance
            };
            let off = (0..2_000).filter(is_off).count();
            assert!(off <= 36, "{keys} on {weights:?}, {copies} copies: {off} of 2,000");
        }
    }

    #[test]
    fn too_even_is_better_than_chance() {
        let found = judge(&[3; 20], &[1; 20], 1);
        assert_eq!(found.verdict, Likeness::Better, "{found:?}");
        assert!(found.outliers.is_empty());
        // Five keys a node, all alike: of 30 keys that is one in 2,500, by chance.
        let found = judge(&[5; 6], &[1; 6], 1);
        let even = found.evidence.iter().find(|of| of.question == Question::Even).unwrap();
        assert!((4e-4..1e-3).contains(&even.p_value), "{found:?}");
        assert_eq!(judge(&[1000, 2000, 4000], &[1, 2, 4], 1).verdict, Likeness::Better);
        // One key on two nodes is too few to ask.
        assert_eq!(judge(&[1, 0], &[1, 1], 1).evidence.len(), 3);
    }

    #[test]
    fn nodes_that_are_off_are_named() {
        let mut loads = vec![1000; 50];
        for (node, load) in loads.iter_mut().enumerate() {
            *load += stream(3, node as u64) % 60;
        }
        (loads[7], loads[31]) = (1300, 600);
        let found = judge(&loads, &[1; 50], 1);
        assert_eq!(found.verdict, Likeness::Worse);
        let named: Vec<usize> = found.outliers.iter().map(|outlier| outlier.node).collect();
        assert_eq!(named, [31, 7]);
        assert_eq!(found.threshold, LEVEL / 5.0);
        // A node of weight 0 must not have a key.
        let found = judge(&[100, 100, 1], &[1, 1, 0], 1);
        assert_eq!((found.verdict, found.outliers[0].node), (Likeness::Worse, 2));
        assert_eq!((found.outliers[0].p_value, found.outliers[0].expected), (0.0, 0.0));
    }

    /// A heavy node may be far off its own law while light ones have the extreme ratios.
    #[test]
    fn a_heavy_node_is_found_behind_light_ones() {
        let weights: Vec<u64> = std::iter::repeat_n(1, 100).chain([10_000, 10_000]).collect();
        let mut loads: Vec<u64> = (0..100).map(|node| 3 + stream(1, node) % 5).collect();
        loads.extend([51_500, 49_000]);
        let found = judge(&loads, &weights, 1);
        let named: Vec<usize> = found.outliers.iter().map(|outlier| outlier.node).collect();
        assert_eq!((found.verdict, named), (Likeness::Worse, vec![100, 101]), "{found:?}");
        assert!(found.evidence.iter().all(|of| of.question == Question::Node || of.p_value > 0.1));
    }

    /// With as many copies as nodes every node has every key, and nothing else will do.
    #[test]
    fn certain_loads() {
        assert_eq!(judge(&[9, 9], &[1, 3], 2).verdict, Likeness::Chance);
        assert_eq!(judge(&[10, 8], &[1, 3], 2).verdict, Likeness::Worse);
        assert_eq!(judge(&[9], &[1], 1).verdict, Likeness::Chance);
        assert_eq!(judge(&[0, 0], &[1, 3], 1).verdict, Likeness::Chance);
        // Three copies, of which the heavy node has one of each key.
        let found = judge(&[50, 50, 49, 51, 100], &[1, 1, 1, 1, 9], 3);
        assert_eq!(found.verdict, Likeness::Chance, "{found:?}");
        let found = judge(&[50, 50, 50, 51, 99], &[1, 1, 1, 1, 9], 3);
        assert_eq!((found.verdict, found.outliers[0].node), (Likeness::Worse, 4));
    }
}
