//! What a page has at hand: keys, and two contenders over fleets of their own.

use placelab_algorithms::REGISTRY;
use placelab_core::{
    AlgorithmRequest, AlgorithmSpec, Anatomy, Arguments, HashFunction, HashSeed, Identities, Key,
    KeyHash, KeyText, Keys, NodeId, Placement, PlacementError, Roster, advance, establish,
};
use placelab_metrics::load::{balance, ratios};
use placelab_metrics::movement::{Targets, minimum};
use placelab_metrics::null::UnitNull;
use placelab_operate::explain;

use crate::fleet;
use crate::protocol::{
    AlgorithmView, AnatomyView, Answer, Error, FleetNode, KeyFormat, Moves, NodeView,
    ParameterView, Request, Side, View,
};

/// Most keys: what a page can place while a hand moves.
const KEYS_MAX: u64 = 10_000_000;
/// Longest key in bytes.
const KEY_BYTES_MAX: usize = 1 << 20;
/// Longest prefix of numbered keys in bytes.
const PREFIX_BYTES_MAX: usize = 1_000;
/// Longest name of a contender in bytes.
const ALGORITHM_BYTES_MAX: usize = 1_000;

/// Everything that a page has at hand.
#[derive(Default)]
pub struct Session {
    hashes: Vec<KeyHash>,
    text: KeyText,
    sides: [Option<Contender>; 2],
}

/// A contender over its fleet, and where its keys are and were.
struct Contender {
    spec: &'static AlgorithmSpec,
    arguments: Arguments,
    identities: Identities,
    placement: Box<dyn Placement>,
    owners: Vec<NodeId>,
    owners_before: Vec<NodeId>,
    moves: Option<Moves>,
    /// What the last change did to each key; nothing where there was none.
    kinds: Vec<u8>,
}

impl Session {
    /// Answers a request in JSON with an answer in JSON; what cannot be is told as an error, and
    /// leaves everything as it was.
    pub fn ask(&mut self, request: &[u8]) -> String {
        let answer = match serde_json::from_slice(request) {
            Ok(request) => self.answer(request).unwrap_or_else(Answer::Error),
            Err(error) => Answer::Error(Error {
                field: "request",
                node: None,
                message: format!("this is no request: {error}"),
            }),
        };
        serde_json::to_string(&answer).expect("answers are JSON")
    }

    /// The identity of the owner of each key on a side, after or before its last change.
    pub fn owners(&self, side: Side, before: bool) -> &[NodeId] {
        match &self.sides[side as usize] {
            Some(contender) if before => &contender.owners_before,
            Some(contender) => &contender.owners,
            None => &[],
        }
    }

    /// What the last change of a side did to each key: 0 it stays, 1 it moved, 2 it moved sideways.
    pub fn kinds(&self, side: Side) -> &[u8] {
        self.sides[side as usize].as_ref().map_or(&[], |contender| &contender.kinds)
    }

    fn answer(&mut self, request: Request) -> Result<Answer, Error> {
        Ok(match request {
            Request::Algorithms => Answer::Algorithms(REGISTRY.iter().map(algorithm).collect()),
            Request::Keys { names, count, prefix, format } => {
                let names = self::names(names, format)?;
                Answer::Keys(self.keys(names, count, &prefix)?)
            }
            Request::Start { side, algorithm, nodes } => {
                let contender = self.started(&algorithm, &nodes)?;
                Answer::View(self.put(side, contender))
            }
            Request::Change { side, nodes } => {
                let contender = self.changed(side, &nodes)?;
                Answer::View(self.put(side, contender))
            }
            Request::Explain { side, key } => Answer::Explanation(self.explained(side, &key)?),
            Request::Anatomy { side } => Answer::Anatomy(anatomy(&*self.side(side)?.placement)),
        })
    }

    fn side(&self, side: Side) -> Result<&Contender, Error> {
        let missing = || error("request", "this side has no contender yet: start one");
        self.sides[side as usize].as_ref().ok_or_else(missing)
    }

    fn put(&mut self, side: Side, contender: Contender) -> View {
        let view = self.view(&contender);
        self.sides[side as usize] = Some(contender);
        view
    }

