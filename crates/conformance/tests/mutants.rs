//! Deliberately broken algorithms, each caught by the law that is named for it: the proof that a
//! certificate means something. Each is a mistake that was published or suggests itself.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use placelab_conformance::{Subject, certify};
use placelab_core::mix::{mix, stream};
use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Change, Claim, Footprint, HashFunction, HashSeed,
    History, Key, KeyPart, Keys, Node, NodeId, Placement, PlacementError, Role, Roster, Scheme,
    Shares, Step, Trace,
};

/// A broken algorithm.
trait Broken: Clone + Send + Sync + 'static {
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
fn caught<B: Broken>(law: &str, claims: &'static [Claim], capabilities: &'static [Capability]) {
    let certificate = certify(&subject::<B>(claims, capabilities), |run| {
        allocation_counter::measure(run).bytes_current
    });
    let failed: Vec<&str> = certificate.failures().map(|(law, _)| law).collect();
    assert!(failed.contains(&law), "{law} does not catch it, but {failed:?}");
}

/// A mutant that claims all this.
fn subject<B: Broken>(claims: &'static [Claim], capabilities: &'static [Capability]) -> Subject {
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
        reads: KeyPart::Hash,
        parameters: &[],
        small: "",
        build: Build::Placement(build::<B>),
        naive: itself::<B>,
    })))
}

fn name_hash(seed: HashSeed, node: &Node) -> u64 {
    HashFunction::Xxh3.hash_name(seed, &node.name)
}

/// Hash mod N that says it moves the least.
#[derive(Clone)]
struct Modulo(Vec<NodeId>);

impl Broken for Modulo {
    fn new(roster: &Roster, _: HashSeed, _: Option<&Self>) -> Self {
        Modulo(roster.nodes().iter().map(|node| node.id).collect())
    }

    fn owner(&self, hash: u64) -> NodeId {
        self.0[(hash % self.0.len() as u64) as usize]
    }
}

#[test]
fn modulo_that_claims_minimal_movement() {
    caught::<Modulo>("minimal-movement", &[Claim::MinimalMovement], &[Capability::RemoveAny]);
}

/// A table that is made once and for all.
#[derive(Clone)]
struct StaleCache(Vec<NodeId>);

impl Broken for StaleCache {
    fn new(roster: &Roster, seed: HashSeed, before: Option<&Self>) -> Self {
        match before {
            Some(stale) => stale.clone(),
            None => StaleCache(Modulo::new(roster, seed, None).0),
        }
    }

    fn owner(&self, hash: u64) -> NodeId {
        Modulo(self.0.clone()).owner(hash)
    }
}

#[test]
fn a_cache_that_forgets_to_update_after_a_removal() {
    caught::<StaleCache>("range", &[Claim::FairShares], &[Capability::RemoveAny]);
}

/// Jump over numbers that were never hashed: here, over what a counter of requests looks like.
#[derive(Clone)]
struct RawJump(Vec<NodeId>);

impl Broken for RawJump {
    fn new(roster: &Roster, seed: HashSeed, _: Option<&Self>) -> Self {
        RawJump(Modulo::new(roster, seed, None).0)
    }

    fn owner(&self, hash: u64) -> NodeId {
        let (mut state, mut bucket, mut next) = (hash >> 54, 0, 0);
        while next < self.0.len() as u64 {
            bucket = next;
            state = state.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
            let draw = ((state >> 33) + 1) as f64;
            next = ((bucket + 1) as f64 * ((1u64 << 31) as f64 / draw)) as u64;
        }
        self.0[bucket as usize]
    }
}

#[test]
fn jump_over_raw_keys() {
    caught::<RawJump>("balance", &[Claim::FairShares], &[]);
}

/// The largest of w·u, as if that were weighted.
#[derive(Clone)]
struct WeightTimesDraw(Vec<(u64, u64, NodeId)>);

impl Broken for WeightTimesDraw {
    fn new(roster: &Roster, seed: HashSeed, _: Option<&Self>) -> Self {
        let entrant = |node: &Node| (name_hash(seed, node), node.weight.micros(), node.id);
        WeightTimesDraw(roster.serving_by_name().map(entrant).collect())
    }

    fn owner(&self, hash: u64) -> NodeId {
        let score = |&&(name, weight, _): &&(u64, u64, NodeId)| {
            u128::from(weight) * u128::from(mix(hash ^ name))
        };
        self.0.iter().max_by_key(score).expect("somebody serves").2
    }
}

#[test]
fn weights_times_draws() {
    let capabilities = &[Capability::RemoveAny, Capability::Weights];
    caught::<WeightTimesDraw>("weights", &[Claim::FairShares], capabilities);
}

/// A ring on which keys behind the last point stay with it, though arcs are counted all round.
#[derive(Clone)]
struct RingWithoutWrap(Vec<(u64, NodeId)>);

impl Broken for RingWithoutWrap {
    fn new(roster: &Roster, seed: HashSeed, _: Option<&Self>) -> Self {
        let point = |node: &Node| (name_hash(seed, node), node.id);
        let mut points: Vec<(u64, NodeId)> = roster.serving().map(point).collect();
        points.sort_unstable();
        RingWithoutWrap(points)
    }

    fn owner(&self, hash: u64) -> NodeId {
        let at = self.0.partition_point(|(point, _)| *point < hash);
        self.0[at.min(self.0.len() - 1)].1
    }

