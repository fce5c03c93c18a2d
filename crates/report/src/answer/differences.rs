//! What tells candidates apart, and what does not.
//!
//! Figures are put in an order only where there are seeds enough and their ranges over the seeds
//! lie apart. Ranges that overlap do not say that contenders are alike: one draw of the hash may be
//! on either side.

use placelab_results::{Chance, Contender, Likeness, Measure};

use super::{Difference, NAMES_MAX};
use crate::number::{self, nanoseconds, percent};
use crate::subject::{Found, Spread, Subject, least, worst};
use crate::summary::tested;
use crate::text::{list_up_to, one_line};

/// A figure of each candidate.
struct Figure<'a> {
    what: String,
    values: Vec<(&'a Contender, Spread)>,
    print: &'a dyn Fn(f64) -> String,
    /// Whether the spreads say enough of luck to put contenders in an order.
    has_order: bool,
    /// What chance alone gives, where that is known: figures that it explains are all alike.
    chance: Option<Chance>,
}

/// Sets the figures of the candidates against each other.
pub(super) fn differences(subject: &Subject, candidates: &[&Contender]) -> Vec<Difference> {
    if candidates.len() < 2 {
        return candidates.first().map_or(Vec::new(), |only| alone(subject, only));
    }
    let load = |value: f64| format!("{} × fair", subject.load(value));
    let times = |value: f64| format!("{} × fair", number::ratio(value, 2));
    let work = |value: f64| format!("{} steps", number::work(value));
    let mut figures =
        vec![of_worst(subject, candidates, "load.max_over_mean", "Fullest node", &load)];
    for (index, timeline) in subject.results.plan.iter().enumerate() {
        let several = subject.results.plan.len() > 1;
        let name = if several { format!(", “{}”", timeline.name) } else { String::new() };
        let total = |contender: &Contender| subject.total(contender, index, "movement.moved");
        figures.push(Figure {
            what: format!("Keys moved{name} (exact shares need {})", percent(least(timeline))),
            values: of(candidates, total),
            print: &percent,
            has_order: subject.has_order(),
            chance: None,
        });
    }
    if subject.has_copies() {
        let copies = of_worst(subject, candidates, "replica.changed", "Copies made", &percent);
        figures.push(copies);
    }
    figures.push(of_worst(
        subject,
        candidates,
        "failure.max_extra",
        "Largest extra load after a loss",
        &times,
    ));
    figures.push(of_worst(
        subject,
        candidates,
        "capacity.first_full",
        "Fill of the fleet when its first node is full",
        &percent,
    ));
    figures.push(of_worst(subject, candidates, "work.lookup", "Work of a lookup", &work));
    figures.extend(timed(subject, candidates));
    let compared = figures.iter().filter_map(compare);
    evenness(subject, candidates).chain(compared).collect()
}

/// Whose loads are what an ideal hash gives, and whose are not.
fn evenness(subject: &Subject, candidates: &[&Contender]) -> impl Iterator<Item = Difference> {
    tested(subject).filter_map(|measure| evenness_by(subject, candidates, measure))
}

fn evenness_by(
    subject: &Subject,
    candidates: &[&Contender],
    measure: Measure,
) -> Option<Difference> {
    let alike = |likeness: Likeness| {
        let is_so = |one: &Contender| subject.results.likeness(one, measure) == Some(likeness);
        let those = candidates.iter().filter(|one| is_so(one));
        let names: Vec<String> = those.map(|one| one_line(&one.name)).collect();
        let who = list_up_to(&names, NAMES_MAX);
        (!names.is_empty()).then(|| format!("{} for {who}", likeness.name()))
    };
    let kinds = [Likeness::Better, Likeness::Chance, Likeness::Worse];
    let kinds: Vec<String> = kinds.into_iter().filter_map(alike).collect();
    (!kinds.is_empty()).then(|| Difference {
        what: format!("Evenness by {}, against an ideal hash", measure.name()),
        text: format!("{}.", kinds.join("; ")),
    })
}

fn of<'a>(
    candidates: &[&'a Contender],
    value: impl Fn(&Contender) -> Option<Spread>,
) -> Vec<(&'a Contender, Spread)> {
    candidates.iter().filter_map(|contender| Some((*contender, value(contender)?))).collect()
}

