//! The verb of an event: what happens to the fleet.

use placelab_core::{NodeName, Roster, Weight};
use toml::de::DeValue;

use super::field::{Beyond, Field};
use super::{Joining, Named, NewNode, Picked, Renaming, Template, Verb};
use crate::diagnostics::Diagnostic;

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
        "reweight" => weights(field).map(Verb::Reweight),
        "rolling" => field.count_u32(1..=NODES_MAX, Beyond::Wrong).map(Verb::Rolling),
        "zone_fail" => zones(field).map(Verb::ZoneFail),
        "zone_recover" => zones(field).map(Verb::ZoneRecover),
        "replace" => replacements(field).map(Verb::Replace),
        "rename" => renaming(field).map(Verb::Rename),
        _ => rehash(field),
    }
}

fn picked(field: &Field<'_>) -> Option<Picked> {
    match field.value.get_ref() {
        DeValue::Integer(_) => field.count_u32(1..=NODES_MAX, Beyond::TooMuch).map(Picked::Count),
        DeValue::String(_) => named(field).map(|one| Picked::Names(vec![one])),
        DeValue::Array(_) => every(field, "node", named).map(Picked::Names),
        _ => field.unexpected("a count, a name or a list of names"),
    }
}

fn joining(field: &Field<'_>) -> Option<Joining> {
    match field.value.get_ref() {
        DeValue::Integer(_) => field.count_u32(1..=NODES_MAX, Beyond::TooMuch).map(Joining::Count),
        DeValue::String(_) | DeValue::Table(_) => {
            new_node(field).map(|one| Joining::Nodes(vec![one]))
        }
        DeValue::Array(_) => every(field, "node", new_node).map(Joining::Nodes),
        _ => field.unexpected("a count, a name or a list of nodes"),
    }
}

/// A name, or a table with name, weight, zone and rack.
fn new_node(field: &Field<'_>) -> Option<NewNode> {
    if field.value.get_ref().as_str().is_some() {
        return Some(NewNode { named: named(field)?, weight: None, zone: None, rack: None });
    }
    if !field.value.get_ref().is_table() {
        return field.unexpected("a name or { name, weight, zone, rack }");
    }
    let table = field.table("a node that joins")?;
    let name = table.required("name").and_then(|field| named(&field));
    let weight = table.optional("weight", |field| field.weight());
    let zone = table.optional("zone", |field| field.node_name());
    let rack = table.optional("rack", |field| field.node_name());
    table.finish();
    Some(NewNode { named: name?, weight: weight?, zone: zone?, rack: rack? })
}

fn named(field: &Field<'_>) -> Option<Named> {
    Some(Named { name: field.node_name()?, span: field.span() })
}

fn zones(field: &Field<'_>) -> Option<Vec<Named>> {
    match field.value.get_ref() {
        DeValue::String(_) => named(field).map(|one| vec![one]),
        DeValue::Array(_) => every(field, "zone", named),
        _ => field.unexpected("the name of a zone or a list of them"),
    }
}

fn weights(field: &Field<'_>) -> Option<Vec<(Named, Weight)>> {
    if !field.value.get_ref().is_table() {
        return field.unexpected("a table of names and weights: { \"node-1\" = 5 }");
    }
    by_name(field, |value| value.weight())
}

fn replacements(field: &Field<'_>) -> Option<Vec<(Named, Named)>> {
    if !field.value.get_ref().is_table() {
        return field.unexpected("a table of old and new names: { \"old\" = \"new\" }");
    }
    by_name(field, named)
}

fn renaming(field: &Field<'_>) -> Option<Renaming> {
    match field.value.get_ref() {
        DeValue::String(_) => template(field).map(Renaming::Every),
        DeValue::Table(_) => by_name(field, named).map(Renaming::Pairs),
        _ => field.unexpected("a table of old and new names, or a text such as \"cache-{}\""),
    }
}

fn template(field: &Field<'_>) -> Option<Template> {
    let parts: Vec<&str> = field.text()?.split(Template::HOLE).collect();
    let [head, tail] = parts[..] else {
        let message = "`rename` takes a text with `{}` in it once";
        let label = if parts.len() < 2 { "no `{}`" } else { "more than one `{}`" };
        let help = "`{}` stands for the old name: \"cache-{}\" makes `cache-node-0` of `node-0`";
        return field.report.take(Err(field.error(message).label(label).help(help)));
    };
    let template = Template { head: head.into(), tail: tail.into() };
    // What is wrong for the shortest of names is wrong for every name.
    let shortest = NodeName::new("x").expect("a letter is a name");
    let checked = template.name(&shortest).map_err(|error| field.error(error.to_string()));
    field.report.take(checked).map(|_| template)
}

fn rehash(field: &Field<'_>) -> Option<Verb> {
    if field.flag()? {
        return Some(Verb::Rehash);
    }
    let error = field.error("`rehash` takes true").label("nothing happens");
    field.report.take(Err(error.help("leave the event out where the seed stays")))
}

/// A table whose keys are the names of nodes. Panics where the value is no table.
fn by_name<T>(
    field: &Field<'_>,
    read: impl Fn(&Field<'_>) -> Option<T>,
) -> Option<Vec<(Named, T)>> {
    let entries = field.table("a table of nodes").expect("a table").entries();
    if entries.is_empty() {
        return names_nothing(field, "node");
    }
    let entry = |(name, span, value): &(&str, std::ops::Range<usize>, Field<'_>)| {
        let error = |error: placelab_core::node::NameError| {
            Diagnostic::new(error.to_string(), span.clone())
        };
        let name = field.report.take(NodeName::new(name).map_err(error));
        let value = read(value);
        Some((Named { name: name?, span: span.clone() }, value?))
    };
    whole(entries.iter().map(entry).collect())
}

/// Each element of a list that is not empty. Every wrong one is reported, not only the first.
fn every<T>(
    field: &Field<'_>,
    what: &str,
    read: impl Fn(&Field<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let elements = field.list()?;
    if elements.is_empty() {
        return names_nothing(field, what);
    }
    whole(elements.iter().map(read).collect())
}

fn names_nothing<T>(field: &Field<'_>, what: &str) -> Option<T> {
    field.report.take(Err(field.error(format!("`{}` names no {what}", field.name))))
}

/// All or nothing, but only after each was looked at.
fn whole<T>(read: Vec<Option<T>>) -> Option<Vec<T>> {
    read.into_iter().collect()
}
