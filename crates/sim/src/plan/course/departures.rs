//! Who goes, and how the members that an event names are found.

use std::collections::{BTreeMap, BTreeSet};

use placelab_core::{Change, NodeId, Weight};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Absence, Course, Errors, Outcome, about, all, in_words, wrong_total};
use crate::diagnostics::{Diagnostic, quoted};
use crate::plan::picks;
use crate::scenario::{Event, Named, Picked, nearest};

impl Course<'_> {
    pub(super) fn depart(
        &self,
        picked: &Picked,
        absence: Absence,
        event: &Event,
        generator: Xoshiro256PlusPlus,
    ) -> Result<Outcome, Errors> {
        let positions = match picked {
            Picked::Names(names) => self.positions(names)?,
            Picked::Count(count) => {
                let (count, members) = (*count as usize, self.roster.len());
                self.must_remain(members.saturating_sub(count), event)?;
                picks::pick(generator, members, count)
            }
        };
        Ok(self.remove(positions, absence))
    }

    pub(super) fn shrink(&self, total: u32, event: &Event) -> Result<Outcome, Errors> {
        let members = self.roster.len();
        self.must_remain(total as usize, event)?;
        if total as usize > members {
            return Err(vec![wrong_total(event, total, members, "grow", "more")]);
        }
        Ok(self.remove((total as usize..members).collect(), Absence::Left))
    }

    /// Removals from the tail inward: a set that is the tail asks no more of a scheme than
    /// shrinking does, in whatever order it was written.
    pub(super) fn remove(&self, mut positions: Vec<usize>, absence: Absence) -> Outcome {
        positions.sort_unstable();
        let gone: Vec<NodeId> =
            positions.into_iter().map(|at| self.roster.nodes()[at].id).collect();
        let changes = gone.iter().rev().map(|&id| Change::Remove(id)).collect();
        Outcome { changes, gone, absence, returned: Vec::new() }
    }

    pub(super) fn must_remain(&self, remaining: usize, event: &Event) -> Result<(), Errors> {
        if remaining > 0 {
            return Ok(());
        }
        let message = format!("`{}` leaves nobody in the fleet", event.verb.name());
        let label = format!("the fleet has {} at this point", in_words(self.roster.len()));
        Err(vec![Diagnostic::new(message, event.span.clone()).label(label)])
    }

    pub(super) fn reweight(&self, weights: &[(Named, Weight)]) -> Result<Outcome, Errors> {
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

    pub(super) fn member(
        &self,
        at: &BTreeMap<NodeId, usize>,
        named: &Named,
    ) -> Result<usize, Diagnostic> {
        let id = self.names.find(&named.name);
        if let Some(&position) = id.and_then(|id| at.get(&id)) {
            return Ok(position);
        }
        let absence = id.and_then(|id| self.away.get(&id)).map(|away| away.absence);
        let message = format!("{} is not in the fleet", quoted(named.name.as_str()));
        let error = Diagnostic::new(message, named.span.clone());
        Err(match absence {
            Some(Absence::Failed) => error.label("failed before").help("`recover` brings it back"),
            Some(Absence::Left) => error.label("left before").help("`join` brings it back"),
            None => match self.guess(named) {
                Some(help) => error.label("no such node at this point").help(help),
                None => error.label("no such node at this point"),
            },
        })
    }

    /// Who may be meant by a name that nobody goes by.
    fn guess(&self, named: &Named) -> Option<String> {
        let renamed = self.names.former(&named.name).and_then(|id| self.roster.get(id));
        if let Some(node) = renamed {
            return Some(format!("it is called {} now", quoted(node.name.as_str())));
        }
        let names = self.roster.nodes().iter().map(|node| node.name.as_str());
        let near = nearest(named.name.as_str(), names)?;
        Some(format!("did you mean {}?", quoted(near)))
    }

    pub(super) fn member_positions(&self) -> BTreeMap<NodeId, usize> {
        self.roster.nodes().iter().enumerate().map(|(at, node)| (node.id, at)).collect()
    }
}
