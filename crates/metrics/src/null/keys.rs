//! What a null model needs to know of keys that count by their requests or bytes.
//!
//! Few large keys make most of the imbalance, so the largest are kept one by one; of the rest,
//! which is many and small, the sum and the sum of squares say enough.
//!
//! Cost: O(log [`HEAD_MAX`]) a key at worst, and memory for [`HEAD_MAX`] numbers however many
//! keys there are. The result does not depend on the order of the keys: all sums are exact.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Most keys that are kept one by one.
pub const HEAD_MAX: usize = 8192;

/// The weights of the keys: requests or bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct KeyWeights {
    /// The largest weights above zero, descending; at most [`HEAD_MAX`].
    pub(super) head: Vec<u64>,
    /// Sum of the other weights.
    pub(super) tail_total: u128,
    /// Sum of the squares of the other weights.
    pub(super) tail_squares: f64,
}

impl KeyWeights {
    /// Reads the weights of all keys. Keys of weight 0 load no node and are passed over.
    ///
    /// ```
    /// use placelab_metrics::null::KeyWeights;
    /// let keys = KeyWeights::from_keys([1, 6, 0, 3]);
    /// assert_eq!(keys.total(), 10);
    /// assert_eq!(keys.largest_share(), 0.6);
    /// ```
    pub fn from_keys(weights: impl IntoIterator<Item = u64>) -> Self {
        Self::from_runs(weights.into_iter().map(|weight| (weight, 1)))
    }

    /// The same from runs of so many keys of one weight each: a long run costs no more than a
    /// short one.
    pub fn from_runs(runs: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut head = BinaryHeap::with_capacity(HEAD_MAX + 1);
        let mut tail_total = 0;
        let mut tail_squares = SumOfSquares::default();
        for (weight, count) in runs.into_iter().filter(|&(weight, _)| weight > 0) {
            // No more of a run than fit can stay in the head.
            let kept = count.min(HEAD_MAX as u64);
            tail_total += u128::from(weight) * u128::from(count - kept);
            tail_squares.add_many(weight, count - kept);
            for _ in 0..kept {
                // Most keys are no heavier than the last of a full head: they are tail at once.
                let last = head.peek().map_or(0, |&Reverse(last)| last);
                let passed_over = if head.len() == HEAD_MAX && weight <= last {
                    Some(weight)
                } else {
                    head.push(Reverse(weight));
                    let is_over_full = head.len() > HEAD_MAX;
                    is_over_full.then(|| head.pop().expect("it is over-full").0)
                };
                if let Some(weight) = passed_over {
                    tail_total += u128::from(weight);
                    tail_squares.add_many(weight, 1);
                }
            }
        }
        // The heap is of reversed weights, so ascending for it is descending for us.
        let head = head.into_sorted_vec().into_iter().map(|Reverse(weight)| weight).collect();
        KeyWeights { head, tail_total, tail_squares: tail_squares.to_f64() }
    }

    /// The sum of all weights.
    pub fn total(&self) -> u128 {
        self.tail_total + self.head.iter().map(|&weight| u128::from(weight)).sum::<u128>()
    }

    /// The sum of a term over the keys, those of the tail as so many equal ones as have its sum
    /// and its sum of squares.
    pub(super) fn sum_of(&self, term: impl Fn(f64) -> f64) -> f64 {
        let head: f64 = self.head.iter().map(|&weight| term(weight as f64)).sum();
        if self.tail_total == 0 {
            return head;
        }
        let total = self.tail_total as f64;
        head + total * total / self.tail_squares * term(self.tail_squares / total)
    }

    /// The part of the sum that the largest key has: no placement balances better than to give it
    /// a node of its own. 0 where there is nothing.
    pub fn largest_share(&self) -> f64 {
        match self.head.first() {
            Some(&largest) => largest as f64 / self.total() as f64,
            None => 0.0,
        }
    }
}

/// An exact sum of squares of up to 2⁶⁴ numbers: floats would depend on the order of the keys.
#[derive(Default)]
struct SumOfSquares {
    /// Sum of the upper halves of the squares.
    high: u128,
    /// Sum of the lower halves.
    low: u128,
}

impl SumOfSquares {
    /// Adds the square of a number so many times.
    fn add_many(&mut self, value: u64, times: u64) {
        let square = u128::from(value) * u128::from(value);
        self.high += (square >> 64) * u128::from(times);
        self.low += (square & u128::from(u64::MAX)) * u128::from(times);
    }

    fn to_f64(&self) -> f64 {
        self.high as f64 * (1u128 << 64) as f64 + self.low as f64
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;

    use super::*;

    #[test]
    fn order_does_not_matter() {
        let mut weights: Vec<u64> = (0..20_000).map(|i| stream(1, i) >> (i % 60)).collect();
        let ascending = {
            let mut sorted = weights.clone();
            sorted.sort_unstable();
            KeyWeights::from_keys(sorted)
        };
        assert_eq!(KeyWeights::from_keys(weights.iter().copied()), ascending);
        weights.reverse();
        assert_eq!(KeyWeights::from_keys(weights.iter().copied()), ascending);
        assert_eq!(ascending.head.len(), HEAD_MAX);
        assert!(ascending.head.is_sorted_by(|a, b| a >= b));
    }

    #[test]
    fn runs_are_keys_one_by_one() {
        let runs = [(9, 2), (5, HEAD_MAX as u64 + 7), (0, 4), (7, 3), (1, 20_000)];
        let keys = runs.iter().flat_map(|&(weight, count)| (0..count).map(move |_| weight));
        assert_eq!(KeyWeights::from_runs(runs), KeyWeights::from_keys(keys));
    }

    #[test]
    fn the_tail_is_what_the_head_leaves() {
        let count = HEAD_MAX as u64 + 3;
        let keys = KeyWeights::from_keys(1..=count);
        assert_eq!((keys.head[0], keys.head[HEAD_MAX - 1]), (count, 4));
        assert_eq!((keys.tail_total, keys.tail_squares), (6, 14.0));
        assert_eq!(keys.total(), u128::from(count * (count + 1) / 2));
    }

    #[test]
    fn squares_beyond_any_integer() {
        let keys = KeyWeights::from_keys(std::iter::repeat_n(u64::MAX, HEAD_MAX + 4));
        let square = (u64::MAX as f64) * (u64::MAX as f64);
        assert_eq!(keys.tail_squares, 4.0 * square);
    }

    #[test]
    fn nothing_has_no_largest() {
        let keys = KeyWeights::from_keys([0, 0]);
        assert_eq!((keys.total(), keys.largest_share()), (0, 0.0));
    }
}