    fn shares(&self, roster: &Roster) -> Option<Shares> {
        let mut arcs = BTreeMap::new();
        let mut last = self.0.last()?.0;
        for &(point, node) in &self.0 {
            arcs.insert(node, u128::from(point.wrapping_sub(last)));
            last = point;
        }
        let whole = if self.0.len() == 1 { return None } else { 1 << 64 };
        Some(Shares::of_roster(roster, whole, |id| arcs.get(&id).copied().unwrap_or(0)))
    }
}

#[test]
fn a_ring_without_wrap() {
    caught::<RingWithoutWrap>("exact-shares", &[], &[Capability::RemoveAny]);
}

/// Maglev whose nodes lose their turn where the slot that they want is taken.
#[derive(Clone)]
struct TurnSkippingMaglev(Vec<NodeId>);

impl Broken for TurnSkippingMaglev {
    fn new(roster: &Roster, seed: HashSeed, _: Option<&Self>) -> Self {
        const SIZE: u64 = 4_099;
        let mut table = vec![None; SIZE as usize];
        let nodes: Vec<(u64, NodeId)> =
            roster.serving_by_name().map(|node| (name_hash(seed, node), node.id)).collect();
        let mut free = SIZE;
        for turn in 0.. {
            for &(hash, node) in &nodes {
                let (offset, skip) = (hash % SIZE, stream(hash, 1) % (SIZE - 1) + 1);
                let slot = &mut table[((offset + turn % SIZE * skip) % SIZE) as usize];
                if slot.is_none() {
                    *slot = Some(node);
                    free -= 1;
                }
            }
            if free == 0 {
                break;
            }
        }
        TurnSkippingMaglev(table.into_iter().flatten().collect())
    }

    fn owner(&self, hash: u64) -> NodeId {
        Modulo(self.0.clone()).owner(hash)
    }
}

#[test]
fn maglev_that_skips_turns() {
    caught::<TurnSkippingMaglev>("balance", &[Claim::FairShares], &[Capability::RemoveAny]);
}

/// AnchorHash that marks every unused bucket with the capacity, so that walks end nowhere.
#[derive(Clone)]
struct AnchorWithCapacity {
    marks: Vec<u64>,
    owners: Vec<NodeId>,
}

impl Broken for AnchorWithCapacity {
    fn new(roster: &Roster, seed: HashSeed, _: Option<&Self>) -> Self {
        let owners = Modulo::new(roster, seed, None).0;
        let capacity = 10 * owners.len();
        let mark = |bucket: usize| if bucket < owners.len() { 0 } else { capacity as u64 };
        AnchorWithCapacity { marks: (0..capacity).map(mark).collect(), owners }
    }

    fn owner(&self, hash: u64) -> NodeId {
        let bucket = (hash % self.marks.len() as u64) as usize;
        // Every bucket is marked as high as this one: no walk leads to a working bucket.
        let is_working = self.marks[bucket] == 0;
        if is_working { self.owners[bucket] } else { NodeId(u32::MAX) }
    }
}

#[test]
fn anchor_hash_that_answers_nothing_for_most_keys() {
    caught::<AnchorWithCapacity>("range", &[Claim::FairShares], &[Capability::RemoveAny]);
}

/// Every mutant but the sound one forgets its table.
#[test]
fn a_footprint_without_the_table() {
    caught::<Modulo>("footprint", &[], &[]);
}

/// Documented as one step, and yet it goes through a list to the key's place in it.
#[derive(Clone)]
struct Scan(Modulo);

impl Broken for Scan {
    fn new(roster: &Roster, seed: HashSeed, _: Option<&Self>) -> Self {
        Scan(Modulo::new(roster, seed, None))
    }

    fn owner(&self, hash: u64) -> NodeId {
        self.0.owner(hash)
    }

    fn trace(&self, hash: u64, trace: &mut dyn Trace) -> NodeId {
        let owner = self.owner(hash);
        for (at, &node) in (0..).zip(&self.0.0) {
            trace.step(Step::Probe { at, node });
            if node == owner {
                break;
            }
        }
        owner
    }
}

#[test]
fn a_scan_that_is_documented_as_one_step() {
    caught::<Scan>("work", &[Claim::FairShares], &[Capability::RemoveAny]);
}

/// The twin of all mutants that is not broken passes: highest random weight.
#[derive(Clone)]
struct Sound(Vec<(u64, NodeId)>);

impl Broken for Sound {
    fn new(roster: &Roster, seed: HashSeed, _: Option<&Self>) -> Self {
        let entrant = |node: &Node| (name_hash(seed, node), node.id);
        let mut entrants: Vec<_> = roster.serving_by_name().map(entrant).collect();
        entrants.shrink_to_fit();
        Sound(entrants)
    }

    fn owner(&self, hash: u64) -> NodeId {
        self.0.iter().max_by_key(|(name, _)| mix(hash ^ name)).expect("somebody serves").1
    }

    fn table_bytes(&self) -> u64 {
        size_of_val(&self.0[..]) as u64
    }
}

#[test]
#[should_panic(expected = "does not catch it, but []")]
fn a_sound_one_is_not_caught() {
    let claims = &[Claim::FairShares, Claim::MinimalMovement, Claim::OrderFree, Claim::Restores];
    caught::<Sound>("range", claims, &[Capability::RemoveAny]);
}
