//! Largest and smallest loads in keys, idle nodes, and how far the extremes are apart.
//!
//! Source: the same law of all loads as for the ratios (`levin`). The largest and the smallest load
//! are not independent of each other, so their quotient is summed from the chance that all
//! loads lie between two bounds: P(max < x · min) = Σ over a of P(min = a, max < x · a).
//!
//! Cost: a law of loads up to 128 evaluations; a chance of a quotient up to 256 and the law of
//! quotients some sixty times that, tens of milliseconds.
//!
//! Limits: those of `levin`. The percentiles of the quotient are interpolated, to some hundredths
//! of its standard deviation.

use std::ops::Range;

use placelab_results::Chance;

use super::levin::{Group, Window};
use super::ratio_law::{Cell, RatioLaw, whole_load, whole_load_above};
use super::{NodeLaw, UnitNull, certainty};

/// Quotients at which their law is evaluated.
const QUOTIENTS: usize = 64;
/// Most classes of weights for which the law of quotients is worked out.
const QUOTIENT_CLASSES_MAX: usize = 10;
/// Chance of an idle node up to which the quotient of the extremes counts as finite.
const IDLE_MAX: f64 = 1e-9;

/// How many nodes have no key at all.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Idle {
    /// Their expected number.
    pub expected: f64,
    /// The probability that there is one.
    pub probability: f64,
}

/// The largest and the smallest load of some nodes in keys.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Extremes {
    /// Of the most loaded one.
    pub largest: Chance,
    /// Of the least loaded one.
    pub smallest: Chance,
}

impl UnitNull {
    /// Idle nodes: all of them where there are no keys.
    ///
    /// ```
    /// use placelab_metrics::null::UnitNull;
    /// // Twenty keys leave one of six buckets empty with probability 15 %.
    /// let idle = UnitNull::new(20, &[1; 6]).idle();
    /// assert!((idle.probability - 0.15).abs() < 0.005);
    /// assert!((idle.expected - 6.0 * (5f64 / 6.0).powi(20)).abs() < 1e-12);
    /// ```
    pub fn idle(&self) -> Idle {
        let of = |group: &Group| group.nodes as f64 * self.node_law(group).idle();
        let certain = if self.keys == 0 { self.certain as f64 } else { 0.0 };
        let expected = certain + self.groups.iter().map(of).sum::<f64>();
        let probability = match self.is_nothing() {
            true => f64::from(u8::from(expected > 0.0)),
            false => self.p_min(0.0),
        };
        Idle { expected, probability }
    }

    fn node_law(&self, group: &Group) -> NodeLaw {
        NodeLaw { keys: self.keys, chance: group.share }
    }

    /// The largest and the smallest load over the fleet, whatever the weights: 0 without keys or
    /// nodes.
    pub fn loads(&self) -> Extremes {
        let extremes = self.extremes_of(0..self.groups.len());
        match self.certain {
            0 => extremes,
            _ => Extremes { largest: certainty(self.keys as f64), ..extremes },
        }
    }

    /// The largest and the smallest load in keys over the nodes of one class, by its place among
    /// the classes that the law was made of: every key for certain from the first cropped one on.
    pub fn class_loads(&self, class: usize) -> Extremes {
        let end = self.groups.len();
        let of_class = self.extremes_of(class.min(end)..(class + 1).min(end));
        match self.groups.get(class) {
            Some(group) if group.nodes == 1 => {
                // Alone it is both, and its own law is exact.
                let law = self.node_law(group);
                let (low, high) = law.interval();
                let load = Chance { mean: law.mean(), low: low as f64, high: high as f64 };
                Extremes { largest: load, smallest: load }
            }
            _ => of_class,
        }
    }

