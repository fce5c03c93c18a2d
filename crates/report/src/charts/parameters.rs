//! What more of a parameter buys and costs: virtual nodes, entries of a table, probes.

mod data;
mod words;

use std::collections::BTreeMap;

use placelab_results::{Chance, Contender, Measured};

use super::Chart;
use super::balance::is_finite;
use super::cost::{held, plain_bytes};
use super::frame::{Swatch, WIDTH, grid_across, legend, lines_down, plain_percent};
use crate::font::fit;
use crate::number;
use crate::palette::{BAND, INK, QUIET};
use crate::scale::{Scale, extent};
use crate::scene::{Anchor, Scene, TEXT};
use crate::subject::{Subject, figure};
use crate::text::list;

const PEAK: &str = "load.max_over_mean";
const STEPS: &str = "work.lookup";
/// Values of a parameter below which there is no curve.
const VALUES_MIN: usize = 3;
/// Curves that stand beside one another; more are in the table.
const CURVES_MAX: usize = 3;
const LEFT: f64 = 58.0;
/// Between two curves.
const GAP: f64 = 22.0;
const HEAD: f64 = 22.0;
/// Least part above fair that is drawn: nothing at all has no logarithm.
const ABOVE_MIN: f64 = 1e-4;

/// The chart, where contenders differ by one number alone.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let curves = curves(subject);
    curves.first()?;
    let names: Vec<String> = curves.iter().take(CURVES_MAX).map(Curve::title).collect();
    Some(Chart {
        name: "parameters",
        title: "What more of a parameter buys",
        reading: format!(
            "{}: what each costs, in the fleet at the start; logarithmic.",
            list(&names)
        ),
        finding: words::finding(subject, &curves),
        scene: scene(subject, &curves),
        table: data::table(subject, &curves),
    })
}

/// Contenders of one algorithm that differ by one number, in its order.
struct Curve<'a> {
    algorithm: &'a str,
    parameter: &'a str,
    /// The parameters that all have, where another curve has others: `hash=fnv`.
    others: String,
    points: Vec<Point<'a>>,
}

/// One contender of a curve.
struct Point<'a> {
    index: usize,
    contender: &'a Contender,
    value: f64,
    peak: &'a Measured,
    bytes: f64,
    steps: &'a Measured,
}

impl Curve<'_> {
    /// `vnodes of ring`.
    fn title(&self) -> String {
        let Curve { algorithm, parameter, others, .. } = self;
        let others = if others.is_empty() { String::new() } else { format!(":{others}") };
        format!("{parameter} of {algorithm}{others}")
    }

    fn chance(&self) -> Option<Chance> {
        let mut chances = self.points.iter().filter_map(|point| point.peak.chance);
        chances.find(is_finite)
    }
}

/// The part above fair that is drawn for a fullest node.
fn above(peak: f64) -> f64 {
    (peak - 1.0).max(ABOVE_MIN)
}

/// What contenders of a curve have in common: algorithm, the parameter, all other parameters.
type Family<'a> = (&'a str, &'a str, Vec<(&'a str, &'a str)>);

/// The curves of a run, in the order of their first contenders.
fn curves<'a>(subject: &Subject<'a>) -> Vec<Curve<'a>> {
    let mut families: BTreeMap<Family<'a>, Vec<Point<'a>>> = BTreeMap::new();
    for (index, contender) in subject.results.contenders.iter().enumerate() {
        for (parameter, value) in &contender.parameters {
            let Some(point) = point(index, contender, value) else { continue };
            let others = contender.parameters.iter().filter(|(name, _)| *name != parameter);
            let others = others.map(|(name, value)| (name.as_str(), value.as_str())).collect();
            families.entry((&contender.algorithm, parameter, others)).or_default().push(point);
        }
    }
    families.retain(|_, points| points.len() >= VALUES_MIN);
    let mut alike: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (algorithm, parameter, _) in families.keys() {
        *alike.entry((algorithm, parameter)).or_default() += 1;
    }
    let curve = |((algorithm, parameter, others), mut points): (Family<'a>, Vec<Point<'a>>)| {
        let others = others.iter().map(|(name, value)| format!("{name}={value}"));
        let is_alone = alike[&(algorithm, parameter)] == 1;
        let others = if is_alone { Vec::new() } else { others.collect() };
        points.sort_by(|a, b| a.value.total_cmp(&b.value));
        Curve { algorithm, parameter, others: others.join(","), points }
    };
    let mut curves: Vec<Curve> = families.into_iter().map(curve).collect();
    curves.sort_by_key(|curve| curve.points.iter().map(|point| point.index).min());
    curves
}

/// What a contender has in the fleet at the start, where the parameter is a number above 0.
fn point<'a>(index: usize, contender: &'a Contender, value: &str) -> Option<Point<'a>> {
    let value: f64 = value.parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0)?;
    let start = contender.timelines.first()?.steps.first()?;
    let peak = figure(start, PEAK)?;
    let (bytes, steps) = (held(start)?, figure(start, STEPS)?);
    (bytes > 0.0 && steps.low > 0.0).then_some(Point {
        index,
        contender,
        value,
        peak,
        bytes,
        steps,
    })
}

