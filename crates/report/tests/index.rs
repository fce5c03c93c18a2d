//! The index of several reports: complete, and safe to open.

mod fixture;

use placelab_report::{Artifact, INDEX_MARK, IndexEntry, index};
use placelab_results::RunResults;

/// Draws the index and leaves it where it can be looked at.
fn drawn(name: &str, all: &[RunResults]) -> String {
    let timings = fixture::timings();
    let entries: Vec<IndexEntry> = all
        .iter()
        .map(|results| IndexEntry {
            folder: &results.scenario.name,
            results,
            timings: Some(&timings),
        })
        .collect();
    let page = index(&entries);
    fixture::keep(
        name,
        &[Artifact { name: "index.html".into(), bytes: page.clone().into_bytes() }],
    );
    page
}

#[test]
fn an_index_leads_to_its_reports_in_order() {
    let names = ["02-grow", "03-fail", "04-copies", "05-few", "06-failures", "07-tables"];
    let mut all = [
        fixture::growing(),
        fixture::failing(),
        fixture::replicated(),
        fixture::few_keys(),
        fixture::failures(),
        fixture::tables(),
    ];
    for (results, name) in all.iter_mut().zip(names) {
        results.scenario.name = name.into();
    }
    all[0].expectations.retain(|expectation| expectation.met);
    all[2..].iter_mut().for_each(|results| results.expectations.clear());
    let page = drawn("index", &all);
    let links: Vec<&str> =
        page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let expected = names.map(|name| format!("./{name}/index.html"));
    assert_eq!(links, expected);
    for part in [
        "Take rendezvous: of the 2 contenders that meet every requirement",
        "✓ 1 of 1 held",
        "✗ 1 of 2 held",
        "none stated",
        "did not hold</span> in 03-fail",
        "8 contenders, 2 exhibits and 2 canaries",
        "3 copies of each key",
        "Content-Security-Policy",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for banned in ["<script", "<link", "<img", "http:", "https:", "url(", "@import"] {
        assert!(!page.contains(banned), "{banned}");
    }
    assert!(page[..1_024].contains(INDEX_MARK));
}

#[test]
fn names_on_an_index_are_text() {
    let bad = "javascript:<script>alert(1)</script>\"'&\u{202e}\u{1b}[31m\n../..";
    let mut results = fixture::growing();
    results.scenario.name = bad.into();
    results.scenario.title = bad.into();
    results.scenario.why = bad.repeat(20);
    results.keys.source = bad.into();
    results.version = bad.into();
    for contender in &mut results.contenders {
        contender.name += bad;
    }
    let page = drawn("hostile-index", &[results]);
    assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script"));
    assert!(page.contains("href=\"./javascript%3A%3Cscript%3E"));
    assert!(!page.contains("/../") && !page.contains('\u{202e}') && !page.contains('\u{1b}'));
}

#[test]
fn an_empty_index_is_a_page() {
    assert!(drawn("empty-index", &[]).contains("0 scenarios"));
}
