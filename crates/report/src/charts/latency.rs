//! Time of a lookup against the number of nodes, on one machine.

use std::collections::BTreeMap;

use placelab_results::{Contender, Floor, LookupTime, Machine, Rounds, Timings};

use super::Chart;
use super::frame::{DRAWN_MAX, EndLabel, WIDTH, end_labels, grid_across, grid_down, left_out};
use crate::font::fit;
use crate::number::{self, bytes, nanoseconds, percent};
use crate::palette::{INK, Look, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, Point, Scene};
use crate::subject::Subject;
use crate::table::{Cell, Column, Row, Table};
use crate::text::{list_up_to, one_line, plural};

const LEFT: f64 = 62.0;
const NAMES: f64 = 168.0;
const HEIGHT: f64 = 215.0;
/// What is left of a lookup without the harness may be nothing, which has no logarithm: least
/// nanoseconds that are drawn, the unit in which people still read them.
pub(super) const SHOWN_MIN: f64 = 0.1;

/// One way of timing a lookup.
struct Kind {
    title: &'static str,
    /// The times of a contender by nodes.
    times: fn(&Timings, &str) -> Vec<(u32, Rounds)>,
}

const KINDS: [Kind; 3] = [
    Kind {
        title: "in batches of independent keys, warm",
        times: |timings, contender| sized(timings, contender, |lookup| lookup.batch_ns),
    },
    Kind {
        title: "one after another, each key from the answer before, warm",
        times: |timings, contender| sized(timings, contender, |lookup| lookup.dependent_ns),
    },
    Kind {
        title: "in batches, at many numbers of nodes, as far as the time for each went",
        times: |timings, contender| {
            let those = timings.dense.iter().filter(|dense| dense.contender == contender);
            those.flat_map(|dense| dense.times.iter().map(|t| (t.nodes, t.batch_ns))).collect()
        },
    },
];

/// Points above which a line has neither markers nor the range of its rounds.
const MARKED_MAX: usize = 12;

/// A figure of the lookups of a contender by nodes.
fn sized(
    timings: &Timings,
    contender: &str,
    figure: impl Fn(&LookupTime) -> Rounds,
) -> Vec<(u32, Rounds)> {
    let own = timings.lookups.iter().filter(|lookup| lookup.contender == contender);
    let served = own.filter(|lookup| lookup.refusal.is_none());
    served.map(|lookup| (lookup.nodes, figure(lookup))).collect()
}

/// The chart, where lookups were timed.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let timings = subject.timings?;
    let courses = batches(subject, timings);
    if courses.is_empty() {
        return None;
    }
    Some(Chart {
        name: "latency",
        title: "Time of a lookup against the number of nodes",
        reading: format!(
            "Median, least and largest round, harness subtracted; logarithmic. Only for this \
             machine: {}.",
            one_line(&timings.machine.cpu)
        ),
        finding: finding(subject, timings, &courses),
        scene: scene(subject, timings),
        table: table(subject, timings),
    })
}

/// Times of one contender by nodes: median, least, largest.
pub(super) struct Course<'a> {
    /// Its place among the contenders.
    pub(super) index: usize,
    pub(super) contender: &'a Contender,
    pub(super) name: String,
    pub(super) look: Look,
    pub(super) points: BTreeMap<u32, [f64; 3]>,
}

/// Times of lookups in batches, of every contender that has some.
pub(super) fn batches<'a>(subject: &Subject<'a>, timings: &Timings) -> Vec<Course<'a>> {
    courses(subject, timings, &KINDS[0])
}

fn courses<'a>(subject: &Subject<'a>, timings: &Timings, kind: &Kind) -> Vec<Course<'a>> {
    let mut courses = Vec::new();
    for (index, contender) in subject.results.contenders.iter().enumerate() {
        let times = (kind.times)(timings, &contender.name).into_iter();
        let points: BTreeMap<u32, [f64; 3]> = times
            .map(|(nodes, rounds)| (nodes, rounds.range()))
            .filter(|(nodes, times)| {
                *nodes > 0 && times.iter().all(|time| time.is_finite() && *time >= 0.0)
            })
            .map(|(nodes, times)| (nodes, times.map(|time| time.max(SHOWN_MIN))))
            .collect();
        if !points.is_empty() {
            let (name, look) = (subject.name(contender), subject.look(index));
            courses.push(Course { index, contender, name, look, points });
        }
    }
    courses
}

