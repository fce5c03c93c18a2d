//! AnchorHash: buckets of a fixed capacity, of which any may be removed and come back.
//!
//! Source: Mendelson, Vargaftik, Barabash, Lorenz, Keslassy, Orda, "AnchorHash: A Scalable
//! Consistent Hash", arXiv 1812.09674, 2018; IEEE/ACM Transactions on Networking, 2020. Buckets
//! beyond the first fleet count as removed from the start; what a removal leaves behind is in
//! [`crate::stand_ins`]. Cost: 1 + ln(capacity ÷ N) hashes expected, an update O(1) amortised,
//! 12 bytes for each bucket that does not work and 8 for each that does.
//!
//! What it cannot do: grow beyond its capacity, serve weights, or forget: clients agree only if
//! they replay the same removals in the same order.
//!
//! Hashes are those of the authors' program: CRC-32C of two words of the key, which for a key
//! that is one hash *h* are *h* and mix(*h*), as the program leaves open where they come from.
//! Numbers are reduced by a remainder, as there; a product would give another mapping. The bias
//! of that is capacity ÷ 2^32 at most.
//!
//! Traps of the reference that are not copied: its lookups answer with a removed bucket once the
//! last one is gone, no bucket at the start makes it loop for ever, and a bucket removed twice or
//! added beyond the capacity corrupts it. Here the last bucket stays, and beyond the capacity is
//! an error.
//!
//! ```
//! use placelab_core::{Arguments, Change, HashSeed, Key, NodeId, Roster, advance, establish};
//! let spec = placelab_algorithms::find("anchor").unwrap();
//! let roster = Roster::numbered(10).unwrap();
//! let before = establish(spec, &Arguments::defaults(spec), HashSeed(0), roster).unwrap();
//! let gone = NodeId(3);
//! let after = advance(spec, before.as_ref(), &[Change::Remove(gone)]).unwrap();
//! // Whoever goes, only its own keys move.
//! for key in (0..1_000).map(Key::hashed) {
//!     assert!(before.place(key) == gone || before.place(key) == after.place(key));
//! }
//! ```

use placelab_core::math::harmonic;
use placelab_core::mix::mix;
use placelab_core::{
    AlgorithmSpec, Arguments, Build, Capability, Claim, FleetSize, Footprint, KeyHash, KeyPart,
    PlacementError, Role, Step, Trace,
};

use crate::bucket_set::{
    BucketSet, CAPACITY, NaiveSet, Rehash, Rows, build, capacity, naive, within,
};
use crate::crc32c::crc32c;
use crate::remainder::Remainder;
use crate::stand_ins::{StandIns, mean_steps};
use crate::{kernels, simd};

/// The registry record.
pub(crate) static SPEC: AlgorithmSpec = AlgorithmSpec {
    name: "anchor",
    role: Role::Rival,
    family: "bucket set",
    year: 2018,
    citation: "Mendelson et al.: AnchorHash: A Scalable Consistent Hash, arXiv 1812.09674",
    implementations: "research code alone: C++ and Go (the authors), Java, Rust, Python",
    summary: "numbered buckets up to a capacity, any may go; a removed one names its stand-in",
    lookup_cost: "O((1 + ln(capacity ÷ N))^2) expected",
    steps,
    closed_forms: &[],
    memory_cost: "O(capacity)",
    capabilities: &[Capability::RemoveAny],
    claims: &[Claim::FairShares, Claim::MinimalMovement, Claim::Restores],
    resolution: None,
    reads: KeyPart::Hash,
    parameters: &[CAPACITY],
    small: "capacity=6",
    build: Build::Placement(build::<Anchor>),
    naive: naive::<Naive>,
};

/// The buckets beyond the first fleet went one after the other from the end, so a key that meets
/// one draws, and no stand-in.
fn steps(arguments: &Arguments, fleet: FleetSize) -> f64 {
    let beyond = harmonic(capacity(arguments, fleet.first)) - harmonic(fleet.first);
    1.0 + beyond + mean_steps(fleet)
}

