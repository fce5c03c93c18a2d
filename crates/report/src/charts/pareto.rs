//! Balance against the cost of a lookup: who can be had without paying in the one for the other.

mod data;
mod labels;
mod words;

use placelab_results::{Contender, Role};

use super::Chart;
use super::frame::{
    DRAWN_MAX, Swatch, WIDTH, fit_name, grid_across, grid_down, left_out, legend, plain_percent,
};
use super::latency::{SHOWN_MIN, batches, plain_time};
use crate::number::{self, bytes, nanoseconds};
use crate::palette::{BAND, INK, PAPER, QUIET};
use crate::scale::{Scale, extent};
use crate::scene::{Anchor, Point as Place, SMALL, Scene};
use crate::subject::{Found, Spread, Subject, worst};
use crate::text::plural;
use labels::{Block, Label};

const LEFT: f64 = 62.0;
const RIGHT: f64 = WIDTH - 8.0;
const HEIGHT: f64 = 360.0;
/// Least part above fair that is drawn: nothing at all has no logarithm.
const ABOVE_MIN: f64 = 1e-4;
/// Widest name beside a mark.
const NAME: f64 = 190.0;
/// Bytes of the smallest mark.
const BYTES_MIN: f64 = 256.0;
/// What turns members that leave into a refusal where it is missing.
const REMOVE_ANY: &str = "remove-any";

/// The chart, where two rivals or more have a balance and a cost.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let cost = Cost::of(subject);
    let points = points(subject, cost);
    if points.iter().filter(|point| point.is_judged()).count() < 2 {
        return None;
    }
    let what = match cost {
        Cost::Timed(nodes) => {
            format!("the time of a lookup in batches at {}", plural(nodes.into(), "node", "nodes"))
        }
        Cost::Counted => "the counted steps of a lookup".into(),
    };
    Some(Chart {
        name: "pareto",
        title: "Balance against the cost of a lookup",
        reading: format!(
            "Fullest node above fair by keys, worst step, against {what}; logarithmic, less is \
             better."
        ),
        finding: words::finding(subject, &points, cost) + &left_out(subject),
        scene: scene(subject, &points, cost),
        table: data::table(subject, &points, cost),
    })
}

/// What a lookup costs.
#[derive(Clone, Copy)]
enum Cost {
    /// Nanoseconds at so many nodes.
    Timed(u32),
    /// Steps at the worst step.
    Counted,
}

impl Cost {
    fn of(subject: &Subject) -> Self {
        subject.timed_nodes().map_or(Cost::Counted, Cost::Timed)
    }

    fn print(self, value: f64) -> String {
        match self {
            Cost::Timed(_) => nanoseconds(value),
            Cost::Counted => format!("{} steps", number::work(value)),
        }
    }

    /// The name of the axis.
    fn axis(self) -> &'static str {
        match self {
            Cost::Timed(_) => "time of a lookup, median with least and largest round",
            Cost::Counted => "steps of a lookup",
        }
    }

    /// What ranges it has.
    fn word(self) -> &'static str {
        match self {
            Cost::Timed(_) => "times",
            Cost::Counted => "steps",
        }
    }
}

/// What one contender has.
struct Point<'a> {
    index: usize,
    contender: &'a Contender,
    found: Found<'a>,
    /// Part by which the fullest node is above its fair load.
    above: Spread,
    cost: Spread,
    bytes: Option<f64>,
}

impl Point<'_> {
    /// Whether it is compared: it may be chosen, and its key alone decides. Who looks at loads has
    /// to remember where keys went, which is no part of a lookup's cost.
    fn is_judged(&self) -> bool {
        self.contender.is_rival() && !self.contender.load_aware
    }

    /// Whether it serves changes at the tail only.
    fn is_tail_only(&self) -> bool {
        !self.contender.capabilities.iter().any(|capability| capability == REMOVE_ANY)
    }

    /// Radius of its mark: one more for each doubling of the memory.
    fn radius(&self) -> f64 {
        self.bytes.map_or(4.0, radius)
    }
}

