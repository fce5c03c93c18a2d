//! One timeline as it unfolds: who is there, who is away, what an event makes of that.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use placelab_core::{Change, Identities, Node, NodeId, NodeName, PlacementError, Roster, Weight};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{PlannedStep, picks};
use crate::diagnostics::{Diagnostic, quoted};
use crate::scenario::{Event, Fleet, Joining, Named, NewNode, Picked, Verb, nearest};

/// The state of a timeline.
pub(super) struct Course<'a> {
    names: &'a mut Identities,
    roster: Arc<Roster>,
    present: BTreeSet<NodeId>,
    away: BTreeMap<NodeId, Away>,
    /// Number of the next node that joins by count.
    next: u32,
    zones: Option<u32>,
}

struct Away {
    node: Node,
    absence: Absence,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Absence {
    Failed,
    Left,
}

/// What an event makes of a roster.
#[derive(Default)]
struct Outcome {
    changes: Vec<Change>,
    gone: Vec<NodeId>,
    returned: Vec<NodeId>,
}

type Errors = Vec<Diagnostic>;

impl<'a> Course<'a> {
    /// A timeline before its first event.
    pub(super) fn new(fleet: &Fleet, roster: Arc<Roster>, names: &'a mut Identities) -> Self {
        let present = roster.nodes().iter().map(|node| node.id).collect();
        let (next, zones) = (fleet.nodes.len() as u32, fleet.zones);
        Course { names, roster, present, away: BTreeMap::new(), next, zones }
    }

    /// The members now.
    pub(super) fn roster(&self) -> &Arc<Roster> {
        &self.roster
    }

    /// Lets an event happen.
    ///
    /// # Errors
    /// Everything that stands in its way; the state is then no longer of use.
    pub(super) fn step(
        &mut self,
        event: &Event,
        generator: Xoshiro256PlusPlus,
    ) -> Result<PlannedStep, Errors> {
        let outcome = self.resolve(event, generator)?;
        let before = self.roster.clone();
        let after = before.after(&outcome.changes).map_err(|error| vec![refusal(&error, event)])?;
        self.account_for(&before, &outcome, &event.verb);
        self.roster = Arc::new(after);
        Ok(PlannedStep {
            label: event.label.clone(),
            verb: event.verb.name(),
            changes: outcome.changes,
            before,
            after: self.roster.clone(),
            gone: outcome.gone,
            returned: outcome.returned,
        })
    }

    fn resolve(&mut self, event: &Event, generator: Xoshiro256PlusPlus) -> Result<Outcome, Errors> {
        let members = self.roster.len();
        match &*event.verb {
            Verb::Join(Joining::Count(count)) => self.join_numbered(*count as usize, event),
            Verb::Join(Joining::Nodes(nodes)) => self.join_named(nodes),
            Verb::Leave(Picked::Names(names)) | Verb::Fail(Picked::Names(names)) => {
                Ok(self.remove(self.positions(names)?))
            }
            Verb::Leave(Picked::Count(count)) | Verb::Fail(Picked::Count(count)) => {
                let count = *count as usize;
                self.must_remain(members.saturating_sub(count), event)?;
                Ok(self.remove(picks::pick(generator, members, count)))
            }
            Verb::Recover(picked) => self.recover(picked, event, generator),
            Verb::Grow(total) => match (*total as usize).checked_sub(members) {
                Some(count) => self.join_numbered(count, event),
                None => Err(vec![wrong_total(event, *total, members, "shrink", "fewer")]),
            },
            Verb::Shrink(total) => {
                self.must_remain(*total as usize, event)?;
                if *total as usize > members {
                    return Err(vec![wrong_total(event, *total, members, "grow", "more")]);
                }
                Ok(self.remove((*total as usize..members).collect()))
            }
            Verb::Reweight(weights) => self.reweight(weights),
        }
    }

    fn must_remain(&self, remaining: usize, event: &Event) -> Result<(), Errors> {
        if remaining > 0 {
            return Ok(());
        }
        let message = format!("`{}` leaves nobody in the fleet", event.verb.name());
        let label = format!("the fleet has {} at this point", in_words(self.roster.len()));
        Err(vec![Diagnostic::new(message, event.span.clone()).label(label)])
    }

