//! How much of what moves had no reason, in sentences.

use placelab_results::Contender;

use super::matrix::Sums;
use super::{known, taken};
use crate::number::{count, percent};
use crate::subject::Subject;
use crate::text::{list, list_up_to, plural};

/// Names in one sentence.
const NAMES_MAX: usize = 8;

pub(super) fn finding(
    subject: &Subject,
    at: (usize, usize),
    shown: &[(usize, &Contender)],
) -> String {
    let (mut none, mut cut) = (Vec::new(), Vec::new());
    let mut some: Vec<(u64, String)> = Vec::new();
    for contender in &subject.results.contenders {
        let Some(step) = known(contender, at) else { continue };
        let sums = Sums::of(&step.flows);
        match sums.sideways.keys {
            0 if step.flows_omitted == 0 => none.push(reasoned(subject, contender, &sums)),
            // Of a list that is cut it is not known that nothing went sideways.
            0 => cut.push(reasoned(subject, contender, &sums)),
            keys => some.push((keys, sideways(subject, contender, &sums, step.flows_omitted))),
        }
    }
    some.sort_by_key(|(keys, _)| std::cmp::Reverse(*keys));
    let some: Vec<String> = some.into_iter().map(|(_, text)| text).collect();
    let step = subject.step_name(at.0, at.1);
    let mut sentences = Vec::new();
    if !some.is_empty() {
        let names = list_up_to(&some, NAMES_MAX);
        sentences.push(format!("At {step} keys go sideways: {names}."));
    }
    if !none.is_empty() {
        let names = list_up_to(&none, NAMES_MAX);
        sentences.push(format!("At {step} nothing goes sideways under {names}."));
    }
    if !cut.is_empty() {
        let names = list_up_to(&cut, NAMES_MAX);
        sentences.push(format!("At {step} no flow that is listed goes sideways under {names}."));
    }
    sentences.extend(omitted(subject, at));
    sentences.extend(others(subject, at, shown));
    sentences.join(" ")
}

/// `jump (33.1 % of the keys, 200 pairs)`.
fn reasoned(subject: &Subject, contender: &Contender, sums: &Sums) -> String {
    let pairs = plural(sums.forced.pairs, "pair of nodes", "pairs of nodes");
    let moved = sums.forced.keys as f64 / subject.results.keys.count.max(1) as f64;
    format!("{} ({} of the keys over {pairs})", subject.name(contender), percent(moved))
}

/// `maglev 2.1 % of the keys, 6.0 % of what it moves, between 812 pairs`.
fn sideways(subject: &Subject, contender: &Contender, sums: &Sums, omitted: u64) -> String {
    let keys = subject.results.keys.count.max(1) as f64;
    let moved = sums.moved().max(1) as f64;
    let sideways = sums.sideways.keys as f64;
    let least = if omitted > 0 { "at least " } else { "" };
    format!(
        "{} {least}{} of the keys ({} of what it moves) between {}",
        subject.name(contender),
        percent(sideways / keys),
        percent(sideways / moved),
        plural(sums.sideways.pairs, "pair of nodes", "pairs of nodes"),
    )
}

/// Whose smaller flows the results leave out.
fn omitted(subject: &Subject, at: (usize, usize)) -> Option<String> {
    let steps = subject.results.contenders.iter();
    let cut = steps.filter_map(|one| Some((one, known(one, at)?.flows_omitted)));
    let cut: Vec<String> = cut
        .filter(|(_, omitted)| *omitted > 0)
        .map(|(contender, omitted)| format!("{} {}", subject.name(contender), count(omitted)))
        .collect();
    (!cut.is_empty()).then(|| {
        format!(
            "The results list the largest flows only and leave out smaller ones, which are \
             neither drawn nor counted here: {}.",
            list_up_to(&cut, NAMES_MAX)
        )
    })
}

/// Who is not drawn, and who moved nothing that is known.
fn others(subject: &Subject, at: (usize, usize), shown: &[(usize, &Contender)]) -> Option<String> {
    let contenders = subject.results.contenders.iter().enumerate();
    let (hidden, absent): (Vec<_>, Vec<_>) = contenders
        .filter(|(index, _)| !shown.iter().any(|(drawn, _)| drawn == index))
        .partition(|(_, one)| known(one, at).is_some());
    let (still, refused): (Vec<_>, Vec<_>) =
        absent.into_iter().partition(|(_, one)| taken(one, at).is_some());
    let names = |those: &[(usize, &Contender)]| {
        let names: Vec<String> = those.iter().map(|(_, one)| subject.name(one)).collect();
        list_up_to(&names, NAMES_MAX)
    };
    let groups = [
        (hidden, "not drawn (see the table)"),
        (still, "moving nothing that is listed"),
        (refused, "not reaching this step"),
    ];
    let said = groups.iter().filter(|(those, _)| !those.is_empty());
    let said: Vec<String> = said.map(|(those, what)| format!("{what}: {}", names(those))).collect();
    (!said.is_empty()).then(|| format!("Besides, {}.", list(&said)))
}
