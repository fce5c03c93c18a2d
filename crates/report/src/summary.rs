//! One row a contender: the figures a decision is made from.

use placelab_results::{Contender, Measure, Measured, Requirement, metric};

use crate::answer::{lookup_time, took_every_step};
use crate::number::{self, NONE, bytes, nanoseconds, percent, ratio};
use crate::subject::{Subject, figure as step_figure, least, worst};
use crate::table::{Cell, Column, Row, Table, Tone};

/// Copies of a key that share a failure domain, with the titles of their columns.
const VIOLATIONS: [(&str, &str); 2] = [
    ("replica.zone_violations", "keys with copies in one zone"),
    ("replica.rack_violations", "keys with copies in one rack"),
];
/// Timelines that have a column of their own.
const TIMELINES_MAX: usize = 3;

/// The summary table.
pub(crate) fn table(subject: &Subject) -> Table {
    let mut columns = vec![Column::words("contender"), Column::words("every step")];
    columns.push(Column::figures("fullest node", "× fair, worst step"));
    columns.push(Column::figures("chance gives", "same step, mean, 5–95 %"));
    columns.push(Column::figures("above chance", "× fair, same step"));
    if subject.has("share.max_over_mean") {
        columns.push(Column::figures("exact share", "fullest node, × fair, worst step"));
    }
    columns.extend(tested(subject).map(|measure| match measure {
        Measure::Keys => Column::words("evenness, worst step"),
        _ => Column::words(format!("evenness by {}, worst step", measure.name())),
    }));
    for timeline in moving(subject) {
        let timeline = &subject.results.plan[timeline];
        let title = if subject.results.plan.len() > 1 {
            format!("moved, “{}”", timeline.name)
        } else {
            "moved".into()
        };
        let sum = if timeline.steps.len() > 2 { "sum of steps, " } else { "" };
        columns.push(Column::figures(title, format!("{sum}least {}", percent(least(timeline)))));
    }
    columns.push(Column::figures("sideways", "worst step"));
    if subject.has_copies() {
        columns.push(Column::figures("fullest by copies", "× fair, worst step"));
        columns.push(Column::figures("copies made", "as a set, worst step"));
        columns.push(Column::figures("of them sideways", "worst step"));
        let known = VIOLATIONS.into_iter().filter(|(id, _)| subject.has(id));
        columns.extend(known.map(|(_, title)| Column::figures(title, "worst step")));
    }
    if subject.has("failure.max_extra") {
        columns.push(Column::figures("largest extra", "after a loss, × fair"));
        columns.push(Column::figures("receivers", "fewest"));
    }
    if subject.has("capacity.first_full") {
        columns.push(Column::figures("fill at the first full node", "lowest step"));
    }
    columns.push(Column::figures("lookup", "steps"));
    columns.push(Column::figures("memory", "derived, shared"));
    if let Some(nodes) = subject.timed_nodes() {
        let nodes = number::count(nodes.into());
        columns.push(Column::figures("lookup time", format!("batch, {nodes} nodes")));
    }
    let contenders = subject.results.contenders.iter().enumerate();
    let rows = contenders.map(|(index, contender)| Row {
        look: Some(subject.look(index)),
        cells: cells(subject, contender),
    });
    Table { columns, rows: rows.collect(), omitted: 0 }
}

/// The measures by which somebody's loads were tested; keys in any case.
pub(crate) fn tested(subject: &Subject) -> impl Iterator<Item = Measure> {
    let tested = |measure: &Measure| {
        let mut rivals = subject.results.contenders.iter();
        *measure == Measure::Keys
            || rivals.any(|one| subject.results.likeness(one, *measure).is_some())
    };
    Measure::ALL.into_iter().filter(tested)
}

/// The timelines in which something happens, as far as they have columns.
fn moving(subject: &Subject) -> impl Iterator<Item = usize> {
    let plan = subject.results.plan.iter().enumerate();
    let moving = plan.filter(|(_, timeline)| timeline.steps.len() > 1);
    moving.map(|(index, _)| index).take(TIMELINES_MAX).collect::<Vec<_>>().into_iter()
}

