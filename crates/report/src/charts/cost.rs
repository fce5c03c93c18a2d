//! What a contender costs beside its lookups: memory, building the first fleet, and a change.

mod growth;
mod words;

use placelab_results::{Contender, Rounds, Step, UpdateTime};

use super::Chart;
use super::frame::{Swatch, WIDTH, drawn, left_out, legend, lines_down, row_name};
use super::latency::plain_time;
use crate::font::fit;
use crate::number::{self, NONE, bytes, nanoseconds};
use crate::palette::{GRID, INK, Look, QUIET};
use crate::scale::{self, Scale};
use crate::scene::{Anchor, SMALL, Scene};
use crate::subject::{Spread, Subject, figure, worst};
use crate::table::{Cell, Column, Row, Table};
use crate::text::one_line;

const SHARED: &str = "memory.shared_bytes";
const DERIVED: &str = "memory.derived_bytes";
const NAMES: f64 = 176.0;
const ROW: f64 = 24.0;
/// Room at the right of a mark for its number.
const FIGURE: f64 = 62.0;
/// Microseconds below which a time is not drawn apart.
const TIME_MIN: f64 = 1e-3;

/// The chart, where the memory or a time of some contender is known.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let panels = panels(subject);
    let growth = growth::fleets(subject);
    if panels.is_empty() {
        return None;
    }
    let memory = if growth.is_empty() { "at the worst step" } else { "by nodes" };
    let times = match subject.timings {
        Some(timings) => {
            format!("times of the scenario's own fleet on {}", one_line(&timings.machine.cpu))
        }
        None => "builds and changes were not timed".into(),
    };
    Some(Chart {
        name: "cost",
        title: "Memory, builds and changes",
        reading: format!("Memory of a client {memory}; {times}; logarithmic."),
        finding: words::finding(subject, &growth) + &left_out(subject),
        scene: scene(subject, &panels, &growth),
        table: table(subject, &growth),
    })
}

/// A column of marks, one for each contender.
struct Panel {
    title: &'static str,
    value: fn(&Subject, &Contender) -> Option<Spread>,
    print: fn(f64) -> String,
    tick: fn(f64) -> String,
}

const MEMORY: Panel = Panel {
    title: "memory of a client",
    value: |_, one| memory(one),
    print: bytes,
    tick: plain_bytes,
};
const BUILD: Panel = Panel {
    title: "build of the first fleet",
    value: |subject, one| update(subject, one).and_then(|time| spread(&time.build_us)),
    print: microseconds,
    tick: plain_microseconds,
};
const APPLY: Panel = Panel {
    title: "first change",
    value: |subject, one| update(subject, one)?.apply_us.as_ref().and_then(spread),
    print: microseconds,
    tick: plain_microseconds,
};

fn microseconds(value: f64) -> String {
    nanoseconds(1e3 * value)
}

fn plain_microseconds(value: f64) -> String {
    plain_time(1e3 * value)
}

/// A round number of bytes on an axis of decades: `100 B`, `10 kB`.
pub(super) fn plain_bytes(value: f64) -> String {
    number::whole(value, &[(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")], "B")
}

/// All bytes that a client has after a step.
pub(super) fn held(step: &Step) -> Option<f64> {
    let parts = [SHARED, DERIVED].into_iter().filter_map(|id| Some(figure(step, id)?.median));
    parts.reduce(|shared, derived| shared + derived)
}

/// All bytes that a client has at the worst step.
fn memory(contender: &Contender) -> Option<Spread> {
    let derived = worst(contender, DERIVED).map(|found| Spread::from(found.measured));
    let shared = worst(contender, SHARED).map(|found| Spread::from(found.measured));
    let sum = match (derived, shared) {
        (Some(a), Some(b)) => {
            Spread { median: a.median + b.median, low: a.low + b.low, high: a.high + b.high }
        }
        (one, other) => one.or(other)?,
    };
    (sum.median > 0.0).then_some(sum)
}

fn update<'a>(subject: &Subject<'a>, contender: &Contender) -> Option<&'a UpdateTime> {
    subject.timings?.updates.iter().find(|time| time.contender == contender.name)
}

fn spread(rounds: &Rounds) -> Option<Spread> {
    let range = rounds.range();
    let is_time = |time: &f64| time.is_finite() && *time >= 0.0;
    let [median, low, high] = range.map(|time| time.max(TIME_MIN));
    range.iter().all(is_time).then_some(Spread { median, low, high })
}

/// The columns that somebody has a figure for.
fn panels(subject: &Subject) -> Vec<&'static Panel> {
    let has = |panel: &&Panel| {
        subject.results.contenders.iter().any(|one| (panel.value)(subject, one).is_some())
    };
    [&MEMORY, &BUILD, &APPLY].into_iter().filter(has).collect()
}

// ---- picture ---------------------------------------------------------------------------------

fn scene(subject: &Subject, panels: &[&Panel], growth: &[growth::Fleet]) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let mut top = 0.0;
    let mut panels = panels.to_vec();
    if !growth.is_empty() {
        panels.retain(|panel| panel.title != MEMORY.title);
        top = growth::draw(&mut scene, subject, growth, top);
    }
    if !panels.is_empty() {
        top = columns(&mut scene, subject, &panels, top);
    }
    scene.height = top;
    scene
}

