//! What tables buy and cost, in sentences.

use placelab_results::Contender;

use super::{
    ASTRAY, CHANGED, Compared, EXCESS, MOVED, ONE_ZONE, ROWS, SHARE_ERROR, SHARED_BYTES, TOGETHER,
    at, tenths, versions,
};
use crate::charts::frame::DRAWN_MAX;
use crate::number::{bytes, count, percent};
use crate::subject::{Subject, worst};
use crate::text::{list_up_to, one_line, plural};

/// Timelines of which a step is told.
const TOLD_MAX: usize = 3;
/// Names in one sentence.
const NAMES_MAX: usize = 6;

pub(super) fn finding(subject: &Subject, compared: &Compared) -> String {
    let mut sentences = vec![match compared.hash {
        Some((_, hash)) => format!(
            "The best hash here, by what it moves beyond the least and by its fullest node \
             together, is {}.",
            name(hash)
        ),
        None => "No hash takes every step, so that tables stand alone.".into(),
    }];
    sentences.push(moves(compared));
    sentences.push(shares(compared));
    sentences.extend(zones(subject, compared));
    sentences.extend(held(compared));
    let told: Vec<String> = told(subject)
        .into_iter()
        .filter_map(|place| handed_over(subject, compared, place))
        .collect();
    if !told.is_empty() {
        sentences.push(HAND_OVER.into());
        sentences.extend(told);
    }
    if compared.all().count() > compared.drawn().count() {
        sentences.push(format!("The picture shows {DRAWN_MAX} contenders; the table has all."));
    }
    sentences.join(" ")
}

/// What clients have to agree on, and what becomes of those that do not.
const HAND_OVER: &str = "Where every key keeps its row, rows are handed over one by one: no client \
    has to switch together with another, and the keys of one row are astray at a time. Else all \
    clients have to switch together: until the last has, those behind send what moves to the \
    wrong node, or ask the nodes before and after and find it, for as many second reads.";

fn name(contender: &Contender) -> String {
    one_line(&contender.name)
}

/// The worst median of a figure.
fn most(contender: &Contender, id: &str) -> Option<f64> {
    Some(worst(contender, id)?.measured.median)
}

/// Everybody by a figure: the names of those for whom it prints as nothing, and the others with it.
fn split(
    compared: &Compared,
    id: &str,
    print: impl Fn(f64) -> String,
) -> (Vec<String>, Vec<String>) {
    let nothing = print(0.0);
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for (_, contender) in compared.all() {
        let Some(value) = most(contender, id) else { continue };
        match print(value.max(0.0)) {
            text if text == nothing => without.push(name(contender)),
            text => with.push(format!("{} {text}", name(contender))),
        }
    }
    (without, with)
}

fn moves(compared: &Compared) -> String {
    match split(compared, EXCESS, tenths) {
        (none, some) if some.is_empty() => {
            let who = if none.len() == 1 { &none[0] } else { "All of them" };
            format!("{who}: no more moves than exact shares need, to a tenth of a percent.")
        }
        (none, some) if none.is_empty() => {
            format!("Beyond what exact shares need move: {}.", list_up_to(&some, NAMES_MAX))
        }
        (none, some) => format!(
            "No more moves than exact shares need, to a tenth of a percent: {}; more: {}.",
            list_up_to(&none, NAMES_MAX),
            list_up_to(&some, NAMES_MAX)
        ),
    }
}

fn shares(compared: &Compared) -> String {
    match split(compared, SHARE_ERROR, |ppm| percent(ppm * 1e-6)) {
        (exact, off) if off.is_empty() => {
            format!("Exact shares: {}.", list_up_to(&exact, NAMES_MAX))
        }
        (exact, off) if exact.is_empty() => {
            format!("Nobody has exact shares; off by up to: {}.", list_up_to(&off, NAMES_MAX))
        }
        (exact, off) => format!(
            "Exact shares: {}; off by up to: {}.",
            list_up_to(&exact, NAMES_MAX),
            list_up_to(&off, NAMES_MAX)
        ),
    }
}

/// Who keeps copies in zones of their own.
fn zones(subject: &Subject, compared: &Compared) -> Option<String> {
    let (kept, broken) = split(compared, ONE_ZONE, percent);
    let has_any = subject.results.replicas > 1 && kept.len() + broken.len() > 0;
    has_any.then(|| match broken.len() {
        0 => "All keep the copies of a key in zones of their own.".into(),
        _ => format!("Keys with copies in one zone, at most: {}.", list_up_to(&broken, NAMES_MAX)),
    })
}

