//! What has moved since the start, event by event, beside the least that had to.

use placelab_results::{Contender, Timeline};

use super::Chart;
use super::frame::{
    EndLabel, Swatch, TIMELINES_MAX, WIDTH, drawn, end_labels, fit_name, grid_across, height_for,
    left_out, legend, plain_percent, step_names,
};
use crate::font::{fit, text_width};
use crate::number::{self, percent, ratio};
use crate::palette::{INK, Look, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, Point, SMALL, Scene};
use crate::subject::{ORDERED_SEEDS_MIN, Spread, Subject, figure, least};
use crate::table::{Cell, Column, Row, Table};
use crate::text::{list_up_to, plural};

const ID: &str = "movement.moved";
const LEFT: f64 = 62.0;
const NAMES: f64 = 214.0;
/// Heights of the strip of the sums and of the one of what they are above the least.
const HEIGHTS: [f64; 2] = [120.0, 150.0];
/// Above a strip, for its title.
const TITLE: f64 = 22.0;
/// What is above the least by no more than this is so by rounding.
const ROUNDING: f64 = 1e-6;
/// From the edges of a panel to its first and last step.
const INSET: f64 = 36.0;
/// Steps that are drawn this near together have no markers.
const MARKED_MIN: f64 = 16.0;
/// Contenders that a sentence names.
const NAMES_MAX: usize = 8;

/// The chart, where some timeline has several events.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let timelines: Vec<usize> = several(subject).collect();
    let has_moves = |timeline: &usize| courses(subject, *timeline).next().is_some();
    timelines.iter().find(|timeline| has_moves(timeline))?;
    Some(Chart {
        name: "timeline",
        title: "Keys moved since the start",
        reading:
            "Sum of the moves of all events so far, of all keys, means over the seeds; black: \
                  what exact shares need. Luck can undercut it."
                .into(),
        finding: finding(subject, &timelines),
        scene: scene(subject, &timelines),
        table: table(subject, &timelines),
    })
}

/// Timelines of two events or more, as many as there is room for.
fn several(subject: &Subject) -> impl Iterator<Item = usize> {
    let plan = subject.results.plan.iter().enumerate();
    let several = plan.filter(|(_, timeline)| timeline.steps.len() > 2);
    let indices: Vec<usize> = several.map(|(index, _)| index).collect();
    indices.into_iter().take(TIMELINES_MAX)
}

/// What a contender moved after each event of a timeline.
struct Course<'a> {
    index: usize,
    contender: &'a Contender,
    /// What each event moved: the mean over the seeds.
    moves: Vec<f64>,
    /// The whole, where it took every step.
    total: Option<Spread>,
}

impl Course<'_> {
    /// Sums from the start on, from 0.
    fn sums(&self) -> Vec<f64> {
        running(self.moves.iter().copied())
    }

    fn end(&self) -> f64 {
        self.moves.iter().sum()
    }
}

/// Running sums, from 0.
fn running(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sums = vec![0.0];
    for value in values {
        sums.push(sums[sums.len() - 1] + value);
    }
    sums
}

fn courses<'a>(subject: &'a Subject, timeline: usize) -> impl Iterator<Item = Course<'a>> {
    let contenders = subject.results.contenders.iter().enumerate();
    contenders.filter_map(move |(index, contender)| {
        let steps = &contender.timelines.get(timeline)?.steps;
        let moves = steps.iter().skip(1).map_while(|step| Some(figure(step, ID)?.mean));
        let moves: Vec<f64> = moves.take_while(|moved| (0.0..=1.0).contains(moved)).collect();
        let total = subject.total(contender, timeline, ID);
        (!moves.is_empty()).then_some(Course { index, contender, moves, total })
    })
}

// ---- picture ---------------------------------------------------------------------------------

