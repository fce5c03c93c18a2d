//! What a comparison says, a sentence a finding.

use std::collections::BTreeMap;

use placelab_results::compare::{self, ExpectationChange, TimesCompared, VerdictChange};
use placelab_results::{Comparison, Measure, Role, Sides, Times, Turn, metric};

use super::cautions::cautions;
use crate::answer::Difference;
use crate::number::{self, nanoseconds};
use crate::summary::need;
use crate::text::{list_up_to, one_line, plural};

/// Contenders written out of each turn in a sentence.
const NAMES_MAX: usize = 4;
/// Contenders written out in a headline.
const SUITABLE_MAX: usize = 12;

/// What a comparison says.
pub(super) struct Story {
    /// Who is suitable, and how much changed.
    pub(super) headline: String,
    /// The verdicts that changed, and the expectations.
    pub(super) verdicts: Vec<String>,
    /// The figures that differ, by metric.
    pub(super) figures: Vec<Difference>,
    /// The times that differ, by what was timed.
    pub(super) times: Vec<Difference>,
    /// What to be careful with.
    pub(super) cautions: Vec<String>,
}

impl Story {
    pub(super) fn of(comparison: &Comparison) -> Self {
        let roles: BTreeMap<&str, Role> =
            comparison.contenders.iter().map(|one| (one.name.as_str(), one.role)).collect();
        let name = |name: &str| named(name, *roles.get(name).unwrap_or(&Role::Rival));
        let verdicts = comparison.verdicts.iter().map(|change| verdict(change, name));
        let expectations = comparison.expectations.iter().map(expectation);
        let verdicts = recommended(comparison).into_iter().chain(verdicts);
        let times = match &comparison.times {
            Times::Compared(compared) => times(compared),
            _ => Vec::new(),
        };
        Story {
            headline: headline(comparison),
            verdicts: verdicts.chain(expectations).collect(),
            figures: figures(comparison),
            times,
            cautions: cautions(comparison),
        }
    }
}

/// What is recommended, where that is another one.
fn recommended(comparison: &Comparison) -> Option<String> {
    let runs = comparison.runs.as_ref().map(|run| run.recommended.as_deref());
    let name = |name: Option<&str>| name.map_or("nobody".into(), one_line);
    let Sides { before, after } = runs.map(name);
    runs.differ().then(|| format!("Recommended is {after}, and was {before}."))
}

/// The name of a contender as reports show it.
pub(super) fn named(name: &str, role: Role) -> String {
    let name = one_line(name);
    if role == Role::Rival { name } else { format!("{name} ({})", role.name()) }
}

/// The label of a metric with its measure: `largest load by requests`.
pub(super) fn label(id: &str) -> String {
    match metric(id) {
        None => one_line(id),
        Some((metric, Measure::Keys)) => metric.label.into(),
        Some((metric, by)) => format!("{} by {}", metric.label, by.name()),
    }
}

/// How values of a metric are printed: so that each pair that differs reads differently.
pub(super) fn printer<'a>(id: &'a str, pairs: &[Sides<f64>]) -> impl Fn(f64) -> String + use<'a> {
    let tells = |print: &dyn Fn(f64) -> String| {
        pairs.iter().filter(|pair| pair.differ()).all(|pair| pair.map(print).differ())
    };
    let usual = (2..=4).find(|decimals| tells(&|value| number::of_metric(id, value, *decimals)));
    // Units of their own, such as percent, have a fixed number of digits: then without them.
    let (scale, unit) = match metric(id).map(|(metric, _)| metric.unit) {
        Some("fraction") => (100.0, "%"),
        Some(unit) => (1.0, unit),
        None => (1.0, ""),
    };
    let digits = (1..=9).find(|decimals| tells(&|value| number::decimal(scale * value, *decimals)));
    move |value| match usual {
        Some(decimals) => number::of_metric(id, value, decimals),
        None => format!("{} {unit}", number::decimal(scale * value, digits.unwrap_or(9))),
    }
}

/// The same for a figure whose ranges lie apart: they must not seem to touch.
pub(super) fn printer_of(difference: &compare::Difference) -> impl Fn(f64) -> String {
    let sides = difference.sides.as_ref();
    let facing = match sides.before.median < sides.after.median {
        true => Sides { before: sides.before.high, after: sides.after.low },
        false => Sides { before: sides.before.low, after: sides.after.high },
    };
    printer(&difference.metric, &[sides.map(|figure| figure.median), facing])
}

fn headline(comparison: &Comparison) -> String {
    if comparison.same_results {
        return "Nothing changed: both runs have the same results.".into();
    }
    format!("{} {}", suitable(comparison), counted(comparison))
}

