//! MementoHash: jump hash that remembers which buckets were removed, and nothing else.
//!
//! Source: Coluzzi, Brocco, Antonucci, Leidi, "MementoHash: A Stateful, Minimal Memory, Best
//! Performing Consistent Hash Algorithm", arXiv 2306.09783, 2023; IEEE/ACM Transactions on
//! Networking, 2024. Cost: jump hash over all buckets that there ever were, and then up to (buckets
//! ever ÷ N) − 1 steps expected; memory O(removed); an update O(1). The paper has (1 + ln(buckets
//! ever ÷ N))^2 for these steps, which few buckets of many exceed: 10 of 1,000 take 94, not 31.
//!
//! What it cannot do: serve weights, or forget the order of removals. A bucket comes back before
//! a new one is opened, last removed first.
//!
//! Hashes are those of the authors' second program: XXH64 of the eight bytes of the key hash, with
//! seed 0 to begin with and the number of a removed bucket for a seed to leave it.
//! Trap that is kept, since the vectors hold it: seed 0 gives the first hash again, so keys leave
//! bucket 0 by the hash that led them there. Jump hash reads high bits of products of it and the
//! exit a remainder, and no bias was found (a test holds that).
//! Traps that are not copied: the program divides by 0 once the last bucket is removed, which here
//! never is, and bucket numbers are signed.
//!
//! ```
//! use placelab_core::{Arguments, Change, HashSeed, Key, NodeId, Roster, advance, establish};
//! let at = |name: &str| placelab_algorithms::find(name).unwrap();
//! let build = |name| {
//!     let roster = Roster::numbered(10).unwrap();
//!     establish(at(name), &Arguments::defaults(at(name)), HashSeed(0), roster).unwrap()
//! };
//! let (memento, jump) = (build("memento"), build("jump"));
//! // Jump hash cannot lose a node in the middle; memento can, and only that node's keys move.
//! let gone = [Change::Remove(NodeId(3))];
//! assert!(advance(at("jump"), jump.as_ref(), &gone).is_err());
//! let after = advance(at("memento"), memento.as_ref(), &gone).unwrap();
//! for key in (0..1_000).map(Key::hashed) {
//!     let owner = memento.place(key);
//!     assert!(owner == NodeId(3) || owner == after.place(key));
//! }
//! ```

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use placelab_core::math::harmonic;
use placelab_core::mix::mix;
use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Claim, FleetSize, Footprint, KeyHash, KeyPart,
    PlacementError, Role, Silent, Step, Trace,
};
use xxhash_rust::xxh64::xxh64;

use crate::bucket_set::{BucketSet, NaiveSet, Rehash, Rows, STAGED, build, in_rounds, naive};
use crate::jump::Jump;
use crate::range_hash::RangeHash;

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "memento",
    role: Role::Rival,
    family: "bucket set",
    year: 2023,
    citation: "Coluzzi, Brocco, Antonucci, Leidi: MementoHash: A Stateful, Minimal Memory, Best \
               Performing Consistent Hash Algorithm, arXiv 2306.09783",
    implementations: "research code alone: Java, C++, Zig",
    summary: "jump that remembers removed buckets: any may go, no capacity",
    lookup_cost: "O(ln(buckets ever) + buckets ever ÷ N) expected",
    steps,
    closed_forms: &[],
    memory_cost: "O(removed)",
    capabilities: &[Capability::RemoveAny],
    claims: &[Claim::FairShares, Claim::MinimalMovement, Claim::Restores],
    resolution: None,
    reads: KeyPart::Hash,
    parameters: &[],
    small: "",
    build: Build::Placement(build::<Memento>),
    naive: naive::<Naive>,
};

/// Jump hash over all n buckets that there ever were, and what leads away from removed ones: a key
/// met the removal that left ℓ working with probability 1 ÷ (ℓ + 1), as in [`crate::stand_ins`].
/// That is a draw, and stand-ins that may have gone before: removals are a part of a permutation,
/// and its paths from the ℓ numbers then left have (n − ℓ) ÷ (ℓ + 1) steps on average.
fn steps(_: &Arguments, fleet: FleetSize) -> f64 {
    let part = |left: u32| 1.0 / f64::from(left + 1);
    let squares = (fleet.now..fleet.first).map(|left| part(left) * part(left)).sum::<f64>();
    1.0 + harmonic(fleet.first) + f64::from(fleet.first + 1) * squares
}

/// What is remembered of a removed bucket.
#[derive(Clone, Copy)]
struct Removal {
    /// Working buckets just after; also the number of the bucket that stands in.
    left: u32,
    /// The bucket removed before, or the one to open next.
    before: u32,
}

/// Never iterated; the hash is fixed so that lookups cost the same in every run.
type Removals = HashMap<u32, Removal, BuildHasherDefault<MixHasher>>;

