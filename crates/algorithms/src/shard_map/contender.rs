//! The contender: keys hashed to shards, and a map that is solved anew with every change.
//!
//! Source: the shard managers of large services, which assign shards to servers under constraints
//! (Adya et al.: Slicer, OSDI 2016; Lee et al.: Shard Manager, SOSP 2021). Cost: one hash and one
//! table read a lookup; the map of L shards in R copies is data that every client must have. What
//! a change costs the planner is in [`super`].
//!
//! What it cannot do: shares finer than 1 ÷ L, more nodes than shards, or copies in more failure
//! domains than there are. Residency, tenants and capacities need shards that mean something;
//! hashed keys have none, so these rules are the library's and not the contender's.
//!
//! With one copy it is the owner table of `slots` and `X+alias`, bucket for bucket. With more the
//! copies are planned, and owners are elected among them. Copies beyond those of the map are drawn
//! as for any other table.

use std::ops::ControlFlow;

use placelab_core::{
    AlgorithmSpec, Anatomy, Arguments, Build, Capability, Change, Claim, Footprint, HashSeed,
    History, Key, KeyHash, KeyPart, Keys, NodeId, ParameterKind, ParameterSpec, Placement,
    PlacementError, Resolution, Role, Roster, Scheme, Shares, Silent, Step, Trace,
};

use super::{COPIES_MAX, Rules, Shard, ShardMap, Spread, solve};
use crate::owner_table::{self, are_renames, check_room, naive_table};
use crate::range_hash::{bytes_of, retry};
use crate::remainder::Remainder;
use crate::twins;

/// The kinds of spread by name.
const SPREADS: [&str; 3] = [Spread::ALL[0].name(), Spread::ALL[1].name(), Spread::ALL[2].name()];

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "shard-map",
    role: Role::Rival,
    family: placelab_core::OWNER_TABLE,
    year: 2016,
    citation: "Adya et al., Slicer: Auto-Sharding for Datacenter Applications, OSDI 2016",
    implementations: "C++ (Slicer and Shard Manager, not public), Java (Apache Helix)",
    summary: "shards with a planned table of their holders, moved as little as rules allow",
    lookup_cost: "O(1)",
    steps: |_, _| 1.0,
    closed_forms: &[],
    memory_cost: "O(L · R) rows",
    capabilities: &[Capability::RemoveAny, Capability::Weights],
    claims: &[Claim::ScaleFree],
    resolution: Some(Resolution {
        lightest: "W ÷ L",
        memory: "4 bytes a copy of a shard",
        weight: |arguments, fleet| fleet.sum / arguments.count("shards") as f64,
    }),
    reads: KeyPart::Hash,
    parameters: &[
        ParameterSpec {
            name: "shards",
            kind: ParameterKind::Count { min: 1, max: 1 << 16 },
            default: Some("1024"),
            help: "shards: a hundred a node or more",
        },
        ParameterSpec {
            name: "copies",
            kind: ParameterKind::Count { min: 1, max: COPIES_MAX },
            default: Some("1"),
            help: "nodes that hold each shard, the owner among them: the replicas of the scenario",
        },
        ParameterSpec {
            name: "spread",
            kind: ParameterKind::Choice(&SPREADS),
            default: Some("nodes"),
            help: "what copies of a shard must not share",
        },
    ],
    small: "shards=16",
    build: Build::Placement(|arguments, _, roster| Ok(Box::new(Planned::new(arguments, roster)?))),
    naive,
};

/// A map, with what it takes to plan the next.
#[derive(Clone)]
struct Planned {
    rules: Rules,
    roster: Roster,
    map: ShardMap,
    /// By how many shards there are.
    remainder: Remainder,
    /// Members of positive weight in join order.
    serving: Vec<NodeId>,
}

impl Planned {
    fn new(arguments: &Arguments, roster: Roster) -> Result<Self, PlacementError> {
        let spread = Spread::named(arguments.text("spread")).unwrap_or_default();
        let copies = arguments.count("copies") as usize;
        let rules = Rules { copies, spread, ..Rules::default() };
        let nothing = ShardMap::empty(arguments.count("shards") as usize, copies);
        let map = plan(&roster, &rules, &nothing)?;
        let (remainder, serving) = (Remainder::by(map.shards() as u64), roster.serving_ids());
        Ok(Planned { rules, roster, map, remainder, serving })
    }

