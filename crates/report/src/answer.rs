//! The answer first: which contenders do, what tells them apart, and what would change it.
//!
//! Figures are put in an order only where their intervals over the seeds lie apart; otherwise the
//! text says that they cannot be told apart.

mod differences;
mod few_keys;
mod recommended;

use std::collections::BTreeMap;

pub(crate) use differences::lookup_time;

use placelab_results::{
    Contender, ContenderVerdict, Cropped, Judgement, Measured, Requirement, Role,
};

use crate::number::{self, percent};
use crate::subject::{ORDERED_SEEDS_MIN, Subject, figure, steps, worst};
use crate::summary::need;
use crate::text::{list, list_up_to, one_line, plural};

/// What the report says at its head.
pub(crate) struct Answer {
    /// What chance allows where keys are few: before everything else.
    pub(crate) floor: Option<String>,
    /// The answer in a sentence or two.
    pub(crate) headline: String,
    /// Names of the rivals that are suitable.
    pub(crate) suitable: Vec<String>,
    /// Why what is recommended comes before the others, a sentence each.
    pub(crate) reasons: Vec<String>,
    /// What tells the candidates apart, a sentence each.
    pub(crate) differences: Vec<Difference>,
    /// Who could not do what.
    pub(crate) refusals: Vec<String>,
    /// What would change the answer.
    pub(crate) changes: Vec<String>,
    /// What to be careful with.
    pub(crate) cautions: Vec<String>,
}

/// One figure by which candidates differ, or do not.
pub(crate) struct Difference {
    pub(crate) what: String,
    pub(crate) text: String,
}

/// Names written out in a sentence.
const NAMES_MAX: usize = 12;

/// Answers a run.
pub(crate) fn answer(subject: &Subject) -> Answer {
    let candidates = candidates(subject);
    let recommendation = recommended::recommendation(subject);
    let mut changes = recommendation.map_or(Vec::new(), |one| recommended::changes(subject, one));
    changes.extend(self::changes(subject, &candidates));
    Answer {
        floor: few_keys::few_keys(subject),
        headline: match recommendation {
            Some(recommendation) => recommended::headline(recommendation),
            None => headline(subject, &candidates),
        },
        reasons: recommendation.map_or(Vec::new(), |one| recommended::reasons(subject, one)),
        suitable: candidates.iter().map(|contender| one_line(&contender.name)).collect(),
        differences: differences::differences(subject, &candidates),
        refusals: refusals(subject),
        changes,
        cautions: cautions(subject, &candidates),
    }
}

/// The rivals that are suitable.
fn candidates<'a>(subject: &Subject<'a>) -> Vec<&'a Contender> {
    std::iter::zip(&subject.results.contenders, &subject.verdict.contenders)
        .filter(|(contender, judged)| contender.is_rival() && judged.suitable)
        .filter(|(contender, _)| took_every_step(subject, contender))
        .map(|(contender, _)| contender)
        .collect()
}

/// Whether a contender has every step of the plan.
pub(crate) fn took_every_step(subject: &Subject, contender: &Contender) -> bool {
    contender.timelines.len() >= subject.results.plan.len()
        && std::iter::zip(&subject.results.plan, &contender.timelines).all(|(planned, done)| {
            done.refusal.is_none() && done.steps.len() >= planned.steps.len()
        })
}

fn headline(subject: &Subject, candidates: &[&Contender]) -> String {
    let rivals = subject.results.contenders.iter().filter(|contender| contender.is_rival()).count();
    let names: Vec<String> = candidates.iter().map(|contender| one_line(&contender.name)).collect();
    let who = list_up_to(&names, NAMES_MAX);
    let needs = match subject.results.requirements.len() {
        0 => None,
        1 => Some("the requirement"),
        _ => Some("every requirement"),
    };
    match (rivals, candidates.len(), needs) {
        (0, ..) => "There is nothing to choose from: the run has no contenders.".into(),
        (_, 0, Some(_)) => "No contender meets every requirement and can take every step.".into(),
        (_, 0, None) => "No contender can take every step.".into(),
        (1, 1, Some(needs)) => format!("{who} meets {needs} and takes every step."),
        (1, 1, None) => format!("{who} takes every step."),
        (_, count, Some(needs)) => {
            let (meet, take) = if count == 1 { ("meets", "takes") } else { ("meet", "take") };
            let all = if count == rivals { "All contenders" } else { who.as_str() };
            let which = if count == rivals { format!(": {who}") } else { String::new() };
            format!("{all} {meet} {needs} and {take} every step{which}.")
        }
        (_, count, None) if count == rivals => {
            format!("All contenders take every step: {who}.")
        }
        (_, 1, None) => format!("Only {who} takes every step."),
        (_, _, None) => format!("{who} take every step."),
    }
}