#[derive(Default)]
struct MixHasher(u64);

impl Hasher for MixHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(byte.into()));
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.0 = mix(self.0 ^ u64::from(value));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Buckets 0 … `size` − 1, but for those that were removed.
#[derive(Clone)]
struct Memento {
    size: u32,
    /// The bucket that comes back next.
    last: u32,
    removals: Removals,
}

impl Memento {
    fn new(count: u32) -> Self {
        Memento { size: count, last: count, removals: Removals::default() }
    }

    #[inline]
    fn bucket<H: Rehash, T: Trace + ?Sized>(&self, mut hashes: H, trace: &mut T) -> u32 {
        let value = hashes.first();
        trace.step(Step::Draw { value });
        let mut bucket = Jump.bucket(KeyHash(value), self.size, trace);
        while let Some(&Removal { left, .. }) = self.removals.get(&bucket) {
            let value = hashes.again(bucket);
            trace.step(Step::Pick { value, among: left.into() });
            bucket = self.handed_on((value % u64::from(left)) as u32, left, trace);
        }
        bucket
    }

    /// Who was gone when `left` worked hands on to its stand-in.
    #[inline]
    fn handed_on<T: Trace + ?Sized>(&self, mut bucket: u32, left: u32, trace: &mut T) -> u32 {
        while let Some(other) = self.removals.get(&bucket)
            && other.left >= left
        {
            trace.step(Step::Pass { from: bucket, to: other.left });
            bucket = other.left;
        }
        bucket
    }
}

/// XXH64 of a key, with removed buckets for seeds.
struct Xxh64(u64);

impl Rehash for Xxh64 {
    #[inline]
    fn first(&mut self) -> u64 {
        xxh64_of(self.0, 0)
    }

    #[inline]
    fn again(&mut self, bucket: u32) -> u64 {
        xxh64_of(self.0, bucket)
    }
}

/// XXH64 of the eight bytes of a word, lowest first: what its specification leaves of the function
/// where the length is known.
#[inline]
fn xxh64_of(word: u64, seed: u32) -> u64 {
    const PRIMES: [u64; 5] = [
        0x9e37_79b1_85eb_ca87,
        0xc2b2_ae3d_27d4_eb4f,
        0x1656_67b1_9e37_79f9,
        0x85eb_ca77_c2b2_ae63,
        0x27d4_eb2f_1656_67c5,
    ];
    let lane = word.wrapping_mul(PRIMES[1]).rotate_left(31).wrapping_mul(PRIMES[0]);
    let value = u64::from(seed).wrapping_add(PRIMES[4]).wrapping_add(8) ^ lane;
    let value = value.rotate_left(27).wrapping_mul(PRIMES[0]).wrapping_add(PRIMES[3]);
    let value = (value ^ value >> 33).wrapping_mul(PRIMES[1]);
    let value = (value ^ value >> 29).wrapping_mul(PRIMES[2]);
    value ^ value >> 32
}

impl BucketSet for Memento {
    fn first(_: &Arguments, count: u32) -> Result<Self, PlacementError> {
        Ok(Memento::new(count))
    }

    fn add(&mut self) -> Result<u32, PlacementError> {
        let bucket = self.last;
        self.last = self.removals.remove(&bucket).map_or(bucket + 1, |removal| removal.before);
        self.size = self.size.max(bucket + 1);
        Ok(bucket)
    }

    fn remove(&mut self, bucket: u32) {
        if self.removals.is_empty() && bucket == self.size - 1 {
            self.size = bucket;
        } else {
            let left = self.size - self.removals.len() as u32 - 1;
            self.removals.insert(bucket, Removal { left, before: self.last });
        }
        self.last = bucket;
    }

    #[inline]
    fn lookup<T: Trace + ?Sized>(&self, key: KeyHash, trace: &mut T) -> u32 {
        self.bucket(Xxh64(key.0), trace)
    }

    fn lookup_many(&self, keys: &[KeyHash], buckets: &mut [u32]) {
        let mut hashes = [KeyHash(0); STAGED];
        for (key, hash) in keys.iter().zip(&mut hashes) {
            *hash = KeyHash(xxh64_of(key.0, 0));
        }
        Jump.buckets(&hashes[..keys.len()], self.size, buckets);
        let is_removed = |bucket| self.removals.contains_key(&bucket);
        in_rounds(buckets, is_removed, |place, removed| {
            let left = self.removals[&removed].left;
            let bucket = (xxh64_of(keys[place].0, removed) % u64::from(left)) as u32;
            self.handed_on(bucket, left, &mut Silent)
        });
    }

    fn trim(&mut self) {
        self.removals.shrink_to_fit();
    }

