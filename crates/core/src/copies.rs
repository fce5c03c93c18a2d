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
        type Index = fn(&Roster) -> DomainIndex;
        let kinds: [(_, _, Index); 2] =
            [("zones", self.zones, DomainIndex::zones), ("racks", self.racks, DomainIndex::racks)];
        let heeded = kinds.into_iter().filter(|(_, rule, _)| *rule != DomainRule::Ignore);
        let levels = heeded.map(|(kind, rule, index)| Level { kind, rule, index: index(roster) });
        let serving = roster.serving().count();
        let chooser = CopyChooser { count: self.count, serving, levels: levels.collect() };
        chooser.check_without(&[])?;
        Ok(chooser)
    }
}

/// Zone and rack of a node, as far as a level looks at them.
type Domains<'a> = (Option<&'a Domain>, Option<&'a Domain>);

/// The failure domains of one kind in a fleet, numbered.
#[derive(Clone, Debug)]
pub struct DomainIndex {
    /// The number of each node's domain, by identity.
    domains: Vec<u32>,
    /// How many nodes of positive weight each domain has.
    members: Vec<u32>,
}

impl DomainIndex {
    /// The zones of a roster; a node without one is a zone of its own.
    pub fn zones(roster: &Roster) -> Self {
        Self::new(roster, |node| (node.zone.as_ref(), None))
    }

    /// The racks of a roster, those of different zones apart; a node without zone and rack is a
    /// rack of its own.
    pub fn racks(roster: &Roster) -> Self {
        Self::new(roster, |node| (node.zone.as_ref(), node.rack.as_ref()))
    }

    fn new(roster: &Roster, domains: fn(&Node) -> Domains<'_>) -> Self {
        let mut numbers = BTreeMap::new();
        let (mut by_id, mut members) = (Vec::new(), Vec::new());
        for node in roster.serving() {
            let (zone, rack) = domains(node);
            let unknown = (zone.is_none() && rack.is_none()).then_some(node.id);
            let next = numbers.len() as u32;
            let number = *numbers.entry((zone, rack, unknown)).or_insert(next);
            if by_id.len() <= node.id.index() {
                by_id.resize(node.id.index() + 1, u32::MAX);
            }
            by_id[node.id.index()] = number;
            members.resize(numbers.len(), 0);
            members[number as usize] += 1;
        }
        DomainIndex { domains: by_id, members }
    }

    /// The number of the domain of a node of positive weight. Panics for any other.
    #[inline]
    pub fn of(&self, node: NodeId) -> u32 {
        self.domains[node.index()]
    }

    /// Domains that have a node of positive weight once these distinct nodes are gone.
    fn count_without(&self, gone: &[NodeId]) -> usize {
        let is_emptied = |(at, node): (usize, &NodeId)| {
            let is_here = |other: &&NodeId| self.of(**other) == self.of(*node);
            // Each domain counts once: at the last of its nodes.
            !gone[at + 1..].iter().any(|other| is_here(&other))
                && gone.iter().filter(is_here).count() as u32
                    == self.members[self.of(*node) as usize]
        };
        self.members.len() - gone.iter().enumerate().filter(|one| is_emptied(*one)).count()
    }
}

/// A kind of domain that copies heed.
#[derive(Clone, Debug)]
struct Level {
    /// `zones` or `racks`.
    kind: &'static str,
    rule: DomainRule,
    index: DomainIndex,
}