/// A line for each event that somebody cannot do, with everybody who fails alike.
fn refusals(subject: &Subject) -> Vec<String> {
    let mut alike: BTreeMap<(usize, usize, &str), Vec<String>> = BTreeMap::new();
    for contender in &subject.results.contenders {
        for (index, done) in contender.timelines.iter().enumerate() {
            let Some(refusal) = &done.refusal else { continue };
            let reason = refusal.reason.trim_end_matches('.');
            let names = alike.entry((index, refusal.step, reason)).or_default();
            names.push(subject.name(contender));
        }
    }
    let line = |((index, step, reason), names): ((usize, usize, &str), Vec<String>)| {
        let label = subject.step_name(index, step);
        let planned = subject.results.plan.get(index).and_then(|plan| plan.steps.get(step));
        let changes = match planned.map(|step| step.changes.trim()) {
            Some(changes) if !label.contains(changes) => format!(" ({changes})"),
            _ => String::new(),
        };
        format!("{} cannot do {label}{changes}: {reason}.", list_up_to(&names, NAMES_MAX))
    };
    alike.into_iter().map(line).collect()
}

fn changes(subject: &Subject, candidates: &[&Contender]) -> Vec<String> {
    let mut lines = Vec::new();
    for contender in candidates {
        let near = subject.results.requirements.iter();
        lines.extend(near.filter_map(|requirement| close_call(subject, contender, requirement)));
    }
    lines.extend(near_misses(subject));
    lines.extend(misses_by_luck(subject));
    lines
}

fn cautions(subject: &Subject, candidates: &[&Contender]) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(busy(subject));
    if subject.results.requirements.is_empty() && candidates.len() > 1 {
        lines.push("The scenario states no requirements: this is no ranking.".into());
    }
    lines.extend(misleading_maximum(candidates));
    lines.extend(cropped(subject));
    let broken = subject.results.expectations.iter().filter(|held| !held.met).count();
    if broken > 0 {
        let all = subject.results.expectations.len();
        lines.push(format!(
            "{broken} of {} did not hold: see the expectations before relying on the figures.",
            plural(all as u64, "expectation", "expectations")
        ));
    }
    let canaries = subject.names_of(Role::Canary);
    if !canaries.is_empty() {
        lines.push(format!(
            "Canaries, in the run only to show that the figures tell good from bad: {}.",
            list(&canaries)
        ));
    }
    let exhibits = subject.names_of(Role::Exhibit);
    if !exhibits.is_empty() {
        lines.push(format!(
            "Exhibits, in the run to be looked at and not to be chosen: {}.",
            list(&exhibits)
        ));
    }
    if !subject.has_order() {
        let seeds = plural(subject.results.seeds.into(), "hash seed", "hash seeds");
        let but = if subject.timed_nodes().is_some() { " but of times" } else { "" };
        lines.push(format!(
            "No order is claimed{but}: {seeds} of {ORDERED_SEEDS_MIN} at least say too little of \
             luck."
        ));
    }
    lines
}

/// What says that times were taken beside other work.
fn busy(subject: &Subject) -> Option<String> {
    let signs = &subject.timings?.busy;
    (!signs.is_empty()).then(|| {
        let signs: Vec<String> = signs.iter().map(|sign| one_line(sign)).collect();
        format!("The machine was busy when times were taken: distrust them. {}", signs.join(" "))
    })
}

/// Members that are too heavy for the copies, at the first step that has some.
fn cropped(subject: &Subject) -> Option<String> {
    let steps = subject.results.plan.iter().flat_map(|timeline| &timeline.steps);
    let cropped = &steps.map(|step| &step.cropped).find(|cropped| !cropped.is_empty())?;
    let one = |node: &Cropped| {
        let effective = number::ratio(node.effective, 2);
        format!("{} (weight {}, counts as {effective})", one_line(&node.name), node.weight)
    };
    let each: Vec<String> = cropped.iter().map(one).collect();
    Some(format!(
        "Too heavy for {} of each key: {}. A node holds at most one copy of a key, so it cannot \
         have its part of them; fair loads by copies are of the weights that count.",
        plural(subject.results.replicas.into(), "copy", "copies"),
        list_up_to(&each, NAMES_MAX)
    ))
}

