//! Ring with virtual nodes.
//!
//! Source: Karger, Lehman, Leighton, Panigrahy, Levine, Lewin, "Consistent Hashing and Random
//! Trees", STOC 1997; virtual nodes as in Stoica et al., "Chord", SIGCOMM 2001. Cost: about one
//! point read a lookup through an index of top bits; 16 to 20 bytes a point.
//!
//! What it cannot do: fair shares. With V points a node the exact share scatters by
//! √((N − 1) ÷ (N·V + 1)) of its mean: 7.9 % at V = 160 and N = 100.
//!
//! A key belongs to the first point at or after its hash (`successor=at`, the interval (p, q]),
//! or to the first point after it (`after`, as `bisect` to the right does). Points that collide
//! go by name bytes, so the order of joining does not matter. A node has V points a unit of
//! weight, rounded, at least one. `tokens=@FILE` gives explicit points instead: lines of
//! `node,token` with tokens below 2^64; members without a token cannot be served.
//!
//! ```
//! use placelab_core::{Arguments, Change, HashSeed, Key, NodeId, Roster, advance, establish};
//! let spec = placelab_algorithms::find("ring").unwrap();
//! let roster = Roster::numbered(10).unwrap();
//! let before = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//! let after = advance(spec, before.as_ref(), &[Change::Remove(NodeId(4))]).unwrap();
//! // Whatever node 4 did not own stays where it is.
//! for key in (0..5_000u64).map(|i| Key::hashed(i << 50)) {
//!     let owner = before.place(key);
//!     assert!(owner == NodeId(4) || after.place(key) == owner);
//! }
//! ```

mod points;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::circle::{Circle, NameRanks, mean_reads};
use crate::range_hash::bytes_of;
use crate::seen::Seen;
use crate::twins::{each, seeded};

use placelab_core::math::{harmonic, sqrt};
use placelab_core::{
    AlgorithmSpec, Anatomy, Arguments, Average, Build, Capability, Change, Claim, ClosedForm,
    FleetSize, Footprint, HashFunction, HashSeed, History, Key, KeyHash, KeyPart, Keys, Node,
    NodeId, ParameterKind, ParameterSpec, Placement, PlacementError, Resolution, Role, Roster,
    Scheme, Shares, Trace, Weight,
};
pub(crate) use points::POINTS_MAX;
use points::{Points, parse_template, parse_tokens};

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "ring",
    role: Role::Rival,
    family: "ring",
    year: 1997,
    citation: "Karger et al.: Consistent Hashing and Random Trees, STOC 1997",
    implementations: "C (libmemcached), Python (uhashring), Ruby (Dalli), Rust (pingora-ketama), \
        JavaScript (hashring)",
    summary: "nodes at many points of a circle, a key goes to the next one",
    lookup_cost: "O(1) expected, O(log NV) worst",
    steps,
    closed_forms: &[
        ClosedForm {
            metric: "share.cv",
            average: Average::RootMeanSquare,
            formula: "√((N − 1) ÷ (NV + 1))",
            value: |arguments, step| Some(scatter(hashed_points(arguments)?, step.now)),
        },
        ClosedForm {
            metric: "share.max_over_mean",
            average: Average::Mean,
            formula: "1 + 1/2 + … + 1/N, rings of one point a node",
            value: |arguments, step| (hashed_points(arguments)? == 1).then(|| harmonic(step.now)),
        },
    ],
    memory_cost: "O(NV)",
    capabilities: &[Capability::RemoveAny, Capability::Weights],
    claims: &[Claim::MinimalMovement, Claim::OrderFree, Claim::Restores],
    resolution: Some(Resolution {
        lightest: "1 ÷ V",
        memory: "16 to 20 bytes a point",
        weight: |arguments, _| 1.0 / arguments.count("vnodes") as f64,
    }),
    reads: KeyPart::Hash,
    parameters: &[
        ParameterSpec {
            name: "vnodes",
            kind: ParameterKind::Count { min: 1, max: 100_000 },
            default: Some("160"),
            help: "points a unit of weight",
        },
        ParameterSpec {
            name: "hash",
            kind: ParameterKind::Choice(&HashFunction::NAMES),
            default: Some("xxh3"),
            help: "hash of the points",
        },
        ParameterSpec {
            name: "successor",
            kind: ParameterKind::Choice(&["at", "after"]),
            default: Some("at"),
            help: "whether a key on a point belongs to it or to the next",
        },
        ParameterSpec {
            name: "point",
            kind: ParameterKind::Text(|text| parse_template(text).map(|_| ())),
            default: Some("name#i"),
            help: "text hashed for point i of a node, from `name` and `i`",
        },
        ParameterSpec {
            name: "tokens",
            kind: ParameterKind::File(|text| parse_tokens(text).map(|_| ())),
            default: None,
            help: "file of explicit points, lines of node,token",
        },
    ],
    small: "vnodes=3",
    build: Build::Placement(|arguments, seed, roster| {
        Ok(Box::new(Ring::new(arguments, seed, roster)?))
    }),
    naive,
};