/// Chooses the copies of keys in one fleet.
#[derive(Clone, Debug)]
pub struct CopyChooser {
    count: usize,
    /// Nodes of positive weight.
    serving: usize,
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
        match chosen {
            [] => return,
            [owner] => {
                *owner = placement.place(key);
                return;
            }
            _ => {}
        }
        let mut walk = self.walk(&[], chosen);
        placement.candidates(key, &mut |node| walk.meet(node));
        assert_eq!(walk.filled, walk.chosen.len(), "candidates are all nodes of positive weight");
    }

    /// Whether the fleet can hold the copies once these distinct nodes of positive weight are gone.
    ///
    /// # Errors
    /// Those of [`CopyRule::check`].
    pub fn check_without(&self, gone: &[NodeId]) -> Result<(), PlacementError> {
        let (asked, serving) = (self.count, self.serving - gone.len());
        if serving < asked {
            return Err(PlacementError::TooFewNodes { asked, serving });
        }
        for Level { kind, rule, index } in &self.levels {
            let found = index.count_without(gone);
            if *rule == DomainRule::Spread && found < asked {
                return Err(PlacementError::TooFewDomains { kind, asked, found });
            }
        }
        Ok(())
    }

    /// Whether copies heed zones or racks.
    pub fn heeds_domains(&self) -> bool {
        !self.levels.is_empty()
    }

    /// The copies that the fleet without some nodes would choose, had it the same order of
    /// preference. False where these first candidates do not tell. `gone` are distinct nodes that
    /// [`CopyChooser::check_without`] lets go.
    pub fn choose_without(
        &self,
        candidates: &[NodeId],
        gone: &[NodeId],
        chosen: &mut [NodeId],
    ) -> bool {
        let mut walk = self.walk(gone, chosen);
        let mut stay = candidates.iter().filter(|node| !gone.contains(node));
        stay.any(|node| walk.meet(*node).is_break())
    }

    fn walk<'a>(&'a self, gone: &'a [NodeId], chosen: &'a mut [NodeId]) -> Walk<'a> {
        Walk { levels: &self.levels, gone, chosen, filled: 0, passed: Vec::new() }
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
    /// Nodes that are gone from the fleet, and no candidates.
    gone: &'a [NodeId],
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
        let domain = level.index.of(node);
        self.chosen[..self.filled].iter().all(|chosen| level.index.of(*chosen) != domain)
    }

    /// Whether every domain of the kind that counts has a copy: all copies so far are in different
    /// ones, since those in different zones are in different racks.
    fn is_covered(&self) -> bool {
        let level = self.levels.first();
        level.is_some_and(|level| self.filled == level.index.count_without(self.gone))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::PlacementError;
    use crate::node::{NodeName, Weight};
    use crate::placement::{Footprint, Scheme};
    use crate::roster::Change;
    use crate::trace::Trace;

    /// A scheme whose order of preference is the roster's, turned by the key.
    #[derive(Clone)]
    struct Turned(Roster);

    impl Scheme for Turned {
        fn roster(&self) -> &Roster {
            &self.0
        }

        fn adopt(&mut self, next: Roster, _: &[Change]) -> Result<(), PlacementError> {
            self.0 = next;
            Ok(())
        }

        fn footprint(&self) -> Footprint {
            Footprint::default()
        }
    }

    impl Placement for Turned {
        fn place(&self, key: Key<'_>) -> NodeId {
            order(&self.0, key)[0]
        }

        fn trace(&self, key: Key<'_>, _: &mut dyn Trace) -> NodeId {
            self.place(key)
        }

        fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
            let _ = order(&self.0, key).into_iter().try_for_each(visit);
        }

        fn fork(&self) -> Box<dyn Placement> {
            Box::new(self.clone())
        }
    }

    fn order(roster: &Roster, key: Key<'_>) -> Vec<NodeId> {
        let mut ids = roster.serving_ids();
        let turn = key.hash.0 as usize % ids.len();
        ids.rotate_left(turn);
        ids
    }

    /// Nodes at `zone/rack`, the last one draining.
    fn fleet(places: &[&str]) -> Roster {
        let node = |(index, place): (usize, &&str)| {
            let (zone, rack) = place.split_once('/').unwrap();
            let domain = |text: &str| (!text.is_empty()).then(|| NodeName::new(text).unwrap());
            let numbered = Roster::numbered_node(index as u32);
            Node { zone: domain(zone), rack: domain(rack), ..numbered }
        };
        let mut nodes: Vec<Node> = places.iter().enumerate().map(node).collect();
        nodes.last_mut().unwrap().weight = Weight::ZERO;
        Roster::new(nodes).unwrap()
    }

    fn chosen(roster: &Roster, rule: CopyRule, key: u64) -> Vec<u32> {
        let chooser = rule.chooser(roster).unwrap();
        let mut nodes = vec![NodeId::NOBODY; rule.count];
        chooser.choose(&Turned(roster.clone()), Key::hashed(key), &mut nodes);
        nodes.into_iter().map(|node| node.0).collect()
    }

    #[test]
    fn copies_keep_apart_as_far_as_they_can() {
        use DomainRule::{Ignore, Prefer, Spread};
        let roster = fleet(&["a/1", "a/1", "a/2", "b/1", "b/1", "c/9"]);
        let rule = |count, zones, racks| CopyRule { count, zones, racks };
        assert_eq!(chosen(&roster, rule(3, Ignore, Ignore), 0), [0, 1, 2]);
        assert_eq!(chosen(&roster, rule(2, Spread, Ignore), 0), [0, 3]);
        // Both zones have a copy: who was passed over comes next, in order.
        assert_eq!(chosen(&roster, rule(4, Prefer, Ignore), 0), [0, 3, 1, 2]);
        // Then racks count: node 2 is in another rack than node 0, node 1 is not.
        assert_eq!(chosen(&roster, rule(4, Prefer, Prefer), 0), [0, 3, 2, 1]);
        assert_eq!(chosen(&roster, rule(3, Ignore, Spread), 0), [0, 2, 3]);
        assert_eq!(chosen(&roster, rule(3, Prefer, Spread), 4), [4, 0, 2]);
        // The draining node is no candidate, and its zone is none.
        let errors = [rule(3, Spread, Ignore), rule(4, Ignore, Spread), rule(6, Ignore, Ignore)]
            .map(|rule| rule.check(&roster).unwrap_err());
        let few = |kind, asked, found| PlacementError::TooFewDomains { kind, asked, found };
        let nodes = PlacementError::TooFewNodes { asked: 6, serving: 5 };
        assert_eq!(errors, [few("zones", 3, 2), few("racks", 4, 3), nodes]);
    }

    /// The choice without some nodes is that of the fleet which they left.
    #[test]
    fn nodes_that_go_are_passed_over() {
        let places = ["a/1", "a/2", "b/1", "b/2", "c/1", "a/1", "b/2", "x/1"];
        let roster = fleet(&places);
        let rules = DomainRule::ALL.map(|z| DomainRule::ALL.map(|r| (z, r))).concat();
        for (count, (zones, racks)) in
            (1..=6).flat_map(|count| rules.iter().map(move |r| (count, *r)))
        {
            let Ok(chooser) = (CopyRule { count, zones, racks }).chooser(&roster) else { continue };
            for (a, b) in (0..7).flat_map(|a| (a..7).map(move |b| (a, b))) {
                let mut gone = vec![NodeId(a), NodeId(b)];
                gone.dedup();
                let changes: Vec<Change> = gone.iter().copied().map(Change::Remove).collect();
                let rule = CopyRule { count, zones, racks };
                let after = roster.after(&changes).unwrap();
                let (known, refused) = (chooser.check_without(&gone), rule.check(&after));
                assert_eq!(known, refused, "{rule:?} {gone:?}");
                for key in (0..7).filter(|_| known.is_ok()) {
                    let all = order(&roster, Key::hashed(key));
                    let (mut nodes, mut expected) =
                        (vec![NodeId::NOBODY; count], vec![NodeId::NOBODY; count]);
                    assert!(chooser.choose_without(&all, &gone, &mut nodes));
                    let stay: Vec<NodeId> =
                        all.iter().copied().filter(|n| !gone.contains(n)).collect();
                    assert!(rule.chooser(&after).unwrap().choose_without(
                        &stay,
                        &[],
                        &mut expected
                    ));
                    assert_eq!(nodes, expected, "{rule:?} {gone:?} {key}");
                    assert!(!chooser.choose_without(&all[..count - 1], &[], &mut nodes));
                }
            }
        }
    }

    /// Every choice for every key against the definition: of each kind in turn the first candidates
    /// in domains without a copy, then all others in order.
    #[test]
    fn a_walk_is_several_passes() {
        let roster = fleet(
            &["a/1", "a/2", "b/1", "", "c/1", "a/1", "b/2", "b/1", "c/1", "x/1"]
                .map(|p| if p.is_empty() { "/" } else { p }),
        );
        for (count, zones, racks) in (1..=8).flat_map(|count| {
            DomainRule::ALL.iter().flat_map(move |z| DomainRule::ALL.map(|r| (count, *z, r)))
        }) {
            let rule = CopyRule { count, zones, racks };
            let Ok(_) = rule.check(&roster) else { continue };
            for key in 0..9 {
                let candidates = order(&roster, Key::hashed(key));
                let mut passes = vec![];
                let index = [DomainIndex::zones(&roster), DomainIndex::racks(&roster)];
                for (rule, index) in [zones, racks].into_iter().zip(index) {
                    if rule != DomainRule::Ignore {
                        passes.push(index);
                    }
                }
                let mut expected: Vec<NodeId> = Vec::new();
                for pass in passes {
                    for node in &candidates {
                        let is_new = expected.iter().all(|one| pass.of(*one) != pass.of(*node));
                        if is_new {
                            expected.push(*node);
                        }
                    }
                }
                for node in candidates {
                    if !expected.contains(&node) {
                        expected.push(node);
                    }
                }
                let expected: Vec<u32> = expected[..count].iter().map(|node| node.0).collect();
                assert_eq!(chosen(&roster, rule, key), expected, "{rule:?} {key}");
            }
        }
    }
}
