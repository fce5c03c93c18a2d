//! Hashers that peers are given in place of their own.

use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};

use placelab_core::mix::GOLDEN;

/// What the standard library ships, with fixed keys: SipHash 1-3.
pub(crate) type SipBuild = BuildHasherDefault<DefaultHasher>;

/// About a nanosecond a key: one multiplication a word and one at the end.
#[derive(Clone, Copy, Default)]
pub(crate) struct Fast(u64);

impl Hasher for Fast {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        let mixed = (self.0.rotate_left(23) ^ word).wrapping_mul(GOLDEN);
        self.0 = mixed ^ mixed >> 32;
    }

    #[inline]
    fn finish(&self) -> u64 {
        let mixed = self.0.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ mixed >> 29
    }
}

pub(crate) type FastBuild = BuildHasherDefault<Fast>;

/// The key itself, for functions that mix it further.
#[derive(Clone, Copy, Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are 64-bit hashes");
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

pub(crate) type IdentityBuild = BuildHasherDefault<Identity>;
