//! DxHash: a key walks over slots at random until it meets one that works.
//!
//! Source: Dong et al., "DxHash: A Scalable Consistent Hashing Based on the Pseudo-Random
//! Sequence", arXiv 2107.07930, 2021; doi 10.1145/3631708. Cost: capacity ÷ N probes expected; a
//! bit a slot, and the order of removals does not matter to it. An update is a walk too.
//!
//! What it cannot do: grow beyond its capacity. The paper's way out, a table of twice the size,
//! is left out here: when one node joins a full table, half of all keys would move, and the claim
//! of minimal movement would be void. A capacity is fixed for good, rounded up to a power of two.
//! Few nodes in a large table are slow: one in 1,024 takes a thousand probes.
//! The paper's weights (a slot accepts a key with a probability) are left out as well.
//!
//! The walk is the authors': CRC-32C over 32-bit numbers, from a 32-bit key; here the key is the
//! exclusive or of both halves of the hash. CRC is linear, so walks have short cycles, and
//! therefore a trap that is not copied: after 4 × capacity − 1 probes the program gives up, and
//! answers or even writes to slot 2^32 − 1. It happens to 1.7 % of keys where one slot works, and
//! to a newcomer where the one free slot is among 4 of 128. Here the next slots in turn are looked
//! at, up from where the walk ended, so that every lookup and every addition finds its slot. The
//! end of a walk depends on the key alone: movement stays minimal.
//!
//! ```
//! use placelab_core::{Arguments, Change, HashSeed, Key, NodeId, Roster, advance, establish};
//! let spec = placelab_algorithms::find("dx").unwrap();
//! let roster = Roster::numbered(10).unwrap();
//! let first = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//! let remove = |ids: [u32; 2]| ids.map(|id| Change::Remove(NodeId(id)));
//! let one = advance(spec, first.as_ref(), &remove([3, 8])).unwrap();
//! let two = advance(spec, first.as_ref(), &remove([8, 3])).unwrap();
//! // The order of removals does not matter.
//! for key in (0..1_000).map(Key::hashed) {
//!     assert_eq!(one.place(key), two.place(key));
//! }
//! ```

use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Claim, Footprint, KeyHash, KeyPart,
    PlacementError, Role, Silent, Step, Trace,
};

use crate::bits::Bits;
use crate::bucket_set::{BucketSet, CAPACITY, NaiveSet, build, capacity, naive, within};
use crate::crc32c::crc32c;
use crate::twins::enclosing_power;

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "dx",
    role: Role::Rival,
    family: "bucket set",
    year: 2021,
    citation: "Dong et al.: DxHash: A Scalable Consistent Hashing Based on the Pseudo-Random \
               Sequence, arXiv 2107.07930",
    implementations: "research code alone: C++ (the authors), Java",
    summary: "slots up to a capacity, any may go; a key tries slots at random until one works",
    lookup_cost: "O(capacity ÷ N) expected",
    steps: |arguments, fleet| f64::from(slots(arguments, fleet.first)) / f64::from(fleet.now),
    closed_forms: &[],
    memory_cost: "O(capacity) bits",
    capabilities: &[Capability::RemoveAny],
    claims: &[Claim::FairShares, Claim::MinimalMovement, Claim::Restores],
    resolution: None,
    reads: KeyPart::Hash,
    parameters: &[CAPACITY],
    small: "capacity=8",
    build: Build::Placement(build::<Dx>),
    naive: naive::<Naive>,
};

/// Slots of the table of a first fleet.
fn slots(arguments: &Arguments, count: u32) -> u32 {
    capacity(arguments, count).next_power_of_two()
}

/// Whose walk finds a slot for a newcomer.
const NEWCOMER: u32 = 1228;

/// The slots of a table.
#[derive(Clone)]
struct Dx {
    /// A power of two.
    capacity: u32,
    working: Bits,
}

/// The numbers that a key meets.
struct Walk {
    value: u32,
    register: u32,
}

impl Walk {
    #[inline]
    fn new(key: u32) -> Self {
        let register = key.wrapping_mul(421_757).wrapping_add(1);
        Walk { value: key, register }
    }

    #[inline]
    fn next(&mut self) -> u32 {
        self.value = crc32c(self.value.into(), self.register);
        self.value
    }
}

impl Dx {
    /// Slots 0 … `count` − 1 of a power of two work.
    fn new(capacity: u32, count: u32) -> Self {
        let mut working = Bits::default();
        (0..count).for_each(|slot| working.insert(slot));
        Dx { capacity, working }
    }

    /// The first slot on a walk that is wanted; else where the walk ended.
    #[inline]
    fn walk<T: Trace + ?Sized>(
        &self,
        key: u32,
        wanted: impl Fn(u32) -> bool,
        trace: &mut T,
    ) -> Result<u32, u32> {
        let mut walk = Walk::new(key);
        let mut slot = 0;
        // As the program counts: the figures of lost keys that the vectors have come of this.
        for _ in 0..4 * u64::from(self.capacity) - 1 {
            let value = walk.next();
            trace.step(Step::Pick { value: value.into(), among: self.capacity.into() });
            slot = value & (self.capacity - 1);
            if wanted(slot) {
                return Ok(slot);
            }
        }
        Err(slot)
    }