/// Bytes that all clients hold, and versions.
fn held(compared: &Compared) -> Option<String> {
    let sizes = compared.tables.iter().filter_map(|(_, table)| {
        let rows = most(table, ROWS)? as u64;
        Some((most(table, SHARED_BYTES)?, format!("{} ({} rows)", name(table), count(rows))))
    });
    let mut sizes: Vec<(f64, String)> = sizes.collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ((least, small), (largest, large)) = (sizes.first()?, sizes.last()?);
    let tables = match sizes.len() {
        1 => format!("{} under {small}", bytes(*least)),
        _ => format!("{} under {small} to {} under {large}", bytes(*least), bytes(*largest)),
    };
    let hash = compared.hash.and_then(|(_, hash)| {
        Some(format!(", and {} under {}", bytes(most(hash, SHARED_BYTES)?), name(hash)))
    });
    let published = compared.tables.iter().map(|(_, table)| versions(table)).max().unwrap_or(1);
    Some(format!(
        "All clients hold alike {tables}{}; a table goes through up to {}.",
        hash.unwrap_or_default(),
        plural(published, "version", "versions")
    ))
}

/// Of each timeline the first of the steps that need most moves.
fn told(subject: &Subject) -> Vec<(usize, usize)> {
    let timelines = subject.results.plan.iter().enumerate();
    let busiest = timelines.filter_map(|(timeline, planned)| {
        let steps = planned.steps.iter().enumerate().skip(1);
        let (step, _) = steps.reduce(|a, b| if b.1.minimum > a.1.minimum { b } else { a })?;
        Some((timeline, step))
    });
    busiest.take(TOLD_MAX).collect()
}

/// Who has to switch together at a step, and which keys are astray meanwhile.
fn handed_over(subject: &Subject, compared: &Compared, place: (usize, usize)) -> Option<String> {
    let of = |one: &Contender, id: &str| at(one, place, id).unwrap_or(0.0);
    let whole = |one: &Contender, id: &str| count(of(one, id) as u64);
    let taken = compared.all().filter(|(_, one)| of(one, MOVED) > 0.0);
    let (all, none): (Vec<_>, Vec<_>) = taken.partition(|(_, one)| of(one, TOGETHER) > 0.0);
    let row_by_row = |one: &Contender| {
        format!("{} ({} of {} rows)", name(one), whole(one, CHANGED), whole(one, ROWS))
    };
    let at_once = |one: &Contender| {
        let rows = match at(one, place, ROWS) {
            Some(rows) => format!(", as it then has {} rows", count(rows as u64)),
            None => String::new(),
        };
        format!("{} ({} of keys astray{rows})", name(one), percent(of(one, ASTRAY)))
    };
    let names = |those: &[(usize, &Contender)], what: &dyn Fn(&Contender) -> String| {
        let each: Vec<String> = those.iter().map(|(_, one)| what(one)).collect();
        list_up_to(&each, NAMES_MAX)
    };
    let none =
        (!none.is_empty()).then(|| format!("row by row under {}", names(&none, &row_by_row)));
    let all =
        (!all.is_empty()).then(|| format!("all clients at once under {}", names(&all, &at_once)));
    let parts: Vec<String> = [none, all].into_iter().flatten().collect();
    let step = subject.step_name(place.0, place.1);
    let sentence = || format!("At {step}: {}.", parts.join("; "));
    let one_row = one_row(subject, compared, place).unwrap_or_default();
    (!parts.is_empty()).then(|| sentence() + &one_row)
}

/// That a single row is no fair share of nodes that join, where the coarsest table changes several.
fn one_row(subject: &Subject, compared: &Compared, place: (usize, usize)) -> Option<String> {
    let planned = &subject.results.plan[place.0].steps;
    let needed = planned[place.1].minimum;
    let grows = planned[place.1].nodes > planned[place.1 - 1].nodes;
    let tables = compared.tables.iter().filter_map(|(_, table)| {
        let is_handed_over = at(table, place, TOGETHER) == Some(0.0);
        is_handed_over.then_some((at(table, place, ROWS)?, at(table, place, CHANGED)?))
    });
    let (rows, changed) = tables.min_by(|a, b| a.0.total_cmp(&b.0))?;
    (grows && changed > 1.0 && needed > 1.0 / rows).then(|| {
        format!(
            " A single row of {}, repointed, would move {} of the keys and be no fair share: the \
             step is due {}, {} rows.",
            count(rows as u64),
            percent(1.0 / rows),
            percent(needed),
            count(changed as u64)
        )
    })
}
