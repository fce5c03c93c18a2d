//! The closed table of pinned hash functions, and hash seeds.

use std::fmt;
use std::str::FromStr;

use blake2::digest::consts::U4;
use blake2::{Blake2b, Digest};
use md5::Md5;
use murmur3::{murmur3_32, murmur3_x64_128};
use sha2::Sha256;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};
use xxhash_rust::xxh64::xxh64;

use crate::key::KeyHash;
use crate::mix::{mix, stream};

/// Which independent draw of the hash functions a run uses.
///
/// Seed 0 is the published, unsalted function that users deploy and vectors hold. Any other seed
/// makes another scheme of the same kind, so that luck can be told from merit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct HashSeed(pub u64);

impl HashSeed {
    /// The function as published.
    pub const PUBLISHED: HashSeed = HashSeed(0);

    /// A key hash under this seed: itself under seed 0, else mix(h ⊕ mix(s)).
    #[inline]
    pub fn salt(self, hash: KeyHash) -> KeyHash {
        if self == Self::PUBLISHED { hash } else { KeyHash(mix(hash.0 ^ mix(self.0))) }
    }

    /// The seed after a deploy has changed it for the `count`-th time: another independent draw.
    pub fn rehashed(self, count: u32) -> HashSeed {
        if count == 0 { self } else { HashSeed(stream(mix(self.0), count.into())) }
    }

    /// What point and byte-level hashes are prefixed with: nothing under seed 0, else the eight
    /// little-endian bytes of the seed.
    pub fn prefix(self) -> Option<[u8; 8]> {
        (self != Self::PUBLISHED).then(|| self.0.to_le_bytes())
    }
}

/// A pinned hash of bytes: closed, with width and byte order in the name where there is a choice.
///
/// A 32-bit value fills the upper half of the 64-bit word, so that positions of every width lie
/// on one 64-bit circle in their own order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum HashFunction {
    /// XXH3, 64 bits, seed 0.
    Xxh3,
    /// XXH64, seed 0.
    Xxh64,
    /// MurmurHash3 x86, 32 bits, seed 0.
    Murmur3x32,
    /// MurmurHash3 x64, first 64 of 128 bits, seed 0.
    Murmur3x128,
    /// FNV-1a, 32 bits.
    Fnv1a32,
    /// FNV-1a, 64 bits.
    Fnv1a64,
    /// CRC-32 (IEEE 802.3).
    Crc32,
    /// First four bytes of MD5, little-endian.
    Md5Le32,
    /// BLAKE2b with a digest of four bytes, big-endian.
    Blake2bBe32,
    /// First eight bytes of SHA-256, big-endian.
    Sha256Be64,
}

impl HashFunction {
    /// Every function, in the order in which they are listed.
    pub const ALL: [HashFunction; 10] = [
        HashFunction::Xxh3,
        HashFunction::Xxh64,
        HashFunction::Murmur3x32,
        HashFunction::Murmur3x128,
        HashFunction::Fnv1a32,
        HashFunction::Fnv1a64,
        HashFunction::Crc32,
        HashFunction::Md5Le32,
        HashFunction::Blake2bBe32,
        HashFunction::Sha256Be64,
    ];

    /// The names, in the order of [`HashFunction::ALL`].
    pub const NAMES: [&'static str; 10] = [
        "xxh3",
        "xxh64",
        "murmur3-32",
        "murmur3-128",
        "fnv1a-32",
        "fnv1a-64",
        "crc32",
        "md5-32le",
        "blake2b-32be",
        "sha256-64be",
    ];

    /// The name in files, options and reports.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Width of the value in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Murmur3x32 | Self::Fnv1a32 | Self::Crc32 | Self::Md5Le32 | Self::Blake2bBe32 => {
                32
            }
            _ => 64,
        }
    }

    /// What the function is, in a line.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Xxh3 => "XXH3 with seed 0: fast and well mixed, the default",
            Self::Xxh64 => "XXH64 with seed 0",
            Self::Murmur3x32 => "MurmurHash3 x86 with seed 0",
            Self::Murmur3x128 => "MurmurHash3 x64 with seed 0, first 64 of 128 bits",
            Self::Fnv1a32 => "FNV-1a: short keys that differ at the end stay close",
            Self::Fnv1a64 => "FNV-1a: short keys that differ at the end stay close",
            Self::Crc32 => "CRC-32 (IEEE): linear, so related keys have related values",
            Self::Md5Le32 => "first four bytes of MD5, little-endian: ketama's",
            Self::Blake2bBe32 => "BLAKE2b with a digest of four bytes, big-endian",
            Self::Sha256Be64 => "first eight bytes of SHA-256, big-endian",
        }
    }

    /// The hash of some bytes.
    #[inline]
    pub fn hash(self, bytes: &[u8]) -> u64 {
        match self {
            Self::Xxh3 => xxh3_64(bytes),
            Self::Xxh64 => xxh64(bytes, 0),
            Self::Murmur3x32 => upper(murmur3_32(&mut &*bytes, 0).expect(MEMORY)),
            Self::Murmur3x128 => murmur3_x64_128(&mut &*bytes, 0).expect(MEMORY) as u64,
            Self::Fnv1a32 => upper(fnv1a_32(bytes)),
            Self::Fnv1a64 => fnv1a_64(bytes),
            Self::Crc32 => upper(crc32fast::hash(bytes)),
            Self::Md5Le32 => upper(u32::from_le_bytes(head(&Md5::digest(bytes)))),
            Self::Blake2bBe32 => upper(u32::from_be_bytes(head(&Blake2b::<U4>::digest(bytes)))),
            Self::Sha256Be64 => u64::from_be_bytes(head(&Sha256::digest(bytes))),
        }
    }

    /// Appends the hashes of many keys; the function is chosen once for all of them.
    pub fn hash_each<'k>(self, keys: impl Iterator<Item = &'k [u8]>, hashes: &mut Vec<KeyHash>) {
        match self {
            Self::Xxh3 => hashes.extend(keys.map(|key| KeyHash(xxh3(key)))),
            _ => hashes.extend(keys.map(|key| KeyHash(self.hash(key)))),
        }
    }

    /// The hash of what belongs to a node (a name, a point) under a seed.
    pub fn hash_seeded(self, seed: HashSeed, bytes: &[u8]) -> u64 {
        match seed.prefix() {
            None => self.hash(bytes),
            Some(prefix) => self.hash(&[&prefix[..], bytes].concat()),
        }
    }

    /// The hash of a node's name under a seed.
    pub fn hash_name(self, seed: HashSeed, name: &crate::NodeName) -> u64 {
        self.hash_seeded(seed, name.as_bytes())
    }
}

