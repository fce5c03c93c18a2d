//! Maglev hashing: a lookup table filled by turns.
//!
//! Source: Eisenbud et al., "Maglev: A Fast and Reliable Software Network Load Balancer", NSDI
//! 2016, section 3.4. Cost: one remainder and one table read a lookup; M entries of 2 bytes, of 4
//! where identities exceed 16 bits; a build tries about M ln √M slots (see [`claims`]).
//!
//! What it cannot do: move only what it must. A changed fleet fills the table anew, and beside
//! the entries of the changed node a few more change hands: 2 % beyond the least for 10 nodes in
//! 65,537 entries, 57 % beyond it for 100. M must be a prime, or a node could not reach every slot.
//!
//! Nodes take turns in name order; offset and skip are two XXH3 draws of the name. The paper leaves
//! its weighting open. Under `weights=katran-v2`, that of Katran's second version, entries are in
//! proportion and equal nodes differ by at most one. `weights=envoy` differs from it in that every
//! node has an entry, however light. `weights=turns`, that of IPVS, gives turns in a row, at most
//! 63 a round: a turn is 1 ÷ 32 of the heaviest weight or less, and the lightest node has one, so
//! shares are that coarse. Equal weights make the same table under all three.
//!
//! ```
//! use placelab_core::{Arguments, HashSeed, Roster, establish};
//! let spec = placelab_algorithms::find("maglev").unwrap();
//! let roster = Roster::numbered(10).unwrap();
//! let maglev = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//! // 65,537 entries over ten equal nodes: 6,553 or 6,554 each.
//! let shares = maglev.shares().unwrap();
//! assert!(shares.parts.iter().all(|(_, entries)| [6_553, 6_554].contains(entries)));
//! ```

mod claims;
mod turns;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use placelab_core::hash::xxh3_pair;
use placelab_core::{
    AlgorithmSpec, Anatomy, Arguments, Build, Capability, Change, Claim, Footprint, HashSeed,
    History, Key, KeyHash, KeyPart, Keys, Node, NodeId, ParameterKind, ParameterSpec, Placement,
    PlacementError, Resolution, Role, Roster, Scheme, Shares, Step, Trace,
};

use crate::dense::Dense;
use crate::range_hash::{bytes_of, trimmed};
use crate::remainder::Remainder;
use crate::seen::Seen;
use crate::twins::{by_name, each};
use turns::Rule;

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "maglev",
    role: Role::Rival,
    family: "table",
    year: 2016,
    citation: "Eisenbud et al.: Maglev: A Fast and Reliable Software Network Load Balancer, \
               NSDI 2016",
    implementations: "Go (Cilium), C++ (Envoy), C (Linux IPVS), Rust (maglev-hash)",
    summary: "a prime-sized table that nodes fill by turns, one read a lookup",
    lookup_cost: "O(1)",
    steps: |_, _| 1.0,
    closed_forms: &[],
    memory_cost: "O(M)",
    capabilities: &[Capability::RemoveAny, Capability::Weights],
    claims: &[Claim::FairShares, Claim::OrderFree, Claim::Restores, Claim::ScaleFree],
    resolution: Some(Resolution {
        lightest: "W ÷ M",
        memory: "2 to 4 bytes an entry",
        weight: |arguments, fleet| {
            let entry = fleet.sum / arguments.count("size") as f64;
            match Rule::of(arguments.text("weights")) {
                Rule::KatranV2 | Rule::Envoy => entry,
                Rule::Turns => entry.max(fleet.heaviest / 32.0),
            }
        },
    }),
    reads: KeyPart::Hash,
    parameters: &[
        ParameterSpec {
            name: "size",
            kind: ParameterKind::Prime { max: 100_000_007 },
            default: Some("65537"),
            help: "entries of the table, a prime; a hundred a node or more",
        },
        ParameterSpec {
            name: "weights",
            kind: ParameterKind::Choice(Rule::NAMES),
            default: Some("katran-v2"),
            help: "how weights become turns: those of Katran and Envoy, or in a row as in IPVS",
        },
    ],
    small: "size=13",
    build: Build::Placement(|arguments, seed, roster| {
        Ok(Box::new(Maglev::new(arguments, seed, roster)?))
    }),
    naive,
};

/// How one node fills the table: its permutation of the slots, and its weight.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// First slot of the permutation, below the table size.
    pub offset: u32,
    /// Step of the permutation, from 1 to the table size − 1.
    pub skip: u32,
    /// Weight; a node of weight 0 takes no turn.
    pub weight: u64,
}

