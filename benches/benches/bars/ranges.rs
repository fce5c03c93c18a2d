//! Bars of functions from a hash and a count to a bucket.

use placelab_algorithms::simd::Level;
use placelab_benches::ours::in_batches;
use placelab_benches::versus::{Clock, Ratio, Runner, race};
use placelab_core::math::harmonic;

use crate::division_floor::divide;
use crate::rivals::Hashing;
use crate::rows::{Bound, Call, Laboratory, Ours, Way};

const SIZES: [u32; 4] = [10, 100, 1_000, 10_000];
const FLIP: Call = Call("fliphash", "fliphash_64", Hashing::None);

pub(crate) fn jump_portable(laboratory: &mut Laboratory) {
    let jump = Ours::new("jump", Way::Batches(Level::Portable));
    for nodes in SIZES {
        laboratory.against(&jump, nodes, 1.45, Call("jch", "hash", Hashing::None));
    }
}

pub(crate) fn jump_batches(laboratory: &mut Laboratory) {
    let peer = Call("jumpconsistenthash", "jump_hash_from_u64", Hashing::None);
    for (level, least) in [(Level::Avx2, 2.9), (Level::Avx512, 6.3)] {
        let jump = Ours::new("jump", Way::Batches(level));
        SIZES.into_iter().for_each(|nodes| laboratory.against(&jump, nodes, least, peer));
    }
}

/// A key takes as many steps as the harmonic number of N, and eight divisions go at once.
pub(crate) fn jump_floor(laboratory: &mut Laboratory) {
    for nodes in SIZES {
        let case = format!("jump, avx512, N = {nodes}");
        let figure = times_the_floor(laboratory, nodes);
        laboratory.record(case, Bound::AtMost(2.2), figure);
    }
}

fn times_the_floor(laboratory: &Laboratory, nodes: u32) -> Result<Ratio, String> {
    let way = Way::Batches(Level::Avx512);
    let placement = Ours::new("jump", way).placement(nodes)?;
    let keys = laboratory.effort.keys;
    let mut owners = Vec::new();
    let jump = Runner::new(keys, |count| {
        let keys = laboratory.batch.first(count);
        in_batches(placement.as_ref(), Level::Avx512, keys, &mut owners)
    });
    let steps = harmonic(nodes);
    let floor = Runner::new(keys, |count| divide((count as f64 * steps / 8.0) as usize));
    let times = race(laboratory.effort, Clock::Thread, vec![jump, floor]);
    Ok(times.ratio(0, 1))
}

pub(crate) fn successors(laboratory: &mut Laboratory) {
    let way = Way::Batches(Level::Portable);
    let jump_back = Call("jump-back-hash", "bucket", Hashing::None);
    for (text, peer) in [("flip", FLIP), ("jump-back", jump_back)] {
        let ours = Ours::new(text, way);
        SIZES.into_iter().for_each(|nodes| laboratory.against(&ours, nodes, 0.9, peer));
    }
}

/// Just below a power of two there are few branches to miss, and less to win.
pub(crate) fn flip_batches(laboratory: &mut Laboratory) {
    let flip = Ours::new("flip", Way::Batches(Level::Avx512));
    for nodes in SIZES {
        let least = if nodes == 1_000 { 1.9 } else { 2.4 };
        laboratory.against(&flip, nodes, least, FLIP);
    }
}
