//! What charts have in common: widths, legends, names of rows, labels at the ends of lines.

use crate::font::{fit, text_width};
use crate::number;
use crate::palette::{AXIS, BAND, Colour, GRID, INK, Look, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, SMALL, Scene, TEXT};
use crate::subject::Subject;
use placelab_results::{Contender, PlannedStep, Role};

/// Width of every chart: a framed picture is 800 wide.
pub(super) const WIDTH: f64 = 772.0;
/// Contenders that a picture has room for; tables have them all.
pub(super) const DRAWN_MAX: usize = 24;
/// Timelines that a picture has room for.
pub(super) const TIMELINES_MAX: usize = 6;

/// A sample in a legend.
#[derive(Clone, Copy)]
pub(super) enum Swatch {
    /// The band of pure chance.
    Band,
    /// A plain surface.
    Fill(Colour),
    /// A hatched surface.
    Hatch(Colour),
    /// A hatched surface that is cut.
    Cut(Colour),
    /// An upright stroke.
    Tick,
    /// An interval.
    Whisker,
    /// A data point.
    Dot,
    /// A broken line.
    Dashed,
    /// A thin line at the fair value.
    Fair,
    /// A thin, quiet line.
    Thin,
}

/// Width of a sample.
const SAMPLE: f64 = 20.0;

/// Draws a legend from the left edge, in as many lines as it takes; gives the y below it.
pub(super) fn legend(scene: &mut Scene, top: f64, items: &[(Swatch, &str)]) -> f64 {
    let (mut x, mut y) = (0.0, top + 12.0);
    for &(swatch, text) in items {
        let width = SAMPLE + 6.0 + text_width(text, SMALL) + 20.0;
        if x > 0.0 && x + width > WIDTH + 20.0 {
            (x, y) = (0.0, y + 18.0);
        }
        sample(scene, swatch, (x, y), text);
        x += width;
    }
    y + 12.0
}

/// Draws one line of a legend: a sample and what it means, on a baseline.
pub(super) fn sample(scene: &mut Scene, swatch: Swatch, (x, y): (f64, f64), text: &str) {
    draw_swatch(scene, swatch, x, y - 4.0);
    scene.note((x + SAMPLE + 6.0, y), text, Anchor::Start);
}

fn draw_swatch(scene: &mut Scene, swatch: Swatch, x: f64, y: f64) {
    let (from, to) = ((x, y - 5.0), (x + 20.0, y + 5.0));
    match swatch {
        Swatch::Band => scene.rectangle(from, to, BAND),
        Swatch::Fill(colour) => scene.rectangle(from, to, colour),
        Swatch::Hatch(colour) => scene.hatched(from, to, colour),
        Swatch::Cut(colour) => {
            scene.hatched(from, to, colour);
            scene.cut((x + 8.0, y + 7.0), (x + 12.0, y - 7.0));
        }
        Swatch::Tick => scene.line(vec![(x + 10.0, y - 7.0), (x + 10.0, y + 7.0)], INK, 2.0),
        Swatch::Whisker => scene.whisker((x + 2.0, y), (x + 18.0, y), 3.5, INK),
        Swatch::Dot => scene.disc((x + 10.0, y), 3.0, QUIET),
        Swatch::Dashed => scene.dashed(&[(x, y), (x + 20.0, y)], &[5.0, 3.0], QUIET, 1.5),
        Swatch::Fair => scene.line(vec![(x, y), (x + 20.0, y)], INK, 1.2),
        Swatch::Thin => scene.line(vec![(x, y), (x + 20.0, y)], AXIS, 1.6),
    }
}

