//! Multi-probe consistent hashing.
//!
//! Source: Appleton, O'Reilly, "Multi-Probe Consistent Hashing", arXiv 1505.00062, 2015. Cost: k
//! searches of a ring with one point a node; 16 to 20 bytes a node.
//!
//! What it cannot do: weights; and fairness from below. Where a ring spends memory on balance,
//! this spends lookups, and k probes hold the largest share to k ÷ (k − 1) of the mean, 1.05 for
//! k = 21. Nothing holds the small: shares scatter by 15.6 % whatever N, and of 1,000 nodes the
//! least loaded has 1.5 % of its share in the median fleet.
//!
//! The probe that stands closest before a point wins, and the first of equally close ones; the
//! point is strictly behind its probe. A node stands at XXH3 of its name under the hash seed.
//! The first probe is the key hash h itself. The others are h + i·d for the second draw
//! d = `stream(h, 0)`, the double hashing of the paper's authors (`draws=double`), or
//! `stream(h, i − 1)` (`draws=independent`), which balances better where nodes are few.
//!
//! Traps avoided: nodes that collide go by name instead of overwriting each other; the distance
//! goes round the circle, where |point − probe| would be wrong at its end; the index of top bits
//! is no shift by 64 for few nodes.
//!
//! The next candidates are the nodes that come closest behind a probe next: those that would own
//! the key without the ones before them.
//!
//! ```
//! use placelab_core::{Arguments, Change, HashSeed, Key, NodeId, Roster, advance, establish};
//! let spec = placelab_algorithms::find("multi-probe").unwrap();
//! let roster = Roster::numbered(10).unwrap();
//! let before = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//! let after = advance(spec, before.as_ref(), &[Change::Remove(NodeId(4))]).unwrap();
//! // One point a node, and yet nobody has much more than a tenth; nor does more move than must.
//! let mut loads = [0; 10];
//! for key in (0..10_000u64).map(|i| Key::hashed(i << 50 | i)) {
//!     let owner = before.place(key);
//!     loads[owner.index()] += 1;
//!     assert!(owner == NodeId(4) || after.place(key) == owner);
//! }
//! assert!(loads.into_iter().all(|load| load < 1_300));
//! ```

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::hint::select_unpredictable;
use std::ops::ControlFlow;

use placelab_core::math::sqrt;
use placelab_core::mix::stream;
use placelab_core::{
    AlgorithmSpec, Anatomy, Arguments, Average, Build, Capability, Change, Claim, ClosedForm,
    Footprint, HashFunction, HashSeed, History, Key, KeyHash, KeyPart, Keys, Node, NodeId,
    ParameterKind, ParameterSpec, Placement, PlacementError, Role, Roster, Scheme, Shares, Silent,
    Step, Trace,
};

use crate::circle::{Circle, NameRanks, Point, mean_reads};
use crate::seen::Seen;
use crate::twins::each;

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "multi-probe",
    role: Role::Rival,
    family: "ring",
    year: 2015,
    citation: "Appleton, O'Reilly: Multi-Probe Consistent Hashing, arXiv 1505.00062",
    implementations: "Rust (mpchash), PHP (php-consistent-hashing)",
    summary: "a ring with one point a node, a key goes to the closest of several successors",
    lookup_cost: "O(k) expected, O(k log N) worst",
    steps: |arguments, fleet| {
        arguments.count("probes") as f64 * (2.0 + mean_reads(fleet.now.into()))
    },
    closed_forms: &[
        ClosedForm {
            metric: "share.max_over_mean",
            average: Average::Mean,
            formula: "k ÷ (k − 1), limit of many nodes",
            value: |arguments, _| several(arguments).map(peak),
        },
        ClosedForm {
            metric: "share.cv",
            average: Average::RootMeanSquare,
            formula: "√(1 ÷ (2k − 1) − 1 ÷ k²) · k ÷ (k − 1), limit of many nodes",
            value: |arguments, _| several(arguments).map(scatter),
        },
    ],
    memory_cost: "O(N)",
    capabilities: &[Capability::RemoveAny],
    claims: &[Claim::MinimalMovement, Claim::OrderFree, Claim::Restores],
    resolution: None,
    reads: KeyPart::Hash,
    parameters: &[
        ParameterSpec {
            name: "probes",
            kind: ParameterKind::Count { min: 1, max: 128 },
            default: Some("21"),
            help: "positions tried for a key; k hold the peak to k ÷ (k − 1) of the mean",
        },
        ParameterSpec {
            name: "draws",
            kind: ParameterKind::Choice(&["double", "independent"]),
            default: Some("double"),
            help: "whether probes stand at equal steps or are drawn one by one",
        },
    ],
    small: "probes=4",
    build: Build::Placement(|arguments, seed, roster| {
        Ok(Box::new(MultiProbe::new(arguments, seed, roster)))
    }),
    naive,
};

