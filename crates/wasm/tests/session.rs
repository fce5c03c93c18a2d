//! What a page is told is what the library says, and nothing that is refused changes anything.

use placelab_core::{
    Arguments, Change, HashFunction, HashSeed, Key, KeyHash, NodeId, Roster, advance, establish,
};
use placelab_wasm::{Session, Side};
use serde_json::{Value, json};

fn ask(session: &mut Session, request: &Value) -> Value {
    serde_json::from_str(&session.ask(request.to_string().as_bytes())).unwrap()
}

fn nodes(count: u32) -> Value {
    (0..count).map(|index| json!({ "name": format!("node-{index}") })).collect()
}

/// A session with 2,000 keys `user-0` … and a contender over so many nodes on the left.
fn session(algorithm: &str, count: u32) -> Session {
    let mut session = Session::default();
    let keys = json!({ "do": "keys", "count": 2_000, "prefix": "user-" });
    assert_eq!(ask(&mut session, &keys), json!({ "keys": 2_000 }));
    let start = json!({
        "do": "start", "side": "left", "algorithm": algorithm, "nodes": nodes(count)
    });
    let answer = ask(&mut session, &start);
    assert!(answer.get("view").is_some(), "{answer}");
    session
}

fn key(text: &str) -> Key<'_> {
    Key { hash: KeyHash(HashFunction::Xxh3.hash(text.as_bytes())), bytes: text.as_bytes() }
}

#[test]
fn owners_and_moves_are_those_of_the_library() {
    let mut session = session("jump", 10);
    let spec = placelab_algorithms::find("jump").unwrap();
    let roster = Roster::numbered(10).unwrap();
    let before = establish(spec, &Arguments::defaults(spec), HashSeed::PUBLISHED, roster).unwrap();
    let after = advance(spec, &*before, &[Change::Add(Roster::numbered_node(10))]).unwrap();
    let request = json!({ "do": "change", "side": "left", "nodes": nodes(11) });
    let view = ask(&mut session, &request);
    let mut moved = 0;
    for index in 0..2_000 {
        let text = format!("user-{index}");
        let owners = [&before, &after].map(|placement| placement.place(key(&text)));
        let told = [true, false].map(|before| session.owners(Side::Left, before)[index]);
        assert_eq!(told, owners, "{text}");
        moved += u64::from(owners[0] != owners[1]);
    }
    let moves = &view["view"]["moves"];
    assert_eq!(moves["moved"], moved);
    assert_eq!(moves["sideways"], 0);
    assert!((moves["minimum"].as_f64().unwrap() - 1.0 / 11.0).abs() < 1e-12);
    let counts = view["view"]["nodes"].as_array().unwrap();
    assert_eq!(counts.iter().map(|node| node["keys"].as_u64().unwrap()).sum::<u64>(), 2_000);
    assert_eq!(session.owners(Side::Right, false), &[] as &[NodeId]);
}

/// Whoever returns is who it was: the names of owners stay.
#[test]
fn nodes_fail_and_return() {
    let mut session = session("ring:vnodes=20", 5);
    let all = nodes(5);
    let mut fewer = all.clone();
    fewer.as_array_mut().unwrap().remove(2);
    let first = session.owners(Side::Left, false).to_vec();
    let failed = ask(&mut session, &json!({ "do": "change", "side": "left", "nodes": fewer }));
    assert_eq!(failed["view"]["moves"]["sideways"], 0);
    assert!(session.owners(Side::Left, false).iter().all(|owner| owner.0 != 2));
    let mut back = fewer.clone();
    back.as_array_mut().unwrap().push(json!({ "name": "node-2" }));
    let returned = ask(&mut session, &json!({ "do": "change", "side": "left", "nodes": back }));
    assert_eq!(returned["view"]["names"].as_array().unwrap().len(), 5);
    assert_eq!(session.owners(Side::Left, false), first);
}

/// Who can shrink at the end alone does so by more than one as well.
#[test]
fn fleets_shrink_from_the_end() {
    let mut session = session("jump", 10);
    let shrink = json!({ "do": "change", "side": "left", "nodes": nodes(7) });
    let shrunk = ask(&mut session, &shrink);
    assert_eq!(shrunk["view"]["nodes"].as_array().unwrap().len(), 7, "{shrunk}");
    assert_eq!(shrunk["view"]["moves"]["sideways"], 0);
}

