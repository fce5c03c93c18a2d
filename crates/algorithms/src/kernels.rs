//! Batch kernels: lookups of many keys by the vector instructions of the machine.
//!
//! One module an algorithm, with one safe function that takes the level, the hashes of the keys and
//! what the scheme knows, and fills the answers in; which level is used is [`crate::simd`]'s. A
//! kernel answers as the single lookup does, key for key, and its tests hold every level that the
//! machine has to that, for batches of any length. Only these modules may use `unsafe`.

pub(crate) mod anchor;
pub(crate) mod clocks;
pub(crate) mod flip;
pub(crate) mod jump;
pub(crate) mod jump_back;
#[cfg(target_arch = "x86_64")]
mod lanes;
#[cfg(target_arch = "x86_64")]
mod redraws;
pub(crate) mod rendezvous;
pub(crate) mod short_clocks;
pub(crate) mod short_scores;
pub(crate) mod single;

use placelab_core::KeyHash;

#[cfg(test)]
use crate::simd::Level;

/// Keys of range hashes that are looked up together: few enough for a queue of those that are not
/// done to stay in the nearest cache.
#[cfg(target_arch = "x86_64")]
const CHUNK_KEYS: usize = 1_024;

/// Does chunk after chunk of at most [`CHUNK_KEYS`].
#[cfg(target_arch = "x86_64")]
fn chunks(keys: &[KeyHash], out: &mut [u32], mut buckets: impl FnMut(&[KeyHash], &mut [u32])) {
    for (keys, out) in keys.chunks(CHUNK_KEYS).zip(out.chunks_mut(CHUNK_KEYS)) {
        buckets(keys, out);
    }
}

/// Holds a kernel of range hashes to the single lookup: every level, batches of any length, counts
/// as given, keys at random and at the edges.
#[cfg(test)]
pub(crate) fn hold_batches(
    counts: impl Iterator<Item = u32>,
    kernel: impl Fn(Level, &[KeyHash], u32, &mut [u32]),
    single: impl Fn(KeyHash, u32) -> u32,
) {
    let edges =
        [0, 1, 2, 3, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, 1 << 32, (1 << 32) - 1];
    let random = (0..).map(|index| placelab_core::mix::stream(31, index));
    let keys: Vec<KeyHash> = edges.into_iter().chain(random).map(KeyHash).take(4_500).collect();
    for (turn, count) in counts.enumerate() {
        for level in Level::available() {
            for length in [0, 1, 7, 8, 9, 31, 64, 1_023, 2_048] {
                let keys = &keys[turn % 2 * 2_048..][..length];
                // Whoever writes beyond the batch is found out.
                let mut out = vec![u32::MAX; length + 64];
                kernel(level, keys, count, &mut out[..length]);
                assert!(out[length..].iter().all(|bucket| *bucket == u32::MAX));
                for (key, &bucket) in keys.iter().zip(&out) {
                    assert_eq!(bucket, single(*key, count), "{level}: {key:?}, n = {count}");
                }
            }
        }
    }
}

/// Runs a kernel for groups of keys over a batch. A last group that is short is filled up with
/// copies of its last key; where that would idle most lanes, its keys are placed alone.
fn in_groups<const KEYS: usize>(
    hashes: &[KeyHash],
    places: &mut [u32],
    group: impl Fn(&[KeyHash; KEYS], &mut [u32; KEYS]),
    alone: impl Fn(KeyHash) -> u32,
) {
    assert_eq!(hashes.len(), places.len(), "a place a key");
    let (groups, rest) = hashes.as_chunks::<KEYS>();
    let (group_places, rest_places) = places.as_chunks_mut::<KEYS>();
    for (hashes, places) in groups.iter().zip(group_places) {
        group(hashes, places);
    }
    if rest.len() < KEYS / 4 {
        for (&hash, place) in rest.iter().zip(rest_places) {
            *place = alone(hash);
        }
    } else if let Some(&last) = rest.last() {
        let (mut filled, mut places) = ([last; KEYS], [0; KEYS]);
        filled[..rest.len()].copy_from_slice(rest);
        group(&filled, &mut places);
        rest_places.copy_from_slice(&places[..rest.len()]);
    }
}
