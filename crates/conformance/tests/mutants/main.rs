//! Deliberately broken algorithms, each caught by the law that is named for it: the proof that a
//! certificate means something. Each is a mistake that was published or suggests itself.

mod harness;

use std::collections::BTreeMap;

use placelab_core::mix::{mix, stream};
use placelab_core::{
    Capability, Claim, HashSeed, Node, NodeId, Roster, Shares, Step, Trace, Weight,
};

use harness::{Broken, caught, name_hash};

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

/// A ring of forty points a unit of weight, as if it told weights by their ratio.
#[derive(Clone)]
struct PointsPerUnit(Vec<(u64, NodeId)>);

impl Broken for PointsPerUnit {
    fn new(roster: &Roster, seed: HashSeed, _: Option<&Self>) -> Self {
        let points = |node: &Node| {
            let (name, id) = (name_hash(seed, node), node.id);
            let count = (40 * node.weight.micros()).div_ceil(Weight::MICROS);
            (0..count).map(move |index| (stream(name, index), id))
        };
        let mut points: Vec<(u64, NodeId)> = roster.serving().flat_map(points).collect();
        points.sort_unstable();
        PointsPerUnit(points)
    }

    fn owner(&self, hash: u64) -> NodeId {
        let at = self.0.partition_point(|(point, _)| *point < hash);
        self.0[at % self.0.len()].1
    }
}

#[test]
fn points_per_unit_that_claim_to_be_scale_free() {
    let capabilities = &[Capability::RemoveAny, Capability::Weights];
    caught::<PointsPerUnit>("scale-free", &[Claim::ScaleFree], capabilities);
}

/// Slots that are counted in hundredths of all weight, though finer weights are said to count.
#[derive(Clone)]
struct Hundredths(Vec<NodeId>);

impl Broken for Hundredths {
    fn new(roster: &Roster, _: HashSeed, _: Option<&Self>) -> Self {
        let sum: u64 = roster.serving().map(|node| node.weight.micros()).sum();
        let slots = |node: &Node| (100 * node.weight.micros()).div_ceil(sum) as usize;
        let slots = roster.serving().flat_map(|node| std::iter::repeat_n(node.id, slots(node)));
        Hundredths(slots.collect())
    }

    fn owner(&self, hash: u64) -> NodeId {
        Modulo(self.0.clone()).owner(hash)
    }

    fn shares(&self, roster: &Roster) -> Option<Shares> {
        let own = |id| self.0.iter().filter(|owner| **owner == id).count() as u128;
        Some(Shares::of_roster(roster, self.0.len() as u128, own))
    }
}

#[test]
fn hundredths_that_are_said_to_be_exact() {
    let capabilities = &[Capability::RemoveAny, Capability::Weights];
    caught::<Hundredths>("resolution", &[], capabilities);
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

/// A table whose rows are counted from another one with each version.
#[derive(Clone)]
struct Turning {
    rows: Vec<NodeId>,
    version: u64,
}

impl Broken for Turning {
    fn new(roster: &Roster, _: HashSeed, before: Option<&Self>) -> Self {
        let serving = roster.serving_ids();
        let rows = (0..16).map(|row| serving[row % serving.len()]).collect();
        Turning { rows, version: before.map_or(0, |before| before.version + 1) }
    }

    fn owner(&self, hash: u64) -> NodeId {
        self.rows[((hash % 16 + self.version) % 16) as usize]
    }

    fn table(&self) -> Option<Vec<NodeId>> {
        Some(self.rows.clone())
    }
}

#[test]
fn a_table_whose_keys_change_rows() {
    caught::<Turning>("table", &[], &[Capability::RemoveAny]);
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