/// Fills a table of `size` slots, a prime, by turns; entries are indices into `nodes`. Weights
/// count by the rule of Katran's second version.
///
/// Nodes take their turns in the order given. Panics where no node has a positive weight.
pub fn populate(size: u32, nodes: &[Turns]) -> Vec<u32> {
    Rule::KatranV2.populate(size, nodes)
}

#[derive(Clone)]
struct Maglev {
    size: Remainder,
    rule: Rule,
    seed: HashSeed,
    roster: Roster,
    table: Dense,
    /// In name order.
    serving: Vec<NodeId>,
}

impl Maglev {
    fn new(arguments: &Arguments, seed: HashSeed, roster: Roster) -> Result<Self, PlacementError> {
        let size = arguments.count("size") as u32;
        let rule = Rule::of(arguments.text("weights"));
        let (table, serving) = (fill(size, rule, seed, &roster)?, serving(&roster));
        let size = Remainder::by(size.into());
        Ok(Maglev { size, rule, seed, roster, table, serving })
    }

    /// The turn in which each slot was taken, from 1. Nodes take the slots that are theirs in the
    /// order of their permutations.
    fn turns(&self, owners: &[NodeId]) -> Vec<u32> {
        let size = self.size.divisor() as u32;
        let members: Vec<&Node> = self.roster.serving_by_name().collect();
        let permutations = permutations(size, self.seed, &members);
        let mut next: Vec<u32> = permutations.iter().map(|own| own.offset).collect();
        let mut turns = vec![0; owners.len()];
        for (turn, index) in (1..=size).zip(self.rule.order(&permutations)) {
            let index = index as usize;
            let mut is_taken = false;
            while !is_taken {
                let slot = next[index];
                is_taken = owners[slot as usize] == members[index].id;
                if is_taken {
                    turns[slot as usize] = turn;
                }
                next[index] = (slot + permutations[index].skip) % size;
            }
        }
        turns
    }

    #[inline]
    fn entry(&self, key: KeyHash) -> usize {
        self.size.of(key.0) as usize
    }
}

fn fill(size: u32, rule: Rule, seed: HashSeed, roster: &Roster) -> Result<Dense, PlacementError> {
    let members: Vec<_> = roster.serving_by_name().collect();
    if members.len() > size as usize {
        return Err(PlacementError::Parameter {
            parameter: "size".into(),
            reason: format!(
                "a table of {size} entries is smaller than the fleet of {}: choose a larger prime",
                members.len()
            ),
        });
    }
    let table = rule.populate(size, &permutations(size, seed, &members));
    Ok(Dense::new(table.iter().map(|&index| members[index as usize].id)))
}

/// How each member fills a table.
fn permutations(size: u32, seed: HashSeed, members: &[&Node]) -> Vec<Turns> {
    let turns = |node: &&Node| {
        let (offset, skip) = xxh3_pair(seed, node.name.as_bytes());
        Turns {
            offset: (offset % u64::from(size)) as u32,
            skip: (skip % u64::from(size - 1)) as u32 + 1,
            weight: node.weight.micros(),
        }
    };
    members.iter().map(turns).collect()
}

fn serving(roster: &Roster) -> Vec<NodeId> {
    trimmed(roster.serving_by_name().map(|node| node.id).collect())
}

impl Scheme for Maglev {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn adopt(&mut self, next: Roster, _: &[Change]) -> Result<(), PlacementError> {
        self.table = fill(self.size.divisor() as u32, self.rule, self.seed, &next)?;
        self.serving = serving(&next);
        self.roster = next;
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        let derived_bytes = self.table.bytes() + bytes_of(&self.serving);
        Footprint { shared_bytes: self.roster.shared_bytes(), derived_bytes }
    }
}