fn radius(bytes: f64) -> f64 {
    let doublings = (bytes.max(BYTES_MIN) / BYTES_MIN) as u64;
    5.0 + f64::from(doublings.max(1).ilog2().min(20))
}

fn points<'a>(subject: &Subject<'a>, cost: Cost) -> Vec<Point<'a>> {
    let timed = subject.timings.map(|timings| batches(subject, timings)).unwrap_or_default();
    let cost = |index: usize, contender: &Contender| match cost {
        Cost::Timed(nodes) => {
            let course = timed.iter().find(|course| course.index == index)?;
            let &[median, low, high] = course.points.get(&nodes)?;
            Some(Spread { median, low, high })
        }
        Cost::Counted => Some(worst(contender, "work.lookup")?.measured.into()),
    };
    let point = |(index, contender): (usize, &'a Contender)| {
        let found = worst(contender, "load.max_over_mean")?;
        let Spread { median, low, high } = found.measured.into();
        let above = Spread { median: median - 1.0, low: low - 1.0, high: high - 1.0 };
        let bytes = ["memory.shared_bytes", "memory.derived_bytes"]
            .iter()
            .filter_map(|id| Some(worst(contender, id)?.measured.median))
            .reduce(|a, b| a + b);
        let cost = cost(index, contender)?;
        Some(Point { index, contender, found, above, cost, bytes })
    };
    subject.results.contenders.iter().enumerate().filter_map(point).collect()
}

/// How two figures compare of which less is better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Compared {
    Better,
    Equal,
    /// Their ranges overlap.
    Open,
    Worse,
}

fn compared(a: Spread, b: Spread) -> Compared {
    match () {
        () if a == b => Compared::Equal,
        () if a.high < b.low => Compared::Better,
        () if a.low > b.high => Compared::Worse,
        () => Compared::Open,
    }
}

/// Whether a point is better than another as far as medians tell.
fn leads(a: &Point, b: &Point) -> bool {
    let medians = |point: &Point| (point.above.median, point.cost.median);
    let ((above, cost), (other_above, other_cost)) = (medians(a), medians(b));
    above <= other_above && cost <= other_cost && (above < other_above || cost < other_cost)
}

/// Whether it is better beyond the ranges of both.
fn dominates(a: &Point, b: &Point) -> bool {
    let both = [compared(a.above, b.above), compared(a.cost, b.cost)];
    both.iter().all(|one| matches!(one, Compared::Better | Compared::Equal))
        && both.contains(&Compared::Better)
}

/// Those that are compared.
fn judged<'a, 'b>(points: &'b [Point<'a>]) -> impl Iterator<Item = &'b Point<'a>> {
    points.iter().filter(|point| point.is_judged())
}

/// Of those compared the ones that none leads by its medians, from the cheapest lookup on.
fn frontier<'a, 'b>(points: &'b [Point<'a>]) -> Vec<&'b Point<'a>> {
    let mut frontier: Vec<&Point> =
        judged(points).filter(|point| !judged(points).any(|other| leads(other, point))).collect();
    frontier.sort_by(|a, b| a.cost.median.total_cmp(&b.cost.median));
    frontier
}

// ---- picture ---------------------------------------------------------------------------------

/// The plane of the marks.
struct Plane {
    across: Scale,
    down: Scale,
    top: f64,
    bottom: f64,
}

impl Plane {
    fn new(points: &[&Point], top: f64) -> Self {
        let costs = points.iter().flat_map(|point| [point.cost.low, point.cost.high]);
        let (least, most) = extent(costs.map(|cost| cost.max(SHOWN_MIN)));
        let bottom = top + HEIGHT;
        let across = Scale::logarithmic((least / 1.6, most * 1.6), (LEFT, RIGHT));
        let aboves = points.iter().flat_map(|point| [point.above.low, point.above.high]);
        let chances = points.iter().filter_map(|point| chance(point)).flat_map(|(l, h)| [l, h]);
        let (least, most) = extent(aboves.chain(chances).map(|above| above.max(ABOVE_MIN)));
        let down = Scale::logarithmic((least / 1.5, most * 1.5), (bottom, top));
        Plane { across, down, top, bottom }
    }

