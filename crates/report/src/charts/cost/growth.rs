//! Memory against the number of nodes, where a run has fleets of many sizes.

use std::collections::{BTreeMap, BTreeSet};

use placelab_results::Contender;

use super::{held, plain_bytes};
use crate::charts::frame::{
    DRAWN_MAX, EndLabel, WIDTH, drawn, end_labels, grid_across, height_for, lines_down,
};
use crate::number::{self, bytes};
use crate::palette::{INK, QUIET};
use crate::scale::{Scale, extent};
use crate::scene::{Anchor, Point, Scene};
use crate::subject::{Subject, steps};
use crate::table::{Cell, Row};

/// Sizes of fleets from which on memory is drawn against them.
const SIZES_MIN: usize = 4;
const LEFT: f64 = 62.0;
const NAMES: f64 = 168.0;
const HEIGHT: f64 = 250.0;

/// The bytes of one contender by nodes: the largest median of its steps of that size.
pub(super) struct Fleet<'a> {
    pub(super) index: usize,
    pub(super) contender: &'a Contender,
    pub(super) bytes: BTreeMap<u32, f64>,
}

/// Memory by size, where the run has sizes enough; else nothing.
pub(super) fn fleets<'a>(subject: &Subject<'a>) -> Vec<Fleet<'a>> {
    let fleet = |(index, contender): (usize, &'a Contender)| {
        let mut bytes: BTreeMap<u32, f64> = BTreeMap::new();
        for (timeline, step, taken) in steps(contender) {
            let planned = subject.results.plan.get(timeline).and_then(|one| one.steps.get(step));
            let Some(held) = held(taken).filter(|held| *held > 0.0) else { continue };
            if let Some(planned) = planned.filter(|one| one.nodes > 0) {
                let most = bytes.entry(planned.nodes).or_insert(held);
                *most = most.max(held);
            }
        }
        (!bytes.is_empty()).then_some(Fleet { index, contender, bytes })
    };
    let fleets = subject.results.contenders.iter().enumerate().filter_map(fleet);
    let fleets: Vec<Fleet> = fleets.collect();
    let sizes = fleets.iter().map(|fleet| fleet.bytes.len()).max().unwrap_or(0);
    if sizes < SIZES_MIN { Vec::new() } else { fleets }
}

/// Draws the panel; gives the y below it.
pub(super) fn draw(scene: &mut Scene, subject: &Subject, fleets: &[Fleet], top: f64) -> f64 {
    let shown: Vec<usize> = drawn(subject).map(|(index, _)| index).collect();
    let fleets = || fleets.iter().filter(|fleet| shown.contains(&fleet.index)).take(DRAWN_MAX);
    let right = WIDTH - NAMES;
    let upper = top + 24.0;
    let bottom = upper + height_for(fleets().count(), HEIGHT);
    scene.text((0.0, top + 12.0), "Memory of a client", 13.0, Anchor::Start, INK);
    let sizes = fleets().flat_map(|fleet| fleet.bytes.keys().copied().map(f64::from));
    let (least, most) = extent(sizes);
    let across = Scale::logarithmic((least / 1.15, most * 1.15), (LEFT, right));
    let (least, most) = extent(fleets().flat_map(|fleet| fleet.bytes.values().copied()));
    let down = Scale::logarithmic((least / 1.5, most * 1.5), (bottom, upper));
    grid_across(scene, &down, (LEFT, right), 6, |tick, _| plain_bytes(tick));
    let sizes: BTreeSet<u32> = fleets().flat_map(|fleet| fleet.bytes.keys().copied()).collect();
    let sizes =
        sizes.into_iter().map(|nodes| (across.at(nodes.into()), number::count(nodes.into())));
    lines_down(scene, sizes, (upper, bottom));
    scene.axis((LEFT, upper), (LEFT, bottom));
    scene.axis((LEFT, bottom), (right, bottom));
    scene.note((right + 14.0, bottom + 15.0), "nodes", Anchor::Start);
    let mut labels = Vec::new();
    for fleet in fleets() {
        let look = subject.look(fleet.index);
        let point = |(&nodes, &held): (&u32, &f64)| (across.at(nodes.into()), down.at(held));
        let points: Vec<Point> = fleet.bytes.iter().map(point).collect();
        scene.dashed(&points, look.dash(), look.colour, 1.8);
        points.iter().for_each(|&at| scene.marker(at, look, 3.2));
        let Some(&end) = points.last() else { continue };
        let colour = if fleet.contender.is_rival() { INK } else { QUIET };
        labels.push(EndLabel { end, text: subject.name(fleet.contender), look, colour });
    }
    end_labels(scene, labels, right + 14.0, (upper, bottom - 2.0));
    bottom + 34.0
}

/// Rows for the table: all bytes at each size.
pub(super) fn rows(subject: &Subject, fleets: &[Fleet], columns: usize) -> Vec<Row> {
    let row = |fleet: &Fleet, (&nodes, &held): (&u32, &f64)| {
        let name = subject.name(fleet.contender);
        let name = format!("{name}, {} nodes, both together", number::count(nodes.into()));
        let mut cells = vec![Cell::new(name), Cell::none(), Cell::new(bytes(held))];
        cells.resize(columns, Cell::none());
        Row { look: Some(subject.look(fleet.index)), cells }
    };
    fleets.iter().flat_map(|fleet| fleet.bytes.iter().map(|at| row(fleet, at))).collect()
}