fn scene(subject: &Subject, timelines: &[usize]) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let mut items = vec![(Swatch::Fair, "least, summed up")];
    let whisker = format!("5–95 % of {} seeds", subject.results.seeds);
    if subject.has_intervals() {
        items.push((Swatch::Whisker, &whisker));
    }
    let mut top = legend(&mut scene, 0.0, &items);
    let shown: Vec<usize> = drawn(subject).map(|(index, _)| index).collect();
    for &timeline in timelines {
        let courses = courses(subject, timeline);
        let courses: Vec<Course> = courses.filter(|course| shown.contains(&course.index)).collect();
        if courses.is_empty() {
            continue;
        }
        top += 4.0;
        let planned = &subject.results.plan[timeline];
        if subject.results.plan.len() > 1 {
            top += 18.0;
            scene.text((0.0, top), &fit(&planned.name, 13.0, WIDTH), 13.0, Anchor::Start, INK);
        }
        top = panel(&mut scene, subject, planned, &courses, top);
    }
    scene.height = top + 4.0;
    scene
}

/// A strip of a panel: what of each contender is drawn from step to step.
struct Strip<'a> {
    title: &'static str,
    /// The least, in the unit of the strip.
    least: Vec<f64>,
    lines: Vec<Line<'a>>,
}

/// A line of a strip.
struct Line<'a> {
    course: &'a Course<'a>,
    values: Vec<f64>,
    /// Where the interval of its end lies.
    interval: Option<(f64, f64)>,
}

/// What a sum is above the least, nothing where that is by rounding.
fn beyond(sum: f64, least: f64) -> f64 {
    let beyond = sum - least;
    if beyond.abs() < ROUNDING { 0.0 } else { beyond }
}

/// The sums, and what they are above the least.
fn strips<'a>(planned: &Timeline, courses: &'a [Course]) -> [Strip<'a>; 2] {
    let minima = running(planned.steps.iter().skip(1).map(|step| step.minimum));
    let last = least(planned);
    let sums = |course: &'a Course| Line {
        course,
        values: course.sums(),
        interval: course.total.map(|total| (total.low, total.high)),
    };
    let above = |course: &'a Course| Line {
        course,
        values: std::iter::zip(course.sums(), &minima)
            .map(|(sum, least)| beyond(sum, *least))
            .collect(),
        interval: course.total.map(|total| (total.low - last, total.high - last)),
    };
    let zeros = vec![0.0; minima.len()];
    let above = courses.iter().map(above).collect();
    let sums = courses.iter().map(sums).collect();
    [
        Strip { title: "moved so far", least: minima, lines: sums },
        Strip { title: "of it beyond the least", least: zeros, lines: above },
    ]
}

impl Strip<'_> {
    /// What the axis shows: lines of canaries and exhibits that would leave the contenders no room
    /// are cut.
    fn domain(&self) -> (f64, f64) {
        let extent = |is_rival: bool| {
            let those =
                self.lines.iter().filter(|line| line.course.contender.is_rival() == is_rival);
            let values = those.flat_map(|line| {
                let ends = line.interval.into_iter().flat_map(|(low, high)| [low, high]);
                line.values.iter().copied().chain(ends)
            });
            let finite = values.filter(|value| value.is_finite());
            finite.fold((0.0f64, 0.0f64), |(low, high), v| (low.min(v), high.max(v)))
        };
        let least = self.least.iter().copied().filter(|value| value.is_finite());
        let (rivals, others) = (extent(true), extent(false));
        let most = least.fold(rivals.1, f64::max);
        let low = if others.0 < 2.0 * rivals.0 { rivals.0 } else { others.0.min(rivals.0) };
        let high = if others.1 > 2.0 * most && most > 0.0 { most } else { most.max(others.1) };
        let edge = 0.06 * (high - low).max(1e-6);
        (if low < 0.0 { low - edge } else { 0.0 }, high + edge)
    }
}

