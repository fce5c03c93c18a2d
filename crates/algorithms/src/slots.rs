//! Fixed logical slots: a key's slot never changes, and a table says who owns it.
//!
//! Source: Redis Cluster, 2015: 16,384 slots by CRC-16 of the key. Cost: the hash of the bytes and
//! one table read a lookup; the table of L slots is data that every client must have, and it
//! follows members and weights by the rule of [`crate::owner_table`].
//!
//! What it cannot do: shares finer than 1 ÷ L, or more nodes than slots.
//!
//! `hash=crc16` is Redis Cluster's: the CRC-16/XMODEM of the key's bytes, or of its hash tag,
//! modulo L. The tag is what stands between the first `{` and the first `}` behind it, so that
//! keys that share a tag share a slot. Nothing between them is no tag, and later braces count for
//! nothing: `{}x` and `foo{}{bar}` are hashed whole, and the tag of `foo{{bar}}zap` is `{bar`.
//! A CRC has 65,536 values: more slots are refused. `hash=key` takes the 64-bit hash of the key
//! modulo L instead, tags or no tags.
//!
//! Redis moves slots when an operator says so; here the owner table decides. We deviate in the
//! hash seeds too: a CRC is linear, so a seed before the bytes would shift the slots of all keys
//! of one length by one XOR. Under a seed other than 0 its value passes a permutation of 16 bits
//! that the seed draws: every value stays as likely, and keys of one tag stay together.
//!
//! ```
//! use placelab_core::{Arguments, HashSeed, Key, KeyHash, Roster, establish};
//! let spec = placelab_algorithms::find("slots").unwrap();
//! let roster = Roster::numbered(100).unwrap();
//! let slots = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//! let owner = |text: &'static [u8]| slots.place(Key { hash: KeyHash(0), bytes: text });
//! // One tag, one slot, one node.
//! assert_eq!(owner(b"{user1000}.following"), owner(b"{user1000}.followers"));
//! // 16,384 slots over 100 nodes: 163 or 164 each.
//! let parts = slots.shares().unwrap().parts;
//! assert!(parts.iter().all(|(_, values)| [163 * 4, 164 * 4].contains(values)));
//! ```

mod crc;

use std::ops::ControlFlow;

use placelab_core::{
    AlgorithmSpec, Anatomy, Arguments, Build, Capability, Change, Claim, Footprint, HashSeed,
    History, Key, KeyHash, KeyPart, Keys, NodeId, ParameterKind, ParameterSpec, Placement,
    PlacementError, Resolution, Role, Roster, Scheme, Shares, Silent, Step, Trace,
};

use crate::owner_table::{self, check_room, dealt, follow, naive_table};
use crate::range_hash::{bytes_of, retry};
use crate::remainder::Remainder;
use crate::twins;
use crc::{VALUES as CRC_VALUES, crc16, tag};

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "slots",
    role: Role::Rival,
    family: placelab_core::OWNER_TABLE,
    year: 2015,
    citation: "Redis Cluster specification, Redis 3.0",
    implementations: "C (Redis), Python (redis-py), Java (Lettuce), Go (go-redis), C# \
        (StackExchange.Redis)",
    summary: "fixed logical slots with a table of their owners, as Redis Cluster has them",
    lookup_cost: "O(1)",
    steps: |_, _| 1.0,
    closed_forms: &[],
    memory_cost: "O(L) rows",
    capabilities: &[Capability::RemoveAny, Capability::Weights],
    claims: &[Claim::ScaleFree],
    resolution: Some(Resolution {
        lightest: "W ÷ L",
        memory: "4 bytes a slot",
        weight: |arguments, fleet| fleet.sum / arguments.count("slots") as f64,
    }),
    reads: KeyPart::Bytes,
    parameters: &[
        ParameterSpec {
            name: "hash",
            kind: ParameterKind::Choice(&["crc16", "key"]),
            default: Some("crc16"),
            help: "what gives the slot: CRC-16 of the key's hash tag, or the key's 64-bit hash",
        },
        ParameterSpec {
            name: "slots",
            kind: ParameterKind::Count { min: 1, max: 1 << 20 },
            default: Some("16384"),
            help: "logical slots: a hundred a node or more, at most 65536 by CRC-16",
        },
    ],
    small: "slots=16",
    build: Build::Placement(|arguments, seed, roster| {
        Ok(Box::new(Slots::new(arguments, seed, roster)?))
    }),
    naive,
};

