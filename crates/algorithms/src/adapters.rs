//! Adapters: a range hash gives a bucket, and a table says who owns it.
//!
//! Each [`Layout`] is one way in which the table follows the fleet, and with the range hash `X` a
//! contender of its own: `X` (the end of the join order alone), `X+renumber`, `X+alias` and
//! `X+weighted`. Cost: the range hash and one table read a lookup.

mod alias;
mod batch;
mod renumber;
mod tail;
mod weighted;

use std::any::Any;
use std::cmp::Reverse;
use std::ops::ControlFlow;

use placelab_core::{
    AlgorithmSpec, Anatomy, Arguments, Build, Capability, Change, Claim, FleetSize, FleetWeight,
    Footprint, HashSeed, History, Key, KeyHash, Keys, NodeId, ParameterSpec, Placement,
    PlacementError, Resolution, Roster, Scheme, Shares, Silent, Trace,
};

use crate::owner_table;
use crate::range_hash::{RangeHash, bytes_of, retry, trimmed};

use batch::{BATCH_KEYS, Batch};

pub(crate) use tail::Tail;

/// What an adapter says of itself.
pub(crate) struct Adapter {
    /// What stands behind the `+`.
    suffix: &'static str,
    summary: &'static str,
    memory_cost: &'static str,
    /// What the range hash counts: nodes N, or logical buckets L.
    counts: &'static str,
    capabilities: &'static [Capability],
    claims: &'static [Claim],
    /// The lightest weight that has its share, and what tables pay for lighter ones, in words;
    /// none where weights are equal.
    resolution: Option<[&'static str; 2]>,
    parameters: &'static [ParameterSpec],
    /// Parameters under which the table is small; a range hash has none of that kind.
    small: &'static str,
}

/// How the table of owners follows the fleet.
pub(crate) trait Layout: Clone + Send + Sync + 'static {
    /// The layout with these parameters.
    fn new(arguments: &Arguments) -> Self;

    /// The owner of each bucket for a first roster.
    fn first(&self, roster: &Roster) -> Result<Vec<NodeId>, PlacementError>;

    /// The owner of each bucket after some changes.
    fn after(
        &self,
        owners: &[NodeId],
        next: &Roster,
        changes: &[Change],
    ) -> Result<Vec<NodeId>, PlacementError>;

    /// The owner of each bucket after a history, for the twin: slow and obvious.
    fn naive(&self, history: &History) -> Vec<NodeId>;

    /// How many buckets there are for equal nodes.
    fn buckets(&self, fleet: FleetSize) -> u32;

    /// The lightest weight, in units, that has its share of at most so many buckets; infinite where
    /// weights are equal.
    fn lightest(&self, _fleet: FleetWeight, _buckets_max: u32) -> f64 {
        f64::INFINITY
    }

    /// Whether the table is more than the roster tells, so that all clients must have it.
    fn is_shared(&self) -> bool;
}

/// A layout with a name of its own.
trait Adapted: Layout {
    const ADAPTER: Adapter;
}

/// A range hash over a table of owners.
#[derive(Clone)]
pub(crate) struct Bucketed<R, L> {
    range: R,
    layout: L,
    roster: Roster,
    /// Bucket to owner.
    owners: Vec<NodeId>,
    /// Members of positive weight in join order.
    serving: Vec<NodeId>,
}