fn panel(
    scene: &mut Scene,
    subject: &Subject,
    planned: &Timeline,
    courses: &[Course],
    mut top: f64,
) -> f64 {
    let right = WIDTH - NAMES;
    let count = planned.steps.len();
    let inset = INSET.min((right - LEFT) / (2 * count) as f64);
    let across = Scale::linear((0.0, (count - 1) as f64), (LEFT + inset, right - inset));
    for (strip, height) in std::iter::zip(strips(planned, courses), HEIGHTS) {
        top += TITLE;
        scene.note((LEFT, top - 7.0), strip.title, Anchor::Start);
        let bottom = top + height_for(courses.len(), height);
        let down = Scale::linear(strip.domain(), (bottom, top));
        let wanted = ((bottom - top) / 30.0) as usize;
        grid_across(scene, &down, (LEFT, right), wanted, |tick, _| plain_percent(tick));
        scene.axis((LEFT, top), (LEFT, bottom));
        scene.axis((LEFT, bottom), (right, bottom));
        scene.line(inside(&strip.least, &across, &down), INK, 1.6);
        lines(scene, subject, &strip, (&across, &down), count, (top, bottom));
        top = bottom;
    }
    step_names(scene, &planned.steps, &across, (LEFT, right), top)
}

/// Draws the lines of a strip with their names and ends.
fn lines(
    scene: &mut Scene,
    subject: &Subject,
    strip: &Strip,
    (across, down): (&Scale, &Scale),
    count: usize,
    (top, bottom): (f64, f64),
) {
    let right = WIDTH - NAMES;
    let mut labels = Vec::new();
    for (order, own) in strip.lines.iter().enumerate() {
        let course = own.course;
        let look = subject.look(course.index);
        let end = line(scene, &own.values, look, (across, down));
        // Intervals of lines that end together stand side by side.
        let shift = 6.0 + (4 * order % 28) as f64;
        if let Some((low, high)) = own.interval.filter(|(low, high)| low < high)
            && down.shows(low)
            && down.shows(high)
        {
            let x = (end.0 + shift).min(right - 2.0);
            let ends = ((x, down.at(low)), (x, down.at(high)));
            scene.whisker(ends.0, ends.1, 1.6, look.colour.thin(0.8));
        }
        let colour = if course.contender.is_rival() { INK } else { QUIET };
        let last = own.values.last().copied().unwrap_or(0.0);
        let end_words = match course.moves.len() + 1 < count {
            true => " × refused".into(),
            false => format!(" {}", percent(last)),
        };
        let room = NAMES - 27.0 - text_width(&end_words, SMALL);
        let text = fit_name(&subject.name(course.contender), SMALL, room) + &end_words;
        labels.push(EndLabel { end, text, look, colour });
    }
    end_labels(scene, labels, right + 14.0, (top + 4.0, bottom - 2.0));
}

/// The points of sums as far as the axis shows them; the last one is cut at its end.
fn inside(sums: &[f64], across: &Scale, down: &Scale) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for (step, &sum) in sums.iter().enumerate() {
        let here = (step as f64, sum);
        if !sum.is_finite() {
            break;
        }
        if down.shows(sum) {
            points.push((across.at(here.0), down.at(sum)));
            before = Some(here);
            continue;
        }
        if let Some(before) = before {
            let edge = down.clamped(sum);
            let (from, to) = (down.at(before.1), down.at(sum));
            let part = (edge - from) / (to - from);
            points.push((across.at(before.0 + part * (here.0 - before.0)), edge));
        }
        break;
    }
    points
}

/// Draws a line; gives where it ends.
fn line(scene: &mut Scene, values: &[f64], look: Look, (across, down): (&Scale, &Scale)) -> Point {
    let points = inside(values, across, down);
    scene.dashed(&points, look.dash(), look.colour, 1.8);
    let is_dense = across.at(1.0) - across.at(0.0) < MARKED_MIN;
    let marked = points.iter().skip(1).filter(|_| !is_dense);
    marked.for_each(|&at| scene.marker(at, look, 3.2));
    let end = points.last().copied().unwrap_or((across.at(0.0), down.clamped(0.0)));
    if is_dense {
        scene.marker(end, look, 3.2);
    }
    end
}

