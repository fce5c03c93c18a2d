//! ConsistentPermutation: all numbers below n in an order that growth only adds to.
//!
//! Source: the crate consistent-choose-k of GitHub's rust-gems, 2025–2026. Layer *j* is a
//! balanced Feistel network over 2j + 2 bits that counts upward; the top layer is the least that
//! holds n numbers. A number whose two highest bits are 0 stands for the next one of the layer
//! below. Numbers from n on are left out, so with a larger n the order is the same with more
//! numbers in it. Cost: 16/3 Feistel networks a number expected at worst, of 4 to 12 rounds.
//!
//! What it cannot do: hold more than 2^30 numbers, or do without a key that is hashed well.

use placelab_core::mix::GOLDEN;
use placelab_core::{Step, Trace};

const LAYERS_MAX: usize = 15;

/// The numbers below `count`, each once.
pub(crate) struct Permutation {
    key: u64,
    count: u32,
    top: u32,
    /// The next number of each layer, before it is mixed.
    next: [u32; LAYERS_MAX],
}

/// The highest layer over 1 ≤ `count` ≤ 2^30 numbers: layer j holds 4^(j + 1) of them.
fn top(count: u32) -> u32 {
    let bits = u32::BITS - count.saturating_sub(1).leading_zeros();
    bits.div_ceil(2).clamp(1, LAYERS_MAX as u32) - 1
}

/// How many numbers are mixed for `count` of them.
pub(crate) fn numbers(count: u32) -> f64 {
    (1u64 << (2 * top(count) + 2)) as f64
}

impl Permutation {
    /// Of 1 ≤ `count` ≤ 2^30 numbers.
    pub(crate) fn new(key: u64, count: u32) -> Self {
        Permutation { key, count, top: top(count), next: [0; LAYERS_MAX] }
    }

    /// The next number, until there is none.
    #[inline]
    pub(crate) fn next<T: Trace + ?Sized>(&mut self, trace: &mut T) -> Option<u32> {
        let end = 1 << (2 * self.top + 2);
        while self.next[self.top as usize] < end {
            let number = self.descend(trace);
            if number < self.count {
                return Some(number);
            }
        }
        None
    }

    fn descend<T: Trace + ?Sized>(&mut self, trace: &mut T) -> u32 {
        let mut layer = self.top;
        loop {
            let input = &mut self.next[layer as usize];
            let number = feistel(self.key, layer + 1, *input);
            *input += 1;
            trace.step(Step::Draw { value: number.into() });
            if layer == 0 || number >> (2 * layer) != 0 {
                return number;
            }
            layer -= 1;
        }
    }
}

/// A permutation of the numbers of twice `half` bits.
#[inline]
fn feistel(mut key: u64, half: u32, number: u32) -> u32 {
    let mask = (1 << half) - 1;
    let (mut left, mut right) = (number >> half, number & mask);
    let rounds = match half {
        1 => 12,
        2 => 10,
        3 => 6,
        _ => 4,
    };
    for _ in 0..rounds {
        let product = u64::from(right ^ key as u32) * (key >> 32 | 1);
        let folded = (product as u32).wrapping_add((product >> 32) as u32) & mask;
        (left, right) = (right, left ^ folded);
        key = key.rotate_right(2 * half).wrapping_add(GOLDEN);
    }
    left << half | right
}

/// All numbers below `count` for a twin: the order of each layer in full, from the lowest up.
pub(crate) fn naive_permutation(key: u64, count: u32) -> Vec<u32> {
    let mut order = vec![0];
    let mut half = 0;
    while order.len() < count as usize {
        half += 1;
        let quarter = order.len() as u64;
        let mut below = order.into_iter();
        let number = |input| match naive_feistel(key, half, input) {
            number if number < quarter => below.next().expect("a quarter stands for those below"),
            number => number as u32,
        };
        order = (0..4 * quarter).map(number).collect();
    }
    order.retain(|number| *number < count);
    order
}

/// The network for the twin, over numbers that do not overflow.
fn naive_feistel(mut key: u64, half: u32, number: u64) -> u64 {
    let (width, word) = (1 << half, 1 << 32);
    let (mut left, mut right) = (number / width, number % width);
    let rounds = [12, 10, 6].get(half as usize - 1).copied().unwrap_or(4);
    for _ in 0..rounds {
        let product = (right ^ (key % word)) * ((key / word) | 1);
        let folded = (product % word + product / word) % word % width;
        (left, right) = (right, left ^ folded);
        key = key.rotate_right(2 * half).wrapping_add(GOLDEN);
    }
    left * width + right
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;
    use placelab_core::{Count, Silent};

    use super::*;
    use crate::vectors::{Digest, golden, hex, lists, vector_keys};

    fn numbers(key: u64, count: u32) -> impl Iterator<Item = u32> {
        let mut permutation = Permutation::new(key, count);
        std::iter::from_fn(move || permutation.next(&mut Silent))
    }

    #[test]
    fn golden_vectors_of_the_permutation_in_full() {
        let file = golden("choosek");
        let keys = vector_keys(&file);
        for vector in file["permutation_first4"].as_array().unwrap() {
            let (count, first) = (vector["n"].as_u64().unwrap(), vector["first"].as_u64().unwrap());
            let answer = |&key: &u64| numbers(key, count as u32).take(first as usize);
            let answers = keys.iter().map(|key| answer(key).collect::<Vec<u32>>());
            assert!(answers.eq(lists(&vector["lookups"])), "n = {count}");
        }
        let sweep = &file["sweeps"]["perm_full"];
        let mut digest = Digest::default();
        for key in (0..sweep["keys"].as_u64().unwrap()).map(|i| stream(0, i)) {
            for count in 1..=sweep["n_max"].as_u64().unwrap() as u32 {
                numbers(key, count).for_each(|number| digest.add(number));
            }
        }
        assert_eq!(digest.0, hex(&sweep["fnv1a64"]));
    }

    #[test]
    fn each_once_and_growth_only_adds() {
        for key in (0..20).map(|i| stream(1, i)) {
            let all: Vec<u32> = numbers(key, 300).collect();
            for count in 1..=300 {
                let order: Vec<u32> = numbers(key, count).collect();
                assert_eq!(order.len(), count as usize);
                assert!(order.iter().eq(all.iter().filter(|number| **number < count)));
                assert_eq!(order, naive_permutation(key, count));
            }
        }
    }

    /// The worst n is just above a power of 4: then a number of the top layer does not count with
    /// a probability of 3/4, and else 1 + 1/4 + 1/16 + … layers below are asked: 4 + 4/3 in all.
    #[test]
    fn numbers_cost_a_few_draws() {
        for count in [5, 17, 257, 4_097, 65_537] {
            let mut draws = Count::default();
            let keys = 20_000;
            for key in (0..keys).map(|i| stream(2, i)) {
                Permutation::new(key, count).next(&mut draws);
            }
            let mean = draws.0 as f64 / keys as f64;
            assert!(mean < 5.45, "n = {count}: {mean}");
        }
    }
}