fn of_worst<'a>(
    subject: &Subject,
    candidates: &[&'a Contender],
    id: &str,
    what: &str,
    print: &'a dyn Fn(f64) -> String,
) -> Figure<'a> {
    let chance = candidates.iter().find_map(|contender| worst(contender, id)?.measured.chance);
    Figure {
        what: format!("{what}, worst step"),
        values: of(candidates, |contender| worst(contender, id).map(|f| f.measured.into())),
        print,
        has_order: subject.has_order(),
        chance: chance.filter(|chance| chance.high.is_finite()),
    }
}

fn timed<'a>(subject: &Subject, candidates: &[&'a Contender]) -> Option<Figure<'a>> {
    let nodes = subject.timed_nodes()?;
    let value = |contender: &Contender| {
        let [median, low, high] = lookup_time(subject, contender, nodes)?;
        Some(Spread { median, low, high })
    };
    Some(Figure {
        what: format!("Time of a lookup in a batch at {} nodes", number::count(nodes.into())),
        values: of(candidates, value),
        print: &nanoseconds,
        has_order: true,
        chance: None,
    })
}

/// Batch times of a contender at a count of nodes.
pub(crate) fn lookup_time(
    subject: &Subject,
    contender: &Contender,
    nodes: u32,
) -> Option<[f64; 3]> {
    let lookups = &subject.timings?.lookups;
    let lookup = lookups.iter().find(|lookup| {
        lookup.contender == contender.name && lookup.nodes == nodes && lookup.refusal.is_none()
    })?;
    let times = lookup.batch_ns.range();
    times.iter().all(|time| time.is_finite()).then_some(times)
}

/// Sets the values of a figure against each other.
fn compare(figure: &Figure) -> Option<Difference> {
    let mut values = figure.values.clone();
    if values.len() < 2 {
        return None;
    }
    values.sort_by(|a, b| a.1.median.total_cmp(&b.1.median));
    let what = figure.what.clone();
    let print = figure.print;
    let (least, most) = (values[0].1, values[values.len() - 1].1);
    let medians = number::range(least.median, most.median, print);
    if print(least.median) == print(most.median) {
        return Some(Difference {
            what,
            text: format!("medians the same when rounded: {medians}."),
        });
    }
    if !figure.has_order {
        let text = format!("{}.", all_named(&figure.values, print));
        return Some(Difference { what, text });
    }
    // The intervals of those that begin below where the first interval ends all overlap; so do
    // those that chance may have put where they are, unless the first is below chance. None of
    // them can be told from another.
    let first = values.iter().min_by(|a, b| a.1.high.total_cmp(&b.1.high))?;
    let chance = figure.chance.filter(|chance| first.1.high >= chance.low);
    let reach = chance.map_or(first.1.high, |chance| first.1.high.max(chance.high));
    let (like, apart): (Vec<_>, Vec<_>) = values.iter().partition(|(_, s)| s.low <= reach);
    let names: Vec<String> = like.iter().map(|(contender, _)| one_line(&contender.name)).collect();
    let who = list_up_to(&names, NAMES_MAX);
    if apart.is_empty() {
        let text = format!("ranges overlap ({who}: {medians}).");
        return Some(Difference { what, text });
    }
    let best = if like.len() == 1 {
        format!("least for {}", named(like[0].0, like[0].1, print))
    } else {
        let (low, high) = (like[0].1.median, like[like.len() - 1].1.median);
        format!("least for {who} ({}, ranges overlap)", number::range(low, high, print))
    };
    // A wide interval among the least may reach those above: then they are above the first only.
    let clear = apart.iter().all(|(_, above)| like.iter().all(|(_, s)| s.high < above.low));
    let than = if clear {
        "more for".into()
    } else {
        format!("more than {} for", one_line(&first.0.name))
    };
    let text = format!("{best}; {than} {}.", all_named(&apart, print));
    Some(Difference { what, text })
}

/// `ring, 1.18 × fair (1.12–1.25)`.
fn named(contender: &Contender, spread: Spread, print: &dyn Fn(f64) -> String) -> String {
    let (name, median) = (one_line(&contender.name), print(spread.median));
    if print(spread.low) == print(spread.high) {
        return format!("{name}, {median}");
    }
    let interval = number::range(spread.low, spread.high, print);
    // The unit stands at the median already.
    let unit = median.split_once(' ').map_or("", |(_, unit)| unit);
    let interval = interval.strip_suffix(unit).unwrap_or(&interval).trim_end();
    format!("{name}, {median} ({interval})")
}

