//! Load of the fullest node over the course of events.

use placelab_results::{Chance, Contender};

use super::Chart;
use super::frame::{
    EndLabel, Swatch, TIMELINES_MAX, WIDTH, drawn, end_labels, grid_across, height_for, left_out,
    legend, step_names,
};
use crate::font::{fit, text_width};
use crate::number;
use crate::palette::{AXIS, BAND, INK, Look, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, Point, Scene};
use crate::standing::{Standing, all_of_it, named};
use crate::subject::{Found, Subject, figure, steps};
use crate::table::{Cell, Column, Table};

const ID: &str = "load.max_over_mean";
const LEFT: f64 = 52.0;
const NAMES: f64 = 168.0;
/// From the edges of a panel to its first and last step.
const INSET: f64 = 36.0;

/// The chart, where loads are known and something happens.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    subject.results.plan.iter().find(|timeline| timeline.steps.len() > 1)?;
    if !subject.has(ID) {
        return None;
    }
    Some(Chart {
        name: "peak",
        title: "Load of the fullest node over the events",
        reading: "Largest load ÷ fair load by keys, 1 is fair; the band is what pure chance gives."
            .into(),
        finding: finding(subject),
        scene: scene(subject),
        table: table(subject),
    })
}

/// The course of one contender in one timeline.
struct Course<'a> {
    contender: &'a Contender,
    look: Look,
    /// Step, median, low and high.
    points: Vec<(usize, f64, f64, f64)>,
    /// Whether it ended early.
    refused: bool,
}

impl Course<'_> {
    fn highest(&self) -> f64 {
        self.points.iter().map(|point| point.3).fold(0.0, f64::max)
    }

    fn lowest(&self) -> f64 {
        self.points.iter().map(|point| point.2).fold(f64::INFINITY, f64::min)
    }
}

fn courses<'a>(subject: &Subject<'a>, timeline: usize) -> Vec<Course<'a>> {
    let course = |(index, contender): (usize, &'a Contender)| {
        let done = contender.timelines.get(timeline)?;
        let points: Vec<_> = done
            .steps
            .iter()
            .enumerate()
            .filter_map(|(at, step)| {
                figure(step, ID).map(|peak| (at, peak.median, peak.low, peak.high))
            })
            .collect();
        let refused = done.refusal.is_some();
        let look = subject.look(index);
        (!points.is_empty()).then_some(Course { contender, look, points, refused })
    };
    drawn(subject).filter_map(course).collect()
}

/// What chance gives at each step, as far as it is known.
fn chances(subject: &Subject, timeline: usize) -> Vec<(usize, Chance)> {
    let steps = 0..subject.results.plan[timeline].steps.len();
    let at = |step: usize| {
        subject.results.contenders.iter().find_map(|contender| {
            let step = contender.timelines.get(timeline)?.steps.get(step)?;
            figure(step, ID)?.chance.filter(|c| c.low.is_finite() && c.high.is_finite())
        })
    };
    steps.filter_map(|step| Some((step, at(step)?))).collect()
}

/// A strip of the plane with its own stretch of loads.
struct Strip {
    top: f64,
    bottom: f64,
    domain: (f64, f64),
}

/// One strip, or two where some contenders lie so far above the others that one would flatten
/// them: the upper one for the far ones.
fn strips(courses: &[Course], chances: &[(usize, Chance)], top: f64) -> Vec<Strip> {
    let chance = chances.iter().map(|(_, chance)| chance.high).fold(1.0, f64::max);
    let floor = chances.iter().map(|(_, chance)| chance.low).fold(1.0, f64::min);
    let mut ends: Vec<(f64, f64)> =
        courses.iter().map(|course| (course.highest(), course.lowest())).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let floor = ends.iter().map(|end| end.1).fold(floor, f64::min);
    let mut near = chance;
    let mut near_count = 0;
    for &(highest, lowest) in &ends {
        if lowest - 1.0 > 3.0 * (near - 1.0) && near > 1.0 {
            break;
        }
        near = near.max(highest);
        near_count += 1;
    }
    let padded = |low: f64, high: f64| {
        let edge = 0.06 * (high - low).max(0.005);
        (low - edge, high + edge)
    };
    let domain = padded(floor.min(near), near);
    let far = &ends[near_count..];
    if far.is_empty() {
        return vec![Strip { top, bottom: top + height_for(near_count, 220.0), domain }];
    }
    let low = far.iter().map(|end| end.1).fold(f64::INFINITY, f64::min);
    let high = far.iter().map(|end| end.0).fold(0.0, f64::max);
    let cut = top + height_for(far.len(), 92.0);
    let below = cut + 16.0;
    vec![
        Strip { top, bottom: cut, domain: padded(low, high) },
        Strip { top: below, bottom: below + height_for(near_count, 150.0), domain },
    ]
}

