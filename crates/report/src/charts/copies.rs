//! The copies that a step makes: behind owners that stay, as a set and by rank.

mod words;

use placelab_results::{Contender, Step};

use super::Chart;
use super::frame::{Bar, Swatch, TIMELINES_MAX, WIDTH, bar, drawn, legend, row_name, sample};
use crate::font::fit;
use crate::number::{self, NONE, percent};
use crate::palette::{GRID, INK, Look, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, SMALL, Scene};
use crate::subject::{Subject, figure};
use crate::table::{Cell, Column, Row, Table};
use crate::text::{list, plural};

/// Keys whose owner changed.
const MOVED: &str = "movement.moved";
/// Keys whose owner stays although the set of their copies changes.
const BEHIND: &str = "replica.behind_owner";
/// Copies made, whatever their order.
const AS_A_SET: &str = "replica.changed";
/// Copies made where each rank is a thing of its own.
const BY_RANK: &str = "replica.changed_ordered";

const NAMES: f64 = 176.0;
const ROW: f64 = 34.0;
/// From the middle of a row to that of its bars.
const OFF_MIDDLE: f64 = 7.0;
/// Room at the right of a bar for its number.
const FIGURE: f64 = 58.0;
const PANEL: f64 = (WIDTH - NAMES) / 2.0;

/// One panel: a plain bar and a hatched one of each contender.
struct Panel {
    title: &'static str,
    bars: [(&'static str, &'static str); 2],
}

const PANELS: [Panel; 2] = [
    Panel {
        title: "of all keys",
        bars: [(MOVED, "the owner changes"), (BEHIND, "the owner stays, a copy behind it is new")],
    },
    Panel {
        title: "of all copies",
        bars: [(AS_A_SET, "made, as a set"), (BY_RANK, "made, by rank (erasure coding)")],
    },
];

/// Timeline and step.
type At = (usize, usize);

/// The chart, where keys have copies and something happens.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let shown = shown(subject);
    if !subject.has_copies() || shown.is_empty() {
        return None;
    }
    let unit = if subject.has_intervals() { "medians over the seeds" } else { "seed 0" };
    let copies = number::count(subject.results.replicas.into());
    Some(Chart {
        name: "copies",
        title: "Copies made by a step, and what owners tell of them",
        reading: format!(
            "{copies} copies of each key, the first is its owner; {unit}; of each timeline the \
             step that makes most copies."
        ),
        finding: words::finding(subject, &shown),
        scene: scene(subject, &shown),
        table: table(subject),
    })
}

/// The step of each timeline that is shown: where the middle one of the contenders makes most
/// copies. One step for all of them keeps them comparable, and its intervals are those of the
/// seeds, which a mean over steps would not have.
fn shown(subject: &Subject) -> Vec<At> {
    let timelines = subject.results.plan.iter().enumerate();
    let busiest = timelines.filter_map(|(timeline, planned)| {
        let mut most: Option<(f64, At)> = None;
        for step in 1..planned.steps.len() {
            let at = (timeline, step);
            let Some(made) = middle_of_rivals(subject, at) else { continue };
            if most.is_none_or(|(most, _)| made > most) {
                most = Some((made, at));
            }
        }
        most.map(|(_, at)| at)
    });
    busiest.take(TIMELINES_MAX).collect()
}

/// Copies that the middle one of the rivals makes in a step; of everybody where no rival took it.
fn middle_of_rivals(subject: &Subject, at: At) -> Option<f64> {
    let middle = |wanted: &dyn Fn(&Contender) -> bool| {
        let those = subject.results.contenders.iter().filter(|contender| wanted(contender));
        let mut made: Vec<f64> = those
            .filter_map(|contender| Some(figure(taken(contender, at)?, AS_A_SET)?.median))
            .collect();
        made.sort_by(f64::total_cmp);
        made.get(made.len() / 2).copied()
    };
    middle(&Contender::is_rival).or_else(|| middle(&|_| true))
}

fn taken(contender: &Contender, (timeline, step): At) -> Option<&Step> {
    contender.timelines.get(timeline)?.steps.get(step)
}

/// Every figure of the picture at a step.
fn figures(contender: &Contender, at: At) -> impl Iterator<Item = &placelab_results::Measured> {
    let ids = PANELS.iter().flat_map(|panel| panel.bars.iter().map(|(id, _)| *id));
    ids.filter_map(move |id| figure(taken(contender, at)?, id))
}

// ---- picture ---------------------------------------------------------------------------------

/// The fraction at which bars end: those of canaries and exhibits are cut where they would leave
/// the contenders no room.
fn reach(subject: &Subject, at: At) -> f64 {
    let (mut rivals, mut others) = (0.0f64, 0.0f64);
    for (_, contender) in drawn(subject) {
        let most = if contender.is_rival() { &mut rivals } else { &mut others };
        *most = figures(contender, at).map(|measured| measured.high).fold(*most, f64::max);
    }
    if others > 2.0 * rivals && rivals > 0.0 { 1.25 * rivals } else { rivals.max(others) }
}

fn scene(subject: &Subject, shown: &[At]) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let mut items = Vec::new();
    let interval = format!("5–95 % of {}", plural(subject.results.seeds.into(), "seed", "seeds"));
    if subject.has_intervals() {
        items.push((Swatch::Whisker, interval.as_str()));
    }
    let is_cut = |at: At| {
        let most = reach(subject, at);
        drawn(subject).any(|(_, one)| figures(one, at).any(|measured| measured.median > most))
    };
    if shown.iter().any(|at| is_cut(*at)) {
        items.push((Swatch::Cut(QUIET), "longer than drawn"));
    }
    let mut top = if items.is_empty() { 0.0 } else { legend(&mut scene, 0.0, &items) };
    for &at in shown {
        top = block(&mut scene, subject, at, top);
    }
    scene.height = top;
    scene
}

