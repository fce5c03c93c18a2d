//! Fleets on the command line: `10`, `name[=weight][@zone],…` or `@file.csv`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};

use placelab_core::{Domain, Node, NodeId, NodeName, Roster, Weight};

use crate::diagnostics::quoted;
use crate::scenario::Domains;

/// Largest file of nodes in bytes: 64 MiB.
pub const FILE_BYTES_MAX: u64 = 64 << 20;

/// Why a text is no fleet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FleetError {
    /// More than is possible.
    #[error("{what}: {asked} asked for, at most {possible} possible")]
    Limit {
        /// What there would be too much of.
        what: &'static str,
        /// How much was asked for.
        asked: String,
        /// How much is possible.
        possible: u64,
    },
    /// There is nobody, or nobody who could own a key.
    #[error("a fleet needs at least one node of positive weight")]
    Nobody,
    /// One node of a list is wrong.
    #[error("node {}: {reason}", quoted(.item))]
    Item {
        /// As it was given.
        item: String,
        /// What is wrong.
        reason: String,
    },
    /// One line of a file is wrong.
    #[error("{path}, line {line}: {reason}")]
    Line {
        /// The file.
        path: String,
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the system says.
        source: io::Error,
    },
}

/// Reads a fleet: a count makes `node-0` … of weight 1, in a list the last `@` and then the last
/// `=` count, and a file has the columns `name`, `weight`, `zone` and `rack`, of which all but the
/// first may be absent or empty.
///
/// ```
/// let nodes = placelab_sim::fleet::parse_nodes("big=2.5@east,small").unwrap();
/// assert_eq!(nodes[0].weight.to_string(), "2.5");
/// assert_eq!(nodes[1].name.as_str(), "small");
/// ```
///
/// # Errors
/// What is wrong, with the node or line.
pub fn parse_nodes(text: &str) -> Result<Vec<Node>, FleetError> {
    let text = text.trim();
    if let Some(path) = text.strip_prefix('@') {
        return read_file(path);
    }
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return parse_count(text);
    }
    let mut fleet = Growing::default();
    for item in text.split(',').map(str::trim) {
        let (name, weight, zone) = split_item(item);
        fleet.push(name, weight, zone, None).map_err(|refused| match refused {
            Refused::Full => full(),
            Refused::Wrong(reason) => FleetError::Item { item: item.into(), reason },
        })?;
    }
    fleet.finish()
}

/// The nodes `node-0` … of weight 1.
pub fn numbered_nodes(count: u32, domains: Domains) -> Vec<Node> {
    let node = |index| {
        let (zone, rack) = domains.of(index);
        Node { zone, rack, ..Roster::numbered_node(index) }
    };
    (0..count).map(node).collect()
}

impl Domains {
    /// Zone and rack of a numbered node.
    pub fn of(self, index: u32) -> (Option<Domain>, Option<Domain>) {
        let numbered = |kind: &str, number: u32| {
            NodeName::new(&format!("{kind}-{number}"))
                .expect("a short name without control characters")
        };
        let zones = self.zones.unwrap_or(1);
        let zone = self.zones.map(|zones| numbered("zone", index % zones));
        (zone, self.racks.map(|racks| numbered("rack", index / zones % racks)))
    }
}

fn parse_count(digits: &str) -> Result<Vec<Node>, FleetError> {
    match digits.parse::<u32>() {
        Ok(0) => Err(FleetError::Nobody),
        Ok(count) if count as usize <= Roster::NODES_MAX => {
            Ok(numbered_nodes(count, Domains::default()))
        }
        _ => {
            let asked: String = digits.chars().take(40).collect();
            let possible = Roster::NODES_MAX as u64;
            Err(FleetError::Limit { what: "nodes", asked, possible })
        }
    }
}

fn full() -> FleetError {
    let possible = Roster::NODES_MAX as u64;
    FleetError::Limit { what: "nodes", asked: "more".into(), possible }
}

