//! Random worlds against the slow twin.

use std::collections::BTreeMap;

use placelab_algorithms::shard_map::{Infeasible, Optimum, Rules, Shard, ShardMap, Spread, solve};
use placelab_core::mix::stream;
use placelab_core::{Node, NodeId, Roster, Weight};

use crate::flow::Network;
use crate::{check, domain, node, shards, zoned};

/// A fleet, shards and a map before them that may break the rules and stand on nodes that are
/// gone; everything drawn.
struct World {
    roster: Roster,
    shards: Vec<Shard>,
    rules: Rules,
    before: ShardMap,
}

impl World {
    fn new(seed: u64) -> Self {
        let draw = |at: u64, below: u64| stream(seed, at) % below;
        let copies = 1 + draw(0, 3) as usize;
        let spread = [Spread::Nodes, Spread::Zones][draw(1, 2) as usize];
        let (nodes, zones) = (4 + draw(2, 3) as u32, 3 + draw(3, 2) as u32);
        let weights = if draw(4, 2) == 0 { 1 } else { 3 };
        let weighted = |at: u32| Node {
            weight: Weight::units(1 + draw(20 + u64::from(at), weights) as u32),
            ..node(at, at % zones)
        };
        let roster = Roster::new((0..nodes).map(weighted).collect()).unwrap();
        let mut shards = shards(6);
        let mut rules = Rules { copies, spread, ..Rules::default() };
        if draw(5, 3) == 0 {
            let zones = (0..copies.max(2)).map(|zone| domain(&format!("zone-{zone}"))).collect();
            rules.residency.insert("home".into(), zones);
            let labelled = draw(6, 5) as usize;
            shards[..labelled].iter_mut().for_each(|shard| shard.label = Some("home".into()));
        }
        if draw(7, 3) == 0 {
            let most = |at: u32| 6.min(copies as u64 + 1 + draw(40 + u64::from(at), 4));
            rules.capacity = (0..nodes).map(|at| (NodeId(at), most(at))).collect();
        }
        let holder = |at: u64| NodeId(draw(100 + at, u64::from(nodes) + 1) as u32);
        let before = ShardMap::new(copies, (0..6 * copies as u64).map(holder).collect());
        World { roster, shards, rules, before }
    }

    /// The fewest moves to a map of these loads.
    fn least(&self, loads: &[u64]) -> Option<u64> {
        let mut network = Network::default();
        let [source, sink] = [network.vertex(), network.vertex()];
        let members = self.roster.nodes();
        let nodes: Vec<usize> = members.iter().map(|_| network.vertex()).collect();
        for (node, load) in nodes.iter().zip(loads) {
            network.edge(*node, sink, *load as i64, 0);
        }
        for (at, shard) in self.shards.iter().enumerate() {
            let vertex = network.vertex();
            network.edge(source, vertex, self.rules.copies as i64, 0);
            let mut domains = BTreeMap::new();
            for (member, node) in members.iter().zip(&nodes) {
                let label = shard.label.as_ref().and_then(|label| self.rules.residency.get(label));
                if label.is_some_and(|zones| !zones.contains(member.zone.as_ref().unwrap())) {
                    continue;
                }
                let domain = match self.rules.spread {
                    Spread::Zones => member.zone.clone().unwrap(),
                    _ => member.name.clone(),
                };
                let domain = *domains.entry(domain).or_insert_with(|| {
                    let domain = network.vertex();
                    network.edge(vertex, domain, 1, 0);
                    domain
                });
                let is_there = self.before.holders(at).contains(&member.id);
                network.edge(domain, *node, 1, i64::from(!is_there));
            }
        }
        network.least(source, sink, (self.shards.len() * self.rules.copies) as u64)
    }
}

/// No map with the same loads is reached by fewer moves, whatever the rules and the map before.
#[test]
fn nobody_moves_fewer() {
    let (mut proven, mut moved, mut refused) = (0, 0, 0);
    for seed in 0..3_000 {
        let world = World::new(seed);
        let World { roster, shards, rules, before } = &world;
        let found = match solve(roster, shards, rules, before) {
            Ok(found) => found,
            Err(Infeasible::Capacity { .. }) => {
                // Not even without a care for moves.
                let most = |node: &Node| rules.capacity.get(&node.id).copied().unwrap_or(6);
                let most: Vec<u64> = roster.nodes().iter().map(most).collect();
                assert_eq!(world.least(&most), None, "world {seed}");
                refused += 1;
                continue;
            }
            Err(other) => panic!("world {seed}: {other}"),
        };
        check(&found.map, roster, shards, rules);
        assert_eq!(found.map.moves_from(before), found.moves);
        let least = world.least(&found.map.loads(roster)).unwrap();
        if found.optimum == Optimum::Proven {
            assert_eq!(found.moves, least, "world {seed}: {before:?}");
            proven += 1;
            moved += u32::from(found.moves > 0);
        }
        assert!(found.moves <= least + 4, "world {seed}: {} for {least}", found.moves);
    }
    assert!(proven > 1_500 && moved > 1_000 && refused > 10, "{proven}, {moved}, {refused}");
}

/// Worlds in which a search that never lets the shard in hand move its other copies goes round for
/// ever, or finds five moves where four do.
#[test]
fn copies_of_the_shard_in_hand_may_move_within_their_zones() {
    let spread = |copies| Rules { copies, spread: Spread::Zones, ..Rules::default() };
    let of = |ids: &[u32], copies| ShardMap::new(copies, ids.iter().copied().map(NodeId).collect());
    let solved = |roster: &Roster, shards: &[Shard], rules: &Rules, before: &ShardMap| {
        let found = solve(roster, shards, rules, before).unwrap();
        check(&found.map, roster, shards, rules);
        found.moves
    };
    let home = BTreeMap::from([("home".into(), ["zone-0", "zone-1"].map(domain).into())]);
    let resident = Rules { residency: home, ..spread(2) };
    let mut four = shards(4);
    four.iter_mut().for_each(|shard| shard.label = Some("home".into()));
    solved(&zoned(5, 4), &four, &resident, &of(&[2, 2, 4, 0, 3, 5, 4, 1], 2));
    let capacity = |most: &[u64]| (0..).map(NodeId).zip(most.iter().copied()).collect();
    let mut five = shards(5);
    five.iter_mut().step_by(2).for_each(|shard| shard.label = Some("home".into()));
    let bounded = Rules { capacity: capacity(&[2, 2, 1, 2, 1]), ..resident };
    let _ = solve(&zoned(5, 4), &five, &bounded, &of(&[1, 3, 4, 3, 4, 1, 4, 1, 1, 2], 2));
    let before = of(&[6, 5, 2, 3, 5, 4, 1, 2, 4, 1, 1, 5, 5, 0, 3, 3, 3, 4], 3);
    let bounded = Rules { capacity: capacity(&[1, 2, 2, 3, 2, 2]), ..spread(3) };
    let _ = solve(&zoned(6, 3), &shards(6), &bounded, &before);
    let before = of(&[0, 1, 1, 3, 0, 1, 3, 6, 1], 3);
    assert_eq!(solved(&zoned(6, 3), &shards(3), &spread(3), &before), 4);
}
