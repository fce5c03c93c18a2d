//! Where keys went in the step that moves most: from which node to which, and whether anything
//! called for it.

mod matrix;
mod words;

use placelab_results::{Contender, Step};

use super::Chart;
use super::frame::{Swatch, WIDTH, fit_name, legend};
use crate::font::fit;
use crate::number::{self, count, percent};
use crate::palette::{AXIS, BAND, Colour, INK, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, SMALL, Scene, TEXT};
use crate::subject::{Subject, figure};
use crate::table::{Cell, Column, Row, Table};
use crate::text::{one_line, plural};
use matrix::{Matrix, Order, Sums};

/// Contenders that the picture has room for.
const PANELS_MAX: usize = 6;
/// Panels side by side.
const ABREAST: usize = 3;
const PANEL: f64 = WIDTH / ABREAST as f64;
/// Side of a matrix.
const SIDE: f64 = 212.0;
/// From the top of a panel to its matrix.
const HEAD: f64 = 52.0;
/// Least side of the square of a flow.
const SQUARE_MIN: f64 = 1.0;

/// The chart, where keys moved and it is known where to.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let at = busiest(subject)?;
    let order = Order::new(subject, at)?;
    let shown = shown(subject, at);
    let nodes = plural(order.len() as u64, "node", "nodes");
    let grouped = match order.group() {
        1 => nodes,
        group => format!("{nodes} in groups of {}", count(group as u64)),
    };
    let sorted = if order.is_listed() { "in the order of the fleet" } else { "by name, if named" };
    Some(Chart {
        name: "flows",
        title: "Where keys go in the step that moves most",
        reading: format!(
            "{}, seed 0: {grouped}, {sorted}. Area of a square by its keys; scales differ.",
            subject.step_name(at.0, at.1)
        ),
        finding: words::finding(subject, at, &shown),
        scene: scene(subject, at, &order, &shown),
        table: table(subject, at),
    })
}

/// What a contender did at a step.
fn taken(contender: &Contender, (timeline, step): (usize, usize)) -> Option<&Step> {
    contender.timelines.get(timeline)?.steps.get(step)
}

/// The same, where flows are known.
fn known(contender: &Contender, at: (usize, usize)) -> Option<&Step> {
    taken(contender, at).filter(|step| !step.flows.is_empty())
}

/// The step at which all rivals together move most; of equal ones the first.
fn busiest(subject: &Subject) -> Option<(usize, usize)> {
    let plan = subject.results.plan.iter().enumerate();
    let all =
        plan.flat_map(|(index, timeline)| (1..timeline.steps.len()).map(move |at| (index, at)));
    let moved = |at: (usize, usize)| -> Option<f64> {
        let steps = subject.results.contenders.iter().filter_map(|one| known(one, at));
        steps.filter_map(|step| Some(figure(step, "movement.moved")?.median)).reduce(|a, b| a + b)
    };
    let known = all.filter_map(|at| Some((at, moved(at)?)));
    known.reduce(|a, b| if b.1 > a.1 { b } else { a }).map(|(at, _)| at)
}

/// Who is drawn: rivals, at most half of them with sideways moves, and others where there is room.
fn shown<'a>(subject: &Subject<'a>, at: (usize, usize)) -> Vec<(usize, &'a Contender)> {
    let contenders = subject.results.contenders.iter().enumerate();
    let (rivals, others): (Vec<_>, Vec<_>) =
        contenders.filter(|(_, one)| known(one, at).is_some()).partition(|(_, one)| one.is_rival());
    let goes_sideways = |one: &Contender| {
        known(one, at).is_some_and(|step| step.flows.iter().any(|flow| !flow.forced))
    };
    let (some, none): (Vec<_>, Vec<_>) =
        rivals.into_iter().partition(|(_, one)| goes_sideways(one));
    let (first, rest) = some.split_at(some.len().min(PANELS_MAX / 2));
    let all = first.iter().copied().chain(none).chain(rest.iter().copied()).chain(others);
    let mut shown: Vec<(usize, &Contender)> = all.take(PANELS_MAX).collect();
    shown.sort_by_key(|(index, _)| *index);
    shown
}

// ---- picture ---------------------------------------------------------------------------------

fn scene(
    subject: &Subject,
    at: (usize, usize),
    order: &Order,
    shown: &[(usize, &Contender)],
) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let mut items = vec![
        (Swatch::Fill(QUIET), "with a reason, in the colour of each contender"),
        (Swatch::Fill(INK), "without a reason (sideways)"),
    ];
    if order.has_changes() {
        items.push((Swatch::Band, "row of a node that leaves, column of one that joins"));
    }
    let top = legend(&mut scene, 0.0, &items) + 4.0;
    for (place, &(index, contender)) in shown.iter().enumerate() {
        let left = PANEL * (place % ABREAST) as f64;
        let upper = top + (HEAD + SIDE + 34.0) * (place / ABREAST) as f64;
        let Some(step) = known(contender, at) else { continue };
        let look = subject.look(index);
        scene.marker((left + 5.0, upper + 9.0), look, 4.0);
        let name = fit_name(&subject.name(contender), TEXT, PANEL - 30.0);
        let ink = if contender.is_rival() { INK } else { QUIET };
        scene.text((left + 15.0, upper + 13.0), &name, TEXT, Anchor::Start, ink);
        let matrix = Matrix::new(order, step);
        let keys = subject.results.keys.count;
        let words = in_short(&matrix.sums, step.flows_omitted, keys);
        let words = fit(&words, SMALL, PANEL - 22.0);
        scene.note((left + 15.0, upper + 28.0), &words, Anchor::Start);
        panel(&mut scene, order, &matrix, look.colour, (left + 15.0, upper + HEAD));
    }
    let rows = shown.len().div_ceil(ABREAST) as f64;
    scene.height = top + (HEAD + SIDE + 34.0) * rows;
    scene
}

