//! The loads behind the picture.

use placelab_results::{Measure, NodeLoad};

use super::Fleet;
use crate::subject::{Subject, figure};
use crate::table::{Cell, Column, Row, Table};

pub(super) fn table(subject: &Subject, fleets: &[Fleet], measure: Measure) -> Table {
    let mut names: Vec<&str> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for node in fleets.iter().flat_map(|fleet| &fleet.step.nodes) {
        if seen.insert(node.name.as_str()) {
            names.push(&node.name);
        }
    }
    let mut columns = vec![Column::words("node")];
    columns.extend(
        fleets.iter().map(|fleet| Column::figures(subject.name(fleet.contender), "× fair")),
    );
    let rows = names.into_iter().map(|name| {
        let mut cells = vec![Cell::new(name)];
        cells.extend(fleets.iter().map(|fleet| {
            let node = fleet.step.nodes.iter().find(|node| node.name == name);
            node.map_or(Cell::none(), |node| cell(subject, node, measure))
        }));
        cells.into()
    });
    let mut rows: Vec<Row> = rows.collect();
    if rows.is_empty() {
        // Fleets too large for a table of nodes have their extremes.
        let figures = [
            ("least node, median", "load.min_over_mean"),
            ("fullest node, median", "load.max_over_mean"),
            ("standard deviation, median", "load.cv"),
        ];
        for (name, id) in figures {
            let id = measure.id(id);
            let mut cells = vec![Cell::new(name)];
            cells.extend(fleets.iter().map(|fleet| {
                let load = figure(fleet.step, &id).map(|load| subject.load(load.median));
                load.map_or(Cell::none(), Cell::new)
            }));
            rows.push(cells.into());
        }
    }
    Table::capped(columns, rows)
}

fn cell(subject: &Subject, node: &NodeLoad, measure: Measure) -> Cell {
    let Some(load) = node.load.get(measure.name()) else { return Cell::none() };
    let cell = Cell::new(subject.load(load.first));
    match node.share {
        Some(share) if measure == Measure::Keys => {
            cell.with_note(format!("exact share {}", subject.load(share)))
        }
        _ => cell,
    }
}
