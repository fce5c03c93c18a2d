//! The positive canary: a plain, obviously right weighted rendezvous.
//!
//! Source: the definition. Each node draws u from XXH3 of the key's hash followed by the hash of
//! the node's name (16 bytes), and the least −ln(u) ÷ w wins: exponential clocks of rate w, so a
//! node wins with probability w ÷ Σw and any change moves only the keys that it must. Cost: O(N)
//! hashes and logarithms; no memory beyond the names.
//!
//! It shares nothing with tuned code on purpose: where a contender and the canary disagree about
//! what chance gives, the contender is wrong. It must look like chance in every report.
//!
//! ```
//! use placelab_core::{Arguments, HashSeed, Key, NodeId, Roster, establish};
//! let spec = placelab_algorithms::find("ideal").unwrap();
//! let roster = Roster::numbered(10).unwrap();
//! let ideal = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//! // Fair: of 10,000 keys each node has 1,000, give or take four standard deviations of 30.
//! let keys = (0..10_000).map(|key| ideal.place(Key::hashed(key)));
//! let own = keys.filter(|&owner| owner == NodeId(3)).count();
//! assert!((880..1_120).contains(&own));
//! ```

use std::cmp::Reverse;
use std::ops::ControlFlow;

use placelab_core::math::{ln, open_unit};
use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Change, Claim, Footprint, HashFunction, HashSeed,
    History, Key, KeyPart, Keys, NodeId, Placement, PlacementError, Resolution, Role, Roster,
    Scheme, Silent, Step, Trace,
};

use crate::contest::places;
use crate::range_hash::{bytes_of, trimmed};
use crate::twins::highest;

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "ideal",
    role: Role::Canary,
    family: "canary",
    year: 1998,
    citation: "Thaler, Ravishankar: Using Name-Based Mappings to Increase Hit Rates, 1998; \
               Schindelhauer, Schomaker: Weighted Distributed Hash Tables, SPAA 2005",
    implementations: "none: this one",
    summary: "the definition of fair placement with least movement, slow on purpose",
    lookup_cost: "O(N)",
    steps: |_, fleet| fleet.now.into(),
    closed_forms: &[],
    memory_cost: "O(N) names",
    capabilities: &[Capability::RemoveAny, Capability::Weights],
    claims: &[
        Claim::FairShares,
        Claim::MinimalMovement,
        Claim::OrderFree,
        Claim::Restores,
        Claim::ScaleFree,
    ],
    resolution: Some(Resolution::EXACT),
    reads: KeyPart::Hash,
    parameters: &[],
    small: "",
    build: Build::Placement(|_, seed, roster| Ok(Box::new(Ideal::new(seed, roster)))),
    naive,
};

#[derive(Clone)]
struct Ideal {
    seed: HashSeed,
    roster: Roster,
    /// Hash of the name, weight, identity: in name order, so that the first of equals wins.
    clocks: Vec<(u64, f64, NodeId)>,
}

impl Ideal {
    fn new(seed: HashSeed, roster: Roster) -> Self {
        let clocks = roster
            .by_name()
            .into_iter()
            .filter(|node| node.weight.micros() > 0)
            .map(|node| {
                let name = HashFunction::Xxh3.hash_name(seed, &node.name);
                (name, node.weight.as_f64(), node.id)
            })
            .collect();
        Ideal { seed, roster, clocks: trimmed(clocks) }
    }

    fn time(key: Key<'_>, name: u64, weight: f64) -> f64 {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&key.hash.0.to_le_bytes());
        bytes[8..].copy_from_slice(&name.to_le_bytes());
        -ln(open_unit(HashFunction::Xxh3.hash(&bytes))) / weight
    }

    fn walk<T: Trace + ?Sized>(&self, key: Key<'_>, trace: &mut T) -> NodeId {
        let (mut least, mut winner) = (f64::INFINITY, self.clocks[0].2);
        for &(name, weight, node) in &self.clocks {
            let time = Self::time(key, name, weight);
            trace.step(Step::Probe { at: name, node });
            if time < least {
                (least, winner) = (time, node);
            }
        }
        winner
    }
}

impl Scheme for Ideal {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn adopt(&mut self, next: Roster, _: &[Change]) -> Result<(), PlacementError> {
        *self = Ideal::new(self.seed, next);
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        Footprint {
            shared_bytes: self.roster.shared_bytes(),
            derived_bytes: bytes_of(&self.clocks),
        }
    }
}

impl Placement for Ideal {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.walk(key, &mut Silent)
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        self.walk(key, trace)
    }

    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        // Times are not negative, so their bits stand in their order.
        let times = self.clocks.iter().map(|&(name, weight, _)| Self::time(key, name, weight));
        let earliest = places(times.map(|time| Reverse(time.to_bits())), self.clocks.len());
        let _ = earliest.map(|place| self.clocks[place].2).try_for_each(visit);
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

/// The twin: of the times −ln(u) ÷ w the least, which is the greatest of ln(u) ÷ w.
fn naive(_: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    highest(history, keys, |key, node| {
        let name = HashFunction::Xxh3.hash_name(seed, &node.name);
        let pair = [key.hash.0.to_le_bytes(), name.to_le_bytes()].concat();
        ln(open_unit(HashFunction::Xxh3.hash(&pair))) / node.weight.as_f64()
    })
}