    /// Takes other keys, which were always there as far as the sides know.
    fn keys(
        &mut self,
        names: Vec<(KeyHash, String)>,
        count: u64,
        prefix: &str,
    ) -> Result<u64, Error> {
        let all = (names.len() as u64).saturating_add(count);
        if all > KEYS_MAX {
            let message = format!("{all} keys are more than a page can place: {KEYS_MAX}");
            return Err(error("keys", message));
        }
        if prefix.len() > PREFIX_BYTES_MAX {
            return Err(error("keys", format!("a prefix has at most {PREFIX_BYTES_MAX} bytes")));
        }
        self.text.clear();
        self.hashes.clear();
        let numbered = (0..count).map(|number| {
            let name = format!("{prefix}{number}");
            (hashed(name.as_bytes()), name)
        });
        for (hash, name) in names.into_iter().chain(numbered) {
            self.hashes.push(hash);
            self.text.push(name.as_bytes());
        }
        let (hashes, text) = (&self.hashes, &self.text);
        for contender in self.sides.iter_mut().flatten() {
            contender.owners = placed(&*contender.placement, hashes, text);
            contender.owners_before.clone_from(&contender.owners);
            contender.moves = None;
            contender.kinds = vec![STAYS; hashes.len()];
        }
        Ok(all)
    }

    fn started(&self, algorithm: &str, nodes: &[FleetNode]) -> Result<Contender, Error> {
        let (spec, arguments) = requested(algorithm)?;
        let mut identities = Identities::default();
        let nodes = fleet::nodes(nodes, &mut identities)?;
        let roster = Roster::new(nodes).map_err(|error| refused("nodes", error))?;
        let placement = establish(spec, &arguments, HashSeed::PUBLISHED, roster)
            .map_err(|error| refused("algorithm", error))?;
        let owners = placed(&*placement, &self.hashes, &self.text);
        let owners_before = owners.clone();
        let kinds = vec![STAYS; owners.len()];
        Ok(Contender {
            spec,
            arguments,
            identities,
            placement,
            owners,
            owners_before,
            moves: None,
            kinds,
        })
    }

    fn changed(&self, side: Side, nodes: &[FleetNode]) -> Result<Contender, Error> {
        let before = self.side(side)?;
        let mut identities = before.identities.clone();
        let nodes = fleet::nodes(nodes, &mut identities)?;
        let changes = fleet::changes(before.placement.roster(), &nodes);
        let placement = advance(before.spec, &*before.placement, &changes)
            .map_err(|error| refused("nodes", error))?;
        let owners = placed(&*placement, &self.hashes, &self.text);
        let rosters = [before.placement.roster(), placement.roster()];
        let kinds = kinds(rosters, identities.names().len(), &before.owners, &owners);
        let moves = Some(moves(rosters, &kinds));
        Ok(Contender {
            spec: before.spec,
            arguments: before.arguments.clone(),
            identities,
            placement,
            owners,
            owners_before: before.owners.clone(),
            moves,
            kinds,
        })
    }

    fn explained(&self, side: Side, key: &str) -> Result<placelab_operate::Explanation, Error> {
        let contender = self.side(side)?;
        if key.len() > KEY_BYTES_MAX {
            return Err(error("key", format!("a key has at most {KEY_BYTES_MAX} bytes")));
        }
        let key = Key { hash: hashed(key.as_bytes()), bytes: key.as_bytes() };
        Ok(explain(contender.spec, &contender.arguments, &*contender.placement, key))
    }

    fn view(&self, contender: &Contender) -> View {
        let mut counts = vec![0u64; contender.identities.names().len()];
        contender.owners.iter().for_each(|owner| counts[owner.index()] += 1);
        let roster = contender.placement.roster();
        let keys = self.hashes.len() as u64;
        let a_micro = keys as f64 / roster.total_weight() as f64;
        let node = |node: &placelab_core::Node| NodeView {
            id: node.id.0,
            weight: node.weight.to_string(),
            keys: counts[node.id.index()],
            fair: node.weight.micros() as f64 * a_micro,
        };
        let nodes: Vec<NodeView> = roster.nodes().iter().map(node).collect();
        let loads: Vec<u128> = nodes.iter().map(|node| node.keys.into()).collect();
        let weights: Vec<u64> = roster.nodes().iter().map(|node| node.weight.micros()).collect();
        let chance = (keys > 0).then(|| UnitNull::new(keys, &weights).chance().max_over_mean);
        let max_over_mean =
            balance(&ratios(&loads, &weights), &weights).map(|one| one.max_over_mean);
        View {
            contender: contender.arguments.contender(contender.spec),
            keys,
            names: contender.identities.names().iter().map(ToString::to_string).collect(),
            nodes,
            max_over_mean: max_over_mean.filter(|_| keys > 0),
            chance: chance.map(|chance| [chance.low, chance.high]),
            moves: contender.moves,
        }
    }
}