/// The buckets below a capacity.
#[derive(Clone)]
struct Anchor {
    capacity: Remainder,
    stand_ins: StandIns,
}

impl Anchor {
    /// Buckets 0 … `working` − 1 work; 1 ≤ `working` ≤ `capacity`.
    fn new(capacity: u32, working: u32) -> Self {
        let mut stand_ins = StandIns::default();
        (working..capacity).rev().for_each(|bucket| stand_ins.remove(bucket, bucket));
        Anchor { capacity: Remainder::by(capacity.into()), stand_ins }
    }

    fn capacity(&self) -> u32 {
        self.capacity.divisor() as u32
    }

    fn working(&self) -> u32 {
        self.capacity() - self.stand_ins.len()
    }

    #[inline]
    fn bucket<H: Rehash, T: Trace + ?Sized>(&self, mut hashes: H, trace: &mut T) -> u32 {
        let value = hashes.first();
        trace.step(Step::Pick { value, among: self.capacity.divisor() });
        let first = self.capacity.of(value) as u32;
        self.stand_ins.settle(first, trace, |bucket, left, trace| {
            let value = hashes.again(bucket);
            trace.step(Step::Pick { value, among: left.into() });
            (value % u64::from(left)) as u32
        })
    }
}

/// The authors' hashes of two words.
struct Crc {
    words: [u64; 2],
    last: u64,
}

impl Crc {
    fn new(words: [u64; 2]) -> Self {
        Crc { words, last: 0 }
    }
}

impl Rehash for Crc {
    #[inline]
    fn first(&mut self) -> u64 {
        self.last = crc32c(self.words[0], self.words[1] as u32).into();
        self.last
    }

    /// The chain depends on the removed buckets only by its length.
    #[inline]
    fn again(&mut self, _: u32) -> u64 {
        let [one, two] = self.words;
        let register = two.wrapping_add(self.last) as u32;
        self.last = crc32c(one.wrapping_sub(self.last), register).into();
        self.last
    }
}

impl BucketSet for Anchor {
    fn first(arguments: &Arguments, count: u32) -> Result<Self, PlacementError> {
        let capacity = capacity(arguments, count);
        within(capacity, count)?;
        Ok(Anchor::new(capacity, count))
    }

    fn add(&mut self) -> Result<u32, PlacementError> {
        let capacity = self.capacity();
        let full = || within(capacity, capacity.saturating_add(1)).map(|()| 0);
        self.stand_ins.restore().map_or_else(full, Ok)
    }

    fn remove(&mut self, bucket: u32) {
        self.stand_ins.remove(bucket, self.working() - 1);
    }

    #[inline]
    fn lookup<T: Trace + ?Sized>(&self, key: KeyHash, trace: &mut T) -> u32 {
        self.bucket(Crc::new([key.0, mix(key.0)]), trace)
    }

    fn lookup_many(&self, keys: &[KeyHash], buckets: &mut [u32]) {
        kernels::anchor::lookup_many(simd::level(), self.capacity, &self.stand_ins, keys, buckets);
    }

    fn trim(&mut self) {
        self.stand_ins.trim();
    }

    fn footprint(&self) -> Footprint {
        self.stand_ins.footprint()
    }
}

/// The twin: a bucket beyond the first fleet is one that was removed.
struct Naive(Rows);

impl NaiveSet for Naive {
    fn first(arguments: &Arguments, count: u32) -> Self {
        let capacity = capacity(arguments, count);
        let mut rows = Rows::new(capacity);
        (count..capacity).rev().for_each(|bucket| rows.remove(bucket));
        Naive(rows)
    }

    fn add(&mut self) -> u32 {
        self.0.restore().expect("more than the capacity was refused")
    }

    fn remove(&mut self, bucket: u32) {
        self.0.remove(bucket);
    }

