//! Reading the golden vectors in `vectors/` for the tests of this crate.

use std::collections::BTreeSet;

use murmur3::murmur3_32;
use placelab_core::mix::stream;
use serde_json::Value;

use crate::bucket_set::BucketSet;

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

/// Holds a function of key and count to the variant of a file that has this name.
pub(crate) fn hold_to(file: &Value, variant: &str, bucket: impl Fn(u64, u32) -> u32) {
    let variants = file["variants"].as_array().unwrap();
    let variant = variants.iter().find(|entry| entry["variant"] == variant).unwrap();
    check_range_hash(variant, &vector_keys(file), bucket);
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

/// The keys of a file, each with its second word where the file has them.
pub(crate) fn key_pairs(file: &Value) -> Vec<[u64; 2]> {
    let second = file["keys2"].as_array().unwrap().iter().map(hex);
    std::iter::zip(vector_keys(file), second).map(|(one, two)| [one, two]).collect()
}

/// The numbers of a list.
pub(crate) fn buckets(list: &Value) -> impl Iterator<Item = u32> {
    list.as_array().unwrap().iter().map(|bucket| bucket.as_u64().unwrap() as u32)
}

/// Lists of numbers that the file holds as texts with commas.
pub(crate) fn lists(texts: &Value) -> impl Iterator<Item = Vec<u32>> {
    texts.as_array().unwrap().iter().map(numbers)
}

/// The numbers in a text, whatever stands between them.
pub(crate) fn numbers(text: &Value) -> Vec<u32> {
    let parts = text.as_str().unwrap().split(|sign: char| !sign.is_ascii_digit());
    parts.filter(|part| !part.is_empty()).map(|part| part.parse().unwrap()).collect()
}

/// Holds a function from key and count to all that a file has of it: single answers, digests of
/// many keys, and a digest of many counts.
pub(crate) fn check_range_hash(
    variant: &Value,
    keys: &[u64],
    mut bucket: impl FnMut(u64, u32) -> u32,
) {
    let count_of = |entry: &Value| entry["n"].as_u64().unwrap() as u32;
    for vector in variant["vectors"].as_array().unwrap() {
        let count = count_of(vector);
        let answers = keys.iter().map(|&key| bucket(key, count));
        assert!(answers.eq(buckets(&vector["buckets"])), "n = {count}");
    }
    for bulk in variant["bulk_digests"].as_array().unwrap() {
        let count = count_of(bulk);
        let mut digest = Digest::default();
        (0..bulk["count"].as_u64().unwrap()).for_each(|i| digest.add(bucket(stream(0, i), count)));
        assert_eq!(digest.0, hex(&bulk["fnv1a64"]), "n = {count}");
    }
    let Some(sweep) = variant.get("growth_sweep") else { return };
    let mut digest = Digest::default();
    for count in 1..=sweep["n_max"].as_u64().unwrap() as u32 {
        let keys = 0..sweep["keys"].as_u64().unwrap();
        keys.for_each(|i| digest.add(bucket(stream(0, i), count)));
    }
    assert_eq!(digest.0, hex(&sweep["fnv1a64"]));
}

/// A change of a set of buckets in a recorded sequence.
pub(crate) enum Turn {
    Add,
    Remove(u32),
}

/// Does a change, and says which bucket it was.
pub(crate) fn change<S: BucketSet>(set: &mut S, turn: Turn) -> u32 {
    match turn {
        Turn::Add => set.add().unwrap(),
        Turn::Remove(bucket) => {
            set.remove(bucket);
            bucket
        }
    }
}

/// Replays a recorded sequence from the set of its first step. After every step it holds the
/// answers to the file, and a digest of 20,000 keys; and, as the file's own check does, that keys
/// lie on working buckets and none moved but from a removed or to an added one.
pub(crate) fn replay<S>(
    sequence: &Value,
    keys: &[[u64; 2]],
    mut set: S,
    turn: impl Fn(&mut S, Turn) -> u32,
    lookup: impl Fn(&S, [u64; 2]) -> u32,
) {
    let bulk: Vec<[u64; 2]> = (0..20_000).map(|i| [stream(0, i), stream(1, i)]).collect();
    let (mut working, mut before) = (BTreeSet::new(), Vec::new());
    let (mut wrong_moves, mut dead) = (0, 0);
    for step in sequence["steps"].as_array().unwrap() {
        let name = format!("{} step {}", sequence["sequence"], step["step"]);
        let changed: Vec<u32> = match step.get("buckets_in_order") {
            Some(list) => buckets(list).collect(),
            None => step["bucket"].as_u64().map(|bucket| bucket as u32).into_iter().collect(),
        };
        let is_removal = step["op"].as_str().unwrap().starts_with("remove");
        for &bucket in &changed {
            let next = if is_removal { Turn::Remove(bucket) } else { Turn::Add };
            assert_eq!(turn(&mut set, next), bucket, "{name}");
            let was_right =
                if is_removal { working.remove(&bucket) } else { working.insert(bucket) };
            assert!(was_right, "{name}");
        }
        if step["op"] == "init" {
            working = (0..step["working_after"].as_u64().unwrap() as u32).collect();
        }
        assert_eq!(step["working_after"], working.len(), "{name}");
        let answers = keys.iter().map(|&words| lookup(&set, words));
        assert!(answers.eq(buckets(&step["lookups"])), "{name}");
        let after: Vec<u32> = bulk.iter().map(|&words| lookup(&set, words)).collect();
        let mut digest = Digest::default();
        after.iter().for_each(|&bucket| digest.add(bucket));
        assert_eq!(digest.0, hex(&step["fnv1a64_of_20000"]), "{name}");
        dead += after.iter().filter(|bucket| !working.contains(bucket)).count();
        let moves = std::iter::zip(&before, &after).filter(|(old, new)| old != new);
        wrong_moves += moves
            .filter(|(old, new)| !changed.contains(if is_removal { old } else { new }))
            .count();
        before = after;
    }
    let check = &sequence["self_check"];
    assert_eq!(check["minimal_disruption_violations"], wrong_moves);
    assert_eq!(check["lookups_on_nonworking"], dead);
}

/// The hash of the Java programs: the absolute value of MurmurHash3 x86, 32 bits, of some parts.
pub(crate) fn java_murmur(parts: &[&[u8]]) -> u64 {
    let hash = murmur3_32(&mut &*parts.concat(), 0).unwrap();
    (hash as i32).unsigned_abs().into()
}
