//! The fullest node against the number of nodes, where keys are few: chance, the best table, and
//! what was measured.

use std::collections::{BTreeMap, BTreeSet};

use placelab_results::{Contender, FewKeys, Quantum, table_floor};

use super::Chart;
use super::frame::{
    EndLabel, Swatch, WIDTH, drawn, end_labels, grid_across, grid_down, height_for, left_out,
    legend,
};
use crate::number::{self, NONE};
use crate::palette::{BAND, INK, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, Point, Scene};
use crate::subject::{Subject, figure};
use crate::table::{Cell, Column, Table};
use crate::text::{list_up_to, plural};

const ID: &str = "load.max_over_mean";
const LEFT: f64 = 52.0;
const NAMES: f64 = 168.0;
const HEIGHT: f64 = 300.0;
/// Loads over the fair one from which on their axis is logarithmic.
const FAR: f64 = 10.0;
/// Contenders that the finding names one by one.
const NAMES_MAX: usize = 8;

/// The chart, where some fleet has few keys a node.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let curve = Curve::new(subject)?;
    Some(Chart {
        name: "quantisation",
        title: "Few keys: the fullest node against the number of nodes",
        reading: format!(
            "{} over so many equal nodes. Largest load ÷ fair load, 1 is fair; nodes on a \
             logarithmic axis.",
            plural(curve.few.keys, "key", "keys")
        ),
        finding: finding(subject, &curve),
        scene: scene(subject, &curve),
        table: table(subject, &curve),
    })
}

/// What is drawn: a floor with the points of its curve that are numbers.
struct Curve<'a> {
    few: &'a FewKeys,
    /// By rising number of nodes.
    points: Vec<&'a Quantum>,
}

impl<'a> Curve<'a> {
    fn new(subject: &Subject<'a>) -> Option<Self> {
        let few = subject.results.few_keys.as_ref()?;
        let is_number = |one: &&Quantum| {
            let chance = one.max_over_mean;
            let values = [chance.low, chance.mean, chance.high, one.table];
            one.nodes > 0 && values.iter().all(|value| value.is_finite() && *value > 0.0)
        };
        let mut points: Vec<&Quantum> = few.curve.iter().filter(is_number).collect();
        points.sort_by_key(|one| one.nodes);
        (points.len() > 1 && few.keys > 0).then_some(Curve { few, points })
    }

    /// The largest median of a contender's steps by the number of nodes, of fleets on the curve.
    fn measured(&self, contender: &Contender) -> BTreeMap<u32, f64> {
        let mut worst = BTreeMap::new();
        for (places, done) in self.few.on_curve.iter().zip(&contender.timelines) {
            for (nodes, step) in places.iter().zip(&done.steps) {
                let Some((nodes, measured)) = nodes.zip(figure(step, ID)) else { continue };
                if nodes > 0 && measured.median > 0.0 {
                    let most: &mut f64 = worst.entry(nodes).or_default();
                    *most = most.max(measured.median);
                }
            }
        }
        worst
    }

    /// Whether some fleet has unequal weights and no place on the curve.
    fn leaves_out_fleets(&self) -> bool {
        self.few.on_curve.iter().flatten().any(Option::is_none)
    }
}

// ---- picture ---------------------------------------------------------------------------------

