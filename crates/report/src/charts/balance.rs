//! Load of every node beside what pure chance gives.

mod data;

use placelab_results::{Chance, Contender, Measure, NODES_LISTED_MAX, NodeLoad, Step};

use super::Chart;
use super::frame::{Swatch, WIDTH, drawn, grid_down, left_out, legend, row_name};
use crate::font::fit;
use crate::number::{self, percent};
use crate::palette::{AXIS, BAND, INK, Look, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, SMALL, Scene};
use crate::standing::{Standing, all_of_it, named};
use crate::subject::{Subject, figure};
use crate::text::list_up_to;

/// Balance by keys.
pub(super) fn by_keys(subject: &Subject) -> Option<Chart> {
    chart(subject, Measure::Keys, "balance", "Load of each node, by keys")
}

/// Balance by requests, where keys have requests.
pub(super) fn by_requests(subject: &Subject) -> Option<Chart> {
    subject.results.keys.requests?;
    chart(subject, Measure::Requests, "balance-requests", "Load of each node, by requests")
}

/// One contender's fleet after the last step that it took.
struct Fleet<'a> {
    index: usize,
    contender: &'a Contender,
    step: &'a Step,
    /// Whether its nodes have figures of their own, and not too many to draw.
    is_listed: bool,
    /// Index of the step.
    at: usize,
    /// Load over fair load of each node that has a weight.
    loads: Vec<f64>,
    /// Standard deviation of the loads, where nodes are too many to be listed: of each other figure
    /// of theirs nothing is known.
    deviation: Option<f64>,
    /// From the least loaded node to the fullest of an ideal hash.
    band: Option<(f64, f64)>,
    /// What the largest key alone gives its node, at least, by requests.
    floor: Option<f64>,
}

impl Fleet<'_> {
    /// Smallest and largest load.
    fn range(&self) -> Option<(f64, f64)> {
        let least = self.loads.iter().copied().reduce(f64::min)?;
        let most = self.loads.iter().copied().reduce(f64::max)?;
        Some((least, most))
    }

    /// How far the load of a node is from fair, at most.
    fn reach(&self) -> f64 {
        self.loads.iter().map(|load| (load - 1.0).abs()).fold(0.0, f64::max)
    }
}

fn has_weight(node: &NodeLoad) -> bool {
    node.weight.parse::<f64>().map_or(true, |weight| weight > 0.0)
}

fn fleet(index: usize, contender: &Contender, measure: Measure) -> Option<Fleet<'_>> {
    let steps = &contender.timelines.first()?.steps;
    let step = steps.last()?;
    let is_listed = (1..=NODES_LISTED_MAX).contains(&step.nodes.len());
    let nodes = step.nodes.iter().filter(|node| has_weight(node));
    let mut loads: Vec<f64> = nodes
        .filter_map(|node| Some(node.load.get(measure.name())?.first))
        .filter(|load| load.is_finite())
        .collect();
    let (least, most) = (measure.id("load.min_over_mean"), measure.id("load.max_over_mean"));
    let mut deviation = None;
    if loads.is_empty() || !is_listed {
        // A fleet too large for a table of nodes: its extremes and its spread alone.
        loads = [&least, &most].iter().filter_map(|id| Some(figure(step, id)?.median)).collect();
        deviation = figure(step, &measure.id("load.cv")).map(|spread| spread.median);
    }
    let chance = |id: &str| figure(step, id)?.chance.filter(is_finite);
    let band = match (chance(&least), chance(&most)) {
        (Some(least), Some(most)) => Some((least.low, most.high)),
        _ => None,
    };
    let (at, known) = (steps.len() - 1, !loads.is_empty());
    let fleet =
        Fleet { index, contender, step, at, loads, deviation, band, floor: None, is_listed };
    known.then_some(fleet)
}

/// The load over the fair one of the heaviest node, if it had but the largest key.
pub(super) fn floor(step: &Step, share: f64) -> Option<f64> {
    let weights = step.nodes.iter().filter_map(|node| node.weight.parse::<f64>().ok());
    let most = weights.clone().fold(0.0, f64::max);
    Some(share * weights.sum::<f64>() / most).filter(|floor| floor.is_finite())
}

pub(super) fn is_finite(chance: &Chance) -> bool {
    chance.low.is_finite() && chance.mean.is_finite() && chance.high.is_finite()
}

