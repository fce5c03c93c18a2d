//! What memory, builds and changes cost, in sentences.

use placelab_results::Contender;

use super::growth::Fleet;
use super::{APPLY, BUILD, Panel, memory, microseconds};
use crate::number::{self, bytes, ratio};
use crate::subject::{Spread, Subject};
use crate::text::list_up_to;

/// Names in one sentence.
const NAMES_MAX: usize = 6;

pub(super) fn finding(subject: &Subject, growth: &[Fleet]) -> String {
    let mut sentences = Vec::new();
    let held = |_: &Subject, one: &Contender| memory(one);
    sentences.extend(ends(subject, "Memory at the worst step", held, bytes));
    sentences.extend(grown(subject, growth));
    sentences.extend(timed(subject, "Time to build the first fleet", &BUILD));
    sentences.extend(timed(subject, "Time of the first change", &APPLY));
    sentences.extend(rebuilt(subject));
    sentences.join(" ")
}

fn timed(subject: &Subject, what: &str, panel: &Panel) -> Option<String> {
    ends(subject, what, panel.value, microseconds)
}

/// Who has least and who most of something; those whose ranges overlap stand together.
fn ends(
    subject: &Subject,
    what: &str,
    value: impl Fn(&Subject, &Contender) -> Option<Spread>,
    print: fn(f64) -> String,
) -> Option<String> {
    let rivals = subject.results.contenders.iter().filter(|one| one.is_rival());
    let all: Vec<(Spread, String)> =
        rivals.filter_map(|one| Some((value(subject, one)?, subject.name(one)))).collect();
    let least = all.iter().map(|(value, _)| value.high).reduce(f64::min)?;
    let most = all.iter().map(|(value, _)| value.low).reduce(f64::max)?;
    let group = |is_in: &dyn Fn(&Spread) -> bool| {
        let those: Vec<_> = all.iter().filter(|(value, _)| is_in(value)).collect();
        let medians = || those.iter().map(|(value, _)| value.median);
        let (low, high) = (medians().reduce(f64::min)?, medians().reduce(f64::max)?);
        let names: Vec<&str> = those.iter().map(|(_, name)| name.as_str()).collect();
        Some(format!("{} ({})", list_up_to(&names, NAMES_MAX), number::range(low, high, print)))
    };
    let few = group(&|value| value.low <= least)?;
    let many = group(&|value| value.high >= most)?;
    Some(match least < most {
        true => format!("{what}: lowest for {few}, highest for {many}."),
        false => format!("{what}: not to be told apart, {few}."),
    })
}

/// By how much memory grows from the smallest to the largest fleet.
fn grown(subject: &Subject, growth: &[Fleet]) -> Option<String> {
    let least = growth.iter().filter_map(|fleet| fleet.bytes.keys().next()).min()?;
    let most = growth.iter().filter_map(|fleet| fleet.bytes.keys().last()).max()?;
    let rivals = growth.iter().filter(|fleet| fleet.contender.is_rival());
    let grown: Vec<String> = rivals
        .filter_map(|fleet| {
            let times = fleet.bytes.get(most)? / fleet.bytes.get(least)?;
            Some(format!("{} {}-fold", subject.name(fleet.contender), ratio(times, 1)))
        })
        .collect();
    (!grown.is_empty()).then(|| {
        format!(
            "From {} to {} nodes it grows: {}.",
            number::count((*least).into()),
            number::count((*most).into()),
            list_up_to(&grown, 2 * NAMES_MAX)
        )
    })
}

/// Whose change costs as much as a build, or less, beyond the rounds of both.
fn rebuilt(subject: &Subject) -> Option<String> {
    let (mut cheaper, mut dearer) = (Vec::new(), Vec::new());
    for contender in subject.results.contenders.iter().filter(|one| one.is_rival()) {
        let (build, apply) = ((BUILD.value)(subject, contender), (APPLY.value)(subject, contender));
        let Some((build, apply)) = build.zip(apply) else { continue };
        let name = subject.name(contender);
        if apply.high < build.low {
            cheaper.push((build.median / apply.median, name));
        } else if apply.low > build.high {
            dearer.push((apply.median / build.median, name));
        }
    }
    let said = |mut those: Vec<(f64, String)>, what: &str| {
        those.sort_by(|a, b| b.0.total_cmp(&a.0));
        let one = |(times, name): &(f64, String)| format!("{name} {}-fold", ratio(*times, 1));
        let names: Vec<String> = those.iter().map(one).collect();
        (!names.is_empty()).then(|| format!("{what} for {}.", list_up_to(&names, NAMES_MAX)))
    };
    let said = [
        said(cheaper, "That change is cheaper than a build"),
        said(dearer, "That change costs more than a build"),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(" "))
}
