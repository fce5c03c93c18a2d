//! Whole tables as TOML: a head with version and rules, then an entry for each node and each shard.
//!
//! The form of each part is stated once, by a type, for both ways. Parts are read one at a time: a
//! parser holds more than a kilobyte for every small table, gigabytes for a million of them. They
//! are cut at lines that begin with `[[`. A string of a table that is none holds no such line, for
//! names hold no line ends.

use std::collections::{BTreeMap, BTreeSet};

use placelab_algorithms::shard_map::{Rules, Shard, Spread};
use placelab_core::{Domain, Node, NodeId, Roster, Weight};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::growing::{Growing, name};
use crate::mistake::{Misplaced, Mistake};
use crate::table_file::TableFile;
use crate::{COPIES_MAX, SHARDS_MAX};

/// Largest part of a file in bytes: 1 MiB. A parser takes some hundred times as much.
const PART_BYTES_MAX: usize = 1 << 20;

/// A value with its place in the file.
type Text = Spanned<String>;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
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

/// A part of the text, and the byte at which it begins.
#[derive(Clone, Copy)]
struct Part<'a> {
    at: usize,
    text: &'a str,
}

impl<'a> Part<'a> {
    /// The text up to the next entry, and what follows.
    fn split(self) -> (Part<'a>, Part<'a>) {
        let mut end = 0;
        for line in self.text.split_inclusive('\n') {
            if line.trim_start().starts_with("[[") {
                break;
            }
            end += line.len();
        }
        let (text, rest) = self.text.split_at(end);
        (Part { at: self.at, text }, Part { at: self.at + end, text: rest })
    }

    /// The first line, and what follows.
    fn split_line(self) -> (Part<'a>, Part<'a>) {
        let end = self.text.find('\n').map_or(self.text.len(), |end| end + 1);
        let (text, rest) = self.text.split_at(end);
        (Part { at: self.at, text }, Part { at: self.at + end, text: rest })
    }

    fn wrong(self, mistake: Mistake) -> Misplaced {
        Misplaced { at: self.at, mistake }
    }

    fn read<T: DeserializeOwned>(self) -> Result<T, Misplaced> {
        check_size(self.text).map_err(|mistake| self.wrong(mistake))?;
        toml::from_str(self.text).map_err(|error| Misplaced {
            at: self.at + error.span().map_or(0, |span| span.start),
            mistake: Mistake::syntax(error.message()),
        })
    }
}

/// Whether a part may be so long.
fn check_size(text: &str) -> Result<(), Mistake> {
    let (what, asked, possible) =
        ("bytes of one part of a table", text.len() as u64, PART_BYTES_MAX as u64);
    match asked <= possible {
        true => Ok(()),
        false => Err(Mistake::TooLarge { what, asked, possible }),
    }
}

/// The entries under `[[node]]` or `[[shard]]`, with their places.
type Entries<T> = Vec<(usize, T)>;

/// Reads all parts. Places in an entry count from its own.
fn read_parts(text: &str) -> Result<(Head, Entries<NodeEntry>, Entries<ShardEntry>), Misplaced> {
    let (head, mut rest) = Part { at: 0, text }.split();
    let head = head.read()?;
    let (mut nodes, mut shards) = (Vec::new(), Vec::new());
    while !rest.text.is_empty() {
        let (title, body) = rest.split_line();
        let (body, next) = body.split();
        match title.text.split('#').next().unwrap_or_default().trim() {
            "[[node]]" => {
                limited(title, "nodes", nodes.len(), Roster::NODES_MAX as u64)?;
                nodes.push((body.at, body.read()?));
            }
            "[[shard]]" => {
                limited(title, "shards", shards.len(), SHARDS_MAX)?;
                shards.push((body.at, body.read()?));
            }
            _ => {
                let message = "entries are under [[node]] or [[shard]]";
                return Err(title.wrong(Mistake::syntax(message)));
            }
        }
        rest = next;
    }
    Ok((head, nodes, shards))
}

/// Whether there may be one more.
fn limited(
    title: Part<'_>,
    what: &'static str,
    count: usize,
    possible: u64,
) -> Result<(), Misplaced> {
    match count as u64 {
        count if count < possible => Ok(()),
        count => Err(title.wrong(Mistake::TooLarge { what, asked: count + 1, possible })),
    }
}