    fn lookup(&self, key: u64) -> u32 {
        let other = mix(key);
        let mut sum = crc32c(key, other as u32);
        self.0.settle(sum % self.0.ever(), |_, left| {
            sum = crc32c(key.wrapping_sub(sum.into()), (other as u32).wrapping_add(sum));
            sum % left
        })
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;
    use placelab_core::{
        AlgorithmRequest, Change, HashSeed, NodeId, Roster, Silent, advance, establish,
    };

    use super::*;
    use crate::fixtures::{Draws, contender};
    use crate::vectors::{buckets, change, golden, java_murmur, key_pairs, numbers, replay};

    fn crc(anchor: &Anchor, words: [u64; 2]) -> u32 {
        anchor.bucket(Crc::new(words), &mut Silent)
    }

    /// Another program's hashes: MurmurHash3 over the decimal text of the key and a salt, then
    /// over the hash before, the removed bucket and the salt.
    struct Java(u64);

    const SALT: [u8; 4] = 0xdead_beef_u32.to_be_bytes();

    impl Rehash for Java {
        fn first(&mut self) -> u64 {
            self.0 = java_murmur(&[self.0.to_string().as_bytes(), &SALT]);
            self.0
        }

        fn again(&mut self, bucket: u32) -> u64 {
            self.0 = java_murmur(&[&self.0.to_be_bytes(), &bucket.to_be_bytes(), &SALT]);
            self.0
        }
    }

    fn java(anchor: &Anchor, words: [u64; 2]) -> u32 {
        anchor.bucket(Java(words[0]), &mut Silent)
    }

    #[test]
    fn golden_vectors_in_full() {
        let file = golden("anchor");
        let keys = key_pairs(&file);
        type Lookup = fn(&Anchor, [u64; 2]) -> u32;
        let java_sequences = &file["java_murmur3"]["sequences"];
        let families = [(&file["sequences"], crc as Lookup), (java_sequences, java)];
        for (sequences, lookup) in families {
            for sequence in sequences.as_array().unwrap() {
                let sizes = numbers(&sequence["sequence"]);
                replay(sequence, &keys, Anchor::new(sizes[0], sizes[1]), change, lookup);
            }
        }
        for vector in file["initial_lookups_capacity_2n"].as_array().unwrap() {
            let count = vector["n"].as_u64().unwrap() as u32;
            let anchor = Anchor::new(2 * count, count);
            let answers = keys.iter().map(|&words| crc(&anchor, words));
            assert!(answers.eq(buckets(&vector["buckets"])), "n = {count}");
        }
    }

    /// 1 + ln 10 = 3.303 hashes where a tenth of the capacity works.
    #[test]
    fn mean_hashes_grow_with_the_logarithm_of_the_spare() {
        let anchor = Anchor::new(10_000, 1_000);
        let mut draws = Draws::default();
        (0..200_000).for_each(|i| {
            anchor.lookup(KeyHash(stream(5, i)), &mut draws);
        });
        assert!((draws.0 as f64 / 2e5 - 3.302).abs() < 0.02, "{}", draws.0);
    }

    #[test]
    fn beyond_the_capacity_is_an_error() {
        let (spec, full) = contender("anchor:capacity=4", Roster::numbered(4).unwrap());
        let join = [Change::Add(Roster::numbered_node(4))];
        let expected = within(4, 5).err();
        assert!(expected.is_some());
        assert_eq!(advance(spec, full.as_ref(), &join).err(), expected);
        let replace = [Change::Remove(NodeId(1)), join[0].clone()];
        assert!(advance(spec, full.as_ref(), &replace).is_ok());
        let request = AlgorithmRequest::expand("anchor:capacity=4").unwrap();
        let arguments = request[0].arguments(spec, &|_| unreachable!()).unwrap();
        let five = Roster::numbered(5).unwrap();
        assert_eq!(establish(spec, &arguments, HashSeed(0), five).err(), expected);
    }
}