// ---- words -----------------------------------------------------------------------------------

fn finding(subject: &Subject, timelines: &[usize]) -> String {
    let sentences: Vec<String> =
        timelines.iter().filter_map(|&timeline| ends(subject, timeline)).collect();
    sentences.join(" ") + &left_out(subject)
}

/// Who ends how far above the least in a timeline.
fn ends(subject: &Subject, timeline: usize) -> Option<String> {
    let planned = &subject.results.plan[timeline];
    let least = least(planned);
    let name = match subject.results.plan.len() {
        1 => String::from("After "),
        _ => format!("“{}”: after ", planned.name),
    };
    let events = number::count(planned.steps.len() as u64 - 1);
    let mut said = format!("{name}{events} events exact shares need {} moved.", percent(least));
    let (mut near, mut far) = (Vec::new(), Vec::new());
    for course in courses(subject, timeline) {
        let who = subject.name(course.contender);
        match course.total {
            None => {}
            Some(total) if total.low <= least + ROUNDING => near.push(who),
            Some(_) => far.push((course.end(), who)),
        }
    }
    far.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all = subject.results.contenders.iter();
    let early =
        all.filter(|one| one.timelines.get(timeline).is_some_and(|done| done.refusal.is_some()));
    let early: Vec<String> = early.map(|one| subject.name(one)).collect();
    let above = |(end, who): &(f64, String)| match *end / least {
        times if times.is_finite() => {
            let points = percent(end - least);
            format!("{who} {} ({points} above, {} × the least)", percent(*end), ratio(times, 2))
        }
        _ => format!("{who} {}", percent(*end)),
    };
    let far: Vec<String> = far.iter().map(above).collect();
    if !far.is_empty() {
        said += &format!(" Above that end {}.", list_up_to(&far, NAMES_MAX));
    }
    if !near.is_empty() {
        let what = match subject.has_intervals() {
            true => "Not above it beyond the range of the seeds",
            false => "At it or below",
        };
        said += &format!(" {what}: {}.", list_up_to(&near, NAMES_MAX));
    }
    if !subject.has_order() {
        let seeds = plural(subject.results.seeds.into(), "hash seed", "hash seeds");
        said += &format!(" No order is claimed: {seeds} of {ORDERED_SEEDS_MIN} at least.");
    }
    if !early.is_empty() {
        said += &format!(" Ended early: {}.", list_up_to(&early, NAMES_MAX));
    }
    Some(said)
}

fn table(subject: &Subject, timelines: &[usize]) -> Table {
    let columns = vec![
        Column::words("step"),
        Column::words("contender"),
        Column::figures("moved", "this event, mean"),
        Column::figures("moved since the start", "sum of means"),
        Column::figures("least since the start", ""),
        Column::figures("above the least", "of all keys"),
    ];
    let mut rows = Vec::new();
    for &timeline in timelines {
        let planned = &subject.results.plan[timeline];
        let minima = running(planned.steps.iter().skip(1).map(|step| step.minimum));
        for (step, minimum) in minima.into_iter().enumerate().skip(1) {
            for course in courses(subject, timeline) {
                let sums = course.sums();
                let Some(&sum) = sums.get(step) else { continue };
                let cells = vec![
                    Cell::new(subject.step_name(timeline, step)),
                    Cell::new(subject.name(course.contender)),
                    Cell::new(percent(course.moves[step - 1])),
                    Cell::new(percent(sum)),
                    Cell::new(percent(minimum)),
                    Cell::new(percent(beyond(sum, minimum))),
                ];
                rows.push(Row { look: Some(subject.look(course.index)), cells });
            }
        }
    }
    Table::capped(columns, rows)
}