    fn join_numbered(&mut self, count: usize, event: &Event) -> Result<Outcome, Errors> {
        let total = self.roster.len() + count;
        if total > Roster::NODES_MAX {
            let message = format!("a fleet has at most {} nodes, not {total}", Roster::NODES_MAX);
            return Err(vec![Diagnostic::new(message, event.span.clone()).limit()]);
        }
        let mut outcome = Outcome::default();
        while outcome.changes.len() < count {
            let number = self.next;
            self.next += 1;
            let name = NodeName::numbered(number);
            let id = self.names.of(&name);
            if self.present.contains(&id) || self.away.contains_key(&id) {
                continue;
            }
            let zone = self.zones.map(|zones| numbered_zone(number % zones));
            outcome.changes.push(Change::Add(Node { id, name, weight: Weight::ONE, zone }));
        }
        Ok(outcome)
    }

    fn join_named(&mut self, nodes: &[NewNode]) -> Result<Outcome, Errors> {
        let (mut outcome, mut errors, mut seen) = (Outcome::default(), Vec::new(), BTreeSet::new());
        for new in nodes {
            let id = self.names.of(&new.named.name);
            let away = self.away.get(&id);
            if let Some(reason) = self.no_entry(id, away, !seen.insert(id)) {
                errors.push(about(&new.named, "cannot join", reason));
                continue;
            }
            if away.is_some() {
                outcome.returned.push(id);
            }
            let before = away.map(|away| &away.node);
            outcome.changes.push(Change::Add(Node {
                id,
                name: new.named.name.clone(),
                weight: new.weight.or(before.map(|node| node.weight)).unwrap_or(Weight::ONE),
                zone: new.zone.clone().or_else(|| before.and_then(|node| node.zone.clone())),
            }));
        }
        if errors.is_empty() { Ok(outcome) } else { Err(errors) }
    }

    fn no_entry(&self, id: NodeId, away: Option<&Away>, twice: bool) -> Option<&'static str> {
        match away {
            _ if twice => Some("it stands there twice"),
            _ if self.present.contains(&id) => Some("it is in the fleet already"),
            Some(Away { absence: Absence::Failed, .. }) => {
                Some("it failed; `recover` brings it back")
            }
            _ => None,
        }
    }

    fn recover(
        &self,
        picked: &Picked,
        event: &Event,
        generator: Xoshiro256PlusPlus,
    ) -> Result<Outcome, Errors> {
        let is_failed = |away: &&Away| away.absence == Absence::Failed;
        let failed: Vec<&Node> =
            self.away.values().filter(is_failed).map(|away| &away.node).collect();
        let back: Vec<&Node> = match picked {
            Picked::Count(count) if *count as usize > failed.len() => {
                let message = format!("{} cannot recover", in_words(*count as usize));
                let label = match failed.len() {
                    0 => "no node has failed at this point".into(),
                    few => format!("{few} failed at this point"),
                };
                return Err(vec![Diagnostic::new(message, event.span.clone()).label(label)]);
            }
            Picked::Count(count) => picks::pick(generator, failed.len(), *count as usize)
                .into_iter()
                .map(|index| failed[index])
                .collect(),
            Picked::Names(names) => self.failed_by_name(names)?,
        };
        let changes = back.iter().map(|&node| Change::Add(node.clone())).collect();
        let returned = back.iter().map(|node| node.id).collect();
        Ok(Outcome { changes, gone: Vec::new(), returned })
    }