/// The hashes of named keys.
fn names(names: Vec<String>, format: KeyFormat) -> Result<Vec<(KeyHash, String)>, Error> {
    let hash = |name: &String| match format {
        _ if name.len() > KEY_BYTES_MAX => Err(format!("a key has at most {KEY_BYTES_MAX} bytes")),
        KeyFormat::Text => Ok(hashed(name.as_bytes())),
        KeyFormat::Hash => u64::from_str_radix(name, 16).map(KeyHash).map_err(|_| {
            let shown: String = name.chars().take(40).collect();
            format!("`{shown}` is no hash of up to 16 hexadecimal digits")
        }),
    };
    let read = |name: String| hash(&name).map(|hash| (hash, name));
    names.into_iter().map(read).collect::<Result<_, _>>().map_err(|reason| error("keys", reason))
}

/// What a text asks for: one contender whose parameters name no files.
fn requested(text: &str) -> Result<(&'static AlgorithmSpec, Arguments), Error> {
    let about = |message: String| error("algorithm", message);
    if text.len() > ALGORITHM_BYTES_MAX {
        return Err(about(format!("a contender has at most {ALGORITHM_BYTES_MAX} bytes")));
    }
    let requests = AlgorithmRequest::expand(text).map_err(|error| about(error.to_string()))?;
    let [request] = &requests[..] else {
        return Err(about("name one contender, without `{…}`".into()));
    };
    let Some(spec) = placelab_algorithms::find(&request.name) else {
        return Err(about(format!("there is no algorithm `{}`", request.name)));
    };
    let no_files = |_: &str| Err("a page reads no files".to_string());
    let arguments = request.arguments(spec, &no_files).map_err(|error| about(error.to_string()))?;
    Ok((spec, arguments))
}

fn error(field: &'static str, message: impl Into<String>) -> Error {
    Error { field, node: None, message: message.into() }
}

fn refused(field: &'static str, reason: PlacementError) -> Error {
    error(field, reason.to_string())
}

/// Keys are hashed as the command line does.
fn hashed(key: &[u8]) -> KeyHash {
    KeyHash(HashFunction::Xxh3.hash(key))
}

fn placed(placement: &dyn Placement, hashes: &[KeyHash], text: &KeyText) -> Vec<NodeId> {
    let mut owners = vec![NodeId::NOBODY; hashes.len()];
    placement.place_many(Keys { hashes, text: Some(text) }, &mut owners);
    owners
}

/// A key that stays, one that moved, and one that moved sideways.
const STAYS: u8 = 0;
const FORCED: u8 = 1;
const SIDEWAYS: u8 = 2;

/// What a change did to each key.
fn kinds(
    [before, after]: [&Roster; 2],
    node_count: usize,
    owners_before: &[NodeId],
    owners: &[NodeId],
) -> Vec<u8> {
    let targets = Targets::new(before, after, node_count);
    let kind = |(&source, &destination): (&NodeId, &NodeId)| match source == destination {
        true => STAYS,
        false if targets.forces(source, destination) => FORCED,
        false => SIDEWAYS,
    };
    std::iter::zip(owners_before, owners).map(kind).collect()
}

/// What a change did to the keys.
fn moves([before, after]: [&Roster; 2], kinds: &[u8]) -> Moves {
    let count = |kind: u8| kinds.iter().filter(|other| **other == kind).count() as u64;
    let sideways = count(SIDEWAYS);
    Moves { moved: count(FORCED) + sideways, sideways, minimum: minimum(before, after) }
}

fn algorithm(spec: &&'static AlgorithmSpec) -> AlgorithmView {
    let parameters = spec.parameters.iter();
    AlgorithmView {
        name: spec.name,
        role: spec.role.name(),
        family: spec.family,
        summary: spec.summary,
        lookup_cost: spec.lookup_cost,
        citation: spec.citation,
        capabilities: spec.capabilities.iter().map(|capability| capability.name()).collect(),
        parameters: parameters
            .map(|one| ParameterView { name: one.name, default: one.default, help: one.help })
            .collect(),
    }
}

fn anatomy(placement: &dyn Placement) -> AnatomyView {
    let ids = |owners: Vec<NodeId>| owners.into_iter().map(|owner| owner.0).collect();
    match placement.anatomy() {
        Some(Anatomy::Circle(points)) => AnatomyView::Circle {
            parts: points
                .iter()
                .map(|(position, _)| placelab_operate::explain::part(*position))
                .collect(),
            owners: points.iter().map(|(_, owner)| owner.0).collect(),
        },
        Some(Anatomy::Table { owners, turns }) => AnatomyView::Table { owners: ids(owners), turns },
        Some(Anatomy::Buckets(owners)) => {
            let owner = |owner: NodeId| (owner != NodeId::NOBODY).then_some(owner.0);
            AnatomyView::Buckets { owners: owners.into_iter().map(owner).collect() }
        }
        Some(Anatomy::Scores) => AnatomyView::Scores,
        None => AnatomyView::Plain,
    }
}
