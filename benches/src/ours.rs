//! This project's algorithms as peers see them: asked for by their text, through the public API.

use placelab_algorithms::simd::{self, Level};
use placelab_core::{
    AlgorithmRequest, HashSeed, Key, Keys, Node, NodeId, Placement, Roster, Weight, establish,
};

use crate::BATCH_KEYS;

/// What nodes weigh.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weights {
    /// One each.
    Equal,
    /// 1, 2, 3, 4, 1, …
    OneToFour,
}

impl Weights {
    /// The weight of a node in units.
    pub fn of(self, node: u32) -> u32 {
        match self {
            Weights::Equal => 1,
            Weights::OneToFour => 1 + node % 4,
        }
    }
}

/// The nodes `node-0` … with their weights. Panics where they are too many for a fleet.
pub fn fleet(nodes: u32, weights: Weights) -> Roster {
    let node = |index| {
        let weight = Weight::units(weights.of(index));
        Node { weight, ..Roster::numbered_node(index) }
    };
    Roster::new((0..nodes).map(node).collect()).expect("a fleet")
}

/// A placement by its text, such as `ring:vnodes=20`, with the hash functions as published.
///
/// # Errors
/// What the text asks for does not exist or cannot serve these nodes.
pub fn placement(text: &str, roster: Roster) -> Result<Box<dyn Placement>, String> {
    let requests = AlgorithmRequest::expand(text).map_err(|error| error.to_string())?;
    let request = requests.first().ok_or("a text asks for something")?;
    let spec = placelab_algorithms::find(&request.name)
        .ok_or_else(|| format!("there is no {}", request.name))?;
    let load = |_: &str| Err("benches read no files".into());
    let arguments = request.arguments(spec, &load).map_err(|error| error.to_string())?;
    establish(spec, &arguments, HashSeed::PUBLISHED, roster).map_err(|error| error.to_string())
}

/// The sum of the owners of keys that are looked up one by one.
pub fn one_by_one(placement: &dyn Placement, keys: Keys<'_>) -> u64 {
    keys.hashes.iter().map(|&hash| u64::from(placement.place(Key { hash, bytes: &[] }).0)).sum()
}

/// Places keys in batches as the simulator cuts them, by the instructions of a level, and returns
/// the last owner. `owners` is used again from batch to batch.
pub fn in_batches(
    placement: &dyn Placement,
    level: Level,
    keys: Keys<'_>,
    owners: &mut Vec<NodeId>,
) -> u64 {
    simd::force(level).expect("only levels of this machine are asked for");
    owners.resize(BATCH_KEYS as usize, NodeId(0));
    for hashes in keys.hashes.chunks(BATCH_KEYS as usize) {
        placement.place_many(Keys::hashed(hashes), owners);
        std::hint::black_box(&mut *owners);
    }
    owners[0].0.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_made() {
        let made = placement("modulo", fleet(3, Weights::Equal)).unwrap();
        assert_eq!(made.place(Key::hashed(7)), NodeId(1));
        let error = placement("modulo:score=32", fleet(3, Weights::Equal)).err().unwrap();
        assert!(error.contains("score"), "{error}");
        assert!(fleet(5, Weights::OneToFour).is_weighted());
    }
}
