//! What makes an algorithm of a mutant, and asks the laws about it.

use std::ops::ControlFlow;

use placelab_conformance::{Subject, certify};
use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Change, Claim, Footprint, HashFunction, HashSeed,
    History, Key, KeyPart, Keys, Node, NodeId, Placement, PlacementError, Resolution, Role, Roster,
    Scheme, Shares, Step, Trace,
};

/// A broken algorithm.
pub(crate) trait Broken: Clone + Send + Sync + 'static {
    /// From a roster; `before` is the state that it follows, where there is one.
    fn new(roster: &Roster, seed: HashSeed, before: Option<&Self>) -> Self;

    fn owner(&self, hash: u64) -> NodeId;

    fn shares(&self, _: &Roster) -> Option<Shares> {
        None
    }

    fn trace(&self, hash: u64, trace: &mut dyn Trace) -> NodeId {
        trace.step(Step::Draw { value: hash });
        self.owner(hash)
    }

    /// The owner of each row, where it says that a table has them.
    fn table(&self) -> Option<Vec<NodeId>> {
        None
    }

    /// What it says that its tables hold.
    fn table_bytes(&self) -> u64 {
        0
    }
}

#[derive(Clone)]
struct Mutant<B> {
    roster: Roster,
    seed: HashSeed,
    broken: B,
}

impl<B: Broken> Scheme for Mutant<B> {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn adopt(&mut self, next: Roster, _: &[Change]) -> Result<(), PlacementError> {
        self.broken = B::new(&next, self.seed, Some(&self.broken));
        self.roster = next;
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        let shared_bytes = self.roster.shared_bytes();
        Footprint { shared_bytes, derived_bytes: self.broken.table_bytes() }
    }
}

impl<B: Broken> Placement for Mutant<B> {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.broken.owner(key.hash.0)
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        self.broken.trace(key.hash.0, trace)
    }

    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        let owner = self.place(key);
        let others = self.roster.serving().map(|node| node.id).filter(|id| *id != owner);
        let _ = std::iter::once(owner).chain(others).try_for_each(visit);
    }

    fn table(&self) -> Option<Vec<NodeId>> {
        self.broken.table()
    }

    fn shares(&self) -> Option<Shares> {
        self.broken.shares(&self.roster)
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

fn build<B: Broken>(
    _: &Arguments,
    seed: HashSeed,
    roster: Roster,
) -> Result<Box<dyn Placement>, PlacementError> {
    let broken = B::new(&roster, seed, None);
    Ok(Box::new(Mutant { roster, seed, broken }))
}

/// A mutant has no twin but itself: the other laws must catch it.
fn itself<B: Broken>(
    _: &Arguments,
    seed: HashSeed,
    history: &History,
    keys: Keys<'_>,
) -> Vec<NodeId> {
    let mut roster = history.start.clone();
    let mut broken = B::new(&roster, seed, None);
    for changes in &history.steps {
        roster = roster.after(changes).unwrap();
        broken = B::new(&roster, seed, Some(&broken));
    }
    keys.hashes.iter().map(|hash| broken.owner(hash.0)).collect()
}

/// Whether a mutant that claims all this is caught by a law.
pub(crate) fn caught<B: Broken>(
    law: &str,
    claims: &'static [Claim],
    capabilities: &'static [Capability],
) {
    let certificate = certify(&subject::<B>(claims, capabilities), |run| {
        allocation_counter::measure(run).bytes_current
    });
    let failed: Vec<&str> = certificate.failures().map(|(law, _)| law).collect();
    assert!(failed.contains(&law), "{law} does not catch it, but {failed:?}");
}

/// A mutant that claims all this.
pub(crate) fn subject<B: Broken>(
    claims: &'static [Claim],
    capabilities: &'static [Capability],
) -> Subject {
    Subject::new(Box::leak(Box::new(AlgorithmSpec {
        name: "mutant",
        role: Role::Exhibit,
        family: "mutant",
        year: 2026,
        citation: "this test",
        implementations: "none",
        summary: "broken on purpose",
        lookup_cost: "O(1)",
        steps: |_, _| 1.0,
        closed_forms: &[],
        memory_cost: "O(1)",
        capabilities,
        claims,
        resolution: Some(Resolution::EXACT),
        reads: KeyPart::Hash,
        parameters: &[],
        small: "",
        build: Build::Placement(build::<B>),
        naive: itself::<B>,
    })))
}

pub(crate) fn name_hash(seed: HashSeed, node: &Node) -> u64 {
    HashFunction::Xxh3.hash_name(seed, &node.name)
}
