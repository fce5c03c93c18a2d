//! What failures of the first fleet do: the load that survivors must take, what random failures
//! lose, and how far a failure goes where capacity is short.

mod data;
mod words;

use placelab_results::{Contender, FailureFigures, FailureQuestion, LossRisk};

use super::Chart;
use super::frame::{self, Bar, Swatch, WIDTH, bar, drawn, legend, row_name, sample};
use crate::font::fit;
use crate::number::{NONE, count, percent, ratio};
use crate::palette::{Colour, GRID, INK, QUIET};
use crate::scale::Scale;
use crate::scene::{Anchor, SMALL, Scene};
use crate::subject::Subject;
use crate::text::{one_line, plural};

const NAMES: f64 = 176.0;
const ROW: f64 = 34.0;
/// From the middle of a row to that of its bars.
const OFF_MIDDLE: f64 = 7.0;
/// Room at the right of a bar for its number.
const FIGURE: f64 = 52.0;
/// A bar of the middle contender is at least this part of the longest one; longer ones are cut.
const MIDDLE_PART: f64 = 0.25;

/// Two bars of each contender, a plain one above a hatched one.
struct Panel {
    title: String,
    bars: [(&'static str, Value); 2],
    are_probabilities: bool,
    /// What chance or a fair share would give for either bar.
    fair: [Option<f64>; 2],
}

/// A figure with its interval, where it is an estimate.
type Value = fn(&FailureFigures) -> Option<(f64, Option<(f64, f64)>)>;

/// The chart, where failures were asked about.
pub(super) fn chart(subject: &Subject) -> Option<Chart> {
    let question = subject.results.failures.as_ref()?;
    let seeds = plural(question.seeds.into(), "hash seed", "hash seeds");
    let by = if question.measure == "keys" {
        String::new()
    } else {
        format!(", by {}", one_line(&question.measure))
    };
    Some(Chart {
        name: "failures",
        title: "What failures do: headroom, losses, cascades",
        reading: format!(
            "{}, {} of each key{by}; {}, probabilities and cascades over all seeds.",
            plural(question.nodes.into(), "node", "nodes"),
            plural(question.replicas.into(), "copy", "copies"),
            if question.seeds == 1 { "seed 0".into() } else { format!("loads: worst of {seeds}") },
        ),
        finding: words::finding(subject, question),
        scene: scene(subject, question),
        table: data::table(subject, question),
    })
}

fn figures(contender: &Contender) -> Option<&FailureFigures> {
    contender.failures.as_ref()?.figures()
}

/// Every contender that was looked at, with its figures.
fn looked_at<'a>(
    subject: &'a Subject,
) -> impl Iterator<Item = (&'a Contender, &'a FailureFigures)> + Clone {
    let contenders = subject.results.contenders.iter();
    contenders.filter_map(|contender| Some((contender, figures(contender)?)))
}

/// What every headroom would be if survivors shared everything by weight.
fn fair_after(subject: &Subject) -> [Option<f64>; 2] {
    let mut all = looked_at(subject).map(|(_, figures)| figures);
    let single = all.clone().find_map(|figures| Some(figures.single.as_ref()?.fair_after));
    [single, all.find_map(|figures| Some(figures.pair.as_ref()?.fair_after))]
}

fn panels(subject: &Subject, question: &FailureQuestion) -> Vec<Panel> {
    let load = Panel {
        title: "fullest node after a failure, × fair".into(),
        bars: [
            ("one fails", |of| Some((of.single.as_ref()?.headroom, None))),
            ("two fail", |of| Some((of.pair.as_ref()?.headroom, None))),
        ],
        are_probabilities: false,
        fair: fair_after(subject),
    };
    let ideal = question.ideal.as_ref();
    let loss = Panel {
        title: format!("some key loses, {} down at random", count(question.down.into())),
        bars: [
            ("a quorum of its copies", |of| Some(risk(&of.quorum_lost))),
            ("every copy", |of| Some(risk(&of.all_lost))),
        ],
        are_probabilities: true,
        fair: [ideal.map(|ideal| ideal.quorum_lost), ideal.map(|ideal| ideal.all_lost)],
    };
    let cascade = Panel {
        title: format!("cascade, {}", capacity(question).to_lowercase()),
        bars: [
            ("failures that spread", |of| Some((of.cascade.as_ref()?.spreading, None))),
            ("part of the others then lost", |of| {
                let (cascade, single) = (of.cascade.as_ref()?, of.single.as_ref()?);
                Some(((cascade.lost - 1.0) / single.survivors, None))
            }),
        ],
        are_probabilities: true,
        fair: [None, None],
    };
    let has_copies = question.replicas > 1;
    [Some(load), has_copies.then_some(loss), Some(cascade)].into_iter().flatten().collect()
}

fn risk(loss: &LossRisk) -> (f64, Option<(f64, f64)>) {
    (loss.probability, loss.low.zip(loss.high))
}

/// At which capacity cascades are followed, at the head of a sentence.
fn capacity(question: &FailureQuestion) -> String {
    match question.capacity {
        Some(factor) => format!("At {} × own load", ratio(factor, 2)),
        None => "At their own capacities".into(),
    }
}

// ---- picture ---------------------------------------------------------------------------------

fn scene(subject: &Subject, question: &FailureQuestion) -> Scene {
    let mut scene = Scene::new(WIDTH, 0.0);
    let panels = panels(subject, question);
    let width = (WIDTH - NAMES) / panels.len() as f64;
    let is_cut = panels.iter().any(|panel| {
        let most = reach(subject, panel);
        looked_at(subject).any(|(_, of)| values(panel, of).any(|value| value > most))
    });
    let mut items = vec![(Swatch::Dashed, "shared out by weight; ideal hash")];
    if looked_at(subject).any(|(_, of)| of.quorum_lost.low.is_some()) {
        items.push((Swatch::Whisker, "95 % interval of an estimate"));
    }
    if is_cut {
        items.push((Swatch::Cut(QUIET), "longer than drawn"));
    }
    let head = legend(&mut scene, 0.0, &items) + 62.0;
    let rows: Vec<(usize, &Contender)> = drawn(subject).collect();
    let bottom = head + 4.0 + ROW * rows.len() as f64;
    let middle = |row: usize| head + 4.0 + ROW * (row as f64 + 0.5);
    for (row, &contender) in rows.iter().enumerate() {
        row_name(&mut scene, subject, contender, (0.0, middle(row)), NAMES);
        if row > 0 {
            let y = middle(row) - ROW / 2.0;
            scene.line(vec![(0.0, y), (WIDTH, y)], GRID, 1.0);
        }
    }
    for (column, panel) in panels.iter().enumerate() {
        let left = NAMES + width * column as f64;
        let right = left + width - FIGURE - 8.0;
        let scale = Scale::linear((0.0, reach(subject, panel).max(1e-6)), (left, right));
        let title = fit(&panel.title, SMALL, width - 6.0);
        scene.text((left, head - 42.0), &title, SMALL, Anchor::Start, INK);
        sample(&mut scene, Swatch::Fill(QUIET), (left, head - 25.0), panel.bars[0].0);
        sample(&mut scene, Swatch::Hatch(QUIET), (left, head - 9.0), panel.bars[1].0);
        scene.axis((left, head), (left, bottom));
        for (row, &(index, contender)) in rows.iter().enumerate() {
            let at = (left, middle(row));
            match figures(contender) {
                Some(of) => {
                    let colour = subject.look(index).colour;
                    pair(&mut scene, panel, of, (&scale, colour), middle(row));
                }
                None if column == 0 => {
                    scene.note((at.0 + 6.0, at.1 + 4.0), "× refused", Anchor::Start)
                }
                None => {}
            }
        }
    }
    scene.height = bottom + 14.0;
    scene
}

fn values<'a>(panel: &'a Panel, of: &'a FailureFigures) -> impl Iterator<Item = f64> + 'a {
    panel.bars.iter().filter_map(|(_, value)| Some(value(of)?.0))
}

/// Where the bars of a panel end: longer loads are cut where they would leave the others no room.
fn reach(subject: &Subject, panel: &Panel) -> f64 {
    if panel.are_probabilities {
        return 1.0;
    }
    let all = looked_at(subject).flat_map(|(_, of)| values(panel, of).collect::<Vec<_>>());
    frame::reach(all.chain(panel.fair.into_iter().flatten()), MIDDLE_PART)
}

/// Draws the plain bar above the hatched one, each with what chance or a fair share gives.
fn pair(
    scene: &mut Scene,
    panel: &Panel,
    of: &FailureFigures,
    (scale, colour): (&Scale, Colour),
    middle: f64,
) {
    for (place, (_, value)) in panel.bars.iter().enumerate() {
        let y = if place == 0 { middle - OFF_MIDDLE } else { middle + OFF_MIDDLE };
        let Some((value, interval)) = value(of) else {
            scene.note((scale.at(0.0) + 6.0, y + 4.0), NONE, Anchor::Start);
            continue;
        };
        let text = if panel.are_probabilities { percent(value) } else { ratio(value, 2) };
        let mark = panel.fair[place];
        let drawn = Bar { value, interval, is_hatched: place == 1, mark, text };
        bar(scene, scale, y, colour, &drawn);
    }
}
