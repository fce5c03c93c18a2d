//! The balance of the first fleet as keys come: how fast chance wears off, and what stays.

use placelab_results::{Chance, Contender, Fill, Likeness};

use super::Chart;
use super::frame::{
    EndLabel, Swatch, WIDTH, drawn, end_labels, grid_across, grid_down, height_for, left_out,
    legend,
};
use crate::number::{self, NONE};
use crate::palette::{BAND, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, Scene};
use crate::subject::Subject;
use crate::table::{Cell, Column, Row, Table};
use crate::text::{list_up_to, plural};

const LEFT: f64 = 62.0;
const NAMES: f64 = 168.0;
const HEIGHT: f64 = 300.0;
/// Contenders that the finding names one by one.
const NAMES_MAX: usize = 8;

/// The chart, where keys have marks.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let slots = slots(subject)?;
    subject.results.contenders.iter().find(|contender| contender.fills.len() > 1)?;
    let what = if subject.results.ranks > 1 { "rank" } else { "node" };
    Some(Chart {
        name: "fill",
        title: "Spread of the loads as keys come",
        reading: format!(
            "The first fleet, {}. Standard deviation of the load over its mean, by keys: means \
             over the seeds against keys a {what}, both axes logarithmic.",
            plural(slots, what, &format!("{what}s")),
        ),
        finding: finding(subject, slots, what),
        scene: scene(subject, slots, what),
        table: table(subject, slots, what),
    })
}

/// Ranks of the first fleet in all.
fn slots(subject: &Subject) -> Option<u64> {
    let nodes = subject.results.plan.first()?.steps.first()?.nodes;
    Some(u64::from(nodes) * u64::from(subject.results.ranks.max(1)))
}

/// What chance gives at each mark.
fn chances(subject: &Subject) -> Vec<(u64, Chance)> {
    let longest = subject.results.contenders.iter().max_by_key(|contender| contender.fills.len());
    let fills = longest.map_or(&[][..], |contender| &contender.fills);
    let finite = |chance: &Chance| chance.low > 0.0 && chance.high.is_finite();
    fills.iter().filter_map(|fill| Some((fill.keys, fill.cv.chance.filter(finite)?))).collect()
}

/// Means that a logarithmic axis can show.
fn means(contender: &Contender) -> impl Iterator<Item = (u64, f64)> {
    let means = contender.fills.iter().map(|fill| (fill.keys, fill.cv.mean));
    means.filter(|(_, mean)| *mean > 0.0 && mean.is_finite())
}

// ---- picture ---------------------------------------------------------------------------------

fn scene(subject: &Subject, slots: u64, what: &str) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let items = [(Swatch::Band, "pure chance, 5–95 %"), (Swatch::Dashed, "mean of chance")];
    let top = legend(&mut scene, 0.0, &items) + 8.0;
    let (right, bottom) = (WIDTH - NAMES, top + height_for(drawn(subject).count(), HEIGHT));
    let chances = chances(subject);
    let per_slot = |keys: u64| keys as f64 / slots as f64;
    let bounds = chances.iter().flat_map(|(_, chance)| [chance.low, chance.high]);
    let values = drawn(subject).flat_map(|(_, contender)| means(contender).map(|point| point.1));
    let (least, most) = extent(bounds.chain(values));
    let keys = chances.iter().map(|(keys, _)| per_slot(*keys));
    let (first, last) = extent(keys);
    let across = Scale::logarithmic((first / 1.15, last * 1.15), (LEFT, right));
    let down = Scale::logarithmic((least / 1.15, most * 1.15), (bottom, top));
    grid_down(&mut scene, &across, (top, bottom), 8, |tick, _| number::decimal(tick, 0));
    grid_across(&mut scene, &down, (LEFT, right), 8, |tick, _| significant(tick));
    let at = |keys: u64, value: f64| (across.at(per_slot(keys)), down.clamped(value));
    let along = |value: fn(&Chance) -> f64| {
        chances.iter().map(|(keys, chance)| at(*keys, value(chance))).collect::<Vec<_>>()
    };
    let mut outline = along(|chance| chance.high);
    outline.extend(along(|chance| chance.low).into_iter().rev());
    scene.area(outline, BAND);
    scene.dashed(&along(|chance| chance.mean), &[5.0, 3.0], QUIET, 1.4);
    let mut labels = Vec::new();
    for (index, contender) in drawn(subject) {
        let look = subject.look(index);
        let points: Vec<_> = means(contender).map(|(keys, mean)| at(keys, mean)).collect();
        scene.dashed(&points, look.dash(), look.colour, 1.6);
        points.iter().for_each(|&point| scene.marker(point, look, 3.2));
        if let Some(&end) = points.last() {
            let text = subject.name(contender);
            labels.push(EndLabel { end, text, look, colour: look.colour });
        }
    }
    end_labels(&mut scene, labels, right + 14.0, (top, bottom));
    scene.axis((LEFT, bottom), (right, bottom));
    scene.note(((LEFT + right) / 2.0, bottom + 34.0), &format!("keys a {what}"), Anchor::Middle);
    scene.height = bottom + 42.0;
    scene
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(low, high), value| (low.min(value), high.max(value)))
}

