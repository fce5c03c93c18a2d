//! Hash modulo the number of nodes: the negative canary.
//!
//! Source: folklore. Cost: one division, no memory beyond the member list.
//!
//! What it cannot do: keep keys. Growing from N to M nodes keeps the owner of min(N, M) ÷
//! lcm(N, M) of the keys, so 4 → 5 moves 80 % and 20 → 30 moves 66.67 %. It stands in every run
//! so that a report in which it looks good is known to be wrong.
//!
//! ```
//! use placelab_core::{Arguments, HashSeed, Key, Roster, establish};
//! let spec = placelab_algorithms::find("modulo").unwrap();
//! let owner = |nodes, key| {
//!     let roster = Roster::numbered(nodes).unwrap();
//!     let placement = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//!     placement.place(Key::hashed(key))
//! };
//! // Of 20 keys in a row, 4 → 5 nodes leaves the 4 below lcm(4, 5) that agree.
//! assert_eq!((0..20).filter(|&key| owner(4, key) != owner(5, key)).count(), 16);
//! ```

use std::ops::ControlFlow;

use placelab_core::{
    AlgorithmSpec, Anatomy, Arguments, Average, Build, Capability, Change, Claim, ClosedForm,
    Footprint, HashSeed, History, Key, KeyHash, KeyPart, Keys, NodeId, Placement, PlacementError,
    Role, Roster, Scheme, Step, Trace,
};

use crate::range_hash::{bytes_of, greatest_common, retry};
use crate::twins::each;

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "modulo",
    role: Role::Canary,
    family: "canary",
    year: 1953,
    citation: "folklore (hash tables: H. P. Luhn, IBM memorandum, 1953)",
    implementations: "any: an operator of the language",
    summary: "hash mod N: balanced, and nearly every key moves when N changes",
    lookup_cost: "O(1)",
    steps: |_, _| 1.0,
    closed_forms: &[ClosedForm {
        metric: "movement.moved",
        average: Average::Mean,
        formula: "1 − min(N, M) ÷ lcm(N, M) from N nodes to M",
        value: |_, step| Some(moved(step.before?, step.now)),
    }],
    memory_cost: "O(N) names",
    capabilities: &[Capability::RemoveAny],
    claims: &[Claim::FairShares],
    resolution: None,
    reads: KeyPart::Hash,
    parameters: &[],
    small: "",
    build: Build::Placement(|_, _, roster| Ok(Box::new(Modulo::new(roster)))),
    naive,
};

/// The part of the keys that move when `before` buckets become `now`: those stay whose remainders
/// by both are the same, the smaller count of every common multiple.
fn moved(before: u32, now: u32) -> f64 {
    let [before, now] = [before, now].map(u64::from);
    let multiple = before / greatest_common(before, now) * now;
    1.0 - before.min(now) as f64 / multiple as f64
}

#[derive(Clone)]
struct Modulo {
    roster: Roster,
    owners: Vec<NodeId>,
}

impl Modulo {
    fn new(roster: Roster) -> Self {
        let owners = roster.ids();
        Modulo { roster, owners }
    }

    fn owner(&self, hash: KeyHash) -> NodeId {
        self.owners[(hash.0 % self.owners.len() as u64) as usize]
    }
}

impl Scheme for Modulo {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn adopt(&mut self, next: Roster, _: &[Change]) -> Result<(), PlacementError> {
        *self = Modulo::new(next);
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        Footprint {
            shared_bytes: self.roster.shared_bytes(),
            derived_bytes: bytes_of(&self.owners),
        }
    }
}

impl Placement for Modulo {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.owner(key.hash)
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        let node = self.owner(key.hash);
        trace.step(Step::Probe { at: key.hash.0 % self.owners.len() as u64, node });
        node
    }

    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        retry(&self.owners, key.hash, |hash| self.owner(hash), visit);
    }

    fn anatomy(&self) -> Option<Anatomy> {
        Some(Anatomy::Table { owners: self.owners.clone(), turns: Vec::new() })
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

/// The twin: the remainder counts members in the order in which they joined.
fn naive(_: &Arguments, _: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    let roster = history.now();
    each(keys, |key| {
        let remainder = key.hash.0 % roster.len() as u64;
        roster.nodes()[remainder as usize].id
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 5 goes from bucket 2 to 1, 6 from 0 to 2, 1 stays when 3 buckets become 4.
    #[test]
    fn remainders() {
        let owner =
            |count, hash| Modulo::new(Roster::numbered(count).unwrap()).owner(KeyHash(hash)).0;
        let moves = [5, 6, 1].map(|hash| (owner(3, hash), owner(4, hash)));
        assert_eq!(moves, [(2, 1), (0, 2), (1, 1)]);
    }

    /// Over a common multiple of both counts, hashes are the whole law.
    #[test]
    fn the_closed_form_is_what_moves() {
        for (before, now) in [(4, 5), (5, 4), (12, 18), (10, 20), (7, 7), (1, 9), (64, 65)] {
            let placements =
                [before, now].map(|count| Modulo::new(Roster::numbered(count).unwrap()));
            let hashes = before * now;
            let moves = |&hash: &u32| {
                let [old, new] = placements.each_ref().map(|one| one.owner(KeyHash(hash.into())));
                old != new
            };
            let found = (0..hashes).filter(moves).count() as f64 / f64::from(hashes);
            assert!((moved(before, now) - found).abs() < 1e-12, "{before} to {now}: {found}");
        }
    }
}