#[derive(Clone, Copy)]
enum Draws {
    Double,
    Independent,
}

#[derive(Clone)]
struct MultiProbe {
    probes: u64,
    draws: Draws,
    seed: HashSeed,
    roster: Roster,
    circle: Circle,
}

impl MultiProbe {
    fn new(arguments: &Arguments, seed: HashSeed, roster: Roster) -> Self {
        let draws = match arguments.text("draws") {
            "independent" => Draws::Independent,
            _ => Draws::Double,
        };
        let circle = Circle::of(&NameRanks::new(&roster), &points(seed, roster.nodes()));
        MultiProbe { probes: arguments.count("probes"), draws, seed, roster, circle }
    }

    #[inline]
    fn probes(&self, key: KeyHash) -> impl Iterator<Item = u64> {
        let (draws, first, second) = (self.draws, key.0, stream(key.0, 0));
        (0..self.probes).map(move |index| match (draws, index) {
            (Draws::Double, _) => first.wrapping_add(index.wrapping_mul(second)),
            (Draws::Independent, 0) => first,
            (Draws::Independent, _) => stream(first, index - 1),
        })
    }

    /// The point of a key without a trace.
    #[inline]
    fn fast(&self, key: KeyHash) -> usize {
        let (first, second) = (key.0, stream(key.0, 0));
        match self.draws {
            Draws::Double => {
                let mut probe = first.wrapping_sub(second);
                let probes = (0..self.probes).map(|_| {
                    probe = probe.wrapping_add(second);
                    probe
                });
                nearest(&self.circle, probes)
            }
            Draws::Independent => nearest(&self.circle, self.probes(key)),
        }
    }

    #[inline]
    fn walk<T: Trace + ?Sized>(&self, key: KeyHash, trace: &mut T) -> NodeId {
        self.circle.owner(closest(&self.circle, self.probes(key), trace))
    }
}

/// The number of probes that are independent, where there is more than one: shares of one probe
/// have no bound.
fn several(arguments: &Arguments) -> Option<u64> {
    let is_independent = arguments.text("draws") == "independent";
    Some(arguments.count("probes")).filter(|probes| is_independent && *probes > 1)
}

/// The largest share over the mean, in the limit of many nodes.
fn peak(probes: u64) -> f64 {
    probes as f64 / (probes as f64 - 1.0)
}

/// Standard deviation of the shares over their mean, in the limit of many nodes.
fn scatter(probes: u64) -> f64 {
    let k = probes as f64;
    sqrt(1.0 / (2.0 * k - 1.0) - 1.0 / (k * k)) * k / (k - 1.0)
}

/// Length of the circle.
const WHOLE: f64 = (1u128 << 64) as f64;

/// Where nodes stand.
fn points<'a>(seed: HashSeed, nodes: impl IntoIterator<Item = &'a Node>) -> Vec<Point> {
    let point = |node: &Node| (HashFunction::Xxh3.hash_name(seed, &node.name), node.id);
    nodes.into_iter().map(point).collect()
}

/// The point that follows one of the probes most closely; of equals that of the first probe.
///
/// Probes are taken one position further on: a point at or after that is one strictly behind the
/// probe, and a point on the probe itself is as far as can be.
#[inline]
fn closest<T: Trace + ?Sized>(
    circle: &Circle,
    probes: impl Iterator<Item = u64>,
    trace: &mut T,
) -> usize {
    let (mut least, mut winner) = (u64::MAX, 0);
    for probe in probes {
        trace.step(Step::Draw { value: probe });
        let start = probe.wrapping_add(1);
        let point = circle.successor(start, trace);
        let position = circle.position(point);
        trace.step(Step::Probe { at: position, node: circle.owner(point) });
        let distance = position.wrapping_sub(start);
        if distance < least {
            (least, winner) = (distance, point);
        }
    }
    winner
}

/// The same without a trace.
#[inline]
fn nearest(circle: &Circle, probes: impl Iterator<Item = u64>) -> usize {
    let (mut least, mut winner) = (u64::MAX, 0);
    for probe in probes {
        let start = probe.wrapping_add(1);
        let point = circle.find(start);
        let distance = circle.position(point).wrapping_sub(start);
        let wins = distance < least;
        winner = select_unpredictable(wins, point, winner);
        least = least.min(distance);
    }
    winner
}

