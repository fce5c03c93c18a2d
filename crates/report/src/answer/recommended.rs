//! What to take, why, and what would change it, in words.

use std::collections::BTreeMap;

use placelab_results::{
    Alternative, Better, Contender, Outdone, OutlookFleet, Recommendation, Upkeep, metric,
};

use super::{NAMES_MAX, took_every_step};
use crate::number;
use crate::subject::{Spread, Subject, worst};
use crate::summary::need;
use crate::text::{list_up_to, one_line, plural};

/// Figures of which a tighter limit may change the answer, each with what nobody would limit it
/// to: a handful of steps, a page of memory.
const LIMITED: [(&str, f64); 6] = [
    ("load.max_over_mean", 1.0),
    ("movement.moved", 0.0),
    ("replica.changed", 0.0),
    ("failure.max_extra", 1.0),
    ("work.lookup", 8.0),
    ("memory.derived_bytes", 4096.0),
];

/// The recommendation, where there is one for what took every step.
pub(super) fn recommendation<'a>(subject: &'a Subject) -> Option<&'a Recommendation> {
    let recommendation = subject.verdict.recommendation.as_ref()?;
    let contender = of(subject, &recommendation.contender)?;
    took_every_step(subject, contender).then_some(recommendation)
}

fn of<'a>(subject: &Subject<'a>, name: &str) -> Option<&'a Contender> {
    subject.results.contenders.iter().find(|contender| contender.name == name)
}

/// `Take rendezvous.` and for what reason in short.
pub(super) fn headline(recommendation: &Recommendation) -> String {
    let name = one_line(&recommendation.contender);
    let others = recommendation.others().count();
    match (others, recommendation.outdone.len()) {
        (0, _) => format!("Take {name}: it alone meets every requirement and takes every step."),
        (_, 0) => format!(
            "Take {name}: of the {} contenders that meet every requirement and take every step it \
             is the simplest.",
            others + 1
        ),
        _ => format!(
            "Take {name}: of the {} contenders that meet every requirement and take every step it \
             is the simplest that no other outdoes.",
            others + 1
        ),
    }
}

/// Why this one and not the others, a sentence each.
pub(super) fn reasons(subject: &Subject, recommendation: &Recommendation) -> Vec<String> {
    let name = one_line(&recommendation.contender);
    let mut lines = Vec::new();
    if recommendation.others().next().is_some() {
        lines.push(simplicity(subject, recommendation));
    }
    let (alike, trades): (Vec<&Alternative>, Vec<&Alternative>) = recommendation
        .alternatives
        .iter()
        .partition(|other| other.better.is_empty() && other.worse.is_empty());
    let alike: Vec<String> = alike.into_iter().map(named).collect();
    if !alike.is_empty() {
        let who = list_up_to(&alike, NAMES_MAX);
        lines.push(format!(
            "Not distinguishable from {name} by what is required or paid for: {who}."
        ));
    }
    lines.extend(trades.into_iter().map(|other| trade(subject, other, &name)));
    lines.extend(outdone(subject, &recommendation.outdone));
    lines
}

fn named(other: &Alternative) -> String {
    one_line(&other.contender)
}

/// What makes it simpler than those that come next.
fn simplicity(subject: &Subject, recommendation: &Recommendation) -> String {
    let name = one_line(&recommendation.contender);
    let mut groups: BTreeMap<Upkeep, Vec<String>> = BTreeMap::new();
    for other in &recommendation.alternatives {
        groups.entry(other.upkeep).or_default().push(named(other));
    }
    let same = groups.remove(&recommendation.upkeep).unwrap_or_default();
    let mut sentence = format!("{name} needs {} to look keys up", recommendation.upkeep.words());
    for (upkeep, names) in &groups {
        let need = if names.len() == 1 { "needs" } else { "need" };
        sentence += &format!("; {} {need} {}", list_up_to(names, NAMES_MAX), upkeep.words());
    }
    if !same.is_empty() {
        let year = of(subject, &recommendation.contender).map_or(0, |contender| contender.year);
        let names = list_up_to(&same, NAMES_MAX);
        let (need, were) = if same.len() == 1 { ("needs", "was") } else { ("need", "were") };
        sentence += &format!(
            "; {names} {need} the same, and {were} published no earlier than {name} ({year})"
        );
    }
    sentence + "."
}

