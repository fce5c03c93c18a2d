//! Whether a map keeps the rules, whoever made it: one look at every copy.

use std::collections::{BTreeMap, BTreeSet};

use placelab_core::{DomainIndex, Node, NodeId, NodeName, Roster, Weight};

use super::{Rules, Shard, ShardMap, Spread};

/// The first rule that a map breaks, with the shard or node that breaks it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Broken {
    /// The map has other numbers of shards or copies than the rules are for.
    #[error(
        "shape: the map is of {shards} shards of {copies} copies, and {asked_shards} shards of \
         {asked_copies} copies are asked for"
    )]
    Shape {
        /// Shards of the map.
        shards: usize,
        /// Copies of each in the map.
        copies: usize,
        /// Shards that there are.
        asked_shards: usize,
        /// Copies that the rules ask for.
        asked_copies: usize,
    },
    /// A copy has no node.
    #[error("hole: copy {copy} of shard `{shard}` has no node")]
    Hole {
        /// The shard.
        shard: String,
        /// Which copy, from 0: the owner's.
        copy: usize,
    },
    /// A copy is on a node that is no member.
    #[error("unknown owner: shard `{shard}` is on node #{}, which is not in the fleet", node.0)]
    Unknown {
        /// The shard.
        shard: String,
        /// The node, which has no name here.
        node: NodeId,
    },
    /// A member of weight 0 holds something.
    #[error("weight 0: shard `{shard}` is on `{node}`, which holds nothing")]
    Drained {
        /// The shard.
        shard: String,
        /// The node.
        node: NodeName,
    },
    /// Two copies of a shard are on one node.
    #[error("twice: shard `{shard}` has two copies on `{node}`")]
    Twice {
        /// The shard.
        shard: String,
        /// The node.
        node: NodeName,
    },
    /// Two copies of a shard share a failure domain.
    #[error("spread: the copies of shard `{shard}` on `{one}` and `{other}` share a {domain}")]
    Spread {
        /// The shard.
        shard: String,
        /// A node.
        one: NodeName,
        /// Another one.
        other: NodeName,
        /// `zone` or `rack`.
        domain: &'static str,
    },
    /// A shard is outside the zones of its label.
    #[error("residency: shard `{shard}` with label `{label}` is on `{node}`, outside its zones")]
    Residency {
        /// The shard.
        shard: String,
        /// Its label.
        label: String,
        /// The node.
        node: NodeName,
    },
    /// Two shards of a tenant are on different nodes.
    #[error("together: shards `{one}` and `{other}` of tenant `{tenant}` are on different nodes")]
    Together {
        /// The tenant.
        tenant: String,
        /// Its first shard.
        one: String,
        /// Another one.
        other: String,
    },
    /// A node holds more than it can.
    #[error("capacity: `{node}` holds {load} copies of at most {capacity}")]
    Capacity {
        /// The node.
        node: NodeName,
        /// Copies on it.
        load: u64,
        /// How many it can hold.
        capacity: u64,
    },
}

/// Holds a map to the rules: every copy is on a member of positive weight, and no rule is broken.
/// It shares nothing with the search that makes maps.
///
/// # Errors
/// The first that is broken, in the order of the shards; capacities come last.
pub fn verify(
    map: &ShardMap,
    roster: &Roster,
    shards: &[Shard],
    rules: &Rules,
) -> Result<(), Broken> {
    if (map.shards(), map.copies()) != (shards.len(), rules.copies) {
        return Err(Broken::Shape {
            shards: map.shards(),
            copies: map.copies(),
            asked_shards: shards.len(),
            asked_copies: rules.copies,
        });
    }
    let fleet = Fleet::new(roster, rules);
    let mut tenants: BTreeMap<&str, (&Shard, BTreeSet<NodeId>)> = BTreeMap::new();
    for (at, shard) in shards.iter().enumerate() {
        let holders = map.holders(at);
        let nodes = fleet.members(shard, holders)?;
        fleet.check_spread(shard, &nodes)?;
        check_residency(shard, &nodes, rules)?;
        let Some(tenant) = shard.tenant.as_deref().filter(|_| rules.together) else { continue };
        let on: BTreeSet<NodeId> = holders.iter().copied().collect();
        let (first, nodes) = tenants.entry(tenant).or_insert_with(|| (shard, on.clone()));
        if *nodes != on {
            let (one, other) = (first.name.clone(), shard.name.clone());
            return Err(Broken::Together { tenant: tenant.into(), one, other });
        }
    }
    check_capacity(map, roster, rules)
}

