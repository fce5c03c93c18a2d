//! What is asked: keys, nodes, copies and counts, from the command line.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context;
use placelab_core::{Node, Roster, Weight};
use placelab_sim::diagnostics::quoted;
use placelab_sim::fleet::{numbered_nodes, parse_nodes};
use placelab_sim::observed::{KEYS_MAX, ObservedError, read_observed, whole_number};
use placelab_sim::scenario::Domains;

use super::Options;
use crate::commands::prepare;
use crate::failure::Failure;

/// A question that has an answer: at least one key, two nodes that may have it, and no more copies
/// than such nodes.
pub(super) struct Question {
    pub keys: u64,
    pub copies: u64,
    pub nodes: Vec<Node>,
    /// Observed counts in the order of the nodes.
    pub counts: Option<Vec<u64>>,
}

impl Question {
    pub(super) fn read(options: &Options) -> Result<Self, Failure> {
        let asked = options.keys.as_deref().map(keys).transpose()?;
        let nodes = nodes(options.nodes.as_deref(), options.weights.as_deref())?;
        let copies = copies(&options.replicas, &nodes)?;
        let counts = options.observed.as_deref().map(|path| counts(path, &nodes)).transpose()?;
        let keys = match (asked, &counts) {
            (Some(keys), None) => keys,
            (None, None) => {
                let text = "say how many with --keys, or give counts with --observed";
                return Err(Failure::Invalid(format!("no keys: {text}")));
            }
            (asked, Some(counts)) => counted(asked, counts, copies)?,
        };
        Ok(Question { keys, copies, nodes, counts })
    }

    /// The weights of the nodes in micro-units.
    pub(super) fn weights(&self) -> Vec<u64> {
        self.nodes.iter().map(|node| node.weight.micros()).collect()
    }

    /// How many nodes may have keys.
    pub(super) fn serving(&self) -> usize {
        serving(&self.nodes)
    }
}

fn serving(nodes: &[Node]) -> usize {
    nodes.iter().filter(|node| node.weight > Weight::ZERO).count()
}

fn keys(text: &str) -> Result<u64, Failure> {
    prepare::number("--keys", text, KEYS_MAX)
}

fn copies(text: &str, nodes: &[Node]) -> Result<u64, Failure> {
    let serving = serving(nodes);
    let invalid = || {
        let what = quoted(text);
        Failure::Invalid(format!(
            "--replicas {what} on a fleet of {serving}: ask for 1 to {serving}"
        ))
    };
    match whole_number(text) {
        Some(copies) if 1 <= copies && copies <= serving as u128 => Ok(copies as u64),
        _ => Err(invalid()),
    }
}

/// The fleet: nodes, or weights, or a count of nodes on which the weights are dealt out in turn.
fn nodes(nodes: Option<&str>, weights: Option<&str>) -> Result<Vec<Node>, Failure> {
    let weights = weights.map(self::weights).transpose()?;
    let count = nodes.and_then(|text| whole_number(text.trim()));
    let mut fleet = match (nodes, &weights) {
        (None, None) => {
            let text = "say which with --nodes or --weights";
            return Err(Failure::Invalid(format!("no nodes: {text}")));
        }
        (None, Some(weights)) => numbered_nodes(weights.len() as u32, Domains::default()),
        (Some(text), Some(_)) if count.is_none() => {
            return Err(Failure::Invalid(format!(
                "--nodes {} and --weights: weights go with a count of nodes; write `name=weight` \
                 in a list, or a column `weight` in a file",
                quoted(text)
            )));
        }
        (Some(text), _) => {
            let digits = count.map(|_| text.replace('_', ""));
            parse_nodes(digits.as_deref().unwrap_or(text)).map_err(prepare::fleet_failure)?
        }
    };
    if let Some(weights) = weights {
        if weights.len() > fleet.len() {
            let (given, nodes) = (weights.len(), fleet.len());
            return Err(Failure::Invalid(format!("{given} weights for {nodes} nodes: drop some")));
        }
        let dealt = fleet.iter_mut().zip(weights.iter().cycle());
        dealt.for_each(|(node, &weight)| node.weight = weight);
    }
    let mut named = fleet.iter().filter(|node| node.weight > Weight::ZERO);
    match (named.next(), named.next()) {
        (None, _) => Err(Failure::Invalid("all weights are 0: at least two nodes need one".into())),
        (Some(only), None) => Err(Failure::Invalid(format!(
            "one node of positive weight, {}, has every key for certain: name at least two",
            quoted(only.name.as_str())
        ))),
        _ => Ok(fleet),
    }
}

fn weights(text: &str) -> Result<Vec<Weight>, Failure> {
    let mut weights = Vec::new();
    for item in text.split(',').map(str::trim) {
        if weights.len() == Roster::NODES_MAX {
            let possible = Roster::NODES_MAX;
            return Err(Failure::Limit(format!("--weights: at most {possible} possible")));
        }
        let weight = item.replace('_', "").parse();
        weights.push(weight.map_err(|error| Failure::Invalid(format!("--weights: {error}")))?);
    }
    Ok(weights)
}

fn counts(path: &Path, nodes: &[Node]) -> Result<Vec<u64>, Failure> {
    let source: Box<dyn Read> = match path.as_os_str() == "-" {
        true => Box::new(io::stdin().lock()),
        false => {
            Box::new(File::open(path).with_context(|| format!("cannot read {}", path.display()))?)
        }
    };
    let name =
        if path.as_os_str() == "-" { "standard input".into() } else { path.to_string_lossy() };
    read_observed(&name, source, nodes).map_err(|error| match error {
        ObservedError::Limit { .. } => Failure::Limit(error.to_string()),
        ObservedError::Io { .. } => Failure::Internal(anyhow::anyhow!("{error}")),
        _ => Failure::Invalid(error.to_string()),
    })
}

/// How many keys the counts are of, which are copies.
fn counted(asked: Option<u64>, counts: &[u64], copies: u64) -> Result<u64, Failure> {
    let total: u128 = counts.iter().map(|&count| u128::from(count)).sum();
    let keys = total / u128::from(copies);
    if !total.is_multiple_of(u128::from(copies)) {
        return Err(Failure::Invalid(format!(
            "the counts sum to {total}, which is no multiple of {copies} copies: count every copy \
             of every key, or set --replicas"
        )));
    }
    match asked {
        Some(asked) if u128::from(asked) != keys => Err(Failure::Invalid(format!(
            "the counts are of {keys} keys and --keys is {asked}: leave --keys out, or count all"
        ))),
        _ if keys > u128::from(KEYS_MAX) => Err(Failure::Limit(format!(
            "the counts are of {keys} keys, at most {KEYS_MAX} possible"
        ))),
        _ => Ok(keys as u64),
    }
}
