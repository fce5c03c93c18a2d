//! A checksum over a million lookups of every algorithm, pinned: no answer changes unnoticed.
//!
//! Where a change is meant, run the test with `PLACELAB_BLESS=1` and commit the file with the
//! reason.

use std::fmt::Write;
use std::path::Path;

use placelab_algorithms::REGISTRY;
use placelab_core::hash::fnv1a_64;
use placelab_core::mix::stream;
use placelab_core::{AlgorithmSpec, Arguments, HashSeed, KeyHash, KeyText, Keys, Placer, Roster};

const LOOKUPS: u64 = 1_000_000;
const NODES: u32 = 12;

fn checksum(spec: &'static AlgorithmSpec) -> u64 {
    let roster = Roster::numbered(NODES).unwrap();
    let arguments = Arguments::defaults(spec);
    let placer = Placer::first(spec, &arguments, HashSeed::PUBLISHED, roster).unwrap();
    let hashes: Vec<KeyHash> = (0..LOOKUPS).map(|index| KeyHash(stream(17, index))).collect();
    let mut text = KeyText::default();
    hashes.iter().for_each(|hash| text.push(format!("{:x}", hash.0).as_bytes()));
    let owners = placer.owners(Keys { hashes: &hashes, text: Some(&text) }).unwrap();
    fnv1a_64(&owners.iter().map(|owner| owner.0 as u8).collect::<Vec<u8>>())
}

#[test]
fn a_million_lookups_are_what_they_were() {
    let mut found = String::new();
    for spec in REGISTRY.iter() {
        writeln!(found, "{} {:016x}", spec.name, checksum(spec)).unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checksums.txt");
    if std::env::var_os("PLACELAB_BLESS").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(found, expected);
}
