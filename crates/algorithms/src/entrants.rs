//! The members of positive weight in name order: who competes for a key.
//!
//! Name order makes a contest independent of history, and "the first of equals wins" the rule
//! that ties go by name bytes.

use placelab_core::{HashFunction, HashSeed, NodeId, Roster};

use crate::range_hash::bytes_of;

/// Columns with one row an entrant.
#[derive(Clone)]
pub(crate) struct Entrants {
    /// XXH3 of the name under the hash seed.
    pub(crate) name_hashes: Vec<u64>,
    /// Weight in units.
    pub(crate) weights: Vec<f64>,
    /// Identity.
    pub(crate) ids: Vec<NodeId>,
}

impl Entrants {
    pub(crate) fn new(roster: &Roster, seed: HashSeed) -> Self {
        let members: Vec<_> =
            roster.by_name().into_iter().filter(|node| node.weight.micros() > 0).collect();
        Entrants {
            name_hashes: members
                .iter()
                .map(|node| HashFunction::Xxh3.hash_name(seed, &node.name))
                .collect(),
            weights: members.iter().map(|node| node.weight.as_f64()).collect(),
            ids: members.iter().map(|node| node.id).collect(),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        bytes_of(&self.name_hashes) + bytes_of(&self.weights) + bytes_of(&self.ids)
    }

    /// Entrants from the least to the greatest score; equal scores in name order.
    pub(crate) fn ranked(&self, score: impl Fn(usize) -> f64) -> impl Iterator<Item = NodeId> {
        let mut order: Vec<(f64, usize)> = (0..self.ids.len()).map(|at| (score(at), at)).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.into_iter().map(|(_, at)| self.ids[at])
    }
}

#[cfg(test)]
mod tests {
    use placelab_core::HashFunction;
    use placelab_core::math::ln;

    use super::*;
    use crate::vectors::{golden, vector_keys, weights};

    /// Weighted scores −w ÷ ln(u) of two programs name the same winners, and runners-up, as our
    /// clocks −ln(u) ÷ w over the same draws u.
    fn agree(program: &str, unit: impl Fn(u64, &str) -> f64) {
        let file = golden("weighted_hrw");
        let keys = vector_keys(&file);
        for vector in file[program]["vectors"].as_array().unwrap() {
            let weights = weights(vector);
            let members: Vec<usize> = (0..weights.len()).filter(|&at| weights[at] > 0.0).collect();
            let entrants = Entrants {
                name_hashes: vec![0; members.len()],
                weights: members.iter().map(|&at| weights[at]).collect(),
                ids: members.iter().map(|&at| NodeId(at as u32)).collect(),
            };
            for (&key, expected) in keys.iter().zip(vector["lookups"].as_array().unwrap()) {
                let time = |at: usize| -ln(unit(key, &name(members[at]))) / entrants.weights[at];
                let best: Vec<String> =
                    entrants.ranked(time).take(3).map(|node| node.0.to_string()).collect();
                assert_eq!(best.join(","), expected.as_str().unwrap(), "{program} {key:x}");
            }
        }
    }

    fn name(number: usize) -> String {
        format!("node-{number}")
    }

    #[test]
    fn golden_kraken() {
        agree("kraken", |key, name| {
            let text = [&key.to_be_bytes()[..], name.as_bytes()].concat();
            let hash = HashFunction::Murmur3x128.hash(&text);
            (hash & ((1 << 53) - 1)) as f64 / (1u64 << 53) as f64
        });
    }

    #[test]
    fn golden_wikipedia() {
        agree("wikipedia", |key, name| {
            let text = format!("{name}: {key}");
            let hash = murmur3::murmur3_x64_128(&mut text.as_bytes(), 0).unwrap();
            (hash as f64 + 1.0) / 2f64.powi(128)
        });
    }
}