fn scene(subject: &Subject, curve: &Curve) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let items = [
        (Swatch::Band, "pure chance, 5–95 %"),
        (Swatch::Dashed, "mean of chance"),
        (Swatch::Fair, "best table: whole keys"),
        (Swatch::Dot, "measured: median of a step"),
    ];
    let top = legend(&mut scene, 0.0, &items) + 8.0;
    let (right, bottom) = (WIDTH - NAMES, top + height_for(drawn(subject).count(), HEIGHT));
    let all: Vec<_> =
        drawn(subject).map(|(index, one)| (index, one, curve.measured(one))).collect();
    let measured = || all.iter().flat_map(|(_, _, points)| points);
    let nodes = curve.points.iter().map(|one| one.nodes).chain(measured().map(|(n, _)| *n));
    let (first, last) = nodes.fold((u32::MAX, 0), |(a, b), n| (a.min(n), b.max(n)));
    let across = Scale::logarithmic((f64::from(first), f64::from(last)), (LEFT + 8.0, right - 8.0));
    let highs = curve.points.iter().map(|one| one.max_over_mean.high.max(one.table));
    let most = highs.chain(measured().map(|(_, median)| *median)).fold(1.0, f64::max);
    let down = if most < FAR {
        Scale::linear((1.0 - 0.05 * most, 1.05 * most), (bottom, top))
    } else {
        Scale::logarithmic((0.8, 1.2 * most), (bottom, top))
    };
    grid_down(&mut scene, &across, (top, bottom), 9, |tick, _| number::decimal(tick, 0));
    grid_across(&mut scene, &down, (LEFT, right), 8, number::decimal);
    laws(&mut scene, curve, (&across, &down));
    let (mut labels, mut taken) = (Vec::new(), BTreeMap::new());
    for (index, contender, points) in &all {
        let look = subject.look(*index);
        let mut end = None;
        for (&nodes, &load) in points {
            let here = taken.entry(nodes).or_default();
            let at = beside(here, (across.at(nodes.into()), down.clamped(load)));
            scene.marker(at, look, 3.4);
            end = Some(at);
        }
        if let Some(end) = end {
            let text = subject.name(contender);
            labels.push(EndLabel { end, text, look, colour: INK });
        }
    }
    end_labels(&mut scene, labels, right + 14.0, (top, bottom));
    scene.axis((LEFT, bottom), (right, bottom));
    scene.note(((LEFT + right) / 2.0, bottom + 34.0), "nodes", Anchor::Middle);
    scene.height = bottom + 42.0;
    scene
}

/// The band of chance with its mean, and the best table.
fn laws(scene: &mut Scene, curve: &Curve, (across, down): (&Scale, &Scale)) {
    let along = |value: fn(&Quantum) -> f64| -> Vec<Point> {
        let at = |one: &&Quantum| (across.at(one.nodes.into()), down.clamped(value(one)));
        curve.points.iter().map(at).collect()
    };
    let mut outline = along(|one| one.max_over_mean.high);
    outline.extend(along(|one| one.max_over_mean.low).into_iter().rev());
    scene.area(outline, BAND);
    scene.dashed(&along(|one| one.max_over_mean.mean), &[5.0, 3.0], QUIET, 1.4);
    let (first, last) = (curve.points[0].nodes, curve.points[curve.points.len() - 1].nodes);
    let at =
        |nodes: u64| (across.at(nodes as f64), down.clamped(table_floor(curve.few.keys, nodes)));
    saw(scene, &sampled(first.into(), last.into()).map(at).collect::<Vec<_>>());
}

/// Numbers of nodes so close that a picture misses no tooth that it could show.
fn sampled(first: u64, last: u64) -> impl Iterator<Item = u64> {
    let next = move |&nodes: &u64| (nodes < last).then(|| (nodes + 1 + nodes / 300).min(last));
    std::iter::successors(Some(first), next)
}

/// A line that rises slowly and falls at once. Rises and falls are strokes of their own: joined in
/// so sharp an angle, a stroke would run out far beyond the tooth.
fn saw(scene: &mut Scene, points: &[Point]) {
    let teeth: Vec<&[Point]> = points.chunk_by(|a, b| b.1 <= a.1).collect();
    teeth.iter().for_each(|tooth| scene.line(tooth.to_vec(), INK, 1.2));
    for pair in teeth.windows(2) {
        if let (Some(&peak), Some(&foot)) = (pair[0].last(), pair[1].first()) {
            scene.line(vec![peak, foot], INK, 1.2);
        }
    }
}

