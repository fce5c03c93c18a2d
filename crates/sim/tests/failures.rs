//! Failures against their slow twin, and against what theory says of rings.

use placelab_algorithms::{REGISTRY, find};
use placelab_core::{
    AlgorithmRequest, AlgorithmSpec, Capability, Change, CopyRule, DomainRule, HashFunction,
    HashSeed, KeyHash, NodeId, Placement, Roster, Weight, advance, establish,
};
use placelab_metrics::cascade::cascade;
use placelab_metrics::failures::{Aftermath, Calm};
use placelab_metrics::loss::Holders;
use placelab_results::Measure;
use placelab_sim::failures::{Capacity, Keyset, Subject, Way};
use placelab_sim::fleet::numbered_nodes;
use placelab_sim::keys::KeySource;
use placelab_sim::scenario::{Domains, KeyRequest, SourceRequest};

fn contender(
    text: &str,
    seed: u64,
    roster: Roster,
) -> (&'static AlgorithmSpec, Box<dyn Placement>) {
    let request = AlgorithmRequest::expand(text).unwrap().remove(0);
    let spec = find(&request.name).unwrap();
    let arguments = request.arguments(spec, &|_| unreachable!()).unwrap();
    (spec, establish(spec, &arguments, HashSeed(seed), roster).unwrap())
}

fn uniform(spec: &AlgorithmSpec, count: u64) -> Keyset {
    let request = KeyRequest {
        source: SourceRequest::Uniform { count },
        hash: HashFunction::Xxh3,
        marks: vec![],
    };
    Keyset::of(&KeySource::open(&request).unwrap(), spec.reads, HashSeed(0), Measure::Keys)
}

fn racked(nodes: u32, racks: u32) -> Roster {
    let domains = Domains { zones: None, racks: Some(racks) };
    Roster::new(numbered_nodes(nodes, domains)).unwrap()
}

/// What single failures and pairs leave behind, in the way of the contender or by replay.
fn looked_at(
    text: &str,
    roster: &Roster,
    copies: CopyRule,
    slowly: bool,
) -> (Way, Vec<Aftermath>, Vec<Aftermath>) {
    let (spec, placement) = contender(text, 3, roster.clone());
    let subject = Subject::new(spec, placement.as_ref(), copies, uniform(spec, 1_200)).unwrap();
    let subject = if slowly { subject.by_replay() } else { subject };
    let plan = subject.plan(1);
    let findings = subject.look(&plan, &Capacity::OwnLoad(1.5)).unwrap();
    (plan.way, findings.singles, findings.pairs)
}

/// Every contender that can lose any node finds what replaying each failure finds.
#[test]
fn the_way_makes_no_difference() {
    let [plain, prefer, spread] = [DomainRule::Ignore, DomainRule::Prefer, DomainRule::Spread]
        .map(|racks| move |count| CopyRule { count, zones: DomainRule::Ignore, racks });
    let roster = racked(7, 4);
    let mut ways = Vec::new();
    for spec in REGISTRY.iter().filter(|spec| !spec.is_load_aware()) {
        for rule in [plain(1), plain(2), plain(3), prefer(2), prefer(5), spread(3), spread(4)] {
            let (way, singles, pairs) = looked_at(spec.name, &roster, rule, false);
            let (_, singles_twin, pairs_twin) = looked_at(spec.name, &roster, rule, true);
            assert_eq!(singles, singles_twin, "{} {rule:?}", spec.name);
            assert_eq!(pairs, pairs_twin, "{} {rule:?}", spec.name);
            // Without node 3 a fourth copy has no rack.
            let all = if rule == spread(4) { 6 } else { 7 };
            let all = if spec.can(Capability::RemoveAny) { all } else { 1 };
            assert_eq!(singles.len(), all, "{} {rule:?}", spec.name);
            ways.push((spec.name, way));
        }
    }
    for expected in [
        ("ring", Way::Candidates),
        ("rendezvous", Way::Candidates),
        ("multi-probe", Way::Candidates),
        ("maglev", Way::Slot),
        ("slots", Way::Slot),
        ("modulo", Way::Replay),
        ("jump", Way::Replay),
    ] {
        let of_name = ways.iter().filter(|way| way.0 == expected.0);
        assert!(of_name.clone().count() == 7, "{expected:?}");
        of_name.for_each(|way| assert_eq!(*way, expected));
    }
}