/// Name, weight and zone.
fn split_item(item: &str) -> (&str, Option<&str>, Option<&str>) {
    let (rest, zone) = match item.rsplit_once('@') {
        Some((rest, zone)) => (rest, Some(zone)),
        None => (item, None),
    };
    match rest.rsplit_once('=') {
        Some((name, weight)) => (name, Some(weight), zone),
        None => (rest, None, zone),
    }
}

/// Why a node does not join a fleet that is being read.
enum Refused {
    Full,
    Wrong(String),
}

/// A fleet that is being read.
#[derive(Default)]
struct Growing {
    nodes: Vec<Node>,
    names: BTreeSet<NodeName>,
}

impl Growing {
    fn push(
        &mut self,
        name: &str,
        weight: Option<&str>,
        zone: Option<&str>,
        rack: Option<&str>,
    ) -> Result<(), Refused> {
        let name = NodeName::new(name).map_err(|error| Refused::Wrong(error.to_string()))?;
        let weight: Weight = match weight {
            Some(text) => text.parse().map_err(|error| Refused::Wrong(format!("{error}")))?,
            None => Weight::ONE,
        };
        let domain = |kind: &str, text: Option<&str>| {
            let name = text.map(NodeName::new).transpose();
            name.map_err(|error| Refused::Wrong(format!("{kind}: {error}")))
        };
        let (zone, rack) = (domain("zone", zone)?, domain("rack", rack)?);
        if self.nodes.len() == Roster::NODES_MAX {
            return Err(Refused::Full);
        }
        if !self.names.insert(name.clone()) {
            return Err(Refused::Wrong("the name stands there twice".into()));
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { id, name, weight, zone, rack });
        Ok(())
    }

    fn finish(self) -> Result<Vec<Node>, FleetError> {
        let can_own = self.nodes.iter().any(|node| node.weight > Weight::ZERO);
        if can_own { Ok(self.nodes) } else { Err(FleetError::Nobody) }
    }
}

fn read_file(path: &str) -> Result<Vec<Node>, FleetError> {
    let io = |source| FleetError::Io { path: path.into(), source };
    let file = File::open(path).map_err(io)?;
    let bytes = file.metadata().map_err(io)?.len();
    if bytes > FILE_BYTES_MAX {
        let (what, possible) = ("bytes of the file of nodes", FILE_BYTES_MAX);
        return Err(FleetError::Limit { what, asked: bytes.to_string(), possible });
    }
    read_table(path, file.take(FILE_BYTES_MAX))
}

fn read_table(path: &str, file: impl Read) -> Result<Vec<Node>, FleetError> {
    let wrong = |line, reason| FleetError::Line { path: path.into(), line, reason };
    let csv = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        wrong(line, error.to_string())
    };
    let mut reader = csv::Reader::from_reader(file);
    let header = reader.headers().map_err(csv)?.clone();
    if let Some(odd) = header.iter().find(|name| !["name", "weight", "zone", "rack"].contains(name))
    {
        let reason = format!("column {}: there are `name`, `weight`, `zone`, `rack`", quoted(odd));
        return Err(wrong(1, reason));
    }
    let column = |name: &str| header.iter().position(|field| field == name);
    let name_at = column("name").ok_or_else(|| wrong(1, "no column is called `name`".into()))?;
    let [weight_at, zone_at, rack_at] = ["weight", "zone", "rack"].map(column);
    let mut fleet = Growing::default();
    for record in reader.records() {
        let record = record.map_err(csv)?;
        let line = record.position().map_or(0, csv::Position::line);
        let field =
            |at: Option<usize>| at.and_then(|at| record.get(at)).filter(|text| !text.is_empty());
        let name = record.get(name_at).unwrap_or_default();
        fleet.push(name, field(weight_at), field(zone_at), field(rack_at)).map_err(|refused| {
            match refused {
                Refused::Full => full(),
                Refused::Wrong(reason) => wrong(line, reason),
            }
        })?;
    }
    fleet.finish()
}