fn columns(scene: &mut Scene, subject: &Subject, panels: &[&Panel], top: f64) -> f64 {
    let mut items = Vec::new();
    if panels.iter().any(|panel| panel.title == MEMORY.title) {
        items.push((Swatch::Tick, "of it what all clients share"));
    }
    if subject.timings.is_some() {
        items.push((Swatch::Whisker, "least and largest round"));
    }
    let head = if items.is_empty() { top } else { legend(scene, top, &items) } + 24.0;
    let rows: Vec<(usize, &Contender)> = drawn(subject).collect();
    let bottom = head + 4.0 + ROW * rows.len() as f64;
    let middle = |row: usize| head + 4.0 + ROW * (row as f64 + 0.5);
    for (row, &contender) in rows.iter().enumerate() {
        row_name(scene, subject, contender, (0.0, middle(row)), NAMES);
        scene.line(vec![(0.0, middle(row) + 12.0), (WIDTH, middle(row) + 12.0)], GRID, 1.0);
    }
    let width = (WIDTH - NAMES) / panels.len() as f64;
    for (column, panel) in panels.iter().enumerate() {
        let left = NAMES + width * column as f64;
        let scale =
            Scale::logarithmic(extent(subject, panel, &rows), (left, left + width - FIGURE));
        let title = fit(panel.title, SMALL, width - 6.0);
        scene.text((left, head - 8.0), &title, SMALL, Anchor::Start, INK);
        let (ticks, _) = scale.ticks((width / 60.0) as usize);
        let ticks = ticks.into_iter().map(|tick| (scale.at(tick), (panel.tick)(tick)));
        lines_down(scene, ticks, (head, bottom));
        for (row, &(index, contender)) in rows.iter().enumerate() {
            let Some(value) = (panel.value)(subject, contender) else {
                scene.note((left + 4.0, middle(row) + 4.0), NONE, Anchor::Start);
                continue;
            };
            let shared = worst(contender, SHARED).map(|found| found.measured.median);
            let shared = shared.filter(|_| panel.title == MEMORY.title);
            mark(scene, &scale, subject.look(index), value, shared, middle(row));
            let end = scale.clamped(value.high).max(scale.clamped(value.median)) + 8.0;
            let text = (panel.print)(value.median);
            scene.text((end, middle(row) + 4.0), &text, SMALL, Anchor::Start, INK);
        }
    }
    bottom + 26.0
}

/// The stretch of a column: everything that it shows, with some room.
fn extent(subject: &Subject, panel: &Panel, rows: &[(usize, &Contender)]) -> (f64, f64) {
    let values = rows.iter().filter_map(|(_, one)| (panel.value)(subject, one));
    let mut all: Vec<f64> = values.flat_map(|value| [value.low, value.high]).collect();
    if panel.title == MEMORY.title {
        let shared = rows.iter().filter_map(|(_, one)| Some(worst(one, SHARED)?.measured.median));
        all.extend(shared);
    }
    all.retain(|value| *value > 0.0);
    let (low, high) = scale::extent(all.into_iter());
    (low / 2.0, high * 1.2)
}

/// A mark, not a bar: a logarithmic axis has no zero from which a bar could begin.
fn mark(
    scene: &mut Scene,
    scale: &Scale,
    look: Look,
    value: Spread,
    shared: Option<f64>,
    middle: f64,
) {
    let x = scale.clamped(value.median);
    if let Some(shared) = shared.filter(|shared| *shared > 0.0) {
        let at = scale.clamped(shared);
        scene.line(vec![(at, middle), (x, middle)], look.colour.thin(0.5), 1.2);
        scene.line(vec![(at, middle - 6.0), (at, middle + 6.0)], INK, 1.6);
    }
    let (low, high) = (scale.clamped(value.low), scale.clamped(value.high));
    if high - low > 1.0 {
        scene.whisker((low, middle), (high, middle), 3.0, QUIET);
    }
    scene.marker((x, middle), look, 3.8);
}

fn table(subject: &Subject, growth: &[growth::Fleet]) -> Table {
    let columns = vec![
        Column::words("contender"),
        Column::figures("memory shared", "all clients alike, worst step"),
        Column::figures("memory derived", "each client, worst step"),
        Column::figures("build", "median, least–largest, A/A spread"),
        Column::figures("first change", "median, least–largest, A/A spread"),
    ];
    let held = |contender: &Contender, id: &str| {
        worst(contender, id).map_or(Cell::none(), |found| {
            let cell = Cell::new(bytes(found.measured.median));
            let range = number::interval(found.measured, bytes);
            if found.measured.low < found.measured.high { cell.with_note(range) } else { cell }
        })
    };
    let timed = |rounds: Option<&Rounds>| {
        rounds.map_or(Cell::none(), |rounds| {
            let range = number::range(rounds.least, rounds.largest, microseconds);
            let note = format!("{range}, {}", number::aa_spread(rounds));
            Cell::new(microseconds(rounds.median)).with_note(note)
        })
    };
    let row = |(index, contender): (usize, &Contender)| {
        let time = update(subject, contender);
        let cells = vec![
            Cell::new(subject.name(contender)),
            held(contender, SHARED),
            held(contender, DERIVED),
            timed(time.map(|time| &time.build_us)),
            timed(time.and_then(|time| time.apply_us.as_ref())),
        ];
        Row { look: Some(subject.look(index)), cells }
    };
    let mut rows: Vec<Row> = subject.results.contenders.iter().enumerate().map(row).collect();
    rows.extend(growth::rows(subject, growth, columns.len()));
    Table::capped(columns, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_on_axes_are_round() {
        let printed = [1.0, 100.0, 1e3, 1e5, 1e6, 1e13].map(plain_bytes);
        assert_eq!(printed, ["1 B", "100 B", "1 kB", "100 kB", "1 MB", "10 TB"]);
    }
}