/// The points of a cell up to the key, and the one that owns it.
fn steps(arguments: &Arguments, fleet: FleetSize) -> f64 {
    let per_node = match arguments.file("tokens").map(parse_tokens) {
        Some(Ok(tokens)) => tokens.iter().map(|(_, own)| own.len()).sum::<usize>() / tokens.len(),
        _ => arguments.count("vnodes") as usize,
    };
    1.0 + mean_reads(per_node as u64 * u64::from(fleet.now))
}

/// Points of a node of weight 1; none where a file says where they are.
fn hashed_points(arguments: &Arguments) -> Option<u64> {
    arguments.file("tokens").is_none().then(|| arguments.count("vnodes"))
}

/// Root mean square, over rings, of the standard deviation of the shares over their mean.
fn scatter(vnodes: u64, nodes: u32) -> f64 {
    let (vnodes, nodes) = (vnodes as f64, f64::from(nodes));
    sqrt((nodes - 1.0) / (nodes * vnodes + 1.0))
}

#[derive(Clone, Copy)]
enum Successor {
    At,
    After,
}

#[derive(Clone)]
struct Ring {
    points: Arc<Points>,
    successor: Successor,
    roster: Roster,
    circle: Arc<Circle>,
}

impl Ring {
    fn new(arguments: &Arguments, seed: HashSeed, roster: Roster) -> Result<Self, PlacementError> {
        let checked = "parameters passed their checks";
        let points = match arguments.file("tokens") {
            Some(text) => Points::Explicit(parse_tokens(text).expect(checked)),
            None => Points::Hashed {
                vnodes: arguments.count("vnodes"),
                hash: arguments.text("hash").parse().expect(checked),
                seed,
                template: parse_template(arguments.text("point")).expect(checked),
            },
        };
        let successor = match arguments.text("successor") {
            "after" => Successor::After,
            _ => Successor::At,
        };
        points.check(&roster)?;
        let circle = Circle::of(&NameRanks::new(&roster), &points.of(roster.nodes()));
        let (points, circle) = (Arc::new(points), Arc::new(circle));
        Ok(Ring { points, successor, roster, circle })
    }

    /// The position of which the key's point is the successor; behind the last comes the first.
    #[inline]
    fn start(&self, key: KeyHash) -> u64 {
        match self.successor {
            Successor::At => key.0,
            Successor::After => key.0.wrapping_add(1),
        }
    }
}

impl Scheme for Ring {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    /// Hashes and sorts only the points of nodes that changed, then merges them in.
    fn adopt(&mut self, next: Roster, changes: &[Change]) -> Result<(), PlacementError> {
        self.points.check(&next)?;
        let mut changed: Vec<NodeId> = changes.iter().map(Change::id).collect();
        changed.sort_unstable();
        let is_changed = |id: NodeId| changed.binary_search(&id).is_ok();
        let ranks = NameRanks::new(&next);
        let mut fresh = self.points.of(next.nodes().iter().filter(|node| is_changed(node.id)));
        ranks.sort(&mut fresh);
        self.circle = Arc::new(self.circle.merged(&ranks, |id| !is_changed(id), &fresh));
        self.roster = next;
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        let file: &[_] = match self.points.as_ref() {
            Points::Explicit(tokens) => tokens,
            Points::Hashed { .. } => &[],
        };
        let row_bytes = |(name, own): &(Box<str>, Box<[u64]>)| name.len() as u64 + bytes_of(own);
        Footprint {
            shared_bytes: self.roster.shared_bytes() + file.iter().map(row_bytes).sum::<u64>(),
            derived_bytes: self.circle.bytes() + bytes_of(file),
        }
    }
}

