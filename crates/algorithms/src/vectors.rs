//! Reading the golden vectors in `vectors/` for the tests of this crate.

use serde_json::Value;

/// One file of `vectors/`; its provenance is in the file and in `vectors/README.md`.
pub(crate) fn golden(name: &str) -> Value {
    let path = format!("{}/vectors/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The keys of a file.
pub(crate) fn vector_keys(file: &Value) -> Vec<u64> {
    file["keys"].as_array().unwrap().iter().map(hex).collect()
}

/// A number that the file holds as hex digits, with or without `0x`.
pub(crate) fn hex(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

/// FNV-1a over bucket numbers, each as four little-endian bytes: the digest of the files.
pub(crate) struct Digest(pub(crate) u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    pub(crate) fn add(&mut self, bucket: u32) {
        for byte in bucket.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// The weights of a set: listed, or 1 + i mod m where its name ends in `_modM`.
pub(crate) fn weights(set: &Value) -> Vec<f64> {
    if let Some(list) = set["weights"].as_array() {
        return list.iter().map(|weight| weight.as_f64().unwrap()).collect();
    }
    let name = set["name"].as_str().or(set["weights_name"].as_str()).unwrap();
    let modulus: u64 = name.rsplit_once("_mod").unwrap().1.parse().unwrap();
    (0..set["n"].as_u64().unwrap()).map(|i| (1 + i % modulus) as f64).collect()
}
