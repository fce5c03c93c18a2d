//! How long the moves of an event take, by the node that has to receive or send most.

use placelab_results::{Contender, Measure};

use super::Chart;
use super::frame::{self, Bar, Swatch, WIDTH, bar, drawn, grid_down, left_out, legend, row_name};
use crate::font::fit;
use crate::number::{self, decimal, duration, percent, span_unit};
use crate::palette::{GRID, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, Scene};
use crate::subject::{Spread, Subject, figure, steps};
use crate::table::{Cell, Column, Row, Table};
use crate::text::list_up_to;

const NAMES: f64 = 190.0;
const ROW: f64 = 36.0;
/// From the middle of a row to that of its bars.
const OFF_MIDDLE: f64 = 8.0;
/// Room at the right of a bar for its number.
const FIGURE: f64 = 124.0;
/// A bar of the middle contender is at least this part of the longest one; longer ones are cut.
const MIDDLE_PART: f64 = 0.25;
/// Bits a second that a node can receive, and can send at the same time.
const BANDWIDTHS: [(f64, &str); 2] = [(1e9, "1 Gbit/s"), (1e10, "10 Gbit/s")];
/// Bytes of all keys where keys have none of their own.
const TERABYTE: f64 = 1e12;
/// Verbs of events at which nodes go without sending what they had.
const FAILURES: [&str; 2] = ["fail", "zone_fail"];
/// Contenders that the finding names.
const NAMES_MAX: usize = 8;

/// The chart, where keys move and the largest part of a node is known.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let data = Data::of(subject);
    subject.results.contenders.iter().find_map(|one| data.slowest(subject, one))?;
    Some(Chart {
        name: "transfer",
        title: "How long the slowest event takes",
        reading: format!(
            "{}: the nodes that receive and send most at the slowest event, medians over the \
             seeds.",
            data.words()
        ),
        finding: finding(subject, data),
        scene: scene(subject, data),
        table: table(subject, data),
    })
}

/// What is moved.
#[derive(Clone, Copy)]
struct Data {
    bytes: f64,
    /// By what keys are counted: by keys all have one size.
    measure: Measure,
}

impl Data {
    fn of(subject: &Subject) -> Self {
        match subject.results.keys.bytes {
            Some(bytes) => Data { bytes: bytes as f64, measure: Measure::Bytes },
            None => Data { bytes: TERABYTE, measure: Measure::Keys },
        }
    }

    fn words(self) -> String {
        match self.measure {
            Measure::Bytes => format!("{} in all", number::bytes(self.bytes)),
            _ => "1 TB in keys of one size".into(),
        }
    }

    /// Seconds for a part of all data.
    fn seconds(self, part: f64, (bits, _): (f64, &str)) -> f64 {
        8.0 * self.bytes * part / bits
    }

    fn events(self, subject: &Subject, contender: &Contender) -> Vec<Event> {
        let ids = ["movement.max_in", "movement.max_out"].map(|id| self.measure.id(id));
        let events = steps(contender).filter(|(_, step, _)| *step > 0).filter_map(
            |(timeline, step, taken)| {
                let mut parts = ids.each_ref().map(|id| figure(taken, id).map(Spread::from));
                if fails(subject, timeline, step) {
                    parts[1] = None;
                }
                let known = parts.iter().flatten().all(|part| (0.0..=1.0).contains(&part.median));
                let event = Event { timeline, step, parts };
                (known && parts.iter().flatten().next().is_some()).then_some(event)
            },
        );
        events.collect()
    }

    /// The event with the largest part of a node, the first of several.
    fn slowest(self, subject: &Subject, contender: &Contender) -> Option<Event> {
        let events = self.events(subject, contender).into_iter();
        events.reduce(|a, b| if b.largest() > a.largest() { b } else { a })
    }
}

/// Whether nodes fail at a step: they send nothing, so that who sends most is not known.
fn fails(subject: &Subject, timeline: usize, step: usize) -> bool {
    let planned = subject.results.plan.get(timeline).and_then(|one| one.steps.get(step));
    planned.is_some_and(|step| FAILURES.contains(&step.verb.as_str()))
}

