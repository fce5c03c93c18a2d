//! Tables and the best hash, step by step.

use placelab_results::Contender;

use super::{
    ASTRAY, CHANGED, Compared, MOVED, ONE_ZONE, ROWS, SHARE_ERROR, SHARED_BYTES, TOGETHER, at,
};
use crate::number::{bytes, count, percent, ppm};
use crate::subject::Subject;
use crate::table::{Cell, Column, Row, Table};

pub(super) fn table(subject: &Subject, compared: &Compared) -> Table {
    let mut columns = vec![
        Column::words("step"),
        Column::words("contender"),
        Column::figures("moved", "least that exact shares need"),
        Column::figures("rows changed", "of so many"),
        Column::words("clients that switch together"),
        Column::figures("keys astray at a time", "none where both nodes are asked"),
        Column::figures("share off its target", "worst node"),
        Column::figures("all clients hold", "bytes"),
    ];
    if subject.has(ONE_ZONE) {
        columns.push(Column::figures("copies in one zone", "of all keys"));
    }
    let mut rows = Vec::new();
    for (timeline, planned) in subject.results.plan.iter().enumerate() {
        for step in 1..planned.steps.len() {
            rows.extend(compared.all().map(|(index, contender)| {
                let mut cells = cells(subject, contender, (timeline, step));
                cells.truncate(columns.len());
                Row { look: Some(subject.look(index)), cells }
            }));
        }
    }
    Table::capped(columns, rows)
}

fn cells(subject: &Subject, contender: &Contender, place: (usize, usize)) -> Vec<Cell> {
    let of = |id: &str, print: fn(f64) -> String| {
        at(contender, place, id).map_or(Cell::none(), |value| Cell::new(print(value)))
    };
    let whole = |value: f64| count(value as u64);
    let minimum = subject.results.plan[place.0].steps[place.1].minimum;
    let rows =
        at(contender, place, ROWS).map_or("no table".into(), |rows| format!("of {}", whole(rows)));
    vec![
        Cell::new(subject.step_name(place.0, place.1)),
        Cell::new(subject.name(contender)),
        of(MOVED, percent).with_note(percent(minimum)),
        of(CHANGED, whole).with_note(rows),
        at(contender, place, TOGETHER).map_or(Cell::none(), |part| Cell::new(clients(part))),
        of(ASTRAY, percent),
        of(SHARE_ERROR, ppm),
        of(SHARED_BYTES, bytes),
        of(ONE_ZONE, percent),
    ]
}

/// Who has to switch at one moment.
pub(super) fn clients(part: f64) -> &'static str {
    if part > 0.0 { "all" } else { "none" }
}