    /// The extremes of the nodes of some groups; of none, those who have every key.
    fn extremes_of(&self, seen: Range<usize>) -> Extremes {
        if self.is_nothing() || seen.is_empty() {
            let load = if self.is_nothing() { 0 } else { self.keys };
            let load = certainty(load as f64);
            return Extremes { largest: load, smallest: load };
        }
        let (lightest, heaviest) = (self.expected[seen.start], self.expected[seen.end - 1]);
        let low = self.bounds(lightest).0;
        let low = if low > 0.0 { low * lightest / heaviest } else { low };
        let bounds = (low, self.bounds(heaviest).1);
        let within = |window: Window| {
            let window_of = |at| if seen.contains(&at) { window } else { Window::ANY };
            self.all_within((0..self.groups.len()).map(window_of).collect())
        };
        // In multiples of what the heaviest expects.
        let whole = |ratio| whole_load(ratio, heaviest) as u64;
        let at_most = |ratio| within(Window::at_most(whole(ratio)));
        let not_above = |ratio| 1.0 - within(Window::at_least(whole(ratio) + 1));
        let law = |up_to: &dyn Fn(f64) -> f64| {
            in_keys(&RatioLaw::tabulate(&[heaviest], bounds, up_to), heaviest)
        };
        Extremes { largest: law(&at_most), smallest: law(&not_above) }
    }

    /// The probability that the largest ratio is at least so many times the smallest: 1 up to 1.
    /// Where a node is idle it is. 0 where there are no keys or nodes.
    ///
    /// ```
    /// use placelab_metrics::null::UnitNull;
    /// // A million keys over 64 buckets: a test that asks for less than 1.05 fails for one hash
    /// // in fifty.
    /// let p = UnitNull::new(1_000_000, &[1; 64]).p_max_over_min(1.05);
    /// assert!((0.02..0.025).contains(&p));
    /// ```
    pub fn p_max_over_min(&self, quotient: f64) -> f64 {
        if self.is_nothing() {
            return 0.0;
        }
        if quotient <= 1.0 || self.nodes == 0 {
            return f64::from(u8::from(quotient <= 1.0));
        }
        1.0 - self.below_quotient(&self.smallest(), quotient)
    }

    /// P(max < quotient · min), by the law of the smallest ratio.
    fn below_quotient(&self, smallest: &RatioLaw, quotient: f64) -> f64 {
        let chance = |cell: &Cell| {
            let top = quotient * cell.middle();
            (self.between(cell.low, top) - self.between(cell.high, top)).max(0.0)
        };
        smallest.cells().iter().map(chance).sum::<f64>().min(1.0)
    }

    /// The chance that all ratios are above one and below another.
    fn between(&self, above: f64, below: f64) -> f64 {
        let window = |&expected: &f64| {
            let low = (whole_load(above, expected) + 1.0).max(0.0) as u64;
            let end = whole_load_above(below, expected) as u64;
            // Nothing is below a ratio of 0.
            if end == 0 { Window::EMPTY } else { Window { low, high: end - 1 } }
        };
        self.all_within(self.expected.iter().map(window).collect())
    }

    /// The law of the largest ratio over the smallest one. None where a node may be idle, which
    /// makes the quotient infinite, and for more than ten classes of weights.
    pub fn max_over_min(&self) -> Option<Chance> {
        let is_idle_possible = self.is_nothing() || self.idle().probability > IDLE_MAX;
        if is_idle_possible || self.groups.len() > QUOTIENT_CLASSES_MAX {
            return None;
        }
        if self.nodes == 0 {
            return Some(certainty(1.0));
        }
        let (largest, smallest) = (self.largest(), self.smallest());
        let (least, most) = smallest.support();
        let bottom = (largest.support().0 / most).max(1.0);
        let top = largest.support().1 / least;
        Some(quotient_law((bottom, top), |quotient| self.below_quotient(&smallest, quotient)))
    }
}

/// A law from its distribution function on an even grid, by trapezoids and straight lines.
fn quotient_law((bottom, top): (f64, f64), below: impl Fn(f64) -> f64) -> Chance {
    let at = |index: usize| bottom + (top - bottom) * index as f64 / QUOTIENTS as f64;
    let mut up_to: Vec<f64> = (0..=QUOTIENTS).map(|index| below(at(index))).collect();
    // An approximate function may fall by its error; a distribution must not.
    for index in 1..=QUOTIENTS {
        up_to[index] = up_to[index].max(up_to[index - 1]);
    }
    up_to[QUOTIENTS] = 1.0;
    let step = (top - bottom) / QUOTIENTS as f64;
    let beyond = |pair: &[f64]| step * (1.0 - 0.5 * (pair[0] + pair[1]));
    let percentile = |probability: f64| {
        let next = up_to.partition_point(|&value| value < probability).max(1);
        let (before, after) = (up_to[next - 1], up_to[next]);
        let part = ((probability - before) / (after - before).max(f64::MIN_POSITIVE)).min(1.0);
        at(next - 1) + step * part.max(0.0)
    };
    Chance {
        mean: bottom + up_to.windows(2).map(beyond).sum::<f64>(),
        low: percentile(0.05),
        high: percentile(0.95),
    }
}