/// Zones and racks together, weights, a member that owns nothing, and domains that die with a node.
#[test]
fn weights_and_dying_domains_make_no_difference() {
    let mut nodes = numbered_nodes(8, Domains { zones: Some(3), racks: Some(2) });
    nodes[5].weight = Weight::ZERO;
    nodes[2].weight = Weight::units(3);
    let roster = Roster::new(nodes).unwrap();
    for text in ["ring:vnodes=5", "weighted-rendezvous", "maglev:size=251"] {
        for (count, zones) in
            [(2, DomainRule::Spread), (3, DomainRule::Spread), (5, DomainRule::Prefer)]
        {
            let rule = CopyRule { count, zones, racks: DomainRule::Prefer };
            let [fast, slow] = [false, true].map(|slowly| looked_at(text, &roster, rule, slowly));
            assert!(!fast.1.is_empty());
            assert_eq!((fast.1, fast.2), (slow.1, slow.2), "{text} {rule:?}");
        }
    }
}

/// Any cut of the keys over threads finds the same.
#[test]
fn threads_make_no_difference() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| looked_at("ring", &racked(20, 4), CopyRule::plain(3), false))
    };
    assert_eq!(on(1).1, on(3).1);
    assert_eq!(on(1).2, on(7).2);
}

/// A contender that shrinks at its tail alone is refused every other failure.
#[test]
fn what_cannot_fail_is_said() {
    let (spec, placement) = contender("jump", 0, Roster::numbered(5).unwrap());
    let subject =
        Subject::new(spec, placement.as_ref(), CopyRule::plain(2), uniform(spec, 500)).unwrap();
    let plan = subject.plan(1);
    assert_eq!((plan.singles(), plan.possible(), plan.pairs()), (1, 1, 1));
    assert!(plan.refusal().unwrap().to_string().contains("remove-any"));
    // With as many copies as nodes nobody may fail.
    let all = Subject::new(spec, placement.as_ref(), CopyRule::plain(5), uniform(spec, 500));
    let subject = all.unwrap();
    let plan = subject.plan(1);
    assert_eq!((plan.possible(), plan.pairs()), (0, 0));
    let findings = subject.look(&plan, &Capacity::OwnLoad(1.5)).unwrap();
    assert!(findings.singles.is_empty() && subject.cascades(&findings, 1).is_none());
}

/// Exact shares by identity.
fn shares(placement: &dyn Placement, nodes: usize) -> Vec<u128> {
    let mut loads = vec![0; nodes];
    for (node, part) in placement.shares().expect("a ring knows its arcs").parts {
        loads[node.index()] = part;
    }
    loads
}

fn without(
    spec: &'static AlgorithmSpec,
    before: &dyn Placement,
    gone: &[NodeId],
) -> Box<dyn Placement> {
    let changes: Vec<Change> = gone.iter().copied().map(Change::Remove).collect();
    advance(spec, before, &changes).unwrap()
}

/// Twenty nodes, each with half as much room again as it has load; one fails, by exact shares.
///
/// With one point a node, the successor's arc X grows by the lost arc Y. Arcs are exchangeable
/// spacings, so Y ÷ (X + Y) is uniform, and the successor is too full where Y > X ÷ 2, that is
/// Y ÷ (X + Y) > 1/3: in 2/3 of all rings. 20,000 failures of 1,000 rings; a fraction of 1,000
/// independent draws would scatter by 0.015.
#[test]
fn a_ring_of_one_point_a_node_cascades() {
    let nodes: Vec<NodeId> = (0..20).map(NodeId).collect();
    let spreading = |text: &str, first: &[NodeId]| {
        let mut spread = 0;
        for seed in 0..1_000 {
            let (spec, before) = contender(text, seed, Roster::numbered(20).unwrap());
            let own = shares(before.as_ref(), 20);
            let capacity: Vec<f64> = own.iter().map(|part| 1.5 * *part as f64).collect();
            for node in first {
                let loads = |gone: &[NodeId]| {
                    Some(shares(without(spec, before.as_ref(), gone).as_ref(), 20))
                };
                spread += usize::from(cascade(&[*node], &nodes, &capacity, loads).len() > 1);
            }
        }
        spread as f64 / (1_000 * first.len()) as f64
    };
    let one = spreading("ring:vnodes=1", &nodes);
    assert!((one - 2.0 / 3.0).abs() < 3.0 * 0.015, "{one}");
    assert_eq!(spreading("ring:vnodes=160", &nodes[..1]), 0.0);
    // Rendezvous shares out by weight whoever is up: 1/20 before, 1/19 after.
    let fair =
        |gone: &[NodeId]| {
            Some(
                (0..20)
                    .map(|node| {
                        if gone.contains(&NodeId(node)) {
                            0
                        } else {
                            380 / (20 - gone.len() as u128)
                        }
                    })
                    .collect(),
            )
        };
    assert_eq!(cascade(&nodes[..1], &nodes, &[1.5 * 19.0; 20], fair), nodes[..1]);
}

