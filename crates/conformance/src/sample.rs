//! Keys with both their parts: hashes, and texts for the schemes that read bytes.

use placelab_core::mix::stream;
use placelab_core::{HashSeed, Key, KeyHash, KeyText, Keys, NodeId, Placer};

/// Distinct keys, the same in every run.
pub(crate) struct Sample {
    pub(crate) hashes: Vec<KeyHash>,
    text: KeyText,
}

impl Sample {
    pub(crate) fn new(count: u64) -> Self {
        let hashes: Vec<KeyHash> = (0..count).map(|index| KeyHash(stream(11, index))).collect();
        let mut text = KeyText::default();
        for (index, hash) in hashes.iter().enumerate() {
            text.push(key_text(index, hash.0).as_bytes());
        }
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

    /// The owners of the keys. Panics where the nodes cannot hold them.
    pub(crate) fn owners(&self, placer: &Placer) -> Vec<NodeId> {
        placer.owners(self.keys()).expect("the nodes hold a sample")
    }
}

/// Plain texts, and some of what makes a difference to schemes that read them: braces, bytes above
/// 127, nothing at all.
fn key_text(index: usize, hash: u64) -> String {
    match index % 8 {
        _ if index == 0 => String::new(),
        1 => format!("{{{hash:x}}}:profile"),
        2 => format!("{{}}{hash:x}"),
        3 => format!("é{hash:x}ß"),
        _ => format!("{hash:x}"),
    }
}

/// The fraction of keys whose owner changed.
pub(crate) fn part_moved(before: &[NodeId], after: &[NodeId]) -> f64 {
    let moved = before.iter().zip(after).filter(|(a, b)| a != b).count();
    moved as f64 / before.len() as f64
}
