//! Bars of lookups in rings and tables.

use placelab_benches::ours::{Weights, fleet, placement};
use placelab_benches::versus::{Clock, Ratio, Runner, race};
use placelab_core::{Change, Key, NodeId, Placement, advance};

use crate::rivals::hashers::FastBuild;
use crate::rivals::rings::{fast_hashring, owner};
use crate::rivals::tables::anchor_lookup;
use crate::rivals::{self, Hashing};
use crate::rows::{Bound, Call, Laboratory, Ours, Way};

pub(crate) fn ring(laboratory: &mut Laboratory) {
    let ring = Ours::new("ring:vnodes=160", Way::Best);
    for (nodes, least) in [(10, 4.5), (100, 4.5), (1_000, 7.5), (10_000, 20.0)] {
        laboratory.against(&ring, nodes, least, Call("hashring", "get", Hashing::Fast));
    }
}

/// Each key waits for the owner of the one before.
pub(crate) fn ring_latency(laboratory: &mut Laboratory) {
    for (nodes, least) in [(10, 4.0), (100, 4.0), (1_000, 5.0)] {
        let figure = ring_latency_of(laboratory, nodes);
        laboratory.record(format!("ring, N = {nodes}"), Bound::AtLeast(least), figure);
    }
}

fn ring_latency_of(laboratory: &Laboratory, nodes: u32) -> Result<Ratio, String> {
    let ours = Ours::new("ring:vnodes=160", Way::Best).placement(nodes)?;
    let theirs = fast_hashring(nodes);
    let keys = laboratory.effort.keys;
    let chain = |count: usize, owner: &dyn Fn(u64) -> u32| {
        let hashes = laboratory.batch.first(count).hashes;
        hashes.iter().fold(0, |last: u64, hash| owner(hash.0.wrapping_add(last)).into())
    };
    let ours = Runner::new(keys, |count| chain(count, &|key| ours.place(Key::hashed(key)).0));
    let theirs = Runner::new(keys, |count| chain(count, &|key| owner(&theirs, key)));
    let times = race(laboratory.effort, Clock::Thread, vec![ours, theirs]);
    Ok(times.ratio(1, 0))
}

pub(crate) fn maglev(laboratory: &mut Laboratory) {
    let ours = Ours::new("maglev", Way::Best);
    for nodes in [10, 100] {
        laboratory.against(&ours, nodes, 2.4, Call("maglev", "get", Hashing::Fast));
    }
    for nodes in [10, 100] {
        let figure = times_faster_than_shipped(laboratory, &ours, nodes);
        let case = format!("maglev against any crate as shipped, N = {nodes}");
        laboratory.record(case, Bound::AtLeast(15.0), figure);
    }
}

fn times_faster_than_shipped(
    laboratory: &Laboratory,
    ours: &Ours<'_>,
    nodes: u32,
) -> Result<Ratio, String> {
    let placement = ours.placement(nodes)?;
    let mut runners = vec![laboratory.ours(placement.as_ref(), Way::Best)];
    let peers = rivals::tables::maglev().peers.into_iter();
    let shipped = peers.filter(|peer| matches!(peer.hashing, Hashing::Shipped(_)));
    runners.extend(shipped.map(|peer| laboratory.lookup((peer.build)(nodes))));
    let shipped_count = runners.len() - 1;
    let times = race(laboratory.effort, Clock::Thread, runners);
    let fastest = (1..=shipped_count).min_by(|&a, &b| times.median(a).total_cmp(&times.median(b)));
    Ok(times.ratio(fastest.ok_or("crates are shipped")?, 0))
}

/// Of the buckets, none, a tenth and half are removed, every so many-th of them.
pub(crate) fn anchor(laboratory: &mut Laboratory) {
    for capacity in [10, 100, 1_000, 10_000] {
        for (share, step) in [("none", u32::MAX), ("a tenth", 10), ("half", 2)] {
            let removed: Vec<u32> = (1..capacity).step_by(step as usize).collect();
            let removed = if share == "none" { &[] } else { &removed[..] };
            let ours = anchor_without(capacity, removed).expect("anchors lose any node");
            let peer = anchor_lookup::<FastBuild>(capacity, removed);
            let runners = vec![laboratory.ours(ours.as_ref(), Way::Best), laboratory.lookup(peer)];
            let times = race(laboratory.effort, Clock::Thread, runners);
            let case = format!("anchor, {capacity} buckets, {share} removed");
            laboratory.record(case, Bound::AtLeast(1.25), Ok(times.ratio(1, 0)));
        }
    }
}

fn anchor_without(capacity: u32, removed: &[u32]) -> Result<Box<dyn Placement>, String> {
    let spec = placelab_algorithms::find("anchor").ok_or("there is an anchor")?;
    let all = fleet(capacity, Weights::Equal);
    let before = placement(&format!("anchor:capacity={capacity}"), all)?;
    let gone: Vec<Change> = removed.iter().map(|&id| Change::Remove(NodeId(id))).collect();
    advance(spec, before.as_ref(), &gone).map_err(|error| error.to_string())
}

pub(crate) fn multi_probe(laboratory: &mut Laboratory) {
    let ours = Ours::new("multi-probe", Way::Best);
    for (nodes, least) in [(10, 5.5), (100, 12.0), (1_000, 17.0)] {
        laboratory.against(&ours, nodes, least, Call("hash-rings", "mpc get_node", Hashing::Fast));
    }
}
