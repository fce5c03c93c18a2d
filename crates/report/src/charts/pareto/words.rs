//! Who is on the frontier and who is not, in sentences.

use placelab_results::Contender;

use super::{Compared, Cost, Point, compared, dominates, frontier, judged, leads};
use crate::answer::took_every_step;
use crate::number::{bytes, percent};
use crate::subject::{ORDERED_SEEDS_MIN, Subject};
use crate::text::{list, list_up_to, plural};

/// Names in one sentence.
const NAMES_MAX: usize = 8;
/// Dominators that are named of one contender.
const BETTER_MAX: usize = 1;

pub(super) fn finding(subject: &Subject, points: &[Point], cost: Cost) -> String {
    let frontier = frontier(points);
    let one = |point: &&Point| {
        format!(
            "{} ({} above fair, {})",
            subject.name(point.contender),
            percent(point.above.median),
            cost.print(point.cost.median)
        )
    };
    let named: Vec<String> = frontier.iter().map(one).collect();
    let is = if named.len() == 1 { "is" } else { "are" };
    let mut sentences =
        vec![format!("On the frontier by the medians {is} {}.", list_up_to(&named, NAMES_MAX))];
    sentences.extend(undecided(subject, &frontier, cost));
    sentences.extend(dominated(subject, points));
    sentences.extend(open(subject, points, cost));
    sentences.extend(memory(subject, &frontier));
    sentences.extend(tail(subject, points));
    sentences.extend(apart(subject, points, cost));
    sentences.join(" ")
}

/// Whether loads of the frontier differ at all.
fn undecided(subject: &Subject, frontier: &[&Point], cost: Cost) -> Option<String> {
    let apart = |a: &Point, b: &Point| {
        matches!(compared(a.above, b.above), Compared::Better | Compared::Worse)
    };
    let pairs = frontier.iter().enumerate();
    let mut pairs = pairs.flat_map(|(at, a)| frontier[at + 1..].iter().map(move |b| (*a, *b)));
    if frontier.len() < 2 || pairs.any(|(a, b)| apart(a, b)) {
        return None;
    }
    let (cheapest, others) = frontier.split_first()?;
    let is_cheaper = |other: &&Point| compared(cheapest.cost, other.cost) == Compared::Better;
    let name = subject.name(cheapest.contender);
    Some(match others.iter().all(is_cheaper) {
        true => format!(
            "Their loads cannot be told apart (ranges overlap), so that of them the cost alone \
             speaks, for {name}."
        ),
        false => format!(
            "Neither can their loads be told apart nor the {} of the cheapest, {name}, from all \
             others: ranges overlap.",
            cost.word()
        ),
    })
}

/// The rivals that are better beyond the ranges.
fn dominators<'b, 'a>(points: &'b [Point<'a>], point: &Point) -> Vec<&'b Point<'a>> {
    judged(points).filter(|other| dominates(other, point)).collect()
}

fn names(subject: &Subject, points: &[&Point]) -> Vec<String> {
    points.iter().map(|point| subject.name(point.contender)).collect()
}

fn behind<'b, 'a>(points: &'b [Point<'a>]) -> impl Iterator<Item = &'b Point<'a>> {
    judged(points).filter(move |point| judged(points).any(|other| leads(other, point)))
}

fn dominated(subject: &Subject, points: &[Point]) -> Option<String> {
    if !subject.has_order() {
        let seeds = plural(subject.results.seeds.into(), "hash seed", "hash seeds");
        let why = format!("No dominance is claimed: {seeds} of {ORDERED_SEEDS_MIN} at least.");
        return behind(points).next().is_some().then_some(why);
    }
    let said: Vec<String> = behind(points)
        .filter_map(|point| {
            let better = names(subject, &dominators(points, point));
            let name = subject.name(point.contender);
            (!better.is_empty()).then(|| format!("{name} (by {})", list_up_to(&better, BETTER_MAX)))
        })
        .collect();
    let said = (!said.is_empty()).then(|| list_up_to(&said, NAMES_MAX))?;
    Some(format!("Dominated, with ranges apart: {said}."))
}