/// A range hash and its adapters: the base as it is, then one record for each adapter.
pub(crate) fn family<R: RangeHash>(base: &'static AlgorithmSpec) -> Vec<&'static AlgorithmSpec> {
    vec![
        base,
        adapted::<R, renumber::Renumber>(base),
        adapted::<R, alias::Alias>(base),
        adapted::<R, weighted::Weighted>(base),
    ]
}

/// The record of an adapter over a range hash. Records live as long as the process, and are made
/// once in it.
fn adapted<R: RangeHash, L: Adapted>(base: &'static AlgorithmSpec) -> &'static AlgorithmSpec {
    let Adapter { suffix, summary, memory_cost, counts, capabilities, claims, .. } = L::ADAPTER;
    let Adapter { resolution, parameters, small, .. } = L::ADAPTER;
    Box::leak(Box::new(AlgorithmSpec {
        name: format!("{}+{suffix}", base.name).leak(),
        summary: format!("{} {summary}", base.name).leak(),
        lookup_cost: base.lookup_cost.replace('N', counts).leak(),
        steps: steps::<R, L>,
        closed_forms: &[],
        memory_cost,
        capabilities,
        // An adapter promises nothing that its range hash does not keep, but that knows no weights.
        claims: claims
            .iter()
            .copied()
            .filter(|&claim| claim == Claim::ScaleFree || base.claims(claim))
            .collect::<Vec<_>>()
            .leak(),
        resolution: resolution.map(|[lightest, memory]| Resolution {
            lightest,
            memory,
            weight: lightest_of::<R, L>,
        }),
        parameters: [base.parameters, parameters].concat().leak(),
        small,
        build: Build::Placement(build::<R, L>),
        naive: naive::<R, L>,
        ..*base
    }))
}

/// Makes the placement of a first roster.
pub(crate) fn build<R: RangeHash, L: Layout>(
    arguments: &Arguments,
    _: HashSeed,
    roster: Roster,
) -> Result<Box<dyn Placement>, PlacementError> {
    let (range, layout) = (R::new(arguments), L::new(arguments));
    let owners = within_reach::<R>(layout.first(&roster)?, &roster)?;
    let serving = roster.serving_ids();
    Ok(Box::new(Bucketed { range, layout, roster, owners, serving }))
}

/// The twin of those placements.
pub(crate) fn naive<R: RangeHash, L: Layout>(
    arguments: &Arguments,
    _: HashSeed,
    history: &History,
    keys: Keys<'_>,
) -> Vec<NodeId> {
    let (range, owners) = (R::new(arguments), L::new(arguments).naive(history));
    let bucket = |&hash: &KeyHash| range.naive(hash, owners.len() as u32) as usize;
    keys.hashes.iter().map(|hash| owners[bucket(hash)]).collect()
}

/// The mean number of steps of a lookup: those of the range hash, for as many buckets as there are.
pub(crate) fn steps<R: RangeHash, L: Layout>(arguments: &Arguments, fleet: FleetSize) -> f64 {
    R::new(arguments).steps(L::new(arguments).buckets(fleet))
}

/// The lightest weight that has its share of as many buckets as the range hash tells apart.
fn lightest_of<R: RangeHash, L: Layout>(arguments: &Arguments, fleet: FleetWeight) -> f64 {
    L::new(arguments).lightest(fleet, R::COUNT_MAX)
}

/// The table, where the range hash tells so many buckets apart.
fn within_reach<R: RangeHash>(
    owners: Vec<NodeId>,
    roster: &Roster,
) -> Result<Vec<NodeId>, PlacementError> {
    let (asked, possible) = (owners.len() as u64, u64::from(R::COUNT_MAX));
    if asked > possible {
        let what = "buckets of this range hash";
        return Err(PlacementError::too_much(what, asked, possible, roster));
    }
    Ok(trimmed(owners))
}

impl<R: RangeHash, L: Layout> Bucketed<R, L> {
    fn count(&self) -> u32 {
        self.owners.len() as u32
    }

    fn walk<T: Trace + ?Sized>(&self, hash: KeyHash, trace: &mut T) -> NodeId {
        self.owners[self.range.bucket(hash, self.count(), trace) as usize]
    }

    /// The owner of each bucket of a batch.
    fn read(&self, buckets: &[u32], out: &mut [NodeId]) {
        for (owner, &bucket) in out.iter_mut().zip(buckets) {
            *owner = self.owners[bucket as usize];
        }
    }
}

impl<R: RangeHash, L: Layout> Scheme for Bucketed<R, L> {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn adopt(&mut self, next: Roster, changes: &[Change]) -> Result<(), PlacementError> {
        let owners = self.layout.after(&self.owners, &next, changes)?;
        self.owners = within_reach::<R>(owners, &next)?;
        self.serving = next.serving_ids();
        self.roster = next;
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        let (roster, table) = (self.roster.shared_bytes(), bytes_of(&self.owners));
        let serving = bytes_of(&self.serving);
        match self.layout.is_shared() {
            true => Footprint { shared_bytes: roster + table, derived_bytes: serving },
            false => Footprint { shared_bytes: roster, derived_bytes: table + serving },
        }
    }
}

impl<R: RangeHash, L: Layout> Placement for Bucketed<R, L> {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.walk(key.hash, &mut Silent)
    }

    fn place_many(&self, keys: Keys<'_>, out: &mut [NodeId]) {
        let out = &mut out[..keys.hashes.len()];
        let mut buckets = [0; BATCH_KEYS];
        for (hashes, out) in keys.hashes.chunks(BATCH_KEYS).zip(out.chunks_mut(BATCH_KEYS)) {
            let buckets = &mut buckets[..hashes.len()];
            self.range.buckets(hashes, self.count(), buckets);
            self.read(buckets, out);
        }
    }

    /// From the most buckets down, so that only the keys of buckets that are gone are looked up
    /// again.
    fn place_across(&self, later: &[&dyn Placement], keys: Keys<'_>, out: &mut [&mut [NodeId]]) {
        let mut all = vec![self];
        all.extend(later.iter().filter_map(|&placement| {
            let any: &dyn Any = placement;
            any.downcast_ref::<Self>()
        }));
        assert_eq!(all.len(), later.len() + 1, "every placement is of one contender");
        let mut rows: Vec<(&Self, &mut &mut [NodeId])> = all.into_iter().zip(out).collect();
        rows.sort_by_key(|(placement, _)| Reverse(placement.count()));
        let mut batch = Batch::new();
        for (hashes, start) in keys.hashes.chunks(BATCH_KEYS).zip((0..).step_by(BATCH_KEYS)) {
            let mut held = None;
            for (placement, row) in &mut rows {
                let count = placement.count();
                let buckets = batch.among(self.range, hashes, count, held);
                held = Some(count);
                placement.read(buckets, &mut row[start..][..hashes.len()]);
            }
        }
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        self.walk(key.hash, trace)
    }

    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        retry(&self.serving, key.hash, |hash| self.walk(hash, &mut Silent), visit);
    }

    fn table(&self) -> Option<Vec<NodeId>> {
        self.layout.is_shared().then(|| self.owners.clone())
    }

    /// The buckets of each node, where the range hash fills them alike.
    fn shares(&self) -> Option<Shares> {
        let is_exact = R::fills_alike(self.count());
        is_exact.then(|| owner_table::shares(&self.owners, &self.roster))
    }

    fn anatomy(&self) -> Option<Anatomy> {
        Some(Anatomy::Buckets(self.owners.clone()))
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;
    use placelab_core::{Weight, advance};

    use super::*;
    use crate::fixtures::{contender, hold_to_twin, weighted};

    /// The fraction of 10^6 keys that a step moves, and the placement after it.
    fn moved(text: &str, before: Roster, changes: &[Change]) -> (f64, Box<dyn Placement>) {
        let (spec, before) = contender(text, before);
        let after = advance(spec, before.as_ref(), changes).unwrap();
        let differ = |key: &Key<'_>| before.place(*key) != after.place(*key);
        let moved = (0..1_000_000).map(|i| Key::hashed(stream(21, i))).filter(differ).count();
        (moved as f64 / 1e6, after)
    }

    fn reweights(weights: &[u32]) -> Vec<Change> {
        let change = |(id, &weight)| Change::Reweight(NodeId(id), Weight::units(weight));
        (0u32..).zip(weights).map(change).collect()
    }

    fn buckets(placement: &dyn Placement) -> Vec<u128> {
        placement.shares().unwrap().parts.iter().map(|(_, part)| *part).collect()
    }

    /// 1:2:3 → 2:5:6. Appended: of the seven new buckets the k-th node gets a_k = 1, 3, 3, and a
    /// key that moves there had another owner with probability 1 − w_k ÷ 6, so
    /// (5/6 + 3 · 4/6 + 3 · 3/6) ÷ 13 = 1/3. Contiguous (A BB CCC → AA BBBBB CCCCCC): a key stays
    /// in its bucket with 6/13, and then with its owner in buckets 0 and 2 alone; else it goes to
    /// bucket 6, B's, with 1/7 or to one of C's. So 2/6 · 6/13 + 7/13 · (2/6 · 1/7 + 3/6 · 6/7) =
    /// 16/39 stay.
    #[test]
    fn one_two_three_becomes_two_five_six() {
        let cases = [("append", 1.0 / 3.0), ("contiguous", 23.0 / 39.0)]
            .map(|(layout, expected)| (format!("jump+weighted:layout={layout}"), expected));
        for (text, expected) in cases {
            let (moved, after) = moved(&text, weighted(&[1, 2, 3]), &reweights(&[2, 5, 6]));
            assert!((moved - expected).abs() < 0.0025, "{text}: {moved}");
            assert_eq!(buckets(after.as_ref()), [2, 5, 6]);
        }
    }

    #[test]
    fn ratios_are_reduced_and_fractions_resolved() {
        let node = |id: u32, weight: &str| placelab_core::Node {
            weight: weight.parse().unwrap(),
            ..Roster::numbered_node(id)
        };
        let fleet = |weights: &[&str]| {
            let nodes = (0u32..).zip(weights).map(|(id, weight)| node(id, weight));
            Roster::new(nodes.collect()).unwrap()
        };
        let of = |text: &str, weights: &[&str]| buckets(contender(text, fleet(weights)).1.as_ref());
        assert_eq!(of("jump+weighted", &["1.00", "1.25", "1.75"]), [4, 5, 7]);
        assert_eq!(of("jump+weighted", &["10", "15"]), [2, 3]);
        assert_eq!(of("jump+weighted:resolution=2", &["1", "1.3"]), [2, 3]);
        assert_eq!(of("jump+weighted:resolution=10", &["1", "1.3"]), [10, 13]);
        let refused = |text: &str, weights: &[&str]| {
            let spec = crate::find("jump+weighted").unwrap();
            let request = placelab_core::AlgorithmRequest::expand(text).unwrap().remove(0);
            let arguments = request.arguments(spec, &|_| unreachable!()).unwrap();
            placelab_core::establish(spec, &arguments, HashSeed(0), fleet(weights)).err().unwrap()
        };
        let vanishes = refused("jump+weighted:resolution=10", &["1", "0.01"]);
        assert!(matches!(vanishes, PlacementError::Parameter { .. }), "{vanishes}");
        let too_many = refused("jump+weighted", &["1", "0.999999"]);
        assert!(matches!(too_many, PlacementError::Limit { asked: 1_999_999, .. }), "{too_many}");
        let most = refused("jump+weighted", &["1000000000", "0.000001"]);
        assert!(matches!(most, PlacementError::Limit { .. }), "{most}");
    }

    /// 4 + 5 + 7 rows of an identity each, and no more.
    #[test]
    fn a_ratio_takes_its_sum_in_rows() {
        let (_, placement) = contender("jump+weighted", weighted(&[4, 5, 7]));
        let (all, roster) = (placement.footprint(), placement.roster().shared_bytes());
        assert_eq!(all.shared_bytes - roster, 16 * 4);
        assert_eq!(placement.shares().unwrap().whole, 16);
    }

    /// A millionth beside a thousand would take 10^9 buckets: a change to it is refused, and leaves
    /// the table as it was.
    #[test]
    fn weights_that_overflow_the_resolution_change_nothing() {
        let (spec, before) = contender("jump+weighted", weighted(&[1, 2, 3]));
        let weights = ["0.000001", "1000"].map(|text| text.parse().unwrap());
        let changes =
            [Change::Reweight(NodeId(0), weights[0]), Change::Reweight(NodeId(1), weights[1])];
        let refused = advance(spec, before.as_ref(), &changes).err();
        let asked = 1 + 1_000_000_000 + 3_000_000;
        let Some(PlacementError::Limit { what, asked: found, possible: 65_536, heaviest }) =
            refused
        else {
            panic!("{refused:?}");
        };
        assert!(what.contains("`resolution`") && found == asked, "{what}: {found}");
        assert_eq!(heaviest.unwrap().as_str(), "node-1");
        assert_eq!(buckets(before.as_ref()), [1, 2, 3]);
    }

    /// What the ratio has too much of cannot be taken back by appending: the ratio is scaled by
    /// the smallest factor that holds what is there.
    #[test]
    fn appending_scales_where_it_must() {
        let (spec, one) = contender("jump+weighted", weighted(&[1, 2, 3]));
        let more = advance(spec, one.as_ref(), &reweights(&[1, 2, 4])).unwrap();
        assert_eq!(buckets(more.as_ref()), [1, 2, 4]);
        let less = advance(spec, more.as_ref(), &reweights(&[1, 2, 3])).unwrap();
        assert_eq!(buckets(less.as_ref()), [2, 4, 6]);
        let (spec, wide) = contender("jump+weighted", weighted(&[60_000, 1]));
        let narrow = advance(spec, wide.as_ref(), &reweights(&[3, 2])).err();
        assert!(matches!(narrow, Some(PlacementError::Limit { asked: 100_000, .. })));
        // Of the five buckets that were appended to seven, A has one and B and C two each.
        let keys = || (0..100_000).map(|i| Key::hashed(stream(2, i)));
        let moved = keys().filter(|key| more.place(*key) != less.place(*key)).count();
        let expected = (6.0 / 7.0 + 2.0 * 5.0 / 7.0 + 2.0 * 3.0 / 7.0) / 12.0;
        assert!((moved as f64 / 1e5 - expected).abs() < 0.005, "{moved}");
    }

    /// Whoever returns takes over what was dealt out, where that makes the ratio: a fleet that
    /// restarts for ever has no more buckets than at first.
    #[test]
    fn returns_do_not_pile_up_buckets() {
        let (spec, mut fleet) = contender("jump+weighted", weighted(&[1, 2, 3, 1]));
        for round in 0..200u32 {
            let node = fleet.roster().get(NodeId(round % 4)).unwrap().clone();
            fleet = advance(spec, fleet.as_ref(), &[Change::Remove(node.id)]).unwrap();
            assert_eq!(fleet.shares().unwrap().whole, 7, "round {round}");
            fleet = advance(spec, fleet.as_ref(), &[Change::Add(node)]).unwrap();
            let mut parts = buckets(fleet.as_ref());
            parts.sort_unstable();
            assert_eq!(parts, [1, 1, 2, 3], "round {round}");
        }
    }

    /// Weights that a resolution rounds are dealt as they were built: of a node that goes only its
    /// own keys move.
    #[test]
    fn a_coarse_resolution_is_one_for_all() {
        let mut nodes: Vec<_> = (0..10)
            .map(|id| placelab_core::Node {
                weight: "0.5".parse().unwrap(),
                ..Roster::numbered_node(id)
            })
            .collect();
        nodes.push(placelab_core::Node { weight: Weight::units(6), ..Roster::numbered_node(10) });
        let (spec, before) = contender("jump+weighted:resolution=1", Roster::new(nodes).unwrap());
        let after = advance(spec, before.as_ref(), &[Change::Remove(NodeId(0))]).unwrap();
        let mut keys = (0..20_000).map(|i| Key::hashed(stream(5, i)));
        assert!(keys.all(|key| {
            let owner = before.place(key);
            owner == NodeId(0) || owner == after.place(key)
        }));
        assert_eq!(buckets(after.as_ref()).len(), 10, "everybody owns something");
    }

    #[test]
    fn a_removed_nodes_buckets_are_dealt_out() {
        for layout in ["append", "contiguous"] {
            let text = format!("jump+weighted:layout={layout}");
            let (spec, before) = contender(&text, weighted(&[1, 2, 3]));
            let after = advance(spec, before.as_ref(), &[Change::Remove(NodeId(1))]).unwrap();
            let keys = || (0..20_000).map(|i| Key::hashed(stream(5, i)));
            assert!(keys().all(|key| {
                let owner = before.place(key);
                owner == NodeId(1) || owner == after.place(key)
            }));
            // Six buckets for 1:3: 1.5 and 4.5, and the first in name order takes the rest.
            assert_eq!(buckets(after.as_ref()), [2, 4]);
            let swap = [Change::Remove(NodeId(1)), Change::Add(Roster::numbered_node(7))];
            let replaced = advance(spec, before.as_ref(), &swap).unwrap();
            assert_eq!(replaced.shares().unwrap().parts.len(), 3);
        }
    }

    /// N = 4, the member of rank 1 goes: compact 1 − (1/4 + 1/12) = 2/3, swap-last 5/12; alias
    /// moves only its own.
    #[test]
    fn a_member_in_the_middle_goes() {
        let cases = [
            ("jump+renumber", 2.0 / 3.0),
            ("jump+renumber:fill=swap-last", 5.0 / 12.0),
            ("jump+alias", 0.25),
        ];
        for (text, expected) in cases {
            let fleet = Roster::numbered(4).unwrap();
            let (moved, _) = moved(text, fleet, &[Change::Remove(NodeId(1))]);
            assert!((moved - expected).abs() < 0.0025, "{text}: {moved}");
        }
        for (nodes, rank) in [(10, 0), (10, 7), (7, 3)] {
            let n = f64::from(nodes);
            let compact = 1.0 - (f64::from(rank) / n + 1.0 / (n * (n - 1.0)));
            let swap_last = (2.0 * n - 3.0) / (n * (n - 1.0));
            for (fill, expected) in [("compact", compact), ("swap-last", swap_last)] {
                let text = format!("jump+renumber:fill={fill}");
                let fleet = Roster::numbered(nodes).unwrap();
                let (moved, _) = moved(&text, fleet, &[Change::Remove(NodeId(rank))]);
                assert!((moved - expected).abs() < 0.0025, "{text} {nodes} {rank}: {moved}");
            }
        }
    }

    #[test]
    fn more_nodes_than_buckets_are_refused() {
        let (spec, full) = contender("jump+alias:buckets=4", Roster::numbered(4).unwrap());
        let join = [Change::Add(Roster::numbered_node(4))];
        let refused = advance(spec, full.as_ref(), &join).err();
        assert!(matches!(refused, Some(PlacementError::Parameter { .. })));
    }

    /// More weights than the laws have, so that parts are rounded, in longer scripts.
    #[test]
    fn twins_agree_after_long_scripts() {
        let texts = [
            "jump+renumber:fill=swap-last",
            "jump+alias:buckets=37",
            "jump+weighted:resolution=1",
            "jump+weighted:resolution=4",
            "jump+weighted:layout=contiguous,resolution=4",
        ];
        let weight = |random| ["0", "0.5", "1", "1.25", "1.75", "3"][random as usize % 6];
        for (text, run) in texts.into_iter().flat_map(|text| (0..40).map(move |run| (text, run))) {
            let first = Roster::numbered(1 + run % 8).unwrap();
            hold_to_twin(text, first, 30, |step, roster| {
                let random = stream(44, u64::from(run) * 100 + step);
                let id = roster.nodes()[(random >> 32) as usize % roster.len()].id;
                let newcomer = Roster::numbered_node(10 + step as u32);
                let weight = weight(random >> 8).parse().unwrap();
                vec![match random % 6 {
                    0 => Change::Remove(id),
                    1 => Change::Rename(id, newcomer.name),
                    2 | 3 => Change::Reweight(id, weight),
                    4 => Change::Add(newcomer),
                    _ => Change::Add(placelab_core::Node { weight, ..newcomer }),
                }]
            });
        }
    }

    /// The slow twin of `place_across`: one placement after the other.
    #[test]
    fn one_pass_serves_every_snapshot() {
        let (spec, first) = contender("jump+weighted", weighted(&[1, 2, 3]));
        let second = advance(spec, first.as_ref(), &reweights(&[2, 5, 6])).unwrap();
        let third = advance(spec, second.as_ref(), &[Change::Remove(NodeId(0))]).unwrap();
        let hashes: Vec<KeyHash> = (0..3_000).map(|i| KeyHash(stream(8, i))).collect();
        let mut rows = vec![vec![NodeId(0); hashes.len()]; 3];
        let mut out: Vec<&mut [NodeId]> = rows.iter_mut().map(Vec::as_mut_slice).collect();
        third.place_across(&[first.as_ref(), second.as_ref()], Keys::hashed(&hashes), &mut out);
        for (placement, row) in [&third, &first, &second].into_iter().zip(&rows) {
            let alone = hashes.iter().map(|hash| placement.place(Key::hashed(hash.0)));
            assert!(alone.eq(row.iter().copied()));
        }
    }
}
