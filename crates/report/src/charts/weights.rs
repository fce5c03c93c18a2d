//! What each node has against what its weight asks for, where weights are unequal.

use placelab_results::{Contender, NODES_LISTED_MAX, NodeLoad, NodeRatio};

use super::Chart;
use super::frame::{
    DRAWN_MAX, Swatch, TIMELINES_MAX, WIDTH, drawn, grid_across, grid_down, left_out, legend,
    row_name,
};
use crate::font::fit;
use crate::number::{self, NONE, percent};
use crate::palette::{AXIS, GRID, INK, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, SMALL, Scene, TEXT};
use crate::standing::Standing;
use crate::subject::{Subject, figure};
use crate::table::{Cell, Column, Row, Table};
use crate::text::list_up_to;

const LEFT: f64 = 70.0;
const NAMES: f64 = 190.0;
const HEIGHT: f64 = 300.0;
/// Height of the panel of errors, without the row of those that are off by nothing.
const ERRORS: f64 = 190.0;
/// Height of that row.
const NOTHING: f64 = 24.0;
/// Contenders that the finding names one by one.
const NAMES_MAX: usize = 8;
/// The metric of the finding.
const ID: &str = "share.error";

/// The chart, where some step has nodes of unequal weight.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let fleets = fleets(subject);
    (!fleets.is_empty()).then(|| Chart {
        name: "weights",
        title: "Weights: the share of each node against its target",
        reading: "Share of the keys against share of the weight, both logarithmic: on the line a \
                  node has what its weight asks for. Below, how far the lightest and the heaviest \
                  node are off. At seed 0, the published function."
            .into(),
        finding: finding(subject, &fleets),
        scene: scene(subject, &fleets),
        table: table(subject, &fleets),
    })
}

/// The most unequal fleet of a timeline.
struct Fleet {
    timeline: usize,
    step: usize,
    label: String,
    /// Lightest and heaviest weight.
    range: (f64, f64),
}

/// What a node has.
struct Point<'a> {
    node: &'a NodeLoad,
    weight: f64,
    /// Share of the weight.
    target: f64,
    /// Exact share over the target, or what was measured.
    ratio: NodeRatio,
    is_exact: bool,
}

impl Point<'_> {
    /// How far off it is, in millionths of its target.
    fn error(&self) -> f64 {
        1e6 * (self.ratio.first - 1.0)
    }
}

fn weight(node: &NodeLoad) -> Option<f64> {
    let weight = node.weight.parse::<f64>().ok()?;
    (weight > 0.0 && weight.is_finite()).then_some(weight)
}

/// Whether there are nodes, and not more than a run lists: a picture shows them all.
fn is_listed(nodes: &[NodeLoad]) -> bool {
    (1..=NODES_LISTED_MAX).contains(&nodes.len())
}

/// Lightest and heaviest weight of a step that some contender has reached and lists.
fn range(subject: &Subject, timeline: usize, step: usize) -> Option<(f64, f64)> {
    let contenders = subject.results.contenders.iter();
    let nodes = contenders
        .filter_map(|one| Some(&one.timelines.get(timeline)?.steps.get(step)?.nodes))
        .find(|nodes| is_listed(nodes))?;
    let weights = nodes.iter().filter_map(weight);
    weights.fold(None, |range, weight| match range {
        None => Some((weight, weight)),
        Some((least, most)) => Some((weight.min(least), weight.max(most))),
    })
}

/// The most unequal fleet of each timeline, the first of several; of as many as there is room for.
/// All timelines have one first fleet, which is shown once.
fn fleets(subject: &Subject) -> Vec<Fleet> {
    let of_timeline = |(timeline, planned): (usize, &placelab_results::Timeline)| {
        let steps = 0..planned.steps.len();
        let unequal = steps.filter_map(|step| {
            let range = range(subject, timeline, step).filter(|(least, most)| least < most)?;
            let label = planned.steps[step].label.clone();
            Some(Fleet { timeline, step, label: format!("“{label}”"), range })
        });
        unequal.reduce(|a, b| if b.range.1 / b.range.0 > a.range.1 / a.range.0 { b } else { a })
    };
    let timelines = subject.results.plan.iter().enumerate();
    let mut fleets: Vec<Fleet> = timelines.filter_map(of_timeline).collect();
    let mut has_first = false;
    fleets.retain(|fleet| fleet.step > 0 || !std::mem::replace(&mut has_first, true));
    fleets.truncate(TIMELINES_MAX);
    name_apart(subject, &mut fleets);
    fleets
}

