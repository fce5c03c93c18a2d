//! From how many nodes on a lookup that grows with the fleet is slower than one that does not.

use std::collections::BTreeMap;

use super::Chart;
use super::frame::{Swatch, WIDTH, fit_name, grid_down, legend, row_name};
use super::latency::{Course, batches};
use crate::font::{fit, text_width};
use crate::number::{self, NONE, about, nanoseconds};
use crate::palette::{AXIS, BAND, INK, QUIET};
use crate::scale::{Scale, passes_one};
use crate::scene::{Anchor, SMALL, Scene, TEXT};
use crate::subject::Subject;
use crate::table::{Cell, Column, Row, Table};
use crate::text::{list, plural};

/// Pairs that the chart has room for.
const PAIRS_MAX: usize = 12;
/// Counts of nodes below which a crossing would be a guess.
const COUNTS_MIN: usize = 3;
const NAMES: f64 = 200.0;
const VERDICTS: f64 = 176.0;
/// Room for a word after a name.
const WORD: f64 = 52.0;
const ROW: f64 = 30.0;
const HEADING: f64 = 26.0;
const HALF_BAR: f64 = 4.5;

/// The chart, where a rival that grows and one that does not were timed often enough.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let courses = batches(subject, subject.timings?);
    let all = pairs(&courses);
    let shown = first(&all);
    shown.first()?;
    Some(Chart {
        name: "crossover",
        title: "From how many nodes on a growing lookup is the slower one",
        reading: "Lookups in batches. Growing: its time rises faster than the square root of the \
                  nodes. Crossings are interpolated."
            .into(),
        finding: finding(&shown, all.len()),
        scene: scene(subject, &shown),
        table: table(subject, &all),
    })
}

/// Times of a pair at one count of nodes: median, least and largest of the rounds.
struct Compared {
    nodes: u32,
    growing: [f64; 3],
    steady: [f64; 3],
}

impl Compared {
    /// How many times slower the growing one is, by the medians.
    fn factor(&self) -> f64 {
        self.growing[0] / self.steady[0]
    }

    /// Whether every round of the growing one was slower than every round of the other.
    fn is_slower(&self) -> bool {
        self.growing[1] > self.steady[2]
    }

    /// Whether every round of the growing one was faster.
    fn is_faster(&self) -> bool {
        self.growing[2] < self.steady[1]
    }
}

/// What two contenders were timed at, rising; at least [`COUNTS_MIN`] counts of nodes.
struct Counts(Vec<Compared>);

/// Where the medians cross.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Crossing {
    /// At about so many nodes.
    At(f64),
    /// The growing one is slower at every count that was timed.
    Before,
    /// It is not slower at the largest count that was timed.
    Beyond,
}

impl Counts {
    fn least(&self) -> &Compared {
        &self.0[0]
    }

    fn largest(&self) -> &Compared {
        &self.0[self.0.len() - 1]
    }

    /// The last crossing of the medians, between its neighbours as if both times were power laws.
    fn crossing(&self) -> Crossing {
        let Some(last) = self.0.iter().rposition(|count| count.factor() <= 1.0) else {
            return Crossing::Before;
        };
        let before = &self.0[last];
        let Some(after) = self.0.get(last + 1) else { return Crossing::Beyond };
        let point = |count: &Compared| (f64::from(count.nodes), count.factor());
        Crossing::At(passes_one(point(before), point(after)))
    }

    /// The last count at which every round was faster: the crossing is not before it.
    fn faster_to(&self) -> Option<u32> {
        self.0.iter().rev().find(|count| count.is_faster()).map(|count| count.nodes)
    }

    /// From here on every round was slower: the crossing is not after it.
    fn slower_from(&self) -> Option<u32> {
        let slower = self.0.iter().rev().take_while(|count| count.is_slower());
        slower.last().map(|count| count.nodes)
    }
}

/// A rival whose lookup grows with the fleet beside one whose lookup does not.
struct Pair<'a> {
    growing: &'a Course<'a>,
    steady: &'a Course<'a>,
    counts: Counts,
}

impl<'a> Pair<'a> {
    fn new(growing: &'a Course<'a>, steady: &'a Course<'a>) -> Option<Self> {
        let both = growing.points.iter().filter_map(|(&nodes, &times)| {
            Some(Compared { nodes, growing: times, steady: *steady.points.get(&nodes)? })
        });
        let counts: Vec<Compared> = both.collect();
        let enough = counts.len() >= COUNTS_MIN;
        enough.then_some(Pair { growing, steady, counts: Counts(counts) })
    }
}

