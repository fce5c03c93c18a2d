//! Whole tables as TOML. The form of the file is stated once, by [`Document`], for both ways.

use std::collections::{BTreeMap, BTreeSet};

use placelab_algorithms::shard_map::{Rules, Shard, Spread};
use placelab_core::{Domain, Node, NodeId, Roster, Weight};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::growing::{Growing, name};
use crate::mistake::{Misplaced, Mistake};
use crate::table_file::TableFile;
use crate::{COPIES_MAX, SHARDS_MAX, SPREADS, spread_name, spread_of};

/// A value with its place in the file.
type Text = Spanned<String>;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: Option<Spanned<u64>>,
    replaces: Option<u64>,
    /// How many follow.
    shards: Spanned<u64>,
    copies: Spanned<u64>,
    spread: Option<Text>,
    #[serde(default)]
    together: bool,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    residency: BTreeMap<String, Spanned<Vec<Text>>>,
    #[serde(default, rename = "node", skip_serializing_if = "Vec::is_empty")]
    nodes: Vec<NodeEntry>,
    #[serde(default, rename = "shard")]
    entries: Vec<ShardEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeEntry {
    name: Text,
    weight: Option<Text>,
    zone: Option<Text>,
    rack: Option<Text>,
    capacity: Option<u64>,
}

/// Holders come last: an entry that was cut has lost some.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShardEntry {
    name: Text,
    label: Option<Text>,
    tenant: Option<Text>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    holders: Vec<Text>,
}

/// Reads a table.
///
/// # Errors
/// The first mistake, with its place.
pub(crate) fn parse(text: &str) -> Result<TableFile, Misplaced> {
    let document: Document = toml::from_str(text).map_err(|error| Misplaced {
        at: error.span().map_or(0, |span| span.start),
        mistake: Mistake::syntax(error.message()),
    })?;
    let version = read_version(&document)?;
    let copies = within("copies", &document.copies, COPIES_MAX)? as usize;
    let announced = within("shards", &document.shards, SHARDS_MAX)?;
    let (roster, capacity) = read_nodes(&document.nodes)?;
    let rules = Rules {
        copies,
        spread: read_spread(document.spread.as_ref())?,
        residency: read_residency(&document.residency)?,
        together: document.together,
        capacity,
    };
    let mut growing = Growing::new(roster.as_ref(), copies);
    document.entries.iter().try_for_each(|entry| read_shard(&mut growing, entry, copies))?;
    if growing.len() != announced {
        let count = Mistake::Count { what: "shards", said: announced, found: growing.len() };
        return Err(placed(&document.shards, count));
    }
    let (shards, map) = growing.finish();
    Ok(TableFile { version, replaces: document.replaces, roster, rules, shards, map })
}

fn placed<T>(value: &Spanned<T>, mistake: Mistake) -> Misplaced {
    Misplaced { at: value.span().start, mistake }
}

/// The version, 0 where there is none, which follows the one that it replaces.
fn read_version(document: &Document) -> Result<u64, Misplaced> {
    let replaces = document.replaces;
    let Some(version) = &document.version else {
        return match replaces {
            None => Ok(0),
            Some(_) => Err(Misplaced { at: 0, mistake: Mistake::NoVersion }),
        };
    };
    match (*version.get_ref(), replaces) {
        (1, None) => Ok(1),
        (version, Some(replaces)) if 0 < replaces && replaces < version => Ok(version),
        (number, _) => Err(placed(version, Mistake::Versions { version: number, replaces })),
    }
}

/// A count from 1 to a limit.
fn within(key: &'static str, count: &Spanned<u64>, possible: u64) -> Result<u64, Misplaced> {
    match *count.get_ref() {
        0 => Err(placed(count, Mistake::value(key, "at least one is needed"))),
        asked if asked > possible => {
            Err(placed(count, Mistake::TooLarge { what: key, asked, possible }))
        }
        asked => Ok(asked),
    }
}

fn read_spread(spread: Option<&Text>) -> Result<Spread, Misplaced> {
    let Some(text) = spread else { return Ok(Spread::default()) };
    spread_of(text.get_ref()).ok_or_else(|| {
        let names = SPREADS.map(|(_, name)| name).join(", ");
        placed(text, Mistake::value("spread", format!("one of {names} is needed")))
    })
}

fn read_residency(
    residency: &BTreeMap<String, Spanned<Vec<Text>>>,
) -> Result<BTreeMap<String, BTreeSet<Domain>>, Misplaced> {
    let one = |(label, zones): (&String, &Spanned<Vec<Text>>)| {
        let label = name("residency", label).map_err(|mistake| placed(zones, mistake))?;
        let domains = zones.get_ref().iter().map(|zone| domain("residency", zone));
        Ok((label.to_string(), domains.collect::<Result<_, _>>()?))
    };
    residency.iter().map(one).collect()
}

