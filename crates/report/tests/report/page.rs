//! The page as a browser takes it: what it loads, what it runs, what its script finds.

use placelab_report::render;

use super::{fixture, rendered, text};

const SCRIPT: &str = include_str!("../../src/page/script.js");

#[test]
fn the_page_loads_nothing_and_runs_its_own_script_alone() {
    let artifacts = render(&fixture::failing(), Some(&fixture::timings())).expect("a report");
    let page = text(&artifacts, "index.html");
    assert!(page.contains("lang=\"en\""));
    let policy = page.split("Content-Security-Policy\" content=\"").nth(1).expect("a policy");
    let policy = policy[..policy.find('"').unwrap()].replace("&#39;", "'");
    let own = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-";
    let digest = policy.strip_prefix(own).expect(&policy).strip_suffix("='").expect(&policy);
    assert_eq!(digest.len(), 43, "{digest}");
    assert_eq!(page.matches("<script").count(), 1);
    assert!(page.contains(&format!("<script>{SCRIPT}</script>")));
    let words = page.replace(SCRIPT, "");
    for banned in ["<link", "<img", "src=\"", "url(", "@import", "javascript:", "=\"http"] {
        assert!(!words.contains(banned), "{banned}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf "));
}

#[test]
fn marks_and_rows_say_of_whom_they_speak() {
    let results = fixture::growing();
    let artifacts = rendered("marks", &results, Some(&fixture::timings()));
    let page = text(&artifacts, "index.html");
    for name in ["balance", "movement", "peak", "latency"] {
        let chart = page.split(&format!("<figure id=\"{name}\">")).nth(1).expect(name);
        let chart = &chart[..chart.find("</figure>").unwrap()];
        for (index, contender) in results.contenders.iter().enumerate() {
            let groups: Vec<&str> = chart.split(&format!("<g data-of=\"{index}\">")).collect();
            let own = groups[1..].iter().map(|rest| &rest[..rest.find("</g>").unwrap()]);
            let own: String = own.collect();
            assert!(own.contains(&contender.name), "{name} does not name {index}: {own}");
            assert!(own.contains("fill=\"#") || own.contains("stroke=\"#"), "{name}: {own}");
            assert!(chart.contains(&format!("<tr data-of=\"{index}\">")), "{name}: {index}");
        }
        let known = (0..results.contenders.len()).map(|index| format!("<g data-of=\"{index}\">"));
        let known: usize = known.map(|group| chart.matches(&group).count()).sum();
        assert_eq!((known, known), (chart.matches("<g").count(), chart.matches("</g>").count()));
    }
}

#[test]
fn figures_with_prefixes_have_keys_to_sort_by() {
    let mut timings = fixture::timings();
    timings.lookups[0].batch_ns.median = 1_240.0;
    let page = text(&rendered("keys", &fixture::growing(), Some(&timings)), "index.html");
    assert!(page.contains("<td class=\"figure\" data-value=\"1240\">1.24 µs"));
    assert!(!page.contains("data-value=\"\""));
}
