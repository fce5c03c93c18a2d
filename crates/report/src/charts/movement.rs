//! What each step moved, with and without a reason, beside the least that had to move.

use placelab_results::{Contender, Timeline};

use super::Chart;
use super::frame::{Swatch, TIMELINES_MAX, WIDTH, drawn, left_out, legend, row_name, short};
use crate::font::fit;
use crate::number::{self, NONE, percent};
use crate::palette::{GRID, INK, Look, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, SMALL, Scene, TEXT};
use crate::subject::{Subject, figure, least, steps};
use crate::table::{Cell, Column, Row, Table};
use crate::text::{list, list_up_to};

/// Steps side by side in a block; further ones go below.
const STEPS_ABREAST: usize = 6;
/// Steps of a timeline that the picture has room for.
const STEPS_MAX: usize = 24;
const NAMES: f64 = 165.0;
const ROW: f64 = 22.0;
/// Room at the right of a bar for its number.
const FIGURE: f64 = 52.0;

/// The chart, where something happens.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    if subject.results.contenders.is_empty() {
        return None;
    }
    subject.results.plan.iter().find(|timeline| timeline.steps.len() > 1)?;
    let unit = if subject.has_intervals() { "medians over the seeds" } else { "seed 0" };
    Some(Chart {
        name: "movement",
        title: "Keys moved by each step",
        reading: format!(
            "Fraction of all keys, {unit}; the upright stroke is the least that exact \
             shares need."
        ),
        finding: finding(subject),
        scene: scene(subject),
        table: table(subject),
    })
}

/// The fraction at which bars of a timeline end. A canary or an exhibit that moves nearly
/// everything would leave the contenders no room: its bars are cut.
fn reach(subject: &Subject, timeline: usize) -> f64 {
    let (mut rivals, mut others) = (0.0f64, 0.0f64);
    for contender in &subject.results.contenders {
        let most = if contender.is_rival() { &mut rivals } else { &mut others };
        for (index, step, taken) in steps(contender) {
            if let Some(moved) = figure(taken, "movement.moved")
                && index == timeline
                && step > 0
            {
                *most = most.max(moved.high);
            }
        }
    }
    let planned = subject.results.plan[timeline].steps.iter().skip(1).map(|step| step.minimum);
    let least = planned.filter(|value| value.is_finite()).fold(0.0, f64::max);
    let rivals = rivals.max(least);
    if others > 2.0 * rivals && rivals > 0.0 { 1.25 * rivals } else { rivals.max(others) }
}

/// Whether some bar of a timeline is cut.
fn cuts(subject: &Subject, timeline: usize) -> bool {
    let most = reach(subject, timeline);
    drawn(subject).any(|(_, contender)| {
        steps(contender).any(|(index, step, taken)| {
            let moved = figure(taken, "movement.moved").map_or(0.0, |moved| moved.median);
            index == timeline && step > 0 && moved > most
        })
    })
}

fn scene(subject: &Subject) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let mut items = vec![
        (Swatch::Fill(QUIET), "moved with a reason"),
        (Swatch::Hatch(QUIET), "moved without a reason (sideways)"),
        (Swatch::Tick, "least"),
    ];
    let interval = format!("5–95 % of {} seeds", subject.results.seeds);
    if subject.has_intervals() {
        items.push((Swatch::Whisker, &interval));
    }
    if (0..subject.results.plan.len()).any(|timeline| cuts(subject, timeline)) {
        items.push((Swatch::Cut(QUIET), "longer than drawn"));
    }
    let mut top = legend(&mut scene, 0.0, &items);
    let timelines = subject.results.plan.iter().enumerate();
    for (index, timeline) in
        timelines.filter(|(_, timeline)| timeline.steps.len() > 1).take(TIMELINES_MAX)
    {
        top += 12.0;
        if subject.results.plan.len() > 1 {
            top += 14.0;
            scene.text((0.0, top), &fit(&timeline.name, 13.0, WIDTH), 13.0, Anchor::Start, INK);
            top += 4.0;
        }
        let last = timeline.steps.len().min(STEPS_MAX + 1);
        let all: Vec<usize> = (1..last).collect();
        for block in all.chunks(STEPS_ABREAST) {
            top = self::block(&mut scene, subject, index, block, top);
        }
        if timeline.steps.len() > STEPS_MAX + 1 {
            let more = timeline.steps.len() - 1 - STEPS_MAX;
            scene.note(
                (0.0, top + 12.0),
                &format!("{more} more steps: see the table"),
                Anchor::Start,
            );
            top += 18.0;
        }
    }
    scene.height = top + 4.0;
    scene
}