/// Names the timelines of steps that are called alike.
fn name_apart(subject: &Subject, fleets: &mut [Fleet]) {
    let labels: Vec<String> = fleets.iter().map(|fleet| fleet.label.clone()).collect();
    for fleet in fleets {
        if labels.iter().filter(|label| **label == fleet.label).count() > 1 {
            fleet.label = subject.step_name(fleet.timeline, fleet.step);
        }
    }
}

/// The nodes of a contender in a fleet that have a weight, a share or load, and a finite one.
fn points<'a>(contender: &'a Contender, fleet: &Fleet) -> Vec<Point<'a>> {
    let step = contender.timelines.get(fleet.timeline).and_then(|one| one.steps.get(fleet.step));
    let nodes = step.map_or(&[][..], |step| &step.nodes);
    let nodes = if is_listed(nodes) { nodes } else { &[] };
    let sum: f64 = nodes.iter().filter_map(weight).sum();
    let point = |node: &'a NodeLoad| {
        let exact = node.share.map(|share| NodeRatio { first: share, low: share, high: share });
        let ratio = exact.or_else(|| node.load.get("keys").copied())?;
        let weight = weight(node)?;
        let is_number = ratio.first.is_finite() && ratio.first >= 0.0;
        let is_exact = exact.is_some();
        is_number.then_some(Point { node, weight, target: weight / sum, ratio, is_exact })
    };
    nodes.iter().filter_map(point).collect()
}

/// Of the nodes of a weight the one that is farthest off.
fn farthest<'a>(points: &'a [Point<'a>], weight: f64) -> Option<&'a Point<'a>> {
    let those = points.iter().filter(|point| point.weight == weight);
    those.max_by(|a, b| a.error().abs().total_cmp(&b.error().abs()))
}

// ---- picture ---------------------------------------------------------------------------------

fn scene(subject: &Subject, fleets: &[Fleet]) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let mut items = vec![(Swatch::Fair, "share of the keys = share of the weight")];
    let is_measured = |(_, contender): (usize, &Contender)| {
        let mut points = fleets.iter().flat_map(|fleet| points(contender, fleet));
        points.any(|point| !point.is_exact)
    };
    if drawn(subject).any(is_measured) {
        items.push((Swatch::Whisker, "measured load, 5–95 % of the seeds; else exact share"));
    }
    let top = legend(&mut scene, 0.0, &items) + 8.0;
    for (row, contender) in drawn(subject).enumerate() {
        let gap = (HEIGHT / DRAWN_MAX as f64).max(17.0);
        let at = (WIDTH - NAMES + 14.0, top + gap * (row as f64 + 0.5));
        row_name(&mut scene, subject, contender, at, NAMES - 14.0);
    }
    let bottom = top + HEIGHT;
    shares(&mut scene, subject, fleets, (top, bottom));
    scene.height = errors(&mut scene, subject, fleets, bottom + 76.0);
    scene
}

