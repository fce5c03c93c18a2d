//! One timeline as it unfolds: who is there, who is away, what an event makes of that.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use placelab_core::{Change, CopyRule, Identities, Node, NodeId, PlacementError, Roster};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::naming::Naming;
use super::{PlannedStep, Totals};
use crate::diagnostics::{Diagnostic, quoted};
use crate::scenario::{Domains, Event, Fleet, Joining, Named, Verb};

mod arrivals;
mod departures;
mod exchanges;
mod rolling;
mod zones;

/// The state of a timeline.
pub(super) struct Course<'a> {
    names: Naming<'a>,
    roster: Arc<Roster>,
    present: BTreeSet<NodeId>,
    away: BTreeMap<NodeId, Away>,
    /// Number of the next node that joins by count.
    next: u32,
    domains: Domains,
    copies: CopyRule,
    rehashes: u32,
}

struct Away {
    node: Node,
    absence: Absence,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Absence {
    Failed,
    #[default]
    Left,
}

/// What an event makes of a roster.
#[derive(Default)]
struct Outcome {
    changes: Vec<Change>,
    gone: Vec<NodeId>,
    /// How those who are gone went.
    absence: Absence,
    returned: Vec<NodeId>,
}

type Errors = Vec<Diagnostic>;

impl<'a> Course<'a> {
    /// A timeline before its first event.
    pub(super) fn new(fleet: &Fleet, roster: Arc<Roster>, names: &'a mut Identities) -> Self {
        Course {
            names: Naming::new(names),
            present: roster.nodes().iter().map(|node| node.id).collect(),
            roster,
            away: BTreeMap::new(),
            next: fleet.nodes.len() as u32,
            domains: fleet.domains,
            copies: fleet.copies,
            rehashes: 0,
        }
    }

    /// The members now.
    pub(super) fn roster(&self) -> &Arc<Roster> {
        &self.roster
    }

    /// Lets an event happen: one step, or several where it is a rolling one.
    ///
    /// # Errors
    /// Everything that stands in its way; the state is then no longer of use.
    pub(super) fn steps(
        &mut self,
        event: &Event,
        generator: Xoshiro256PlusPlus,
        totals: &mut Totals,
    ) -> Result<Vec<PlannedStep>, Errors> {
        let outcome = match &*event.verb {
            Verb::Join(Joining::Count(count)) => self.join_numbered(*count as usize, event)?,
            Verb::Join(Joining::Nodes(nodes)) => self.join_named(nodes)?,
            Verb::Leave(picked) => self.depart(picked, Absence::Left, event, generator)?,
            Verb::Fail(picked) => self.depart(picked, Absence::Failed, event, generator)?,
            Verb::Recover(picked) => self.recover(picked, event, generator)?,
            Verb::Grow(total) => self.grow(*total, event)?,
            Verb::Shrink(total) => self.shrink(*total, event)?,
            Verb::Reweight(weights) => self.reweight(weights)?,
            Verb::Rolling(size) => return self.roll(*size as usize, event, totals),
            Verb::ZoneFail(zones) => self.zone_fail(zones, event)?,
            Verb::ZoneRecover(zones) => self.zone_recover(zones, event)?,
            Verb::Replace(pairs) => self.replace(pairs)?,
            Verb::Rename(renaming) => self.rename(renaming, event)?,
            Verb::Rehash => {
                self.rehashes += 1;
                Outcome::default()
            }
        };
        let step = self.take(outcome, event, event.label.clone(), event.verb.name())?;
        totals.add(event, 1, step.after.len() as u64)?;
        Ok(vec![step])
    }

    /// Makes a step of an outcome.
    fn take(
        &mut self,
        outcome: Outcome,
        event: &Event,
        label: String,
        verb: &'static str,
    ) -> Result<PlannedStep, Errors> {
        let before = self.roster.clone();
        let after = before.after(&outcome.changes).map_err(|error| vec![refusal(&error, event)])?;
        self.copies.check(&after).map_err(|error| {
            let label = match error {
                PlacementError::TooFewDomains { kind, found, .. } => {
                    format!("leaves {kind}: {found}")
                }
                _ => {
                    format!("leaves {} of positive weight", in_words(after.serving().count()))
                }
            };
            vec![Diagnostic::new(error.to_string(), event.span.clone()).label(label)]
        })?;
        self.account_for(&before, &outcome);
        self.roster = Arc::new(after);
        Ok(PlannedStep {
            label,
            verb,
            changes: outcome.changes,
            before,
            after: self.roster.clone(),
            gone: outcome.gone,
            returned: outcome.returned,
            rehashes: self.rehashes,
        })
    }

    fn account_for(&mut self, before: &Roster, outcome: &Outcome) {
        let absence = outcome.absence;
        let gone: BTreeSet<NodeId> = outcome.gone.iter().copied().collect();
        for node in before.nodes().iter().filter(|node| gone.contains(&node.id)) {
            self.present.remove(&node.id);
            self.away.insert(node.id, Away { node: node.clone(), absence });
        }
        let mut new_names = BTreeMap::new();
        for change in &outcome.changes {
            match change {
                Change::Add(node) => {
                    self.away.remove(&node.id);
                    self.present.insert(node.id);
                }
                Change::Rename(id, name) => {
                    new_names.insert(*id, name);
                }
                Change::Remove(_) | Change::Reweight(..) => {}
            }
        }
        let renamed = before
            .nodes()
            .iter()
            .filter_map(|node| new_names.get(&node.id).map(|&name| (node.id, &node.name, name)));
        self.names.rename(&renamed.collect::<Vec<_>>());
    }
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
    let help = format!("`{name}` gives the total after the event; `{other}` goes the other way");
    Diagnostic::new(message, event.span.clone()).label(label).help(help)
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
