//! `[fleet]`: who is there at the start.

use std::collections::{BTreeMap, BTreeSet};

use placelab_core::{CopyRule, DomainRule, Node, NodeId, PlacementError, Roster, Weight};

use super::SourceRequest;
use super::field::{Beyond, Field};
use super::table::Table;
use placelab_results::Measure;

use crate::diagnostics::{Diagnostic, quoted};
use crate::fleet::numbered_nodes;

/// Where numbered nodes stand: zones are dealt out round robin, and so are the racks of each zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Domains {
    /// How many zones there are, named `zone-0` …
    pub zones: Option<u32>,
    /// How many racks each zone has, or the fleet where it has no zones, named `rack-0` …
    pub racks: Option<u32>,
}

/// How much nodes can take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Capacities {
    /// What is counted.
    pub measure: Measure,
    /// Of every node that has none of its own, those that join later too; unbounded where absent.
    pub each: Option<u64>,
    /// Of nodes of the fleet at the start.
    pub own: BTreeMap<NodeId, u64>,
}

impl Capacities {
    /// Of a node; none where it is unbounded.
    pub fn of(&self, node: NodeId) -> Option<u64> {
        self.own.get(&node).copied().or(self.each)
    }
}

/// Who is there at the start.
#[derive(Clone, PartialEq, Debug)]
pub struct Fleet {
    /// At least one member of positive weight; identities are positions.
    pub nodes: Vec<Node>,
    /// Where numbered nodes stand, those that join later too.
    pub domains: Domains,
    /// Copies of each key, and how they spread.
    pub copies: CopyRule,
    /// How much nodes can take, where that is bounded.
    pub capacities: Option<Capacities>,
    /// Processes of a node, of which a key takes one by a hash of its own; looked at where keys
    /// have marks.
    pub ranks: u32,
}

const NODES_MAX: u64 = Roster::NODES_MAX as u64;
/// Most copies of a key.
const REPLICAS_MAX: u64 = 8;
/// Largest capacity of a node: exact as a float.
const CAPACITY_MAX: u64 = 1 << 53;
/// Most ranks of a node.
const RANKS_MAX: u64 = 64;

