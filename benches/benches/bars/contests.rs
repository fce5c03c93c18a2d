//! Bars of contests between all nodes.

use placelab_algorithms::simd::Level;
use placelab_benches::ours::Weights;

use crate::rivals::Hashing;
use crate::rows::{Call, Laboratory, Ours, Way};

const PLAIN: Call = Call("hash-rings", "rendezvous get_node", Hashing::Fast);
const WEIGHTED: Call = Call("hash-rings", "weighted_rendezvous get_node", Hashing::Fast);
/// Rendezvous whose scores are compared by 32 bits.
const SHORT: &str = "rendezvous:score=32";
const WEIGHTED_SHORT: &str = "weighted-rendezvous:score=32";

fn weighted_by(text: &str, way: Way) -> Ours<'_> {
    Ours { weights: Weights::OneToFour, ..Ours::new(text, way) }
}

pub(crate) fn portable(laboratory: &mut Laboratory) {
    let ours = Ours::new("rendezvous", Way::Batches(Level::Portable));
    [10, 100, 1_000].into_iter().for_each(|nodes| laboratory.against(&ours, nodes, 3.0, PLAIN));
}

pub(crate) fn batches(laboratory: &mut Laboratory) {
    for (text, level, bounds) in [
        ("rendezvous", Level::Avx512, [14.0, 14.0]),
        ("rendezvous", Level::Avx2, [5.0, 5.0]),
        (SHORT, Level::Avx512, [28.0, 42.0]),
        (SHORT, Level::Avx2, [22.0, 28.0]),
    ] {
        let ours = Ours::new(text, Way::Batches(level));
        for (nodes, least) in [100, 1_000].into_iter().zip(bounds) {
            laboratory.against(&ours, nodes, least, PLAIN);
        }
    }
}

pub(crate) fn weighted_portable(laboratory: &mut Laboratory) {
    let ours = weighted_by("weighted-rendezvous", Way::Batches(Level::Portable));
    for (nodes, least) in [(100, 3.3), (1_000, 6.0)] {
        laboratory.against(&ours, nodes, least, WEIGHTED);
    }
}

pub(crate) fn weighted_batches(laboratory: &mut Laboratory) {
    for (text, level, bounds) in [
        ("weighted-rendezvous", Level::Avx512, [25.0, 25.0]),
        (WEIGHTED_SHORT, Level::Avx512, [33.0, 60.0]),
        (WEIGHTED_SHORT, Level::Avx2, [28.0, 50.0]),
    ] {
        let ours = weighted_by(text, Way::Batches(level));
        for (nodes, least) in [100, 1_000].into_iter().zip(bounds) {
            laboratory.against(&ours, nodes, least, WEIGHTED);
        }
    }
}