fn chart(
    subject: &Subject,
    measure: Measure,
    name: &'static str,
    title: &'static str,
) -> Option<Chart> {
    let contenders = subject.results.contenders.iter().enumerate();
    let mut fleets: Vec<Fleet> =
        contenders.filter_map(|(index, contender)| fleet(index, contender, measure)).collect();
    let share = subject.results.keys.largest_request_share;
    if let Some(share) = share.filter(|_| measure == Measure::Requests) {
        fleets.iter_mut().for_each(|fleet| fleet.floor = floor(fleet.step, share));
    }
    let last = fleets.iter().map(|fleet| fleet.at).max()?;
    let marks = if fleets.iter().any(|fleet| fleet.is_listed) {
        "one dot is one node at seed 0, the published function"
    } else {
        "a line reaches from the least loaded to the fullest node, medians over the seeds"
    };
    let after = subject.step_name(0, last);
    let reading = format!("Fleet after {after}; load ÷ fair load, 1 is fair; {marks}.");
    Some(Chart {
        name,
        title,
        reading,
        finding: finding(subject, &fleets, measure, last),
        scene: scene(subject, &fleets, measure, last),
        table: data::table(subject, &fleets, measure),
    })
}

// ---- picture ---------------------------------------------------------------------------------

const NAMES: f64 = 170.0;
const FIGURES: f64 = 96.0;
const ROW: f64 = 30.0;

/// The stretches of load that the panels show: everything, and near to fair where all but a few
/// far nodes would be one blot. Gives the half width of the near panel.
fn near_reach(fleets: &[&Fleet]) -> f64 {
    let band = fleets.iter().filter_map(|fleet| fleet.band);
    let chance = band.map(|(low, high)| (1.0 - low).max(high - 1.0)).fold(0.0, f64::max);
    let least = fleets.iter().map(|fleet| fleet.reach()).fold(f64::INFINITY, f64::min);
    let near = 3.0 * least.max(2.0 * chance);
    let reaches = fleets.iter().map(|fleet| fleet.reach()).filter(|reach| *reach <= near);
    1.12 * reaches.fold(1.6 * chance, f64::max)
}

fn scene(subject: &Subject, fleets: &[Fleet], measure: Measure, last: usize) -> Scene {
    let shown: Vec<&Fleet> = drawn(subject)
        .filter_map(|(index, _)| fleets.iter().find(|fleet| fleet.index == index))
        .collect();
    let node = if shown.iter().any(|fleet| fleet.is_listed) {
        (Swatch::Dot, "one node, seed 0")
    } else {
        (Swatch::Whisker, "least to fullest node, medians")
    };
    let mut scene = Scene::new(WIDTH, 0.0);
    let band = (Swatch::Band, "pure chance: an ideal hash's least to fullest node, 5–95 %");
    let mut items = vec![node, band];
    if shown.iter().any(|fleet| fleet.deviation.is_some()) {
        items.push((Swatch::Fill(QUIET), "one standard deviation about fair"));
    }
    if shown.iter().any(|fleet| fleet.floor.is_some()) {
        items.push((Swatch::Dashed, "the largest key alone: no fullest node has less"));
    }
    let top = legend(&mut scene, 0.0, &items) + 22.0;
    let bottom = top + ROW * shown.len() as f64;
    for (row, fleet) in shown.iter().enumerate() {
        let middle = top + ROW * (row as f64 + 0.5);
        let early = fleet.at < last;
        let colour = subject.look(fleet.index).colour;
        let at = (0.0, if early { middle - 5.0 } else { middle });
        row_name(&mut scene, subject, (fleet.index, fleet.contender), at, NAMES);
        if early {
            let text = format!("after {}", subject.step_name(0, fleet.at));
            let text = fit(&text, 10.0, NAMES - 16.0);
            scene.text((15.0, middle + 11.0), &text, 10.0, Anchor::Start, QUIET.like(colour));
        }
        if let Some((least, most)) = fleet.range() {
            let range = number::range(least, most, |load| subject.load(load));
            scene.text((WIDTH, middle + 4.2), &range, SMALL, Anchor::End, INK.like(colour));
        }
    }
    scene.note((WIDTH, top - 8.0), "least–fullest", Anchor::End);
    let (least, most) = shown
        .iter()
        .filter_map(|fleet| fleet.range())
        .fold((1.0f64, 1.0f64), |(least, most), (low, high)| (least.min(low), most.max(high)));
    let floors = shown.iter().filter_map(|fleet| fleet.floor);
    let least = floors.fold(least, f64::min);
    let band = shown.iter().filter_map(|fleet| fleet.band);
    let (least, most) =
        band.fold((least, most), |(least, most), (low, high)| (least.min(low), most.max(high)));
    let edge = 0.04 * (most - least).max(0.01);
    let near = near_reach(&shown);
    let (left, right) = (NAMES + 10.0, WIDTH - FIGURES);
    let whole = (least - edge, most + edge);
    let unit = format!("load ÷ fair load, by {}", measure.name());
    if (most - least) > 2.2 * 2.0 * near && near > 0.0 {
        let cut = left + 0.36 * (right - left);
        panel(&mut scene, subject, &shown, (top, bottom), (left, cut - 18.0), whole);
        scene.note((left, top - 8.0), "every node", Anchor::Start);
        let close = (1.0 - near, 1.0 + near);
        panel(&mut scene, subject, &shown, (top, bottom), (cut + 18.0, right - 12.0), close);
        scene.note((cut + 18.0, top - 8.0), "close to fair (arrows: nodes beyond)", Anchor::Start);
    } else {
        panel(&mut scene, subject, &shown, (top, bottom), (left, right - 12.0), whole);
    }
    scene.note(((left + right) / 2.0, bottom + 34.0), &unit, Anchor::Middle);
    scene.height = bottom + 42.0;
    scene
}