fn suitable(comparison: &Comparison) -> String {
    let Sides { before, after } = comparison.runs.as_ref().map(|run| &run.suitable);
    let only = &comparison.contenders_only;
    let missing = |from: &[String], of: &[String], only: &[String], why: &str| -> Vec<String> {
        let those = from.iter().filter(|name| !of.contains(name));
        let why = |name: &String| if only.contains(name) { why } else { "" }.to_string();
        those.map(|name| one_line(name) + &why(name)).collect()
    };
    let gained = missing(after, before, &only.after, " (new)");
    let lost = missing(before, after, &only.before, " (left out)");
    let kept: Vec<String> =
        after.iter().filter(|name| before.contains(name)).map(|name| one_line(name)).collect();
    let groups = [("now", gained), ("no longer", lost), ("still", kept)];
    let some = groups.into_iter().filter(|(_, names)| !names.is_empty()).enumerate();
    let said = some.map(|(place, (when, names))| {
        let suitable = if place == 0 { " suitable" } else { "" };
        format!("{when}{suitable}: {}", list_up_to(&names, SUITABLE_MAX))
    });
    let said = said.collect::<Vec<_>>().join("; ");
    match said.is_empty() {
        true => "No contender is suitable, before or after.".into(),
        false => format!("{}.", capital(&said)),
    }
}

/// How many figures changed.
fn counted(comparison: &Comparison) -> String {
    let figures = &comparison.figures;
    let of = |turn| figures.differences.iter().filter(|one| one.turn == turn).count() as u64;
    let [better, worse, neither] = [Turn::Better, Turn::Worse, Turn::Neither].map(of);
    let all = plural(figures.compared, "figure", "figures");
    let order = match (neither, better + worse) {
        (0, _) => String::new(),
        (_, 0) => format!("{} of {all} lie apart; no order is claimed.", number::count(neither)),
        _ => format!(" Of {} more no order is claimed.", number::count(neither)),
    };
    match (figures.compared, better + worse, figures.within) {
        (0, ..) => "No figure is in both runs.".into(),
        (_, 0, _) if neither > 0 => order,
        (_, 0, 0) => format!("None of {all} changed."),
        (_, 0, within) => {
            format!(
                "None of {all} changed beyond its range; {} changed within it.",
                number::count(within)
            )
        }
        _ => {
            let others = figures.differences.iter().filter(|one| one.role != Role::Rival).count();
            let others = match others {
                0 => String::new(),
                _ => format!(", {others} of them of canaries or exhibits"),
            };
            format!(
                "Of {all}, {} and {} beyond the ranges over the hash seeds{others}.{order}",
                are(better, "better"),
                are(worse, "worse")
            )
        }
    }
}

/// `none is better`, `1 is better`, `2 are better`.
fn are(count: u64, what: &str) -> String {
    match count {
        0 => format!("none is {what}"),
        1 => format!("1 is {what}"),
        _ => format!("{} are {what}", number::count(count)),
    }
}

fn verdict(change: &VerdictChange, name: impl Fn(&str) -> String) -> String {
    match change {
        VerdictChange::Suitable { contender, met } => {
            let is =
                if met.after { "is suitable now, and was not" } else { "is suitable no longer" };
            format!("{} {is}.", name(contender))
        }
        VerdictChange::Requirement { contender, requirement, met, measured } => {
            let id = requirement.metric.as_deref().unwrap_or_default();
            let both = measured.both().unwrap_or_default();
            let print = printer(id, &[both]);
            let judged = |met: Option<bool>, value: Option<f64>| {
                let word = match met {
                    Some(true) => "met",
                    Some(false) => "not met",
                    None => "without a figure",
                };
                let value = value.filter(|value| value.is_finite());
                value.map_or(word.into(), |value| format!("{word} ({})", print(value)))
            };
            format!(
                "{}: “{}” was {} and is {}.",
                name(contender),
                one_line(&need(requirement)),
                judged(met.before, measured.before),
                judged(met.after, measured.after)
            )
        }
        VerdictChange::Refusal { contender, refusal } => {
            let name = name(contender);
            let reason = |text: &str| one_line(text.trim_end_matches('.'));
            match (&refusal.before, &refusal.after) {
                (None, Some(now)) => format!("{name} is refused now ({}).", reason(now)),
                (Some(then), None) => {
                    format!("{name} takes every step now; it was refused ({}).", reason(then))
                }
                (then, now) => {
                    let [then, now] =
                        [then, now].map(|text| reason(text.as_deref().unwrap_or_default()));
                    format!("{name} is refused for another reason: {now}; it was: {then}.")
                }
            }
        }
        VerdictChange::Evenness { contender, measure, likeness } => format!(
            "{}: loads by {} were {} and are {}.",
            name(contender),
            measure.name(),
            likeness.before.name(),
            likeness.after.name()
        ),
    }
}