    /// The first slot that is wanted, on a walk or else beyond its end; there must be one.
    #[inline]
    fn find<T: Trace + ?Sized>(
        &self,
        key: u32,
        wanted: impl Fn(u32) -> bool,
        trace: &mut T,
    ) -> u32 {
        match self.walk(key, &wanted, trace) {
            Ok(slot) => slot,
            Err(end) => self.scan(end, wanted, trace),
        }
    }

    #[cold]
    fn scan<T: Trace + ?Sized>(
        &self,
        end: u32,
        wanted: impl Fn(u32) -> bool,
        trace: &mut T,
    ) -> u32 {
        let mut slot = end;
        for _ in 0..self.capacity {
            let next = (slot + 1) & (self.capacity - 1);
            trace.step(Step::Pass { from: slot, to: next });
            slot = next;
            if wanted(slot) {
                break;
            }
        }
        slot
    }
}

impl BucketSet for Dx {
    fn first(arguments: &Arguments, count: u32) -> Result<Self, PlacementError> {
        let capacity = slots(arguments, count);
        within(capacity, count)?;
        Ok(Dx::new(capacity, count))
    }

    fn add(&mut self) -> Result<u32, PlacementError> {
        within(self.capacity, self.working.len() + 1)?;
        let is_free = |slot| !self.working.contains(slot);
        let slot = self.find(NEWCOMER, is_free, &mut Silent);
        self.working.insert(slot);
        Ok(slot)
    }

    fn remove(&mut self, bucket: u32) {
        self.working.remove(bucket);
    }

    #[inline]
    fn lookup<T: Trace + ?Sized>(&self, key: KeyHash, trace: &mut T) -> u32 {
        let folded = (key.0 ^ key.0 >> 32) as u32;
        self.find(folded, |slot| self.working.contains(slot), trace)
    }

    fn trim(&mut self) {
        self.working.trim();
    }

    fn footprint(&self) -> Footprint {
        Footprint { shared_bytes: self.working.bytes(), derived_bytes: 0 }
    }
}

/// The twin: whether each slot works.
struct Naive(Vec<bool>);

impl Naive {
    /// The first slot of a key that does or does not work, of its whole walk and of all in turn.
    fn find(&self, key: u32, works: bool) -> u32 {
        let register = key.wrapping_mul(421_757).wrapping_add(1);
        let size = self.0.len();
        let (mut value, mut slots) = (key, Vec::new());
        while slots.len() < 4 * size - 1 {
            value = crc32c(value.into(), register);
            slots.push(value as usize % size);
        }
        let end = slots[slots.len() - 1];
        slots.extend((1..=size).map(|ahead| (end + ahead) % size));
        let found = slots.into_iter().find(|slot| self.0[*slot] == works);
        found.expect("one that is looked for") as u32
    }
}

impl NaiveSet for Naive {
    fn first(arguments: &Arguments, count: u32) -> Self {
        let slots = enclosing_power(capacity(arguments, count));
        Naive((0..slots).map(|slot| slot < u64::from(count)).collect())
    }

    fn add(&mut self) -> u32 {
        let slot = self.find(1228, false);
        self.0[slot as usize] = true;
        slot
    }

    fn remove(&mut self, bucket: u32) {
        self.0[bucket as usize] = false;
    }