/// The contenders that a picture shows, with their indices: where there are too many, the first
/// ones and the canaries; exhibits take their turn with the contenders to be chosen.
pub(super) fn drawn<'a>(
    subject: &Subject<'a>,
) -> impl Iterator<Item = (usize, &'a Contender)> + use<'a> {
    let contenders = &subject.results.contenders;
    let mut room = DRAWN_MAX.saturating_sub(subject.names_of(Role::Canary).len());
    let fits = move |(_, contender): &(usize, &Contender)| {
        let is_canary = contender.role == Role::Canary;
        let fits = is_canary || room > 0;
        room -= usize::from(fits && !is_canary);
        fits
    };
    contenders.iter().enumerate().filter(fits).take(DRAWN_MAX)
}

/// What a picture leaves out, as a sentence that begins with a space; empty where it has all.
pub(super) fn left_out(subject: &Subject) -> String {
    let count = subject.results.contenders.len();
    if count <= DRAWN_MAX {
        return String::new();
    }
    format!(" The picture shows {DRAWN_MAX} of {count} contenders; the table has all.")
}

/// The name of a contender as [`fit`] leaves it. Where there is little room its role goes first:
/// the colour tells that too.
pub(super) fn fit_name(name: &str, size: f64, width: f64) -> String {
    let roles = [Role::Canary, Role::Exhibit];
    let bare = roles.iter().find_map(|role| name.strip_suffix(&format!(" ({})", role.name())));
    let whole = fit(name, size, width);
    match bare {
        Some(bare) if whole != name => fit(bare, size, width),
        _ => whole,
    }
}

/// Names a row at its left: marker and name, in a column of `width`.
pub(super) fn row_name(
    scene: &mut Scene,
    subject: &Subject,
    (index, contender): (usize, &Contender),
    (x, middle): (f64, f64),
    width: f64,
) {
    let look = subject.look(index);
    scene.marker((x + 5.0, middle), look, 4.0);
    let name = subject.name(contender);
    let fitted = fit_name(&name, TEXT, width - 16.0);
    let colour = if contender.is_rival() { INK } else { QUIET };
    let colour = colour.like(look.colour);
    scene.text((x + 15.0, middle + 4.2), &fitted, TEXT, Anchor::Start, colour);
}

/// A level bar from zero.
pub(super) struct Bar {
    pub(super) value: f64,
    pub(super) interval: Option<(f64, f64)>,
    pub(super) is_hatched: bool,
    /// What chance or a fair share would give.
    pub(super) mark: Option<f64>,
    /// What stands at its end.
    pub(super) text: String,
}

/// Where the bars of these values end: at the longest, or where the middle one would be less than a
/// part of that, beyond the longest one of which it is; longer ones are cut.
pub(super) fn reach(values: impl Iterator<Item = f64>, middle_part: f64) -> f64 {
    let mut all: Vec<f64> = values.collect();
    all.sort_by(f64::total_cmp);
    let Some(&most) = all.last() else { return 1.0 };
    let middle = all[all.len() / 2];
    if middle <= 0.0 || middle >= middle_part * most {
        return most;
    }
    let near = all.iter().rev().find(|value| **value <= middle / middle_part);
    1.25 * near.copied().unwrap_or(middle)
}

/// Half of the height of a bar.
const HALF_BAR: f64 = 5.0;

/// Draws a bar about a middle line; where it is longer than its scale, cut.
pub(super) fn bar(scene: &mut Scene, scale: &Scale, middle: f64, colour: Colour, bar: &Bar) {
    let zero = scale.at(0.0);
    let mut end = scale.clamped(bar.value);
    let (from, to) = ((zero, middle - HALF_BAR), (end.max(zero + 1.0), middle + HALF_BAR));
    let ink = INK.like(colour);
    match bar.is_hatched {
        _ if bar.value <= 0.0 => {}
        false => scene.rectangle(from, to, colour),
        true => scene.hatched(from, to, colour),
    }
    if bar.value > 0.0 && !scale.shows(bar.value) {
        scene.cut((end - 14.0, to.1 + 2.0), (end - 9.0, from.1 - 2.0));
    } else if let Some((low, high)) = bar.interval.filter(|(low, high)| high > low) {
        let ends = (scale.clamped(low), scale.clamped(high));
        let cap = if ends.1 - ends.0 > 6.0 { 3.0 } else { 0.0 };
        scene.whisker((ends.0, middle), (ends.1, middle), cap, ink);
        end = end.max(ends.1);
    }
    if let Some(mark) = bar.mark.filter(|mark| scale.shows(*mark)) {
        let x = scale.at(mark);
        scene.dashed(&[(x, middle - 6.5), (x, middle + 6.5)], &[3.0, 2.0], ink, 1.2);
        if (end..end + 6.0 + text_width(&bar.text, SMALL)).contains(&x) {
            end = x;
        }
    }
    scene.text((end + 6.0, middle + 4.0), &bar.text, SMALL, Anchor::Start, ink);
}

/// A round fraction on an axis, with no more decimals than it has: `20 %`, `0.5 %`.
pub(super) fn plain_percent(fraction: f64) -> String {
    let percent = 100.0 * fraction;
    let is_whole = |times: f64| (percent * times - (percent * times).round()).abs() < 1e-6 * times;
    let decimals = match () {
        () if is_whole(1.0) => 0,
        () if is_whole(10.0) => 1,
        () => 2,
    };
    format!("{} %", number::decimal(percent, decimals))
}

/// Draws upright grid lines with numbers below.
pub(super) fn grid_down(
    scene: &mut Scene,
    scale: &Scale,
    (top, bottom): (f64, f64),
    wanted: usize,
    print: impl Fn(f64, usize) -> String,
) {
    let (ticks, decimals) = scale.ticks(wanted);
    for tick in ticks {
        let x = scale.at(tick);
        scene.line(vec![(x, top), (x, bottom)], GRID, 1.0);
        scene.note((x, bottom + 15.0), &print(tick, decimals), Anchor::Middle);
    }
}

/// Draws upright grid lines at places in rising order, with words below where there is room.
pub(super) fn lines_down(
    scene: &mut Scene,
    places: impl Iterator<Item = (f64, String)>,
    (top, bottom): (f64, f64),
) {
    let mut free_from = f64::NEG_INFINITY;
    for (x, words) in places {
        scene.line(vec![(x, top), (x, bottom)], GRID, 1.0);
        let half = text_width(&words, SMALL) / 2.0;
        if x - half >= free_from {
            scene.note((x, bottom + 15.0), &words, Anchor::Middle);
            free_from = x + half + 8.0;
        }
    }
}

/// Draws level grid lines with numbers at the left.
pub(super) fn grid_across(
    scene: &mut Scene,
    scale: &Scale,
    (left, right): (f64, f64),
    wanted: usize,
    print: impl Fn(f64, usize) -> String,
) {
    let (ticks, decimals) = scale.ticks(wanted);
    for tick in ticks {
        let y = scale.at(tick);
        scene.line(vec![(left, y), (right, y)], GRID, 1.0);
        scene.note((left - 7.0, y + 4.0), &print(tick, decimals), Anchor::End);
    }
}

/// The label of a step without what those of all events begin with: in `restart: node-0 fails` it
/// is the node that tells steps apart.
pub(super) fn short<'a>(steps: &[PlannedStep], step: &'a PlannedStep) -> &'a str {
    let Some((start, rest)) = step.label.split_once(": ") else { return &step.label };
    let begins_alike = |other: &PlannedStep| {
        other.label.strip_prefix(start).is_some_and(|rest| rest.starts_with(": "))
    };
    let events = steps.get(1..).unwrap_or_default();
    if events.len() > 1 && events.iter().all(begins_alike) { rest } else { &step.label }
}