    /// Sizes and the order of removals are shared; the map holds that order, and what each client
    /// makes of it.
    fn footprint(&self) -> Footprint {
        let order = (self.removals.len() * size_of::<u32>()) as u64;
        // A map fills seven of eight places, and has a byte of its own for each.
        let places = (self.removals.capacity() * 8).div_ceil(7);
        let map = (places * (size_of::<(u32, Removal)>() + 1)) as u64;
        let sizes = 2 * size_of::<u32>() as u64;
        Footprint { shared_bytes: sizes + order, derived_bytes: map - order }
    }
}

/// The twin: what stands in for a removed bucket is read off the rows.
struct Naive(Rows);

impl NaiveSet for Naive {
    fn first(_: &Arguments, count: u32) -> Self {
        Naive(Rows::new(count))
    }

    fn add(&mut self) -> u32 {
        self.0.open()
    }

    fn remove(&mut self, bucket: u32) {
        self.0.close(bucket);
    }

    fn lookup(&self, key: u64) -> u32 {
        let hash = |seed: u32| xxh64(&key.to_le_bytes(), seed.into());
        let bucket = Jump.naive(KeyHash(hash(0)), self.0.ever());
        self.0.settle(bucket, |removed, left| (hash(removed) % u64::from(left)) as u32)
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;

    use super::*;
    use crate::crc32c::crc32c;
    use crate::vectors::{buckets, change, golden, java_murmur, key_pairs, numbers, replay};

    /// The authors' first program: CRC-32C of two words, then of one and the removed bucket.
    struct Crc([u64; 2]);

    impl Rehash for Crc {
        fn first(&mut self) -> u64 {
            crc32c(self.0[0], self.0[1] as u32).into()
        }

        fn again(&mut self, bucket: u32) -> u64 {
            crc32c(self.0[0], bucket).into()
        }
    }

    /// Another program: MurmurHash3 over the decimal text of the key, and the removed bucket but
    /// for bucket 0, which it takes for no seed.
    struct Java(String);

    impl Rehash for Java {
        fn first(&mut self) -> u64 {
            java_murmur(&[self.0.as_bytes()])
        }

        fn again(&mut self, bucket: u32) -> u64 {
            match bucket {
                0 => self.first(),
                _ => java_murmur(&[self.0.as_bytes(), &bucket.to_be_bytes()]),
            }
        }
    }

    #[test]
    fn golden_vectors_in_full() {
        type Lookup = fn(&Memento, [u64; 2]) -> u32;
        let crc: Lookup = |set, words| set.bucket(Crc(words), &mut Silent);
        let xxh64: Lookup = |set, words| set.lookup(KeyHash(words[0]), &mut Silent);
        let java: Lookup = |set, words| set.bucket(Java(words[0].to_string()), &mut Silent);
        let file = golden("memento");
        let keys = key_pairs(&file);
        let families = [
            (&file["crc32c_sequences"], crc),
            (&file["xxh64_sequences"], xxh64),
            (&file["java_murmur3"]["sequences"], java),
        ];
        for (sequences, lookup) in families {
            for sequence in sequences.as_array().unwrap() {
                let count = *numbers(&sequence["sequence"]).last().unwrap();
                replay(sequence, &keys, Memento::new(count), change, lookup);
            }
        }
        for vector in file["xxh64_no_removals"].as_array().unwrap() {
            let set = Memento::new(vector["n"].as_u64().unwrap() as u32);
            let answers = keys.iter().map(|&words| xxh64(&set, words));
            assert!(answers.eq(buckets(&vector["buckets"])), "n = {}", vector["n"]);
        }
    }

    #[test]
    fn words_hash_as_their_bytes_do() {
        let words = (0..2_000).map(|i| stream(4, i)).chain([0, 1, u64::MAX]);
        for (at, word) in words.enumerate() {
            for seed in [0, 1, at as u32, u32::MAX] {
                assert_eq!(xxh64_of(word, seed), xxh64(&word.to_le_bytes(), seed.into()));
            }
        }
    }

    /// Whoever goes, the others get like parts of its keys: also of bucket 0's, which leave it by
    /// the hash that led them there.
    #[test]
    fn what_a_bucket_leaves_behind_is_dealt_out_evenly() {
        for gone in [0, 4] {
            let full = Memento::new(10);
            let mut less = full.clone();
            less.remove(gone);
            let keys = (0..2_000_000).map(|i| KeyHash(stream(3, i)));
            let mut loads = [0u32; 10];
            keys.filter(|&key| full.lookup(key, &mut Silent) == gone)
                .for_each(|key| loads[less.lookup(key, &mut Silent) as usize] += 1);
            let mean = f64::from(loads.iter().sum::<u32>()) / 9.0;
            let others = (0u32..).zip(loads).filter(|(bucket, _)| *bucket != gone);
            for (bucket, load) in others {
                let apart = (f64::from(load) - mean).abs();
                assert!(apart < 5.0 * mean.sqrt(), "{gone} to {bucket}: {load} of mean {mean}");
            }
        }
    }
}
