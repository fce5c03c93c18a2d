//! Whole zones: failure domains that go and come back at once.

use std::collections::{BTreeMap, BTreeSet};

use placelab_core::{Domain, Node};

use super::{Absence, Course, Errors, Outcome};
use crate::diagnostics::{Diagnostic, quoted};
use crate::scenario::{Event, Named, among};

/// How many nodes of a zone there are.
#[derive(Clone, Copy, Default)]
struct Population {
    members: usize,
    failed: usize,
}

impl Course<'_> {
    pub(super) fn zone_fail(&self, zones: &[Named], event: &Event) -> Result<Outcome, Errors> {
        let asked = self.asked(zones, event, |zone, population| {
            (population.members == 0).then(|| {
                let message = format!("zone {} has no member at this point", quoted(zone));
                (message, "all of it failed before", "`zone_recover` brings it back")
            })
        })?;
        let nodes = self.roster.nodes();
        let positions = (0..nodes.len()).filter(|&at| is_in(&asked, &nodes[at])).collect();
        Ok(self.remove(positions, Absence::Failed))
    }

    pub(super) fn zone_recover(&self, zones: &[Named], event: &Event) -> Result<Outcome, Errors> {
        let asked = self.asked(zones, event, |zone, population| {
            (population.failed == 0).then(|| {
                let message = format!("zone {} cannot recover", quoted(zone));
                let help = "`zone_fail` and `fail` are what nodes recover from";
                (message, "no node of it has failed at this point", help)
            })
        })?;
        Ok(Outcome::back(self.failed().filter(|node| is_in(&asked, node))))
    }

    /// The zones that an event names; `idle` gives message, label and help where the event makes
    /// no sense for one.
    fn asked<'z>(
        &self,
        zones: &'z [Named],
        event: &Event,
        idle: impl Fn(&str, Population) -> Option<(String, &'static str, &'static str)>,
    ) -> Result<BTreeSet<&'z Domain>, Errors> {
        let known = self.populations();
        if known.is_empty() {
            let help = "deal them out with `zones = Z` in [fleet], or give each node its `zone`";
            let error = Diagnostic::new("this fleet has no zones", event.span.clone());
            return Err(vec![error.help(help)]);
        }
        let (mut asked, mut errors) = (BTreeSet::new(), Vec::new());
        for named in zones {
            let (zone, error) = (&named.name, |text| Diagnostic::new(text, named.span.clone()));
            let shown = quoted(zone.as_str());
            let Some(&population) = known.get(zone) else {
                let help = among(zone.as_str(), known.keys().map(|zone| zone.as_str()));
                errors.push(error(format!("no zone is called {shown} at this point")).help(help));
                continue;
            };
            if !asked.insert(zone) {
                let twice = error(format!("zone {shown} stands there twice"));
                errors.push(twice.label("the second one"));
            } else if let Some((message, label, help)) = idle(zone.as_str(), population) {
                errors.push(error(message).label(label).help(help));
            }
        }
        if errors.is_empty() { Ok(asked) } else { Err(errors) }
    }

    /// The zones of members and of nodes that failed.
    fn populations(&self) -> BTreeMap<&Domain, Population> {
        let mut known: BTreeMap<&Domain, Population> = BTreeMap::new();
        for zone in self.roster.nodes().iter().filter_map(|node| node.zone.as_ref()) {
            known.entry(zone).or_default().members += 1;
        }
        for zone in self.failed().filter_map(|node| node.zone.as_ref()) {
            known.entry(zone).or_default().failed += 1;
        }
        known
    }
}

fn is_in(zones: &BTreeSet<&Domain>, node: &Node) -> bool {
    node.zone.as_ref().is_some_and(|zone| zones.contains(zone))
}