/// Names the steps below a panel, as many as find room; gives the y below them.
pub(super) fn step_names(
    scene: &mut Scene,
    steps: &[PlannedStep],
    across: &Scale,
    (left, right): (f64, f64),
    bottom: f64,
) -> f64 {
    scene.axis((left, bottom), (right, bottom));
    let room = across.at(1.0) - across.at(0.0);
    let widest = steps.iter().map(|step| text_width(&fit(short(steps, step), SMALL, 140.0), SMALL));
    let widest = widest.fold(0.0, f64::max).min(140.0) + 8.0;
    let every = (widest.min(90.0) / room).ceil().max(1.0) as usize;
    for (index, step) in steps.iter().enumerate().step_by(every) {
        let x = across.at(index as f64);
        let label = fit(short(steps, step), SMALL, room * every as f64 - 8.0);
        scene.note((x, bottom + 15.0), &label, Anchor::Middle);
        let nodes = number::count(step.nodes.into());
        let nodes = if index == 0 { format!("{nodes} nodes") } else { nodes };
        scene.note((x, bottom + 29.0), &nodes, Anchor::Middle);
    }
    bottom + 34.0
}

/// The name of a line, to stand at its right end.
pub(super) struct EndLabel {
    /// Where the line ends.
    pub(super) end: (f64, f64),
    pub(super) text: String,
    pub(super) look: Look,
    pub(super) colour: Colour,
}

/// Height of a panel with so many lines, each of which needs a name at its end.
pub(super) fn height_for(lines: usize, least: f64) -> f64 {
    least.max(NAME_GAP * lines as f64 + 12.0)
}

