//! `placelab failures`: what each failure does, what random ones lose, how far they go.

use serde_json::Value;

use crate::support::placelab;

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&placelab(&[&["failures", "--json"], arguments].concat()).ok()).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is a number"))
}

/// Sixty nodes in three racks, a copy in each: more points, more partners, sooner a lost quorum.
#[test]
fn many_points_have_their_price() {
    let all = json(&[
        "--algorithm",
        "ring:vnodes={4,256}",
        "--nodes",
        "60",
        "--racks",
        "3",
        "--rack-rule",
        "spread",
        "--replicas",
        "3",
        "--keys",
        "200_000",
    ]);
    for (at, partners, lost) in [(0, 13.32, 0.225), (1, 40.0, 0.678)] {
        let one = &all["contenders"][at];
        assert_eq!((&one["way"], &one["single"]["looked_at"]), (&"candidates".into(), &60.into()));
        assert_eq!(one["pair"]["looked_at"], 1_770);
        assert!((number(&one["partners"]) / partners - 1.0).abs() < 0.03, "{}", one["partners"]);
        let quorum = &one["quorum_lost"];
        assert_eq!(quorum["exact"], true);
        assert!((number(&quorum["probability"]) / lost - 1.0).abs() < 0.03, "{quorum}");
        assert_eq!(number(&one["all_lost"]["probability"]), 0.0);
    }
}

/// A ring of one point a node has one heir a failure, and overflows; rendezvous shares out.
#[test]
fn one_heir_overflows() {
    let base = ["--nodes", "20", "--keys", "20_000", "--seeds", "3"];
    let specs = ["--algorithm", "ring:vnodes=1", "--algorithm", "rendezvous"];
    let all = json(&[&base[..], &specs].concat());
    let [ring, rendezvous] = [0, 1].map(|at| &all["contenders"][at]);
    assert_eq!(number(&ring["single"]["receivers"]), 1.0);
    assert!((number(&ring["single"]["max_extra"]) - 19.0).abs() < 1e-9);
    assert!(number(&ring["cascade"]["spreading"]) > 0.4);
    assert!(number(&ring["cascade"]["lost"]) > 2.0);
    assert_eq!(number(&rendezvous["single"]["receivers"]), 19.0);
    assert_eq!(number(&rendezvous["cascade"]["lost"]), 1.0);
    let text = placelab(&[&["failures"][..], &base, &specs].concat());
    assert!(text.err().contains("of processor time"), "{}", text.err());
    for says in ["ring:vnodes=1: all failures in one pass", "headroom", "P(every copy"] {
        assert!(text.ok().contains(says), "{says} in {}", text.out());
    }
    let threads = |count| json(&[&base[..], &specs, &["--threads", count]].concat());
    assert_eq!(threads("1"), threads("3"));
}

#[test]
fn what_cannot_be_asked_is_explained() {
    let ring = ["--algorithm", "ring"];
    for (arguments, code, says) in [
        (&["--nodes", "a=0,b=0"][..], 2, "at least one node of positive weight"),
        (&["--nodes", "3", "--replicas", "4"], 2, "--replicas `4`: 4 copies"),
        (&["--nodes", "30", "--replicas", "9"], 4, "--replicas `9`: at most 8"),
        (&["--nodes", "30", "--replicas", "0"], 2, "--replicas `0`"),
        (&["--nodes", "9", "--replicas", "3", "--zones", "2", "--zone-rule", "spread"], 2, "zones"),
        (&["--nodes", "a@x,b", "--zone-rule", "prefer"], 2, "`b` has none"),
        (&["--nodes", "a,b", "--zones", "2"], 2, "`name@zone`"),
        (&["--nodes", "9", "--rack-rule", "perhaps"], 2, "ignore, prefer, spread"),
        (&["--nodes", "9_000_000"], 4, "9000000"),
        (&["--nodes", "900_000"], 4, "ring: points of a ring"),
        (&["--nodes", "9", "--keys", "1_000_000_000"], 4, "--keys"),
        (&["--nodes", "9", "--down", "10"], 4, "--down `10`: at most 9"),
        (&["--nodes", "9", "--capacity", "0.5"], 2, "--capacity `0.5`"),
        (&["--nodes", "9", "--capacity", "nan"], 2, "--capacity `nan`"),
        (&["--nodes", "9", "--algorithm", "rign"], 2, "`rign`"),
        (&["--nodes", "9", "--algorithm", "two-choices"], 2, "two-choices: assigns keys"),
        (&["--nodes", "9", "--algorithm", "maglev:size=7"], 2, "maglev:size=7"),
    ] {
        let said = placelab(&[&["failures"], &ring[..], arguments].concat());
        assert_eq!(said.code(), code, "{arguments:?}: {}", said.err());
        assert!(said.err().contains(says), "{arguments:?}: {}", said.err());
        assert!(said.err().contains("error: ") && said.out().is_empty(), "{arguments:?}");
    }
}

/// Whoever is left alone, or whose copies need everybody, has no failure to look at.
#[test]
fn fleets_that_cannot_lose_anybody_have_no_failures() {
    for (arguments, refused) in [
        (&["--nodes", "1", "--down", "1"][..], 1),
        (&["--nodes", "5", "--replicas", "5", "--keys", "1"], 5),
    ] {
        let base = ["--algorithm", "ring", "--algorithm", "maglev"];
        let all = json(&[&base[..], arguments].concat());
        for one in all["contenders"].as_array().unwrap() {
            assert_eq!((&one["refused"], &one["single"]), (&refused.into(), &Value::Null));
        }
        let text = placelab(&[&["failures"][..], &base, arguments].concat()).ok();
        assert!(text.contains("cannot go on") && !text.contains("NaN"), "{text}");
    }
}
