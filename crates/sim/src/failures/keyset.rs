//! The keys of an analysis, all at once.

use std::collections::BTreeMap;

use placelab_core::{HashSeed, Key, KeyHash, KeyPart, KeyText, Placement};
use placelab_results::Measure;

use crate::keys::{KeyChunk, KeySource};

/// Keys, each with what it counts for.
pub struct Keyset {
    hashes: Vec<KeyHash>,
    text: Option<KeyText>,
    counts: Vec<u64>,
}

impl Keyset {
    /// The keys of a source under a hash seed, with what a contender reads of them; each counts by
    /// the measure, which the source has.
    pub fn of(source: &KeySource, reads: KeyPart, seed: HashSeed, measure: Measure) -> Self {
        let mut chunk = KeyChunk::default();
        source.fill(0..source.len(), &mut chunk, reads);
        let counts = chunk.weights(measure).map(<[u64]>::to_vec);
        let KeyChunk { mut hashes, text, .. } = chunk;
        hashes.iter_mut().for_each(|hash| *hash = seed.salt(*hash));
        let counts = counts.unwrap_or_else(|| vec![1; hashes.len()]);
        Keyset { hashes, text: (reads == KeyPart::Bytes).then_some(text), counts }
    }

    /// Hashes, each with what it counts for: such as the arcs of a ring.
    pub fn weighted(keys: impl IntoIterator<Item = (KeyHash, u64)>) -> Self {
        let (hashes, counts) = keys.into_iter().unzip();
        Keyset { hashes, text: None, counts }
    }

    /// One key for all of a slot, where a table of slots decides.
    pub(super) fn by_slot(&self, placement: &dyn Placement) -> Option<Self> {
        let mut slots: BTreeMap<u64, (usize, u64)> = BTreeMap::new();
        for (at, count) in self.counts.iter().enumerate() {
            let slot = placement.slot(self.get(at))?;
            slots.entry(slot).or_insert((at, 0)).1 += count;
        }
        let text = self.text.as_ref().map(|text| {
            let mut first = KeyText::default();
            slots.values().for_each(|(at, _)| first.push(text.get(*at)));
            first
        });
        let (hashes, counts) = slots.values().map(|(at, count)| (self.hashes[*at], *count)).unzip();
        Some(Keyset { hashes, text, counts })
    }

    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> Key<'_> {
        let bytes = self.text.as_ref().map_or(&[][..], |text| text.get(at));
        Key { hash: self.hashes[at], bytes }
    }

    #[inline]
    pub(super) fn count(&self, at: usize) -> u64 {
        self.counts[at]
    }
}
