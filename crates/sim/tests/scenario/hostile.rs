//! Files that nobody would write: mutated, huge, nested, binary. Never a panic, never a hang.

use std::path::Path;
use std::time::{Duration, Instant};

use placelab_core::mix::stream;
use placelab_core::node::hides_text;
use placelab_sim::diagnostics::Look;
use placelab_sim::scenario::{FILE_BYTES_MAX, ScenarioError};

use crate::support::{HEAD, read_in, report, report_in, timeline, with_fleet};

const RICH: &str = r#"
schema = 1
title = "Everything at once"
why = """Two
lines"""
algorithms = ["ring:vnodes={1,160}", "maglev", "r*"]
canaries = true
seeds = 3
[keys]
source = "zipf"
count = 1000
exponent = 1.1
hash = "xxh64"
[[fleet.node]]
name = "a"
weight = 1.25
zone = "east"
[[fleet.node]]
name = "b"
[[timeline]]
name = "one"
[[timeline.event]]
label = "more"
join = 2
repeat = 3
[[timeline.event]]
join = ["c", { name = "d", weight = 2 }]
[[timeline.event]]
fail = 1
[[timeline.event]]
recover = 1
[[timeline.event]]
reweight = { a = 3, "b" = 0.5 }
[[timeline.event]]
grow = 12
[[timeline.event]]
shrink = 4
[[timeline]]
name = "two"
[[timeline.event]]
leave = "a"
[[timeline]]
name = "three"
[[timeline.event]]
rolling = 1
label = "restart"
[[timeline.event]]
zone_fail = ["east"]
[[timeline.event]]
zone_recover = "east"
[[timeline.event]]
replace = { a = "c" }
[[timeline.event]]
rename = { b = "c", "c" = "b" }
[[timeline.event]]
rename = "cache-{}"
[[timeline.event]]
rehash = true
repeat = 2
[[require]]
metric = "load.max_over_mean"
max = 1.25
[[expect]]
metric = "movement.sideways.requests"
algorithms = ["ring*"]
event = "more 2"
timeline = "one"
max = 0
seeds = "median"
[[expect]]
metric = "load.cv"
event = "restart: * fails"
max = 9
"#;

#[test]
fn the_rich_scenario_is_right() {
    let read = read_in(Path::new("."), RICH);
    assert!(read.is_ok(), "{}", read.unwrap_err());
}

/// Bytes are cut, doubled, changed and swapped; the seed of a failure is its round.
#[test]
fn mutated_scenarios_never_panic() {
    for round in 0..20_000 {
        let mut bytes = RICH.as_bytes().to_vec();
        let mut draws = (0..).map(|index| stream(round, index));
        let mut below = |bound: usize| (draws.next().unwrap_or(0) % bound as u64) as usize;
        for _ in 0..=below(4) {
            let (at, other) = (below(bytes.len()), below(bytes.len()));
            match below(5) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = b"\"[]{}=,.\n#0-*\0\x1b\xff"[below(16)],
                2 => bytes.swap(at, other),
                3 => bytes.splice(at..at, b"99999999999999999999".iter().copied()).for_each(drop),
                _ => drop(bytes.drain(at.min(other)..at.max(other).max(1))),
            }
            if bytes.is_empty() {
                bytes.push(b'x');
            }
        }
        if let Err(error) = read_in(Path::new("."), &bytes) {
            let text = error.diagnostics().expect("diagnostics").render(Look::Plain);
            let hidden = text.chars().find(|&c| hides_text(c) && c != '\n');
            assert_eq!(hidden, None, "round {round}: {text}");
        }
    }
}

#[test]
fn large_files_are_refused_quickly() {
    let started = Instant::now();
    let error = read_in(Path::new("."), vec![b'#'; FILE_BYTES_MAX as usize + 1]).unwrap_err();
    assert!(matches!(error, ScenarioError::Limit(_)));
    let most = FILE_BYTES_MAX as usize - 200;
    let floods = [
        "[".repeat(most),
        "{".repeat(most),
        format!("a = {}", "[".repeat(most)),
        "x\n".repeat(most / 2),
        "x = ".repeat(most / 4),
        "\u{1b}".repeat(most),
        format!("{HEAD}{} = 1", "k".repeat(most)),
        format!("{HEAD}[[fleet.node]]\nname = \"{}\"\n", "n".repeat(most)),
        with_fleet(&"[[timeline]]\n".repeat(most / 13)),
        with_fleet(&(0..most / 9).map(|n| format!("u{n} = 0\n")).collect::<String>()[..most / 2]),
        format!("{HEAD}{}", "[[fleet.node]]\nname = \"a\"\n".repeat(most / 28)),
    ];
    for (index, flood) in floods.iter().enumerate() {
        let text = report(flood);
        assert!(text.len() < 100_000, "flood {index} gives {} bytes of report", text.len());
    }
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn repetition_cannot_exhaust_memory() {
    let events = "[[timeline.event]]\njoin = 1\nrepeat = 1000\n".repeat(11);
    let text = with_fleet(&format!("[[timeline]]\nname = \"t\"\n{events}"));
    let error = read_in(Path::new("."), &text).unwrap_err();
    assert!(matches!(error, ScenarioError::Limit(_)), "{error}");

    let sweep: Vec<String> = (1..=999).map(|n| n.to_string()).collect();
    let ring = format!("\"ring:vnodes={{{}}}\"", sweep.join(","));
    let text = with_fleet("").replace("\"ring\"", &format!("{ring}, {ring}"));
    let error = read_in(Path::new("."), &text).unwrap_err();
    assert!(matches!(error, ScenarioError::Limit(_)), "{error}");
}

#[test]
fn a_sweep_of_a_million_is_refused_where_it_stands() {
    let values: Vec<String> = (1..=1_000).map(|n| n.to_string()).collect();
    let values = values.join(",");
    let million = format!("\"ring:vnodes={{{values}}},hash={{{values}}}\"");
    let error = read_in(Path::new("."), with_fleet("").replace("\"ring\"", &million)).unwrap_err();
    assert!(matches!(error, ScenarioError::Limit(_)), "{error}");
    let text = error.to_string();
    assert!(text.contains("asks for 1000000 contenders, at most 1000 are possible"), "{text}");
    assert!(text.contains(" --> s.toml:2:15\n") && text.contains("^^^"), "{text}");
}

/// However little happens in a timeline, it begins with the whole fleet.
#[test]
fn many_timelines_of_a_large_fleet_are_refused_quickly() {
    let started = Instant::now();
    let of_one = |n: u32| timeline(&n.to_string(), &["recover = 1"]);
    let timelines: String = (0..5_000).map(of_one).collect();
    let text = report(&format!("{HEAD}fleet = {{ nodes = 1_000_000 }}\n{timelines}"));
    assert!(text.contains("the plan holds more than 20000000 members"), "{text}");
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn reports_hide_nothing() {
    let text = report_in(Path::new("."), "\u{202e}\u{9b}31m\u{7}\u{2067} = \u{1b}]0;x\n");
    assert!(text.chars().all(|c| c == '\n' || !hides_text(c)), "{text:?}");
}