    fn failed_by_name(&self, names: &[Named]) -> Result<Vec<&Node>, Errors> {
        let (mut found, mut errors, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
        for named in names {
            let id = self.names.find(named.name.as_str());
            let reason = match id.and_then(|id| self.away.get(&id)) {
                _ if !seen.insert(&named.name) => "it stands there twice",
                Some(Away { absence: Absence::Left, .. }) => "it left; `join` brings it back",
                None => "it has not failed",
                Some(away) => {
                    found.push(&away.node);
                    continue;
                }
            };
            errors.push(about(named, "cannot recover", reason));
        }
        if errors.is_empty() { Ok(found) } else { Err(errors) }
    }

    fn reweight(&self, weights: &[(Named, Weight)]) -> Result<Outcome, Errors> {
        let positions = self.member_positions();
        let member = |named: &Named| self.member(&positions, named);
        let found: Vec<_> = weights
            .iter()
            .map(|(named, weight)| member(named).map(|at| (self.roster.nodes()[at].id, *weight)))
            .collect();
        let changes = all(found)?.into_iter().map(|(id, weight)| Change::Reweight(id, weight));
        Ok(Outcome { changes: changes.collect(), ..Outcome::default() })
    }

    fn positions(&self, names: &[Named]) -> Result<Vec<usize>, Errors> {
        let positions = self.member_positions();
        let mut seen = BTreeSet::new();
        let position = |named: &Named| {
            if !seen.insert(named.name.clone()) {
                return Err(about(named, "cannot go", "it stands there twice"));
            }
            self.member(&positions, named)
        };
        all(names.iter().map(position).collect())
    }

    fn member(&self, at: &BTreeMap<NodeId, usize>, named: &Named) -> Result<usize, Diagnostic> {
        let id = self.names.find(named.name.as_str());
        if let Some(&position) = id.and_then(|id| at.get(&id)) {
            return Ok(position);
        }
        let absence = id.and_then(|id| self.away.get(&id)).map(|away| away.absence);
        let message = format!("{} is not in the fleet", quoted(named.name.as_str()));
        let error = Diagnostic::new(message, named.span.clone());
        Err(match absence {
            Some(Absence::Failed) => error.label("failed before").help("`recover` brings it back"),
            Some(Absence::Left) => error.label("left before").help("`join` brings it back"),
            None => {
                let names = self.roster.nodes().iter().map(|node| node.name.as_str());
                let error = error.label("no such node at this point");
                match nearest(named.name.as_str(), names) {
                    Some(near) => error.help(format!("did you mean {}?", quoted(near))),
                    None => error,
                }
            }
        })
    }

    fn member_positions(&self) -> BTreeMap<NodeId, usize> {
        self.roster.nodes().iter().enumerate().map(|(at, node)| (node.id, at)).collect()
    }

    /// Removals from the tail inward: a set that is the tail asks no more of a scheme than
    /// shrinking does, in whatever order it was written.
    fn remove(&self, mut positions: Vec<usize>) -> Outcome {
        positions.sort_unstable();
        let gone: Vec<NodeId> =
            positions.into_iter().map(|at| self.roster.nodes()[at].id).collect();
        let changes = gone.iter().rev().map(|&id| Change::Remove(id)).collect();
        Outcome { changes, gone, returned: Vec::new() }
    }

    fn account_for(&mut self, before: &Roster, outcome: &Outcome, verb: &Verb) {
        let absence = match verb {
            Verb::Fail(_) => Absence::Failed,
            _ => Absence::Left,
        };
        let gone: BTreeSet<NodeId> = outcome.gone.iter().copied().collect();
        for node in before.nodes().iter().filter(|node| gone.contains(&node.id)) {
            self.present.remove(&node.id);
            self.away.insert(node.id, Away { node: node.clone(), absence });
        }
        for change in &outcome.changes {
            if let Change::Add(node) = change {
                self.away.remove(&node.id);
                self.present.insert(node.id);
            }
        }
    }
}

/// The zone that fleets with `zones = Z` deal out.
pub(crate) fn numbered_zone(index: u32) -> NodeName {
    NodeName::new(&format!("zone-{index}")).expect("a short name without control characters")
}

fn all<T>(found: Vec<Result<T, Diagnostic>>) -> Result<Vec<T>, Errors> {
    let (good, bad): (Vec<_>, Vec<_>) = found.into_iter().partition(Result::is_ok);
    if bad.is_empty() {
        Ok(good.into_iter().flatten().collect())
    } else {
        Err(bad.into_iter().filter_map(Result::err).collect())
    }
}

fn about(named: &Named, what: &str, reason: &str) -> Diagnostic {
    let message = format!("{} {what}: {reason}", quoted(named.name.as_str()));
    Diagnostic::new(message, named.span.clone())
}

fn wrong_total(
    event: &Event,
    total: u32,
    members: usize,
    other: &str,
    relation: &str,
) -> Diagnostic {
    let name = event.verb.name();
    let message = format!("`{name} = {total}` asks for {relation} nodes than there are");
    let label = format!("the fleet has {} at this point", in_words(members));
    let span: Range<usize> = event.span.clone();
    let help = format!("`{name}` gives the total after the event; `{other}` goes the other way");
    Diagnostic::new(message, span).label(label).help(help)
}

fn refusal(error: &PlacementError, event: &Event) -> Diagnostic {
    let diagnostic = Diagnostic::new(error.to_string(), event.span.clone());
    match error {
        PlacementError::Limit { .. } => diagnostic.limit(),
        _ => diagnostic.label("after this event"),
    }
}

fn in_words(count: usize) -> String {
    if count == 1 { "1 node".into() } else { format!("{count} nodes") }
}
