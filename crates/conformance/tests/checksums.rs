//! A checksum over a million lookups of every algorithm, pinned: no answer changes unnoticed.
//!
//! Where a change is meant, run the test with `PLACELAB_BLESS=1` and commit the file with the
//! reason.

use std::fmt::Write;
use std::path::Path;

use placelab_algorithms::REGISTRY;
use placelab_core::hash::fnv1a_64;
use placelab_core::mix::stream;
use placelab_core::{AlgorithmSpec, Arguments, HashSeed, Key, KeyHash, Roster, establish};

const LOOKUPS: u64 = 1_000_000;
const NODES: u32 = 12;

fn checksum(spec: &'static AlgorithmSpec) -> u64 {
    let roster = Roster::numbered(NODES).unwrap();
    let arguments = Arguments::defaults(spec);
    let placement = establish(spec, &arguments, HashSeed::PUBLISHED, roster).unwrap();
    let owner = |index| {
        let hash = KeyHash(stream(17, index));
        let text = format!("{:x}", hash.0);
        placement.place(Key { hash, bytes: text.as_bytes() }).0 as u8
    };
    fnv1a_64(&(0..LOOKUPS).map(owner).collect::<Vec<u8>>())
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