/// A value of any size with as many decimals as it takes.
fn significant(value: f64) -> String {
    let decimals = match value {
        value if value < 0.001 => 5,
        value if value < 0.01 => 4,
        value if value < 0.1 => 3,
        value if value < 1.0 => 2,
        _ => 1,
    };
    number::decimal(value, decimals)
}

// ---- words -----------------------------------------------------------------------------------

/// The verdicts of a contender at its marks.
fn verdicts(subject: &Subject, contender: &Contender) -> Vec<Likeness> {
    let tested = contender.fills.iter().filter_map(|fill| fill.evenness);
    tested.map(|evenness| subject.results.likeness_of(evenness)).collect()
}

fn finding(subject: &Subject, slots: u64, what: &str) -> String {
    let chances = chances(subject);
    let (Some((few, wide)), Some((many, narrow))) = (chances.first(), chances.last()) else {
        return "Chance gives no spread at these marks.".into();
    };
    let per_slot = |keys: u64| number::few(keys as f64 / slots as f64);
    let mut sentences = vec![format!(
        "Pure chance gives {} on average at {} keys a {what} and {} at {}.",
        significant(wide.mean),
        per_slot(*few),
        significant(narrow.mean),
        per_slot(*many),
    )];
    let marked = || subject.results.contenders.iter().filter(|one| !one.fills.is_empty());
    let is_chance = |one: &&Contender| {
        let verdicts = verdicts(subject, one);
        !verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == Likeness::Chance)
    };
    let names: Vec<String> = marked().filter(is_chance).map(|one| subject.name(one)).collect();
    if !names.is_empty() {
        let who = list_up_to(&names, NAMES_MAX);
        sentences.push(format!("Not to be told from pure chance at any mark: {who}."));
    }
    let others: Vec<&Contender> = marked().filter(|one| !is_chance(one)).collect();
    sentences
        .extend(others.iter().take(NAMES_MAX).filter_map(|one| beyond(subject, one, slots, what)));
    if others.len() > NAMES_MAX {
        let more = (others.len() - NAMES_MAX) as u64;
        sentences.push(format!("{}: see the table.", plural(more, "more differs", "more differ")));
    }
    sentences.join(" ") + &left_out(subject)
}

/// Where a contender differs from chance, and by how much at the last mark.
fn beyond(subject: &Subject, contender: &Contender, slots: u64, what: &str) -> Option<String> {
    let name = subject.name(contender);
    let last = contender.fills.last()?;
    let verdict = |fill: &&Fill| fill.evenness.map(|even| subject.results.likeness_of(even));
    let first =
        contender.fills.iter().find(|fill| !matches!(verdict(fill), None | Some(Likeness::Chance)));
    let Some(first) = first else { return Some(format!("{name} could not be tested.")) };
    let chance = last.cv.chance.map_or(NONE.into(), |chance| significant(chance.mean));
    Some(format!(
        "{name} is {} from {} keys a {what} on, and has {} at the last mark, where chance gives \
         {chance}.",
        verdict(&first).map_or(NONE, Likeness::name),
        number::few(first.keys as f64 / slots as f64),
        significant(last.cv.mean),
    ))
}

fn table(subject: &Subject, slots: u64, what: &str) -> Table {
    let columns = vec![
        Column::words("contender"),
        Column::figures("keys", ""),
        Column::figures(format!("keys a {what}"), ""),
        Column::figures("spread", "mean of the seeds, 5–95 %"),
        Column::figures("chance gives", "mean, 5–95 %"),
        Column::words("evenness"),
        Column::figures("fullest", "× fair, median"),
        Column::figures("emptiest", "× fair, median"),
    ];
    let contenders = subject.results.contenders.iter().enumerate();
    let rows = contenders.flat_map(|(index, contender)| {
        let row = move |fill: &Fill| {
            let range = |low, high| number::range(low, high, four_decimals);
            let chance = fill.cv.chance.map_or(Cell::none(), |chance| {
                Cell::new(four_decimals(chance.mean)).with_note(range(chance.low, chance.high))
            });
            let verdict = fill.evenness.map(|evenness| subject.results.likeness_of(evenness));
            Row {
                look: Some(subject.look(index)),
                cells: vec![
                    Cell::new(subject.name(contender)),
                    Cell::new(number::count(fill.keys)),
                    Cell::new(number::few(fill.keys as f64 / slots as f64)),
                    Cell::new(four_decimals(fill.cv.mean))
                        .with_note(range(fill.cv.low, fill.cv.high)),
                    chance,
                    Cell::new(verdict.map_or(NONE, Likeness::name)),
                    Cell::new(number::ratio(fill.max_over_mean.median, 2)),
                    Cell::new(number::ratio(fill.min_over_mean.median, 2)),
                ],
            }
        };
        contender.fills.iter().map(row)
    });
    Table::capped(columns, rows.collect())
}

fn four_decimals(value: f64) -> String {
    number::decimal(value, 4)
}