fn in_keys(law: &RatioLaw, unit: f64) -> Chance {
    let Chance { mean, low, high } = law.chance();
    Chance { mean: mean * unit, low: low * unit, high: high * unit }
}

#[cfg(test)]
mod tests {
    use placelab_core::math::open_unit;
    use placelab_core::mix::stream;

    use super::*;
    use crate::null::weight_classes;

    /// Nodes of a key by systematic sampling in random order: exact chances, else at random.
    fn drawn(seed: u64, chances: &[f64]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..chances.len()).collect();
        order.sort_by_key(|&node| stream(seed, node as u64));
        let (mut sum, mut next, mut nodes) = (0.0, open_unit(stream(seed, 1 << 40)), Vec::new());
        for node in order {
            sum += chances[node];
            if next < sum {
                nodes.push(node);
                next += 1.0;
            }
        }
        nodes
    }

    /// The mean of a figure of simulated loads and its standard deviation.
    struct Simulated {
        values: Vec<f64>,
    }

    impl Simulated {
        fn mean(&self) -> f64 {
            self.values.iter().sum::<f64>() / self.values.len() as f64
        }

        fn deviation(&self) -> f64 {
            let mean = self.mean();
            let squares: f64 = self.values.iter().map(|v| (v - mean) * (v - mean)).sum();
            (squares / self.values.len() as f64).sqrt()
        }

        /// Whether the mean is met to four standard errors and a part of a standard deviation.
        fn assert_is(&self, chance: Chance, part: f64, what: &str) {
            let error = 4.0 / (self.values.len() as f64).sqrt() + part;
            let off = (self.mean() - chance.mean).abs() / self.deviation().max(1e-9);
            assert!(off < error, "{what}: {} for {chance:?}, {off} deviations", self.mean());
            let within = |&&v: &&f64| chance.low - 1e-9 <= v && v <= chance.high + 1e-9;
            let inside = self.values.iter().filter(within).count() as f64;
            let inside = inside / self.values.len() as f64;
            assert!(inside > 0.88 - part, "{what}: {inside} within {chance:?}");
        }
    }

    fn largest(loads: &[u64]) -> f64 {
        loads.iter().copied().max().unwrap() as f64
    }

    fn smallest(loads: &[u64]) -> f64 {
        loads.iter().copied().min().unwrap() as f64
    }

    /// Copies on distinct nodes, thrown 4,000 times: extremes of the fleet and of its last class,
    /// the spread, and whether a node is idle. Means are met to four standard errors and a small
    /// part of a standard deviation.
    #[test]
    fn copies_agree_with_simulation() {
        for (keys, weights, copies, part) in [
            (300, vec![1; 10], 3, 0.03),
            (300, vec![1; 10], 7, 0.03),
            (40, vec![1; 30], 3, 0.03),
            (500, vec![1, 1, 1, 1, 2, 2, 2, 2, 3, 3], 3, 0.06),
            (200, vec![1, 1, 1, 1, 1, 1, 9], 3, 0.06),
            (12, vec![1; 6], 2, 0.06),
            (200, vec![1; 3], 2, 0.01),
        ] {
            let what = format!("{copies} copies of {keys} on {weights:?}");
            let classes = weight_classes(&weights, copies);
            let chance_of = |&w: &u64| classes.iter().find(|c| c.lightest == w).unwrap().chance;
            let chances: Vec<f64> = weights.iter().map(chance_of).collect();
            let last = classes.last().unwrap();
            let members: Vec<usize> =
                (0..weights.len()).filter(|&node| weights[node] == last.lightest).collect();
            let mut figures = [const { Vec::new() }; 6];
            for trial in 0..4_000 {
                let mut loads = vec![0u64; weights.len()];
                for key in 0..keys {
                    let nodes = drawn(stream(trial, key), &chances);
                    nodes.into_iter().for_each(|node| loads[node] += 1);
                }
                let square = |(&load, &chance): (&u64, &f64)| {
                    let expected = keys as f64 * chance;
                    (load as f64 - expected).powi(2) / expected
                };
                let statistic: f64 = loads.iter().zip(&chances).map(square).sum();
                let of_class: Vec<u64> = members.iter().map(|&node| loads[node]).collect();
                figures[0].push(largest(&loads));
                figures[1].push(smallest(&loads));
                figures[2].push(largest(&of_class));
                figures[3].push(smallest(&of_class));
                figures[4].push((statistic / (keys * copies) as f64).sqrt());
                figures[5].push(f64::from(u8::from(smallest(&loads) == 0.0)));
            }
            let null = UnitNull::of_classes(keys, copies, &classes);
            let (fleet, class) = (null.loads(), null.class_loads(classes.len() - 1));
            let idle = certainty(null.idle().probability);
            let [a, b, c, d, e, f] = figures.map(|values| Simulated { values });
            a.assert_is(fleet.largest, part, &format!("largest, {what}"));
            b.assert_is(fleet.smallest, part, &format!("smallest, {what}"));
            c.assert_is(class.largest, part, &format!("largest of a class, {what}"));
            d.assert_is(class.smallest, part, &format!("smallest of a class, {what}"));
            e.assert_is(null.chance().cv, part, &format!("spread, {what}"));
            let off = (f.mean() - idle.mean).abs();
            assert!(off < 0.02, "idle, {what}: {} for {}", f.mean(), idle.mean);
        }
    }

    /// The same figures of one copy are exact, whatever the weights.
    #[test]
    fn unequal_nodes_agree_with_simulation() {
        let weights: Vec<u64> = (0..21).map(|node| 1 << (node % 3)).collect();
        let null = UnitNull::new(2_000, &weights);
        let mut figures = [const { Vec::new() }; 5];
        for trial in 0..4_000 {
            let mut loads = vec![0u64; 21];
            for key in 0..2_000 {
                let draw = ((stream(trial, key) >> 32) * 49) >> 32;
                let (triple, rest) = (draw / 7, draw % 7);
                loads[(3 * triple + [0, 1, 1, 2, 2, 2, 2][rest as usize]) as usize] += 1;
            }
            let middle: Vec<u64> = loads.iter().skip(1).step_by(3).copied().collect();
            let ratios = || loads.iter().zip(&weights).map(|(&l, &w)| l as f64 / w as f64);
            figures[0].push(largest(&loads));
            figures[1].push(smallest(&loads));
            figures[2].push(largest(&middle));
            figures[3].push(smallest(&middle));
            figures[4].push(ratios().fold(0.0, f64::max) / ratios().fold(f64::INFINITY, f64::min));
        }
        let [a, b, c, d, e] = figures.map(|values| Simulated { values });
        let (fleet, class) = (null.loads(), null.class_loads(1));
        a.assert_is(fleet.largest, 0.0, "largest");
        b.assert_is(fleet.smallest, 0.0, "smallest");
        c.assert_is(class.largest, 0.0, "largest of a class");
        d.assert_is(class.smallest, 0.0, "smallest of a class");
        e.assert_is(null.max_over_min().unwrap(), 0.02, "largest over smallest");
    }

    /// A published test asks that of a million keys the fullest of 64 buckets has less than 1.05
    /// times what the emptiest has. Of ideal hashes 2 to 2.5 % fail; over 128 buckets 95 %, and
    /// over 1,024 all, where the mean is 1.23.
    #[test]
    fn a_million_keys_over_buckets() {
        let null = |nodes| UnitNull::new(1_000_000, &vec![1; nodes]);
        let p = null(64).p_max_over_min(1.05);
        assert!((0.02..0.025).contains(&p), "{p}");
        let p = null(128).p_max_over_min(1.05);
        assert!((0.94..0.96).contains(&p), "{p}");
        assert!(null(1_024).p_max_over_min(1.05) > 0.999_999);
        let quotient = null(1_024).max_over_min().unwrap();
        assert!((quotient.mean - 1.23).abs() < 0.005, "{quotient:?}");
        assert!(1.2 < quotient.low && quotient.high < 1.27, "{quotient:?}");
    }

    /// Where atoms are few the quotient is summed over them: two nodes of three keys have 3 : 0
    /// (infinite) with 1/4 and 2 : 1 with 3/4.
    #[test]
    fn quotients_of_few_keys_are_exact() {
        let null = UnitNull::new(3, &[1, 1]);
        for (quotient, want) in [(1.0, 1.0), (1.5, 1.0), (2.0, 1.0), (2.5, 0.25), (9.0, 0.25)] {
            let p = null.p_max_over_min(quotient);
            assert!((p - want).abs() < 1e-12, "{quotient}: {p}");
        }
        assert_eq!(null.max_over_min(), None);
        // Six keys on three: 2 : 2 : 2 is 90 of 729, 1 : 2 : 3 is 360, 1 : 1 : 4 is 90.
        let p = UnitNull::new(6, &[1; 3]).p_max_over_min(2.0);
        assert!((p - (1.0 - 90.0 / 729.0)).abs() < 1e-12, "{p}");
        let p = UnitNull::new(6, &[1; 3]).p_max_over_min(3.5);
        assert!((p - (1.0 - 450.0 / 729.0)).abs() < 1e-12, "{p}");
    }

    /// A worker without a session: 10 sessions over 4 workers, and 20 keys over 6 buckets.
    #[test]
    fn idle_nodes() {
        let idle = UnitNull::new(10, &[1; 4]).idle();
        let want = 4.0 * 0.75f64.powi(10) - 6.0 * 0.5f64.powi(10) + 4.0 * 0.25f64.powi(10);
        assert!((idle.probability - want).abs() < 1e-12, "{idle:?}");
        assert!((want - 0.2194).abs() < 5e-5);
        // A worker of half the weight is idle more often, and together with others.
        let idle = UnitNull::new(3, &[1, 2]).idle();
        let want = (2.0f64 / 3.0).powi(3) + (1.0f64 / 3.0).powi(3);
        assert!((idle.probability - want).abs() < 1e-12 && (idle.expected - want).abs() < 1e-12);
        let none = UnitNull::new(0, &[1, 2]).idle();
        assert_eq!((none.expected, none.probability), (2.0, 1.0));
        let nobody = UnitNull::new(3, &[]).idle();
        assert_eq!((nobody.expected, nobody.probability), (0.0, 0.0));
        // One in a billion nodes, by its own law.
        let rare = UnitNull::new(10_000_000, &[1; 400_000]).idle();
        assert!((rare.probability / rare.expected - 1.0).abs() < 1e-3, "{rare:?}");
    }

    /// Nodes of weights 1, 2 and 4 expect 1, 2 and 4 sevenths, not a third each.
    #[test]
    fn each_weight_has_its_own_expectation() {
        let null = UnitNull::new(7_000, &[1, 2, 4]);
        let means: Vec<f64> = (0..3).map(|class| null.class_loads(class).largest.mean).collect();
        for (mean, want) in means.iter().zip([1_000.0, 2_000.0, 4_000.0]) {
            assert!((mean - want).abs() < 1e-9, "{means:?}");
        }
        // Over the fleet that is the heaviest and the lightest node; of three the law of all loads
        // is good to 0.006 of a probability, some hundredths of 41 keys.
        assert!((null.loads().largest.mean - 4_000.0).abs() < 1.0, "{:?}", null.loads());
        assert!((null.loads().smallest.mean - 1_000.0).abs() < 1.0, "{:?}", null.loads());
    }

    #[test]
    fn loads_without_chance() {
        let certain = |loads: Extremes| [loads.largest, loads.smallest].map(|load| load.mean);
        assert_eq!(certain(UnitNull::new(0, &[1, 2]).loads()), [0.0, 0.0]);
        assert_eq!(certain(UnitNull::new(9, &[]).loads()), [0.0, 0.0]);
        assert_eq!(certain(UnitNull::new(9, &[5]).loads()), [9.0, 9.0]);
        let cropped = UnitNull::of_classes(90, 2, &weight_classes(&[1, 1, 1, 9], 2));
        assert_eq!(certain(cropped.class_loads(1)), [90.0, 90.0]);
        assert_eq!(cropped.loads().largest, certainty(90.0));
        assert!((25.0..30.0).contains(&cropped.loads().smallest.mean));
    }
}
