//! What more of a parameter buys, in sentences.

use super::{CURVES_MAX, Curve, Point};
use crate::number::{self, bytes, percent, work};
use crate::standing::{Standing, all_of_it};
use crate::subject::Subject;

pub(super) fn finding(subject: &Subject, curves: &[Curve]) -> String {
    let mut sentences: Vec<String> = curves.iter().map(|curve| course(subject, curve)).collect();
    let chance = curves.iter().find_map(Curve::chance);
    if let Some(chance) = chance {
        let above = |peak: f64| percent(peak - 1.0);
        sentences.push(format!(
            "Chance alone leaves the fullest node {} above fair, which no parameter takes away \
             from a hash (5–95 %: {}).",
            above(chance.mean),
            number::range(chance.low, chance.high, above)
        ));
    }
    if curves.len() > CURVES_MAX {
        sentences.push(format!("The picture shows the first {CURVES_MAX}; the table has all."));
    }
    sentences.join(" ")
}

/// What happens from the least value of a parameter to the largest.
fn course(subject: &Subject, curve: &Curve) -> String {
    let [first, .., last] = &curve.points[..] else { return String::new() };
    let value = |point: &Point| number::few(point.value);
    let print = |values: [f64; 2], print: fn(f64) -> String, what: &str| {
        let [before, after] = values.map(print);
        match before == after {
            true => format!("{what} stays at {before}"),
            false => format!("{what} goes from {before} to {after}"),
        }
    };
    let both = |value: fn(&Point) -> f64| [value(first), value(last)];
    format!(
        "{}, from {} to {}: the fullest node goes from {} to {} above fair; {}, {}. {}",
        curve.title(),
        value(first),
        value(last),
        percent(first.peak.median - 1.0),
        percent(last.peak.median - 1.0),
        print(both(|point| point.bytes), bytes, "memory"),
        print(both(|point| point.steps.median), work, "a lookup in steps"),
        enough(subject, curve)
    )
}

/// From which value on the range over the seeds reaches into the band of chance.
fn enough(subject: &Subject, curve: &Curve) -> String {
    let seeds = subject.results.seeds;
    let standing = |point: &Point| Standing::of(point.peak, seeds);
    let (parameter, all) = (curve.parameter, all_of_it(seeds));
    let is_above = |point: &&Point| standing(point) == Standing::Above;
    if curve.points.iter().any(|point| standing(point) == Standing::Unknown) {
        return "What chance would give is not known.".into();
    }
    let last_above = curve.points.iter().rposition(|point| is_above(&point));
    match last_above.map(|last| curve.points.get(last + 1)) {
        None => format!("At no {parameter} does {all} lie above the band of chance."),
        Some(None) => format!("Even at the last {all} lies above the band of chance."),
        Some(Some(enough)) => format!(
            "From {parameter}={} on its fullest node can no longer be told from chance.",
            number::few(enough.value)
        ),
    }
}