/// From one name at the end of a line to the next.
const NAME_GAP: f64 = 15.0;

/// Sets the names of lines in a column at the right, apart from one another, with a thin lead
/// from the end of each line to its name.
pub(super) fn end_labels(
    scene: &mut Scene,
    mut labels: Vec<EndLabel>,
    x: f64,
    (top, bottom): (f64, f64),
) {
    labels.retain(|label| label.end.1.is_finite());
    labels.sort_by(|a, b| a.end.1.total_cmp(&b.end.1));
    let wanted: Vec<f64> = labels.iter().map(|label| label.end.1).collect();
    let places = apart(&wanted, NAME_GAP, (top, bottom));
    for (label, y) in std::iter::zip(labels, places) {
        let lead = vec![(label.end.0 + 5.0, label.end.1), (x - 8.0, y), (x - 3.0, y)];
        scene.line(lead, AXIS.like(label.look.colour).thin(0.8), 0.8);
        scene.marker((x + 4.0, y), label.look, 3.4);
        let text = fit_name(&label.text, SMALL, WIDTH - x - 13.0);
        let colour = label.colour.like(label.look.colour);
        scene.text((x + 13.0, y + 4.0), &text, SMALL, Anchor::Start, colour);
    }
}

/// Places at least `gap` apart, in the order given (rising), near the wanted ones and where
/// possible between `top` and `bottom`.
fn apart(wanted: &[f64], gap: f64, (top, bottom): (f64, f64)) -> Vec<f64> {
    let gap = gap.min((bottom - top) / wanted.len().max(1) as f64);
    let mut places = wanted.to_vec();
    // Push down what is too close, then push up what fell out at the bottom.
    let mut least = top;
    for place in &mut places {
        *place = place.max(least);
        least = *place + gap;
    }
    let mut most = bottom;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - gap;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Mark;

    #[test]
    fn roles_go_before_names_do() {
        assert_eq!(fit_name("modulo (canary)", 12.0, 200.0), "modulo (canary)");
        assert_eq!(fit_name("modulo (canary)", 12.0, 80.0), "modulo");
        assert!(fit_name("modulo (mine)", 12.0, 60.0).contains('…'));
    }

    #[test]
    fn words_below_lines_keep_apart() {
        let mut scene = Scene::new(100.0, 100.0);
        let places = [0.0, 10.0, 60.0].map(|x| (x, "100 µs".to_string()));
        lines_down(&mut scene, places.into_iter(), (0.0, 50.0));
        let count = |is: fn(&Mark) -> bool| scene.marks.iter().filter(|mark| is(mark)).count();
        assert_eq!(count(|mark| matches!(mark, Mark::Line { .. })), 3);
        assert_eq!(count(|mark| matches!(mark, Mark::Text { .. })), 2);
    }

    #[test]
    fn percents_on_axes_are_short() {
        let printed = [0.0, 0.2, 5.0, 0.005, 0.0005, -0.01].map(plain_percent);
        assert_eq!(printed, ["0 %", "20 %", "500 %", "0.5 %", "0.05 %", "−1 %"]);
    }

    #[test]
    fn what_all_steps_begin_with_is_left_out() {
        let step = |label: &str| PlannedStep {
            label: label.into(),
            verb: String::new(),
            changes: String::new(),
            nodes: 2,
            minimum: 0.0,
            cropped: Vec::new(),
        };
        let steps = ["start", "restart: a fails", "restart: a returns"].map(step);
        assert_eq!(short(&steps, &steps[0]), "start");
        assert_eq!(short(&steps, &steps[2]), "a returns");
        let steps = ["start", "restart: a fails", "repair: a returns"].map(step);
        assert_eq!(short(&steps, &steps[2]), "repair: a returns");
    }

    #[test]
    fn labels_keep_apart() {
        let places = apart(&[10.0, 10.0, 11.0, 95.0, 99.0], 10.0, (0.0, 100.0));
        assert_eq!(places, [10.0, 20.0, 30.0, 90.0, 100.0]);
        let crowded = apart(&[50.0; 20], 10.0, (0.0, 100.0));
        assert!(crowded.windows(2).all(|pair| pair[1] - pair[0] >= 4.99));
        assert!(crowded[0] >= -1e-9 && crowded[19] <= 100.0 + 1e-9);
    }
}
