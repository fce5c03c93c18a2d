//! Time of a lookup against the number of nodes, on one machine.

mod data;
mod words;

use std::collections::BTreeMap;

use placelab_results::{Contender, LookupTime, Rounds, Timings};

use super::Chart;
use super::frame::{DRAWN_MAX, EndLabel, WIDTH, end_labels, grid_across, grid_down, height_for};
use crate::font::fit;
use crate::number;
use crate::palette::{INK, Look, QUIET};
use crate::scale::{Scale, extent};
use crate::scene::{Anchor, Point, Scene};
use crate::subject::Subject;
use crate::text::one_line;

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

const BATCH: Kind = Kind {
    title: "in batches of independent keys, warm",
    times: |timings, contender| sized(timings, contender, |lookup| lookup.batch_ns),
};
const DEPENDENT: Kind = Kind {
    title: "one after another, each key from the answer before, warm",
    times: |timings, contender| sized(timings, contender, |lookup| lookup.dependent_ns),
};
const COLD_BATCH: Kind = Kind {
    title: "in batches, cold: after the caches were displaced",
    times: |timings, contender| sized(timings, contender, |lookup| lookup.cold_batch_ns),
};
const COLD_DEPENDENT: Kind = Kind {
    title: "one after another, cold: after the caches were displaced",
    times: |timings, contender| sized(timings, contender, |lookup| lookup.cold_dependent_ns),
};
const DENSE: Kind = Kind {
    title: "in batches, at many numbers of nodes, as far as the time for each went",
    times: |timings, contender| {
        let those = timings.dense.iter().filter(|dense| dense.contender == contender);
        those.flat_map(|dense| dense.times.iter().map(|t| (t.nodes, t.batch_ns))).collect()
    },
};
/// In the order of the panels.
const KINDS: [Kind; 5] = [BATCH, DEPENDENT, COLD_BATCH, COLD_DEPENDENT, DENSE];

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
        finding: words::finding(subject, timings, &courses),
        scene: scene(subject, timings),
        table: data::table(subject, timings),
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
    courses(subject, timings, &BATCH)
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
    let bottom = upper + height_for(courses.len(), HEIGHT);
    let right = WIDTH - NAMES;
    let title = fit(&format!("Lookup {}", kind.title), 13.0, WIDTH);
    scene.text((0.0, top + 14.0), &title, 13.0, Anchor::Start, INK);
    let times = || courses.iter().flat_map(|course| course.points.values().flatten().copied());
    let nodes = || courses.iter().flat_map(|course| course.points.keys().copied().map(f64::from));
    let (low, high) = extent(times());
    let down = Scale::logarithmic((low / 1.25, high * 1.25), (bottom, upper));
    let (low, high) = extent(nodes());
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
    number::whole(time, &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"), (1e-3, "ps")], "ns")
}
