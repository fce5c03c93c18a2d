//! The fullest node by keys, by requests and by bytes: what popularity and size add to the hash.

use placelab_results::{Chance, Contender, Measure, Measured, Step};

use super::Chart;
use super::balance::{floor, is_finite};
use super::frame::{self, Swatch, WIDTH, drawn, grid_down, left_out, legend, row_name};
use crate::number::{self, percent, ratio};
use crate::palette::{BAND, GRID, INK, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, SMALL, Scene, TEXT};
use crate::standing::Standing;
use crate::subject::{Subject, figure};
use crate::table::{Cell, Column, Row, Table};
use crate::text::{list, list_up_to};

const ID: &str = "load.max_over_mean";
const NAMES: f64 = 170.0;
const ROW: f64 = 24.0;
/// Room at the right of a panel for its numbers.
const FIGURE: f64 = 44.0;
/// What the middle contender is above fair is at least this part of what is drawn.
const MIDDLE_PART: f64 = 0.3;
/// Contenders that a sentence names.
const NAMES_MAX: usize = 8;

/// The chart, where keys have requests or bytes.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let fleets = fleets(subject);
    let measures = measures(subject, &fleets);
    if measures.len() < 2 {
        return None;
    }
    let last = fleets.iter().map(|fleet| fleet.at).max()?;
    let names: Vec<&str> = measures.iter().map(|measure| measure.name()).collect();
    Some(Chart {
        name: "skew",
        title: "The fullest node by every measure",
        reading: format!(
            "Fleet after {}; load of the fullest node ÷ fair load, 1 is fair, by {} on one scale.",
            subject.step_name(0, last),
            list(&names)
        ),
        finding: finding(subject, &fleets, &measures),
        scene: scene(subject, &fleets, &measures),
        table: table(subject, &fleets, &measures),
    })
}

/// One contender after the last step that it took of the first timeline.
struct Fleet<'a> {
    index: usize,
    contender: &'a Contender,
    step: &'a Step,
    at: usize,
}

impl<'a> Fleet<'a> {
    fn peak(&self, measure: Measure) -> Option<&'a Measured> {
        figure(self.step, &measure.id(ID))
    }

    fn chance(&self, measure: Measure) -> Option<Chance> {
        self.peak(measure)?.chance.filter(is_finite)
    }
}

fn fleets<'a>(subject: &Subject<'a>) -> Vec<Fleet<'a>> {
    let fleet = |(index, contender): (usize, &'a Contender)| {
        let steps = &contender.timelines.first()?.steps;
        Some(Fleet { index, contender, step: steps.last()?, at: steps.len() - 1 })
    };
    subject.results.contenders.iter().enumerate().filter_map(fleet).collect()
}

/// The measures that keys have and loads are known by.
fn measures(subject: &Subject, fleets: &[Fleet]) -> Vec<Measure> {
    let keys = &subject.results.keys;
    let have = |measure: &Measure| match measure {
        Measure::Keys => true,
        Measure::Requests => keys.requests.is_some(),
        Measure::Bytes => keys.bytes.is_some(),
    };
    let known = |measure: &Measure| fleets.iter().any(|fleet| fleet.peak(*measure).is_some());
    Measure::ALL.into_iter().filter(have).filter(known).collect()
}

/// What the largest key alone gives its node, at least: known by requests.
fn least(subject: &Subject, fleet: &Fleet, measure: Measure) -> Option<f64> {
    let share = subject.results.keys.largest_request_share?;
    (measure == Measure::Requests).then(|| floor(fleet.step, share)).flatten()
}

// ---- picture ---------------------------------------------------------------------------------

fn scene(subject: &Subject, fleets: &[Fleet], measures: &[Measure]) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let shown: Vec<&Fleet> = drawn(subject)
        .filter_map(|(index, _)| fleets.iter().find(|fleet| fleet.index == index))
        .collect();
    let domain = domain(subject, &shown, measures);
    let mut items = vec![(Swatch::Band, "pure chance, 5–95 %"), (Swatch::Fair, "fair")];
    let whisker = format!("5–95 % of {} seeds", subject.results.seeds);
    if subject.has_intervals() {
        items.push((Swatch::Whisker, &whisker));
    }
    let floors = shown.iter().filter_map(|fleet| least(subject, fleet, Measure::Requests));
    if floors.into_iter().any(|floor| (domain.0..=domain.1).contains(&floor)) {
        items.push((Swatch::Dashed, "the largest key alone"));
    }
    let top = legend(&mut scene, 0.0, &items) + 28.0;
    let bottom = top + ROW * shown.len() as f64;
    for (row, fleet) in shown.iter().enumerate() {
        let middle = top + ROW * (row as f64 + 0.5);
        row_name(&mut scene, subject, (fleet.index, fleet.contender), (0.0, middle), NAMES);
    }
    let width = (WIDTH - NAMES) / measures.len() as f64;
    for (column, &measure) in measures.iter().enumerate() {
        let left = NAMES + 10.0 + width * column as f64;
        let title = format!("by {}", measure.name());
        scene.text((left, top - 8.0), &title, TEXT, Anchor::Start, INK);
        let scale = Scale::linear(domain, (left, left + width - FIGURE - 14.0));
        panel(&mut scene, subject, &shown, measure, &scale, top);
    }
    let middle = (NAMES + WIDTH) / 2.0;
    scene.note((middle, bottom + 34.0), "load of the fullest node ÷ fair load", Anchor::Middle);
    scene.height = bottom + 42.0;
    scene
}