fn cells(subject: &Subject, contender: &Contender) -> Vec<Cell> {
    let mut cells = vec![Cell::new(subject.name(contender))];
    cells.push(if took_every_step(subject, contender) {
        Cell::new("yes").with_tone(Tone::Good)
    } else {
        Cell::new("no").with_tone(Tone::Bad)
    });
    cells.extend(load_cells(subject, contender));
    let figure = |id: &str, print: &dyn Fn(f64) -> String| {
        worst(contender, id).map_or(Cell::none(), |f| measured(subject, f.measured, print))
    };
    if subject.has("share.max_over_mean") {
        cells.push(figure("share.max_over_mean", &|value| subject.load(value)));
    }
    cells.extend(tested(subject).map(|measure| likeness(subject, contender, measure)));
    for timeline in moving(subject) {
        let total = subject.total(contender, timeline, "movement.moved");
        cells.push(total.map_or(Cell::none().with_note("refused"), |total| {
            let cell = Cell::new(percent(total.median));
            let interval = number::range(total.low, total.high, percent);
            if subject.has_intervals() { cell.with_note(interval) } else { cell }
        }));
    }
    cells.push(figure("movement.sideways", &percent));
    if subject.has_copies() {
        cells.push(figure("replica.max_over_mean", &|value| subject.load(value)));
        cells.push(figure("replica.changed", &percent));
        cells.push(figure("replica.sideways", &percent));
        let known = VIOLATIONS.into_iter().filter(|(id, _)| subject.has(id));
        cells.extend(known.map(|(id, _)| figure(id, &percent)));
    }
    if subject.has("failure.max_extra") {
        cells.push(figure("failure.max_extra", &|value| ratio(value, 2)));
        cells.push(figure("failure.receivers", &number::few));
    }
    if subject.has("capacity.first_full") {
        cells.push(figure("capacity.first_full", &percent));
    }
    cells.push(figure("work.lookup", &number::work));
    cells.push(memory(contender));
    if let Some(nodes) = subject.timed_nodes() {
        cells.push(match lookup_time(subject, contender, nodes) {
            Some([median, low, high]) => {
                Cell::new(nanoseconds(median)).with_note(number::range(low, high, nanoseconds))
            }
            None => Cell::none(),
        });
    }
    cells
}

/// A figure with its interval.
fn measured(subject: &Subject, measured: &Measured, print: &dyn Fn(f64) -> String) -> Cell {
    let cell = Cell::new(print(measured.median));
    let interval = number::interval(measured, print);
    if subject.has_intervals() && interval != cell.text { cell.with_note(interval) } else { cell }
}

fn load_cells(subject: &Subject, contender: &Contender) -> [Cell; 3] {
    let print = |value: f64| subject.load(value);
    let peak = worst(contender, "load.max_over_mean");
    let chance = peak.and_then(|peak| peak.measured.chance);
    let decimals = |value: f64| if value.abs() < 0.5 { subject.decimals } else { 2 };
    let excess = |value: f64| {
        let plus = if value > 0.0 { "+" } else { "" };
        format!("{plus}{}", number::decimal(value, decimals(value)))
    };
    [
        peak.map_or(Cell::none(), |peak| measured(subject, peak.measured, &print)),
        chance.map_or(Cell::none(), |chance| {
            Cell::new(print(chance.mean)).with_note(number::range(chance.low, chance.high, print))
        }),
        // Of the same step as the peak and its chance.
        peak.and_then(|peak| {
            let step = contender.timelines.get(peak.timeline)?.steps.get(peak.step)?;
            step_figure(step, "load.excess")
        })
        .map_or(Cell::none(), |found| measured(subject, found, &excess)),
    ]
}

/// What chance has to do with the loads. Worse than chance is no fault of itself: it is what
/// virtual nodes are for, and the figures beside say how much.
fn likeness(subject: &Subject, contender: &Contender, measure: Measure) -> Cell {
    let likeness = subject.results.likeness(contender, measure);
    likeness.map_or(Cell::none(), |likeness| Cell::new(likeness.name()))
}

fn memory(contender: &Contender) -> Cell {
    let print = |id: &str| {
        worst(contender, id).map_or(NONE.to_string(), |found| bytes(found.measured.median))
    };
    let (shared, derived) = (print("memory.shared_bytes"), print("memory.derived_bytes"));
    if shared == NONE && derived == NONE {
        return Cell::none();
    }
    Cell::new(derived).with_note(shared)
}

/// A requirement with the label of its metric: `largest load at most 1.25 × fair`.
pub(crate) fn need(requirement: &Requirement) -> String {
    let id = requirement.metric.as_deref().unwrap_or_default();
    let Some((metric, measure)) = metric(id) else { return requirement.text() };
    let print = |value: f64| number::of_metric(id, value, 2);
    let by =
        if measure == Measure::Keys { String::new() } else { format!(" by {}", measure.name()) };
    let bounds = match (requirement.min, requirement.max) {
        (Some(min), Some(max)) => format!(" from {} to {}", print(min), print(max)),
        (Some(min), None) => format!(" at least {}", print(min)),
        (None, Some(max)) => format!(" at most {}", print(max)),
        (None, None) => String::new(),
    };
    format!("{}{by}{bounds}", metric.label)
}