/// Draws the shares of all nodes against their targets.
fn shares(scene: &mut Scene, subject: &Subject, fleets: &[Fleet], (top, bottom): (f64, f64)) {
    let right = WIDTH - NAMES;
    let all = || {
        let contenders = drawn(subject).map(|(index, contender)| (subject.look(index), contender));
        contenders.flat_map(|(look, contender)| {
            let points = fleets.iter().flat_map(|fleet| points(contender, fleet));
            points.map(move |point| (look, point))
        })
    };
    let least = all().map(|(_, point)| point.target).fold(1.0, f64::min);
    let domain = (least / 2.0, 1.0);
    let across = Scale::logarithmic(domain, (LEFT, right));
    let down = Scale::logarithmic(domain, (bottom, top));
    grid_down(scene, &across, (top, bottom), 8, |tick, _| percent(tick));
    grid_across(scene, &down, (LEFT, right), 8, |tick, _| percent(tick));
    scene.line(vec![(LEFT, bottom), (right, top)], INK, 1.2);
    for (look, point) in all() {
        let x = across.clamped(point.target);
        let y = |ratio: f64| down.clamped(ratio * point.target);
        if !point.is_exact {
            let (low, high) = (y(point.ratio.low), y(point.ratio.high));
            scene.whisker((x, low), (x, high), 3.5, look.colour);
        }
        scene.marker((x, y(point.ratio.first)), look, 3.4);
    }
    scene.axis((LEFT, bottom), (right, bottom));
    scene.axis((LEFT, top), (LEFT, bottom));
    scene.note((LEFT + 6.0, top + 12.0), "share of the keys", Anchor::Start);
    scene.note(((LEFT + right) / 2.0, bottom + 34.0), "share of the weight", Anchor::Middle);
}

/// Draws how far the lightest and the heaviest node of each fleet are off; gives the y below.
fn errors(scene: &mut Scene, subject: &Subject, fleets: &[Fleet], top: f64) -> f64 {
    let (right, bottom) = (WIDTH - NAMES, top + ERRORS);
    let rows: Vec<(usize, &Contender)> = drawn(subject).collect();
    let down = Scale::logarithmic((1.0, 1e6), (bottom, top));
    grid_across(scene, &down, (LEFT, right), 7, |tick, _| number::decimal(tick, 0));
    let nothing = bottom + NOTHING;
    scene.line(vec![(LEFT, nothing), (right, nothing)], AXIS, 1.0);
    scene.note((LEFT - 7.0, nothing + 4.0), "below 1", Anchor::End);
    scene.text((0.0, top - 12.0), "Off the target, in ppm of it", TEXT, Anchor::Start, INK);
    let column = (right - LEFT) / (2 * fleets.len()) as f64;
    let gap = (column - 10.0) / rows.len().max(2) as f64;
    for (group, fleet) in fleets.iter().enumerate() {
        let ends = [(fleet.range.0, "lightest"), (fleet.range.1, "heaviest")];
        for (end, (weight, word)) in ends.into_iter().enumerate() {
            let middle = LEFT + column * ((2 * group + end) as f64 + 0.5);
            let word = fit(word, 10.0, column);
            scene.text((middle, nothing + 18.0), &word, 10.0, Anchor::Middle, QUIET);
            for (row, &(index, contender)) in rows.iter().enumerate() {
                let points = points(contender, fleet);
                let Some(point) = farthest(&points, weight) else { continue };
                let x = middle + gap * (row as f64 - (rows.len() - 1) as f64 / 2.0);
                let error = point.error().abs();
                let y = if error < 1.0 { nothing } else { down.clamped(error) };
                scene.marker((x, y), subject.look(index), 3.4);
            }
        }
        let left = LEFT + 2.0 * column * group as f64;
        if group > 0 {
            scene.line(vec![(left, top), (left, nothing + 34.0)], GRID, 1.0);
        }
        let label = fit(&fleet.label, SMALL, 2.0 * column - 4.0);
        scene.text((left + column, nothing + 33.0), &label, SMALL, Anchor::Middle, INK);
    }
    nothing + 42.0
}

// ---- words -----------------------------------------------------------------------------------

/// The worst error of a contender by exact shares over the fleets, with the fleet: the median over
/// the seeds.
fn worst<'a>(contender: &Contender, fleets: &'a [Fleet]) -> Option<(f64, &'a Fleet)> {
    let error = |fleet: &'a Fleet| {
        let step = contender.timelines.get(fleet.timeline)?.steps.get(fleet.step)?;
        Some((figure(step, ID)?.median, fleet))
    };
    fleets.iter().filter_map(error).reduce(|a, b| if b.0 > a.0 { b } else { a })
}