/// The loads that all panels show: far ones, which would leave the others no room, lie beyond.
fn domain(subject: &Subject, shown: &[&Fleet], measures: &[Measure]) -> (f64, f64) {
    let all = || shown.iter().flat_map(|fleet| measures.iter().map(move |one| (*fleet, *one)));
    let peaks = all().filter_map(|(fleet, measure)| Some(fleet.peak(measure)?.high - 1.0));
    let chances = all().filter_map(|(fleet, measure)| Some(fleet.chance(measure)?.high - 1.0));
    let floors = all().filter_map(|(fleet, measure)| Some(least(subject, fleet, measure)? - 1.0));
    let most = frame::reach(peaks.map(|above| above.max(0.0)), MIDDLE_PART);
    let most = chances.chain(floors).fold(most, f64::max).max(1e-3);
    (1.0 - 0.06 * most, 1.0 + 1.06 * most)
}

fn panel(
    scene: &mut Scene,
    subject: &Subject,
    shown: &[&Fleet],
    measure: Measure,
    scale: &Scale,
    top: f64,
) {
    let bottom = top + ROW * shown.len() as f64;
    let line = |row: usize| top + ROW * row as f64;
    for (row, fleet) in shown.iter().enumerate() {
        if let Some(chance) = fleet.chance(measure) {
            let (from, to) = (scale.clamped(chance.low), scale.clamped(chance.high));
            let y = line(row);
            scene.rectangle((from, y + 1.0), (to.max(from + 1.0), y + ROW - 1.0), BAND);
        }
    }
    grid_down(scene, scale, (top, bottom), 4, number::decimal);
    scene.line(vec![(scale.at(1.0), top), (scale.at(1.0), bottom)], INK, 1.2);
    for (row, fleet) in shown.iter().enumerate() {
        let middle = line(row) + ROW / 2.0;
        if row > 0 {
            let ends = vec![(scale.at(1.0), line(row)), (scale.clamped(f64::MAX), line(row))];
            scene.line(ends, GRID, 1.0);
        }
        if let Some(floor) = least(subject, fleet, measure).filter(|floor| scale.shows(*floor)) {
            let x = scale.at(floor);
            let ends = [(x, line(row)), (x, line(row) + ROW)];
            scene.dashed(&ends, &[5.0, 3.0], QUIET, 1.5);
        }
        let Some(peak) = fleet.peak(measure) else { continue };
        let look = subject.look(fleet.index);
        let (low, high) = (scale.clamped(peak.low), scale.clamped(peak.high));
        if high - low > 1.0 {
            scene.whisker((low, middle), (high, middle), 3.0, look.colour);
        }
        let is_beyond = !scale.shows(peak.median);
        if !is_beyond {
            scene.marker((scale.at(peak.median), middle), look, 3.6);
        }
        let arrow = if is_beyond { "→ " } else { "" };
        let text = format!("{arrow}{}", subject.load(peak.median));
        let at = (scale.clamped(f64::MAX) + 6.0, middle + 4.0);
        scene.text(at, &text, SMALL, Anchor::Start, INK);
    }
}

// ---- words -----------------------------------------------------------------------------------

fn finding(subject: &Subject, fleets: &[Fleet], measures: &[Measure]) -> String {
    let mut sentences = Vec::new();
    sentences.extend(middles(fleets, measures));
    sentences.extend(by_chance(subject, fleets, measures));
    let others = measures.iter().filter(|measure| **measure != Measure::Keys);
    sentences.extend(others.filter_map(|measure| above(subject, fleets, *measure)));
    let floor = fleets.iter().find_map(|fleet| least(subject, fleet, Measure::Requests));
    if let (Some(floor), Some(share)) = (floor, subject.results.keys.largest_request_share) {
        sentences.push(format!(
            "The largest key has {} of the requests: no fullest node has less than {} × fair, \
             whatever the placement{}.",
            percent(share),
            ratio(floor, 2),
            if floor < 1.0 { ", which is below fair and binds nobody" } else { "" }
        ));
    }
    sentences.join(" ") + &left_out(subject)
}

