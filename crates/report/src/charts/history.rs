//! What one bench took over the runs of a machine: medians with their intervals, and in words.

use placelab_results::{BenchRun, BenchTime};

use super::frame::{WIDTH, grid_across, grid_down};
use crate::number::{self, nanoseconds};
use crate::palette::{INK, SERIES};
use crate::scale::{Scale, extent};
use crate::scene::{Anchor, Point, Scene};
use crate::table::{Cell, Column, Row, Table};
use crate::text::{one_line, plural};

const LEFT: f64 = 62.0;
const HEIGHT: f64 = 130.0;
/// Runs that a picture has room for, the last ones.
const RUNS_MAX: usize = 100;
/// Least part of the times that the axis spans, so that nothing looks like a cliff.
const SPAN_MIN: f64 = 0.3;
/// What has to be beyond a first median for a page to name a bench.
const NAMED_MIN: f64 = 0.05;

/// A bench over the runs that have it.
pub(crate) struct Course<'a> {
    pub(crate) id: &'a str,
    /// Numbers of runs, from 1, with the run and what it says; at least one.
    pub(crate) points: Vec<(usize, &'a BenchRun, &'a BenchTime)>,
}

impl<'a> Course<'a> {
    pub(crate) fn first(&self) -> (usize, &'a BenchRun, &'a BenchTime) {
        self.points[0]
    }

    pub(crate) fn last(&self) -> (usize, &'a BenchRun, &'a BenchTime) {
        self.points[self.points.len() - 1]
    }

    /// The part by which the last median is above the first.
    pub(crate) fn change(&self) -> f64 {
        self.last().2.median_ns / self.first().2.median_ns - 1.0
    }

    /// Whether the last run lies above the first, with its whole interval and by what matters.
    pub(crate) fn has_risen(&self) -> bool {
        self.last().2.low_ns > self.first().2.high_ns && self.change() > NAMED_MIN
    }

    /// Likewise below.
    pub(crate) fn has_fallen(&self) -> bool {
        self.last().2.high_ns < self.first().2.low_ns && self.change() < -NAMED_MIN
    }

    /// How to read the chart.
    pub(crate) fn reading(&self) -> String {
        let each = match self.last().2.elements {
            Some(elements) => format!("an element, {} an iteration", number::count(elements)),
            None => "an iteration".into(),
        };
        let some = match self.points.len() {
            count if count > RUNS_MAX => format!(" The picture shows the last {RUNS_MAX} runs."),
            _ => String::new(),
        };
        format!(
            "Nanoseconds of {each}: the median of each run with its interval within the run. The \
             axis does not begin at 0.{some}"
        )
    }

    /// What the runs say.
    pub(crate) fn finding(&self) -> String {
        let (number, run, first) = self.first();
        let (last_number, last_run, last) = self.last();
        if self.points.len() == 1 {
            return format!(
                "One run ({}): {} ({}). There is nothing to set it beside yet.",
                origin(number, run),
                nanoseconds(first.median_ns),
                interval(first)
            );
        }
        let change = match self.change() {
            change if change.abs() < 0.0005 => "no more and no less".into(),
            change if change > 0.0 => format!("{} more", number::percent(change)),
            change => format!("{} less", number::percent(-change)),
        };
        let apart = match first.high_ns < last.low_ns || last.high_ns < first.low_ns {
            true => "lie apart",
            false => "overlap",
        };
        let medians = || self.points.iter().map(|(.., bench)| bench.median_ns);
        let range = number::range(
            medians().fold(f64::INFINITY, f64::min),
            medians().fold(0.0, f64::max),
            nanoseconds,
        );
        format!(
            "The median was {} at first ({}) and {} at last ({}): {change}. The intervals of the \
             two, {} and {}, {apart}. Over {} the medians were {range}.",
            nanoseconds(first.median_ns),
            origin(number, run),
            nanoseconds(last.median_ns),
            origin(last_number, last_run),
            interval(first),
            interval(last),
            plural(self.points.len() as u64, "run", "runs"),
        )
    }

    /// The drawing.
    pub(crate) fn scene(&self) -> Scene {
        let points = &self.points[self.points.len().saturating_sub(RUNS_MAX)..];
        let (upper, bottom, right) = (10.0, 10.0 + HEIGHT, WIDTH - 40.0);
        let mut scene = Scene::new(WIDTH, bottom + 26.0);
        let times = points.iter().flat_map(|(.., bench)| [bench.low_ns, bench.high_ns]);
        let (low, high) = extent(times.filter(|ns| ns.is_finite()));
        let middle = (low + high) / 2.0;
        let half = (0.55 * (high - low)).max(middle * SPAN_MIN / 2.0);
        let down = Scale::linear(((middle - half).max(0.0), middle + half), (bottom, upper));
        let (from, to) = (points[0].0 as f64, points[points.len() - 1].0 as f64);
        let across = Scale::linear((from - 0.5, to + 0.5), (LEFT, right));
        grid_across(&mut scene, &down, (LEFT, right), 4, number::decimal);
        let wanted = points.len().min(12);
        grid_down(&mut scene, &across, (upper, bottom), wanted, |tick, decimals| {
            // Between two runs there is none.
            if decimals == 0 { number::decimal(tick, 0) } else { String::new() }
        });
        scene.axis((LEFT, upper), (LEFT, bottom));
        scene.axis((LEFT, bottom), (right, bottom));
        scene.note((right + 8.0, bottom + 4.0), "run", Anchor::Start);
        scene.note((right + 8.0, upper + 4.0), "ns", Anchor::Start);
        let at = |run: usize, ns: f64| -> Point { (across.at(run as f64), down.at(ns)) };
        let medians: Vec<Point> = points.iter().map(|(n, _, b)| at(*n, b.median_ns)).collect();
        scene.line(medians.clone(), SERIES, 1.8);
        for (number, _, bench) in points {
            let (low, high) = (at(*number, bench.low_ns), at(*number, bench.high_ns));
            scene.whisker(low, high, 3.0, INK.thin(0.75));
        }
        medians.into_iter().for_each(|at| scene.disc(at, 3.2, SERIES));
        scene
    }

    /// The data, the last run first.
    pub(crate) fn table(&self) -> Table {
        let columns = vec![
            Column::figures("run", ""),
            Column::words("when"),
            Column::words("commit"),
            Column::words("compiler"),
            Column::figures("median", "interval"),
        ];
        let rows = self.points.iter().rev().map(|(number, run, bench)| {
            Row::from(vec![
                Cell::new(number.to_string()),
                Cell::new(one_line(&run.when)),
                Cell::new(commit(run)),
                Cell::new(one_line(&run.rustc)),
                Cell::new(nanoseconds(bench.median_ns)).with_note(interval(bench)),
            ])
        });
        Table::capped(columns, rows.collect())
    }
}

fn interval(bench: &BenchTime) -> String {
    number::range(bench.low_ns, bench.high_ns, nanoseconds)
}

/// The commit of a run, and whether files were changed.
pub(crate) fn commit(run: &BenchRun) -> String {
    let commit: String = run.commit.as_deref().unwrap_or("no commit").chars().take(10).collect();
    let changed = if run.is_dirty { ", changed" } else { "" };
    format!("{}{changed}", one_line(&commit))
}

/// `run 3, 2026-11-30, 0123456789`.
fn origin(number: usize, run: &BenchRun) -> String {
    let day: String = run.when.chars().take(10).collect();
    format!("run {number}, {}, {}", one_line(&day), commit(run))
}