fn domain(key: &'static str, text: &Text) -> Result<Domain, Misplaced> {
    name(key, text.get_ref()).map_err(|mistake| placed(text, mistake))
}

/// The fleet, none where it is left open, and what its nodes can hold.
fn read_nodes(entries: &[NodeEntry]) -> Result<(Option<Roster>, BTreeMap<NodeId, u64>), Misplaced> {
    let Some(first) = entries.first() else { return Ok((None, BTreeMap::new())) };
    let (mut names, mut nodes) = (BTreeSet::new(), Vec::new());
    for (place, entry) in (0..).zip(entries) {
        let node = read_node(entry, NodeId(place))?;
        if !names.insert(node.name.clone()) {
            let twice = Mistake::Duplicate { what: "node", name: node.name.to_string() };
            return Err(placed(&entry.name, twice));
        }
        nodes.push(node);
    }
    let capacity = nodes
        .iter()
        .zip(entries)
        .filter_map(|(node, entry)| entry.capacity.map(|capacity| (node.id, capacity)));
    let capacity = capacity.collect();
    let roster = Roster::new(nodes).map_err(|error| placed(&first.name, Mistake::Fleet(error)))?;
    Ok((Some(roster), capacity))
}

fn read_node(entry: &NodeEntry, id: NodeId) -> Result<Node, Misplaced> {
    let weight = |text: &Text| {
        let weight = text.get_ref().parse();
        weight.map_err(|error| placed(text, Mistake::value("weight", error)))
    };
    Ok(Node {
        id,
        name: domain("node", &entry.name)?,
        weight: entry.weight.as_ref().map_or(Ok(Weight::ONE), weight)?,
        zone: entry.zone.as_ref().map(|zone| domain("zone", zone)).transpose()?,
        rack: entry.rack.as_ref().map(|rack| domain("rack", rack)).transpose()?,
    })
}

fn read_shard(
    growing: &mut Growing<'_>,
    entry: &ShardEntry,
    copies: usize,
) -> Result<(), Misplaced> {
    let text = |key, text: &Text| domain(key, text).map(|name| name.to_string());
    let shard = Shard {
        name: text("shard", &entry.name)?,
        label: entry.label.as_ref().map(|label| text("label", label)).transpose()?,
        tenant: entry.tenant.as_ref().map(|tenant| text("tenant", tenant)).transpose()?,
    };
    let holders = entry.holders.len();
    if holders > copies {
        let many = Mistake::Holders { shard: shard.name, holders, copies };
        return Err(placed(&entry.holders[copies], many));
    }
    growing.shard(shard).map_err(|mistake| placed(&entry.name, mistake))?;
    for (copy, node) in entry.holders.iter().enumerate() {
        growing.holder(copy, node.get_ref()).map_err(|mistake| placed(node, mistake))?;
    }
    Ok(())
}

/// The table as text.
///
/// # Errors
/// A number beyond what TOML can say.
pub(crate) fn write(table: &TableFile) -> Result<String, Mistake> {
    let (rules, names) = (&table.rules, table.names());
    let zones = |zones: &BTreeSet<Domain>| unplaced(zones.iter().map(said).collect());
    let entry = |(at, shard): (usize, &Shard)| ShardEntry {
        name: said(&shard.name),
        label: shard.label.as_ref().map(said),
        tenant: shard.tenant.as_ref().map(said),
        holders: table
            .map
            .holders(at)
            .iter()
            .filter_map(|node| names.get(node))
            .map(said)
            .collect(),
    };
    let document = Document {
        version: (table.version > 0).then(|| unplaced(table.version)),
        replaces: table.replaces,
        shards: unplaced(table.shards.len() as u64),
        copies: unplaced(rules.copies as u64),
        spread: Some(said(spread_name(rules.spread))),
        together: rules.together,
        residency: rules.residency.iter().map(|(key, of)| (key.clone(), zones(of))).collect(),
        nodes: table.nodes().iter().map(|node| write_node(node, rules)).collect(),
        entries: table.shards.iter().enumerate().map(entry).collect(),
    };
    toml::to_string(&document).map_err(|error| Mistake::syntax(&error.to_string()))
}

/// A value that is to be written.
fn unplaced<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

fn said(text: impl ToString) -> Text {
    unplaced(text.to_string())
}

fn write_node(node: &Node, rules: &Rules) -> NodeEntry {
    NodeEntry {
        name: said(&node.name),
        weight: (node.weight != Weight::ONE).then(|| said(node.weight)),
        zone: node.zone.as_ref().map(said),
        rack: node.rack.as_ref().map(said),
        capacity: rules.capacity.get(&node.id).copied(),
    }
}