fn scene(subject: &Subject, timings: &Timings) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let mut top = 0.0;
    for kind in &KINDS {
        let mut courses = courses(subject, timings, kind);
        courses.truncate(DRAWN_MAX);
        if !courses.is_empty() {
            top = panel(&mut scene, kind, courses, top);
        }
    }
    scene.height = top;
    scene
}

fn panel(scene: &mut Scene, kind: &Kind, courses: Vec<Course>, top: f64) -> f64 {
    let upper = top + 30.0;
    let bottom = upper + HEIGHT;
    let right = WIDTH - NAMES;
    let title = fit(&format!("Lookup {}", kind.title), 13.0, WIDTH);
    scene.text((0.0, top + 14.0), &title, 13.0, Anchor::Start, INK);
    let times = || courses.iter().flat_map(|course| course.points.values().flatten().copied());
    let nodes = || courses.iter().flat_map(|course| course.points.keys().copied().map(f64::from));
    let ends = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, 0.0f64), |(low, high), v| (low.min(v), high.max(v)))
    };
    let (low, high) = ends(&mut times());
    let down = Scale::logarithmic((low / 1.25, high * 1.25), (bottom, upper));
    let (low, high) = ends(&mut nodes());
    let across = Scale::logarithmic((low / 1.15, high * 1.15), (LEFT, right));
    grid_across(scene, &down, (LEFT, right), 10, |tick, _| plain_time(tick));
    grid_down(scene, &across, (upper, bottom), 8, |tick, _| number::decimal(tick, 0));
    scene.axis((LEFT, upper), (LEFT, bottom));
    scene.axis((LEFT, bottom), (right, bottom));
    scene.note((right + 14.0, bottom + 15.0), "nodes", Anchor::Start);
    let mut labels = Vec::new();
    for course in courses {
        let point =
            |(nodes, time): (u32, f64)| -> Point { (across.at(nodes.into()), down.at(time)) };
        let along = |index: usize| -> Vec<Point> {
            course.points.iter().map(|(&nodes, times)| point((nodes, times[index]))).collect()
        };
        let medians = along(0);
        let colour = course.look.colour;
        if medians.len() <= MARKED_MAX {
            let mut outline = along(1);
            outline.extend(along(2).into_iter().rev());
            scene.area(outline, colour.thin(0.16));
            medians.iter().for_each(|&at| scene.marker(at, course.look, 3.4));
        }
        scene.dashed(&medians, course.look.dash(), colour, 1.8);
        let Some(&end) = medians.last() else { continue };
        let text_colour = if course.contender.is_rival() { INK } else { QUIET };
        labels.push(EndLabel { end, text: course.name, look: course.look, colour: text_colour });
    }
    end_labels(scene, labels, right + 14.0, (upper, bottom - 2.0));
    bottom + 30.0
}

/// A round time on an axis: `5 ns`, `10 µs`.
pub(super) fn plain_time(time: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"), (1e-3, "ps")];
    let (size, unit) =
        units.into_iter().find(|(size, _)| time >= *size * 0.999).unwrap_or((1.0, "ns"));
    format!("{} {unit}", number::decimal(time / size, 0))
}

// ---- words -----------------------------------------------------------------------------------

fn finding(subject: &Subject, timings: &Timings, courses: &[Course]) -> String {
    let mut sentences = Vec::new();
    if let Some(nodes) = subject.timed_nodes() {
        sentences.extend(extremes(subject, courses, nodes));
    }
    sentences.extend(growth(courses));
    sentences.extend(jumps(subject, timings));
    sentences.extend(steadiness(timings));
    sentences.push(harness(timings));
    sentences.join(" ") + &left_out(subject)
}

/// How far figures lie from themselves, and which are lost in the harness.
fn steadiness(timings: &Timings) -> Option<String> {
    let served = timings.lookups.iter().filter(|lookup| lookup.refusal.is_none());
    let all: Vec<&Rounds> =
        served.flat_map(|lookup| lookup.figures().map(|(_, rounds)| rounds)).collect();
    let mut spreads: Vec<f64> = all.iter().map(|rounds| rounds.aa_spread).collect();
    spreads.retain(|spread| spread.is_finite());
    spreads.sort_by(f64::total_cmp);
    let (middle, most) = (spreads.get(spreads.len() / 2)?, spreads.last()?);
    let within = all.iter().filter(|rounds| rounds.is_within_floor()).count() as u64;
    let lost = match within {
        0 => String::new(),
        _ => format!(
            " No more is left of {} than was subtracted: about as fast as doing nothing.",
            plural(within, "figure", "figures")
        ),
    };
    Some(format!(
        "Odd and even rounds of one figure (A/A) lie {} apart in the middle, {} at most.{lost}",
        percent(*middle),
        percent(*most)
    ))
}

