//! Who receives the keys of nodes that went.

use placelab_results::{Contender, Failure, Step};

use super::Chart;
use super::frame::{DRAWN_MAX, Swatch, WIDTH, drawn, fit_name, left_out, legend};
use crate::font::fit;
use crate::number::{self, ratio};
use crate::palette::{AXIS, INK, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, SMALL, Scene, TEXT};
use crate::subject::{Subject, figure};
use crate::table::{Cell, Column, Table};
use crate::text::list_up_to;

/// Panels side by side.
const ABREAST: usize = 3;
const PANEL: (f64, f64) = (WIDTH / ABREAST as f64, 128.0);
/// A bar above this many times the fair part is cut and carries its number.
const CUT: f64 = 4.0;

/// The step that is shown: the first that the most contenders took and where nodes went.
fn step(subject: &Subject) -> Option<(usize, usize)> {
    let mut best = None;
    for (timeline, planned) in subject.results.plan.iter().enumerate() {
        for step in 0..planned.steps.len() {
            let contenders = subject.results.contenders.iter();
            let count = contenders
                .filter(|contender| failure(contender, (timeline, step)).is_some())
                .count();
            if count > best.map_or(0, |(most, _)| most) {
                best = Some((count, (timeline, step)));
            }
        }
    }
    best.map(|(_, at)| at)
}

fn failure(contender: &Contender, at: (usize, usize)) -> Option<&Failure> {
    taken(contender, at)?.failure.as_ref()
}

fn taken(contender: &Contender, (timeline, step): (usize, usize)) -> Option<&Step> {
    contender.timelines.get(timeline)?.steps.get(step)
}

/// The chart, where nodes went.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let at = step(subject)?;
    let contenders = subject.results.contenders.iter();
    let gone = contenders.filter_map(|contender| failure(contender, at)).next()?;
    let gone: Vec<String> = gone.gone.iter().map(|name| crate::text::one_line(name)).collect();
    Some(Chart {
        name: "failure",
        title: "Who receives the lost keys",
        reading: format!(
            "{}: {} went. Each survivor's extra keys ÷ its fair part of them at seed 0, 1 is fair; \
             survivors from most to least.",
            subject.step_name(at.0, at.1),
            list_up_to(&gone, 3)
        ),
        finding: finding(subject, at),
        scene: scene(subject, at),
        table: table(subject, at),
    })
}

fn extras(failure: &Failure) -> Vec<f64> {
    let mut extras: Vec<f64> =
        failure.extra.iter().map(|(_, extra)| *extra).filter(|extra| extra.is_finite()).collect();
    extras.sort_by(|a, b| b.total_cmp(a));
    extras
}

fn receivers(failure: &Failure) -> usize {
    failure.extra.iter().filter(|(_, extra)| *extra > 0.0).count()
}

fn scene(subject: &Subject, at: (usize, usize)) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let items = [(Swatch::Fill(QUIET), "one survivor"), (Swatch::Fair, "fair part")];
    let top = legend(&mut scene, 0.0, &items) + 6.0;
    let all = drawn(subject).filter_map(|(_, contender)| failure(contender, at));
    let most = all.flat_map(extras).fold(1.5, f64::max).min(CUT);
    let mut count = 0;
    for (place, (index, contender)) in drawn(subject).enumerate() {
        let left = PANEL.0 * (place % ABREAST) as f64;
        let upper = top + PANEL.1 * (place / ABREAST) as f64;
        let corner = (left, upper);
        name(&mut scene, subject, (index, contender), corner);
        match failure(contender, at) {
            Some(failure) => bars(&mut scene, failure, subject.look(index).colour, corner, most),
            None => absent(&mut scene, contender, at, corner),
        }
        count = place + 1;
    }
    scene.height = top + PANEL.1 * count.min(DRAWN_MAX).div_ceil(ABREAST) as f64;
    scene
}

fn name(
    scene: &mut Scene,
    subject: &Subject,
    (index, contender): (usize, &Contender),
    (left, top): (f64, f64),
) {
    scene.marker((left + 5.0, top + 9.0), subject.look(index), 4.0);
    let fitted = fit_name(&subject.name(contender), TEXT, PANEL.0 - 34.0);
    let colour = if contender.is_rival() { INK } else { QUIET };
    scene.text((left + 15.0, top + 13.0), &fitted, TEXT, Anchor::Start, colour);
}