/// The nodes that may hold something, to be found quickly.
struct Fleet<'a> {
    nodes: BTreeMap<NodeId, &'a Node>,
    /// Zones or racks, with the word for one, where copies must not share them.
    domains: Option<(DomainIndex, &'static str)>,
}

impl<'a> Fleet<'a> {
    fn new(roster: &'a Roster, rules: &Rules) -> Self {
        Fleet {
            nodes: roster.nodes().iter().map(|node| (node.id, node)).collect(),
            domains: match rules.spread {
                Spread::Nodes => None,
                Spread::Zones => Some((DomainIndex::zones(roster), "zone")),
                Spread::Racks => Some((DomainIndex::racks(roster), "rack")),
            },
        }
    }

    /// The members of positive weight that hold a shard.
    fn members(&self, shard: &Shard, holders: &[NodeId]) -> Result<Vec<&'a Node>, Broken> {
        let name = || shard.name.clone();
        let member = |(copy, id): (usize, &NodeId)| match self.nodes.get(id) {
            _ if *id == NodeId::NOBODY => Err(Broken::Hole { shard: name(), copy }),
            None => Err(Broken::Unknown { shard: name(), node: *id }),
            Some(node) if node.weight == Weight::ZERO => {
                Err(Broken::Drained { shard: name(), node: node.name.clone() })
            }
            Some(node) => Ok(*node),
        };
        holders.iter().enumerate().map(member).collect()
    }

    fn check_spread(&self, shard: &Shard, nodes: &[&Node]) -> Result<(), Broken> {
        for (at, node) in nodes.iter().enumerate() {
            for other in &nodes[..at] {
                if other.id == node.id {
                    let (shard, node) = (shard.name.clone(), node.name.clone());
                    return Err(Broken::Twice { shard, node });
                }
                let shared =
                    |(index, _): &&(DomainIndex, _)| index.of(node.id) == index.of(other.id);
                if let Some((_, domain)) = self.domains.as_ref().filter(shared) {
                    let (one, other) = (other.name.clone(), node.name.clone());
                    return Err(Broken::Spread { shard: shard.name.clone(), one, other, domain });
                }
            }
        }
        Ok(())
    }
}

fn check_residency(shard: &Shard, nodes: &[&Node], rules: &Rules) -> Result<(), Broken> {
    let kept = shard.label.as_ref().and_then(|label| rules.residency.get_key_value(label));
    let Some((label, zones)) = kept else { return Ok(()) };
    let is_resident = |node: &&&Node| node.zone.as_ref().is_some_and(|zone| zones.contains(zone));
    match nodes.iter().find(|node| !is_resident(node)) {
        Some(node) => Err(Broken::Residency {
            shard: shard.name.clone(),
            label: label.clone(),
            node: node.name.clone(),
        }),
        None => Ok(()),
    }
}

