//! Fleets and keys of the laws.

use placelab_core::mix::stream;
use placelab_core::{
    AlgorithmSpec, Arguments, HashSeed, Key, KeyHash, KeyText, Keys, Node, NodeId, Placement,
    Roster, Weight, establish,
};

pub(crate) fn build(spec: &'static AlgorithmSpec, roster: Roster) -> Box<dyn Placement> {
    establish(spec, &Arguments::defaults(spec), HashSeed::PUBLISHED, roster).unwrap()
}

pub(crate) fn numbered(spec: &'static AlgorithmSpec, count: u32) -> Box<dyn Placement> {
    build(spec, Roster::numbered(count).unwrap())
}

pub(crate) fn weighted(weights: &[u32]) -> Roster {
    let node = |(index, &weight): (usize, &u32)| Node {
        weight: Weight::units(weight),
        ..Roster::numbered_node(index as u32)
    };
    Roster::new(weights.iter().enumerate().map(node).collect()).unwrap()
}

/// Keys with both their parts: hashes, and texts for the schemes that read bytes.
pub(crate) struct Sample {
    pub(crate) hashes: Vec<KeyHash>,
    pub(crate) text: KeyText,
}

impl Sample {
    pub(crate) fn new(count: u64) -> Self {
        let hashes = (0..count).map(|index| KeyHash(stream(11, index))).collect::<Vec<_>>();
        let mut text = KeyText::default();
        hashes.iter().for_each(|hash| text.push(format!("{:x}", hash.0).as_bytes()));
        Sample { hashes, text }
    }

    /// The keys as a sweep under a hash seed gives them to a scheme.
    pub(crate) fn salted(&self, seed: HashSeed) -> Self {
        let hashes = self.hashes.iter().map(|&hash| seed.salt(hash)).collect();
        Sample { hashes, text: self.text.clone() }
    }

    pub(crate) fn keys(&self) -> Keys<'_> {
        Keys { hashes: &self.hashes, text: Some(&self.text) }
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = Key<'_>> {
        (0..self.hashes.len()).map(|index| self.keys().get(index))
    }
}

pub(crate) fn owners(placement: &dyn Placement, sample: &Sample) -> Vec<NodeId> {
    let mut out = vec![NodeId(u32::MAX); sample.hashes.len()];
    placement.place_many(sample.keys(), &mut out);
    out
}

/// Moves without a reason: the destination's weight did not rise relative to the source's.
pub(crate) fn sideways(before: &dyn Placement, after: &dyn Placement, keys: &Sample) -> usize {
    let weight = |placement: &dyn Placement, id| {
        placement.roster().get(id).map_or(0, |node| u128::from(node.weight.micros()))
    };
    let weights = |id| (weight(before, id), weight(after, id));
    let moves = std::iter::zip(owners(before, keys), owners(after, keys));
    moves
        .filter(|(source, destination)| source != destination)
        .filter(|&(source, destination)| {
            let (source, destination) = (weights(source), weights(destination));
            destination.1 * source.0 <= destination.0 * source.1
        })
        .count()
}

/// The fraction of keys whose owner changed.
pub(crate) fn part_moved(before: &[NodeId], after: &[NodeId]) -> f64 {
    let moved = before.iter().zip(after).filter(|(a, b)| a != b).count();
    moved as f64 / before.len() as f64
}