    fn lookup(&self, key: u64) -> u32 {
        self.find((key ^ (key >> 32)) as u32, true)
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::Count;
    use placelab_core::mix::stream;

    use super::*;
    use crate::vectors::{
        Turn, change, check_range_hash, golden, java_murmur, numbers, replay, vector_keys,
    };

    const GAVE_UP: u32 = u32::MAX;

    /// As the program answers: the low half of the key, and a slot that is none.
    fn answer(dx: &Dx, key: u64) -> u32 {
        let is_working = |slot| dx.working.contains(slot);
        dx.walk(key as u32, is_working, &mut Silent).unwrap_or(GAVE_UP)
    }

    #[test]
    fn golden_vectors_in_full() {
        let file = golden("dx");
        let keys = vector_keys(&file);
        let mut dx = Dx::new(1, 1);
        check_range_hash(&file["variants"][0], &keys, |key, count| {
            if dx.working.len() != count {
                dx = Dx::new(count.next_power_of_two(), count);
            }
            answer(&dx, key)
        });
        let pairs: Vec<[u64; 2]> = keys.into_iter().map(|key| [key, 0]).collect();
        for sequence in file["sequences"].as_array().unwrap() {
            let sizes = numbers(&sequence["sequence"]);
            let dx = Dx::new(sizes[0], sizes[1]);
            replay(sequence, &pairs, dx, change, |dx, [key, _]| answer(dx, key));
        }
        let rates = &file["measured_failure_rates"];
        for rate in rates["add_unreachable_single_hole"].as_array().unwrap() {
            let capacity = rate["capacity"].as_u64().unwrap() as u32;
            let dx = Dx::new(capacity, 0);
            let misses = |hole: &u32| dx.walk(NEWCOMER, |slot| slot == *hole, &mut Silent).is_err();
            let unreachable = (0..capacity).filter(misses).count() as u64;
            assert_eq!(rate["unreachable_positions"], unreachable, "capacity {capacity}");
        }
        for rate in rates["lookup_unresolved"].as_array().unwrap() {
            let [capacity, working, unresolved, count] = numbers(rate)[..] else {
                panic!("{rate}")
            };
            let dx = Dx::new(capacity, working);
            let keys = (0..u64::from(count)).map(|i| stream(0, i));
            let lost = keys.filter(|&key| answer(&dx, key) == GAVE_UP).count();
            assert_eq!(lost, unresolved as usize, "{rate}");
        }
    }

    /// Another program walks by java.util.Random, for ever, and gives slots back last removed,
    /// first back. It is no form of ours; restated here over the bits of ours.
    #[test]
    fn golden_walks_of_another_program() {
        const MASK: u64 = (1 << 48) - 1;
        struct Java {
            capacity: u32,
            dx: Dx,
            removed: Vec<u32>,
        }
        let file = golden("dx");
        let keys: Vec<[u64; 2]> = vector_keys(&file).into_iter().map(|key| [key, 0]).collect();
        let turn = |java: &mut Java, turn| match turn {
            Turn::Remove(slot) => {
                java.dx.working.remove(slot);
                java.removed.push(slot);
                slot
            }
            Turn::Add => {
                let slot = java.removed.pop().unwrap_or(java.dx.working.len());
                java.dx.working.insert(slot);
                slot
            }
        };
        let lookup = |java: &Java, [key, _]: [u64; 2]| {
            let seed = java_murmur(&[key.to_string().as_bytes()]);
            let mut state = (seed ^ 0x5_deec_e66d) & MASK;
            loop {
                state = state.wrapping_mul(0x5_deec_e66d).wrapping_add(11) & MASK;
                let (bits, bound) = (state >> 17, u64::from(java.capacity));
                let is_fair = bits - bits % bound + (bound - 1) < 1 << 31;
                let slot = match bound.is_power_of_two() {
                    true => (bound * bits) >> 31,
                    false => bits % bound,
                };
                if is_fair && java.dx.working.contains(slot as u32) {
                    return slot as u32;
                }
            }
        };
        for sequence in file["java_random"]["sequences"].as_array().unwrap() {
            let sizes = numbers(&sequence["sequence"]);
            let dx = Dx::new(sizes[0].next_power_of_two(), sizes[1]);
            let java = Java { capacity: sizes[0], dx, removed: Vec::new() };
            replay(sequence, &keys, java, turn, lookup);
        }
    }

    #[test]
    fn mean_probes_are_capacity_over_nodes() {
        for (capacity, count) in [(1_024, 1_000), (1_024, 512), (1_024, 128)] {
            let dx = Dx::new(capacity, count);
            let mut probes = Count::default();
            (0..200_000).for_each(|i| {
                dx.lookup(KeyHash(stream(5, i)), &mut probes);
            });
            let mean = probes.0 as f64 / 2e5;
            let expected = f64::from(capacity) / f64::from(count);
            assert!((mean / expected - 1.0).abs() < 0.02, "{count} of {capacity}: {mean}");
        }
    }

    /// What the program would lose is found: every key, and every single free slot.
    #[test]
    fn where_walks_give_up_slots_are_found_in_turn() {
        let one = Dx::new(128, 1);
        let lost = |i: &u64| answer(&one, stream(0, *i) & 0xffff_ffff) == GAVE_UP;
        assert!((0..20_000).filter(lost).count() > 300);
        assert!((0..20_000).all(|i| one.lookup(KeyHash(stream(0, i)), &mut Silent) == 0));
        for hole in 0..128 {
            let mut dx = Dx::new(128, 128);
            dx.remove(hole);
            assert_eq!(dx.add(), Ok(hole));
            assert!(dx.add().is_err());
        }
    }

    /// What a table of twice the size would move, and why there is none: a slot's number has one
    /// bit more, which sends every other key on to another slot, where one in 65 had to go.
    #[test]
    fn doubling_moves_half_of_the_keys() {
        let (full, double) = (Dx::new(64, 64), Dx::new(128, 65));
        let slot = |dx: &Dx, i| dx.lookup(KeyHash(stream(9, i)), &mut Silent);
        let moved = (0..200_000).filter(|&i| slot(&full, i) != slot(&double, i)).count();
        assert!((moved as f64 / 2e5 - 0.5).abs() < 0.01, "{moved}");
    }
}