#[derive(Clone)]
struct Slots {
    hash: Hash,
    seed: HashSeed,
    roster: Roster,
    /// By how many slots there are.
    remainder: Remainder,
    /// Slot to owner.
    owners: Vec<NodeId>,
    /// Members of positive weight in join order.
    serving: Vec<NodeId>,
}

/// What gives the slot.
#[derive(Clone, Copy)]
enum Hash {
    Crc16,
    Key,
}

impl Slots {
    fn new(arguments: &Arguments, seed: HashSeed, roster: Roster) -> Result<Self, PlacementError> {
        let slots = arguments.count("slots");
        let hash = match arguments.text("hash") {
            "key" => Hash::Key,
            _ => Hash::Crc16,
        };
        if matches!(hash, Hash::Crc16) && slots > CRC_VALUES {
            return Err(PlacementError::Parameter {
                parameter: "slots".into(),
                reason: format!(
                    "CRC-16 has {CRC_VALUES} values, fewer than {slots} slots: choose fewer, or \
                     hash=key"
                ),
            });
        }
        check_room("slots", slots, &roster)?;
        let owners = dealt(slots as usize, &roster);
        let (remainder, serving) = (Remainder::by(slots), roster.serving_ids());
        Ok(Slots { hash, seed, roster, remainder, owners, serving })
    }

    #[inline]
    fn number(&self, key: Key<'_>) -> usize {
        let value = match self.hash {
            Hash::Crc16 => crc16(tag(key.bytes), self.seed).into(),
            Hash::Key => key.hash.0,
        };
        self.remainder.of(value) as usize
    }

    #[inline]
    fn walk<T: Trace + ?Sized>(&self, key: Key<'_>, trace: &mut T) -> NodeId {
        let slot = self.number(key);
        trace.step(Step::Probe { at: slot as u64, node: self.owners[slot] });
        self.owners[slot]
    }
}

impl Scheme for Slots {
    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn adopt(&mut self, next: Roster, changes: &[Change]) -> Result<(), PlacementError> {
        check_room("slots", self.owners.len() as u64, &next)?;
        follow(&mut self.owners, &next, changes);
        self.serving = next.serving_ids();
        self.roster = next;
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        Footprint {
            shared_bytes: self.roster.shared_bytes() + bytes_of(&self.owners),
            derived_bytes: bytes_of(&self.serving),
        }
    }
}

impl Placement for Slots {
    fn place(&self, key: Key<'_>) -> NodeId {
        self.walk(key, &mut Silent)
    }

    fn place_many(&self, keys: Keys<'_>, out: &mut [NodeId]) {
        let out = &mut out[..keys.hashes.len()];
        match self.hash {
            Hash::Key => {
                for (owner, hash) in out.iter_mut().zip(keys.hashes) {
                    *owner = self.owners[self.remainder.of(hash.0) as usize];
                }
            }
            Hash::Crc16 => {
                for (index, owner) in out.iter_mut().enumerate() {
                    *owner = self.place(keys.get(index));
                }
            }
        }
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        self.walk(key, trace)
    }

    /// The owners of the slot and of others that it draws: keys of one slot share their copies.
    fn candidates(&self, key: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        let owner = |hash: KeyHash| self.owners[self.remainder.of(hash.0) as usize];
        retry(&self.serving, KeyHash(self.number(key) as u64), owner, visit);
    }

    fn slot(&self, key: Key<'_>) -> Option<u64> {
        Some(self.number(key) as u64)
    }

    fn table(&self) -> Option<Vec<NodeId>> {
        Some(self.owners.clone())
    }

    /// In values of the CRC where the slots do not share them out alike, else in slots: 2^64 keys
    /// over at most 2^20 slots are alike to 1 in 2^44.
    fn shares(&self) -> Option<Shares> {
        let values = match self.hash {
            Hash::Crc16 => CRC_VALUES as usize,
            Hash::Key => self.owners.len(),
        };
        let owners: Vec<NodeId> = self.owners.iter().copied().cycle().take(values).collect();
        Some(owner_table::shares(&owners, &self.roster))
    }

