//! Copies of a key: which of its candidates hold them.
//!
//! A scheme has an order of preference for each key ([`Placement::candidates`]); a [`CopyRule`]
//! says how many of them hold a copy, and whether copies keep to different failure domains. The
//! choice is that of a walk which passes over candidates whose zone has a copy until every zone
//! has one, then over those whose rack has one, and only then takes who was passed over, in order:
//! what Cassandra's network topology strategy does with racks, for any scheme.
//!
//! ```
//! use placelab_core::{CopyRule, DomainRule, PlacementError, Roster};
//! let roster = Roster::numbered(4)?;
//! assert!(CopyRule::plain(4).chooser(&roster).is_ok());
//! let error = CopyRule::plain(5).chooser(&roster).err();
//! assert_eq!(error, Some(PlacementError::TooFewNodes { asked: 5, serving: 4 }));
//! # Ok::<(), PlacementError>(())
//! ```

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::error::PlacementError;
use crate::key::{Key, Keys};
use crate::node::{Domain, Node, NodeId};
use crate::placement::Placement;
use crate::roster::Roster;

/// What copies have to do with the failure domains of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DomainRule {
    /// Nothing.
    #[default]
    Ignore,
    /// No two copies in one domain while another has none.
    Prefer,
    /// No two copies in one domain; a fleet with fewer domains than copies is refused.
    Spread,
}

impl DomainRule {
    /// Every rule.
    pub const ALL: [DomainRule; 3] = [DomainRule::Ignore, DomainRule::Prefer, DomainRule::Spread];

    /// The name in files, options and reports.
    pub fn name(self) -> &'static str {
        match self {
            DomainRule::Ignore => "ignore",
            DomainRule::Prefer => "prefer",
            DomainRule::Spread => "spread",
        }
    }
}

/// How many copies of a key there are, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CopyRule {
    /// Copies of a key, each on a node of its own.
    pub count: usize,
    /// What they have to do with zones.
    pub zones: DomainRule,
    /// What they have to do with racks; those of different zones are different.
    pub racks: DomainRule,
}

impl CopyRule {
    /// So many copies, wherever they come.
    pub fn plain(count: usize) -> Self {
        CopyRule { count, zones: DomainRule::Ignore, racks: DomainRule::Ignore }
    }

    /// Whether a fleet can hold the copies.
    ///
    /// # Errors
    /// [`PlacementError::TooFewNodes`] where it has fewer nodes of positive weight than copies;
    /// [`PlacementError::TooFewDomains`] where these are in fewer zones or racks, and copies have
    /// to spread.
    pub fn check(&self, roster: &Roster) -> Result<(), PlacementError> {
        self.chooser(roster).map(|_| ())
    }

    /// What chooses the copies in a fleet.
    ///
    /// # Errors
    /// Those of [`CopyRule::check`].
    pub fn chooser(&self, roster: &Roster) -> Result<CopyChooser, PlacementError> {
        let serving = roster.serving().count();
        if serving < self.count {
            return Err(PlacementError::TooFewNodes { asked: self.count, serving });
        }
        let mut levels = Vec::new();
        let kinds: [(_, _, fn(&Node) -> Domains<'_>); 2] = [
            ("zones", self.zones, |node| (node.zone.as_ref(), None)),
            ("racks", self.racks, |node| (node.zone.as_ref(), node.rack.as_ref())),
        ];
        for (kind, rule, domains) in kinds {
            if rule == DomainRule::Ignore {
                continue;
            }
            let level = Level::new(roster, domains);
            if rule == DomainRule::Spread && level.count < self.count {
                let (asked, found) = (self.count, level.count);
                return Err(PlacementError::TooFewDomains { kind, asked, found });
            }
            levels.push(level);
        }
        Ok(CopyChooser { count: self.count, levels })
    }
}

/// Zone and rack of a node, as far as a level looks at them.
type Domains<'a> = (Option<&'a Domain>, Option<&'a Domain>);

/// The failure domains of one kind in a fleet.
#[derive(Clone, Debug)]
struct Level {
    /// The number of each node's domain, by identity.
    domains: Vec<u32>,
    /// Domains with a node of positive weight.
    count: usize,
}

impl Level {
    /// A node of which no domain is known is a domain of its own.
    fn new(roster: &Roster, domains: fn(&Node) -> Domains<'_>) -> Self {
        let mut numbers = BTreeMap::new();
        let mut by_id = Vec::new();
        for node in roster.serving() {
            let (zone, rack) = domains(node);
            let unknown = (zone.is_none() && rack.is_none()).then_some(node.id);
            let next = numbers.len() as u32;
            let number = *numbers.entry((zone, rack, unknown)).or_insert(next);
            if by_id.len() <= node.id.index() {
                by_id.resize(node.id.index() + 1, u32::MAX);
            }
            by_id[node.id.index()] = number;
        }
        Level { domains: by_id, count: numbers.len() }
    }