/// Draws one step; gives the y below it.
fn block(scene: &mut Scene, subject: &Subject, at: At, top: f64) -> f64 {
    let heading = fit(&format!("At {}", subject.step_name(at.0, at.1)), 13.0, WIDTH);
    scene.text((0.0, top + 18.0), &heading, 13.0, Anchor::Start, INK);
    let head = top + 74.0;
    let rows: Vec<(usize, &Contender)> = drawn(subject).collect();
    let bottom = head + 4.0 + ROW * rows.len() as f64;
    let middle = |row: usize| head + 4.0 + ROW * (row as f64 + 0.5);
    for (row, &contender) in rows.iter().enumerate() {
        row_name(scene, subject, contender, (0.0, middle(row)), NAMES);
        if row > 0 {
            let y = middle(row) - ROW / 2.0;
            scene.line(vec![(0.0, y), (WIDTH, y)], GRID, 1.0);
        }
    }
    let domain = (0.0, reach(subject, at).max(1e-6));
    for (column, panel) in PANELS.iter().enumerate() {
        let left = NAMES + PANEL * column as f64;
        // Both panels have one scale, so that their bars compare.
        let scale = Scale::linear(domain, (left, left + PANEL - FIGURE - 10.0));
        scene.text((left, top + 36.0), panel.title, SMALL, Anchor::Start, INK);
        sample(scene, Swatch::Fill(QUIET), (left, top + 52.0), panel.bars[0].1);
        sample(scene, Swatch::Hatch(QUIET), (left, top + 68.0), panel.bars[1].1);
        scene.axis((left, head), (left, bottom));
        for (row, &(index, contender)) in rows.iter().enumerate() {
            match taken(contender, at) {
                Some(step) => {
                    pair(scene, subject, (step, subject.look(index)), panel, &scale, middle(row));
                }
                None => absent(scene, contender, at, (left, middle(row))),
            }
        }
    }
    bottom + 14.0
}

/// Draws the plain bar above the hatched one.
fn pair(
    scene: &mut Scene,
    subject: &Subject,
    (step, look): (&Step, Look),
    panel: &Panel,
    scale: &Scale,
    middle: f64,
) {
    for (place, (id, _)) in panel.bars.iter().enumerate() {
        let y = if place == 0 { middle - OFF_MIDDLE } else { middle + OFF_MIDDLE };
        let Some(measured) = figure(step, id) else {
            scene.note((scale.at(0.0) + 6.0, y + 4.0), NONE, Anchor::Start);
            continue;
        };
        let text = percent(measured.median);
        let interval = subject.has_intervals().then_some((measured.low, measured.high));
        let drawn =
            Bar { value: measured.median, interval, is_hatched: place == 1, mark: None, text };
        bar(scene, scale, y, look.colour, &drawn);
    }
}

/// Says why a contender has no bars.
fn absent(scene: &mut Scene, contender: &Contender, (timeline, step): At, (x, middle): (f64, f64)) {
    let refusal = contender.timelines.get(timeline).and_then(|done| done.refusal.as_ref());
    let text = match refusal.map(|refusal| refusal.step) {
        Some(at) if at == step => "× refused",
        Some(at) if at < step => "× refused before",
        _ => NONE,
    };
    scene.note((x + 6.0, middle + 4.0), text, Anchor::Start);
}

// ---- table -----------------------------------------------------------------------------------

fn table(subject: &Subject) -> Table {
    let columns = vec![
        Column::words("step"),
        Column::words("contender"),
        Column::figures("owner changes", "of all keys"),
        Column::figures("owner stays, a copy is new", "of all keys"),
        Column::figures("copies made", "as a set, of all copies"),
        Column::figures("copies made", "by rank, of all copies"),
    ];
    let mut rows: Vec<Row> = Vec::new();
    for (timeline, planned) in subject.results.plan.iter().enumerate() {
        for step in 1..planned.steps.len() {
            for (place, contender) in subject.results.contenders.iter().enumerate() {
                let at = (timeline, step);
                let name = Cell::new(subject.step_name(timeline, step));
                let mut cells = vec![name, Cell::new(subject.name(contender))];
                cells.extend(
                    [MOVED, BEHIND, AS_A_SET, BY_RANK].map(|id| cell(subject, contender, at, id)),
                );
                refuse(&mut cells, contender, at);
                rows.push(Row { look: Some(subject.look(place)), cells });
            }
        }
    }
    Table::capped(columns, rows)
}

fn cell(subject: &Subject, contender: &Contender, at: At, id: &str) -> Cell {
    match taken(contender, at).and_then(|step| figure(step, id)) {
        Some(measured) if subject.has_intervals() => {
            Cell::new(percent(measured.median)).with_note(number::interval(measured, percent))
        }
        Some(measured) => Cell::new(percent(measured.median)),
        None => Cell::none(),
    }
}

/// Writes a refusal in the place of the first figure.
fn refuse(cells: &mut [Cell], contender: &Contender, (timeline, step): At) {
    let done = contender.timelines.get(timeline).and_then(|done| done.refusal.as_ref());
    if let Some(refusal) = done.filter(|refusal| refusal.step <= step) {
        cells[2] = Cell::new("refused").with_note(list(&[&refusal.reason]));
    }
}