/// Reads a table.
///
/// # Errors
/// The first mistake, with its place.
pub(crate) fn parse(text: &str) -> Result<TableFile, Misplaced> {
    let (head, nodes, entries) = read_parts(text)?;
    let version = read_version(&head)?;
    let copies = within("copies", &head.copies, COPIES_MAX)? as usize;
    let announced = within("shards", &head.shards, SHARDS_MAX)?;
    let (roster, capacity) = read_nodes(&nodes)?;
    let rules = Rules {
        copies,
        spread: read_spread(head.spread.as_ref())?,
        residency: read_residency(&head.residency)?,
        together: head.together,
        capacity,
    };
    let mut growing = Growing::new(roster.as_ref(), copies);
    for (at, entry) in &entries {
        read_shard(&mut growing, entry, copies).map_err(|wrong| wrong.after(*at))?;
    }
    if growing.len() != announced {
        let count = Mistake::Count { what: "shards", said: announced, found: growing.len() };
        return Err(placed(&head.shards, count));
    }
    let (shards, map) = growing.finish();
    Ok(TableFile { version, replaces: head.replaces, roster, rules, shards, map })
}

fn placed<T>(value: &Spanned<T>, mistake: Mistake) -> Misplaced {
    Misplaced { at: value.span().start, mistake }
}

/// The version, 0 where there is none, which follows the one that it replaces.
fn read_version(head: &Head) -> Result<u64, Misplaced> {
    let replaces = head.replaces;
    let Some(version) = &head.version else {
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
    Spread::named(text.get_ref()).ok_or_else(|| {
        let names = Spread::ALL.map(Spread::name).join(", ");
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
fn read_nodes(
    entries: &[(usize, NodeEntry)],
) -> Result<(Option<Roster>, BTreeMap<NodeId, u64>), Misplaced> {
    let Some((first, _)) = entries.first() else { return Ok((None, BTreeMap::new())) };
    let (mut names, mut nodes, mut capacity) = (BTreeSet::new(), Vec::new(), BTreeMap::new());
    for (place, (at, entry)) in (0..).zip(entries) {
        let node = read_node(entry, NodeId(place)).map_err(|wrong| wrong.after(*at))?;
        if !names.insert(node.name.clone()) {
            let twice = Mistake::Duplicate { what: "node", name: node.name.to_string() };
            return Err(placed(&entry.name, twice).after(*at));
        }
        capacity.extend(entry.capacity.map(|capacity| (node.id, capacity)));
        nodes.push(node);
    }
    let fleet = |error| Misplaced { at: *first, mistake: Mistake::Fleet(error) };
    Ok((Some(Roster::new(nodes).map_err(fleet)?), capacity))
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
/// A number beyond what TOML can say, or rules beyond [`PART_BYTES_MAX`].
pub(crate) fn write(table: &TableFile) -> Result<String, Mistake> {
    let (rules, names) = (&table.rules, table.names());
    let zones = |zones: &BTreeSet<Domain>| unplaced(zones.iter().map(said).collect());
    let mut text = part(&Head {
        version: (table.version > 0).then(|| unplaced(table.version)),
        replaces: table.replaces,
        shards: unplaced(table.shards.len() as u64),
        copies: unplaced(rules.copies as u64),
        spread: Some(said(rules.spread.name())),
        together: rules.together,
        residency: rules.residency.iter().map(|(key, of)| (key.clone(), zones(of))).collect(),
    })?;
    for node in table.nodes() {
        text += "\n[[node]]\n";
        text += &part(&write_node(node, rules))?;
    }
    for (at, shard) in table.shards.iter().enumerate() {
        let holders = table.map.holders(at).iter().filter_map(|node| names.get(node));
        text += "\n[[shard]]\n";
        text += &part(&ShardEntry {
            name: said(&shard.name),
            label: shard.label.as_ref().map(said),
            tenant: shard.tenant.as_ref().map(said),
            holders: holders.map(said).collect(),
        })?;
    }
    Ok(text)
}

/// The text of one part, no longer than can be read again.
fn part(part: &impl Serialize) -> Result<String, Mistake> {
    let text = toml::to_string(part).map_err(|error| Mistake::syntax(&error.to_string()))?;
    check_size(&text).map(|()| text)
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