fn scene(subject: &Subject) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let mut items = vec![(Swatch::Band, "pure chance, 5–95 %"), (Swatch::Dashed, "mean of chance")];
    let interval = format!("5–95 % of {} seeds", subject.results.seeds);
    if subject.has_intervals() {
        items.push((Swatch::Whisker, &interval));
    }
    let mut top = legend(&mut scene, 0.0, &items);
    let timelines = subject.results.plan.iter().enumerate();
    for (index, timeline) in timelines.take(TIMELINES_MAX) {
        let courses = courses(subject, index);
        if courses.is_empty() || timeline.steps.len() < 2 {
            continue;
        }
        top += 18.0;
        if subject.results.plan.len() > 1 {
            top += 8.0;
            scene.text((0.0, top), &fit(&timeline.name, 13.0, WIDTH), 13.0, Anchor::Start, INK);
            top += 12.0;
        }
        top = panel(&mut scene, subject, index, &courses, top);
    }
    scene.height = top + 4.0;
    scene
}

fn panel(
    scene: &mut Scene,
    subject: &Subject,
    timeline: usize,
    courses: &[Course],
    top: f64,
) -> f64 {
    let chances = chances(subject, timeline);
    let strips = strips(courses, &chances, top);
    let bottom = strips.last().map_or(top, |strip| strip.bottom);
    let right = WIDTH - NAMES;
    let count = subject.results.plan[timeline].steps.len();
    let inset = INSET.min((right - LEFT) / (2 * count) as f64);
    let across = Scale::linear((0.0, (count - 1) as f64), (LEFT + inset, right - inset));
    for (order, strip) in strips.iter().enumerate() {
        let down = Scale::linear(strip.domain, (strip.bottom, strip.top));
        if order + 1 == strips.len() {
            band(scene, &chances, (&across, &down), (LEFT, right));
        }
        let wanted = ((strip.bottom - strip.top) / 30.0) as usize;
        grid_across(scene, &down, (LEFT, right), wanted, number::decimal);
        scene.axis((LEFT, strip.top), (LEFT, strip.bottom));
        lines(scene, subject, courses, (&across, &down), strip);
    }
    if strips.len() > 1 {
        let y = strips[1].top - 8.0;
        let words = "other scale above";
        let end = LEFT + 12.0 + text_width(words, 10.0);
        scene.text((LEFT + 6.0, y + 3.5), words, 10.0, Anchor::Start, QUIET);
        scene.dashed(&[(end, y), (right, y)], &[3.0, 4.0], AXIS, 1.0);
    }
    let steps = &subject.results.plan[timeline].steps;
    step_names(scene, steps, &across, (LEFT, right), bottom)
}

fn band(
    scene: &mut Scene,
    chances: &[(usize, Chance)],
    (across, down): (&Scale, &Scale),
    (left, right): (f64, f64),
) {
    // The first and the last value run on to the edges: points of a step stand side by side.
    let along = |value: fn(&Chance) -> f64| -> Vec<Point> {
        let at = |(step, chance): &(usize, Chance)| {
            (across.at(*step as f64), down.clamped(value(chance)))
        };
        let mut points: Vec<Point> = chances.iter().map(at).collect();
        if let (Some(&first), Some(&last)) = (points.first(), points.last()) {
            points.insert(0, (left, first.1));
            points.push((right, last.1));
        }
        points
    };
    let mut outline = along(|chance| chance.high);
    outline.extend(along(|chance| chance.low).into_iter().rev());
    scene.area(outline, BAND);
    scene.dashed(&along(|chance| chance.mean), &[5.0, 3.0], QUIET, 1.4);
}

/// Draws the contenders that lie in a strip, with their names.
fn lines(
    scene: &mut Scene,
    subject: &Subject,
    courses: &[Course],
    (across, down): (&Scale, &Scale),
    strip: &Strip,
) {
    let inside = |course: &&Course| down.shows(course.highest()) && down.shows(course.lowest());
    let here: Vec<&Course> = courses.iter().filter(inside).collect();
    let step = across.at(1.0) - across.at(0.0);
    let room = (0.6 * step).min(2.0 * INSET - 10.0);
    let dodge = 8.0f64.min(room / here.len().max(1) as f64);
    let dense = step < 24.0;
    let mut labels = Vec::new();
    for (order, course) in here.iter().enumerate() {
        // Points of one step stand side by side, so that none hides another.
        let shift = (order as f64 - (here.len() - 1) as f64 / 2.0) * dodge;
        let x = |step: usize| across.at(step as f64) + shift;
        let colour = course.look.colour;
        let line: Vec<Point> =
            course.points.iter().map(|point| (x(point.0), down.at(point.1))).collect();
        if dense {
            ribbon(scene, course, (&x, down));
        }
        scene.dashed(&line, course.look.dash(), colour, 1.8);
        for (&(step, _, low, high), &at) in std::iter::zip(&course.points, &line) {
            if !dense && subject.has_intervals() && high > low {
                let ends = (down.at(low), down.at(high));
                scene.whisker((x(step), ends.0), (x(step), ends.1), 2.5, colour.thin(0.6));
            }
            if !dense || Some(&at) == line.last() {
                scene.marker(at, course.look, 3.4);
            }
        }
        let Some(&end) = line.last() else { continue };
        let name = subject.name(course.contender);
        let text = if course.refused { format!("{name} × refused") } else { name };
        let colour = if course.contender.is_rival() { INK } else { QUIET };
        labels.push(EndLabel { end, text, look: course.look, colour });
    }
    end_labels(scene, labels, WIDTH - NAMES + 14.0, (strip.top + 4.0, strip.bottom - 2.0));
}

