//! The loads of nodes as a table: a row a node, a column a contender.

use std::collections::{BTreeMap, BTreeSet};

use placelab_results::{Measure, NodeLoad};

use super::Fleet;
use crate::subject::{Subject, figure};
use crate::table::{Cell, Column, Row, Table};

/// Of fleets whose nodes are not listed, the extremes.
pub(super) fn table<'a>(subject: &Subject, fleets: &[Fleet<'a>], measure: Measure) -> Table {
    let mut seen = BTreeSet::new();
    let nodes = fleets.iter().flat_map(|fleet| &fleet.step.nodes);
    let names = nodes.map(|node| node.name.as_str()).filter(|name| seen.insert(*name));
    let mut columns = vec![Column::words("node")];
    let column = |fleet: &Fleet| Column::figures(subject.name(fleet.contender), "× fair");
    columns.extend(fleets.iter().map(column));
    let by_name = |fleet: &Fleet<'a>| -> BTreeMap<&'a str, &'a NodeLoad> {
        fleet.step.nodes.iter().rev().map(|node| (node.name.as_str(), node)).collect()
    };
    let loads: Vec<_> = fleets.iter().map(by_name).collect();
    let rows = names.map(|name| {
        let mut cells = vec![Cell::new(name)];
        cells.extend(loads.iter().map(|nodes| {
            nodes.get(name).map_or(Cell::none(), |node| cell(subject, node, measure))
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
