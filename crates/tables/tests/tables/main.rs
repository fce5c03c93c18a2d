//! Tables as files: both forms there and back, everything that can be wrong, and versions.

mod activation;
mod forms;
mod mistakes;

use placelab_algorithms::shard_map::{Rules, Shard, ShardMap, Spread};
use placelab_core::mix::stream;
use placelab_core::{Domain, Node, NodeId, NodeName, Roster, Weight};
use placelab_tables::TableFile;

/// A start of so many shards of two copies in different zones, over six nodes of three zones.
fn start(shards: usize) -> TableFile {
    let domain = |at: u32| Domain::new(&format!("zone-{}", at % 3)).unwrap();
    let node = |at: u32| Node { zone: Some(domain(at)), ..Roster::numbered_node(at) };
    let shard = |at| Shard { name: format!("s{at}"), ..Shard::default() };
    TableFile {
        version: 0,
        replaces: None,
        roster: Some(Roster::new((0..6).map(node).collect()).unwrap()),
        rules: Rules { copies: 2, spread: Spread::Zones, ..Rules::default() },
        shards: (0..shards).map(shard).collect(),
        map: ShardMap::empty(shards, 2),
    }
}

/// A table made of draws: hostile names, every rule now and then, holes in starts.
fn world(seed: u64) -> TableFile {
    let mut draws = 0..;
    let mut draw = |below: u64| stream(seed, draws.next().unwrap()) % below;
    let odd = ["a,b", "\"q\"", "it's", "ü→雪", " x ", "#=[]{}", "\\u0041", "'''", "1", "=1+1"];
    let name = |at: u32, pick: u64| NodeName::new(&format!("{}{at}", odd[pick as usize])).unwrap();
    let copies = 1 + draw(3) as usize;
    let nodes = copies as u32 + draw(6) as u32;
    let node = |at: u32, draw: &mut dyn FnMut(u64) -> u64| Node {
        id: NodeId(at),
        name: name(at, draw(10)),
        weight: if draw(3) > 0 { Weight::ONE } else { "2.5".parse().unwrap() },
        zone: (draw(4) > 0).then(|| name(draw(3) as u32, 3)),
        rack: (draw(4) > 0).then(|| name(draw(2) as u32, 1)),
    };
    let roster = Roster::new((0..nodes).map(|at| node(at, &mut draw)).collect()).unwrap();
    let shards = 1 + draw(12) as usize;
    let text = |at: u64| name(at as u32, at % 10).to_string();
    let shard = |at: usize, draw: &mut dyn FnMut(u64) -> u64| Shard {
        name: name(at as u32, draw(10)).to_string(),
        label: (draw(3) == 0).then(|| text(draw(2))),
        tenant: (draw(2) == 0).then(|| text(draw(4))),
    };
    let version = draw(4);
    let holders = (0..shards).flat_map(|_| {
        // A start may leave the last copies of a shard open.
        let known = if version == 0 { draw(1 + copies as u64) } else { copies as u64 };
        let first = draw(nodes.into());
        let holder = move |at: u64| match at < known {
            true => NodeId(((first + at) % u64::from(nodes)) as u32),
            false => NodeId::NOBODY,
        };
        (0..copies as u64).map(holder).collect::<Vec<_>>()
    });
    let map = ShardMap::new(copies, holders.collect());
    let rules = Rules {
        copies,
        spread: [Spread::Nodes, Spread::Zones, Spread::Racks][draw(3) as usize],
        residency: (0..draw(3)).map(|at| (text(at), [name(0, 3), name(1, 3)].into())).collect(),
        together: draw(2) == 0,
        capacity: (0..nodes).step_by(2).map(|at| (NodeId(at), draw(100))).collect(),
    };
    let shards = (0..shards).map(|at| shard(at, &mut draw)).collect();
    let replaces = (version > 1).then(|| version - 1);
    TableFile { version, replaces, roster: Some(roster), rules, shards, map }
}