/// The requirements: a row a contender, a column a requirement.
pub(crate) fn requirements(subject: &Subject) -> Table {
    let mut columns = vec![Column::words("contender")];
    columns.extend(subject.results.requirements.iter().map(|requirement| Column {
        note: requirement.metric.clone().unwrap_or_default(),
        ..Column::words(need(requirement))
    }));
    columns.push(Column::words("takes every step"));
    let contenders = std::iter::zip(&subject.results.contenders, &subject.verdict.contenders);
    let rows = contenders.enumerate().map(|(index, (contender, judged))| {
        let mut cells = vec![Cell::new(subject.name(contender))];
        let requirements = std::iter::zip(&subject.results.requirements, &judged.judgements);
        cells.extend(requirements.map(|(requirement, judgement)| {
            let id = requirement.metric.as_deref().unwrap_or_default();
            let figure = judgement.measured.filter(|figure| figure.median.is_finite());
            let print = |value: f64| number::of_metric(id, value, subject.decimals);
            let limit = requirement.max.or(requirement.min).map(print);
            let value = figure.map(|figure| {
                let (value, range) =
                    (print(figure.median), number::range(figure.low, figure.high, print));
                let range = if range == value { String::new() } else { format!(" ({range})") };
                // A figure that reads like its limit and yet misses it has more digits.
                match (Some(&value) == limit.as_ref(), judgement.met) {
                    (true, Some(false)) => {
                        format!("{value}{range}, {}", number::decimal(figure.median, 6))
                    }
                    _ => format!("{value}{range}"),
                }
            });
            let (tone, word) = match judgement.met {
                Some(true) => (Tone::Good, "met"),
                Some(false) => (Tone::Bad, "not met"),
                None => (Tone::Plain, "no figure"),
            };
            let cell = Cell::new(word).with_tone(tone);
            value.map_or(cell.clone(), |value| cell.with_note(value))
        }));
        cells.push(match &judged.refusal {
            Some(reason) => Cell::new("no").with_note(reason.as_str()).with_tone(Tone::Bad),
            None if took_every_step(subject, contender) => Cell::new("yes").with_tone(Tone::Good),
            None => Cell::new("no").with_tone(Tone::Bad),
        });
        Row { look: Some(subject.look(index)), cells }
    });
    Table { columns, rows: rows.collect(), omitted: 0 }
}

/// The expectations: what had to hold, and whether it did.
pub(crate) fn expectations(subject: &Subject) -> Table {
    let columns = vec![
        Column::words("expectation"),
        Column::words("held"),
        Column::figures("figures looked at", ""),
        Column::words("broken by"),
    ];
    let rows = subject.results.expectations.iter().map(|expectation| {
        let held = match (expectation.met, expectation.checked) {
            (true, _) => Cell::new("yes").with_tone(Tone::Good),
            (false, 0) => Cell::new("never applied").with_tone(Tone::Bad),
            (false, _) => Cell::new("no").with_tone(Tone::Bad),
        };
        vec![
            Cell::new(expectation.text.as_str()),
            held,
            Cell::new(number::count(expectation.checked)),
            Cell::new(expectation.failures.join("; ")),
        ]
        .into()
    });
    Table { columns, rows: rows.collect(), omitted: 0 }
}

/// The certificates: what each algorithm of the run keeps, does not claim, or breaks.
pub(crate) fn certificates(subject: &Subject) -> Table {
    let columns = vec![
        Column::words("algorithm"),
        Column::words("laws that hold"),
        Column::words("not claimed"),
        Column::words("broken"),
    ];
    let mut rows: Vec<(&str, Row)> = Vec::new();
    for contender in &subject.results.contenders {
        let algorithm = contender.algorithm.as_str();
        if rows.iter().all(|(known, _)| *known != algorithm) {
            rows.push((algorithm, certified(contender)));
        }
    }
    Table { columns, rows: rows.into_iter().map(|(_, row)| row).collect(), omitted: 0 }
}

fn certified(contender: &Contender) -> Row {
    let name = Cell::new(contender.algorithm.as_str());
    let Some(certificate) = &contender.certificate else {
        return vec![name, Cell::new("not certified"), Cell::none(), Cell::none()].into();
    };
    let (held, claimed) = (certificate.held(), certificate.claimed());
    let not_claimed: Vec<&str> = certificate.not_claimed().collect();
    let tone = if certificate.holds() { Tone::Good } else { Tone::Bad };
    let broken = certificate.failures().map(|(law, finding)| format!("{law}: {finding}"));
    vec![
        name,
        Cell::new(format!("{held} of {claimed}")).with_tone(tone),
        Cell::new(if not_claimed.is_empty() { NONE.into() } else { not_claimed.join(", ") }),
        Cell::new(if certificate.holds() {
            NONE.into()
        } else {
            broken.collect::<Vec<_>>().join("; ")
        }),
    ]
    .into()
}