/// Draws some steps of a timeline side by side; gives the y below them.
fn block(scene: &mut Scene, subject: &Subject, timeline: usize, block: &[usize], top: f64) -> f64 {
    let head = top + 34.0;
    let planned = &subject.results.plan[timeline];
    let rows: Vec<(usize, &Contender)> = drawn(subject).collect();
    let bottom = head + 4.0 + ROW * rows.len() as f64;
    // All blocks of a timeline have columns of one width, so that bars compare.
    let abreast = (planned.steps.len() - 1).min(STEPS_ABREAST);
    let width = (WIDTH - NAMES) / abreast as f64;
    let room = width - 10.0 - FIGURE.min(width * 0.5);
    let domain = (0.0, reach(subject, timeline).max(1e-6));
    for (row, &contender) in rows.iter().enumerate() {
        let middle = head + 4.0 + ROW * (row as f64 + 0.5);
        row_name(scene, subject, contender, (0.0, middle), NAMES);
    }
    for (column, &step) in block.iter().enumerate() {
        let left = NAMES + width * column as f64;
        let scale = Scale::linear(domain, (left, left + room));
        heading(scene, planned, step, (left, top), width);
        scene.axis((left, head), (left, bottom));
        for (row, &(index, contender)) in rows.iter().enumerate() {
            let middle = head + 4.0 + ROW * (row as f64 + 0.5);
            if column == 0 && row > 0 {
                let y = middle - ROW / 2.0;
                scene.line(vec![(0.0, y), (WIDTH, y)], GRID, 1.0);
            }
            bar(scene, subject, (contender, subject.look(index)), (timeline, step), &scale, middle);
        }
        let at = scale.at(planned.steps[step].minimum);
        scene.line(vec![(at, head), (at, bottom)], INK, 1.6);
    }
    bottom + 6.0
}

fn heading(
    scene: &mut Scene,
    planned: &Timeline,
    step: usize,
    (left, top): (f64, f64),
    width: f64,
) {
    let (steps, planned) = (&planned.steps, &planned.steps[step]);
    let label = fit(short(steps, planned), TEXT, width - 8.0);
    scene.text((left, top + 14.0), &label, TEXT, Anchor::Start, INK);
    let below = format!("least {}", percent(planned.minimum));
    scene.note((left, top + 28.0), &fit(&below, SMALL, width - 8.0), Anchor::Start);
}

fn bar(
    scene: &mut Scene,
    subject: &Subject,
    (contender, look): (&Contender, Look),
    (timeline, step): (usize, usize),
    scale: &Scale,
    middle: f64,
) {
    let (upper, lower) = (middle - 6.5, middle + 6.5);
    let done = contender.timelines.get(timeline);
    let taken = done.and_then(|done| done.steps.get(step));
    let Some(moved) = taken.and_then(|step| figure(step, "movement.moved")) else {
        let refused = done.and_then(|done| done.refusal.as_ref()).map(|refusal| refusal.step);
        let text = match refused {
            Some(at) if at == step => "× refused",
            Some(at) if at < step => "×",
            _ => NONE,
        };
        let minimum = scale.at(subject.results.plan[timeline].steps[step].minimum);
        scene.note((minimum.max(scale.at(0.0)) + 6.0, middle + 4.0), text, Anchor::Start);
        return;
    };
    let part = |id: &str| taken.and_then(|step| figure(step, id)).map_or(0.0, |m| m.median);
    let (forced, sideways) = (part("movement.forced"), part("movement.sideways"));
    let (zero, between) = (scale.at(0.0), scale.clamped(forced));
    if forced > 0.0 {
        scene.rectangle((zero, upper), (between.max(zero + 1.0), lower), look.colour);
    }
    let mut end = scale.clamped(forced + sideways);
    if sideways > 0.0 {
        scene.hatched((between, upper), (end.max(between + 1.5), lower), look.colour);
    }
    if !scale.shows(forced + sideways) {
        scene.cut((end - 14.0, lower + 2.0), (end - 9.0, upper - 2.0));
    } else if subject.has_intervals() && moved.high > moved.low {
        let ends = (scale.clamped(moved.low), scale.clamped(moved.high));
        let cap = if ends.1 - ends.0 > 6.0 { 3.0 } else { 0.0 };
        scene.whisker((ends.0, middle), (ends.1, middle), cap, INK);
        end = end.max(ends.1);
    }
    // The stroke of the least movement is drawn last: the number keeps clear of it.
    let minimum = scale.at(subject.results.plan[timeline].steps[step].minimum);
    let at = if minimum > end - 3.0 && minimum < end + FIGURE { minimum.max(end) } else { end };
    scene.text((at + 6.0, middle + 4.0), &percent(moved.median), SMALL, Anchor::Start, INK);
}

// ---- words -----------------------------------------------------------------------------------

/// Sideways movement of a contender: the worst median, and whether any seed had some.
fn sideways(contender: &Contender) -> Option<(f64, f64)> {
    let figures = steps(contender)
        .filter(|(_, step, _)| *step > 0)
        .filter_map(|(_, _, step)| figure(step, "movement.sideways"));
    figures
        .map(|measured| (measured.median, measured.max))
        .reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)))
}