fn finding(subject: &Subject, fleets: &[Fleet]) -> String {
    let (mut off, mut exact) = (Vec::new(), Vec::new());
    for contender in &subject.results.contenders {
        match worst(contender, fleets) {
            Some((error, fleet)) if error >= 1.0 => off.push((error, fleet, contender)),
            Some(_) => exact.push(subject.name(contender)),
            None => {}
        }
    }
    off.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut sentences = Vec::new();
    if !exact.is_empty() {
        let names = list_up_to(&exact, 12);
        sentences.push(format!("By exact shares no node is off by 1 ppm under {names}."));
    }
    if !off.is_empty() {
        let one = |(error, fleet, contender): &(f64, &Fleet, &Contender)| {
            let error = format!("{} ({})", number::ppm(*error), percent(error / 1e6));
            format!("{} by {error} at {}", subject.name(contender), fleet.label)
        };
        let worst: Vec<String> = off.iter().map(one).collect();
        let worst = list_up_to(&worst, NAMES_MAX);
        sentences.push(format!(
            "Of the fleets drawn the node that is farthest off, median over the seeds: {worst}."
        ));
    }
    sentences.extend(measured(subject, fleets));
    sentences.join(" ") + &left_out(subject)
}

/// What the loads of contenders without exact shares say.
fn measured(subject: &Subject, fleets: &[Fleet]) -> Option<String> {
    let most = |contender: &Contender| {
        let load = |fleet: &Fleet| {
            let step = contender.timelines.get(fleet.timeline)?.steps.get(fleet.step)?;
            let load = figure(step, "load.max_over_mean")?;
            Some((load.median, Standing::of(load, subject.results.seeds), fleet.label.clone()))
        };
        fleets.iter().filter_map(load).reduce(|a, b| if b.0 > a.0 { b } else { a })
    };
    let unknown = subject.results.contenders.iter();
    let unknown = unknown.filter(|contender| worst(contender, fleets).is_none());
    let said: Vec<String> = unknown
        .filter_map(|contender| {
            let (load, standing, label) = most(contender)?;
            let standing = match standing {
                Standing::Within => "within the band of chance",
                Standing::Above => "above the band of chance",
                Standing::Below => "below the band of chance",
                Standing::Unknown => "where chance is not known",
            };
            let name = subject.name(contender);
            Some(format!("{name} up to {} × fair at {label}, {standing}", subject.load(load)))
        })
        .collect();
    let said = (!said.is_empty()).then(|| list_up_to(&said, NAMES_MAX))?;
    Some(format!("By measured loads, without exact shares: {said}."))
}

fn table(subject: &Subject, fleets: &[Fleet]) -> Table {
    let columns = vec![
        Column::words("contender"),
        Column::words("fleet"),
        Column::words("node"),
        Column::figures("weight", ""),
        Column::figures("target share", ""),
        Column::figures("share of the keys", "seed 0"),
        Column::figures("off the target", "ppm of it"),
        Column::words("known"),
    ];
    let mut rows = Vec::new();
    for (index, contender) in subject.results.contenders.iter().enumerate() {
        for fleet in fleets {
            let row = |point: Point| Row {
                look: Some(subject.look(index)),
                cells: vec![
                    Cell::new(subject.name(contender)),
                    Cell::new(&fleet.label),
                    Cell::new(&point.node.name),
                    Cell::new(&point.node.weight),
                    Cell::new(precise(point.target)),
                    Cell::new(precise(point.target * point.ratio.first)),
                    Cell::new(number::decimal(point.error(), 0)),
                    Cell::new(if point.is_exact { "exactly" } else { "by measured load" }),
                ],
            };
            rows.extend(points(contender, fleet).into_iter().map(row));
        }
    }
    Table::capped(columns, rows)
}

/// A share in percent, with the digits that tell a millionth of a thousandth apart.
fn precise(share: f64) -> String {
    match number::decimal(share * 100.0, 4) {
        none if none == NONE => none,
        digits => format!("{digits} %"),
    }
}