    fn x(&self, cost: f64) -> f64 {
        self.across.clamped(cost.max(SHOWN_MIN))
    }

    fn y(&self, above: f64) -> f64 {
        self.down.clamped(above.max(ABOVE_MIN))
    }

    fn at(&self, point: &Point) -> Place {
        (self.x(point.cost.median), self.y(point.above.median))
    }

    /// The ranges of a point, as far as they can be seen.
    fn whiskers(&self, point: &Point) -> impl Iterator<Item = Block> + use<> {
        let (x, y) = self.at(point);
        let (above, cost) = (point.above, point.cost);
        let upright = Block::around((x, self.y(above.low)), (x, self.y(above.high)));
        let level = Block::around((self.x(cost.low), y), (self.x(cost.high), y));
        [upright, level].into_iter()
    }

    /// The frontier in steps, from the upper edge to the right one.
    fn steps(&self, frontier: &[&Point]) -> Vec<Place> {
        let Some(first) = frontier.first() else { return Vec::new() };
        let mut line = vec![(self.at(first).0, self.top)];
        for (order, point) in frontier.iter().enumerate() {
            let (x, y) = self.at(point);
            if order > 0 {
                line.push((x, line[line.len() - 1].1));
            }
            line.push((x, y));
        }
        line.push((RIGHT, line[line.len() - 1].1));
        line
    }
}

/// What chance gives at the step of a point, as part above fair.
fn chance(point: &Point) -> Option<(f64, f64)> {
    let chance = point.found.measured.chance?;
    (chance.low.is_finite() && chance.high.is_finite())
        .then_some((chance.low - 1.0, chance.high - 1.0))
}

/// Whom the picture has room for: canaries, then the frontier, then the others in their order.
fn shown<'a, 'b>(points: &'b [Point<'a>], frontier: &[&Point]) -> Vec<&'b Point<'a>> {
    let mut shown: Vec<&Point> = points.iter().collect();
    let is_first = |point: &Point| frontier.iter().any(|one| one.index == point.index);
    shown.sort_by_key(|point| (point.contender.role != Role::Canary, !is_first(point)));
    shown.truncate(DRAWN_MAX);
    shown
}

fn scene(subject: &Subject, points: &[Point], cost: Cost) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let frontier = frontier(points);
    let mut shown = shown(points, &frontier);
    let top = keys(&mut scene, subject, &shown) + 10.0;
    let plane = Plane::new(&shown, top);
    ground(&mut scene, &plane, &shown, cost);
    // What is small is drawn last, so that nothing hides it.
    shown.sort_by(|a, b| b.radius().total_cmp(&a.radius()));
    steps(&mut scene, &plane, &frontier);
    for point in &shown {
        mark(&mut scene, subject, &plane, point);
    }
    shown.sort_by_key(|point| (!point.contender.is_rival(), point.index));
    let label = |point: &&Point| Label {
        at: plane.at(point),
        radius: point.radius(),
        text: fit_name(&subject.name(point.contender), SMALL, NAME),
        colour: if point.contender.is_rival() { INK } else { QUIET },
    };
    let mut taken: Vec<Block> = shown.iter().flat_map(|point| plane.whiskers(point)).collect();
    taken.extend(plane.steps(&frontier).windows(2).map(|ends| Block::around(ends[0], ends[1])));
    let area = Block { left: LEFT + 2.0, top, right: WIDTH, bottom: plane.bottom - 2.0 };
    labels::place(&mut scene, shown.iter().map(label).collect(), taken, area);
    scene.note(((LEFT + RIGHT) / 2.0, plane.bottom + 34.0), cost.axis(), Anchor::Middle);
    scene.height = plane.bottom + 42.0;
    scene
}

