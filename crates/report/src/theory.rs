//! What theory gives, beside what was measured.

use std::collections::BTreeMap;

use placelab_results::{Contender, Step, Theory, metric};

use crate::number::{self, NONE};
use crate::subject::{Subject, figure, steps};
use crate::table::{Cell, Column, Row, Table};
use crate::text::one_line;

/// A row for each closed form of a contender and each value that it has in the run; none where
/// nobody has one.
pub(crate) fn table(subject: &Subject) -> Option<Table> {
    let contenders = subject.results.contenders.iter().enumerate();
    let rows: Vec<Row> = contenders.flat_map(|(at, one)| rows(subject, at, one)).collect();
    let columns = vec![
        Column::words("contender"),
        Column::words("figure"),
        Column::words("after"),
        Column::figures("theory", ""),
        Column::figures("measured", "over the seeds, 5–95 %"),
        Column::words("measured by"),
    ];
    (!rows.is_empty()).then(|| Table::capped(columns, rows))
}

fn rows(subject: &Subject, at: usize, contender: &Contender) -> Vec<Row> {
    let mut rows: BTreeMap<(&str, u64), Row> = BTreeMap::new();
    for (timeline, step, taken) in steps(contender) {
        for (id, theory) in &taken.theory {
            let after = subject.step_name(timeline, step);
            // Fleets of one size have the same value: the first of them will do.
            rows.entry((id, theory.value.to_bits())).or_insert_with(|| Row {
                look: Some(subject.look(at)),
                cells: cells(subject, contender, (id, theory), &after, taken),
            });
        }
    }
    rows.into_values().collect()
}

fn cells(
    subject: &Subject,
    contender: &Contender,
    (id, theory): (&str, &Theory),
    after: &str,
    step: &Step,
) -> Vec<Cell> {
    let label = metric(id).map_or(id, |(metric, _)| metric.label);
    let form = contender.closed_forms.get(id);
    let formula = form.map_or(String::new(), |form| format!("{}: {}", form.average, form.formula));
    let print = |value: f64| match metric(id) {
        Some((metric, _)) if metric.unit == "× fair" => number::decimal(value, 4),
        _ => number::of_metric(id, value, subject.decimals),
    };
    let measured = theory.measured.map_or(Cell::none(), |measured| {
        let cell = Cell::new(print(measured));
        match figure(step, id).filter(|_| subject.has_intervals()) {
            Some(over_seeds) => cell.with_note(number::interval(over_seeds, print)),
            None => cell,
        }
    });
    let by = theory.measured.map_or(NONE, |_| measured_by(id));
    vec![
        Cell::new(subject.name(contender)),
        Cell::new(label).with_note(one_line(&formula)),
        Cell::new(after),
        Cell::new(print(theory.value)),
        measured,
        Cell::new(by),
    ]
}

/// How a figure was found.
fn measured_by(id: &str) -> &'static str {
    match id.split_once('.') {
        Some(("share", _)) => "exact shares",
        Some(("work", _)) => "a sample of the keys",
        _ => "all keys",
    }
}