fn finding(subject: &Subject) -> String {
    let (mut never, mut some): (Vec<String>, Vec<(f64, String)>) = (Vec::new(), Vec::new());
    for contender in &subject.results.contenders {
        match sideways(contender) {
            Some((_, 0.0)) => never.push(subject.name(contender)),
            Some((median, _)) => {
                some.push((median, format!("{} {}", subject.name(contender), percent(median))));
            }
            None => {}
        }
    }
    some.sort_by(|a, b| b.0.total_cmp(&a.0));
    let some: Vec<String> = some.into_iter().map(|(_, text)| text).collect();
    let mut sentences = Vec::new();
    if !never.is_empty() {
        let who = if some.is_empty() { "No contender".into() } else { list_up_to(&never, 12) };
        let verb = if some.is_empty() || never.len() == 1 { "moves" } else { "move" };
        let what = if some.is_empty() { "a key" } else { "no key" };
        sentences.push(format!("{who} {verb} {what} without a reason, at any step or seed."));
    }
    if !some.is_empty() {
        sentences.push(format!("Sideways in the worst step (median): {}.", list_up_to(&some, 6)));
    }
    let needs: Vec<String> = subject
        .results
        .plan
        .iter()
        .enumerate()
        .filter(|(_, timeline)| timeline.steps.len() > 1)
        .map(|(index, timeline)| total(subject, index, timeline))
        .take(TIMELINES_MAX)
        .collect();
    sentences.push(needs.join(" "));
    sentences.join(" ") + &left_out(subject)
}

/// `Exact shares need 38.9 % moved over the steps of “slowly”; contenders moved 39.0–49.4 %.`
fn total(subject: &Subject, index: usize, timeline: &Timeline) -> String {
    let contenders = subject.results.contenders.iter().filter(|contender| contender.is_rival());
    let mut totals: Vec<f64> = contenders
        .filter_map(|contender| Some(subject.total(contender, index, "movement.moved")?.median))
        .collect();
    totals.sort_by(f64::total_cmp);
    let steps = if timeline.steps.len() == 2 { "step" } else { "steps" };
    let name = if subject.results.plan.len() > 1 {
        format!("the {steps} of “{}”", timeline.name)
    } else {
        format!("the {steps}")
    };
    let over = if timeline.steps.len() == 2 { "in" } else { "over" };
    let moved = match (totals.first(), totals.last()) {
        (Some(&least), Some(&most)) => {
            let apart =
                subject.others().map_or(String::new(), |others| format!("{others} apart, "));
            format!("; {apart}contenders moved {}", number::range(least, most, percent))
        }
        _ => String::new(),
    };
    format!("Exact shares need {} moved {over} {name}{moved}.", percent(least(timeline)))
}

fn table(subject: &Subject) -> Table {
    let columns = vec![
        Column::words("step"),
        Column::words("contender"),
        Column::figures("moved", "of all keys"),
        Column::figures("with a reason", ""),
        Column::figures("sideways", ""),
        Column::figures("exact shares need", ""),
        Column::figures("largest part entering a node", ""),
    ];
    let mut rows: Vec<Row> = Vec::new();
    for (index, timeline) in subject.results.plan.iter().enumerate() {
        for (at, planned) in timeline.steps.iter().enumerate().skip(1) {
            for (place, contender) in subject.results.contenders.iter().enumerate() {
                let mut cells = vec![
                    Cell::new(subject.step_name(index, at)),
                    Cell::new(subject.name(contender)),
                ];
                cells.extend(figures(subject, contender, (index, at)));
                cells.insert(5, Cell::new(percent(planned.minimum)));
                rows.push(Row { look: Some(subject.look(place)), cells });
            }
        }
    }
    Table::capped(columns, rows)
}

fn figures(subject: &Subject, contender: &Contender, (timeline, at): (usize, usize)) -> Vec<Cell> {
    let done = contender.timelines.get(timeline);
    let taken = done.and_then(|done| done.steps.get(at));
    let refusal = done.and_then(|done| done.refusal.as_ref()).filter(|refusal| refusal.step <= at);
    let ids = ["movement.moved", "movement.forced", "movement.sideways", "movement.max_in"];
    let cell = |id: &str| match taken.and_then(|step| figure(step, id)) {
        Some(measured) if subject.has_intervals() => {
            Cell::new(percent(measured.median)).with_note(number::interval(measured, percent))
        }
        Some(measured) => Cell::new(percent(measured.median)),
        None => Cell::none(),
    };
    let mut cells: Vec<Cell> = ids.into_iter().map(cell).collect();
    if let Some(refusal) = refusal {
        cells[0] = Cell::new("refused").with_note(list(&[&refusal.reason]));
    }
    cells
}
