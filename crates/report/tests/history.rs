//! The history of benches as a page: whole where runs are odd, and safe to open.

use placelab_report::{HISTORY_MARK, history};
use placelab_results::{BenchMachine, BenchRun, BenchTime};

fn run(benches: &[(&str, f64)]) -> BenchRun {
    let bench = |&(id, ns): &(&str, f64)| BenchTime {
        id: id.into(),
        elements: None,
        median_ns: ns,
        low_ns: ns * 0.99,
        high_ns: ns * 1.01,
    };
    BenchRun {
        schema: 1,
        machine: BenchMachine { name: "m".into(), cpu: "c".into(), cores: 1 },
        commit: None,
        is_dirty: true,
        when: "2026-11-30T18:36:27Z".into(),
        rustc: "rustc".into(),
        benches: benches.iter().map(bench).collect(),
    }
}

#[test]
fn every_bench_has_its_chart_and_its_words() {
    let runs = [run(&[("a", 10.0), ("b", 10.0)]), run(&[("a", 8.0), ("b", 10.2)])];
    let page = history(&[&runs, &[], &runs[..1]]).unwrap();
    assert!(page[..1_024].contains(HISTORY_MARK));
    let text = page.replace('\u{a0}', " ");
    for says in [
        "3 runs of 2 machines",
        "none slower; 1 faster: a (by 20.0 %).",
        "Every bench has one run",
        "20.0 % less. The intervals of the two, 9.90–10.1 ns and 7.92–8.08 ns, lie apart.",
        "2.0 % more. The intervals of the two, 9.90–10.1 ns and 10.1–10.3 ns, overlap.",
        "no commit, changed",
    ] {
        assert!(text.contains(says), "{says} in {text}");
    }
    assert_eq!(page.matches("<svg class=\"chart\"").count(), 4);
    assert_eq!(page, history(&[&runs, &runs[..1]]).unwrap(), "the same runs, the same bytes");
}

#[test]
fn hostile_runs_are_harmless() {
    let ids = ["<script>alert(1)</script>", "\u{1b}[2J\u{202e}", "\" onload=\"x", ""];
    let mut odd = run(&ids.map(|id| (id, 10.0)));
    odd.benches.extend(run(&[("nan", f64::NAN), ("none", 0.0), ("huge", 1e300)]).benches);
    odd.when = "é\u{1b}".into();
    odd.machine.name = "</style><script>".into();
    let many: Vec<(String, f64)> = (0..300).map(|n| (format!("bench {n}"), 1.0)).collect();
    let many: Vec<(&str, f64)> = many.iter().map(|(id, ns)| (id.as_str(), *ns)).collect();
    let long = vec![run(&[("a", 10.0)]); 250];
    let page = history(&[&[odd], &[run(&many)], &long]).unwrap();
    assert!(!page.contains("<script") && !page.contains('\u{1b}') && !page.contains('\u{202e}'));
    assert!(!page.contains("NaN") && !page.contains("\" onload"));
    assert!(page.contains("Charts: the first 196 of 300 benches."));
    assert!(history(&[]).unwrap().contains("0 runs of 0 machines"));
}
