//! Reading the golden vectors in `vectors/` for the tests of this crate.

use placelab_core::mix::stream;
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

/// Holds a function of key and count to one variant of a file: to the buckets that it lists, to
/// the digests of many keys, and to the sweep over growing counts.
pub(crate) fn hold_to(file: &Value, variant: &str, bucket: impl Fn(u64, u32) -> u32) {
    let number = |value: &Value| value.as_u64().unwrap();
    let variants = file["variants"].as_array().unwrap();
    let variant = variants.iter().find(|entry| entry["variant"] == variant).unwrap();
    let keys = vector_keys(file);
    for vector in variant["vectors"].as_array().unwrap() {
        let count = number(&vector["n"]) as u32;
        let expected = vector["buckets"].as_array().unwrap().iter().map(number);
        let buckets = keys.iter().map(|&key| u64::from(bucket(key, count)));
        assert!(buckets.eq(expected), "n = {count}");
    }
    for bulk in variant["bulk_digests"].as_array().unwrap() {
        let count = number(&bulk["n"]) as u32;
        let mut digest = Digest::default();
        (0..number(&bulk["count"])).for_each(|i| digest.add(bucket(stream(0, i), count)));
        assert_eq!(digest.0, hex(&bulk["fnv1a64"]), "n = {count}");
    }
    let sweep = &variant["growth_sweep"];
    let mut digest = Digest::default();
    for count in 1..=number(&sweep["n_max"]) as u32 {
        (0..number(&sweep["keys"])).for_each(|i| digest.add(bucket(stream(0, i), count)));
    }
    assert_eq!(digest.0, hex(&sweep["fnv1a64"]));
}

/// Holds a function of key and count to the answers of one of ClickHouse's SQL functions.
pub(crate) fn clickhouse(function: &str, bucket: impl Fn(u64, u32) -> u32) {
    let file = golden("clickhouse_consistent_hash");
    let key = |key: &Value| key.as_str().unwrap().parse::<u64>().unwrap();
    let keys: Vec<u64> = file["keys"].as_array().unwrap().iter().map(key).collect();
    let cases = file["cases"].as_array().unwrap().iter();
    for case in cases.filter(|case| case["function"] == function) {
        let count = case["buckets"].as_u64().unwrap() as u32;
        let expected = case["vectors"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap());
        let buckets = keys.iter().map(|&key| u64::from(bucket(key, count)));
        assert!(buckets.eq(expected), "{function} over {count} buckets");
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