/// Says what the marks are, the sizes among them; gives the y below.
fn keys(scene: &mut Scene, subject: &Subject, shown: &[&Point]) -> f64 {
    let mut items = vec![(Swatch::Dashed, "frontier: no rival has less of both, by medians")];
    if shown.iter().any(|point| chance(point).is_some()) {
        items.push((Swatch::Band, "pure chance, 5–95 %"));
    }
    let whisker = format!("5–95 % of {} seeds", subject.results.seeds);
    if subject.has_intervals() {
        items.push((Swatch::Whisker, &whisker));
    }
    let mut y = legend(scene, 0.0, &items) + 14.0;
    let mut x = 0.0;
    let most = shown.iter().filter_map(|point| point.bytes).fold(BYTES_MIN, f64::max);
    let sizes = [1.0, 16.0, 256.0, 4_096.0, 65_536.0].map(|times| times * 1_024.0);
    let sizes = sizes.into_iter().take_while(|size| *size < 4.0 * most);
    scene.note((x, y + 4.0), "memory, double for each step of the radius:", Anchor::Start);
    x += 256.0;
    for size in sizes {
        let radius = radius(size);
        bubble(scene, (x + radius, y), radius, QUIET, Filling::Full);
        scene.note((x + 2.0 * radius + 5.0, y + 4.0), &bytes(size), Anchor::Start);
        x += 2.0 * radius + 62.0;
    }
    if shown.iter().any(|point| point.is_tail_only()) {
        y += 28.0;
        bubble(scene, (8.0, y), 8.0, QUIET, Filling::Hollow);
        let words = "hollow: members join and leave at the tail alone";
        scene.note((22.0, y + 4.0), words, Anchor::Start);
    }
    y + 16.0
}

fn ground(scene: &mut Scene, plane: &Plane, shown: &[&Point], cost: Cost) {
    let (top, bottom) = (plane.top, plane.bottom);
    let chances = shown.iter().filter_map(|point| chance(point));
    let widest = chances.reduce(|a, b| if b.1 > a.1 { b } else { a });
    if let Some((low, high)) = widest {
        scene.rectangle((LEFT, plane.y(high)), (RIGHT, plane.y(low)), BAND);
    }
    grid_across(scene, &plane.down, (LEFT, RIGHT), 9, |tick, _| plain_percent(tick));
    grid_down(scene, &plane.across, (top, bottom), 9, |tick, _| match cost {
        Cost::Timed(_) => plain_time(tick),
        Cost::Counted => number::decimal(tick, usize::from(tick < 1.0)),
    });
    scene.axis((LEFT, top), (LEFT, bottom));
    scene.axis((LEFT, bottom), (RIGHT, bottom));
}

/// Draws the frontier: above and right of it somebody is better in both.
fn steps(scene: &mut Scene, plane: &Plane, frontier: &[&Point]) {
    scene.dashed(&plane.steps(frontier), &[5.0, 3.0], QUIET, 1.5);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Filling {
    Full,
    Hollow,
}

fn bubble(
    scene: &mut Scene,
    at: Place,
    radius: f64,
    colour: crate::palette::Colour,
    filling: Filling,
) {
    match filling {
        Filling::Full => scene.disc(at, radius, colour.thin(0.35)),
        Filling::Hollow => {
            scene.disc(at, radius, colour);
            scene.disc(at, radius - 1.4, PAPER);
        }
    }
}

fn mark(scene: &mut Scene, subject: &Subject, plane: &Plane, point: &Point) {
    let (look, at) = (subject.look(point.index), plane.at(point));
    let filling = if point.is_tail_only() { Filling::Hollow } else { Filling::Full };
    bubble(scene, at, point.radius(), look.colour, filling);
    let (low, high) = (plane.y(point.above.low), plane.y(point.above.high));
    if high < low {
        scene.whisker((at.0, low), (at.0, high), 3.0, look.colour.thin(0.8));
    }
    let (low, high) = (plane.x(point.cost.low), plane.x(point.cost.high));
    if low < high {
        scene.whisker((low, at.1), (high, at.1), 3.0, look.colour.thin(0.8));
    }
    scene.marker(at, look, 3.2);
}