    #[inline]
    fn shard(&self, key: Key<'_>) -> usize {
        self.remainder.of(key.hash.0) as usize
    }

    #[inline]
    fn owner(&self, shard: usize) -> NodeId {
        self.map.holders(shard)[0]
    }

    #[inline]
    fn walk<T: Trace + ?Sized>(&self, key: Key<'_>, trace: &mut T) -> NodeId {
        let shard = self.shard(key);
        let node = self.owner(shard);
        trace.step(Step::Probe { at: shard as u64, node });
        node
    }

    fn owners(&self) -> Vec<NodeId> {
        (0..self.map.shards()).map(|shard| self.owner(shard)).collect()
    }
}

/// The next map over a roster.
fn plan(roster: &Roster, rules: &Rules, before: &ShardMap) -> Result<ShardMap, PlacementError> {
    check_room("shards", before.shards() as u64, roster)?;
    let shards = vec![Shard::default(); before.shards()];
    let solution = solve(roster, &shards, rules, before);
    // Nodes without bounds have room for everything: what is left is too few failure domains.
    let refused = |reason: super::Infeasible| PlacementError::Parameter {
        parameter: "copies".into(),
        reason: reason.to_string(),
    };
    Ok(solution.map_err(refused)?.map)
}

impl Scheme for Planned {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn adopt(&mut self, next: Roster, changes: &[Change]) -> Result<(), PlacementError> {
        // Ties go by name, but a name alone is no reason to move anything.
        if !are_renames(changes) {
            self.map = plan(&next, &self.rules, &self.map)?;
        }
        self.serving = next.serving_ids();
        self.roster = next;
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        Footprint {
            shared_bytes: self.roster.shared_bytes() + bytes_of(&self.map.holders),
            derived_bytes: bytes_of(&self.serving),
        }
    }
}