/// A key on every point of a ring of `node-0` …: one for each arc, under the published seed.
fn points(nodes: u32, vnodes: u32) -> Vec<KeyHash> {
    let point = |node, at| KeyHash(HashFunction::Xxh3.hash(format!("node-{node}#{at}").as_bytes()));
    let mut points: Vec<_> =
        (0..nodes).flat_map(|node| (0..vnodes).map(move |at| point(node, at))).collect();
    points.sort_unstable();
    points
}

/// The sets of nodes that hold the keys of a ring, all of them.
fn ring_holders(roster: &Roster, vnodes: u32, copies: CopyRule) -> Holders {
    let (_, ring) = contender(&format!("ring:vnodes={vnodes}"), 0, roster.clone());
    let chooser = copies.chooser(roster).unwrap();
    let hashes = points(roster.len() as u32, vnodes);
    let mut sets = vec![NodeId::NOBODY; hashes.len() * copies.count];
    chooser.choose_many(ring.as_ref(), placelab_core::Keys::hashed(&hashes), &mut sets);
    Holders::new(copies.count, &sets)
}

/// Sixty nodes in three racks, a copy in each: the more points, the more partners, and with them
/// the chance that two failures take two copies of some key: partners ÷ 59.
#[test]
fn partners_and_lost_quorums_of_a_ring() {
    let roster = racked(60, 3);
    let nodes = roster.serving_ids();
    for racks in [DomainRule::Prefer, DomainRule::Spread] {
        let rule = CopyRule { count: 3, zones: DomainRule::Ignore, racks };
        for (vnodes, partners, lost) in [(256, 40.0, 0.678), (16, 32.09, 0.546), (4, 13.32, 0.225)]
        {
            let holders = ring_holders(&roster, vnodes, rule);
            let (found, loss) = (holders.partners(&nodes), holders.loss(2, 2, &nodes));
            assert!((found / partners - 1.0).abs() < 0.03, "V = {vnodes}: {found}");
            assert!(loss.is_exact, "1,770 pairs");
            assert!((loss.probability() / lost - 1.0).abs() < 0.03, "V = {vnodes}: {loss:?}");
            assert!((loss.probability() - found / 59.0).abs() < 1e-12);
        }
    }
}

/// Three copies on 5,000 nodes of which 50 fail at once: a ring has about 5,000 · V sets of nodes,
/// each lost with probability 50 · 49 · 48 ÷ (5,000 · 4,999 · 4,998) = 9.4 × 10⁻⁷.
#[test]
fn many_points_lose_something_sooner() {
    let roster = Roster::numbered(5_000).unwrap();
    for (vnodes, expected) in [(1, 0.005), (16, 0.07), (256, 0.70)] {
        let holders = ring_holders(&roster, vnodes, CopyRule::plain(3));
        let loss = holders.loss(3, 50, &roster.serving_ids());
        let (low, high) = loss.interval().unwrap();
        assert!((loss.probability() / expected - 1.0).abs() < 0.15, "V = {vnodes}: {loss:?}");
        assert!(low < loss.probability() && loss.probability() < high);
    }
}

/// One of N nodes of a ring of 160 points each goes: who receives its arcs, and how much the
/// largest receiver gets; means over 20 rings and 20 failures of each.
#[test]
fn few_receive_what_a_large_ring_loses() {
    for (nodes, receivers, extra) in [(20, 19.0, 2.0), (100, 79.0, 5.3), (1_000, 148.0, 37.0)] {
        let (mut received, mut largest) = (0.0, 0.0);
        for seed in 0..20 {
            let roster = Roster::numbered(nodes).unwrap();
            let (spec, before) = contender("ring:vnodes=160", seed, roster.clone());
            let boundless = vec![f64::INFINITY; nodes as usize];
            let calm = Calm::new(&roster, shares(before.as_ref(), nodes as usize), boundless);
            for gone in (0..20).map(|at| NodeId(at * nodes / 20)) {
                let after =
                    shares(without(spec, before.as_ref(), &[gone]).as_ref(), nodes as usize);
                let part = |node: NodeId| after[node.index()] - calm.loads()[node.index()];
                let one = calm.aftermath(vec![gone], |node| after[node.index()], part);
                received += one.receivers as f64 / 400.0;
                largest += one.max_extra / 400.0;
            }
        }
        assert!((received / receivers - 1.0).abs() < 0.05, "N = {nodes}: {received} receive");
        assert!((largest / extra - 1.0).abs() < 0.05, "N = {nodes}: {largest} of a fair part");
    }
}
