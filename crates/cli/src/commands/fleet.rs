//! A fleet and its copies, as options of a command.

use clap::Args;
use placelab_core::{CopyRule, DomainRule, Node, PlacementError, Roster};
use placelab_sim::diagnostics::quoted;
use placelab_sim::fleet::{numbered_nodes, parse_nodes};
use placelab_sim::observed::whole_number;
use placelab_sim::scenario::Domains;

use super::prepare;
use crate::failure::Failure;

/// What `--nodes` takes.
pub(super) const NODES_HELP: &str =
    "Count, list `name[=weight][@zone],…` or @FILE.csv with columns name, weight, zone, rack";

#[derive(Args)]
pub(super) struct FleetOptions {
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true, help = NODES_HELP)]
    nodes: String,
    /// Copies of each key, on distinct nodes; the owner is the first
    #[arg(long, value_name = "R", default_value = "1", allow_hyphen_values = true)]
    replicas: String,
    #[command(flatten)]
    domains: DomainOptions,
    /// What copies have to do with zones: ignore, prefer or spread
    #[arg(long, value_name = "RULE", default_value = "ignore")]
    zone_rule: String,
    /// What copies have to do with racks: ignore, prefer or spread
    #[arg(long, value_name = "RULE", default_value = "ignore")]
    rack_rule: String,
}

/// Where the nodes of a fleet that is a count stand.
#[derive(Args)]
pub(super) struct DomainOptions {
    /// Zones that a count of nodes is dealt out to
    #[arg(long, value_name = "N", allow_hyphen_values = true, requires = "nodes")]
    zones: Option<String>,
    /// Racks that the nodes of each zone, or of the fleet, are dealt out to
    #[arg(long, value_name = "N", allow_hyphen_values = true, requires = "nodes")]
    racks: Option<String>,
}

impl FleetOptions {
    /// A fleet that can hold the copies, of which there are not more than some.
    pub(super) fn read(&self, copies_max: usize) -> Result<(Roster, CopyRule), Failure> {
        let nodes = self.domains.deal(&self.nodes)?;
        let count = prepare::number("--replicas", &self.replicas, copies_max as u64)? as usize;
        let zones = rule("zone", &self.zone_rule, &nodes, |node| node.zone.is_some())?;
        let racks = rule("rack", &self.rack_rule, &nodes, |node| node.rack.is_some())?;
        let copies = CopyRule { count, zones, racks };
        let roster = Roster::new(nodes).map_err(prepare::placement_failure)?;
        copies.check(&roster).map_err(|error| refused(&error, self))?;
        Ok((roster, copies))
    }
}

impl DomainOptions {
    /// The nodes of `--nodes`: a count dealt out to zones and racks, or nodes that say where they
    /// stand.
    pub(super) fn deal(&self, spec: &str) -> Result<Vec<Node>, Failure> {
        let dealt = |option, text: &Option<String>| {
            let most = Roster::NODES_MAX as u64;
            text.as_deref().map(|text| prepare::number(option, text, most)).transpose()
        };
        let zones = dealt("--zones", &self.zones)?.map(|zones| zones as u32);
        let racks = dealt("--racks", &self.racks)?.map(|racks| racks as u32);
        let count = whole_number(spec.trim()).map(|_| spec.replace('_', ""));
        let nodes = parse_nodes(count.as_deref().unwrap_or(spec));
        let nodes = nodes.map_err(prepare::fleet_failure)?;
        match (zones.or(racks), count) {
            (None, _) => Ok(nodes),
            (Some(_), Some(_)) => Ok(numbered_nodes(nodes.len() as u32, Domains { zones, racks })),
            (Some(_), None) => Err(Failure::Invalid(format!(
                "--nodes {}: --zones and --racks deal out a count of nodes; write `name@zone` in a \
                 list, or columns `zone` and `rack` in a file",
                quoted(spec)
            ))),
        }
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
fn refused(error: &PlacementError, options: &FleetOptions) -> Failure {
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