    fn of(&self, node: NodeId) -> u32 {
        self.domains[node.index()]
    }
}

/// Chooses the copies of keys in one fleet.
#[derive(Clone, Debug)]
pub struct CopyChooser {
    count: usize,
    levels: Vec<Level>,
}

impl CopyChooser {
    /// Copies of a key.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The nodes that hold the copies of a key, the owner first. The placement must be of the
    /// fleet that this is for.
    pub fn choose(&self, placement: &dyn Placement, key: Key<'_>, chosen: &mut [NodeId]) {
        let mut walk = Walk { levels: &self.levels, chosen, filled: 0, passed: Vec::new() };
        if walk.chosen.is_empty() {
            return;
        }
        placement.candidates(key, &mut |node| walk.meet(node));
        assert_eq!(walk.filled, walk.chosen.len(), "candidates are all nodes of positive weight");
    }

    /// The copies of a batch of keys, one key after the other. Panics where `out` is shorter.
    pub fn choose_many(&self, placement: &dyn Placement, keys: Keys<'_>, out: &mut [NodeId]) {
        let rows = out.chunks_exact_mut(self.count).take(keys.hashes.len());
        rows.enumerate().for_each(|(index, row)| self.choose(placement, keys.get(index), row));
    }
}

/// The choice for one key as its candidates come.
struct Walk<'a> {
    /// The kinds of domains that still count.
    levels: &'a [Level],
    chosen: &'a mut [NodeId],
    filled: usize,
    /// Candidates that were passed over, in order.
    passed: Vec<NodeId>,
}

impl Walk<'_> {
    #[inline]
    fn meet(&mut self, node: NodeId) -> ControlFlow<()> {
        if !self.is_welcome(node) {
            self.passed.push(node);
            return ControlFlow::Continue(());
        }
        self.take(node);
        while self.filled < self.chosen.len() && self.is_covered() {
            self.levels = &self.levels[1..];
            for node in std::mem::take(&mut self.passed) {
                match self.filled < self.chosen.len() && self.is_welcome(node) {
                    true => self.take(node),
                    false => self.passed.push(node),
                }
            }
        }
        if self.filled < self.chosen.len() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn take(&mut self, node: NodeId) {
        self.chosen[self.filled] = node;
        self.filled += 1;
    }

    /// Whether no copy is in the node's domain yet.
    #[inline]
    fn is_welcome(&self, node: NodeId) -> bool {
        let Some(level) = self.levels.first() else { return true };
        let domain = level.of(node);
        self.chosen[..self.filled].iter().all(|chosen| level.of(*chosen) != domain)
    }

    /// Whether every domain of the kind that counts has a copy: all copies so far are in different
    /// ones, since those in different zones are in different racks.
    fn is_covered(&self) -> bool {
        self.levels.first().is_some_and(|level| self.filled == level.count)
    }
}

/// The owner and the next nodes in order of preference, `count` in all.
///
/// # Errors
/// Those of [`CopyRule::check`].
pub fn replicas(
    placement: &dyn Placement,
    key: Key<'_>,
    count: usize,
) -> Result<Vec<NodeId>, PlacementError> {
    let chooser = CopyRule::plain(count).chooser(placement.roster())?;
    let mut chosen = vec![NodeId::NOBODY; count];
    chooser.choose(placement, key, &mut chosen);
    Ok(chosen)
}