fn panel(
    scene: &mut Scene,
    subject: &Subject,
    fleets: &[&Fleet],
    (top, bottom): (f64, f64),
    (left, right): (f64, f64),
    domain: (f64, f64),
) {
    let scale = Scale::linear(domain, (left, right));
    for (row, fleet) in fleets.iter().enumerate() {
        if let Some((low, high)) = fleet.band {
            let y = top + ROW * row as f64;
            let (from, to) = (scale.clamped(low), scale.clamped(high));
            scene.rectangle((from, y + 1.0), (to.max(from + 1.0), y + ROW - 1.0), BAND);
        }
    }
    let wanted = ((right - left) / 46.0) as usize;
    grid_down(scene, &scale, (top, bottom), wanted, number::decimal);
    if scale.shows(1.0) {
        scene.line(vec![(scale.at(1.0), top), (scale.at(1.0), bottom)], INK, 1.2);
    }
    scene.axis((left, bottom), (right, bottom));
    for (row, fleet) in fleets.iter().enumerate() {
        let middle = top + ROW * (row as f64 + 0.5);
        if let Some(floor) = fleet.floor.filter(|floor| scale.shows(*floor)) {
            let x = scale.at(floor);
            let ends = [(x, middle - ROW / 2.0), (x, middle + ROW / 2.0)];
            scene.dashed(&ends, &[5.0, 3.0], QUIET, 1.5);
        }
        dots(scene, fleet, subject.look(fleet.index), &scale, middle);
        beyond(scene, fleet, domain, (left, right), middle);
    }
}

fn dots(scene: &mut Scene, fleet: &Fleet, look: Look, scale: &Scale, middle: f64) {
    if !fleet.is_listed {
        if let Some((least, most)) = fleet.range() {
            let ends = (scale.clamped(least), scale.clamped(most));
            scene.whisker((ends.0, middle), (ends.1, middle), 5.0, look.colour);
        }
        if let Some(deviation) = fleet.deviation.filter(|deviation| *deviation > 0.0) {
            let ends = (scale.clamped(1.0 - deviation), scale.clamped(1.0 + deviation));
            scene.rectangle((ends.0, middle - 4.0), (ends.1, middle + 4.0), look.colour);
        }
        return;
    }
    let radius = if fleet.loads.len() > 60 { 2.0 } else { 3.0 };
    for (index, &load) in fleet.loads.iter().enumerate() {
        // The golden ratio spreads neighbours evenly: dots lie apart, and always the same way.
        let part = (index as f64 * 0.618_033_988_75).fract();
        let y = middle + (part - 0.5) * (ROW - 12.0);
        if scale.shows(load) {
            scene.disc((scale.at(load), y), radius, look.colour.thin(0.75));
        }
    }
}