    fn anatomy(&self) -> Option<Anatomy> {
        Some(Anatomy::Table { owners: self.owners.clone(), turns: Vec::new() })
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

/// The twin.
fn naive(arguments: &Arguments, seed: HashSeed, history: &History, keys: Keys<'_>) -> Vec<NodeId> {
    let owners = naive_table(arguments.count("slots") as usize, history);
    twins::each(keys, |key| {
        let value = match arguments.text("hash") {
            "key" => key.hash.0,
            _ => crc::naive_crc16(crc::naive_tag(key.bytes), seed).into(),
        };
        owners[(value % owners.len() as u64) as usize]
    })
}

#[cfg(test)]
mod tests {
    use placelab_core::{AlgorithmRequest, advance, establish};

    use super::*;
    use crate::fixtures::{contender, weighted};
    use crate::vectors::golden;

    fn keyed(bytes: &[u8]) -> Key<'_> {
        Key { hash: KeyHash(0), bytes }
    }

    /// A roster of one node, so that only the slot is looked at.
    fn redis() -> Slots {
        let roster = Roster::numbered(1).unwrap();
        Slots::new(&Arguments::defaults(&SPEC), HashSeed::PUBLISHED, roster).unwrap()
    }

    #[test]
    fn golden_redis_in_full() {
        let slots = redis();
        let file = golden("slots");
        for vector in file["vectors"].as_array().unwrap() {
            let text = vector["key_hex"].as_str().unwrap();
            let bytes = (0..text.len()).step_by(2);
            let bytes = bytes.map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap());
            let slot = slots.number(keyed(&bytes.collect::<Vec<_>>()));
            assert_eq!(slot as u64, vector["slot"].as_u64().unwrap(), "{text}");
        }
    }

    /// The next joins 8 equal nodes: it takes a ninth of the slots, and nothing else moves. One of
    /// the 9 goes: its slots move, and nothing else.
    #[test]
    fn slots_move_to_the_new_node_and_from_the_old() {
        let (spec, before) = contender("slots", Roster::numbered(8).unwrap());
        let join = [Change::Add(Roster::numbered_node(8))];
        let grown = advance(spec, before.as_ref(), &join).unwrap();
        let shrunk = advance(spec, grown.as_ref(), &[Change::Remove(NodeId(3))]).unwrap();
        let texts: Vec<String> = (0..90_000).map(|i| format!("key:{i}")).collect();
        let owners = |placement: &dyn Placement| {
            let owner = |text: &String| placement.place(keyed(text.as_bytes()));
            texts.iter().map(owner).collect::<Vec<_>>()
        };
        let [before, after, last] =
            [&before, &grown, &shrunk].map(|placement| owners(placement.as_ref()));
        let joined = std::iter::zip(&before, &after).filter(|(a, b)| a != b);
        assert!(joined.clone().all(|(_, owner)| *owner == NodeId(8)));
        assert!((9_000..11_000).contains(&joined.count()));
        let left = std::iter::zip(&after, &last).filter(|(a, b)| a != b);
        assert!(left.clone().all(|(owner, _)| *owner == NodeId(3)));
    }

    /// 1,000 slots of 65,536 values: 536 have 66 of them, and the others 65.
    #[test]
    fn shares_count_values_where_slots_differ() {
        let (_, crc) = contender("slots:slots=1000", Roster::numbered(1_000).unwrap());
        let shares = crc.shares().unwrap();
        let larger = shares.parts.iter().filter(|(_, values)| *values == 66).count();
        assert_eq!((shares.whole, larger), (65_536, 536));
        let (_, key) = contender("slots:slots=6,hash=key", weighted(&[1, 2, 3]));
        let parts: Vec<u128> = key.shares().unwrap().parts.iter().map(|part| part.1).collect();
        assert_eq!(parts, [1, 2, 3]);
        let hashed = |hash| key.place(Key { hash: KeyHash(hash), bytes: b"{same}" });
        assert_eq!(hashed(7), hashed(1));
        assert!((0..6).any(|hash| hashed(hash) != hashed(0)));
    }

    #[test]
    fn too_few_and_too_many_slots_are_refused() {
        let refused = |text: &str, nodes| {
            let request = AlgorithmRequest::expand(text).unwrap().remove(0);
            let arguments = request.arguments(&SPEC, &|_| unreachable!()).unwrap();
            let roster = Roster::numbered(nodes).unwrap();
            establish(&SPEC, &arguments, HashSeed(0), roster).err().map(|error| error.to_string())
        };
        let few = refused("slots:slots=3", 4).unwrap();
        assert!(few.contains("3 slots are fewer than the fleet's 4 nodes"), "{few}");
        let many = refused("slots:slots=65537", 4).unwrap();
        assert!(many.contains("fewer than 65537 slots"), "{many}");
        assert_eq!(refused("slots:slots=65537,hash=key", 4), None);
        let (spec, full) = contender("slots:slots=4", Roster::numbered(4).unwrap());
        let join = [Change::Add(Roster::numbered_node(4))];
        let refused = advance(spec, full.as_ref(), &join).err();
        assert!(matches!(refused, Some(PlacementError::Parameter { .. })));
    }
}
