//! Who is called what in one timeline.

use std::collections::{BTreeMap, BTreeSet};

use placelab_core::{Identities, NodeId, NodeName};

/// The names of one timeline: those of the run, except where nodes were renamed. Only the
/// exceptions are kept, so that a timeline without any costs nothing.
pub(super) struct Naming<'a> {
    identities: &'a mut Identities,
    /// Names that stand for another machine here than in the run.
    here: BTreeMap<NodeName, NodeId>,
    /// Machines that no longer go by the name that the run knows them by.
    otherwise: BTreeSet<NodeId>,
}

impl<'a> Naming<'a> {
    /// The names of a timeline before its first event.
    pub(super) fn new(identities: &'a mut Identities) -> Self {
        Naming { identities, here: BTreeMap::new(), otherwise: BTreeSet::new() }
    }

    /// The machine that goes by this name, where one is known.
    pub(super) fn find(&self, name: &NodeName) -> Option<NodeId> {
        let here = self.here.get(name).copied();
        let of_the_run = || self.identities.find(name.as_str());
        here.or_else(|| of_the_run().filter(|id| !self.otherwise.contains(id)))
    }

    /// The machine that went by this name before it was renamed.
    pub(super) fn former(&self, name: &NodeName) -> Option<NodeId> {
        let id = self.identities.find(name.as_str())?;
        self.otherwise.contains(&id).then_some(id)
    }

    /// The machine that goes by this name, or a new one.
    pub(super) fn of(&mut self, name: &NodeName) -> NodeId {
        if let Some(&id) = self.here.get(name) {
            return id;
        }
        let id = self.identities.of(name);
        if !self.otherwise.contains(&id) {
            return id;
        }
        let id = self.identities.another(name);
        self.here.insert(name.clone(), id);
        id
    }

    /// Gives machines other names, all at the same time: old and new name of each.
    pub(super) fn rename(&mut self, renamed: &[(NodeId, &NodeName, &NodeName)]) {
        for (_, old, _) in renamed {
            self.here.remove(*old);
        }
        for &(id, _, new) in renamed {
            if self.identities.find(new.as_str()) == Some(id) {
                self.otherwise.remove(&id);
            } else {
                self.otherwise.insert(id);
                self.here.insert(new.clone(), id);
            }
        }
    }
}