// ---- picture ---------------------------------------------------------------------------------

/// One row of panels.
struct Row {
    title: &'static str,
    height: f64,
    /// Median, low and high.
    values: fn(&Point) -> [f64; 3],
    /// The band of pure chance.
    chance: fn(&Curve) -> Option<[f64; 2]>,
    tick: fn(f64) -> String,
}

const ROWS: [Row; 3] = [
    Row {
        title: "fullest node above fair",
        height: 190.0,
        values: |point| [point.peak.median, point.peak.low, point.peak.high].map(above),
        chance: |curve| curve.chance().map(|chance| [chance.low, chance.high].map(above)),
        tick: plain_percent,
    },
    Row {
        title: "memory of a client",
        height: 110.0,
        values: |point| [point.bytes; 3],
        chance: |_| None,
        tick: plain_bytes,
    },
    Row {
        title: "steps of a lookup",
        height: 90.0,
        values: |point| [point.steps.median, point.steps.low, point.steps.high],
        chance: |_| None,
        tick: plain_steps,
    },
];

/// A round number of steps on an axis.
fn plain_steps(value: f64) -> String {
    number::decimal(value, usize::from(value < 0.95))
}

fn scene(subject: &Subject, curves: &[Curve]) -> Scene {
    let curves = &curves[..curves.len().min(CURVES_MAX)];
    let mut scene = Scene::new(WIDTH, 0.0);
    let whisker = format!("5–95 % of {} seeds", subject.results.seeds);
    let mut items = vec![(Swatch::Band, "pure chance, 5–95 %")];
    if subject.has_intervals() {
        items.push((Swatch::Whisker, &whisker));
    }
    let mut top = legend(&mut scene, 0.0, &items) + 12.0;
    let width = (WIDTH - LEFT + GAP) / curves.len() as f64 - GAP;
    let columns: Vec<(f64, &Curve)> = curves
        .iter()
        .enumerate()
        .map(|(at, curve)| (LEFT + (width + GAP) * at as f64, curve))
        .collect();
    for &(left, curve) in &columns {
        let title = fit(&curve.title(), TEXT, width);
        scene.text((left, top + 8.0), &title, TEXT, Anchor::Start, INK);
    }
    top += 14.0;
    for row in &ROWS {
        let (upper, bottom) = (top + HEAD, top + HEAD + row.height);
        let down = Scale::logarithmic(domain(curves, row), (bottom, upper));
        scene.note((LEFT, upper - 6.0), row.title, Anchor::Start);
        for &(left, curve) in &columns {
            let values = extent(curve.points.iter().map(|point| point.value));
            let domain = (values.0 / 1.2, values.1 * 1.2);
            let across = Scale::logarithmic(domain, (left, left + width));
            let is_first = left == LEFT;
            panel(&mut scene, subject, curve, row, &Axes { across, down, is_first });
        }
        top = bottom + 8.0;
    }
    scene.height = top + 14.0;
    scene
}

/// The values that a row of panels shows.
fn domain(curves: &[Curve], row: &Row) -> (f64, f64) {
    let points = curves.iter().flat_map(|curve| &curve.points);
    let chances = curves.iter().filter_map(|curve| (row.chance)(curve)).flatten();
    let (low, high) = extent(points.flat_map(row.values).chain(chances));
    (low / 1.3, high * 1.3)
}

/// Where a panel lies.
struct Axes {
    across: Scale,
    down: Scale,
    /// Whether it stands at the left, where the numbers are.
    is_first: bool,
}

fn panel(scene: &mut Scene, subject: &Subject, curve: &Curve, row: &Row, axes: &Axes) {
    let Axes { across, down, is_first } = axes;
    let ((left, right), (bottom, upper)) = (across.ends(), down.ends());
    if let Some([low, high]) = (row.chance)(curve) {
        scene.rectangle((left, down.at(high)), (right, down.at(low)), BAND);
    }
    let number = |tick: f64| if *is_first { (row.tick)(tick) } else { String::new() };
    grid_across(scene, down, (left, right), 7, |tick, _| number(tick));
    let is_last = row.title == ROWS[ROWS.len() - 1].title;
    let value = |tick: f64| if is_last { number::decimal(tick, 0) } else { String::new() };
    let (ticks, _) = across.ticks(9);
    lines_down(
        scene,
        ticks.into_iter().map(|tick| (across.at(tick), value(tick))),
        (upper, bottom),
    );
    scene.axis((left, upper), (left, bottom));
    scene.axis((left, bottom), (right, bottom));
    let at = |point: &Point, value: f64| (across.at(point.value), down.at(value));
    let medians = curve.points.iter().map(|point| at(point, (row.values)(point)[0]));
    scene.line(medians.collect(), QUIET, 1.2);
    for point in &curve.points {
        let [median, low, high] = (row.values)(point);
        let look = subject.look(point.index);
        if high > low {
            scene.whisker(at(point, low), at(point, high), 3.0, look.colour);
        }
        scene.marker(at(point, median), look, 3.6);
    }
}
