//! Redis Cluster's hash of a key: CRC-16/XMODEM of its hash tag, and other draws of the like.

use placelab_core::HashSeed;
use placelab_core::mix::{mix, stream};

/// How many values there are.
pub(super) const VALUES: u64 = 1 << 16;

/// What of a key is hashed: its tag, where it has one.
pub(super) fn tag(key: &[u8]) -> &[u8] {
    let braced = key.iter().position(|&byte| byte == b'{').and_then(|open| {
        let behind = &key[open + 1..];
        behind.iter().position(|&byte| byte == b'}').map(|close| &behind[..close])
    });
    braced.filter(|tag| !tag.is_empty()).unwrap_or(key)
}

/// CRC-16/XMODEM under a hash seed.
pub(super) fn crc16(bytes: &[u8], seed: HashSeed) -> u16 {
    let crc = bytes
        .iter()
        .fold(0u16, |crc, &byte| (crc << 8) ^ OF_BYTE[usize::from((crc >> 8) as u8 ^ byte)]);
    if seed == HashSeed::PUBLISHED { crc } else { permuted(crc, seed) }
}

/// The CRC of each byte alone.
static OF_BYTE: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = ((byte as u16) << 8, 0);
        while bit < 8 {
            crc = (crc << 1) ^ (0x1021 * (crc >> 15));
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

/// A permutation of 16 bits: four rounds of Feistel's network, each with a function of its own.
fn permuted(value: u16, seed: HashSeed) -> u16 {
    let (mut left, mut right) = (value >> 8, value & 0xff);
    for round in 0..4 {
        let draw = stream(mix(seed.0), (round << 8) | u64::from(right));
        (left, right) = (right, left ^ (draw & 0xff) as u16);
    }
    (left << 8) | right
}

/// The twin of [`tag`]: what a reader of the key from left to right finds.
pub(super) fn naive_tag(key: &[u8]) -> &[u8] {
    let mut open = None;
    for (at, byte) in key.iter().enumerate() {
        match (byte, open) {
            (b'{', None) => open = Some(at + 1),
            (b'}', Some(from)) if from == at => return key,
            (b'}', Some(from)) => return &key[from..at],
            _ => {}
        }
    }
    key
}

/// The twin of [`crc16`]: the division by x^16 + x^12 + x^5 + 1, bit by bit, and four rounds that
/// swap halves under another seed.
pub(super) fn naive_crc16(bytes: &[u8], seed: HashSeed) -> u16 {
    let mut rest = 0u32;
    for &byte in bytes {
        for bit in (0..8).rev() {
            rest = (rest << 1) ^ (u32::from(byte >> bit & 1) << 16);
            if rest & 0x1_0000 != 0 {
                rest ^= 0x1_1021;
            }
        }
    }
    if seed != HashSeed::PUBLISHED {
        for round in 0..4 {
            let (left, right) = (rest / 256, rest % 256);
            let draw = stream(mix(seed.0), 256 * round + u64::from(right)) % 256;
            rest = right * 256 + (left ^ draw as u32);
        }
    }
    rest as u16
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The check value of the CRC catalogue.
    #[test]
    fn the_check_value_is_that_of_xmodem() {
        assert_eq!(crc16(b"123456789", HashSeed::PUBLISHED), 0x31c3);
    }

    #[test]
    fn tags_are_what_stands_between_the_first_braces() {
        let cases: [(&[u8], &[u8]); 10] = [
            (b"{user1000}.following", b"user1000"),
            (b"foo{bar}{zap}", b"bar"),
            (b"foo{{bar}}zap", b"{bar"),
            (b"foo{}{bar}", b"foo{}{bar}"),
            (b"{}x", b"{}x"),
            (b"}{a}", b"a"),
            (b"a{b", b"a{b"),
            (b"a}b{", b"a}b{"),
            (b"{", b"{"),
            (b"", b""),
        ];
        for (key, expected) in cases {
            assert_eq!(tag(key), expected, "{}", String::from_utf8_lossy(key));
            assert_eq!(naive_tag(key), expected, "{}", String::from_utf8_lossy(key));
        }
    }

    #[test]
    fn the_twin_agrees_under_every_seed() {
        for text in (0..1_000u64).map(|number| format!("user{number}")) {
            for seed in [0, 1, u64::MAX].map(HashSeed) {
                assert_eq!(naive_crc16(text.as_bytes(), seed), crc16(text.as_bytes(), seed));
            }
        }
    }

    /// Another seed is another permutation of all values, and not one XOR away.
    #[test]
    fn seeds_permute_the_values() {
        let mut seen = vec![false; 1 << 16];
        let (one, two) = (HashSeed(1), HashSeed(2));
        (0..=u16::MAX).for_each(|value| seen[usize::from(permuted(value, one))] = true);
        assert!(seen.iter().all(|&seen| seen));
        let xors: BTreeSet<u16> =
            (0..1_000).map(|value| permuted(value, one) ^ permuted(value, two)).collect();
        assert!(xors.len() > 900, "{}", xors.len());
    }
}
