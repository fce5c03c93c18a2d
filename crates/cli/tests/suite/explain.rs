//! `placelab explain`: what it tells is what the library and the explorer's module tell, and it
//! shows nothing that could act on a terminal.

use placelab_algorithms::REGISTRY;
use placelab_wasm::Session;
use serde_json::{Value, json};

use crate::support::placelab;

fn explain(algorithm: &str, nodes: &str, key: &str, more: &[&str]) -> crate::support::Said {
    let asked = ["explain", "--algorithm", algorithm, "--nodes", nodes, "--key", key];
    placelab(&[&asked, more].concat())
}

#[test]
fn steps_can_be_redone_by_hand() {
    let expected = "\
jump over 10 nodes
key user-17 (7 bytes), hash 7d94013a73497c81

  1. bucket 0: (0 + 1) × 2^31 ÷ 1952201102 = 1.1000: on to bucket 1
  2. bucket 1: (1 + 1) × 2^31 ÷ 958001310 = 4.4833: on to bucket 4
  3. bucket 4: (4 + 1) × 2^31 ÷ 1515000025 = 7.0874: on to bucket 7
  4. bucket 7: (7 + 1) × 2^31 ÷ 82765654 = 207.5724, not below 10: the key stays in bucket 7
  5. bucket 7 is that of node-7

owner: node-7
in order of preference: node-7, node-3, node-2, node-4, node-9
if node-7 is lost: not supported: needs remove-any
";
    assert_eq!(explain("jump", "10", "user-17", &[]).ok(), expected);
    let hashed = ["--key-format", "u64"];
    let told = explain("jump", "10", "0x7d94013a73497c81", &hashed).ok();
    assert_eq!(
        told.lines().skip(2).collect::<Vec<_>>(),
        expected.lines().skip(2).collect::<Vec<_>>()
    );
}

#[test]
fn scores_are_told_from_the_highest() {
    let told = explain("rendezvous", "a=1,b=1,c=1,d=1,e=1,f=1,g=1", "user-17", &[]).ok();
    let ranks = told.lines().filter(|line| line.contains(" scores ")).count();
    assert_eq!(ranks, 5);
    assert!(told.contains("… and 2 lower scores"), "{told}");
}

/// The module answers as the command line does, whatever the algorithm.
#[test]
fn the_explorer_tells_the_same() {
    let mut session = Session::default();
    let mut ask = |request: Value| -> Value {
        serde_json::from_str(&session.ask(request.to_string().as_bytes())).unwrap()
    };
    let mut told = 0;
    for spec in REGISTRY.iter() {
        let nodes: Value = (0..9).map(|index| json!({ "name": format!("node-{index}") })).collect();
        let start =
            json!({ "do": "start", "side": "left", "algorithm": spec.name, "nodes": nodes });
        let started = ask(start);
        let said = explain(spec.name, "9", "user-17", &["--json"]);
        if let Some(message) = started["error"]["message"].as_str() {
            assert_eq!(said.code(), 2, "{}", said.err());
            assert!(said.err().contains(message), "{message} against {}", said.err());
            continue;
        }
        let told_here: Value = serde_json::from_str(&said.ok()).unwrap();
        let there = ask(json!({ "do": "explain", "side": "left", "key": "user-17" }));
        assert_eq!(there["explanation"], told_here, "{}", spec.name);
        told += 1;
    }
    assert!(told > 40, "{told}");
}

#[test]
fn what_cannot_be_explained_is_said() {
    let cases: [(&str, &str, &str, &[&str], &str); 5] = [
        ("nobody", "3", "k", &[], "no algorithm is called `nobody`"),
        ("bounded-load", "3", "k", &[], "a key alone has no owner"),
        ("jump", "0", "k", &[], "at least one node"),
        ("jump", "3", "17x", &["--key-format", "u64"], "--key: `17x` is no 64-bit number"),
        ("*", "3", "k", &[], "asks for several"),
    ];
    for (algorithm, nodes, key, more, part) in cases {
        let said = explain(algorithm, nodes, key, more);
        assert_eq!((said.code(), said.out()), (2, String::new()), "{}", said.err());
        assert!(said.err().contains(part), "{}", said.err());
    }
    let told = explain("modulo", "3", "\u{1b}[2J\u{202e}", &[]).ok();
    assert!(!told.contains(['\u{1b}', '\u{202e}']), "{told:?}");
    assert!(told.contains("key \u{fffd}[2J\u{fffd} (7 bytes)"), "{told}");
}