/// What the busiest nodes have to do at an event.
#[derive(Clone, Copy)]
struct Event {
    timeline: usize,
    step: usize,
    /// Largest part of all data that enters a node, and that leaves one.
    parts: [Option<Spread>; 2],
}

impl Event {
    fn largest(&self) -> f64 {
        self.parts.iter().flatten().map(|part| part.median).fold(0.0, f64::max)
    }

    /// Which way the largest part goes.
    fn way(&self) -> &'static str {
        match self.parts {
            [Some(into), Some(out)] if out.median > into.median => "out of one node",
            [None, Some(_)] => "out of one node",
            _ => "into one node",
        }
    }
}

// ---- picture ---------------------------------------------------------------------------------

fn scene(subject: &Subject, data: Data) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let rows: Vec<(usize, &Contender)> = drawn(subject).collect();
    let slowest = rows.iter().filter_map(|(_, one)| data.slowest(subject, one));
    let parts: Vec<Spread> = slowest.flat_map(|event| event.parts.into_iter().flatten()).collect();
    let most = frame::reach(parts.iter().map(|part| part.high), MIDDLE_PART).max(1e-9);
    let mut items = vec![
        (Swatch::Fill(QUIET), "into the node that receives most"),
        (Swatch::Hatch(QUIET), "out of the node that sends most"),
    ];
    let whisker = format!("5–95 % of {} seeds", subject.results.seeds);
    if subject.has_intervals() {
        items.push((Swatch::Whisker, &whisker));
    }
    if parts.iter().any(|part| part.median > most) {
        items.push((Swatch::Cut(QUIET), "longer than drawn"));
    }
    let top = legend(&mut scene, 0.0, &items) + 36.0;
    let bottom = top + ROW * rows.len() as f64;
    let ends = (NAMES, WIDTH - FIGURE);
    axes(&mut scene, data, most, ends, (top, bottom));
    let scale = Scale::linear((0.0, most), ends);
    for (row, &(index, contender)) in rows.iter().enumerate() {
        let middle = top + ROW * (row as f64 + 0.5);
        if row > 0 {
            let y = middle - ROW / 2.0;
            scene.line(vec![(0.0, y), (WIDTH, y)], GRID, 1.0);
        }
        let Some(event) = data.slowest(subject, contender) else {
            row_name(&mut scene, subject, (index, contender), (0.0, middle), NAMES - 8.0);
            scene.note((NAMES + 6.0, middle + 4.0), "no event", Anchor::Start);
            continue;
        };
        row_name(&mut scene, subject, (index, contender), (0.0, middle - 6.0), NAMES - 8.0);
        let name = fit(&subject.step_name(event.timeline, event.step), 10.0, NAMES - 23.0);
        scene.text((15.0, middle + 12.0), &name, 10.0, Anchor::Start, QUIET);
        let colour = subject.look(index).colour;
        for (place, part) in event.parts.into_iter().enumerate() {
            let Some(part) = part else { continue };
            let y = if place == 0 { middle - OFF_MIDDLE } else { middle + OFF_MIDDLE };
            let interval = subject.has_intervals().then_some((part.low, part.high));
            let text = both(data, part.median);
            let is_hatched = place == 1;
            let own = Bar { value: part.median, interval, is_hatched, mark: None, text };
            bar(&mut scene, &scale, y, colour, &own);
        }
    }
    scene.height = bottom + 40.0;
    scene
}

/// The times of a part at both bandwidths: `44.4 min or 4.4 min`.
fn both(data: Data, part: f64) -> String {
    BANDWIDTHS.map(|bandwidth| duration(data.seconds(part, bandwidth))).join(" or ")
}