fn check_capacity(map: &ShardMap, roster: &Roster, rules: &Rules) -> Result<(), Broken> {
    for (node, load) in roster.nodes().iter().zip(map.loads(roster)) {
        match rules.capacity.get(&node.id) {
            Some(&capacity) if load > capacity => {
                return Err(Broken::Capacity { node: node.name.clone(), load, capacity });
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use placelab_core::{Change, Domain};

    use super::super::solve;
    use super::*;

    /// Six nodes in three zones and a drained one; tenants of two shards, two labelled ones.
    fn world() -> (Roster, Vec<Shard>, Rules, ShardMap) {
        let domain = |number: u32| Domain::new(&format!("zone-{number}")).unwrap();
        let node = |at: u32| Node { zone: Some(domain(at % 3)), ..Roster::numbered_node(at) };
        let roster = Roster::new((0..7).map(node).collect()).unwrap();
        let roster = roster.after(&[Change::Reweight(NodeId(6), Weight::ZERO)]).unwrap();
        let shard = |at: u32| Shard {
            name: format!("s{at}"),
            label: (at < 2).then(|| "eu".into()),
            tenant: Some(format!("t{}", at / 2)),
        };
        let shards: Vec<Shard> = (0..12).map(shard).collect();
        let rules = Rules {
            copies: 2,
            spread: Spread::Zones,
            residency: [("eu".into(), [domain(0), domain(1)].into())].into(),
            together: true,
            capacity: [(NodeId(5), 4)].into(),
        };
        let map = solve(&roster, &shards, &rules, &ShardMap::empty(12, 2)).unwrap().map;
        (roster, shards, rules, map)
    }

    /// The map with the copies of some shards on other nodes.
    fn with(map: &ShardMap, rows: &[(usize, [u32; 2])]) -> ShardMap {
        let mut holders: Vec<NodeId> =
            (0..map.shards()).flat_map(|at| map.holders(at).to_vec()).collect();
        for (shard, nodes) in rows {
            holders[2 * shard..2 * shard + 2].copy_from_slice(&nodes.map(NodeId));
        }
        ShardMap::new(2, holders)
    }

    #[test]
    fn every_rule_that_is_broken_is_named() {
        let (roster, shards, rules, map) = world();
        assert_eq!(verify(&map, &roster, &shards, &rules), Ok(()));
        let nobody = NodeId::NOBODY.0;
        for (rows, says) in [
            (&[(4, [1, nobody])][..], "hole: copy 1 of shard `s4` has no node"),
            (&[(4, [nobody, 2])], "hole: copy 0 of shard `s4` has no node"),
            (&[(4, [1, 9])], "unknown owner: shard `s4` is on node #9, which is not in the fleet"),
            (&[(4, [1, 6])], "weight 0: shard `s4` is on `node-6`, which holds nothing"),
            (&[(4, [1, 1])], "twice: shard `s4` has two copies on `node-1`"),
            (
                &[(4, [1, 4])],
                "spread: the copies of shard `s4` on `node-1` and `node-4` share a zone",
            ),
            (
                &[(0, [0, 2])],
                "residency: shard `s0` with label `eu` is on `node-2`, outside its zones",
            ),
            (
                &[(4, [0, 1]), (5, [0, 2])],
                "together: shards `s4` and `s5` of tenant `t2` are on different nodes",
            ),
        ] {
            let broken = verify(&with(&map, rows), &roster, &shards, &rules).unwrap_err();
            assert_eq!(broken.to_string(), says);
        }
        let full: Vec<(usize, [u32; 2])> = (4..12).map(|at| (at, [0, 5])).collect();
        let broken = verify(&with(&map, &full), &roster, &shards, &rules).unwrap_err();
        assert_eq!(broken.to_string(), "capacity: `node-5` holds 8 copies of at most 4");
    }

    #[test]
    fn rules_that_are_not_asked_for_bind_nobody() {
        let (roster, shards, _, map) = world();
        let rules = Rules { copies: 2, ..Rules::default() };
        let odd = with(&map, &[(0, [2, 5]), (4, [1, 4])]);
        assert_eq!(verify(&odd, &roster, &shards, &rules), Ok(()));
        let other = Rules::default();
        let shape = verify(&map, &roster, &shards, &other).unwrap_err();
        assert!(matches!(shape, Broken::Shape { copies: 2, asked_copies: 1, .. }), "{shape}");
        assert!(verify(&map, &roster, &shards[1..], &rules).is_err());
    }

    /// Nodes without a zone are zones of their own, and racks are apart in each zone.
    #[test]
    fn domains_are_those_of_the_search() {
        let domain = |name: &str| Some(Domain::new(name).unwrap());
        let node = |at: u32, zone, rack| Node { zone, rack, ..Roster::numbered_node(at) };
        let roster = Roster::new(vec![
            node(0, None, None),
            node(1, None, None),
            node(2, domain("a"), domain("r")),
            node(3, domain("a"), domain("q")),
            node(4, domain("b"), domain("r")),
        ]);
        let (roster, shards) = (roster.unwrap(), vec![Shard::default()]);
        for (spread, nodes, keeps) in [
            (Spread::Zones, [0, 1], true),
            (Spread::Zones, [2, 3], false),
            (Spread::Racks, [2, 3], true),
            (Spread::Racks, [2, 4], true),
            (Spread::Racks, [0, 1], true),
        ] {
            let rules = Rules { copies: 2, spread, ..Rules::default() };
            let map = ShardMap::new(2, nodes.map(NodeId).to_vec());
            let is_kept = verify(&map, &roster, &shards, &rules).is_ok();
            assert_eq!(is_kept, keeps, "{spread:?} {nodes:?}");
        }
    }
}
