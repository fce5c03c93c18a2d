//! Explicit tables beside the best hash: what a table that all clients hold buys, and what it
//! costs.

mod data;
mod words;

use placelab_results::{Contender, Step};

use super::Chart;
use super::frame::{self, Bar, DRAWN_MAX, Swatch, WIDTH, bar, legend, row_name};
use crate::font::fit;
use crate::number::{bytes, decimal, percent};
use crate::palette::{GRID, INK, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, SMALL, Scene};
use crate::subject::{Subject, figure, steps, worst};

/// Rows of the table; only contenders that have one have the figure.
const ROWS: &str = "table.rows";
const CHANGED: &str = "table.changed";
const TOGETHER: &str = "switch.together";
const ASTRAY: &str = "switch.astray";
const MOVED: &str = "movement.moved";
const EXCESS: &str = "movement.excess";
const SHARE_ERROR: &str = "share.error";
const SHARED_BYTES: &str = "memory.shared_bytes";
const ONE_ZONE: &str = "replica.zone_violations";

const NAMES: f64 = 176.0;
const ROW: f64 = 24.0;
/// Room at the right of a bar for its number.
const FIGURE: f64 = 56.0;
/// A bar of the middle contender is at least this part of the longest one; longer ones are cut.
const MIDDLE_PART: f64 = 0.2;

/// One bar of each contender: its worst figure over every step.
struct Panel {
    title: &'static str,
    id: &'static str,
    /// What turns the metric into what is drawn and printed.
    unit: fn(f64) -> f64,
    print: fn(f64) -> String,
}

const PANELS: [Panel; 4] = [
    Panel { title: "moves beyond the least", id: EXCESS, unit: beyond_luck, print: tenths },
    Panel {
        title: "share off its target",
        id: SHARE_ERROR,
        unit: |ppm| ppm * 1e-6,
        print: percent,
    },
    Panel { title: "bytes all clients hold", id: SHARED_BYTES, unit: |bytes| bytes, print: bytes },
    Panel { title: "keys astray at a time", id: ASTRAY, unit: |part| part, print: percent },
];

/// A fraction in whole tenths of a percent, below which the luck of the keys lies.
fn beyond_luck(fraction: f64) -> f64 {
    (fraction.max(0.0) * 1e3).round() / 1e3
}

/// The same in words.
fn tenths(fraction: f64) -> String {
    format!("{} %", decimal(100.0 * beyond_luck(fraction), 1))
}