impl Placement for Ring {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.circle.owner_at(self.start(key.hash))
    }

    fn place_many(&self, keys: Keys<'_>, out: &mut [NodeId]) {
        let starts = keys.hashes.iter().map(|key| self.start(*key));
        self.circle.owners(starts, &mut out[..keys.hashes.len()]);
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        let point = self.circle.successor(self.start(key.hash), trace);
        let node = self.circle.owner(point);
        trace.step(placelab_core::Step::Probe { at: self.circle.position(point), node });
        node
    }

    /// The walk onwards, skipping points of nodes that were visited.
    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        let mut seen = Seen::new();
        for node in self.circle.walk(self.circle.find(self.start(key.hash))) {
            if seen.insert(node) && visit(node).is_break() {
                return;
            }
        }
    }

    fn shares(&self) -> Option<Shares> {
        let mut arcs = BTreeMap::new();
        for (node, arc) in self.circle.arcs() {
            *arcs.entry(node).or_insert(0u128) += arc;
        }
        let whole = 1u128 << 64;
        Some(Shares::of_roster(&self.roster, whole, |id| arcs.get(&id).copied().unwrap_or(0)))
    }

    fn anatomy(&self) -> Option<Anatomy> {
        Some(self.circle.anatomy())
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

/// The twin: every point with the name and identity of its node in a list, in which each key looks
/// for the least that is behind it, or for the least of all.
fn naive(arguments: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    let roster = history.now();
    let mut points: Vec<(u64, &[u8], NodeId)> = Vec::new();
    for node in roster.serving() {
        let own = match arguments.file("tokens") {
            Some(text) => {
                let tokens = parse_tokens(text).expect("a checked file");
                let own = tokens.iter().filter(|(name, _)| **name == *node.name.as_str());
                own.flat_map(|(_, own)| own.iter().copied()).collect()
            }
            None => naive_points(arguments, seed, node),
        };
        points.extend(own.into_iter().map(|point| (point, node.name.as_bytes(), node.id)));
    }
    each(keys, |key| {
        let is_behind = |point: u64| match arguments.text("successor") {
            "at" => point >= key.hash.0,
            _ => point > key.hash.0,
        };
        let behind = points.iter().filter(|(point, ..)| is_behind(*point)).min();
        behind.or(points.iter().min()).expect("a roster has a node of positive weight").2
    })
}

/// The points of a node where they are hashed: V times its weight, halves upward, but one at least.
fn naive_points(arguments: &Arguments, seed: HashSeed, node: &Node) -> Vec<u64> {
    let hash: HashFunction = arguments.text("hash").parse().expect("a checked name");
    let unit = u128::from(Weight::MICROS);
    let micros = u128::from(arguments.count("vnodes")) * u128::from(node.weight.micros());
    let count = (micros + unit / 2) / unit;
    let point = |index: u128| {
        let text = arguments.text("point").replace('i', &index.to_string());
        let text = text.replace("name", node.name.as_str());
        hash.hash(&seeded(seed, text.as_bytes()))
    };
    (0..count.max(1)).map(point).collect()
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;
    use placelab_core::{AlgorithmRequest, PlainStep, advance, establish, replicas};

    use super::*;
    use crate::fixtures::{named, twin_agrees};

    fn ring(text: &str, tokens: &str, roster: Roster, seed: u64) -> Box<dyn Placement> {
        let request = AlgorithmRequest::expand(text).unwrap().remove(0);
        let arguments = request.arguments(&SPEC, &|_| Ok(tokens.into())).unwrap();
        establish(&SPEC, &arguments, HashSeed(seed), roster).unwrap()
    }

    /// Tokens A 20, B 60, C 90 on 100 positions, D at 40: positions 21 … 40 move, all to D, and
    /// the second copy of position 10 changes from B to D although its owner stays.
    #[test]
    fn twenty_positions_move() {
        let tokens = "A,20\nB,60\nC,90\nD,40\n";
        let before = ring("ring:tokens=@t", tokens, named(&["A", "B", "C"]), 0);
        let d = named(&["A", "B", "C", "D"]).nodes()[3].clone();
        let after = advance(&SPEC, before.as_ref(), &[Change::Add(d.clone())]).unwrap();
        let owners =
            |position| [&before, &after].map(|placement| placement.place(Key::hashed(position)));
        let moved: Vec<u64> = (0..100).filter(|&p| owners(p)[0] != owners(p)[1]).collect();
        assert!(moved.iter().copied().eq(21..=40));
        assert!(moved.iter().all(|&position| owners(position)[1] == d.id));
        assert_eq!(owners(99), [NodeId(0), NodeId(0)], "behind the last token comes the first");
        let copies = [&before, &after].map(|p| replicas(p.as_ref(), Key::hashed(10), 2).unwrap());
        assert_eq!(copies, [[NodeId(0), NodeId(1)], [NodeId(0), NodeId(3)]]);
        let strict = ring("ring:tokens=@t,successor=after", tokens, named(&["A", "B", "C"]), 0);
        let positions = [19, 20, 60].map(|position| strict.place(Key::hashed(position)));
        assert_eq!(positions, [NodeId(0), NodeId(1), NodeId(2)]);
    }

    /// A thousandth of a unit asks for 0.16 points of 160 and gets one: on average a 161st of the
    /// keys, six times its share.
    #[test]
    fn the_lightest_node_has_a_point_all_the_same() {
        let mut nodes = Roster::numbered(2).unwrap().nodes().to_vec();
        nodes[0].weight = "0.001".parse().unwrap();
        let roster = Roster::new(nodes).unwrap();
        let share = |seed| {
            let shares = ring("ring", "", roster.clone(), seed).shares().unwrap();
            let (light, part) = shares.parts[0];
            assert_eq!(light, NodeId(0));
            part as f64 / shares.whole as f64
        };
        let mean = (0..400).map(share).sum::<f64>() / 400.0;
        // Arcs of one point scatter by their mean: five standard errors.
        assert!((mean * 161.0 - 1.0).abs() < 5.0 / 20.0, "{mean}");
    }

    #[test]
    fn copies_are_on_distinct_machines() {
        let tokens = "A,20\nA,40\nB,60\nC,90\n";
        let placement = ring("ring:tokens=@t", tokens, named(&["A", "B", "C"]), 0);
        let copies = replicas(placement.as_ref(), Key::hashed(10), 3).unwrap();
        assert_eq!(copies, [0, 1, 2].map(NodeId));
    }

    /// The least name owns a position on which several nodes stand, whoever joined first.
    #[test]
    fn collisions_go_by_name() {
        let tokens = "b,50\na,50\nc,50\n";
        for names in [["a", "b", "c"], ["c", "b", "a"]] {
            let placement = ring("ring:tokens=@t", tokens, named(&names), 0);
            let owner = placement.place(Key::hashed(50));
            assert_eq!(placement.roster().get(owner).unwrap().name.as_str(), "a");
            let shares = placement.shares().unwrap();
            assert_eq!(shares.parts, [(owner, shares.whole)]);
        }
    }

    #[test]
    fn the_twin_agrees_on_and_beside_every_point() {
        let (seed, roster) = (HashSeed(3), Roster::numbered(9).unwrap());
        for text in ["ring:vnodes=7", "ring:vnodes=7,successor=after"] {
            let points = Points::Hashed {
                vnodes: 7,
                hash: HashFunction::Xxh3,
                seed,
                template: parse_template("name#i").unwrap(),
            };
            let points = points.of(roster.nodes()).into_iter();
            let edges = points.flat_map(|(p, _)| [p.wrapping_sub(1), p, p.wrapping_add(1)]);
            let hashes = (0..2_000).map(|i| stream(9, i)).chain(edges).chain([0, u64::MAX]);
            twin_agrees(text, seed, roster.clone(), hashes);
        }
    }

    /// Relative sd of exact shares for N = 100, mean over 20 seeds: √((N − 1) ÷ (N·V + 1)).
    #[test]
    fn shares_scatter_as_the_closed_form_says() {
        for (vnodes, expected) in [(100, 0.0995), (160, 0.079), (1_000, 0.032)] {
            let deviation = |seed| {
                let text = format!("ring:vnodes={vnodes}");
                let shares =
                    ring(&text, "", Roster::numbered(100).unwrap(), seed).shares().unwrap();
                let fair = shares.whole as f64 / 100.0;
                let square = |(_, part): &(NodeId, u128)| (*part as f64 / fair - 1.0).powi(2);
                (shares.parts.iter().map(square).sum::<f64>() / 100.0).sqrt()
            };
            let mean = (0..20).map(deviation).sum::<f64>() / 20.0;
            let closed = scatter(vnodes, 100);
            assert!((mean / expected - 1.0).abs() < 0.1, "V = {vnodes}: {mean}");
            assert!((mean / closed - 1.0).abs() < 0.1, "V = {vnodes}: {mean}");
        }
    }

    /// One point a node, 48 nodes: the largest of 48 arcs is H₄₈ of the mean, within four standard
    /// errors of 1,000 rings. An arc's largest of many scatters by about 1.2 of the mean.
    #[test]
    fn the_largest_arc_is_harmonic() {
        let peak = |seed| {
            let shares = ring("ring:vnodes=1", "", Roster::numbered(48).unwrap(), seed).shares();
            let parts = shares.unwrap().parts;
            parts.iter().map(|(_, part)| *part).max().unwrap() as f64 / 2f64.powi(64) * 48.0
        };
        let mean = (0..1_000).map(peak).sum::<f64>() / 1_000.0;
        let form = SPEC.closed_forms.iter().find(|form| form.metric == "share.max_over_mean");
        let arguments = AlgorithmRequest::expand("ring:vnodes=1").unwrap().remove(0);
        let arguments = arguments.arguments(&SPEC, &|_| unreachable!()).unwrap();
        let step = PlainStep { before: None, now: 48 };
        let expected = (form.unwrap().value)(&arguments, step).unwrap();
        assert!((expected / 48.0 - 0.0929).abs() < 1e-4, "H₄₈ ÷ 48 is 9.29 %: {expected}");
        assert!((mean - expected).abs() < 4.0 * 1.2 / 1_000f64.sqrt(), "{mean} for {expected}");
        assert_eq!((form.unwrap().value)(&Arguments::defaults(&SPEC), step), None);
    }

    /// 10^5 points a unit of a weight of 10^9 units are 10^14, not what is left of them in 64 bits.
    #[test]
    fn points_beyond_the_limit_are_refused() {
        let mut node = Roster::numbered_node(0);
        node.weight = Weight::units(1_000_000_000);
        let roster = Roster::new(vec![node.clone()]).unwrap();
        let request = AlgorithmRequest::expand("ring:vnodes=100000").unwrap().remove(0);
        let arguments = request.arguments(&SPEC, &|_| unreachable!()).unwrap();
        let refused = establish(&SPEC, &arguments, HashSeed(0), roster).err();
        let (asked, possible) = (100_000_000_000_000, POINTS_MAX);
        let what = "points of a ring";
        let limit = PlacementError::Limit { what, asked, possible, heaviest: None };
        assert_eq!(refused, Some(limit));
    }

    #[test]
    fn templates_and_tokens_are_checked() {
        for text in ["name", "i", "namename#i", "name#ii", "node#i", ""] {
            assert!(parse_template(text).is_err(), "{text}");
        }
        for text in ["name#i", "i-name", "name-i", "<name:i>"] {
            assert!(parse_template(text).is_ok(), "{text}");
        }
        for text in ["", "a", "a,", "a,-1", "a,1\n\nb,2", "a,18446744073709551616"] {
            assert!(parse_tokens(text).is_err(), "{text}");
        }
    }
}
