//! The tables of a comparison.

use placelab_results::compare::{DesignChange, TimeRange, TimesCompared, Value, WorstFigure};
use placelab_results::{Comparison, Sides, Turn};

use super::words::{label, named, printer_of, timed};
use crate::number::{self, nanoseconds};
use crate::table::{Cell, Column, Row, Table, Tone};
use crate::text::{one_line, opening};

/// Characters of a fact that a table shows.
const FACT_MAX: usize = 160;

/// What changed in the question, and who is in one run only.
pub(super) fn design(comparison: &Comparison) -> Table {
    let mut table = changes(&comparison.design);
    let only = &comparison.contenders_only;
    let gone = only.before.iter().map(|name| ("contender", [name.as_str(), number::NONE]));
    let new = only.after.iter().map(|name| ("contender", [number::NONE, name.as_str()]));
    let figures = &comparison.figures.only;
    let no_longer = figures.before.iter().map(|id| ("figure", [id.as_str(), number::NONE]));
    let now = figures.after.iter().map(|id| ("figure", [number::NONE, id.as_str()]));
    let rows = gone.chain(new).chain(no_longer).chain(now);
    table.rows.extend(rows.map(|(what, sides)| {
        let cells = sides.map(|text| Cell::new(opening(text, FACT_MAX)));
        named_row(what, cells)
    }));
    Table::capped(table.columns, table.rows)
}

/// What is not the same, in each run.
pub(super) fn changes(changes: &[DesignChange]) -> Table {
    let columns = vec![Column::words("what"), Column::words("before"), Column::words("after")];
    let cell = |value: &Option<Value>| match value {
        None => Cell::none(),
        Some(Value::Count(count)) => Cell::new(number::count(*count)),
        Some(Value::Text(text)) => Cell::new(opening(text, FACT_MAX)),
    };
    let rows = changes.iter().map(|DesignChange { what, sides }| {
        let mut cells = [cell(&sides.before), cell(&sides.after)];
        if what.starts_with("SHA-256") {
            cells.iter_mut().for_each(|cell| cell.text = cell.text.chars().take(12).collect());
        }
        named_row(what, cells)
    });
    Table::capped(columns, rows.collect())
}

fn named_row(what: &str, [before, after]: [Cell; 2]) -> Row {
    vec![Cell::new(one_line(what)), before, after].into()
}

/// The verdict on every contender of both runs.
pub(super) fn suitable(comparison: &Comparison) -> Table {
    let columns = vec![Column::words("contender"), Column::words("before"), Column::words("after")];
    let verdict = |is_suitable: bool| match is_suitable {
        true => Cell::new("suitable").with_tone(Tone::Good),
        false => Cell::new("not suitable").with_tone(Tone::Bad),
    };
    let rows = comparison.contenders.iter().map(|one| {
        let Sides { before, after } = one.suitable.map(verdict);
        Row::from(vec![Cell::new(named(&one.name, one.role)), before, after])
    });
    Table::capped(columns, rows.collect())
}

/// The figures whose ranges lie apart.
pub(super) fn figures(comparison: &Comparison) -> Table {
    let columns = vec![
        Column::words("contender"),
        Column::words("figure"),
        Column::words("worst step"),
        Column::figures("before", "median, 5–95 %"),
        Column::figures("after", "median, 5–95 %"),
        Column::figures("turn", ""),
    ];
    let rows = comparison.figures.differences.iter().map(|one| {
        let print = printer_of(one);
        let cell = |figure: &WorstFigure| {
            let range = number::range(figure.low, figure.high, &print);
            let cell = Cell::new(print(figure.median));
            if cell.text == range { cell } else { cell.with_note(range) }
        };
        let Sides { before, after } = one.sides.as_ref().map(cell);
        Row::from(vec![
            Cell::new(named(&one.contender, one.role)),
            Cell::new(label(&one.metric)).with_note(one.metric.as_str()),
            step(one.sides.as_ref().map(|figure| one_line(&figure.step))),
            before,
            after,
            turn(one.turn, ["better", "worse"]),
        ])
    });
    Table::capped(columns, rows.collect())
}

/// Where figures are worst, before and after.
fn step(steps: Sides<String>) -> Cell {
    let cell = Cell::new(steps.before.as_str());
    if steps.differ() { cell.with_note(format!("then {}", steps.after)) } else { cell }
}

/// The times that differ.
pub(super) fn times(times: &TimesCompared) -> Table {
    let columns = vec![
        Column::words("contender"),
        Column::words("time"),
        Column::figures("before", "median, rounds"),
        Column::figures("after", "median, rounds"),
        Column::figures("turn", ""),
    ];
    let cell = |time: TimeRange| {
        let range = number::range(time.least_ns, time.largest_ns, nanoseconds);
        Cell::new(nanoseconds(time.median_ns)).with_note(range)
    };
    let rows = times.differences.iter().map(|one| {
        let Sides { before, after } = one.sides.map(cell);
        let name = Cell::new(one_line(&one.contender));
        let what = Cell::new(timed(&one.what, one.nodes));
        Row::from(vec![name, what, before, after, turn(one.turn, ["faster", "slower"])])
    });
    Table::capped(columns, rows.collect())
}

fn turn(turn: Turn, [better, worse]: [&str; 2]) -> Cell {
    match turn {
        Turn::Better => Cell::new(better).with_tone(Tone::Good),
        Turn::Worse => Cell::new(worse).with_tone(Tone::Bad),
        Turn::Neither => Cell::new("no order"),
    }
}