/// Counts the nodes that lie outside a panel, at the side where they lie.
fn beyond(
    scene: &mut Scene,
    fleet: &Fleet,
    (low, high): (f64, f64),
    (left, right): (f64, f64),
    middle: f64,
) {
    let below = fleet.loads.iter().filter(|load| **load < low).count();
    let above = fleet.loads.iter().filter(|load| **load > high).count();
    if below > 0 {
        scene.text((left - 4.0, middle + 4.0), &format!("← {below}"), 10.0, Anchor::End, QUIET);
    }
    if above > 0 {
        let at = (right + 3.0, middle + 4.0);
        scene.text(at, &format!("{above} →"), 10.0, Anchor::Start, QUIET);
    }
    if below + above > 0 {
        scene.line(vec![(left, middle), (right, middle)], AXIS.thin(0.25), 0.8);
    }
}

// ---- words -----------------------------------------------------------------------------------

fn standing(subject: &Subject, fleet: &Fleet, id: &str) -> Standing {
    let peak = figure(fleet.step, id);
    peak.map_or(Standing::Unknown, |peak| Standing::of(peak, subject.results.seeds))
}

fn finding(subject: &Subject, fleets: &[Fleet], measure: Measure, last: usize) -> String {
    let id = measure.id("load.max_over_mean");
    let names = |wanted: Standing| -> Vec<String> {
        let those = fleets.iter().filter(|fleet| standing(subject, fleet, &id) == wanted);
        those.map(|fleet| subject.name(fleet.contender)).collect()
    };
    let (within, below) = (names(Standing::Within), names(Standing::Below));
    let above = fleets.iter().filter(|fleet| standing(subject, fleet, &id) == Standing::Above);
    let mut peaks: Vec<(f64, String)> = above
        .filter_map(|fleet| Some((figure(fleet.step, &id)?.median, peak(subject, fleet, &id)?)))
        .collect();
    peaks.sort_by(|a, b| b.0.total_cmp(&a.0));
    let peaks: Vec<String> = peaks.into_iter().map(|(_, text)| text).collect();
    let mut text = match (peaks.is_empty() && below.is_empty(), within.is_empty()) {
        (true, true) => "What chance alone would give is not known for these loads.".into(),
        (true, false) => {
            let all = all_of_it(subject.results.seeds);
            format!(
                "For no contender does the fullest node of {all} lie above or below the band of \
                 chance."
            )
        }
        _ => named([
            ("Fullest node above the band of chance", &peaks, 6),
            ("Fullest node below the band of chance", &below, 12),
            ("Fullest node reaching into the band", &within, 12),
        ]),
    };
    if let Some(chance) = fleets.iter().find_map(|fleet| figure(fleet.step, &id)?.chance) {
        text += &format!(
            " With an ideal hash the fullest node has {} × fair on average (5–95 %: {}).",
            subject.load(chance.mean),
            number::range(chance.low, chance.high, |load| subject.load(load)),
        );
    }
    if measure == Measure::Requests
        && let Some(share) = subject.results.keys.largest_request_share
    {
        text += &format!(
            " The largest key alone has {} of all requests: its node has at least that, whatever \
             the placement.",
            percent(share)
        );
    }
    let early: Vec<String> = fleets
        .iter()
        .filter(|fleet| fleet.at < last)
        .map(|fleet| {
            format!("{} after {}", subject.name(fleet.contender), subject.step_name(0, fleet.at))
        })
        .collect();
    if !early.is_empty() {
        text += &format!(" Shown at an earlier step: {}.", list_up_to(&early, 4));
    }
    text + &left_out(subject)
}

/// `ring:vnodes=1 with 4.31 × fair (3.10–5.98)`.
fn peak(subject: &Subject, fleet: &Fleet, id: &str) -> Option<String> {
    let peak = figure(fleet.step, id)?;
    let interval = if subject.has_intervals() {
        format!(" ({})", number::interval(peak, |load| subject.load(load)))
    } else {
        String::new()
    };
    let name = subject.name(fleet.contender);
    Some(format!("{name} with a fullest node of {} × fair{interval}", subject.load(peak.median)))
}
