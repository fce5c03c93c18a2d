//! Functions "hash and count in, bucket out".
//!
//! A range hash knows buckets 0 … n − 1 and nothing of nodes: it is positional by nature. The
//! adapters in [`crate::adapters`] make it a placement by saying who owns which bucket.

use std::ops::ControlFlow;

use placelab_core::mix::stream;
use placelab_core::{Arguments, KeyHash, NodeId, Silent, Trace};

use crate::seen::Seen;

/// A stateless map from a hash to one of `count` buckets. A key whose bucket among some is below a
/// smaller count has the same bucket among so many: growth moves keys only into what is new.
pub trait RangeHash: Copy + Send + Sync + 'static {
    /// Most buckets that the function tells apart; the adapters refuse more.
    const COUNT_MAX: u32 = u32::MAX >> 1;

    /// Whether so many buckets have equal shares, so that a table of their owners has the exact
    /// shares of the nodes.
    fn fills_alike(_count: u32) -> bool {
        true
    }

    /// The function with these parameters.
    fn new(arguments: &Arguments) -> Self;

    /// The bucket of a key among `count` buckets, from 1 to [`RangeHash::COUNT_MAX`].
    fn bucket<T: Trace + ?Sized>(self, key: KeyHash, count: u32, trace: &mut T) -> u32;

    /// The mean number of draws for a key among so many buckets, as a trace counts them.
    fn steps(self, count: u32) -> f64;

    /// The bucket of each key of a batch, of which there are as many as buckets: the seam for
    /// kernels.
    fn buckets(self, keys: &[KeyHash], count: u32, out: &mut [u32]) {
        one_by_one(self, keys, count, out);
    }

    /// The bucket once more, for the twin: slow and obvious, from the definition alone.
    fn naive(self, key: KeyHash, count: u32) -> u32;
}

/// The bucket of each key of a batch by single lookups.
pub(crate) fn one_by_one<R: RangeHash>(range: R, keys: &[KeyHash], count: u32, out: &mut [u32]) {
    for (key, bucket) in keys.iter().zip(out) {
        *bucket = range.bucket(*key, count, &mut Silent);
    }
}

/// Visits the members that a single-answer function gives for a key and then for salted copies of
/// its hash. After 16 tries a member on average, those that never came up follow in join order.
pub(crate) fn retry(
    members: &[NodeId],
    hash: KeyHash,
    place: impl Fn(KeyHash) -> NodeId,
    visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>,
) {
    let mut seen = Seen::new();
    let salted = (0..16 * members.len() as u64).map(|retry| match retry {
        0 => hash,
        _ => KeyHash(stream(hash.0, retry)),
    });
    for node in salted.map(place).chain(members.iter().copied()) {
        if seen.insert(node) && (visit(node).is_break() || seen.len() == members.len()) {
            return;
        }
    }
}

/// The power of two at or above a count, and the part of it that lies beyond the count.
pub(crate) fn enclosing(count: u32) -> (f64, f64) {
    let power = u64::from(count).next_power_of_two() as f64;
    (power, 1.0 - f64::from(count) / power)
}

/// A table without room for more: placements do not change once they are made, so it would be
/// held for nothing.
pub(crate) fn trimmed<T>(mut table: Vec<T>) -> Vec<T> {
    table.shrink_to_fit();
    table
}

/// Bytes that the elements of a table occupy.
pub(crate) fn bytes_of<T>(table: &[T]) -> u64 {
    size_of_val(table) as u64
}

/// The greatest number that divides both; of 0 and another, the other.
pub(crate) fn greatest_common(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binomial::Binomial;
    use crate::flip::Flip;
    use crate::jump::Jump;
    use crate::jump_back::JumpBack;
    use crate::multiply_shift::MultiplyShift;
    use crate::power::Power;

    fn hold<R: RangeHash>(range: R) {
        let large = [1_023, 1_024, 1_025, 10_000, 32_767, 32_768, 32_769, (1 << 30) + 1];
        let largest = [(1 << 31) - 1, 1 << 31, (1 << 31) + 1, u32::MAX];
        let counts = (1..300).chain(large).chain(largest);
        for count in counts.filter(|count| *count <= R::COUNT_MAX) {
            for key in (0..200).map(|i| stream(12, i)).chain([0, 1, 1 << 63, u64::MAX]) {
                let bucket = range.bucket(KeyHash(key), count, &mut Silent);
                let name = std::any::type_name::<R>();
                assert_eq!(bucket, range.naive(KeyHash(key), count), "{name}: {key}, n = {count}");
            }
        }
    }

    /// What lets the adapters ask for several counts from the largest down.
    fn hold_still<R: RangeHash>(range: R) {
        let counts = [1, 2, 3, 5, 8, 9, 100, 1_000, 1_023, 1_024, 1_025, 10_000, R::COUNT_MAX];
        for key in (0..5_000).map(|i| KeyHash(stream(13, i))) {
            let of = counts.map(|count| range.bucket(key, count, &mut Silent));
            for (more, &bucket) in of.iter().enumerate() {
                for (fewer, &count) in counts[..more].iter().enumerate() {
                    let name = std::any::type_name::<R>();
                    assert!(bucket >= count || of[fewer] == bucket, "{name}: {key:?}, n = {count}");
                }
            }
        }
    }

    #[test]
    fn a_bucket_is_the_same_wherever_it_is_there() {
        hold_still(Jump);
        hold_still(JumpBack::SplitMix64);
        hold_still(JumpBack::Xorshift);
        hold_still(Power);
        hold_still(Flip::Mixer);
        hold_still(Flip::Xxh3);
        hold_still(Binomial);
        hold_still(MultiplyShift);
    }

    /// More buckets than the fleets of the laws have.
    #[test]
    fn twins_agree_over_many_buckets() {
        hold(Jump);
        hold(JumpBack::SplitMix64);
        hold(JumpBack::Xorshift);
        hold(Power);
        hold(Flip::Mixer);
        hold(Flip::Xxh3);
        hold(Binomial);
        hold(MultiplyShift);
    }
}
