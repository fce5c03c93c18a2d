//! The times behind the picture.

use placelab_results::{Floor, Machine, Rounds, Timings};

use crate::number::{self, nanoseconds};
use crate::subject::Subject;
use crate::table::{Cell, Column, Row, Table};
use crate::text::{one_line, plural};

pub(super) fn table(subject: &Subject, timings: &Timings) -> Table {
    let figures = |title: &str| Column::figures(title, "median, least–largest, A/A spread");
    let columns = vec![
        Column::words("contender"),
        Column::figures("nodes", ""),
        figures("batch"),
        figures("dependent"),
        figures("cold batch"),
        figures("cold dependent"),
    ];
    let lookups = timings.lookups.iter().map(|lookup| {
        let mut cells = vec![
            Cell::new(lookup.contender.as_str()),
            Cell::new(number::count(lookup.nodes.into())),
        ];
        match &lookup.refusal {
            Some(reason) => {
                cells.push(Cell::new("refused").with_note(reason.as_str()));
                cells.resize(columns.len(), Cell::none());
            }
            None => cells.extend(lookup.figures().map(|(_, rounds)| cell(rounds))),
        }
        Row { look: subject.look_named(&lookup.contender), cells }
    });
    let dense = timings.dense.iter().flat_map(|dense| {
        dense.times.iter().map(|time| {
            let count = number::count(time.nodes.into());
            let mut cells = vec![Cell::new(dense.contender.as_str()), Cell::new(count)];
            cells.push(cell(&time.batch_ns));
            cells.resize(columns.len(), Cell::none());
            Row { look: subject.look_named(&dense.contender), cells }
        })
    });
    let apart = |name: String, figures: &[&Rounds]| {
        let mut cells = vec![Cell::new(name), Cell::none()];
        cells.extend(figures.iter().map(|rounds| cell(rounds)));
        cells.resize(columns.len(), Cell::none());
        Row::from(cells)
    };
    let Timings { machine: Machine { floor, bytes_floor, .. }, key_hash, .. } = timings;
    let reading = |floor: &Floor, what: &str| {
        let name = format!("harness, {what}, subtracted below");
        apart(name, &[&floor.batch_ns, &floor.dependent_ns])
    };
    let hashed = plural(key_hash.key_bytes.into(), "byte", "bytes");
    let hash = format!("hash of a key, {hashed}, {}, in none below", one_line(&key_hash.function));
    let harness = [
        reading(floor, "hashes of keys"),
        reading(bytes_floor, "bytes of keys"),
        apart(hash, &[&key_hash.batch_ns]),
    ];
    // First, since a long table is cut at its end. What only a line can show stays off the page.
    let timed: Vec<Row> = harness.into_iter().chain(lookups).collect();
    let dense: Vec<Row> = dense.collect();
    let mut table = Table::capped(columns, timed);
    table.omitted += dense.len();
    table.rows.extend(dense);
    table
}

/// A figure with its rounds and what it differs from itself by.
fn cell(rounds: &Rounds) -> Cell {
    let [median, low, high] = rounds.range();
    let range = number::range(low, high, nanoseconds);
    let lost = if rounds.is_within_floor() { ", within the floor" } else { "" };
    let note = format!("{range}, {}{lost}", number::aa_spread(rounds));
    Cell::new(nanoseconds(median)).with_note(note)
}
