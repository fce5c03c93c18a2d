//! Hashes of texts with a number in them: the points of a node on a ring.
//!
//! Cost: some nanoseconds a point by the default hash. Texts are written a block ahead of their
//! hashes, which read other words than were written and would wait for each of them.

use placelab_core::{HashFunction, HashSeed, KeyHash};

/// Texts written ahead.
const BLOCK: u64 = 128;

/// Makes the hashes; holds what is reused from node to node.
pub(crate) struct PointHashes {
    hash: HashFunction,
    seed: HashSeed,
    hashes: Vec<KeyHash>,
}

impl PointHashes {
    /// By this function under a seed.
    pub(crate) fn new(hash: HashFunction, seed: HashSeed) -> Self {
        PointHashes { hash, seed, hashes: Vec::new() }
    }

    /// Visits the hashes of `head`, a number from 0 to `count` − 1, and `tail`, in the order of the
    /// numbers.
    pub(crate) fn each(
        &mut self,
        (head, tail): (&[u8], &[u8]),
        count: u64,
        mut visit: impl FnMut(u64),
    ) {
        let seed = self.seed.prefix();
        let start = [seed.as_ref().map_or(&[][..], |prefix| prefix), head].concat();
        let mut first = 0;
        while first < count {
            // Texts of one block have equally many digits.
            let digits = first.max(1).ilog10() + 1;
            let end = count.min(first + BLOCK).min(10u64.pow(digits));
            let zeros = &[b'0'; 20][..digits as usize];
            let text = [&start, zeros, tail].concat();
            let mut texts = text.repeat((end - first) as usize);
            for (number, text) in (first..end).zip(texts.chunks_exact_mut(text.len())) {
                write_digits(number, &mut text[start.len()..start.len() + zeros.len()]);
            }
            self.hashes.clear();
            self.hash.hash_each(texts.chunks_exact(text.len()), &mut self.hashes);
            self.hashes.iter().for_each(|hash| visit(hash.0));
            first = end;
        }
    }
}

/// Writes a number that has so many digits.
fn write_digits(mut number: u64, digits: &mut [u8]) {
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_count_up_under_every_seed() {
        for (seed, count) in [(0, 0), (0, 1), (0, 1_234), (7, 10), (7, 12_345)] {
            let seed = HashSeed(seed);
            for hash in [HashFunction::Xxh3, HashFunction::Fnv1a64] {
                let mut made = Vec::new();
                PointHashes::new(hash, seed).each((b"a-", b"!"), count, |hash| made.push(hash));
                let text = |number| format!("a-{number}!");
                let wanted =
                    (0..count).map(text).map(|text| hash.hash_seeded(seed, text.as_bytes()));
                assert!(made.iter().copied().eq(wanted), "{count} by {hash}");
            }
        }
    }
}