/// Where medians would claim what ranges do not bear out.
fn open(subject: &Subject, points: &[Point], cost: Cost) -> Option<String> {
    if !subject.has_order() {
        return None;
    }
    let said: Vec<String> = behind(points)
        .filter(|point| dominators(points, point).is_empty())
        .filter_map(|point| {
            let leader = judged(points).find(|other| leads(other, point))?;
            let (name, other) = (subject.name(point.contender), subject.name(leader.contender));
            Some(format!("{name} behind {other} ({})", overlapping(point, leader, cost)))
        })
        .collect();
    let said = (!said.is_empty()).then(|| list_up_to(&said, NAMES_MAX))?;
    Some(format!("By medians alone, since ranges overlap: {said}."))
}

/// What of two points overlaps.
fn overlapping(a: &Point, b: &Point, cost: Cost) -> String {
    let figures = [("loads", a.above, b.above), (cost.word(), a.cost, b.cost)];
    let open = figures.into_iter().filter(|(_, a, b)| compared(*a, *b) == Compared::Open);
    list(&open.map(|(word, ..)| word).collect::<Vec<_>>())
}

fn memory(subject: &Subject, frontier: &[&Point]) -> Option<String> {
    let mut held: Vec<(f64, String)> = frontier
        .iter()
        .filter_map(|point| Some((point.bytes?, subject.name(point.contender))))
        .collect();
    held.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ((least, small), (most, large)) = (held.first()?, held.last()?);
    (most > least).then(|| {
        format!(
            "Memory is a third figure and no part of this: on the frontier {} for {small}, {} for \
             {large}.",
            bytes(*least),
            bytes(*most)
        )
    })
}

fn tail(subject: &Subject, points: &[Point]) -> Option<String> {
    let tail: Vec<&Point> = judged(points).filter(|point| point.is_tail_only()).collect();
    (!tail.is_empty()).then(|| {
        let who = list_up_to(&names(subject, &tail), NAMES_MAX);
        format!("Members leave from the tail alone under {who}.")
    })
}

/// Who is in the run and not compared.
fn apart(subject: &Subject, points: &[Point], cost: Cost) -> Option<String> {
    let rivals = subject.results.contenders.iter().enumerate().filter(|(_, one)| one.is_rival());
    let (aware, others): (Vec<_>, Vec<_>) = rivals.partition(|(_, one)| one.load_aware);
    let known = |index: usize| points.iter().any(|point| point.index == index);
    let names = |those: Vec<(usize, &Contender)>| -> Vec<String> {
        those.into_iter().map(|(_, one)| subject.name(one)).collect()
    };
    let unknown: Vec<_> = others.into_iter().filter(|(index, _)| !known(*index)).collect();
    let refused = judged(points).filter(|point| !took_every_step(subject, point.contender));
    let refused = refused.map(|point| (point.index, point.contender)).collect();
    let groups = [
        ("Over fewer steps, as some were refused".into(), refused),
        ("Not compared, as they look at loads and where a key went has to be kept".into(), aware),
        (format!("Without {} or a load", cost.word()), unknown),
    ];
    let groups = groups.into_iter().filter(|(_, those)| !those.is_empty());
    let said: Vec<String> = groups
        .map(|(what, those)| format!("{what}: {}.", list_up_to(&names(those), NAMES_MAX)))
        .collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// Where a contender stands, for the table.
pub(super) fn standing(subject: &Subject, points: &[Point], point: &Point) -> String {
    if !point.is_judged() {
        return "not compared".into();
    }
    let leaders: Vec<&Point> = judged(points).filter(|other| leads(other, point)).collect();
    let dominators = dominators(points, point);
    match (leaders.is_empty(), dominators.is_empty() || !subject.has_order()) {
        (true, _) => "on the frontier".into(),
        (false, false) => {
            format!("dominated by {}", list_up_to(&names(subject, &dominators), NAMES_MAX))
        }
        (false, true) => {
            format!("behind {} by medians alone", list_up_to(&names(subject, &leaders), NAMES_MAX))
        }
    }
}