/// What happened to each key adds up to what is told of all.
#[test]
fn keys_are_told_by_what_happened_to_them() {
    let mut session = session("modulo", 4);
    assert!(session.kinds(Side::Left).iter().all(|kind| *kind == 0), "nothing changed yet");
    let before = session.owners(Side::Left, false).to_vec();
    let grow = json!({ "do": "change", "side": "left", "nodes": nodes(5) });
    let grown = ask(&mut session, &grow);
    let moves = &grown["view"]["moves"];
    let count = |kind: u8| session.kinds(Side::Left).iter().filter(|one| **one == kind).count();
    assert!(count(2) > 0, "modulo moves keys sideways");
    assert_eq!(moves["sideways"], count(2));
    assert_eq!(moves["moved"], count(1) + count(2));
    for (index, owner) in session.owners(Side::Left, false).iter().enumerate() {
        assert_eq!(session.kinds(Side::Left)[index] != 0, *owner != before[index]);
    }
}

/// What cannot be is told beside what it is about, and everything stays as it was.
#[test]
fn refusals_change_nothing() {
    let mut session = session("jump", 5);
    let owners = session.owners(Side::Left, false).to_vec();
    let mut gap = nodes(5);
    gap.as_array_mut().unwrap().remove(2);
    let start = |algorithm: &str, nodes: Value| {
        let side = "left";
        json!({ "do": "start", "side": side, "algorithm": algorithm, "nodes": nodes })
    };
    let cases = [
        (json!({ "do": "change", "side": "left", "nodes": gap }), "nodes", "remove-any"),
        (json!({ "do": "change", "side": "right", "nodes": nodes(3) }), "request", "start one"),
        (json!({ "do": "change", "side": "left", "nodes": [] }), "nodes", "at least one node"),
        (json!({ "do": "keys", "count": 10_000_001 }), "keys", "more than a page"),
        (json!({ "do": "dance" }), "request", "dance"),
        (start("nobody", nodes(3)), "algorithm", "no algorithm `nobody`"),
        (start("ring:vnodes=0", nodes(3)), "algorithm", "vnodes"),
        (start("ring:vnodes={1,2}", nodes(3)), "algorithm", "one contender"),
        (start("ring:tokens=@/etc/passwd", nodes(3)), "algorithm", "reads no files"),
        (start("bounded-load", nodes(3)), "algorithm", "load"),
        (start("jump", json!([{ "name": "a", "weight": "-1" }])), "nodes", "-1"),
        (start("jump", json!([{ "name": "a" }, { "name": "a" }])), "nodes", "already"),
        (start("jump", json!([{ "name": "\u{202e}a" }])), "nodes", "character"),
        (start("jump", json!([{ "name": "x".repeat(1 << 20) }])), "nodes", "bytes"),
        (json!({ "do": "explain", "side": "left", "key": "x".repeat(2 << 20) }), "key", "at most"),
    ];
    for (request, field, part) in cases {
        let answer = ask(&mut session, &request);
        let error = &answer["error"];
        assert_eq!(error["field"], field, "{answer}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(part), "{message} has no {part}");
        assert!(message.len() < 1_000, "a message is a line");
        assert_eq!(session.owners(Side::Left, false), owners);
    }
    assert!(session.ask(b"\xff{").contains("\"error\""));
}

#[test]
fn every_algorithm_shows_what_it_is_made_of() {
    let mut session = Session::default();
    let algorithms = ask(&mut session, &json!({ "do": "algorithms" }));
    let mut kinds = std::collections::BTreeMap::new();
    for algorithm in algorithms["algorithms"].as_array().unwrap() {
        let start = json!({
            "do": "start", "side": "right", "algorithm": algorithm["name"], "nodes": nodes(7)
        });
        if ask(&mut session, &start).get("error").is_some() {
            continue;
        }
        let anatomy = ask(&mut session, &json!({ "do": "anatomy", "side": "right" }));
        let kind = anatomy["anatomy"]["kind"].as_str().unwrap().to_string();
        kinds.entry(kind).or_insert_with(Vec::new).push(algorithm["name"].clone());
        let explain = json!({ "do": "explain", "side": "right", "key": "<b>&\u{202e}" });
        let told = ask(&mut session, &explain);
        assert_eq!(told["explanation"]["key"], "<b>&\u{fffd}");
    }
    assert_eq!(kinds.keys().collect::<Vec<_>>(), ["buckets", "circle", "plain", "scores", "table"]);
    assert_eq!(kinds["plain"], ["ideal"]);
}