/// Whether a median rises faster than the square root of the nodes: an exponent above a half.
fn grows(course: &Course) -> bool {
    let mut points = course.points.iter().map(|(nodes, times)| (f64::from(*nodes), times[0]));
    let (Some(first), Some(last)) = (points.next(), points.next_back()) else { return false };
    (last.1 / first.1).powi(2) > last.0 / first.0
}

fn pairs<'a>(courses: &'a [Course<'a>]) -> Vec<Pair<'a>> {
    let rivals = || courses.iter().filter(|course| course.contender.is_rival());
    let (growing, steady): (Vec<&Course>, Vec<&Course>) = rivals().partition(|one| grows(one));
    let steady = &steady;
    let pairs =
        growing.iter().flat_map(|one| steady.iter().filter_map(|other| Pair::new(one, other)));
    pairs.collect()
}

/// As many pairs as there is room for, of the contenders that come first; grouped by the one that
/// grows.
fn first<'a, 'b>(all: &'b [Pair<'a>]) -> Vec<&'b Pair<'a>> {
    let mut pairs: Vec<&Pair> = all.iter().collect();
    pairs.sort_by_key(|pair| pair.growing.index.max(pair.steady.index));
    pairs.truncate(PAIRS_MAX);
    pairs.sort_by_key(|pair| (pair.growing.index, pair.steady.index));
    pairs
}

/// The pairs in runs of one growing contender.
fn groups<'b, 'a>(pairs: &'b [&'b Pair<'a>]) -> impl Iterator<Item = &'b [&'b Pair<'a>]> {
    pairs.chunk_by(|a, b| a.growing.index == b.growing.index)
}

// ---- picture ---------------------------------------------------------------------------------

fn scene(subject: &Subject, pairs: &[&Pair]) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let items = [
        (Swatch::Thin, "faster"),
        (Swatch::Band, "in between: rounds overlap, or nothing was timed"),
        (Swatch::Fill(QUIET), "slower from here on"),
        (Swatch::Tick, "the medians cross"),
    ];
    let top = legend(&mut scene, 0.0, &items) + 4.0;
    let right = WIDTH - VERDICTS;
    let least =
        pairs.iter().map(|pair| f64::from(pair.counts.least().nodes)).fold(f64::INFINITY, f64::min);
    let most = pairs.iter().map(|pair| f64::from(pair.counts.largest().nodes)).fold(0.0, f64::max);
    let across = Scale::logarithmic((least / 1.1, most * 1.25), (NAMES, right));
    let bottom = top + HEADING * groups(pairs).count() as f64 + ROW * pairs.len() as f64 + 4.0;
    grid_down(&mut scene, &across, (top, bottom), 8, |tick, _| number::decimal(tick, 0));
    scene.axis((NAMES, bottom), (right, bottom));
    scene.note((right + 14.0, bottom + 15.0), "nodes", Anchor::Start);
    let mut y = top;
    for group in groups(pairs) {
        let growing = group[0].growing;
        let name = (growing.index, growing.contender);
        row_name(&mut scene, subject, name, (0.0, y + 14.0), NAMES - WORD);
        let width = text_width(&fit_name(&growing.name, TEXT, NAMES - WORD - 16.0), TEXT);
        scene.note((19.0 + width, y + 18.0), "against", Anchor::Start);
        y += HEADING;
        for pair in group {
            let name = (pair.steady.index, pair.steady.contender);
            row_name(&mut scene, subject, name, (16.0, y + ROW / 2.0), NAMES - 24.0);
            row(&mut scene, pair, &across, y + ROW / 2.0);
            let at = (right + 14.0, y + ROW / 2.0 + 4.0);
            let verdict = fit(&verdict(pair), SMALL, VERDICTS - 14.0);
            scene.text(at, &verdict, SMALL, Anchor::Start, INK);
            y += ROW;
        }
    }
    scene.height = bottom + 22.0;
    scene
}

