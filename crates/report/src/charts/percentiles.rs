//! How the times of dependent lookups are distributed, by the nines.

use placelab_results::{PERCENTILES, PercentileTime, Timings};

use super::Chart;
use super::frame::{DRAWN_MAX, EndLabel, WIDTH, end_labels, grid_across, height_for, left_out};
use super::latency::{SHOWN_MIN, plain_time};
use crate::number::{self, nanoseconds, percent};
use crate::palette::{GRID, INK, QUIET};
use crate::scale::{Scale, extent};
use crate::scene::{Anchor, Point, Scene};
use crate::subject::Subject;
use crate::table::{Cell, Column, Row, Table};
use crate::text::{list_up_to, plural};

const LEFT: f64 = 62.0;
const NAMES: f64 = 168.0;
const TOP: f64 = 14.0;
const HEIGHT: f64 = 260.0;
/// What stands below the axis.
const TITLES: [&str; 5] = ["50 %", "90 %", "99 %", "99.9 %", "largest"];

/// The chart, where a distribution was timed.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let timings = subject.timings?;
    let first = courses(subject, timings).next()?.1;
    Some(Chart {
        name: "percentiles",
        title: "Distribution of the time of a lookup",
        reading: format!(
            "Dependent lookups at {}, warm, in groups of {}: a clock sees no single one. \
             Logarithmic.",
            plural(first.nodes.into(), "node", "nodes"),
            first.group
        ),
        finding: finding(subject, timings, first),
        scene: scene(subject, timings),
        table: table(subject, timings),
    })
}

/// Distributions that can be drawn, with the index of their contender.
fn courses<'a>(
    subject: &'a Subject,
    timings: &'a Timings,
) -> impl Iterator<Item = (usize, &'a PercentileTime)> {
    let contenders = subject.results.contenders.iter().enumerate();
    contenders.filter_map(|(index, contender)| {
        let mut all = timings.percentiles.iter();
        let own = all.find(|time| time.contender == contender.name)?;
        let is_whole = own.dependent_ns.iter().all(|time| time.is_finite() && *time >= 0.0);
        is_whole.then_some((index, own))
    })
}

fn scene(subject: &Subject, timings: &Timings) -> Scene {
    let drawn = || courses(subject, timings).take(DRAWN_MAX);
    let (bottom, right) = (TOP + height_for(drawn().count(), HEIGHT), WIDTH - NAMES);
    let mut scene = Scene::new(WIDTH, bottom + 30.0);
    let times = drawn().flat_map(|(_, course)| course.dependent_ns.map(|t| t.max(SHOWN_MIN)));
    let (low, high) = extent(times);
    let down = Scale::logarithmic((low / 1.25, high * 1.25), (bottom, TOP));
    let across = |at: usize| LEFT + 24.0 + at as f64 * (right - LEFT - 48.0) / 4.0;
    grid_across(&mut scene, &down, (LEFT, right), 8, |tick, _| plain_time(tick));
    for (at, title) in TITLES.iter().enumerate() {
        scene.line(vec![(across(at), TOP), (across(at), bottom)], GRID, 1.0);
        scene.note((across(at), bottom + 15.0), title, Anchor::Middle);
    }
    scene.axis((LEFT, TOP), (LEFT, bottom));
    scene.axis((LEFT, bottom), (right, bottom));
    scene.note((right + 14.0, bottom + 15.0), "of the groups", Anchor::Start);
    let mut labels = Vec::new();
    for (index, course) in drawn() {
        let (contender, look) = (&subject.results.contenders[index], subject.look(index));
        let times = course.dependent_ns.iter().enumerate();
        let line: Vec<Point> =
            times.map(|(at, time)| (across(at), down.at(time.max(SHOWN_MIN)))).collect();
        scene.dashed(&line, look.dash(), look.colour, 1.8);
        line.iter().for_each(|&at| scene.marker(at, look, 3.4));
        let colour = if contender.is_rival() { INK } else { QUIET };
        let end = line[line.len() - 1];
        labels.push(EndLabel { end, text: subject.name(contender), look, colour });
    }
    end_labels(&mut scene, labels, right + 14.0, (TOP, bottom - 2.0));
    scene
}

/// How much longer the slow lookups take. The largest time is the machine's more than the
/// contender's, so that nothing is said of it.
fn finding(subject: &Subject, timings: &Timings, first: &PercentileTime) -> String {
    let rivals = courses(subject, timings)
        .filter(|(index, _)| subject.results.contenders[*index].is_rival());
    let tails: Vec<String> = rivals
        .filter(|(_, course)| course.dependent_ns[0] > course.floor_ns)
        .map(|(index, course)| {
            let name = subject.name(&subject.results.contenders[index]);
            let [half, _, most, ..] = course.dependent_ns;
            format!("{name} {}-fold", number::ratio(most / half, 1))
        })
        .collect();
    let tails = match tails.is_empty() {
        true => String::new(),
        false => format!("From 50 to 99 % the time grows: {}. ", list_up_to(&tails, 12)),
    };
    format!(
        "{tails}What one lookup of a group takes longer shows as a {}th of it. The harness took {} \
         a lookup, which is subtracted; the largest times are mostly what else the machine \
         did.{}",
        first.group,
        nanoseconds(first.floor_ns),
        left_out(subject)
    )
}

fn table(subject: &Subject, timings: &Timings) -> Table {
    let mut columns = vec![
        Column::words("contender"),
        Column::figures("nodes", ""),
        Column::figures("groups", "lookups in each"),
    ];
    columns.extend(TITLES.map(|title| Column::figures(title, "A/A spread")));
    let rows = timings.percentiles.iter().map(|time| {
        let mut cells = vec![
            Cell::new(time.contender.as_str()),
            Cell::new(number::count(time.nodes.into())),
            Cell::new(number::count(time.groups.into())).with_note(time.group.to_string()),
        ];
        cells.extend((0..PERCENTILES.len()).map(|at| {
            let lost = time.dependent_ns[at] <= time.floor_ns;
            let lost = if lost { ", within the floor" } else { "" };
            Cell::new(nanoseconds(time.dependent_ns[at]))
                .with_note(format!("{}{lost}", percent(time.aa_spread[at])))
        }));
        Row { look: subject.look_named(&time.contender), cells }
    });
    Table::capped(columns, rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_say_the_percentiles() {
        for (title, percentile) in TITLES.iter().zip(PERCENTILES) {
            let is_last = *title == "largest" && percentile == 100.0;
            assert!(is_last || *title == format!("{percentile} %"), "{title}, {percentile}");
        }
    }
}