/// What was subtracted, what stands apart, and how cold is cold.
fn harness(timings: &Timings) -> String {
    let machine = &timings.machine;
    format!(
        "The harness took {} a key in batches and {} a dependent lookup, which is subtracted. To \
         hash a key of {} takes {} more. Before cold figures (table) {} were read to displace \
         the caches. Times hold for this machine only.",
        nanoseconds(machine.floor.batch_ns.median),
        nanoseconds(machine.floor.dependent_ns.median),
        plural(timings.key_hash.key_bytes.into(), "byte", "bytes"),
        nanoseconds(timings.key_hash.batch_ns.median),
        bytes(machine.displaced_bytes as f64)
    )
}

/// The fastest and the slowest at a count of nodes; those whose rounds overlap stand together.
fn extremes(subject: &Subject, courses: &[Course], nodes: u32) -> Option<String> {
    let rivals = courses.iter().filter(|course| course.contender.is_rival());
    let here: Vec<(&str, [f64; 3])> = rivals
        .filter_map(|course| Some((course.name.as_str(), *course.points.get(&nodes)?)))
        .collect();
    let fastest = here.iter().map(|(_, times)| times[2]).reduce(f64::min)?;
    let slowest = here.iter().map(|(_, times)| times[1]).reduce(f64::max)?;
    let group = |is_in: &dyn Fn(&[f64; 3]) -> bool| {
        let those: Vec<_> = here.iter().filter(|(_, times)| is_in(times)).collect();
        let medians = || those.iter().map(|(_, times)| times[0]);
        let (low, high) = (medians().reduce(f64::min)?, medians().reduce(f64::max)?);
        let names: Vec<&str> = those.iter().map(|(name, _)| *name).collect();
        Some((number::range(low, high, nanoseconds), list_up_to(&names, 6)))
    };
    let (low, fast) = group(&|times| times[1] <= fastest)?;
    let (high, slow) = group(&|times| times[2] >= slowest)?;
    let count = number::count(nodes.into());
    let apart = subject.others().map_or(String::new(), |others| format!(", {others} apart"));
    Some(if fastest < slowest {
        format!(
            "At {count} nodes, the count timed nearest to this fleet, a lookup in a batch takes \
             least for {fast} ({low}) and most for {slow} ({high}){apart}."
        )
    } else {
        format!("At {count} nodes no lookup time can be told from another ({low}).")
    })
}

/// How much slower lookups become from the smallest to the largest fleet.
fn growth(courses: &[Course]) -> Option<String> {
    let least = courses.iter().filter_map(|course| course.points.keys().next()).min()?;
    let most = courses.iter().filter_map(|course| course.points.keys().last()).max()?;
    let rivals = courses.iter().filter(|course| course.contender.is_rival());
    let growth: Vec<String> = rivals
        .filter_map(|course| {
            let (first, last) = (course.points.get(least)?[0], course.points.get(most)?[0]);
            Some(format!("{} {}-fold", course.name, number::ratio(last / first, 1)))
        })
        .collect();
    (!growth.is_empty() && least < most).then(|| {
        format!(
            "From {} to {} nodes the median grows: {}.",
            number::count((*least).into()),
            number::count((*most).into()),
            list_up_to(&growth, 12)
        )
    })
}

/// Which lookups become cheaper again as the fleet grows, and by how much at most: what no size in
/// each decade would show. Falls whose rounds overlap are no falls.
fn jumps(subject: &Subject, timings: &Timings) -> Option<String> {
    let dense = courses(subject, timings, &KINDS[2]);
    let most = dense.iter().filter_map(|course| course.points.keys().last()).max()?;
    let mut falls: Vec<(f64, String)> = Vec::new();
    for course in dense.iter().filter(|course| course.contender.is_rival()) {
        let Some((from, to)) = deepest_fall(&course.points) else { continue };
        let (high, low) = (course.points[&from][0], course.points[&to][0]);
        falls.push((
            high / low,
            format!(
                "{} ({} at {} nodes, {} at {})",
                course.name,
                nanoseconds(high),
                number::count(from.into()),
                nanoseconds(low),
                number::count(to.into())
            ),
        ));
    }
    falls.sort_by(|a, b| b.0.total_cmp(&a.0));
    let names: Vec<&str> = falls.iter().map(|(_, words)| words.as_str()).collect();
    let most = number::count((*most).into());
    Some(match names.is_empty() {
        true => format!("No lookup becomes much cheaper as the fleet grows to {most} nodes."),
        false => format!(
            "On the way to {most} nodes lookups become cheaper again for {}.",
            list_up_to(&names, 6)
        ),
    })
}

