//! `[fleet]`: who is there at the start.

use std::collections::BTreeSet;

use placelab_core::{Node, NodeId, Roster, Weight};

use super::Fleet;
use super::field::{Beyond, Field};
use super::table::Table;
use crate::diagnostics::{Diagnostic, quoted};
use crate::fleet::numbered_nodes;

const NODES_MAX: u64 = Roster::NODES_MAX as u64;
/// Most copies of a key.
const REPLICAS_MAX: u64 = 8;
/// Most ranks of a node.
const RANKS_MAX: u64 = 64;

/// Reads who is there at the start.
pub(super) fn read(table: &Table<'_>) -> Option<Fleet> {
    let (count, list) = (table.get("nodes"), table.get("node"));
    let zones_field = table.get("zones");
    let zones = match &zones_field {
        Some(field) => field.count_u32(1..=NODES_MAX, Beyond::Wrong).map(Some),
        None => Some(None),
    };
    let replicas_field = table.get("replicas");
    let replicas = match &replicas_field {
        Some(field) => field.count_u32(1..=REPLICAS_MAX, Beyond::Wrong),
        None => Some(1),
    };
    let ranks = match table.get("ranks") {
        Some(field) => field.count_u32(1..=RANKS_MAX, Beyond::Wrong),
        None => Some(1),
    };
    table.finish();
    let nodes = match (count, list) {
        (Some(count), None) => {
            let count = count.count_u32(1..=NODES_MAX, Beyond::TooMuch)?;
            numbered_nodes(count, zones?)
        }
        (None, Some(list)) => {
            if let Some(field) = zones_field {
                let message = "`zones` deals out zones to `nodes = N`";
                let help = "give each [[fleet.node]] its `zone`";
                table.report.add(field.error(message).help(help));
            }
            listed(&list)?
        }
        (Some(count), Some(_)) => {
            let message = "[fleet] has either `nodes = N` or [[fleet.node]], not both";
            return table.report.take(Err(count.error(message)));
        }
        (None, None) => {
            let message = "[fleet] needs `nodes = N` or a [[fleet.node]] for each node";
            return table.report.take(Err(table.error(message)));
        }
    };
    let replicas = replicas?;
    let serving = nodes.iter().filter(|node| node.weight > Weight::ZERO).count();
    match replicas_field {
        Some(field) if serving < replicas as usize => {
            let message = format!("`replicas = {replicas}` needs as many nodes of positive weight");
            let label = format!("the fleet has {serving}");
            table.report.take(Err(field.error(message).label(label)))
        }
        _ => Some(Fleet { nodes, zones: zones?, replicas, ranks: ranks? }),
    }
}

fn listed(list: &Field<'_>) -> Option<Vec<Node>> {
    let tables = list.tables("[[fleet.node]]")?;
    let (mut nodes, mut names, mut complete) = (Vec::new(), BTreeSet::new(), true);
    let mut first_weight = None;
    for table in &tables {
        let weight_field = table.get("weight");
        first_weight = first_weight.or_else(|| weight_field.as_ref().map(Field::span));
        let read = read_node(table, weight_field, &mut names, nodes.len() as u32);
        complete &= read.is_some();
        nodes.extend(read);
    }
    complete &= tables.len() == list.value.get_ref().as_array().map_or(0, |array| array.len());
    if complete && nodes.iter().all(|node| node.weight == Weight::ZERO) {
        let message = "a fleet needs a node of positive weight";
        let span = first_weight.unwrap_or(list.span());
        list.report.add(Diagnostic::new(message, span).label("this and every other weight is 0"));
        return None;
    }
    complete.then_some(nodes)
}

fn read_node(
    table: &Table<'_>,
    weight: Option<Field<'_>>,
    names: &mut BTreeSet<String>,
    index: u32,
) -> Option<Node> {
    let name_field = table.required("name");
    let zone = match table.get("zone") {
        Some(field) => field.node_name().map(Some),
        None => Some(None),
    };
    let weight = weight.map_or(Some(Weight::ONE), |field| field.weight());
    table.finish();
    let name_field = name_field?;
    let name = name_field.node_name()?;
    if !names.insert(name.as_str().into()) {
        let message = format!("node {} stands there twice", quoted(name.as_str()));
        table.report.add(name_field.error(message).label("the second one"));
        return None;
    }
    Some(Node { id: NodeId(index), name, weight: weight?, zone: zone? })
}