/// What moved, below the name of a contender.
fn in_short(sums: &Sums, omitted: u64, keys: u64) -> String {
    let part = |moved: u64| percent(moved as f64 / keys.max(1) as f64);
    let (moved, sideways) = (part(sums.moved()), part(sums.sideways.keys));
    match omitted {
        0 => format!("{moved} of the keys, {sideways} sideways"),
        _ => format!("at least {moved} moved, {sideways} sideways"),
    }
}

fn panel(
    scene: &mut Scene,
    order: &Order,
    matrix: &Matrix,
    colour: Colour,
    (left, top): (f64, f64),
) {
    let (right, bottom) = (left + SIDE, top + SIDE);
    let cells = (0.0, order.cells() as f64);
    let (across, down) = (Scale::linear(cells, (left, right)), Scale::linear(cells, (top, bottom)));
    let stretch = |scale: &Scale, cell: usize| (scale.at(cell as f64), scale.at(cell as f64 + 1.0));
    for cell in 0..order.cells() {
        if order.leaves(cell) {
            let (from, to) = stretch(&down, cell);
            scene.rectangle((left, from), (right, to), BAND.thin(0.6));
        }
        if order.joins(cell) {
            let (from, to) = stretch(&across, cell);
            scene.rectangle((from, top), (to, bottom), BAND.thin(0.6));
        }
    }
    let outline = vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
    scene.line(outline, AXIS, 1.0);
    let side = across.at(1.0) - across.at(0.0);
    for (&(row, column), sums) in &matrix.cells {
        let centre = (across.at(column as f64 + 0.5), down.at(row as f64 + 0.5));
        let mut squares = [(sums.forced.keys, colour), (sums.sideways.keys, INK)];
        // The larger one first, so that neither hides the other.
        squares.sort_by_key(|(keys, _)| std::cmp::Reverse(*keys));
        for (keys, ink) in squares.into_iter().filter(|(keys, _)| *keys > 0) {
            let part = (keys as f64 / matrix.most.max(1) as f64).sqrt();
            let half = (side * part).max(SQUARE_MIN) / 2.0;
            let from = (centre.0 - half, centre.1 - half);
            scene.rectangle(from, (centre.0 + half, centre.1 + half), ink);
        }
    }
    ends(scene, order, (left, top));
    let words = format!("largest square: {}", plural(matrix.most, "key", "keys"));
    scene.text((right, bottom + 14.0), &words, 10.0, Anchor::End, QUIET);
}

/// Says which way a matrix reads, with the first and the last node.
fn ends(scene: &mut Scene, order: &Order, (left, top): (f64, f64)) {
    let (first, last) = order.ends();
    let [first, last] = [first, last].map(|name| fit(&one_line(name), 10.0, SIDE / 2.0 - 22.0));
    let above = format!("to: {first} → {last}");
    scene.text((left, top - 5.0), &above, 10.0, Anchor::Start, QUIET);
    scene.text((left - 4.0, top + 9.0), "↓", 10.0, Anchor::End, QUIET);
    scene.text((left, top + SIDE + 14.0), "from: ↓", 10.0, Anchor::Start, QUIET);
}

fn table(subject: &Subject, at: (usize, usize)) -> Table {
    let columns = vec![
        Column::words("contender"),
        Column::figures("keys moved", "of all"),
        Column::figures("with a reason", "pairs of nodes"),
        Column::figures("sideways", "pairs of nodes"),
        Column::figures("largest flow", "from → to"),
        Column::figures("flows left out", "smaller ones"),
    ];
    let keys = subject.results.keys.count.max(1) as f64;
    let row = |(index, contender): (usize, &Contender)| {
        let step = taken(contender, at)?;
        let sums = Sums::of(&step.flows);
        let part = |keys_of: u64| percent(keys_of as f64 / keys);
        let pairs = |amount: matrix::Amount| {
            let pairs = plural(amount.pairs, "pair", "pairs");
            Cell::new(count(amount.keys)).with_note(pairs)
        };
        let moved = sums.moved();
        let largest = step.flows.first().map_or(Cell::none(), |flow| {
            let pair = format!("{} → {}", flow.source, flow.destination);
            Cell::new(number::count(flow.keys)).with_note(one_line(&pair))
        });
        let cells = vec![
            Cell::new(subject.name(contender)),
            Cell::new(count(moved)).with_note(part(moved)),
            pairs(sums.forced),
            pairs(sums.sideways),
            largest,
            Cell::new(count(step.flows_omitted)),
        ];
        Some(Row { look: Some(subject.look(index)), cells })
    };
    let contenders = subject.results.contenders.iter().enumerate();
    Table::capped(columns, contenders.filter_map(row).collect())
}