fn bars(
    scene: &mut Scene,
    failure: &Failure,
    colour: crate::palette::Colour,
    (left, top): (f64, f64),
    most: f64,
) {
    let extras = extras(failure);
    let words = format!(
        "{} of {} receive, most {} × fair",
        number::count(receivers(failure) as u64),
        number::count(failure.survivors.into()),
        ratio(extras.first().copied().unwrap_or(f64::NAN), 2)
    );
    scene.note((left + 15.0, top + 28.0), &fit(&words, SMALL, PANEL.0 - 24.0), Anchor::Start);
    let (from, to) = (left + 15.0, left + PANEL.0 - 20.0);
    let down = Scale::linear((0.0, most), (top + PANEL.1 - 14.0, top + 42.0));
    let across = Scale::linear((0.0, extras.len().max(1) as f64), (from, to));
    let width = (across.at(1.0) - across.at(0.0)).min(22.0);
    let gap = if width > 4.0 { 1.0 } else { 0.0 };
    let mut cut = 0;
    for (place, &extra) in extras.iter().enumerate() {
        let x = from + width * place as f64;
        scene.rectangle((x, down.clamped(extra)), (x + width - gap, down.at(0.0)), colour);
        if extra > most {
            let y = down.at(most);
            scene.cut((x, y + 7.0), (x + width - gap, y + 3.0));
            cut += 1;
        }
    }
    if cut > 0 {
        let at = (from + width * f64::from(cut) + 5.0, down.at(most) + 9.0);
        let first = extras.first().copied().unwrap_or(most);
        let text = format!("cut: up to {} × fair", ratio(first, 1));
        scene.text(at, &text, 10.0, Anchor::Start, QUIET);
    }
    scene.axis((from, down.at(0.0)), (to, down.at(0.0)));
    scene.line(vec![(from - 4.0, down.at(1.0)), (to, down.at(1.0))], INK, 1.2);
    scene.text((from - 6.0, down.at(1.0) + 3.5), "1", 10.0, Anchor::End, QUIET);
}

/// Says why a contender has no bars.
fn absent(
    scene: &mut Scene,
    contender: &Contender,
    (timeline, step): (usize, usize),
    (left, top): (f64, f64),
) {
    let refusal = contender.timelines.get(timeline).and_then(|done| done.refusal.as_ref());
    let text = match refusal {
        Some(refusal) if refusal.step <= step => format!("× {}", refusal.reason),
        _ => "no figures".into(),
    };
    let text = fit(&crate::text::one_line(&text), SMALL, PANEL.0 - 24.0);
    scene.note((left + 15.0, top + 28.0), &text, Anchor::Start);
    let bottom = top + PANEL.1 - 14.0;
    scene.dashed(&[(left + 15.0, bottom), (left + PANEL.0 - 20.0, bottom)], &[3.0, 4.0], AXIS, 1.0);
}

// ---- words -----------------------------------------------------------------------------------

fn finding(subject: &Subject, at: (usize, usize)) -> String {
    let mut largest: Vec<String> = Vec::new();
    let (mut everybody, mut few) = (Vec::new(), Vec::new());
    for contender in &subject.results.contenders {
        let Some(failure) = failure(contender, at) else { continue };
        let name = subject.name(contender);
        let count = receivers(failure);
        if count as u32 >= failure.survivors {
            everybody.push(name.clone());
        } else {
            let of = number::count(failure.survivors.into());
            few.push(format!("{name} {} of {of}", number::count(count as u64)));
        }
        let Some(step) = taken(contender, at) else { continue };
        if let Some(extra) = figure(step, "failure.max_extra") {
            let print = |value: f64| ratio(value, 2);
            let interval = if subject.has_intervals() {
                format!(" ({})", number::interval(extra, print))
            } else {
                String::new()
            };
            largest.push(format!("{name} {}{interval}", print(extra.median)));
        }
    }
    let mut sentences = vec![format!("At {}:", subject.step_name(at.0, at.1))];
    if !everybody.is_empty() {
        let what = "share the lost keys among all survivors at seed 0";
        sentences.push(format!("{} {what}.", list_up_to(&everybody, 12)));
    }
    if !few.is_empty() {
        sentences.push(format!("Fewer receive with {}.", list_up_to(&few, 6)));
    }
    if !largest.is_empty() {
        let over = if subject.has_intervals() { ", median over the seeds" } else { "" };
        let what = format!("Largest extra part ÷ fair part{over}");
        sentences.push(format!("{what}: {}.", list_up_to(&largest, 12)));
    }
    sentences.extend(by_chance(subject, at));
    sentences.join(" ") + &left_out(subject)
}

/// What an ideal hash would give its luckless survivor.
fn by_chance(subject: &Subject, at: (usize, usize)) -> Option<String> {
    let steps = subject.results.contenders.iter().filter_map(|contender| taken(contender, at));
    let chance = steps.filter_map(|step| figure(step, "failure.max_extra")?.chance).next()?;
    let [mean, low, high] = [chance.mean, chance.low, chance.high].map(|value| ratio(value, 2));
    Some(format!("An ideal hash would give {mean} on average (5–95 %: {low}–{high})."))
}

fn table(subject: &Subject, at: (usize, usize)) -> Table {
    let contenders: Vec<(&Contender, &Failure)> = subject
        .results
        .contenders
        .iter()
        .filter_map(|contender| Some((contender, failure(contender, at)?)))
        .collect();
    let mut columns = vec![Column::words("place")];
    columns.extend(
        contenders.iter().map(|(contender, _)| {
            Column::figures(subject.name(contender), "extra ÷ fair, survivor")
        }),
    );
    let rows = contenders.iter().map(|(_, failure)| failure.extra.len()).max().unwrap_or(0);
    let row = |place: usize| {
        let mut cells = vec![Cell::new(number::count(place as u64 + 1))];
        cells.extend(contenders.iter().map(|(_, failure)| match failure.extra.get(place) {
            Some((name, extra)) => Cell::new(ratio(*extra, 2)).with_note(name.as_str()),
            None => Cell::none(),
        }));
        cells.into()
    };
    Table::capped(columns, (0..rows).map(row).collect())
}
