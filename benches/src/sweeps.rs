//! The simulator's sweep as benches drive it: one contender before and after a node joins.

use placelab_core::{
    AlgorithmSpec, Change, CopyRule, HashFunction, HashSeed, KeyPart, Placement, Placer, Roster,
    advance,
};
use placelab_metrics::tally::Tally;
use placelab_sim::keys::KeySource;
use placelab_sim::replay::{Comparison, Comparisons, Snapshot};
use placelab_sim::scenario::{KeyRequest, SourceRequest};
use placelab_sim::sweep::{Marks, Sweep, Unwatched};

use crate::numbered;

/// A contender over so many nodes, and over one more.
pub struct Pair {
    /// Its name.
    pub name: &'static str,
    nodes: u32,
    snapshots: [Snapshot; 2],
}

impl Pair {
    /// Both placements. Panics where the algorithm cannot grow from so many.
    pub fn new(spec: &'static AlgorithmSpec, nodes: u32) -> Self {
        let before = numbered(spec, nodes).expect("it serves so many");
        let join = [Change::Add(Roster::numbered_node(nodes))];
        let after = advance(spec, before.as_ref(), &join).expect("anybody can grow at the tail");
        let snapshot = |placement| {
            let placer = Placer::Placement(placement);
            Snapshot { seed: HashSeed::PUBLISHED, placer }
        };
        Pair { name: spec.name, nodes, snapshots: [snapshot(before), snapshot(after)] }
    }

    /// Identities are below this.
    pub fn node_count(&self) -> usize {
        self.nodes as usize + 1
    }

    /// Both placements themselves.
    pub fn placements(&self) -> [&dyn Placement; 2] {
        self.snapshots
            .each_ref()
            .map(|snapshot| snapshot.placer.placement().expect("a pair is of placements"))
    }

    /// Both balances and the matrix of moves, on the current thread pool.
    pub fn sweep(&self, source: &KeySource) -> Tally {
        let comparisons = Comparisons::new(vec![Comparison { before: 0, after: 1 }], []);
        let sweep = Sweep {
            source,
            reads: KeyPart::Hash,
            snapshots: &self.snapshots,
            comparisons: &comparisons,
            copies: CopyRule::plain(1),
            node_count: self.node_count(),
            marks: Marks::default(),
        };
        sweep.run(&Unwatched)
    }
}

/// The numbers from 0, hashed.
pub fn source(count: u64) -> KeySource {
    let source = SourceRequest::Sequential { count };
    KeySource::open(&KeyRequest { source, hash: HashFunction::Xxh3, marks: Vec::new() })
        .expect("numbers exist")
}

/// How many keys moved.
pub fn moved(tally: &Tally) -> u64 {
    tally.flows[0].cells().iter().map(|cell| cell.amounts[0]).sum()
}