/// A contender whose fullest node is less full than another's though its loads lie farther apart:
/// the pair with the largest quotient of spreads, where all intervals lie apart.
fn misleading_maximum(candidates: &[&Contender]) -> Option<String> {
    let figures = |contender: &&Contender| {
        let of = |id| worst(contender, id).map(|found| *found.measured);
        let [peak, spread, least] = ["load.max_over_mean", "load.cv", "load.min_over_mean"].map(of);
        Some((one_line(&contender.name), peak?, spread?, least?))
    };
    let all: Vec<_> = candidates.iter().filter_map(figures).collect();
    let pairs = all.iter().flat_map(|one| all.iter().map(move |other| (one, other)));
    let misled = pairs.filter(|((_, peak, spread, _), (_, other_peak, other_spread, _))| {
        peak.high < other_peak.low && spread.low > other_spread.high
    });
    let quotient =
        |pair: &(&(_, _, Measured, _), &(_, _, Measured, _))| pair.0.2.median / pair.1.2.median;
    let ((name, peak, spread, least), (other, other_peak, other_spread, other_least)) =
        misled.max_by(|a, b| quotient(a).total_cmp(&quotient(b)))?;
    let print = |value: f64| number::ratio(value, 2);
    Some(format!(
        "A maximum alone misleads: the fullest node of {name} has {} × fair and that of {other} \
         {}, but the loads of {name} lie farther apart, with a standard deviation of {} of the \
         mean against {}, and its emptiest node has {} × fair against {}.",
        print(peak.median),
        print(other_peak.median),
        percent(spread.median),
        percent(other_spread.median),
        print(least.median),
        print(other_least.median),
    ))
}

/// Contenders that a single requirement keeps out: what would change the answer.
fn near_misses(subject: &Subject) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, requirement) in subject.results.requirements.iter().enumerate() {
        let misses_only_this = |(contender, judged): &(&Contender, &ContenderVerdict)| {
            let others = judged.judgements.iter().enumerate().filter(|(other, _)| *other != index);
            contender.is_rival()
                && took_every_step(subject, contender)
                && judged.judgements.get(index).is_some_and(|this| this.met == Some(false))
                && others.into_iter().all(|(_, judgement)| judgement.met == Some(true))
        };
        let names: Vec<String> =
            std::iter::zip(&subject.results.contenders, &subject.verdict.contenders)
                .filter(misses_only_this)
                .map(|(contender, _)| one_line(&contender.name))
                .collect();
        if !names.is_empty() {
            lines.push(format!(
                "Without “{}”, {} would be suitable too.",
                need(requirement),
                list_up_to(&names, NAMES_MAX)
            ));
        }
    }
    lines
}

/// Requirements that a rival misses by the median, though some draws of the hash meet them.
fn misses_by_luck(subject: &Subject) -> Vec<String> {
    let contenders = std::iter::zip(&subject.results.contenders, &subject.verdict.contenders);
    let missed = contenders.filter(|(one, _)| one.is_rival()).flat_map(|(one, judged)| {
        let missed = |judgement: &&Judgement| judgement.met == Some(false);
        let requirements = std::iter::zip(&subject.results.requirements, &judged.judgements);
        requirements.filter(move |(_, judgement)| missed(judgement)).map(move |(of, _)| (one, of))
    });
    missed.filter_map(|(one, requirement)| close_miss(subject, one, requirement)).collect()
}

/// A requirement that is missed by the median, where the ranges of all steps reach it.
fn close_miss(
    subject: &Subject,
    contender: &Contender,
    requirement: &Requirement,
) -> Option<String> {
    let id = requirement.metric.as_deref()?;
    let meets = |value: f64| {
        requirement.min.is_none_or(|min| value >= min)
            && requirement.max.is_none_or(|max| value <= max)
    };
    let ends = |measured: &Measured| [meets(measured.min), meets(measured.max)];
    let figures = steps(contender).filter_map(|(_, _, step)| figure(step, id));
    let reached: Vec<[bool; 2]> = figures.map(ends).collect();
    if !subject.has_intervals() || reached.contains(&[false, false]) {
        return None;
    }
    // What single seeds did over several steps is not known.
    let missed_at = reached.iter().filter(|ends| ends.contains(&false)).count();
    let but = match missed_at {
        1 => "meets it at some hash seeds",
        _ => "at no step do all hash seeds miss it",
    };
    let (name, need) = (one_line(&contender.name), need(requirement));
    Some(format!("{name} misses “{need}” by its median, but {but}."))
}

/// A requirement that is met by the median but not at every seed.
fn close_call(
    subject: &Subject,
    contender: &Contender,
    requirement: &Requirement,
) -> Option<String> {
    let id = requirement.metric.as_deref()?;
    let figures = || steps(contender).filter_map(|(_, _, step)| figure(step, id));
    let print = |value: f64| number::of_metric(id, value, subject.decimals);
    let most = figures().map(|measured| measured.high).reduce(f64::max)?;
    let least = figures().map(|measured| measured.low).reduce(f64::min)?;
    let beyond = match (requirement.min, requirement.max) {
        (_, Some(limit)) if most > limit => most,
        (Some(limit), _) if least < limit => least,
        _ => return None,
    };
    Some(format!(
        "{} meets “{}” by its median, but not at every hash seed: 5–95 % reach {}.",
        one_line(&contender.name),
        need(requirement),
        print(beyond)
    ))
}
