//! What is asked: contenders, fleet, copies and keys, from the command line.

use placelab_core::{CopyRule, DomainRule, HashFunction, Node, PlacementError, Roster};
use placelab_metrics::loss::Holders;
use placelab_results::Measure;
use placelab_sim::diagnostics::quoted;
use placelab_sim::failures::{Capacity, Inquiry};
use placelab_sim::fleet::{numbered_nodes, parse_nodes};
use placelab_sim::observed::whole_number;
use placelab_sim::scenario::{ContenderRequest, Domains, KeyRequest, SourceRequest};

use super::Options;
use crate::commands::prepare;
use crate::failure::Failure;

/// Most keys: all of them are held at once, with their copies.
const KEYS_MAX: u64 = 10_000_000;
/// Most hash seeds.
const SEEDS_MAX: u64 = 1_000;
/// Largest capacity.
const CAPACITY_MAX: f64 = 1e6;

/// A question that has an answer: a fleet that can hold the copies.
pub(super) struct Question {
    pub contenders: Vec<ContenderRequest>,
    pub roster: Roster,
    pub copies: CopyRule,
    pub keys: KeyRequest,
    pub seeds: u32,
    pub down: u32,
    pub capacity: Capacity,
}

impl Question {
    pub(super) fn read(options: &Options) -> Result<Self, Failure> {
        let key_count = prepare::number("--keys", &options.keys, KEYS_MAX)?;
        let seeds = prepare::number("--seeds", &options.seeds, SEEDS_MAX)? as u32;
        let nodes = nodes(options)?;
        let count =
            prepare::number("--replicas", &options.replicas, Holders::COPIES_MAX as u64)? as usize;
        let zones = rule("zone", &options.zone_rule, &nodes, |node| node.zone.is_some())?;
        let racks = rule("rack", &options.rack_rule, &nodes, |node| node.rack.is_some())?;
        let copies = CopyRule { count, zones, racks };
        let roster = Roster::new(nodes).map_err(prepare::placement_failure)?;
        copies.check(&roster).map_err(|error| refused(&error, options))?;
        let serving = roster.serving().count();
        let down = prepare::number("--down", &options.down, serving as u64)? as u32;
        let capacity = Capacity::OwnLoad(factor(&options.capacity)?);
        let contenders = prepare::contenders(&options.algorithm)?;
        let source = SourceRequest::Uniform { count: key_count };
        let keys = KeyRequest { source, hash: HashFunction::Xxh3, marks: Vec::new() };
        Ok(Question { contenders, roster, copies, keys, seeds, down, capacity })
    }

    pub(super) fn inquiry(&self) -> Inquiry<'_> {
        Inquiry {
            roster: &self.roster,
            copies: self.copies,
            measure: Measure::Keys,
            capacity: &self.capacity,
            down: self.down,
            seeds: self.seeds,
        }
    }
}

/// The fleet: a count dealt out to zones and racks, or nodes that say where they stand.
fn nodes(options: &Options) -> Result<Vec<Node>, Failure> {
    let dealt = |option, text: &Option<String>| {
        let most = Roster::NODES_MAX as u64;
        text.as_deref().map(|text| prepare::number(option, text, most)).transpose()
    };
    let zones = dealt("--zones", &options.zones)?.map(|zones| zones as u32);
    let racks = dealt("--racks", &options.racks)?.map(|racks| racks as u32);
    let count = whole_number(options.nodes.trim()).map(|_| options.nodes.replace('_', ""));
    let nodes = parse_nodes(count.as_deref().unwrap_or(&options.nodes));
    let nodes = nodes.map_err(prepare::fleet_failure)?;
    match (zones.or(racks), count) {
        (None, _) => Ok(nodes),
        (Some(_), Some(_)) => Ok(numbered_nodes(nodes.len() as u32, Domains { zones, racks })),
        (Some(_), None) => Err(Failure::Invalid(format!(
            "--nodes {}: --zones and --racks deal out a count of nodes; write `name@zone` in a \
             list, or columns `zone` and `rack` in a file",
            quoted(&options.nodes)
        ))),
    }
}

/// What copies have to do with the domains of one kind, of which every node must then be known.
fn rule(
    kind: &str,
    text: &str,
    nodes: &[Node],
    is_known: fn(&Node) -> bool,
) -> Result<DomainRule, Failure> {
    let Some(rule) = DomainRule::ALL.into_iter().find(|rule| rule.name() == text) else {
        let names = DomainRule::ALL.map(DomainRule::name).join(", ");
        let text = quoted(text);
        return Err(Failure::Invalid(format!("--{kind}-rule {text}: one of {names} is needed")));
    };
    match nodes.iter().find(|node| !is_known(node)) {
        Some(node) if rule != DomainRule::Ignore => Err(Failure::Invalid(format!(
            "--{kind}-rule {text} needs the {kind} of every node, and {} has none: deal them out \
             with --{kind}s",
            quoted(node.name.as_str())
        ))),
        _ => Ok(rule),
    }
}

/// Why the fleet cannot hold the copies, with the option that asks for it.
fn refused(error: &PlacementError, options: &Options) -> Failure {
    let option = match error {
        PlacementError::TooFewDomains { kind: "zones", .. } => "--zone-rule spread",
        PlacementError::TooFewDomains { .. } => "--rack-rule spread",
        _ => "--replicas",
    };
    Failure::Invalid(match option {
        "--replicas" => format!("--replicas {}: {error}", quoted(&options.replicas)),
        _ => format!("{option}: {error}"),
    })
}

/// How many times its own load each node can take.
fn factor(text: &str) -> Result<f64, Failure> {
    let factor = text.replace('_', "").parse().ok();
    factor.filter(|factor| (1.0..=CAPACITY_MAX).contains(factor)).ok_or_else(|| {
        Failure::Invalid(format!(
            "--capacity {}: a number from 1 to {CAPACITY_MAX} is needed, such as 1.5: how many \
             times its own load each node can hold",
            quoted(text)
        ))
    })
}