/// XXH3 for a loop over keys. Not a part of the loop: compilers would put two keys side by side,
/// and baseline processors multiply two numbers more slowly than one after the other.
#[inline(never)]
fn xxh3(key: &[u8]) -> u64 {
    xxh3_64(key)
}

/// Two draws from the same bytes: XXH3 with seed 0 and seed 1, under a hash seed.
pub fn xxh3_pair(seed: HashSeed, bytes: &[u8]) -> (u64, u64) {
    let mut text = seed.prefix().map_or(Vec::new(), |prefix| prefix.to_vec());
    text.extend_from_slice(bytes);
    (xxh3_64(&text), xxh3_64_with_seed(&text, 1))
}

/// The hash reads from memory, which does not fail.
const MEMORY: &str = "reading memory";

fn upper(value: u32) -> u64 {
    u64::from(value) << 32
}

fn head<const N: usize>(digest: &[u8]) -> [u8; N] {
    digest[..N].try_into().expect("a digest is at least as long as its head")
}

fn fnv1a_32(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// FNV-1a, 64 bits: also the digest of the golden vectors.
pub fn fnv1a_64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl fmt::Display for HashFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name is not in the table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no hash is called `{name}`; there are {}", HashFunction::NAMES.join(", "))]
pub struct UnknownHash {
    /// What was asked for.
    pub name: String,
}

impl FromStr for HashFunction {
    type Err = UnknownHash;

    fn from_str(name: &str) -> Result<Self, UnknownHash> {
        let found = Self::ALL.into_iter().find(|hash| hash.name() == name);
        found.ok_or_else(|| UnknownHash { name: name.chars().take(40).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Check values: XXH64 of decimal texts from the pinned vectors of a published article on
    /// jump hash, re-run with python-xxhash; the others are the functions' published answers for
    /// "123456789" (CRC catalogue, FNV reference) or were made with
    /// CPython's hashlib and mmh3.
    #[test]
    fn values_are_pinned() {
        let hash =
            |name: &str, text: &str| name.parse::<HashFunction>().unwrap().hash(text.as_bytes());
        assert_eq!(hash("xxh64", "0"), 7_148_434_200_721_666_028);
        assert_eq!(hash("xxh64", "8842"), 2_118_329_461_945_753_543);
        assert_eq!(hash("crc32", "123456789"), 0xcbf4_3926 << 32);
        assert_eq!(hash("fnv1a-32", "a"), 0xe40c_292c << 32);
        assert_eq!(hash("fnv1a-64", "a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("murmur3-32", "123456789"), 0xb4fe_f382 << 32);
        assert_eq!(hash("murmur3-128", "123456789"), 0x3c84_645e_db66_cca4);
        assert_eq!(hash("xxh3", ""), 0x2d06_8005_38d3_94c2);
        assert_eq!(hash("md5-32le", "node-0"), MD5_NODE_0 << 32);
        assert_eq!(hash("blake2b-32be", "node-0#0"), BLAKE2B_NODE_0 << 32);
        assert_eq!(hash("sha256-64be", "node-0"), SHA256_NODE_0);
    }

    const MD5_NODE_0: u64 = 0x4364_643b;
    const BLAKE2B_NODE_0: u64 = 0x415c_70d3;
    const SHA256_NODE_0: u64 = 0x7c6c_c41e_6bf7_2e7a;

    #[test]
    fn the_table_is_in_order() {
        for (hash, name) in HashFunction::ALL.into_iter().zip(HashFunction::NAMES) {
            assert_eq!(hash.name(), name);
            assert_eq!(name.parse(), Ok(hash));
        }
        assert!("md4".parse::<HashFunction>().is_err());
    }

    #[test]
    fn seed_zero_is_the_published_function() {
        assert_eq!(HashSeed(0).salt(KeyHash(7)), KeyHash(7));
        assert_ne!(HashSeed(1).salt(KeyHash(7)), HashSeed(2).salt(KeyHash(7)));
        let xxh3 = HashFunction::Xxh3;
        assert_eq!(xxh3.hash_seeded(HashSeed(0), b"a"), xxh3.hash(b"a"));
        let prefixed = xxh3.hash(b"\x01\0\0\0\0\0\0\0a");
        assert_eq!(xxh3.hash_seeded(HashSeed(1), b"a"), prefixed);
    }
}
