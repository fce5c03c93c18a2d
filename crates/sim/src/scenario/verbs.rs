//! The verb of an event: what happens to the fleet.

use placelab_core::Roster;
use toml::de::DeValue;

use super::field::{Beyond, Field};
use super::{Joining, Named, NewNode, Picked, Verb};

const NODES_MAX: u64 = Roster::NODES_MAX as u64;

/// Reads the value of a verb.
pub(super) fn read(name: &str, field: &Field<'_>) -> Option<Verb> {
    match name {
        "join" => joining(field).map(Verb::Join),
        "leave" => picked(field).map(Verb::Leave),
        "fail" => picked(field).map(Verb::Fail),
        "recover" => picked(field).map(Verb::Recover),
        "grow" => field.count_u32(1..=NODES_MAX, Beyond::TooMuch).map(Verb::Grow),
        "shrink" => field.count_u32(1..=NODES_MAX, Beyond::Wrong).map(Verb::Shrink),
        _ => weights(field).map(Verb::Reweight),
    }
}

fn picked(field: &Field<'_>) -> Option<Picked> {
    match field.value.get_ref() {
        DeValue::Integer(_) => field.count_u32(1..=NODES_MAX, Beyond::TooMuch).map(Picked::Count),
        DeValue::String(_) => named(field).map(|one| Picked::Names(vec![one])),
        DeValue::Array(_) => every(field, named).map(Picked::Names),
        _ => field.unexpected("a count, a name or a list of names"),
    }
}

fn joining(field: &Field<'_>) -> Option<Joining> {
    match field.value.get_ref() {
        DeValue::Integer(_) => field.count_u32(1..=NODES_MAX, Beyond::TooMuch).map(Joining::Count),
        DeValue::String(_) | DeValue::Table(_) => {
            new_node(field).map(|one| Joining::Nodes(vec![one]))
        }
        DeValue::Array(_) => every(field, new_node).map(Joining::Nodes),
        _ => field.unexpected("a count, a name or a list of nodes"),
    }
}

/// A name, or a table with name, weight and zone.
fn new_node(field: &Field<'_>) -> Option<NewNode> {
    if field.value.get_ref().as_str().is_some() {
        return Some(NewNode { named: named(field)?, weight: None, zone: None });
    }
    if !field.value.get_ref().is_table() {
        return field.unexpected("a name or { name, weight, zone }");
    }
    let table = field.table("a node that joins")?;
    let name = table.required("name").and_then(|field| named(&field));
    let weight = table.optional("weight", |field| field.weight());
    let zone = table.optional("zone", |field| field.node_name());
    table.finish();
    Some(NewNode { named: name?, weight: weight?, zone: zone? })
}

fn named(field: &Field<'_>) -> Option<Named> {
    Some(Named { name: field.node_name()?, span: field.span() })
}

fn weights(field: &Field<'_>) -> Option<Vec<(Named, placelab_core::Weight)>> {
    if !field.value.get_ref().is_table() {
        return field.unexpected("a table of names and weights: { \"node-1\" = 5 }");
    }
    let table = field.table("`reweight`")?;
    let entries = table.entries();
    if entries.is_empty() {
        return field.report.take(Err(field.error("`reweight` names no node")));
    }
    let entry = |(name, span, value): &(&str, std::ops::Range<usize>, Field<'_>)| {
        let name = placelab_core::NodeName::new(name);
        let error = |error: placelab_core::node::NameError| {
            crate::diagnostics::Diagnostic::new(error.to_string(), span.clone())
        };
        let name = field.report.take(name.map_err(error));
        let weight = value.weight();
        Some((Named { name: name?, span: span.clone() }, weight?))
    };
    whole(entries.iter().map(entry).collect())
}

/// Each element of a list that is not empty. Every wrong one is reported, not only the first.
fn every<T>(field: &Field<'_>, read: impl Fn(&Field<'_>) -> Option<T>) -> Option<Vec<T>> {
    let elements = field.list()?;
    if elements.is_empty() {
        let message = format!("`{}` names no node", field.name);
        return field.report.take(Err(field.error(message)));
    }
    whole(elements.iter().map(read).collect())
}

/// All or nothing, but only after each was looked at.
fn whole<T>(read: Vec<Option<T>>) -> Option<Vec<T>> {
    read.into_iter().collect()
}