/// The place that a marker wants, or the nearest beside it where it hides no other one of the same
/// size of fleet.
fn beside(taken: &mut Vec<Point>, wanted: Point) -> Point {
    const APART: f64 = 7.5;
    let is_free = |at: &Point| {
        let hides =
            |other: &Point| (other.0 - at.0).abs() < APART && (other.1 - at.1).abs() < APART;
        !taken.iter().any(hides)
    };
    let shifts = (0..=taken.len()).flat_map(|turn| [1.0, -1.0].map(|side| side * turn as f64));
    let places = shifts.map(|shift| (wanted.0 + shift * APART, wanted.1));
    let place = places.into_iter().find(is_free).unwrap_or(wanted);
    taken.push(place);
    place
}

// ---- words -----------------------------------------------------------------------------------

fn finding(subject: &Subject, curve: &Curve) -> String {
    let few = curve.few;
    let mut sentences = Vec::new();
    let at = |one: &Quantum| {
        format!(
            "{} on average over {}, where a table reaches {}",
            times(one.max_over_mean.mean),
            plural(one.nodes.into(), "equal node", "equal nodes"),
            times(one.table),
        )
    };
    let fewest = curve.points.iter().find(|one| one.nodes == few.nodes);
    let last = curve.points.last().filter(|one| one.nodes != few.nodes);
    let places: Vec<String> = fewest.into_iter().chain(last).map(|one| at(one)).collect();
    sentences.push(format!("Chance alone gives {}.", places.join("; ")));
    let medians = drawn(subject).filter_map(|(_, contender)| {
        let load = *curve.measured(contender).get(&few.nodes)?;
        Some((load, format!("{} {}", subject.name(contender), times(load))))
    });
    let mut medians: Vec<(f64, String)> = medians.collect();
    medians.sort_by(|a, b| a.0.total_cmp(&b.0));
    if !medians.is_empty() {
        let medians: Vec<String> = medians.into_iter().map(|(_, text)| text).collect();
        let nodes = plural(few.nodes.into(), "node", "nodes");
        let who = list_up_to(&medians, NAMES_MAX);
        sentences.push(format!("Medians measured at {nodes}: {who}."));
    }
    if curve.leaves_out_fleets() {
        sentences.push(
            "Fleets of unequal weights are not shown: chance has another law for them.".into(),
        );
    }
    sentences.join(" ") + &left_out(subject)
}

fn times(load: f64) -> String {
    format!("{} × fair", number::ratio(load, 2))
}

fn table(subject: &Subject, curve: &Curve) -> Table {
    let contenders = &subject.results.contenders;
    let measured: Vec<_> = contenders.iter().map(|one| curve.measured(one)).collect();
    let mut columns = vec![
        Column::figures("nodes", ""),
        Column::figures("keys a node", ""),
        Column::figures("chance", "× fair, mean, 5–95 %"),
        Column::figures("best table", "× fair"),
    ];
    let names = contenders.iter().map(|one| subject.name(one));
    columns.extend(names.map(|name| Column::figures(name, "× fair, median")));
    let points: BTreeMap<u32, &Quantum> =
        curve.points.iter().map(|one| (one.nodes, *one)).collect();
    let mut sizes: BTreeSet<u32> = points.keys().copied().collect();
    sizes.extend(measured.iter().flat_map(|sizes| sizes.keys()));
    let print = |load: f64| number::ratio(load, 2);
    let row = |nodes: &u32| {
        let chance = points.get(nodes).map_or(Cell::none(), |one| {
            let chance = one.max_over_mean;
            Cell::new(print(chance.mean)).with_note(number::range(chance.low, chance.high, print))
        });
        let mut cells = vec![
            Cell::new(number::count((*nodes).into())),
            Cell::new(number::ratio(curve.few.keys as f64 / f64::from(*nodes), 2)),
            chance,
            Cell::new(print(table_floor(curve.few.keys, (*nodes).into()))),
        ];
        let medians = measured.iter().map(|sizes| sizes.get(nodes));
        cells.extend(medians.map(|load| Cell::new(load.map_or(NONE.into(), |load| print(*load)))));
        cells.into()
    };
    Table::capped(columns, sizes.iter().map(row).collect())
}