/// A fall of a time by this part or more is told.
const FALL_MIN: f64 = 0.3;

/// Between which sizes a time falls most as the fleet grows.
fn deepest_fall(points: &BTreeMap<u32, [f64; 3]>) -> Option<(u32, u32)> {
    let mut deepest = None;
    let mut highest: Option<(u32, [f64; 3])> = None;
    for (&nodes, &times) in points {
        let Some((from, before)) = highest.filter(|(_, before)| before[0] > times[0]) else {
            highest = Some((nodes, times));
            continue;
        };
        let part = 1.0 - times[0] / before[0];
        if part >= FALL_MIN && before[1] > times[2] && deepest.is_none_or(|(p, _)| part > p) {
            deepest = Some((part, (from, nodes)));
        }
    }
    deepest.map(|(_, sizes)| sizes)
}

fn table(subject: &Subject, timings: &Timings) -> Table {
    let figures = |title: &str| Column::figures(title, "median, least–largest, A/A spread");
    let columns = vec![
        Column::words("contender"),
        Column::figures("nodes", ""),
        figures("batch"),
        figures("dependent"),
        figures("cold batch"),
        figures("cold dependent"),
    ];
    let lookups = timings.lookups.iter().map(|lookup| {
        let mut cells = vec![
            Cell::new(lookup.contender.as_str()),
            Cell::new(number::count(lookup.nodes.into())),
        ];
        match &lookup.refusal {
            Some(reason) => {
                cells.push(Cell::new("refused").with_note(reason.as_str()));
                cells.resize(columns.len(), Cell::none());
            }
            None => cells.extend(lookup.figures().map(|(_, rounds)| cell(rounds))),
        }
        Row { look: subject.look_named(&lookup.contender), cells }
    });
    let dense = timings.dense.iter().flat_map(|dense| {
        dense.times.iter().map(|time| {
            let count = number::count(time.nodes.into());
            let mut cells = vec![Cell::new(dense.contender.as_str()), Cell::new(count)];
            cells.push(cell(&time.batch_ns));
            cells.resize(columns.len(), Cell::none());
            Row { look: subject.look_named(&dense.contender), cells }
        })
    });
    let apart = |name: String, figures: &[&Rounds]| {
        let mut cells = vec![Cell::new(name), Cell::none()];
        cells.extend(figures.iter().map(|rounds| cell(rounds)));
        cells.resize(columns.len(), Cell::none());
        Row::from(cells)
    };
    let Timings { machine: Machine { floor, bytes_floor, .. }, key_hash, .. } = timings;
    let reading = |floor: &Floor, what: &str| {
        let name = format!("harness, {what}, subtracted below");
        apart(name, &[&floor.batch_ns, &floor.dependent_ns])
    };
    let hashed = plural(key_hash.key_bytes.into(), "byte", "bytes");
    let hash = format!("hash of a key, {hashed}, {}, in none below", one_line(&key_hash.function));
    let harness = [
        reading(floor, "hashes of keys"),
        reading(bytes_floor, "bytes of keys"),
        apart(hash, &[&key_hash.batch_ns]),
    ];
    // First, since a long table is cut at its end.
    let rows: Vec<Row> = harness.into_iter().chain(lookups).chain(dense).collect();
    Table::capped(columns, rows)
}

/// A figure with its rounds and what it differs from itself by.
fn cell(rounds: &Rounds) -> Cell {
    let [median, low, high] = rounds.range();
    let range = number::range(low, high, nanoseconds);
    let lost = if rounds.is_within_floor() { ", within the floor" } else { "" };
    let note = format!("{range}, {}{lost}", number::aa_spread(rounds));
    Cell::new(nanoseconds(median)).with_note(note)
}
