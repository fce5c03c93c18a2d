//! The power of d choices: the least loaded of the nodes that several hashes of a key name.
//!
//! Source: Azar, Broder, Karlin, Upfal, "Balanced Allocations", STOC 1994 (SIAM J. Comput. 29,
//! 1999); over a ring: Byers, Considine, Mitzenmacher, "Simple Load Balancing for Distributed Hash
//! Tables", IPTPS 2003. The d hashes are outputs of a stream that starts at the key's hash, the
//! first being that hash itself; each names the owner under the placement underneath. Cost: d
//! lookups, and a counter a node that all clients must agree on, or d places to look for a key.
//!
//! What it cannot do: answer for a key alone, as the answer depends on the keys before it. Placed
//! afresh after a change, keys move wherever the comparison of two loads turned out otherwise.
//!
//! Nodes of different weight are compared by the load that the key would bring them to over their
//! weight, in exact arithmetic. Of equals the one that an earlier hash names gets the key. Several
//! hashes may name one node, as in the source.

use placelab_core::mix::stream;
use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Claim, HashSeed, History, Key, KeyHash, KeyPart,
    Keys, NodeId, ParameterKind, ParameterSpec, Placement, PlacementError, Role, Roster, Step,
    Trace,
};

use crate::load_aware::{Books, OVER, RESOLUTION, Rule, VNODES, build, naive_pass};

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "two-choices",
    role: Role::Rival,
    family: "load-aware",
    year: 1994,
    citation: "Azar, Broder, Karlin, Upfal: Balanced Allocations, STOC 1994",
    implementations: "Java (Apache Storm)",
    summary: "the least loaded of the nodes that two hashes of a key name",
    lookup_cost: "O(d)",
    // A hash and a load each.
    steps: |arguments, _| 2.0 * arguments.count("choices") as f64,
    closed_forms: &[],
    memory_cost: "O(NV)",
    capabilities: &[Capability::RemoveAny, Capability::Weights],
    claims: &[Claim::Restores, Claim::OrderFree],
    resolution: Some(RESOLUTION),
    reads: KeyPart::Hash,
    parameters: &[
        ParameterSpec {
            name: "choices",
            kind: ParameterKind::Count { min: 1, max: 64 },
            default: Some("2"),
            help: "hashes of a key",
        },
        OVER,
        VNODES,
    ],
    small: "vnodes=3",
    build: Build::Assignment(build::<Choices>),
    naive,
};

/// So many hashes of a key.
#[derive(Clone)]
struct Choices(u64);

impl Rule for Choices {
    fn new(arguments: &Arguments) -> Self {
        Choices(arguments.count("choices"))
    }

    fn capacities(&self, _: &Roster, _: u64) -> Result<Option<Vec<u64>>, PlacementError> {
        Ok(None)
    }

    fn choose(
        &self,
        under: &dyn Placement,
        books: &Books,
        key: Key<'_>,
        trace: &mut dyn Trace,
    ) -> NodeId {
        let mut named = (0..self.0).map(|choice| {
            let hash = match choice {
                0 => key.hash,
                _ => KeyHash(stream(key.hash.0, choice)),
            };
            trace.step(Step::Draw { value: hash.0 });
            let node = under.place(Key { hash, ..key });
            trace.step(Step::Probe { at: books.loads[node.index()], node });
            node
        });
        let first = named.next().expect("there is a choice");
        named.fold(first, |best, node| if books.is_lighter(node, best) { node } else { best })
    }
}

impl Books {
    /// Whether a key more would load `a` less than `b`, by their weights.
    fn is_lighter(&self, a: NodeId, b: NodeId) -> bool {
        let load = |node: NodeId| u128::from(self.loads[node.index()]) + 1;
        let weight = |node: NodeId| u128::from(self.weights[node.index()]);
        load(a) * weight(b) < load(b) * weight(a)
    }
}

/// The twin: counts everybody's keys again for each key, and sorts the named nodes.
fn naive(arguments: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    naive_pass(arguments, seed, history, keys, |under, key, before| {
        let further = (1..arguments.count("choices")).map(|i| stream(key.hash.0, i));
        let hashes = std::iter::once(key.hash.0).chain(further);
        let mut named: Vec<NodeId> =
            hashes.map(|hash| under.place(Key { hash: KeyHash(hash), ..key })).collect();
        let load = |node| 1 + before.iter().filter(|owner| **owner == node).count() as u128;
        let weight = |node| under.roster().get(node).expect("owners are members").weight.micros();
        // Stable: of equals the first named stays first.
        named.sort_by(|&a, &b| {
            (load(a) * u128::from(weight(b))).cmp(&(load(b) * u128::from(weight(a))))
        });
        named[0]
    })
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::mix;
    use placelab_core::{AlgorithmRequest, HashSeed, Keys, Placer};
    use rayon::prelude::*;

    use super::*;
    use crate::fixtures::weighted;

    fn placer(contender: &str, roster: Roster) -> Placer {
        let request = AlgorithmRequest::expand(contender).unwrap().remove(0);
        let arguments = request.arguments(&SPEC, &|_| unreachable!("no file is named")).unwrap();
        Placer::first(&SPEC, &arguments, HashSeed::PUBLISHED, roster).unwrap()
    }

    fn loads(placer: &Placer, seed: u64, keys: u64) -> Vec<u64> {
        let hashes: Vec<KeyHash> = (0..keys).map(|i| KeyHash(stream(seed, i))).collect();
        let mut loads = vec![0; placer.scheme().roster().len()];
        let owners = placer.owners(Keys::hashed(&hashes)).unwrap();
        owners.iter().for_each(|node| loads[node.index()] += 1);
        loads
    }

    /// 2^16 balls into as many bins: with two choices the fullest has 3 in about two thirds of
    /// runs and else 4; with one it has 7 or 8 in about 92 % (a Poisson law of 1 says 92.5 %).
    #[test]
    fn two_choices_are_exponentially_better_than_one() {
        const RUNS: u64 = 600;
        const BINS: u32 = 1 << 16;
        let largest = |choices| {
            let contender = format!("two-choices:choices={choices},over=memento");
            let placer = placer(&contender, Roster::numbered(BINS).unwrap());
            let most = |seed| *loads(&placer, mix(seed), BINS.into()).iter().max().unwrap();
            (0..RUNS).into_par_iter().map(most).collect::<Vec<u64>>()
        };
        let part = |all: &[u64], some: &[u64]| {
            all.iter().filter(|most| some.contains(most)).count() as f64 / RUNS as f64
        };
        let (one, two) = (largest(1), largest(2));
        assert_eq!(part(&two, &[3, 4]), 1.0);
        assert!((part(&two, &[3]) - 2.0 / 3.0).abs() < 0.08, "{}", part(&two, &[3]));
        assert!((part(&one, &[7, 8]) - 0.92).abs() < 0.04, "{}", part(&one, &[7, 8]));
    }

    /// Loads follow the weights, closer than chance would have them.
    #[test]
    fn weights_are_heeded() {
        let placer = placer("two-choices:over=weighted-rendezvous", weighted(&[1, 2, 0, 3]));
        let loads = loads(&placer, 3, 60_000);
        for (load, fair) in loads.into_iter().zip([10_000, 20_000, 0, 30_000]) {
            assert!(load.abs_diff(fair) < 20 && (load == 0) == (fair == 0), "{load} of {fair}");
        }
    }
}
