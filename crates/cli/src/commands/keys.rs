//! How keys on the command line and in key files are read.

use clap::{Args, ValueEnum};
use placelab_core::{HashFunction, Key, KeyHash};

use crate::failure::Failure;

/// Longest key, and longest line of a key file, in bytes.
pub(super) const KEY_BYTES_MAX: u64 = 1 << 20;

#[derive(Args)]
pub(super) struct KeyOptions {
    /// Whether keys are texts to hash or hashes already (decimal or 0x hex)
    #[arg(long, value_enum, default_value_t = KeyFormat::Text)]
    key_format: KeyFormat,
    /// Hash of the keys
    #[arg(long, value_name = "NAME", default_value = "xxh3")]
    key_hash: HashFunction,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KeyFormat {
    Text,
    U64,
}

impl KeyOptions {
    /// The key; an error says `place` where it stands.
    pub(super) fn key<'a>(
        &self,
        key: &'a [u8],
        place: impl Fn() -> String,
    ) -> Result<Key<'a>, Failure> {
        let hash = match self.key_format {
            KeyFormat::Text => self.key_hash.hash(key),
            KeyFormat::U64 => hash_of(key).ok_or_else(|| {
                let text = String::from_utf8_lossy(&key[..key.len().min(40)]);
                let text: String = text.chars().filter(|c| !c.is_control()).collect();
                let place = place();
                Failure::Invalid(format!(
                    "{place}: `{text}` is no 64-bit number, decimal or 0x hex"
                ))
            })?,
        };
        Ok(Key { hash: KeyHash(hash), bytes: key })
    }
}

fn hash_of(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}
