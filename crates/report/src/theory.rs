//! What theory gives, beside what was measured.

use std::collections::BTreeMap;

use placelab_results::{Contender, Measured, Step, metric};

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
        Column::figures("measured", "mean of the seeds, 5–95 %"),
        Column::words("measured by"),
    ];
    (!rows.is_empty()).then(|| Table::capped(columns, rows))
}

fn rows(subject: &Subject, at: usize, contender: &Contender) -> Vec<Row> {
    let mut rows: BTreeMap<(&str, u64), Row> = BTreeMap::new();
    for (timeline, step, taken) in steps(contender) {
        for (id, value) in taken.theory.iter().filter(|(_, value)| value.is_finite()) {
            let after = subject.step_name(timeline, step);
            // Fleets of one size have the same value: the first of them will do.
            rows.entry((id, value.to_bits())).or_insert_with(|| Row {
                look: Some(subject.look(at)),
                cells: cells(subject, contender, (id, *value), &after, taken),
            });
        }
    }
    rows.into_values().collect()
}

fn cells(
    subject: &Subject,
    contender: &Contender,
    (id, value): (&str, f64),
    after: &str,
    step: &Step,
) -> Vec<Cell> {
    let label = metric(id).map_or(id, |(metric, _)| metric.label);
    let formula = contender.closed_forms.get(id).map_or("", String::as_str);
    let found = measured(step, id);
    let print = |value: f64| match metric(id) {
        Some((metric, _)) if metric.unit == "× fair" => number::decimal(value, 4),
        _ => number::of_metric(id, value, subject.decimals),
    };
    let measured = found.map_or(Cell::none(), |(measured, _)| {
        let cell = Cell::new(print(measured.mean));
        let interval = number::interval(measured, print);
        if subject.has_intervals() { cell.with_note(interval) } else { cell }
    });
    vec![
        Cell::new(subject.name(contender)),
        Cell::new(label).with_note(one_line(formula)),
        Cell::new(after),
        Cell::new(print(value)),
        measured,
        Cell::new(found.map_or(NONE, |(_, means)| means)),
    ]
}

/// The figure of a step and how it was found: a share that nobody knows exactly by the loads.
fn measured<'a>(step: &'a Step, id: &str) -> Option<(&'a Measured, &'static str)> {
    if let Some(of_share) = id.strip_prefix("share.") {
        let exact = figure(step, id).map(|measured| (measured, "exact shares"));
        let by_loads = || {
            let measured = figure(step, &format!("load.{of_share}"))?;
            Some((measured, "loads, with the chance of the keys"))
        };
        return exact.or_else(by_loads);
    }
    let by = if id.starts_with("work.") { "a sample of the keys" } else { "all keys" };
    figure(step, id).map(|measured| (measured, by))
}
