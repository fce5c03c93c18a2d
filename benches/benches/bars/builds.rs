//! Bars of making placements.

use placelab_algorithms::{Turns, populate};
use placelab_benches::ours::{Weights, fleet, placement};
use placelab_benches::versus::{Clock, Runner, race};
use placelab_core::hash::xxh3_pair;
use placelab_core::{Change, HashSeed, Placement, Roster, advance};

use crate::rivals::hashers::SipBuild;
use crate::rivals::rings::fast_hashring;
use crate::rivals::tables::{ENTRIES, maglev_of};
use crate::rows::{Bound, Laboratory};

const SIZES: [u32; 2] = [100, 1_000];
/// Builds of a sample are not cut short, so that the number of them hardly matters.
const BUILDS: usize = 1_024;

/// A runner that makes something so many times; `make` returns a number made of it.
fn builder<'a>(mut make: impl FnMut() -> u64 + 'a) -> Runner<'a> {
    Runner::new(BUILDS, move |count| (0..count).map(|_| make()).fold(0, u64::wrapping_add))
}

/// One owner, so that a placement has to exist.
fn probe(placement: &dyn Placement) -> u64 {
    placement.place(placelab_core::Key::hashed(1)).0.into()
}

fn anew(text: &str, roster: &Roster) -> u64 {
    probe(placement(text, roster.clone()).expect("it serves such fleets").as_ref())
}

/// The turns of `node-0` …, as the algorithm has them.
fn turns(nodes: u32) -> Vec<Turns> {
    let turn = |node: u32| {
        let name = format!("node-{node}");
        let (offset, skip) = xxh3_pair(HashSeed::PUBLISHED, name.as_bytes());
        Turns {
            offset: (offset % u64::from(ENTRIES)) as u32,
            skip: (skip % u64::from(ENTRIES - 1)) as u32 + 1,
            weight: 1,
        }
    };
    (0..nodes).map(turn).collect()
}

/// The loop of the paper's pseudo-code, with a remainder for every slot that is tried.
fn paper_loop(entries: u32, nodes: &[Turns]) -> Vec<u32> {
    let size = entries as usize;
    let mut next = vec![0; nodes.len()];
    let mut table = vec![usize::MAX; size];
    let mut filled = 0;
    loop {
        for (node, turns) in nodes.iter().enumerate() {
            let slot = |at: usize| (turns.offset as usize + at * turns.skip as usize) % size;
            while table[slot(next[node])] != usize::MAX {
                next[node] += 1;
            }
            table[slot(next[node])] = node;
            next[node] += 1;
            filled += 1;
            if filled == size {
                return table.into_iter().map(|node| node as u32).collect();
            }
        }
    }
}

pub(crate) fn maglev(laboratory: &mut Laboratory) {
    for nodes in SIZES {
        let turns = turns(nodes);
        assert_eq!(populate(ENTRIES, &turns), paper_loop(ENTRIES, &turns), "the same table");
        let ours = builder(|| populate(ENTRIES, &turns)[1].into());
        let theirs = builder(|| paper_loop(ENTRIES, &turns)[1].into());
        let times = race(laboratory.effort, Clock::Thread, vec![ours, theirs]);
        let case = format!("table, × the cost of the paper's loop, N = {nodes}");
        laboratory.record(case, Bound::AtMost(0.72), Ok(times.ratio(0, 1)));
    }
    let roster = fleet(100, Weights::Equal);
    let ours = builder(|| anew("maglev", &roster));
    let theirs = builder(|| {
        use maglev::ConsistentHasher;
        maglev_of::<SipBuild>(100).capacity() as u64
    });
    let times = race(laboratory.effort, Clock::Thread, vec![ours, theirs]);
    let case = "maglev, × faster than the crate maglev, N = 100".into();
    laboratory.record(case, Bound::AtLeast(30.0), Ok(times.ratio(1, 0)));
}

pub(crate) fn ring(laboratory: &mut Laboratory) {
    for nodes in SIZES {
        let roster = fleet(nodes, Weights::Equal);
        let ours = builder(|| anew("ring:vnodes=160", &roster));
        let theirs = builder(|| fast_hashring(nodes).len() as u64);
        let times = race(laboratory.effort, Clock::Thread, vec![ours, theirs]);
        let case = format!("ring, N = {nodes}");
        laboratory.record(case, Bound::AtLeast(3.5), Ok(times.ratio(1, 0)));
    }
}

pub(crate) fn ring_grows(laboratory: &mut Laboratory) {
    let spec = placelab_algorithms::find("ring").expect("it is registered");
    for nodes in SIZES {
        let before = placement("ring:vnodes=160", fleet(nodes, Weights::Equal));
        let before = before.expect("rings serve such fleets");
        let join = [Change::Add(Roster::numbered_node(nodes))];
        let grown = fleet(nodes + 1, Weights::Equal);
        let joined =
            builder(|| probe(advance(spec, before.as_ref(), &join).expect("rings grow").as_ref()));
        let anew = builder(|| anew("ring:vnodes=160", &grown));
        let times = race(laboratory.effort, Clock::Thread, vec![joined, anew]);
        let case = format!("ring, from N = {nodes}");
        laboratory.record(case, Bound::AtMost(0.16), Ok(times.ratio(0, 1)));
    }
}