impl Placement for Planned {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.walk(key, &mut Silent)
    }

    fn place_many(&self, keys: Keys<'_>, out: &mut [NodeId]) {
        for (owner, hash) in out[..keys.hashes.len()].iter_mut().zip(keys.hashes) {
            *owner = self.owner(self.remainder.of(hash.0) as usize);
        }
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        self.walk(key, trace)
    }

    /// Those that hold the shard, then the owners of others that it draws.
    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        let shard = self.shard(key);
        let holders = self.map.holders(shard);
        if holders.iter().any(|holder| visit(*holder).is_break()) {
            return;
        }
        let owner = |hash: KeyHash| self.owner(self.remainder.of(hash.0) as usize);
        retry(&self.serving, KeyHash(shard as u64), owner, &mut |node| {
            if holders.contains(&node) { ControlFlow::Continue(()) } else { visit(node) }
        });
    }

    fn slot(&self, key: Key<'_>) -> Option<u64> {
        Some(self.shard(key) as u64)
    }

    fn table(&self) -> Option<Vec<NodeId>> {
        Some(self.owners())
    }

    /// In shards: 2^64 keys over at most 2^16 of them are alike to 1 in 2^48.
    fn shares(&self) -> Option<Shares> {
        Some(owner_table::shares(&self.owners(), &self.roster))
    }

    fn anatomy(&self) -> Option<Anatomy> {
        Some(Anatomy::Table { owners: self.owners(), turns: Vec::new() })
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

/// The twin: of one copy the plain owner table. There is none for the owners of several copies:
/// many maps are as good, and which one the search meets first is nobody's definition. That theirs
/// are as even and moved as little as can be is held by the tests of [`super::solve`].
fn naive(arguments: &Arguments, _: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    let shards = arguments.count("shards");
    let owners = match arguments.count("copies") {
        1 => naive_table(shards as usize, history),
        _ => replayed(arguments, history).expect("a history that the scheme could follow"),
    };
    twins::each(keys, |key| owners[(key.hash.0 % shards) as usize])
}

/// The owners after a history, by the search itself.
fn replayed(arguments: &Arguments, history: &History) -> Result<Vec<NodeId>, PlacementError> {
    let mut planned = Planned::new(arguments, history.start.clone())?;
    for changes in &history.steps {
        let next = planned.roster.after(changes)?;
        planned.adopt(next, changes)?;
    }
    Ok(planned.owners())
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;
    use placelab_core::{CopyRule, Domain, DomainRule, Node, Weight, advance};

    use super::*;
    use crate::fixtures::contender;
    use crate::owner_table::{dealt, follow};

    /// A fleet of these weights, in three zones.
    fn zoned(weights: &[u32]) -> Roster {
        let node = |(at, weight): (usize, &u32)| Node {
            weight: Weight::units(*weight),
            zone: Domain::new(&format!("zone-{}", at % 3)).ok(),
            ..Roster::numbered_node(at as u32)
        };
        Roster::new(weights.iter().enumerate().map(node).collect()).unwrap()
    }

    /// Where nothing binds, the search makes bucket for bucket what the rule of the owner table
    /// does: over random fleets, weights and changes.
    #[test]
    fn maps_of_one_copy_are_owner_tables() {
        for world in 0..400 {
            let draw = |at: u64, most: u64| stream(world, at) % most;
            let weight = |at: u64| if world % 2 == 0 { 1 } else { 1 + draw(at, 999_999) as u32 };
            let shards = 1 + draw(100, 90) as usize;
            let weights: Vec<u32> = (0..1 + draw(101, 12)).map(weight).collect();
            let mut roster = zoned(&weights);
            let mut owners = dealt(shards, &roster);
            let rules = Rules::default();
            let mut map = plan_any(&roster, &rules, &ShardMap::empty(shards, 1));
            for event in 0..8 {
                assert_eq!((0..shards).map(|at| map.holders(at)[0]).collect::<Vec<_>>(), owners);
                let members = roster.nodes();
                let pick = members[draw(200 + event, members.len() as u64) as usize].id;
                let change = match draw(300 + event, 3) {
                    0 => Change::Add(Roster::numbered_node(50 + event as u32)),
                    1 => Change::Remove(pick),
                    _ => Change::Reweight(pick, Weight::units(draw(400 + event, 4) as u32)),
                };
                let Ok(next) = roster.after(std::slice::from_ref(&change)) else { continue };
                follow(&mut owners, &next, &[change]);
                map = plan_any(&next, &rules, &map);
                roster = next;
            }
        }
    }

    /// A map whatever the number of shards.
    fn plan_any(roster: &Roster, rules: &Rules, before: &ShardMap) -> ShardMap {
        solve(roster, &vec![Shard::default(); before.shards()], rules, before).unwrap().map
    }

    /// Three copies in three zones are the first three candidates, with the rule of a scenario or
    /// without; a node that fails has its copies made elsewhere, and nothing else is.
    #[test]
    fn copies_are_those_of_the_map() {
        let name = "shard-map:shards=96,copies=3,spread=zones";
        let (spec, before) = contender(name, zoned(&[1; 12]));
        let keys: Vec<KeyHash> = (0..2_000).map(|key| KeyHash(stream(9, key))).collect();
        let keys = Keys { hashes: &keys, text: None };
        let copies = |placement: &dyn Placement, zones| {
            let rule = CopyRule { zones, ..CopyRule::plain(3) };
            let mut out = vec![NodeId::NOBODY; 3 * keys.hashes.len()];
            rule.chooser(placement.roster()).unwrap().choose_many(placement, keys, &mut out);
            out
        };
        let old = copies(before.as_ref(), DomainRule::Ignore);
        assert_eq!(old, copies(before.as_ref(), DomainRule::Spread));
        let gone = NodeId(4);
        let after = advance(spec, before.as_ref(), &[Change::Remove(gone)]).unwrap();
        let new = copies(after.as_ref(), DomainRule::Spread);
        for (old, new) in old.chunks(3).zip(new.chunks(3)) {
            let made = new.iter().filter(|node| !old.contains(node)).count();
            assert_eq!(made, usize::from(old.contains(&gone)), "{old:?} became {new:?}");
        }
    }

    #[test]
    fn too_few_zones_and_shards_are_refused() {
        let refused = |text: &str, nodes: usize| {
            let request = placelab_core::AlgorithmRequest::expand(text).unwrap().remove(0);
            let arguments = request.arguments(&SPEC, &|_| unreachable!()).unwrap();
            Planned::new(&arguments, zoned(&vec![1; nodes])).err().map(|e| e.to_string())
        };
        let zones = refused("shard-map:copies=4,spread=zones", 12).unwrap();
        assert!(zones.contains("need as many zones, and there are 3"), "{zones}");
        let few = refused("shard-map:shards=3", 4).unwrap();
        assert!(few.contains("3 shards are fewer than the fleet's 4 nodes"), "{few}");
        assert_eq!(refused("shard-map:shards=4,copies=3", 4), None);
    }
}
