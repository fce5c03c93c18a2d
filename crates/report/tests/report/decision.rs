//! What is recommended, why, and what would change it.

use std::collections::BTreeMap;

use placelab_results::{Outlook, OutlookFleet};

use crate::{fixture, rendered, text};

fn fleet(nodes: u32, ratio: u32, suitable: &[&str], missed: &str) -> OutlookFleet {
    let missed = BTreeMap::from([("rendezvous".to_string(), missed.to_string())]);
    let suitable = suitable.iter().map(|name| (*name).into()).collect();
    OutlookFleet { nodes, ratio, keys: 1_000 * u64::from(nodes), suitable, missed }
}

#[test]
fn the_answer_says_what_to_take_and_what_would_change_it() {
    let mut results = fixture::growing();
    results.outlook = Some(Outlook {
        seeds: 3,
        requirements: vec!["load.max_over_mean at most 1.25".into()],
        own: fleet(20, 1, &["ring", "rendezvous"], ""),
        others: vec![
            fleet(10, 1, &["rendezvous"], ""),
            fleet(100, 1, &["ring"], "load.max_over_mean at most 1.25"),
            fleet(20, 2, &[], "start: not supported: <needs> weights"),
            fleet(20, 10, &[], "start: not supported: <needs> weights"),
        ],
    });
    for name in ["index.html", "summary.md"] {
        let page = text(&rendered("decision", &results, None), name);
        for part in [
            "Take rendezvous: of the 2 contenders that meet every requirement",
            "rendezvous needs the list of members to look keys up",
            "(3 seeds, 1,000 keys a node) rendezvous would still do with 10 nodes.",
            "With 100 nodes rendezvous would not do (it misses “largest load at most 1.25 \
             × fair”); ring would.",
            "every other node 2 times as heavy and every other node 10 times as heavy",
            "; nobody would.",
        ] {
            assert!(page.contains(part), "{name}: {part}");
        }
        assert!(!page.contains("<needs>"), "{name}");
    }
}

/// Few seeds put nobody in an order, and nothing is said of limits.
#[test]
fn few_seeds_limit_nothing() {
    let mut results = fixture::growing();
    let limits = |page: &str| page.contains("limited to less than");
    assert!(limits(&text(&rendered("many-seeds", &results, None), "summary.md")));
    results.seeds = 3;
    let page = text(&rendered("few-seeds", &results, None), "summary.md");
    assert!(page.contains("Take rendezvous") && !limits(&page));
}