fn row(scene: &mut Scene, pair: &Pair, across: &Scale, middle: f64) {
    let at = |nodes: u32| across.at(nodes.into());
    let (first, last) = (at(pair.counts.least().nodes), at(pair.counts.largest().nodes));
    let from = pair.counts.faster_to().map_or(first, at);
    // A bar that begins at the last count would have no length: it goes on to the edge.
    let edge = last + 12.0;
    let to = pair.counts.slower_from().map_or(edge, at);
    let (upper, lower) = (middle - HALF_BAR, middle + HALF_BAR);
    scene.line(vec![(first, middle), (from, middle)], AXIS, 1.6);
    if pair.counts.faster_to() == Some(pair.counts.largest().nodes) {
        scene.line(vec![(from, middle), (edge, middle)], AXIS, 1.6);
    } else if to > from {
        scene.rectangle((from, upper), (to, lower), BAND);
    }
    if pair.counts.slower_from().is_some() {
        scene.rectangle((to, upper), (edge, lower), pair.growing.look.colour);
    }
    for count in &pair.counts.0 {
        scene.disc((at(count.nodes), middle), 2.4, INK);
    }
    if let Crossing::At(nodes) = pair.counts.crossing() {
        let x = across.at(nodes);
        scene.line(vec![(x, middle - 9.0), (x, middle + 9.0)], INK, 2.0);
        let (anchor, x) =
            if x > last - 50.0 { (Anchor::End, x - 5.0) } else { (Anchor::Start, x + 5.0) };
        scene.text((x, middle - 6.5), &about(nodes), 10.0, anchor, INK);
    }
}

/// `41.2× slower at 10,000`.
fn verdict(pair: &Pair) -> String {
    let largest = pair.counts.largest();
    let nodes = number::count(largest.nodes.into());
    match largest.factor() {
        factor if largest.is_slower() => format!("{} slower at {nodes}", times(factor)),
        factor if largest.is_faster() => format!("{} faster at {nodes}", times(1.0 / factor)),
        _ => format!("not told apart at {nodes}"),
    }
}

fn times(factor: f64) -> String {
    format!("{}×", number::ratio(factor, if factor < 1.5 { 2 } else { 1 }))
}

// ---- words -----------------------------------------------------------------------------------

fn finding(pairs: &[&Pair], all: usize) -> String {
    let mut sentences: Vec<String> = groups(pairs).map(of_group).collect();
    if all > pairs.len() {
        let more = plural((all - pairs.len()) as u64, "more pair", "more pairs");
        sentences.push(format!("{more} of contenders further down: see the table."));
    }
    sentences.join(" ")
}

/// What one growing contender loses against the others.
fn of_group(group: &[&Pair]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let (mut always, mut never): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut nearly: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for pair in group {
        let name = pair.steady.name.as_str();
        match pair.counts.crossing() {
            Crossing::At(nodes) => {
                let nodes = about(nodes);
                let sure = certainty(&pair.counts);
                parts.push(format!("slower than {name} from about {nodes} nodes on ({sure})"));
            }
            Crossing::Before if pair.counts.least().is_slower() => always.push(name),
            Crossing::Before => nearly.entry(certainty(&pair.counts)).or_default().push(name),
            Crossing::Beyond => never.push(name),
        }
    }
    parts.extend(nearly.iter().map(|(sure, names)| {
        format!("slower than {} by every median timed ({sure})", list(names))
    }));
    if !always.is_empty() {
        parts.push(format!("slower than {} at every count timed", list(&always)));
    }
    if !never.is_empty() {
        parts.push(format!("not slower than {} within the counts timed", list(&never)));
    }
    let factor = |pair: &Pair| pair.counts.largest().factor();
    let slower = group.iter().filter(|pair| pair.counts.largest().is_slower());
    let worst = slower.max_by(|a, b| factor(a).total_cmp(&factor(b)));
    let worst = worst.map_or(String::new(), |pair| {
        let nodes = number::count(pair.counts.largest().nodes.into());
        let (factor, name) = (times(factor(pair)), &pair.steady.name);
        format!(" At {nodes} nodes it takes {factor} as long as that of {name}.")
    });
    format!("The lookup of {} is {}.{worst}", group[0].growing.name, parts.join("; "))
}