impl Placement for Maglev {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.table.get(self.entry(key.hash))
    }

    fn place_many(&self, keys: Keys<'_>, out: &mut [NodeId]) {
        let entries = keys.hashes.iter().map(|key| self.entry(*key));
        self.table.get_many(entries, &mut out[..keys.hashes.len()]);
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        let slot = self.entry(key.hash);
        let node = self.table.get(slot);
        trace.step(Step::Probe { at: slot as u64, node });
        node
    }

    /// The owners of the next slots; then, in name order, nodes so light that they have none.
    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        let (first, size) = (self.entry(key.hash), self.size.divisor() as usize);
        let owners = (first..size).chain(0..first).map(|slot| self.table.get(slot));
        let mut seen = Seen::new();
        for node in owners.chain(self.serving.iter().copied()) {
            if seen.insert(node) && visit(node).is_break() {
                return;
            }
        }
    }

    fn slot(&self, key: Key<'_>) -> Option<u64> {
        Some(self.entry(key.hash) as u64)
    }

    fn shares(&self) -> Option<Shares> {
        let mut entries = BTreeMap::new();
        let owners = (0..self.size.divisor()).map(|slot| self.table.get(slot as usize));
        owners.for_each(|node| *entries.entry(node).or_insert(0u128) += 1);
        let whole = u128::from(self.size.divisor());
        Some(Shares::of_roster(&self.roster, whole, |id| entries.get(&id).copied().unwrap_or(0)))
    }

    fn anatomy(&self) -> Option<Anatomy> {
        let slots = 0..self.size.divisor() as usize;
        let owners: Vec<NodeId> = slots.map(|slot| self.table.get(slot)).collect();
        Some(Anatomy::Table { turns: self.turns(&owners), owners })
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

/// The twin: the pseudo code of the paper, whose nodes take their turns round by round.
fn naive(arguments: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    let size = arguments.count("size");
    let roster = history.now();
    let nodes = by_name(&roster);
    let weights: Vec<u64> = nodes.iter().map(|node| node.weight.micros()).collect();
    let mut takers = naive_rounds(arguments.text("weights"), weights);
    let (mut next, mut filled) = (vec![0; nodes.len()], 0);
    let mut entry = vec![NodeId::NOBODY; size as usize];
    for round in 1.. {
        for i in takers(round) {
            let (first, second) = xxh3_pair(seed, nodes[i].name.as_bytes());
            let (offset, skip) = (first % size, second % (size - 1) + 1);
            let preference = |j: u64| ((offset + j * skip) % size) as usize;
            while entry[preference(next[i])] != NodeId::NOBODY {
                next[i] += 1;
            }
            entry[preference(next[i])] = nodes[i].id;
            filled += 1;
            if filled == size {
                return each(keys, |key| entry[(key.hash.0 % size) as usize]);
            }
        }
    }
    unreachable!("there are always more rounds")
}

/// Who takes turns in round 1, 2, … under the rule of a name, one after the other.
fn naive_rounds(rule: &str, weights: Vec<u64>) -> Box<dyn FnMut(u64) -> Vec<usize>> {
    let most = *weights.iter().max().expect("there is a node");
    let sum = weights.iter().map(|&weight| u128::from(weight)).sum::<u128>() as f64;
    let everybody = (0..weights.len()).filter(|&i| weights[i] > 0).collect::<Vec<_>>();
    let mut earned = vec![0; weights.len()];
    let mut targets = vec![0.0; weights.len()];
    match rule {
        "katran-v2" => Box::new(move |_| {
            let mut takers = Vec::new();
            for &i in &everybody {
                earned[i] += weights[i];
                if earned[i] >= most {
                    earned[i] -= most;
                    takers.push(i);
                }
            }
            takers
        }),
        "envoy" => Box::new(move |round| {
            let mut takers = Vec::new();
            for &i in &everybody {
                if round as f64 * (weights[i] as f64 / sum) >= targets[i] {
                    targets[i] += most as f64 / sum;
                    takers.push(i);
                }
            }
            takers
        }),
        _ => Box::new(move |_| {
            let mut divisor = 0;
            for &i in &everybody {
                let mut rest = weights[i];
                while rest > 0 {
                    (divisor, rest) = (rest, divisor % rest);
                }
            }
            let mut cut = 1;
            while most / divisor / cut >= 64 {
                cut *= 2;
            }
            let turns = |i: usize| (weights[i] / divisor / cut).max(1) as usize;
            everybody.iter().flat_map(|&i| std::iter::repeat_n(i, turns(i))).collect()
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::hash::Hasher;

    use placelab_core::{Weight, advance as advance_placement, establish};
    use siphasher::sip::SipHasher24;

    use super::*;
    use crate::fixtures::{contender, weighted};
    use crate::vectors::{Digest, golden, hex, vector_keys};

    fn equal(size: u32, permutations: &[(u32, u32)]) -> Vec<u32> {
        let turns = |&(offset, skip): &(u32, u32)| Turns { offset, skip, weight: 1 };
        populate(size, &permutations.iter().map(turns).collect::<Vec<_>>())
    }

    /// The example of the paper's table 1, with and without its second backend.
    #[test]
    fn example_of_the_paper() {
        assert_eq!(equal(7, &[(3, 4), (0, 2), (3, 1)]), [1, 0, 1, 0, 2, 2, 0]);
        assert_eq!(equal(7, &[(3, 4), (3, 1)]), [0, 0, 0, 0, 1, 1, 1]);
    }

    /// In each turn its node takes the first slot of its own permutation that is free; equal nodes
    /// take turns in the order of their names.
    #[test]
    fn turns_can_be_taken_by_hand() {
        let unequal = || weighted(&[1, 2, 3, 0, 7]);
        let fleets = [(Roster::numbered(5).unwrap(), true), (unequal(), false)];
        for (roster, is_equal) in fleets {
            for text in ["maglev:size=251", "maglev:size=251,weights=envoy"] {
                let (_, placement) = contender(text, roster.clone());
                let Some(Anatomy::Table { owners, turns }) = placement.anatomy() else { panic!() };
                let mut by_turn: Vec<usize> = (0..251).collect();
                by_turn.sort_by_key(|slot| turns[*slot]);
                let members: Vec<&Node> = roster.serving_by_name().collect();
                let mut taken = [false; 251];
                for (turn, slot) in (1..).zip(by_turn) {
                    assert_eq!(turns[slot], turn, "{text}");
                    let at = members.iter().position(|node| node.id == owners[slot]).unwrap();
                    assert!(!is_equal || at == (turn as usize - 1) % members.len());
                    let name = members[at].name.as_bytes();
                    let (first, second) = xxh3_pair(HashSeed::PUBLISHED, name);
                    let preference =
                        |j: u64| ((first % 251 + j * (second % 250 + 1)) % 251) as usize;
                    let free = (0..251).map(preference).find(|slot| !taken[*slot]);
                    assert_eq!(free, Some(slot), "{text}, turn {turn}");
                    taken[slot] = true;
                }
            }
        }
    }

    /// The vectors name their backends by number, hash with SipHash and take turns by number.
    #[test]
    fn golden_vectors_in_full() {
        let file = golden("maglev_paper");
        let keys = vector_keys(&file);
        for vector in file["vectors"].as_array().unwrap() {
            let numbers = |name: &str| {
                let list = vector[name].as_array().into_iter().flatten();
                list.map(|number| number.as_u64().unwrap()).collect::<Vec<_>>()
            };
            let size = vector["table_size"].as_u64().unwrap();
            let dead = numbers("dead");
            let turns = |number: u64| {
                let mut hasher = SipHasher24::new_with_keys(0xdead_beef_cafe_babe, 0);
                hasher.write(format!("backend-{number}").as_bytes());
                let hash = hasher.finish();
                Turns {
                    offset: ((hash >> 32) % size) as u32,
                    skip: ((hash & 0xffff_ffff) % (size - 1)) as u32 + 1,
                    weight: u64::from(!dead.contains(&number)),
                }
            };
            let count = vector["n"].as_u64().unwrap();
            let table = populate(size as u32, &(0..count).map(turns).collect::<Vec<_>>());
            let mut digest = Digest::default();
            table.iter().for_each(|&entry| digest.add(entry));
            assert_eq!(digest.0, hex(&vector["table_fnv1a64"]), "M = {size}, n = {count}");
            if vector["table"].is_array() {
                assert!(table.iter().map(|&entry| u64::from(entry)).eq(numbers("table")));
            }
            let lookups = numbers("lookups");
            let owner = |&key: &u64| u64::from(table[(key % size) as usize]);
            assert!(lookups.is_empty() || keys.iter().map(owner).eq(lookups));
        }
    }

    fn maglev(nodes: u32, seed: u64) -> Box<dyn Placement> {
        let roster = Roster::numbered(nodes).unwrap();
        establish(&SPEC, &Arguments::defaults(&SPEC), HashSeed(seed), roster).unwrap()
    }

    #[test]
    fn equal_nodes_differ_by_one_entry() {
        for nodes in [1, 2, 3, 7, 10, 97, 1_000] {
            let parts = maglev(nodes, 0).shares().unwrap().parts;
            let entries = parts.iter().map(|(_, entries)| *entries);
            let (least, most) = (entries.clone().min().unwrap(), entries.max().unwrap());
            assert!(most - least <= 1, "{nodes} nodes: {least} … {most}");
        }
    }

    /// 1:2:3 by each rule, within an entry of Katran's and Envoy's rounds and a round of IPVS's;
    /// and one whose weight is a millionth, which has a turn a round in the last.
    #[test]
    fn each_rule_of_weights_is_asked_for_by_name() {
        for (rule, lightest) in [("katran-v2", 0), ("envoy", 1), ("turns", 65_537 / 64)] {
            let text = format!("maglev:weights={rule}");
            let (_, fair) = contender(&text, weighted(&[1, 2, 3]));
            for (weight, (_, entries)) in (1u32..).zip(fair.shares().unwrap().parts) {
                let expected = 65_537.0 * f64::from(weight) / 6.0;
                assert!((entries as f64 - expected).abs() <= 3.0, "{rule}: {entries}");
            }
            let light = Change::Reweight(NodeId(0), "0.000001".parse().unwrap());
            let roster = weighted(&[1, 1]).after(&[light]).unwrap();
            let parts = contender(&text, roster).1.shares().unwrap().parts;
            let entries = parts.iter().find(|(node, _)| *node == NodeId(0));
            let entries = entries.map_or(0, |(_, entries)| *entries);
            assert!(entries.abs_diff(lightest) <= 1 + lightest / 10, "{rule}: {entries}");
        }
    }

    #[test]
    fn weights_are_in_proportion() {
        let turns = [(3, 5, 1), (10, 7, 2), (40, 11, 3), (9, 9, 0)]
            .map(|(offset, skip, weight)| Turns { offset, skip, weight });
        let table = populate(65_537, &turns);
        let entries = [0, 1, 2, 3].map(|node| table.iter().filter(|&&e| e == node).count());
        assert_eq!(entries[3], 0);
        for (entry, weight) in entries.iter().zip([1, 2, 3]) {
            let fair = 65_537.0 * f64::from(weight) / 6.0;
            assert!((*entry as f64 - fair).abs() <= 3.0, "{entries:?}");
        }
    }

    /// Moved over the least when one node goes, by table slots, mean over 20 seeds.
    #[test]
    fn disruption_beyond_the_least() {
        for (nodes, expected, tolerance) in [(10, 1.02, 0.01), (100, 1.57, 0.03)] {
            let ratio = |seed| {
                let before = maglev(nodes, seed);
                let gone = NodeId(nodes / 2);
                let after =
                    advance_placement(&SPEC, before.as_ref(), &[Change::Remove(gone)]).unwrap();
                let owners = |placement: &dyn Placement| {
                    (0..65_537).map(|slot| placement.place(Key::hashed(slot))).collect::<Vec<_>>()
                };
                let (before, after) = (owners(before.as_ref()), owners(after.as_ref()));
                let moved = before.iter().zip(&after).filter(|(a, b)| a != b).count();
                let least = before.iter().filter(|&&owner| owner == gone).count();
                moved as f64 / least as f64
            };
            let mean = (0..20).map(ratio).sum::<f64>() / 20.0;
            assert!((mean - expected).abs() <= tolerance, "{nodes} nodes: {mean}");
        }
    }

    #[test]
    fn a_table_smaller_than_the_fleet_is_refused() {
        let request = placelab_core::AlgorithmRequest::expand("maglev:size=31").unwrap().remove(0);
        let arguments = request.arguments(&SPEC, &|_| unreachable!()).unwrap();
        let before =
            establish(&SPEC, &arguments, HashSeed(0), Roster::numbered(31).unwrap()).unwrap();
        let change = Change::Add(Roster::numbered_node(31));
        let refused = advance_placement(&SPEC, before.as_ref(), &[change]);
        assert!(matches!(refused.err(), Some(PlacementError::Parameter { .. })));
        let idle =
            [Change::Add(Roster::numbered_node(31)), Change::Reweight(NodeId(31), Weight::ZERO)];
        assert!(advance_placement(&SPEC, before.as_ref(), &idle).is_ok());
        let composite = placelab_core::AlgorithmRequest::expand("maglev:size=65536").unwrap();
        let error = composite[0].arguments(&SPEC, &|_| unreachable!()).unwrap_err().to_string();
        assert!(error.contains("65536 is not a prime; the next one is 65537"), "{error}");
    }
}
