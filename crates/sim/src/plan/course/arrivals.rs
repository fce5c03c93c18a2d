//! Who comes: nodes that join, and nodes that failed and are back.

use std::collections::BTreeSet;

use placelab_core::{Change, Node, NodeId, NodeName, Roster, Weight};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Absence, Away, Course, Errors, Outcome, about, in_words, wrong_total};
use crate::diagnostics::Diagnostic;
use crate::plan::picks;
use crate::scenario::{Event, Named, NewNode, Picked};

impl Outcome {
    /// Nodes that are back at the end of the roster.
    pub(super) fn back<'n>(nodes: impl IntoIterator<Item = &'n Node>) -> Self {
        let changes: Vec<Change> = nodes.into_iter().cloned().map(Change::Add).collect();
        let returned = changes.iter().map(Change::id).collect();
        Outcome { changes, returned, ..Outcome::default() }
    }
}

impl Course<'_> {
    pub(super) fn grow(&mut self, total: u32, event: &Event) -> Result<Outcome, Errors> {
        match (total as usize).checked_sub(self.roster.len()) {
            Some(count) => self.join_numbered(count, event),
            None => Err(vec![wrong_total(event, total, self.roster.len(), "shrink", "fewer")]),
        }
    }

    pub(super) fn join_numbered(&mut self, count: usize, event: &Event) -> Result<Outcome, Errors> {
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
            let (zone, rack) = self.domains.of(number);
            outcome.changes.push(Change::Add(Node { id, name, weight: Weight::ONE, zone, rack }));
        }
        Ok(outcome)
    }

    pub(super) fn join_named(&mut self, nodes: &[NewNode]) -> Result<Outcome, Errors> {
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
                rack: new.rack.clone().or_else(|| before.and_then(|node| node.rack.clone())),
            }));
        }
        if errors.is_empty() { Ok(outcome) } else { Err(errors) }
    }

    /// Why a node cannot join, which is `away` or that the event names `twice`.
    pub(super) fn no_entry(
        &self,
        id: NodeId,
        away: Option<&Away>,
        twice: bool,
    ) -> Option<&'static str> {
        match away {
            _ if twice => Some("it stands there twice"),
            _ if self.present.contains(&id) => Some("it is in the fleet already"),
            Some(Away { absence: Absence::Failed, .. }) => {
                Some("it failed; `recover` brings it back")
            }
            _ => None,
        }
    }

    pub(super) fn recover(
        &self,
        picked: &Picked,
        event: &Event,
        generator: Xoshiro256PlusPlus,
    ) -> Result<Outcome, Errors> {
        let failed: Vec<&Node> = self.failed().collect();
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
        Ok(Outcome::back(back))
    }

    /// Nodes that failed and have not recovered, by identity.
    pub(super) fn failed(&self) -> impl Iterator<Item = &Node> {
        let failed = self.away.values().filter(|away| away.absence == Absence::Failed);
        failed.map(|away| &away.node)
    }

    fn failed_by_name(&self, names: &[Named]) -> Result<Vec<&Node>, Errors> {
        let (mut found, mut errors, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
        for named in names {
            let id = self.names.find(&named.name);
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
}
