//! `tables/…`: a map of 16,384 shards in three copies over 200 nodes in six zones: made anew, after
//! one node failed, and after one joined; and made anew where every second shard has to stay in
//! half of the zones.

use std::collections::{BTreeMap, BTreeSet};

use criterion::Criterion;
use placelab_algorithms::shard_map::{Rules, Shard, ShardMap, Spread, solve};
use placelab_benches::criterion;
use placelab_core::{Change, Domain, Node, NodeId, Roster};
use placelab_sim::fleet::numbered_nodes;
use placelab_sim::scenario::Domains;

const SHARDS: usize = 16_384;
const NODES: u32 = 200;

fn maps(criterion: &mut Criterion) {
    let domains = Domains { zones: Some(6), racks: None };
    let nodes = numbered_nodes(NODES + 1, domains);
    let [newcomer, fleet] = [vec![nodes[NODES as usize].clone()], nodes[..NODES as usize].to_vec()];
    let roster = Roster::new(fleet).expect("a fleet");
    let shard = |at: usize| Shard { name: format!("shard-{at}"), ..Shard::default() };
    let shards: Vec<Shard> = (0..SHARDS).map(shard).collect();
    let rules = Rules { copies: 3, spread: Spread::Zones, ..Rules::default() };
    let nothing = ShardMap::empty(SHARDS, rules.copies);
    let first = solve(&roster, &shards, &rules, &nothing).expect("there is room").map;
    let join = newcomer.into_iter().map(|node: Node| Change::Add(node)).collect::<Vec<_>>();
    let mut group = criterion.benchmark_group("tables");
    group.bench_function("anew", |bencher| {
        bencher.iter(|| solve(&roster, &shards, &rules, &nothing).expect("there is room"));
    });
    for (name, changes) in [("one fails", vec![Change::Remove(NodeId(77))]), ("one joins", join)] {
        let after = roster.after(&changes).expect("a change");
        group.bench_function(name, |bencher| {
            bencher.iter(|| solve(&after, &shards, &rules, &first).expect("there is room"));
        });
    }
    let mut resident = shards.clone();
    resident.iter_mut().step_by(2).for_each(|shard| shard.label = Some("home".into()));
    let zones: BTreeSet<Domain> =
        roster.nodes().iter().step_by(2).filter_map(|node| node.zone.clone()).collect();
    let rules = Rules { residency: BTreeMap::from([("home".into(), zones)]), ..rules };
    group.bench_function("anew, half resident", |bencher| {
        bencher.iter(|| solve(&roster, &resident, &rules, &nothing).expect("there is room"));
    });
    group.finish();
}

fn main() {
    let mut criterion = criterion();
    maps(&mut criterion);
    criterion.final_summary();
}