/// Who stands in the chart: contenders with a table, then the best hash.
struct Compared<'a> {
    /// With their indices.
    tables: Vec<(usize, &'a Contender)>,
    hash: Option<(usize, &'a Contender)>,
}

impl<'a> Compared<'a> {
    fn new(subject: &Subject<'a>) -> Self {
        let rivals = subject.results.contenders.iter().enumerate();
        let rivals = rivals.filter(|(_, one)| one.is_rival() && !one.load_aware);
        let (tables, hashes): (Vec<_>, Vec<_>) =
            rivals.partition(|(_, one)| worst(one, ROWS).is_some());
        let complete = hashes.into_iter().filter(|(_, one)| is_complete(subject, one));
        let hash = complete.min_by(|(_, a), (_, b)| merit(a).total_cmp(&merit(b)));
        Compared { tables, hash }
    }

    fn all(&self) -> impl Iterator<Item = (usize, &'a Contender)> + Clone + '_ {
        self.tables.iter().chain(&self.hash).copied()
    }

    /// Those that a picture has room for.
    fn drawn(&self) -> impl Iterator<Item = (usize, &'a Contender)> + Clone + '_ {
        self.tables.iter().take(DRAWN_MAX - 1).chain(&self.hash).copied()
    }
}

/// Whether a contender took every step.
fn is_complete(subject: &Subject, contender: &Contender) -> bool {
    let planned = subject.results.plan.iter().map(|timeline| timeline.steps.len());
    let done = contender.timelines.iter().map(|done| done.steps.len());
    planned.eq(done)
}

/// What a hash is judged by: how much it moves beyond the least, and how far its fullest node is
/// above the fair load, at the worst; less is better.
fn merit(contender: &Contender) -> f64 {
    let moved = worst(contender, EXCESS).map_or(1.0, |found| found.measured.median.max(0.0));
    let load = worst(contender, "load.max_over_mean").map_or(1.0, |found| found.measured.median);
    moved + (load - 1.0)
}

/// The chart, where some contender has a table and something happens.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let compared = Compared::new(subject);
    let has_steps = subject.results.plan.iter().any(|timeline| timeline.steps.len() > 1);
    if compared.tables.is_empty() || !has_steps {
        return None;
    }
    Some(Chart {
        name: "tables",
        title: "Explicit tables beside the best hash",
        reading: "The best hash stands below the line; the worst median over every step.".into(),
        finding: words::finding(subject, &compared),
        scene: scene(subject, &compared),
        table: data::table(subject, &compared),
    })
}

/// A contender's worst figure, in the unit of its panel.
fn value(contender: &Contender, panel: &Panel) -> Option<f64> {
    Some((panel.unit)(worst(contender, panel.id)?.measured.median))
}

/// A median of a step.
fn median(step: &Step, id: &str) -> Option<f64> {
    Some(figure(step, id)?.median)
}

/// The median of a metric at a step that a contender took.
fn at(contender: &Contender, (timeline, step): (usize, usize), id: &str) -> Option<f64> {
    median(contender.timelines.get(timeline)?.steps.get(step)?, id)
}

/// The versions of a table: the first, and one for each step that changes a row, over every
/// timeline.
fn versions(contender: &Contender) -> u64 {
    let changes = steps(contender).filter(|(_, _, step)| median(step, CHANGED) > Some(0.0));
    1 + changes.count() as u64
}

// ---- picture ---------------------------------------------------------------------------------

fn scene(subject: &Subject, compared: &Compared) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let rows: Vec<(usize, &Contender)> = compared.drawn().collect();
    let is_cut = PANELS.iter().any(|panel| {
        let most = reach(&rows, panel);
        rows.iter().any(|(_, one)| value(one, panel) > Some(most))
    });
    let items: &[_] = if is_cut { &[(Swatch::Cut(QUIET), "longer than drawn")] } else { &[] };
    let head = if items.is_empty() { 0.0 } else { legend(&mut scene, 0.0, items) } + 24.0;
    let bottom = head + 4.0 + ROW * rows.len() as f64;
    let middle = |row: usize| head + 4.0 + ROW * (row as f64 + 0.5);
    for (row, &contender) in rows.iter().enumerate() {
        row_name(&mut scene, subject, contender, (0.0, middle(row)), NAMES);
        let is_hash = compared.hash.is_some_and(|(hash, _)| hash == contender.0);
        if is_hash {
            let y = middle(row) - ROW / 2.0;
            scene.line(vec![(0.0, y), (WIDTH, y)], GRID, 1.0);
        }
    }
    let width = (WIDTH - NAMES) / PANELS.len() as f64;
    for (column, panel) in PANELS.iter().enumerate() {
        let left = NAMES + width * column as f64;
        let ends = (left, left + width - FIGURE - 8.0);
        let scale = Scale::linear((0.0, reach(&rows, panel).max(1e-9)), ends);
        scene.text(
            (left, head - 8.0),
            &fit(panel.title, SMALL, width - 6.0),
            SMALL,
            Anchor::Start,
            INK,
        );
        scene.axis((left, head), (left, bottom));
        for (row, (index, contender)) in rows.iter().enumerate() {
            let Some(value) = value(contender, panel) else {
                scene.note((left + 6.0, middle(row) + 4.0), "not known", Anchor::Start);
                continue;
            };
            let text = (panel.print)(value);
            let drawn = Bar { value, interval: None, is_hatched: false, mark: None, text };
            bar(&mut scene, &scale, middle(row), subject.look(*index).colour, &drawn);
        }
    }
    scene.height = bottom + 10.0;
    scene
}

/// Where the bars of a panel end: longer ones are cut where they would leave the others no room.
fn reach(rows: &[(usize, &Contender)], panel: &Panel) -> f64 {
    frame::reach(rows.iter().filter_map(|(_, one)| value(one, panel)), MIDDLE_PART)
}