/// Contenders with their figures, as many as a sentence bears.
fn all_named(values: &[(&Contender, Spread)], print: &dyn Fn(f64) -> String) -> String {
    let mut each: Vec<String> =
        values.iter().map(|(contender, spread)| named(contender, *spread, print)).collect();
    if each.len() > NAMES_MAX {
        let more = each.len() - NAMES_MAX;
        each.truncate(NAMES_MAX);
        each.push(format!("{more} more"));
    }
    each.join("; ")
}

/// The figures of the only candidate.
fn alone(subject: &Subject, contender: &Contender) -> Vec<Difference> {
    let mut differences: Vec<Difference> = evenness(subject, &[contender]).collect();
    if let Some(Found { measured, .. }) = worst(contender, "load.max_over_mean") {
        let chance = measured.chance.map_or(String::new(), |chance| {
            format!("; chance alone gives {} on average", subject.load(chance.mean))
        });
        differences.push(Difference {
            what: "Fullest node, worst step".into(),
            text: format!("{} × fair{chance}.", subject.load(measured.median)),
        });
    }
    for (index, timeline) in subject.results.plan.iter().enumerate() {
        if let Some(total) = subject.total(contender, index, "movement.moved") {
            differences.push(Difference {
                what: format!("Keys moved, “{}”", timeline.name),
                text: format!(
                    "{}, where exact shares need {} on average.",
                    percent(total.median),
                    percent(least(timeline))
                ),
            });
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn contender(name: &str) -> Contender {
        Contender {
            name: name.into(),
            algorithm: name.into(),
            parameters: BTreeMap::new(),
            family: String::new(),
            year: 2000,
            citation: String::new(),
            summary: String::new(),
            lookup_cost: String::new(),
            capabilities: Vec::new(),
            claims: Vec::new(),
            role: placelab_results::Role::Rival,
            load_aware: false,
            certificate: None,
            closed_forms: BTreeMap::new(),
            timelines: Vec::new(),
            fills: Vec::new(),
            failures: None,
        }
    }

    /// What is said of contenders a, b, c… with these medians, lows and highs.
    fn said(spreads: &[(f64, f64, f64)], chance: Option<(f64, f64)>) -> String {
        let names = ["a", "b", "c"].map(contender);
        let spreads = spreads.iter().map(|&(median, low, high)| Spread { median, low, high });
        let figure = Figure {
            what: "Load".into(),
            values: std::iter::zip(&names, spreads).collect(),
            print: &|value| format!("{value:.1} ns"),
            has_order: true,
            chance: chance.map(|(low, high)| Chance { mean: low, low, high }),
        };
        compare(&figure).map_or(String::new(), |difference| difference.text)
    }

    #[test]
    fn overlapping_intervals_have_no_order() {
        let text = said(&[(2.0, 1.0, 3.0), (2.5, 2.0, 4.0)], None);
        assert_eq!(text, "ranges overlap (a and b: 2.0–2.5 ns).");
        let text = said(&[(2.0, 1.9, 2.1), (2.5, 2.4, 2.6)], Some((0.0, 2.5)));
        assert_eq!(text, "ranges overlap (a and b: 2.0–2.5 ns).");
        assert_eq!(
            said(&[(2.0, 2.0, 2.0), (2.0, 2.0, 2.0)], None),
            "medians the same when rounded: 2.0 ns."
        );
        assert_eq!(said(&[(2.0, 2.0, 2.0)], None), "");
    }

    #[test]
    fn who_is_below_chance_is_told_from_chance() {
        let spreads = [(1.0, 0.9, 1.1), (2.0, 1.9, 2.1), (2.1, 1.8, 2.4)];
        let text = said(&spreads, Some((1.7, 2.5)));
        assert!(text.starts_with("least for a, 1.0 ns (0.9–1.1); more for b, 2.0 ns"), "{text}");
    }

    #[test]
    fn intervals_apart_have_an_order() {
        let text = said(&[(5.0, 4.0, 6.0), (2.0, 1.0, 3.0), (2.5, 2.0, 3.5)], None);
        assert_eq!(
            text,
            "least for b and c (2.0–2.5 ns, ranges overlap); more for a, 5.0 ns (4.0–6.0)."
        );
    }

    #[test]
    fn a_wide_interval_hides_nobody_else() {
        let text = said(&[(1.5, 0.5, 9.0), (2.0, 1.9, 2.1), (3.0, 2.9, 3.1)], None);
        assert!(text.ends_with("more than b for c, 3.0 ns (2.9–3.1)."), "{text}");
    }
}