/// The intervals of a course that has no room for whiskers.
fn ribbon(scene: &mut Scene, course: &Course, (x, down): (&dyn Fn(usize) -> f64, &Scale)) {
    let upper = course.points.iter().map(|point| (x(point.0), down.at(point.3)));
    let lower = course.points.iter().rev().map(|point| (x(point.0), down.at(point.2)));
    scene.area(upper.chain(lower).collect(), course.look.colour.thin(0.15));
}

// ---- words -----------------------------------------------------------------------------------

/// Where the peaks of a contender lie, each as against the chance of its own step: above where one
/// is, with the one that is farthest, below where all are.
fn against_chance<'a>(
    subject: &Subject,
    contender: &'a Contender,
) -> (Standing, Option<Found<'a>>) {
    let peaks = steps(contender).filter_map(|(timeline, step, taken)| {
        let measured = figure(taken, ID)?;
        let standing = Standing::of(measured, subject.results.seeds);
        (standing != Standing::Unknown).then_some((standing, Found { measured, timeline, step }))
    });
    let peaks: Vec<(Standing, Found)> = peaks.collect();
    let excess = |found: &Found| {
        found.measured.median - found.measured.chance.map_or(0.0, |chance| chance.high)
    };
    let above = peaks.iter().filter(|(standing, _)| *standing == Standing::Above);
    let farthest = above.max_by(|a, b| excess(&a.1).total_cmp(&excess(&b.1)));
    match farthest {
        Some((standing, found)) => (*standing, Some(*found)),
        None if peaks.is_empty() => (Standing::Unknown, None),
        None if peaks.iter().all(|(standing, _)| *standing == Standing::Below) => {
            (Standing::Below, None)
        }
        None => (Standing::Within, None),
    }
}

fn finding(subject: &Subject) -> String {
    let (mut within, mut above, mut below) = (Vec::new(), Vec::new(), Vec::new());
    for contender in &subject.results.contenders {
        let name = subject.name(contender);
        match against_chance(subject, contender) {
            (Standing::Above, Some(found)) => {
                let interval = if subject.has_intervals() {
                    format!(" ({})", number::interval(found.measured, |load| subject.load(load)))
                } else {
                    String::new()
                };
                let text = format!(
                    "{name} {} × fair{interval} at {}",
                    subject.load(found.measured.median),
                    subject.step_name(found.timeline, found.step)
                );
                above.push((found.measured.median, text));
            }
            (Standing::Below, _) => below.push(name),
            (Standing::Within, _) => within.push(name),
            _ => {}
        }
    }
    above.sort_by(|a, b| b.0.total_cmp(&a.0));
    let above: Vec<String> = above.into_iter().map(|(_, text)| text).collect();
    let text = match (above.is_empty() && below.is_empty(), within.is_empty()) {
        (true, true) => "What chance alone would give is not known for these loads.".into(),
        (true, false) => {
            let all = all_of_it(subject.results.seeds);
            format!(
                "For no contender does the fullest node of {all} lie above or below the band of \
                 chance at any step."
            )
        }
        _ => named([
            ("Fullest node above the band of chance at some step, farthest", &above, 6),
            ("Fullest node below the band of chance at every step", &below, 12),
            ("At no step above the band as a whole range of the seeds", &within, 12),
        ]),
    };
    text + &left_out(subject)
}

fn table(subject: &Subject) -> Table {
    let mut columns = vec![Column::words("step"), Column::figures("chance", "mean, 5–95 %")];
    let contenders = &subject.results.contenders;
    columns.extend(
        contenders.iter().map(|contender| Column::figures(subject.name(contender), "× fair")),
    );
    let print = |load: f64| subject.load(load);
    let mut rows = Vec::new();
    for (index, timeline) in subject.results.plan.iter().enumerate() {
        let chances = chances(subject, index);
        for at in 0..timeline.steps.len() {
            let chance =
                chances.iter().find(|(step, _)| *step == at).map_or(Cell::none(), |(_, c)| {
                    Cell::new(print(c.mean)).with_note(number::range(c.low, c.high, print))
                });
            let mut cells = vec![Cell::new(subject.step_name(index, at)), chance];
            cells.extend(contenders.iter().map(|contender| {
                let step = contender.timelines.get(index).and_then(|done| done.steps.get(at));
                match step.and_then(|step| figure(step, ID)) {
                    Some(peak) if subject.has_intervals() => {
                        Cell::new(print(peak.median)).with_note(number::interval(peak, print))
                    }
                    Some(peak) => Cell::new(print(peak.median)),
                    None => Cell::none(),
                }
            }));
            rows.push(cells.into());
        }
    }
    Table::capped(columns, rows)
}
