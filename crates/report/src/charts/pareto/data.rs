//! The figures behind the picture.

use super::{Cost, Point, words};
use crate::number::{self, NONE, bytes, percent};
use crate::subject::{Spread, Subject};
use crate::table::{Cell, Column, Row, Table};

pub(super) fn table(subject: &Subject, points: &[Point], cost: Cost) -> Table {
    let lookup = match cost {
        Cost::Timed(nodes) => format!("batch, {} nodes", number::count(nodes.into())),
        Cost::Counted => "counted, worst step".into(),
    };
    let columns = vec![
        Column::words("contender"),
        Column::figures("fullest node above fair", "median, worst step"),
        Column::figures("lookup", lookup),
        Column::figures("memory", "shared and derived"),
        Column::words("members leave"),
        Column::words("standing"),
    ];
    let row = |point: &Point| {
        let printed = |spread: Spread, print: &dyn Fn(f64) -> String| {
            let cell = Cell::new(print(spread.median));
            let range = number::range(spread.low, spread.high, print);
            if spread.low < spread.high { cell.with_note(range) } else { cell }
        };
        let leave = if point.is_tail_only() { "from the tail" } else { "anywhere" };
        let cells = vec![
            Cell::new(subject.name(point.contender)),
            printed(point.above, &percent),
            printed(point.cost, &|value| cost.print(value)),
            Cell::new(point.bytes.map_or(NONE.into(), bytes)),
            Cell::new(leave),
            Cell::new(words::standing(subject, points, point)),
        ];
        Row { look: Some(subject.look(point.index)), cells }
    };
    Table::capped(columns, points.iter().map(row).collect())
}
