//! What the copies made tell, in sentences.

use placelab_results::Contender;

use super::{AS_A_SET, At, BEHIND, BY_RANK, MOVED, taken};
use crate::charts::frame::left_out;
use crate::number::{self, percent};
use crate::subject::{Subject, figure, steps};
use crate::text::{list_up_to, one_line};

/// A rival's medians of two metrics at a step.
type Both = (String, f64, f64);

fn both(subject: &Subject, at: At, [first, second]: [&str; 2]) -> Vec<Both> {
    let rivals = subject.results.contenders.iter().filter(|contender| contender.is_rival());
    let both = |contender: &Contender| {
        let step = taken(contender, at)?;
        let (first, second) = (figure(step, first)?, figure(step, second)?);
        Some((one_line(&contender.name), first.median, second.median))
    };
    rivals.filter_map(both).collect()
}

/// What the shown steps tell.
pub(super) fn finding(subject: &Subject, shown: &[At]) -> String {
    let most = |id: &str| -> Option<f64> {
        let all = subject.results.contenders.iter().flat_map(steps);
        all.filter_map(|(_, _, step)| figure(step, id))
            .map(|measured| measured.max)
            .reduce(f64::max)
    };
    if [MOVED, BEHIND, AS_A_SET].into_iter().all(|id| most(id).is_none_or(|most| most == 0.0)) {
        let text = "Nothing changes: every copy stays where it is, at any step or seed.";
        return format!("{text}{}", left_out(subject));
    }
    let mut sentences: Vec<String> = Vec::new();
    for &at in shown {
        sentences.extend(missed(subject, at));
    }
    sentences.extend(never_missed(subject));
    sentences.extend(ranks(subject, shown));
    sentences.join(" ") + &left_out(subject)
}

/// What somebody who watches owners alone does not see of a step.
fn missed(subject: &Subject, at: At) -> Option<String> {
    let mut rivals = both(subject, at, [MOVED, BEHIND]);
    rivals.sort_by(|a, b| b.2.total_cmp(&a.2));
    let (name, moved, behind) = rivals.first()?;
    let step = subject.step_name(at.0, at.1);
    if *behind <= 0.0 {
        return Some(format!("At {step} no key keeps its owner and gets another copy."));
    }
    let (moved, behind) = (percent(*moved), percent(*behind));
    let others = others(&rivals[1..]);
    Some(format!(
        "At {step}, under {name}, {moved} of keys change their owner, while another {behind} keep \
         it and get a new copy behind it: who watches owners alone misses those.{others}"
    ))
}

/// The figures of the further rivals: each where they are few, else their ranges.
fn others(rivals: &[Both]) -> String {
    const EACH_MAX: usize = 3;
    let range = |of: fn(&Both) -> f64| {
        let values = || rivals.iter().map(of);
        let low = values().fold(f64::INFINITY, f64::min);
        number::range(low, values().fold(0.0, f64::max), percent)
    };
    let each = |(name, moved, behind): &Both| {
        format!("{name} {} and {}", percent(*moved), percent(*behind))
    };
    match rivals.len() {
        0 => String::new(),
        1..=EACH_MAX => {
            let each: Vec<String> = rivals.iter().map(each).collect();
            format!(" Under {}.", each.join("; under "))
        }
        count => format!(
            " Under the {} others it is {} and {}.",
            number::count(count as u64),
            range(|one| one.1),
            range(|one| one.2)
        ),
    }
}

/// The rivals of whom owners tell everything.
fn never_missed(subject: &Subject) -> Option<String> {
    let rivals = subject.results.contenders.iter().filter(|contender| contender.is_rival());
    let never = |contender: &&Contender| {
        let taken = steps(contender).filter(|(_, step, _)| *step > 0);
        let most = taken.filter_map(|(_, _, step)| figure(step, BEHIND)).map(|m| m.max);
        most.reduce(f64::max) == Some(0.0)
    };
    let names: Vec<String> =
        rivals.filter(never).map(|contender| one_line(&contender.name)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "No copy is ever made behind an owner that stays with {}, at any step or seed.",
            list_up_to(&names, 12)
        )
    })
}

/// What counting by rank adds, at the step where it adds most.
fn ranks(subject: &Subject, shown: &[At]) -> Option<String> {
    let added = |one: &Both| one.2 - one.1;
    let steps = shown.iter().filter_map(|&at| {
        let mut rivals = both(subject, at, [AS_A_SET, BY_RANK]);
        rivals.sort_by(|a, b| added(b).total_cmp(&added(a)));
        Some((added(rivals.first()?), at, rivals))
    });
    let (_, at, rivals) = steps.reduce(|a, b| if b.0 > a.0 { b } else { a })?;
    let (more, same): (Vec<Both>, Vec<Both>) =
        rivals.into_iter().partition(|(_, set, rank)| percent(*set) != percent(*rank));
    let step = subject.step_name(at.0, at.1);
    let names: Vec<&str> = same.iter().map(|(name, ..)| name.as_str()).collect();
    if more.is_empty() {
        return Some("Counted by rank, as erasure coding has to rebuild, it is no more.".into());
    }
    let more: Vec<String> = more
        .iter()
        .map(|(name, set, rank)| format!("{name} {} instead of {}", percent(*rank), percent(*set)))
        .collect();
    let same = match names.len() {
        0 => String::new(),
        _ => format!("; no more with {}", list_up_to(&names, 6)),
    };
    Some(format!(
        "Counted by rank, as erasure coding has to rebuild, {step} makes more of them: {}{same}.",
        joined(&more)
    ))
}

/// Items that hold an “and” of their own, as many as a sentence bears.
fn joined(items: &[String]) -> String {
    const ITEMS_MAX: usize = 5;
    let mut shown = items[..items.len().min(ITEMS_MAX)].join("; ");
    if items.len() > ITEMS_MAX {
        shown += &format!("; {} more", items.len() - ITEMS_MAX);
    }
    shown
}
