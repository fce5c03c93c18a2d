//! The points of nodes: hashed from a text, or explicit tokens of a file.

use std::collections::BTreeMap;

use placelab_core::{HashFunction, HashSeed, Node, PlacementError, Roster, Weight};

use crate::circle::Point;
use crate::point_hashes::PointHashes;

/// Most points of one ring.
pub(crate) const POINTS_MAX: u64 = 1 << 25;

/// Explicit tokens by node name, in the order of the names.
pub(super) type Tokens = Vec<(Box<str>, Box<[u64]>)>;

/// Where the points of nodes come from.
#[derive(Clone)]
pub(super) enum Points {
    Hashed { vnodes: u64, hash: HashFunction, seed: HashSeed, template: Vec<Segment> },
    Explicit(Tokens),
}

/// A part of the text that is hashed for a point.
#[derive(Clone)]
pub(super) enum Segment {
    Name,
    Index,
    Text(String),
}

impl Points {
    /// Whether a roster can be served.
    pub(super) fn check(&self, roster: &Roster) -> Result<(), PlacementError> {
        match self {
            Points::Hashed { .. } => {
                let counts = roster.nodes().iter().map(|node| self.count(node.weight));
                let asked = counts.fold(0, u64::saturating_add);
                if asked > POINTS_MAX {
                    let what = "points of a ring";
                    return Err(PlacementError::too_much(what, asked, POINTS_MAX, roster));
                }
                Ok(())
            }
            Points::Explicit(tokens) => {
                let error =
                    |reason| PlacementError::Parameter { parameter: "tokens".into(), reason };
                if roster.is_weighted() {
                    return Err(error("explicit tokens leave no room for weights".into()));
                }
                match roster.nodes().iter().find(|node| own_tokens(tokens, node).is_none()) {
                    Some(node) => Err(error(format!("the file has no token of `{}`", node.name))),
                    None => Ok(()),
                }
            }
        }
    }

    /// Points of a node of this weight where points are hashed.
    pub(super) fn count(&self, weight: Weight) -> u64 {
        let Points::Hashed { vnodes, .. } = self else { return 0 };
        match weight.micros() {
            0 => 0,
            micros => {
                let unit = u128::from(Weight::MICROS);
                let points = (u128::from(*vnodes) * u128::from(micros) + unit / 2) / unit;
                u64::try_from(points).expect("10^5 points a unit, 10^9 units").max(1)
            }
        }
    }

    /// The points of some nodes, unsorted.
    pub(super) fn of<'a>(
        &self,
        nodes: impl IntoIterator<Item = &'a Node, IntoIter: Clone>,
    ) -> Vec<Point> {
        let nodes = nodes.into_iter();
        match self {
            Points::Explicit(tokens) => {
                let own = |node: &'a Node| {
                    let own = own_tokens(tokens, node).into_iter().flatten();
                    own.map(|&token| (token, node.id))
                };
                nodes.flat_map(own).collect()
            }
            Points::Hashed { hash, seed, template, .. } => {
                let count = |node: &Node| self.count(node.weight);
                let mut points = Vec::with_capacity(nodes.clone().map(count).sum::<u64>() as usize);
                let mut hashes = PointHashes::new(*hash, *seed);
                for node in nodes {
                    let [head, tail] = around_number(template, node);
                    let around = (head.as_slice(), tail.as_slice());
                    hashes.each(around, count(node), |point| points.push((point, node.id)));
                }
                points
            }
        }
    }
}

/// What stands before and behind the number of a node's points.
fn around_number(template: &[Segment], node: &Node) -> [Vec<u8>; 2] {
    let (mut around, mut side) = ([Vec::new(), Vec::new()], 0);
    for segment in template {
        match segment {
            Segment::Name => around[side].extend_from_slice(node.name.as_bytes()),
            Segment::Index => side = 1,
            Segment::Text(literal) => around[side].extend_from_slice(literal.as_bytes()),
        }
    }
    around
}

/// Reads `name#i`: `name` and `i` once each, anything around them.
pub(super) fn parse_template(text: &str) -> Result<Vec<Segment>, String> {
    let error = || "needs `name` and `i` once each, as in name#i".to_string();
    let (head, tail) = text.split_once("name").ok_or_else(error)?;
    let literal = |text: &str| Segment::Text(text.into());
    if tail.contains("name") || head.matches('i').count() + tail.matches('i').count() != 1 {
        return Err(error());
    }
    Ok(match head.split_once('i') {
        Some((a, b)) => vec![literal(a), Segment::Index, literal(b), Segment::Name, literal(tail)],
        None => {
            let (b, c) = tail.split_once('i').ok_or_else(error)?;
            vec![literal(head), Segment::Name, literal(b), Segment::Index, literal(c)]
        }
    })
}

/// Reads lines of `node,token`; the last comma counts.
pub(super) fn parse_tokens(text: &str) -> Result<Tokens, String> {
    let mut tokens: BTreeMap<Box<str>, Vec<u64>> = BTreeMap::new();
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let error = || format!("line {}: expected node,token with a token below 2^64", number + 1);
        let (name, token) = line.rsplit_once(',').ok_or_else(error)?;
        let token = token.trim().parse().map_err(|_| error())?;
        tokens.entry(name.trim().into()).or_default().push(token);
    }
    match tokens.is_empty() {
        true => Err("the file holds no tokens".into()),
        false => Ok(tokens.into_iter().map(|(name, own)| (name, own.into())).collect()),
    }
}

/// The tokens of a node, where the file has any.
pub(super) fn own_tokens<'a>(tokens: &'a Tokens, node: &Node) -> Option<&'a [u64]> {
    let at = tokens.binary_search_by(|(name, _)| name.as_ref().cmp(node.name.as_str())).ok()?;
    Some(&tokens[at].1)
}