fn trade(subject: &Subject, other: &Alternative, name: &str) -> String {
    let needs = |texts: &[String]| list_up_to(&in_words(subject, texts), NAMES_MAX);
    let other_name = named(other);
    match (other.better.is_empty(), other.worse.is_empty()) {
        (false, false) => format!(
            "{other_name} is clearly better than {name} in {}, and clearly worse in {}.",
            needs(&other.better),
            needs(&other.worse)
        ),
        (false, true) => {
            format!("{other_name} is clearly better than {name} in {}.", needs(&other.better))
        }
        _ => format!("{other_name} is clearly worse than {name} in {}.", needs(&other.worse)),
    }
}

/// A line for each that outdoes others, with everybody it outdoes alike.
fn outdone(subject: &Subject, outdone: &[Outdone]) -> Vec<String> {
    let mut alike: BTreeMap<(&str, &[String]), Vec<String>> = BTreeMap::new();
    for one in outdone {
        let names = alike.entry((one.by.as_str(), one.at.as_slice())).or_default();
        names.push(one_line(&one.contender));
    }
    let line = |((by, at), names): ((&str, &[String]), Vec<String>)| {
        format!(
            "{} would do too, but {} is clearly better in {} and clearly worse in nothing that is \
             required or paid for.",
            list_up_to(&names, NAMES_MAX),
            one_line(by),
            list_up_to(&in_words(subject, at), NAMES_MAX)
        )
    };
    alike.into_iter().map(line).collect()
}

/// Requirements and prices by the labels of their metrics.
fn in_words(subject: &Subject, texts: &[String]) -> Vec<String> {
    let requirements = &subject.results.requirements;
    let words = |text: &String| match requirements.iter().find(|one| one.text() == *text) {
        Some(requirement) => Some(format!("“{}”", need(requirement))),
        None => metric(text).map(|_| label(text)),
    };
    texts.iter().filter_map(words).collect()
}

/// What would change the recommendation: tighter limits, and other fleets.
pub(super) fn changes(subject: &Subject, recommendation: &Recommendation) -> Vec<String> {
    let mut lines = limits(subject, recommendation);
    lines.extend(next(subject, recommendation));
    lines.extend(outlook(subject, recommendation));
    lines
}

/// Which limits would rule out what is recommended, and who would be next.
fn limits(subject: &Subject, recommendation: &Recommendation) -> Vec<String> {
    if !subject.has_order() {
        return Vec::new();
    }
    let limit = |&(id, least): &(&str, f64)| {
        let own = figure(subject, &recommendation.contender, id).filter(|own| own.low > least)?;
        let next = recommendation.others().find_map(|other| {
            let figure = figure(subject, other, id)?;
            is_better(id, figure, own).then_some((other, figure))
        });
        let (other, figure) = next?;
        Some(format!(
            "Were {} limited to less than {}, {} would be out, and {} in with {}.",
            label(id),
            print(subject, id, own.low),
            one_line(&recommendation.contender),
            one_line(other),
            print(subject, id, figure.median)
        ))
    };
    LIMITED.iter().filter_map(limit).collect()
}

