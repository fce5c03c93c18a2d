//! From values to places on an axis, and the values worth a tick.

/// A stretch of an axis that shows the values from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    logarithmic: bool,
}

/// The least and the largest of some values that are not below 0.
pub(crate) fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(low, high), value| (low.min(value), high.max(value)))
}

impl Scale {
    /// Equal steps for equal differences; ends that are no numbers give an axis from 0 to 1.
    pub(crate) fn linear((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        let (low, high) =
            if low.is_finite() && high.is_finite() { (low, high) } else { (0.0, 1.0) };
        let (low, high) = if low < high { (low, high) } else { (low - 0.5, low + 0.5) };
        Scale { low, high, from, to, logarithmic: false }
    }

    /// Equal steps for equal ratios; ends without a logarithm give an axis from 1 to 10.
    pub(crate) fn logarithmic((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        let (low, high) = if low > 0.0 && high.is_finite() { (low, high) } else { (1.0, 10.0) };
        let (low, high) = if low < high { (low, high) } else { (low / 2.0, low * 2.0) };
        Scale { low, high, from, to, logarithmic: true }
    }

    /// Where a value stands.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let part = if self.logarithmic {
            (log10(value) - log10(self.low)) / (log10(self.high) - log10(self.low))
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + part * (self.to - self.from)
    }

    /// Where a value stands, or the nearer end of the axis where it lies outside.
    pub(crate) fn clamped(&self, value: f64) -> f64 {
        self.at(value.clamp(self.low, self.high))
    }

    /// Where the axis begins and ends.
    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.from, self.to)
    }

    /// Whether the axis shows a value.
    pub(crate) fn shows(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Round values on the axis, about `wanted` of them, and the decimals that tell them apart.
    pub(crate) fn ticks(&self, wanted: usize) -> (Vec<f64>, usize) {
        if self.logarithmic {
            return (log_ticks(self.low, self.high, wanted), 0);
        }
        let (step, decimals) = step(self.high - self.low, wanted);
        // A hair of slack: the ends of an axis are often ticks.
        let first = (self.low / step - 1e-9).ceil();
        let count = ((self.high / step + 1e-9).floor() - first).clamp(0.0, 100.0) as u32;
        let ticks = (0..=count).map(|index| (first + f64::from(index)) * step);
        (ticks.filter(|tick| tick.is_finite()).collect(), decimals)
    }
}

/// A step of 1, 2 or 5 times a power of ten that cuts `span` in about `wanted` pieces, and how
/// many decimals its multiples have.
fn step(span: f64, wanted: usize) -> (f64, usize) {
    let rough = span / wanted.max(1) as f64;
    if !(rough > 1e-9 && rough < 1e15) {
        return (span.max(1e-9), 2);
    }
    let (mut unit, mut decimals) = (1.0, 0);
    while unit > rough {
        decimals += 1;
        unit = 1.0 / 10f64.powi(decimals);
    }
    while decimals == 0 && unit * 10.0 <= rough {
        unit *= 10.0;
    }
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| unit * times >= rough * 0.999);
    let times = times.unwrap_or(10.0);
    let decimals = if times == 10.0 { (decimals - 1).max(0) } else { decimals };
    (unit * times, decimals as usize)
}

/// Powers of ten, with their doubles and fives where the axis is short.
fn log_ticks(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let all = |parts: &[f64]| {
        let mut ticks = Vec::new();
        for power in -12..=18 {
            for part in parts {
                let tick = part * 10f64.powi(power);
                if tick >= low * 0.999 && tick <= high * 1.001 {
                    ticks.push(tick);
                }
            }
        }
        ticks
    };
    let fine = all(&[1.0, 2.0, 5.0]);
    if fine.len() <= wanted { fine } else { all(&[1.0]) }
}

/// Where a ratio that follows a power law passes 1: it is `before`, at most 1, at `from`, and
/// `after`, above 1, at `to`.
#[expect(clippy::disallowed_methods, reason = "rounded for a sentence and a drawing; no result")]
pub(crate) fn passes_one((from, before): (f64, f64), (to, after): (f64, f64)) -> f64 {
    let part = log10(before) / (log10(before) - log10(after));
    from * (to / from).powf(part)
}

/// The decimal logarithm.
#[expect(clippy::disallowed_methods, reason = "places a mark in a drawing; no result")]
fn log10(value: f64) -> f64 {
    value.log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let scale = Scale::linear((0.93, 1.27), (0.0, 100.0));
        let (ticks, decimals) = scale.ticks(4);
        assert_eq!(decimals, 1);
        let printed: Vec<String> = ticks.iter().map(|tick| format!("{tick:.1}")).collect();
        assert_eq!(printed, ["1.0", "1.1", "1.2"]);
        let (ticks, decimals) = Scale::linear((0.0, 40.0), (0.0, 1.0)).ticks(4);
        assert_eq!((ticks, decimals), (vec![0.0, 10.0, 20.0, 30.0, 40.0], 0));
        assert!(Scale::linear((0.0, f64::MAX), (0.0, 1.0)).ticks(5).0.len() <= 101);
    }

    #[test]
    fn power_laws_meet() {
        let at = |before: f64, after: f64| passes_one((10.0, before), (1_000.0, after));
        assert!((at(0.1, 10.0) - 100.0).abs() < 1e-9);
        assert!((at(1.0, 10.0) - 10.0).abs() < 1e-9);
        assert!(at(0.5, 1.0 + 1e-12) <= 1_000.0);
    }

    #[test]
    fn places_follow_values() {
        let scale = Scale::logarithmic((1.0, 100.0), (0.0, 10.0));
        assert!((scale.at(10.0) - 5.0).abs() < 1e-12);
        assert_eq!(scale.ticks(7).0, [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert_eq!(scale.ticks(6).0, [1.0, 10.0, 100.0]);
        let flat = Scale::linear((2.0, 2.0), (0.0, 10.0));
        assert_eq!((flat.at(2.0), flat.clamped(9.0)), (5.0, 10.0));
        assert!(flat.shows(2.0) && !flat.shows(f64::NAN));
        let odd = Scale::linear((f64::NAN, 1.0), (0.0, 1.0));
        assert_eq!(odd.clamped(0.5), 0.5);
        assert!(Scale::logarithmic((-1.0, 1.0), (0.0, 1.0)).at(10.0) == 1.0);
    }
}