fn expectation(change: &ExpectationChange) -> String {
    let held = match change.met.after {
        true => "did not hold and holds now",
        false => "held and does not now: see there before relying on the figures",
    };
    format!("The expectation “{}” {held}.", one_line(&change.text))
}

/// A sentence a metric, first those of contenders that may be chosen.
fn figures(comparison: &Comparison) -> Vec<Difference> {
    let mut differences: Vec<_> = comparison.figures.differences.iter().collect();
    differences.sort_by_key(|one| one.role != Role::Rival);
    let mut by_metric = BTreeMap::<&str, Vec<(Turn, String)>>::new();
    let mut order = Vec::new();
    for one in differences {
        let id = one.metric.as_str();
        if !by_metric.contains_key(id) {
            order.push(id);
        }
        let medians = one.sides.as_ref().map(|figure| figure.median);
        let text = change(&named(&one.contender, one.role), medians, printer_of(one));
        by_metric.entry(id).or_default().push((one.turn, text));
    }
    let sentence = |id: &str| Difference {
        what: capital(&label(id)),
        text: turned(&by_metric[id], ["better", "worse"]),
    };
    order.into_iter().map(sentence).collect()
}

/// A sentence for each kind of time.
fn times(compared: &TimesCompared) -> Vec<Difference> {
    let mut by_kind = BTreeMap::<(&str, Option<u32>), Vec<(Turn, String)>>::new();
    for one in &compared.differences {
        let medians = one.sides.map(|time| time.median_ns);
        let text = change(&one_line(&one.contender), medians, nanoseconds);
        by_kind.entry((&one.what, one.nodes)).or_default().push((one.turn, text));
    }
    let sentence = |what: String, all: &[(Turn, String)]| Difference {
        what: capital(&what),
        text: turned(all, ["faster", "slower"]),
    };
    let kinds = by_kind.iter();
    kinds.map(|((what, nodes), all)| sentence(timed(what, *nodes), all)).collect()
}

/// What was timed: `batch lookup, 1,000 nodes`.
pub(super) fn timed(what: &str, nodes: Option<u32>) -> String {
    match nodes {
        Some(nodes) => format!("{what}, {}", plural(nodes.into(), "node", "nodes")),
        None => what.into(),
    }
}

/// `ring (1.25 → 1.14 × fair)`.
fn change(name: &str, sides: Sides<f64>, print: impl Fn(f64) -> String) -> String {
    let Sides { before, after } = sides.map(print);
    // The unit stands at the second value already.
    let short = match (before.split_once(' '), after.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same && number != "<" => number,
        _ => &before,
    };
    format!("{name} ({short} → {after})")
}

/// `better for ring (…) and jump (…); worse for maglev (…).`
fn turned(all: &[(Turn, String)], [better, worse]: [&str; 2]) -> String {
    let kinds = [(Turn::Better, better), (Turn::Worse, worse), (Turn::Neither, "different")];
    let said = kinds.into_iter().filter_map(|(turn, word)| {
        let own = all.iter().filter(|(of, _)| *of == turn);
        let names: Vec<&str> = own.map(|(_, text)| text.as_str()).collect();
        (!names.is_empty()).then(|| format!("{word} for {}", list_up_to(&names, NAMES_MAX)))
    });
    format!("{}.", said.collect::<Vec<_>>().join("; "))
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + characters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(id: &str, before: f64, after: f64) -> [String; 2] {
        let print = printer(id, &[Sides { before, after }]);
        [print(before), print(after)]
    }

    #[test]
    fn values_that_differ_read_differently() {
        for (id, before, after, expected) in [
            ("load.max_over_mean", 1.25, 1.14, ["1.25 × fair", "1.14 × fair"]),
            ("load.max_over_mean", 1.0002, 1.0003, ["1.0002 × fair", "1.0003 × fair"]),
            ("load.cv", 0.0147, 0.0067, ["0.015 × fair", "0.007 × fair"]),
            ("movement.moved", 0.323, 0.646, ["32.3 %", "64.6 %"]),
            ("movement.moved", 0.333_33, 0.333_34, ["33.333 %", "33.334 %"]),
            ("load.cv", 1.0, 1.0 + 1e-15, ["1.000000000 × fair", "1.000000000 × fair"]),
            ("load.cv", 0.0147, 0.0147, ["0.01 × fair", "0.01 × fair"]),
            ("unknown", f64::NAN, 1.0, ["–", "1.000"]),
        ] {
            assert_eq!(printed(id, before, after), expected, "{id}");
        }
    }

    #[test]
    fn a_unit_stands_once() {
        let said = |before, after| {
            let sides = Sides { before, after };
            change("ring", sides, |value| number::of_metric("time.lookup_ns", value, 2))
        };
        assert_eq!(said(8.0, 16.0), "ring (8.00 → 16.0 ns)");
        assert_eq!(said(800.0, 1_600.0), "ring (800 ns → 1.60 µs)");
    }
}
