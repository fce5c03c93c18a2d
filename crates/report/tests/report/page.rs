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
    for banned in ["<link", "<img", "src=\"", "url(", "@import", "javascript:", "href=\"http"] {
        assert!(!words.contains(banned), "{banned}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf "));
}

#[test]
fn marks_and_rows_say_of_whom_they_speak() {
    let results = fixture::growing();
    let artifacts = rendered("marks", &results, Some(&fixture::timings()));
    let page = text(&artifacts, "index.html");
    // The data of the last two have a column for each contender.
    for (name, has_rows) in
        [("movement", true), ("latency", true), ("balance", false), ("peak", false)]
    {
        let chart = page.split(&format!("<figure id=\"{name}\">")).nth(1).expect(name);
        let chart = &chart[..chart.find("</figure>").unwrap()];
        for (index, contender) in results.contenders.iter().enumerate() {
            let groups: Vec<&str> = chart.split(&format!("<g data-of=\"{index}\">")).collect();
            let own = groups[1..].iter().map(|rest| &rest[..rest.find("</g>").unwrap()]);
            let own: String = own.collect();
            assert!(own.contains(&contender.name), "{name} does not name {index}: {own}");
            assert!(own.contains("fill=\"#") || own.contains("stroke=\"#"), "{name}: {own}");
            let row = format!("<tr data-of=\"{index}\">");
            assert_eq!(chart.contains(&row), has_rows, "{name}: {index}");
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

/// Twenty-five contenders through twelve events, timed.
#[test]
fn a_large_report_is_sent_by_mail() {
    const BYTES_MAX: usize = 3_000_000;
    let mut results = fixture::growing();
    for timeline in 0..results.plan.len() {
        let planned = results.plan[timeline].steps.last().unwrap().clone();
        results.plan[timeline].steps.resize(13, planned);
        for contender in &mut results.contenders {
            let taken = contender.timelines[timeline].steps.last().unwrap().clone();
            contender.timelines[timeline].steps.resize(13, taken);
        }
    }
    let ring = results.contenders[1].clone();
    let others = (results.contenders.len()..25).map(|vnodes| {
        let name = format!("ring:vnodes={vnodes}");
        placelab_results::Contender { name, ..ring.clone() }
    });
    let others: Vec<_> = others.collect();
    results.contenders.splice(2..2, others);
    let page = text(&rendered("large", &results, Some(&fixture::timings())), "index.html");
    assert!(page.contains("<tr data-of=\"24\">"));
    // Its long tables stay off paper, which says so; the short ones are printed.
    assert!(page.contains("<details class=\"long\">") && page.contains("<details><summary>Data: "));
    let said = page.matches("Not printed: ").count();
    assert_eq!(said, page.matches("<details class=\"long\">").count());
    assert!((500_000..BYTES_MAX).contains(&page.len()), "{} bytes", page.len());
}
