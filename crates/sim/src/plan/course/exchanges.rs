//! Nodes that are replaced, and nodes that only change their names.

use std::collections::BTreeSet;

use placelab_core::{Change, Node, NodeId, NodeName};

use super::{Absence, Course, Errors, Outcome, about, all};
use crate::diagnostics::{Diagnostic, quoted};
use crate::scenario::{Event, Named, Renaming, Template};

impl Course<'_> {
    /// Every old node goes, then the new ones join in the order of the file.
    pub(super) fn replace(&mut self, pairs: &[(Named, Named)]) -> Result<Outcome, Errors> {
        let at = self.member_positions();
        let leaving: BTreeSet<&NodeName> = pairs.iter().map(|(old, _)| &old.name).collect();
        let (mut positions, mut joining, mut returned) = (Vec::new(), Vec::new(), Vec::new());
        let (mut errors, mut seen) = (Vec::new(), BTreeSet::new());
        for (old, new) in pairs {
            let position = self.member(&at, old).map_err(|error| errors.push(error));
            let id = self.names.of(&new.name);
            let away = self.away.get(&id);
            let reason = match leaving.contains(&new.name) {
                true => Some("it leaves in the same event"),
                false => self.no_entry(id, away, !seen.insert(id)),
            };
            errors.extend(reason.map(|reason| about(new, "cannot join", reason)));
            returned.extend(away.map(|_| id));
            let Ok(position) = position else { continue };
            positions.push(position);
            let old = &self.roster.nodes()[position];
            joining.push(Change::Add(Node { id, name: new.name.clone(), ..old.clone() }));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut outcome = self.remove(positions, Absence::Left);
        outcome.changes.extend(joining);
        Ok(Outcome { returned, ..outcome })
    }

    /// Names need to be distinct only when all is done: nodes may swap theirs.
    pub(super) fn rename(&self, renaming: &Renaming, event: &Event) -> Result<Outcome, Errors> {
        let wanted = match renaming {
            Renaming::Pairs(pairs) => self.by_pairs(pairs)?,
            Renaming::Every(template) => self.by_template(template, event)?,
        };
        let moving: BTreeSet<NodeId> = wanted.iter().map(|(node, _)| node.id).collect();
        let (mut taken, mut errors) = (BTreeSet::new(), Vec::new());
        for (_, new) in &wanted {
            errors.extend(self.no_name(new, &moving, !taken.insert(&new.name)));
        }
        // A template stands at one place for every node: one error is enough.
        errors.dedup_by_key(|error| error.span.clone());
        if !errors.is_empty() {
            return Err(errors);
        }
        let is_new = |(node, new): &(&Node, Named)| node.name != new.name;
        let change = |(node, new): (&Node, Named)| Change::Rename(node.id, new.name);
        let changes = wanted.into_iter().filter(is_new).map(change).collect();
        Ok(Outcome { changes, ..Outcome::default() })
    }

    fn by_pairs(&self, pairs: &[(Named, Named)]) -> Result<Vec<(&Node, Named)>, Errors> {
        let at = self.member_positions();
        let node = |old: &Named| self.member(&at, old).map(|at| &self.roster.nodes()[at]);
        all(pairs.iter().map(|(old, new)| Ok((node(old)?, new.clone()))).collect())
    }

    fn by_template(&self, to: &Template, event: &Event) -> Result<Vec<(&Node, Named)>, Errors> {
        let new_name = |node: &'_ Node| {
            let span = event.span.clone();
            to.name(&node.name).map(|name| Named { name, span: span.clone() }).map_err(|error| {
                let message = format!("{} cannot be renamed: {error}", quoted(node.name.as_str()));
                vec![Diagnostic::new(message, span)]
            })
        };
        self.roster.nodes().iter().map(|node| Ok((node, new_name(node)?))).collect()
    }

    /// Why nobody can go by this name when those who are `moving` have given up theirs.
    fn no_name(&self, new: &Named, moving: &BTreeSet<NodeId>, twice: bool) -> Option<Diagnostic> {
        let shown = quoted(new.name.as_str());
        let error = |message: String| Diagnostic::new(message, new.span.clone());
        let holder = self.names.find(&new.name);
        if let Some(away) = holder.and_then(|id| self.away.get(&id)) {
            let how = if away.absence == Absence::Failed { "failed" } else { "left" };
            let error = error(format!("{shown} is the name of a node that {how} before"));
            return Some(error.label("that node could not come back"));
        }
        if holder.is_some_and(|id| self.present.contains(&id) && !moving.contains(&id)) {
            let error = error(format!("{shown} is in the fleet already"));
            return Some(error.label("another node keeps this name"));
        }
        twice.then(|| error(format!("two nodes would be called {shown}")).label("the second one"))
    }
}