/// Between which counts a crossing lies for sure.
fn certainty(counts: &Counts) -> String {
    let count = |nodes: u32| number::count(nodes.into());
    match (counts.faster_to(), counts.slower_from()) {
        (Some(faster), Some(slower)) => {
            format!("all rounds faster at {}, all slower from {}", count(faster), count(slower))
        }
        (None, Some(slower)) => format!("all rounds slower from {}", count(slower)),
        (Some(faster), None) => {
            format!("all rounds faster at {}, then never told apart for good", count(faster))
        }
        (None, None) => "rounds never told apart for good".into(),
    }
}

fn table(subject: &Subject, pairs: &[Pair]) -> Table {
    let columns = vec![
        Column::words("growing"),
        Column::words("against"),
        Column::figures("medians cross", "nodes"),
        Column::figures("faster up to", "all rounds, nodes"),
        Column::figures("slower from", "all rounds, nodes"),
        Column::figures("times as long", "at most nodes"),
        Column::figures("growing", "at most nodes"),
        Column::figures("other", "at most nodes"),
    ];
    let rows = pairs.iter().map(|pair| {
        let count =
            |nodes: Option<u32>| nodes.map_or(NONE.into(), |nodes| number::count(nodes.into()));
        let crossing = match pair.counts.crossing() {
            Crossing::At(nodes) => format!("≈ {}", about(nodes)),
            Crossing::Before => format!("< {}", number::count(pair.counts.least().nodes.into())),
            Crossing::Beyond => format!("> {}", number::count(pair.counts.largest().nodes.into())),
        };
        let largest = pair.counts.largest();
        let time = |[median, low, high]: [f64; 3]| {
            Cell::new(nanoseconds(median)).with_note(number::range(low, high, nanoseconds))
        };
        Row {
            look: Some(subject.look(pair.growing.index)),
            cells: vec![
                Cell::new(pair.growing.name.as_str()),
                Cell::new(pair.steady.name.as_str()),
                Cell::new(crossing),
                Cell::new(count(pair.counts.faster_to())),
                Cell::new(count(pair.counts.slower_from())),
                Cell::new(times(largest.factor())),
                time(largest.growing),
                time(largest.steady),
            ],
        }
    });
    Table::capped(columns, rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Medians of the growing one and of the other; rounds spread by a tenth.
    fn counts(medians: &[(u32, f64, f64)]) -> Counts {
        let times = |median: f64| [median, median * 0.9, median * 1.1];
        let compared = |&(nodes, growing, steady): &(u32, f64, f64)| Compared {
            nodes,
            growing: times(growing),
            steady: times(steady),
        };
        Counts(medians.iter().map(compared).collect())
    }

    #[test]
    fn a_crossing_lies_between_its_neighbours() {
        let clear = counts(&[(10, 1.0, 10.0), (100, 10.0, 10.0), (1_000, 100.0, 10.0)]);
        assert_eq!(clear.crossing(), Crossing::At(100.0));
        assert_eq!((clear.faster_to(), clear.slower_from()), (Some(10), Some(1_000)));
        assert_eq!(certainty(&clear), "all rounds faster at 10, all slower from 1,000");
    }

    #[test]
    fn noise_is_no_crossing_for_good() {
        // The medians cross three times; only the last time the rounds lie apart for good.
        let noisy =
            counts(&[(10, 1.1, 1.0), (100, 1.0, 1.1), (1_000, 1.2, 1.1), (10_000, 9.0, 1.1)]);
        assert!(matches!(noisy.crossing(), Crossing::At(nodes) if nodes > 100.0 && nodes < 1e3));
        assert_eq!((noisy.faster_to(), noisy.slower_from()), (None, Some(10_000)));
        let never = counts(&[(10, 1.0, 1.1), (100, 1.0, 1.1), (1_000, 1.15, 1.1)]);
        assert_eq!((never.faster_to(), never.slower_from()), (None, None));
        assert_eq!(certainty(&never), "rounds never told apart for good");
    }

    #[test]
    fn outside_the_counts_nothing_is_guessed() {
        let before = counts(&[(10, 5.0, 1.0), (100, 50.0, 1.0), (1_000, 500.0, 1.0)]);
        assert_eq!((before.crossing(), before.slower_from()), (Crossing::Before, Some(10)));
        let beyond = counts(&[(10, 1.0, 9.0), (100, 2.0, 9.0), (1_000, 3.0, 9.0)]);
        assert_eq!((beyond.crossing(), beyond.faster_to()), (Crossing::Beyond, Some(1_000)));
    }
}