/// Reads who is there at the start; `source` is that of the keys, as far as it could be read.
pub(super) fn read(table: &Table<'_>, source: Option<&SourceRequest>) -> Option<Fleet> {
    let (count, list) = (table.get("nodes"), table.get("node"));
    let dealt = ["zones", "racks"].map(|name| table.get(name));
    let domains = read_domains(&dealt);
    let fields = ["replicas", "zone_rule", "rack_rule"].map(|name| table.get(name));
    let copies = read_copies(&fields);
    let ranks = match table.get("ranks") {
        Some(field) => field.count_u32(1..=RANKS_MAX, Beyond::Wrong),
        None => Some(1),
    };
    let (each, measure) = (read_capacity(table), read_measure(table, source));
    table.finish();
    let mut own = BTreeMap::new();
    let nodes = match (count, list) {
        (Some(count), None) => {
            let count = count.count_u32(1..=NODES_MAX, Beyond::TooMuch)?;
            numbered_nodes(count, domains?)
        }
        (None, Some(list)) => {
            for (field, kind) in dealt.iter().zip(["zone", "rack"]) {
                if let Some(field) = field {
                    let message = format!("`{kind}s` deals out {kind}s to `nodes = N`");
                    let help = format!("give each [[fleet.node]] its `{kind}`");
                    table.report.add(field.error(&message).help(help));
                }
            }
            listed(&list, &mut own)?
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
    let copies = copies?;
    check_copies(table, &fields, copies, &nodes)?;
    let (each, measure) = (each?, measure?);
    let is_bounded = each.is_some() || !own.is_empty();
    let capacities = is_bounded.then_some(Capacities { measure, each, own });
    Some(Fleet { nodes, domains: domains?, copies, capacities, ranks: ranks? })
}

/// The capacity that stands in a table, where one does.
fn read_capacity(table: &Table<'_>) -> Option<Option<u64>> {
    table.optional("capacity", |field| field.count(1..=CAPACITY_MAX, Beyond::Wrong))
}

/// What capacities count: keys where nothing is said.
fn read_measure(table: &Table<'_>, source: Option<&SourceRequest>) -> Option<Measure> {
    let Some(field) = table.get("capacity_by") else { return Some(Measure::Keys) };
    let word = field.word(&Measure::ALL.map(Measure::name))?;
    let measure = Measure::ALL.into_iter().find(|measure| measure.name() == word)?;
    if source.is_some_and(|source| !source.has(measure)) {
        let label = format!("keys have no {word} here");
        let error = field.error(format!("capacities by {word} need keys with {word}"));
        return table.report.take(Err(error.label(label)));
    }
    Some(measure)
}

/// The zones and racks that numbered nodes are dealt out to.
fn read_domains(fields: &[Option<Field<'_>>; 2]) -> Option<Domains> {
    let [zones, racks] = fields.each_ref().map(|field| match field {
        Some(field) => field.count_u32(1..=NODES_MAX, Beyond::Wrong).map(Some),
        None => Some(None),
    });
    Some(Domains { zones: zones?, racks: racks? })
}

/// How many copies there are, and what they have to do with zones and racks.
fn read_copies([replicas, zones, racks]: &[Option<Field<'_>>; 3]) -> Option<CopyRule> {
    let rule = |field: &Option<Field<'_>>| match field {
        Some(field) => {
            let word = field.word(&DomainRule::ALL.map(DomainRule::name))?;
            DomainRule::ALL.into_iter().find(|rule| rule.name() == word)
        }
        None => Some(DomainRule::Ignore),
    };
    let count = match replicas {
        Some(field) => field.count_u32(1..=REPLICAS_MAX, Beyond::Wrong),
        None => Some(1),
    };
    let (zones, racks) = (rule(zones), rule(racks));
    Some(CopyRule { count: count? as usize, zones: zones?, racks: racks? })
}

/// Whether the first fleet can hold the copies, and every node stands where a rule needs it to.
fn check_copies(
    table: &Table<'_>,
    [replicas, zones, racks]: &[Option<Field<'_>>; 3],
    copies: CopyRule,
    nodes: &[Node],
) -> Option<()> {
    type Domain = fn(&Node) -> bool;
    let kinds: [(_, _, _, Domain); 2] = [
        ("zone", zones, copies.zones, |node| node.zone.is_some()),
        ("rack", racks, copies.racks, |node| node.rack.is_some()),
    ];
    for (kind, field, rule, is_known) in kinds {
        let without = nodes.iter().find(|node| !is_known(node));
        if let (Some(field), Some(node), true) = (field, without, rule != DomainRule::Ignore) {
            let message = format!("`{kind}_rule` needs the {kind} of every node");
            let label = format!("{} has none", quoted(node.name.as_str()));
            let help = format!("give each node a `{kind}`, or deal them out with `{kind}s`");
            return table.report.take(Err(field.error(&message).label(label).help(help)));
        }
    }
    // A fleet of nobody is complained of where the nodes are read.
    let roster = Roster::new(nodes.to_vec()).ok()?;
    let Err(error) = copies.check(&roster) else { return Some(()) };
    let (field, what, found) = match error {
        PlacementError::TooFewDomains { kind: "zones", found, .. } => (zones, "zones", found),
        PlacementError::TooFewDomains { found, .. } => (racks, "racks", found),
        _ => (replicas, "nodes", roster.serving().count()),
    };
    let field = field.as_ref().expect("one copy needs one node, and what is ignored no domain");
    let message = match what {
        "nodes" => format!("`replicas = {}` needs as many nodes of positive weight", copies.count),
        _ => format!("{} copies need as many {what} of positive weight", copies.count),
    };
    table.report.take(Err(field.error(message).label(format!("the fleet has {found}"))))
}

fn listed(list: &Field<'_>, capacities: &mut BTreeMap<NodeId, u64>) -> Option<Vec<Node>> {
    let tables = list.tables("[[fleet.node]]")?;
    let (mut nodes, mut names, mut complete) = (Vec::new(), BTreeSet::new(), true);
    let mut first_weight = None;
    for table in &tables {
        let weight_field = table.get("weight");
        first_weight = first_weight.or_else(|| weight_field.as_ref().map(Field::span));
        let id = NodeId(nodes.len() as u32);
        let capacity = read_capacity(table);
        let read = read_node(table, weight_field, &mut names, id);
        complete &= read.is_some() && capacity.is_some();
        nodes.extend(read);
        capacities.extend(capacity.flatten().map(|capacity| (id, capacity)));
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
    id: NodeId,
) -> Option<Node> {
    let name_field = table.required("name");
    let [zone, rack] = ["zone", "rack"].map(|name| table.optional(name, |field| field.node_name()));
    let weight = weight.map_or(Some(Weight::ONE), |field| field.weight());
    table.finish();
    let name_field = name_field?;
    let name = name_field.node_name()?;
    if !names.insert(name.as_str().into()) {
        let message = format!("node {} stands there twice", quoted(name.as_str()));
        table.report.add(name_field.error(message).label("the second one"));
        return None;
    }
    Some(Node { id, name, weight: weight?, zone: zone?, rack: rack? })
}