/// Draws an axis for each bandwidth: the first below, the second above.
fn axes(
    scene: &mut Scene,
    data: Data,
    most: f64,
    (left, right): (f64, f64),
    (top, bottom): (f64, f64),
) {
    for (place, bandwidth) in BANDWIDTHS.into_iter().enumerate() {
        let seconds = data.seconds(most, bandwidth);
        let (size, unit) = span_unit(seconds);
        let scale = Scale::linear((0.0, seconds / size), (left, right));
        let title = format!("{unit} at {}", bandwidth.1);
        if place == 0 {
            grid_down(scene, &scale, (top, bottom), 6, decimal);
            scene.note((right + 14.0, bottom + 15.0), &title, Anchor::Start);
            continue;
        }
        let (ticks, decimals) = scale.ticks(6);
        for tick in ticks {
            let x = scale.at(tick);
            scene.line(vec![(x, top - 4.0), (x, top)], QUIET, 1.0);
            scene.note((x, top - 8.0), &decimal(tick, decimals), Anchor::Middle);
        }
        scene.axis((left, top), (right, top));
        scene.note((right + 14.0, top - 8.0), &title, Anchor::Start);
    }
    scene.axis((left, top), (left, bottom));
    scene.axis((left, bottom), (right, bottom));
}

// ---- words -----------------------------------------------------------------------------------

fn finding(subject: &Subject, data: Data) -> String {
    let slowest = subject.results.contenders.iter();
    let mut slowest: Vec<(&Contender, Event)> =
        slowest.filter_map(|one| Some((one, data.slowest(subject, one)?))).collect();
    slowest.sort_by(|a, b| b.1.largest().total_cmp(&a.1.largest()));
    let one = |(contender, event): &(&Contender, Event)| {
        let [slow, fast] = BANDWIDTHS.map(|width| duration(data.seconds(event.largest(), width)));
        format!(
            "{} {slow} or {fast} ({} {} at {})",
            subject.name(contender),
            percent(event.largest()),
            event.way(),
            subject.step_name(event.timeline, event.step)
        )
    };
    let said: Vec<String> = slowest.iter().map(one).collect();
    let what = match data.measure {
        Measure::Bytes => format!("Of {} in all", number::bytes(data.bytes)),
        _ => "Keys have no bytes here; for each TB of data".into(),
    };
    let steps = subject.results.plan.iter().flat_map(|timeline| &timeline.steps);
    let mut verbs = steps.map(|step| step.verb.as_str());
    let failures = match verbs.any(|verb| FAILURES.contains(&verb)) {
        true => " A node that fails sends nothing: of failures only what enters a node counts.",
        false => "",
    };
    let copies = match subject.results.replicas {
        0 | 1 => "",
        _ => " Owners alone: copies behind them come on top.",
    };
    format!(
        "{what} the slowest event takes, at {} or {} a node: {}. That is the least it can take: \
         the busiest node does nothing else, and nobody waits for the other \
         end.{failures}{copies}{}",
        BANDWIDTHS[0].1,
        BANDWIDTHS[1].1,
        list_up_to(&said, NAMES_MAX),
        left_out(subject)
    )
}

fn table(subject: &Subject, data: Data) -> Table {
    let mut columns = vec![
        Column::words("step"),
        Column::words("contender"),
        Column::figures("into one node", "largest part of all data"),
        Column::figures("out of one node", "largest part of all data"),
    ];
    columns.extend(BANDWIDTHS.map(|(_, name)| Column::figures("time", format!("at {name}"))));
    let mut rows = Vec::new();
    for (index, contender) in subject.results.contenders.iter().enumerate() {
        for event in data.events(subject, contender) {
            let mut cells = vec![
                Cell::new(subject.step_name(event.timeline, event.step)),
                Cell::new(subject.name(contender)),
            ];
            cells.extend(event.parts.map(|part| {
                match part {
                    Some(part) if part.low < part.high => Cell::new(percent(part.median))
                        .with_note(number::range(part.low, part.high, percent)),
                    Some(part) => Cell::new(percent(part.median)),
                    None => Cell::none(),
                }
            }));
            let time = |width| Cell::new(duration(data.seconds(event.largest(), width)));
            cells.extend(BANDWIDTHS.map(time));
            rows.push(Row { look: Some(subject.look(index)), cells });
        }
    }
    Table::capped(columns, rows)
}
