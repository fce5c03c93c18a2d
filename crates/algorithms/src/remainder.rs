//! Remainders by a divisor that stays, without a division.
//!
//! Source: Granlund, Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994.
//! The reciprocal is rounded down, so the quotient that it gives is the true one or one less, and
//! what is left over is at most one divisor too large. Cost: two multiplications and a minimum.

/// The remainder by one divisor.
#[derive(Clone, Copy)]
pub(crate) struct Remainder {
    divisor: u64,
    /// Of 2^64 − 1, so that a divisor of 1 has one too.
    reciprocal: u64,
}

impl Remainder {
    /// By a divisor from 1.
    pub(crate) fn by(divisor: u64) -> Self {
        Remainder { divisor, reciprocal: u64::MAX / divisor }
    }

    /// What is left of a value.
    #[inline(always)]
    pub(crate) fn of(self, value: u64) -> u64 {
        let quotient = ((u128::from(value) * u128::from(self.reciprocal)) >> 64) as u64;
        let rest = value - quotient * self.divisor;
        // Below the divisor the difference wraps round and is the larger of the two.
        rest.min(rest.wrapping_sub(self.divisor))
    }

    /// What it divides by.
    #[inline]
    pub(crate) fn divisor(self) -> u64 {
        self.divisor
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::mix::stream;

    use super::*;

    #[test]
    fn remainders_are_those_of_a_division() {
        let powers = (0..64).map(|bit| 1u64 << bit);
        let beside = powers.flat_map(|power| [power.saturating_sub(1), power, power + 1]);
        let drawn = (0..200).map(|i| stream(1, i) >> (i % 64));
        let known = [3, 7, 10, 1_024, 16_384, 65_537, 655_373, 100_000_007, u64::MAX];
        for divisor in beside.chain(drawn).chain(known).filter(|divisor| *divisor > 0) {
            let remainder = Remainder::by(divisor);
            let last = u64::MAX - u64::MAX % divisor;
            let edges = [0, 1, divisor - 1, divisor, last - 1, last, u64::MAX - 1, u64::MAX];
            for value in (0..200).map(|i| stream(divisor, i)).chain(edges) {
                assert_eq!(remainder.of(value), value % divisor, "{value} by {divisor}");
            }
        }
    }
}