/// The probability that independent draws lead to each node, of [`WHOLE`], ascending.
///
/// The shortest way of k probes exceeds d with probability S(d)^k, where S(d) sums what each gap
/// has beyond d. A gap g wins at every distance below g alike, so its part is the integral of
/// k·S(d)^(k − 1) from 0 to g. Between one gap and the next longer one S is a straight line.
fn parts(circle: &Circle, probes: u64) -> Vec<(NodeId, u128)> {
    let mut gaps: Vec<(u128, NodeId)> = circle.arcs().map(|(node, arc)| (arc, node)).collect();
    gaps.sort_unstable();
    let count = gaps.len();
    let power = |base: f64| (0..probes).fold(1.0, |product, _| product * base);
    let (mut part, mut reached, mut survival) = (0.0, 0, 1.0f64);
    let mut parts = Vec::with_capacity(count);
    for (index, (gap, node)) in gaps.into_iter().enumerate() {
        let longer = (count - index) as f64;
        let next = (survival - longer * ((gap - reached) as f64 / WHOLE)).max(0.0);
        part += (power(survival) - power(next)) / longer;
        (reached, survival) = (gap, next);
        parts.push((node, (part * WHOLE).round() as u128));
    }
    parts
}

impl Scheme for MultiProbe {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn adopt(&mut self, next: Roster, changes: &[Change]) -> Result<(), PlacementError> {
        let changed: BTreeSet<NodeId> = changes.iter().map(Change::id).collect();
        let ranks = NameRanks::new(&next);
        let fresh = next.nodes().iter().filter(|node| changed.contains(&node.id));
        let mut fresh = points(self.seed, fresh);
        ranks.sort(&mut fresh);
        self.circle = self.circle.merged(&ranks, |id| !changed.contains(&id), &fresh);
        self.roster = next;
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        Footprint { shared_bytes: self.roster.shared_bytes(), derived_bytes: self.circle.bytes() }
    }
}