/// What would rule out the one that comes next.
fn next(subject: &Subject, recommendation: &Recommendation) -> Option<String> {
    let next = recommendation.others().next()?;
    let name = one_line(next);
    let ruled_out = LIMITED.iter().filter(|_| subject.has_order()).find_map(|&(id, least)| {
        let own = figure(subject, &recommendation.contender, id)?;
        let other = figure(subject, next, id).filter(|other| other.low > least)?;
        is_better(id, own, other).then_some((id, own, other))
    });
    Some(match ruled_out {
        Some((id, own, other)) => format!(
            "Next comes {name}; {} limited to less than {} would rule it out ({} has {}).",
            label(id),
            print(subject, id, other.low),
            one_line(&recommendation.contender),
            print(subject, id, own.median)
        ),
        None => format!("Next comes {name}; no figure looked at here sets it behind."),
    })
}

fn figure(subject: &Subject, name: &str, id: &str) -> Option<Spread> {
    worst(of(subject, name)?, id).map(|found| found.measured.into())
}

fn is_better(id: &str, a: Spread, b: Spread) -> bool {
    match metric(id).map(|(metric, _)| metric.better) {
        Some(Better::Higher) => a.low > b.high,
        _ => a.high < b.low,
    }
}

fn label(id: &str) -> String {
    metric(id).map_or(String::new(), |(metric, _)| format!("“{}”", metric.label))
}

fn print(subject: &Subject, id: &str, value: f64) -> String {
    number::of_metric(id, value, subject.decimals)
}

/// Where the recommendation would not hold for other fleets, and how far it does.
fn outlook(subject: &Subject, recommendation: &Recommendation) -> Vec<String> {
    let Some(outlook) = &subject.results.outlook else { return Vec::new() };
    let name = &recommendation.contender;
    let is_in = |fleet: &OutlookFleet| fleet.suitable.contains(name);
    if !is_in(&outlook.own) {
        return Vec::new();
    }
    let mut lines = Vec::new();
    let holds: Vec<String> =
        outlook.others.iter().filter(|fleet| is_in(fleet)).map(in_short).collect();
    if !holds.is_empty() {
        lines.push(format!(
            "In a small sweep ({}, {} a node) {} would still do with {}.",
            plural(outlook.seeds.into(), "seed", "seeds"),
            plural(outlook.own.keys / u64::from(outlook.own.nodes.max(1)), "key", "keys"),
            one_line(name),
            list_up_to(&holds, NAMES_MAX)
        ));
    }
    let mut alike: Vec<(&OutlookFleet, Vec<String>)> = Vec::new();
    for fleet in outlook.others.iter().filter(|fleet| !is_in(fleet)) {
        let same = |known: &&mut (&OutlookFleet, Vec<String>)| {
            known.0.suitable == fleet.suitable && known.0.missed.get(name) == fleet.missed.get(name)
        };
        match alike.iter_mut().find(same) {
            Some((_, fleets)) => fleets.push(in_short(fleet)),
            None => alike.push((fleet, vec![in_short(fleet)])),
        }
    }
    lines.extend(alike.iter().map(|(fleet, fleets)| otherwise(subject, name, fleet, fleets)));
    lines
}

/// Fleets with which the recommendation would not hold, and who would do instead.
fn otherwise(subject: &Subject, name: &str, fleet: &OutlookFleet, fleets: &[String]) -> String {
    let missed = fleet.missed.get(name).cloned().unwrap_or_default();
    let missed = match in_words(subject, std::slice::from_ref(&missed)).pop() {
        Some(need) => format!("it misses {need}"),
        None => one_line(&missed),
    };
    let names: Vec<String> = fleet.suitable.iter().map(|one| one_line(one)).collect();
    let instead = match names.len() {
        0 => "nobody would".into(),
        _ => format!("{} would", list_up_to(&names, NAMES_MAX)),
    };
    let fleets = list_up_to(fleets, NAMES_MAX);
    format!("With {fleets} {} would not do ({missed}); {instead}.", one_line(name))
}

/// `400 nodes`, or `every other node 2 times as heavy`.
fn in_short(fleet: &OutlookFleet) -> String {
    match fleet.ratio {
        1 => plural(fleet.nodes.into(), "node", "nodes"),
        ratio => format!("every other node {ratio} times as heavy"),
    }
}
