//! The figures behind the picture.

use super::{Curve, Point};
use crate::number::{self, bytes, percent, work};
use crate::subject::Subject;
use crate::table::{Cell, Column, Row, Table};

pub(super) fn table(subject: &Subject, curves: &[Curve]) -> Table {
    let ranges = if subject.has_intervals() { "median, 5–95 %" } else { "one seed" };
    let columns = vec![
        Column::words("contender"),
        Column::words("parameter"),
        Column::figures("value", ""),
        Column::figures("fullest node above fair", ranges),
        Column::figures("chance above fair", "mean, 5–95 %"),
        Column::figures("memory of a client", "shared and derived"),
        Column::figures("steps of a lookup", ""),
    ];
    let row = |curve: &Curve, point: &Point| {
        let above = |peak: f64| percent(peak - 1.0);
        let peak = Cell::new(above(point.peak.median));
        let range = number::interval(point.peak, above);
        let chance = point.peak.chance.filter(super::is_finite).map(|chance| {
            let range = number::range(chance.low, chance.high, above);
            Cell::new(above(chance.mean)).with_note(range)
        });
        let cells = vec![
            Cell::new(subject.name(point.contender)),
            Cell::new(curve.title()),
            Cell::new(number::few(point.value)),
            if subject.has_intervals() { peak.with_note(range) } else { peak },
            chance.unwrap_or(Cell::none()),
            Cell::new(bytes(point.bytes)),
            Cell::new(work(point.steps.median)),
        ];
        Row { look: Some(subject.look(point.index)), cells }
    };
    let rows = curves.iter().flat_map(|curve| curve.points.iter().map(|point| row(curve, point)));
    Table::capped(columns, rows.collect())
}