impl Placement for MultiProbe {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.circle.owner(self.fast(key.hash))
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        self.walk(key.hash, trace)
    }

    /// The probes walk on together, the one with the shortest way always first. One that has been
    /// all the way round has met everybody, so none goes round twice.
    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        let ahead = |start: u64, index: usize, point: usize| {
            let distance = self.circle.position(point).wrapping_sub(start);
            Reverse((distance, index, point, start))
        };
        let mut walkers: BinaryHeap<_> = (self.probes(key.hash).enumerate())
            .map(|(index, probe)| (index, probe.wrapping_add(1)))
            .map(|(i, start)| ahead(start, i, self.circle.successor(start, &mut Silent)))
            .collect();
        let mut seen = Seen::new();
        while let Some(Reverse((_, index, point, start))) = walkers.pop() {
            let node = self.circle.owner(point);
            let is_new = seen.insert(node);
            if is_new && (visit(node).is_break() || seen.len() == self.roster.len()) {
                return;
            }
            walkers.push(ahead(start, index, self.circle.next(point)));
        }
    }

    /// Exact for independent draws, to the rounding of a float; nobody knows them for double ones,
    /// whose probes hang together.
    fn shares(&self) -> Option<Shares> {
        let Draws::Independent = self.draws else { return None };
        let mut parts = parts(&self.circle, self.probes);
        parts.retain(|(_, part)| *part > 0);
        parts.sort_unstable_by_key(|(node, _)| *node);
        let whole = parts.iter().map(|(_, part)| part).sum();
        Some(Shares { parts, whole })
    }

    fn anatomy(&self) -> Option<Anatomy> {
        Some(self.circle.anatomy())
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

/// The twin: the way from every probe to every point, the shortest wins; of equal ones that of the
/// first probe, and of points that collide the one with the least name.
fn naive(arguments: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    let roster = history.now();
    let point = |node: &Node| HashFunction::Xxh3.hash_name(seed, &node.name);
    let points: Vec<(u64, &Node)> = roster.nodes().iter().map(|node| (point(node), node)).collect();
    each(keys, |key| {
        let mut ways = Vec::new();
        for index in 0..arguments.count("probes") {
            let probe = match (arguments.text("draws"), index) {
                (_, 0) => key.hash.0,
                ("double", _) => key.hash.0.wrapping_add(stream(key.hash.0, 0).wrapping_mul(index)),
                _ => stream(key.hash.0, index - 1),
            };
            for (point, node) in &points {
                let way = match point.wrapping_sub(probe) {
                    0 => 1 << 64,
                    way => u128::from(way),
                };
                ways.push((way, index, node.name.as_bytes(), node.id));
            }
        }
        ways.into_iter().min().expect("there are a probe and a member").3
    })
}

#[cfg(test)]
mod tests {
    use std::hash::Hasher;

    use placelab_core::advance;
    use siphasher::sip::SipHasher24;

    use super::*;
    use crate::fixtures::{contender, named, twin_agrees};
    use crate::vectors::{Digest, golden, hex, vector_keys};

    fn sip(seed: u64, text: &str) -> u64 {
        let mut hasher = SipHasher24::new_with_keys(seed, 0);
        hasher.write(text.as_bytes());
        hasher.finish()
    }

    /// Every variant in full: points and double-hashed probes by SipHash-2-4 of texts.
    #[test]
    fn golden_mpchash() {
        let file = golden("mpch");
        let keys = vector_keys(&file);
        for variant in file["variants"].as_array().unwrap() {
            let name = variant["variant"].as_str().unwrap();
            let probes: u64 = name.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
            let circle = |n: &serde_json::Value| {
                let roster = Roster::numbered(n.as_u64().unwrap() as u32).unwrap();
                let point = |node: &Node| (sip(0, node.name.as_str()), node.id);
                let mut points: Vec<Point> = roster.nodes().iter().map(point).collect();
                NameRanks::new(&roster).sort(&mut points);
                Circle::new(points)
            };
            let owner = |circle: &Circle, key: u64| {
                let [first, second] = [1, 2].map(|seed| sip(seed, &key.to_string()));
                let probes = (0..probes).map(|i| first.wrapping_add(second.wrapping_mul(i)));
                circle.owner(closest(circle, probes, &mut Silent)).0
            };
            for vector in variant["vectors"].as_array().unwrap() {
                let circle = circle(&vector["n"]);
                for (&key, expected) in keys.iter().zip(vector["buckets"].as_array().unwrap()) {
                    let expected = expected.as_u64().unwrap();
                    assert_eq!(u64::from(owner(&circle, key)), expected, "{name} {key:x}");
                }
            }
            for bulk in variant["bulk_digests"].as_array().unwrap() {
                let circle = circle(&bulk["n"]);
                let mut digest = Digest::default();
                (0..bulk["count"].as_u64().unwrap())
                    .for_each(|index| digest.add(owner(&circle, stream(0, index))));
                assert_eq!(digest.0, hex(&bulk["fnv1a64"]), "{name} of {}", bulk["n"]);
            }
        }
    }

    /// Shares over fair ones, ascending.
    fn relative_shares(circle: &Circle, probes: u64) -> Vec<f64> {
        let count = circle.arcs().count() as f64;
        let parts = parts(circle, probes);
        parts.into_iter().map(|(_, part)| part as f64 / WHOLE * count).collect()
    }

    /// The published figures of 21 probes and 1,000 nodes: peak 1.05, scatter 15.6 %; the least
    /// share is 1.5 % in the median and 0.1 to 6.4 % in nine of ten fleets.
    #[test]
    fn the_large_are_bounded_and_the_small_are_not() {
        let (mut least, mut peaks, mut deviations) = (Vec::new(), Vec::new(), Vec::new());
        for seed in 0..1_000 {
            let roster = Roster::numbered(1_000).unwrap();
            let fleet = MultiProbe::new(&Arguments::defaults(&SPEC), HashSeed(seed), roster);
            let shares = relative_shares(&fleet.circle, 21);
            let squares = shares.iter().map(|share| (share - 1.0).powi(2));
            deviations.push((squares.sum::<f64>() / 1e3).sqrt());
            assert!((shares.iter().sum::<f64>() / 1e3 - 1.0).abs() < 1e-9);
            least.push(shares[0]);
            peaks.push(shares[999]);
        }
        let mean = |figures: &[f64]| figures.iter().sum::<f64>() / 1e3;
        assert!((mean(&peaks) - 1.05).abs() < 0.002, "peak {}", mean(&peaks));
        assert!((mean(&deviations) - 0.156).abs() < 0.001, "relative sd {}", mean(&deviations));
        least.sort_unstable_by(f64::total_cmp);
        let [low, median, high] = [50, 500, 950].map(|rank| least[rank]);
        assert!((low - 0.001).abs() < 0.001, "5 % {low}");
        assert!((median - 0.015).abs() < 0.002, "median {median}");
        assert!((high - 0.063).abs() < 0.008, "95 % {high}");
    }

    /// Of k probes the peak is k ÷ (k − 1) and the relative standard deviation
    /// √(1 ÷ (2k − 1) − 1 ÷ k²) · k ÷ (k − 1), in the limit of many nodes: means of 200 fleets.
    #[test]
    fn closed_forms_hold_for_any_number_of_probes() {
        const FLEETS: u64 = 200;
        for probes in [3, 5, 11, 40] {
            let (mut peaks, mut deviations) = (0.0, 0.0);
            for seed in 0..FLEETS {
                let roster = Roster::numbered(1_000).unwrap();
                let fleet = MultiProbe::new(&Arguments::defaults(&SPEC), HashSeed(seed), roster);
                let shares = relative_shares(&fleet.circle, probes);
                let squares = shares.iter().map(|share| (share - 1.0).powi(2));
                deviations += (squares.sum::<f64>() / 1e3).sqrt() / FLEETS as f64;
                peaks += shares[999] / FLEETS as f64;
            }
            let (peak, deviation) = (peak(probes), scatter(probes));
            assert!((peaks / peak - 1.0).abs() < 0.01, "{probes}: {peaks} for {peak}");
            assert!((deviations / deviation - 1.0).abs() < 0.01, "{probes}: {deviations}");
        }
    }

    /// Fleets of five: independent draws meet the integral within five standard deviations, and
    /// double hashing does not: its peak is 0.04 of the mean higher.
    #[test]
    fn sampling_finds_the_shares_of_the_integral() {
        const KEYS: u64 = 200_000;
        let mut peaks = [0.0; 2];
        for fleet in 0..10 {
            let names: Vec<String> = (0..5).map(|index| format!("{fleet}-{index}")).collect();
            let roster = named(&names.iter().map(String::as_str).collect::<Vec<_>>());
            let point = MultiProbe::new(&Arguments::defaults(&SPEC), HashSeed(0), roster.clone());
            let exact = parts(&point.circle, 21);
            for (draws, peak) in ["double", "independent"].into_iter().zip(&mut peaks) {
                let (_, placement) =
                    contender(&format!("multi-probe:draws={draws}"), roster.clone());
                let mut loads = [0u32; 5];
                let owners = (0..KEYS).map(|i| placement.place(Key::hashed(stream(fleet, i))));
                owners.for_each(|owner| loads[owner.index()] += 1);
                let found = loads.map(|load| f64::from(load) * 5.0 / KEYS as f64);
                *peak += found.iter().copied().fold(0.0, f64::max) / 10.0;
                let share = |part: u128| part as f64 / WHOLE * 5.0;
                let miss = |&(node, part): &(NodeId, u128)| found[node.index()] - share(part);
                let misses = exact.iter().map(|one| miss(one).abs());
                let worst = misses.fold(0.0, f64::max);
                assert!(draws == "double" || worst < 0.022, "{worst}");
            }
        }
        assert!(peaks[0] > peaks[1] + 0.025, "{peaks:?}");
    }

    /// The twin agrees about the owner; and whoever is next takes over.
    #[test]
    fn candidates_are_who_would_own_the_key() {
        for draws in ["double", "independent"] {
            let text = format!("multi-probe:probes=3,draws={draws}");
            let roster = Roster::numbered(6).unwrap();
            twin_agrees(&text, HashSeed(0), roster.clone(), (0..300).map(|i| stream(5, i)));
            let (spec, placement) = contender(&text, roster);
            for key in (0..300).map(|i| Key::hashed(stream(5, i))) {
                let mut shrinking = placement.fork();
                placement.candidates(key, &mut |node| {
                    assert_eq!(shrinking.place(key), node);
                    match advance(spec, shrinking.as_ref(), &[Change::Remove(node)]) {
                        Ok(next) => shrinking = next,
                        Err(error) => assert_eq!(error, PlacementError::NobodyLeft),
                    }
                    ControlFlow::Continue(())
                });
            }
        }
    }

    /// Nodes that meet on one position: the first by name owns it, and the other is a candidate.
    #[test]
    fn collisions_go_by_name() {
        let circle = Circle::new([(7, NodeId(2)), (7, NodeId(1)), (9, NodeId(0))]);
        let owner = |probe| circle.owner(closest(&circle, [probe].into_iter(), &mut Silent));
        assert_eq!([6, 7, 8, 9, u64::MAX].map(owner), [2, 0, 0, 2, 2].map(NodeId));
    }
}