/// How far the fullest node of the middle rival is above fair by each measure.
fn middles(fleets: &[Fleet], measures: &[Measure]) -> Option<String> {
    let middle = |measure: Measure| {
        let rivals = fleets.iter().filter(|fleet| fleet.contender.is_rival());
        let mut peaks: Vec<f64> =
            rivals.filter_map(|fleet| Some(fleet.peak(measure)?.median - 1.0)).collect();
        peaks.sort_by(f64::total_cmp);
        peaks.get(peaks.len() / 2).copied()
    };
    let by_keys = middle(Measure::Keys)?;
    let one = |measure: &Measure| {
        let above = middle(*measure)?;
        let times = above / by_keys;
        let times = match *measure {
            Measure::Keys => String::new(),
            _ if !times.is_finite() => String::new(),
            _ => format!(" ({} times as far)", ratio(times, 1)),
        };
        Some(format!("{} by {}{times}", percent(above), measure.name()))
    };
    let said: Vec<String> = measures.iter().filter_map(one).collect();
    Some(format!(
        "In the middle of the contenders the fullest node is above fair by {}.",
        list(&said)
    ))
}

/// What an ideal hash would give by each measure.
fn by_chance(subject: &Subject, fleets: &[Fleet], measures: &[Measure]) -> Option<String> {
    let one = |measure: &Measure| {
        let chance = fleets.iter().rev().find_map(|fleet| fleet.chance(*measure))?;
        let print = |load: f64| subject.load(load);
        let range = number::range(chance.low, chance.high, print);
        Some(format!("{} by {} (5–95 %: {range})", print(chance.mean), measure.name()))
    };
    let said: Vec<String> = measures.iter().filter_map(one).collect();
    (said.len() > 1).then(|| {
        format!(
            "Of an ideal hash it has on average {} × fair: what grows from one to the other is in \
             the keys and not in the hash.",
            list(&said)
        )
    })
}

/// Who is above the band of chance by a measure.
fn above(subject: &Subject, fleets: &[Fleet], measure: Measure) -> Option<String> {
    let those = |wanted: Standing| -> Vec<String> {
        let peaks = fleets.iter().filter_map(|fleet| Some((fleet, fleet.peak(measure)?)));
        let found = peaks.filter(|(_, peak)| Standing::of(peak, subject.results.seeds) == wanted);
        found
            .map(|(fleet, peak)| {
                format!("{} {}", subject.name(fleet.contender), subject.load(peak.median))
            })
            .collect()
    };
    let (above, within) = (those(Standing::Above), those(Standing::Within));
    let measure = measure.name();
    match (above.is_empty(), within.is_empty()) {
        (true, true) => None,
        (true, false) => Some(format!("By {measure} nobody is above the band of chance.")),
        (false, _) => Some(format!(
            "By {measure} above the band of chance, × fair: {}.",
            list_up_to(&above, NAMES_MAX)
        )),
    }
}

fn table(subject: &Subject, fleets: &[Fleet], measures: &[Measure]) -> Table {
    let mut columns = vec![Column::words("contender"), Column::words("after")];
    for measure in measures {
        let name = measure.name();
        columns.push(Column::figures(format!("fullest by {name}"), "× fair, median, 5–95 %"));
        columns.push(Column::figures(format!("chance by {name}"), "mean, 5–95 %"));
    }
    columns.push(Column::figures("largest key alone", "× fair, by requests"));
    let print = |load: f64| subject.load(load);
    let row = |fleet: &Fleet| {
        let mut cells = vec![
            Cell::new(subject.name(fleet.contender)),
            Cell::new(subject.step_name(0, fleet.at)),
        ];
        for &measure in measures {
            cells.push(fleet.peak(measure).map_or(Cell::none(), |peak| {
                let cell = Cell::new(print(peak.median));
                let range = number::interval(peak, print);
                if subject.has_intervals() { cell.with_note(range) } else { cell }
            }));
            cells.push(fleet.chance(measure).map_or(Cell::none(), |chance| {
                let range = number::range(chance.low, chance.high, print);
                Cell::new(print(chance.mean)).with_note(range)
            }));
        }
        let floor = least(subject, fleet, Measure::Requests);
        cells.push(floor.map_or(Cell::none(), |floor| Cell::new(ratio(floor, 2))));
        Row { look: Some(subject.look(fleet.index)), cells }
    };
    Table::capped(columns, fleets.iter().map(row).collect())
}
