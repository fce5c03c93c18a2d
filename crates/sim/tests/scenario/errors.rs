//! Every error as a user sees it: file, line, column, caret, and what to do.

use crate::support::{folder, report_in};

mod contents;
mod events;
mod exchanges;
mod failures;
mod form;
mod outages;
mod renames;
mod replicas;

/// What is wrong, the scenario, and the report.
struct Case {
    name: &'static str,
    scenario: &'static str,
    report: &'static str,
}

fn check(cases: &[Case]) {
    let folder = folder();
    for case in cases {
        let report = report_in(folder.path(), case.scenario.trim_start_matches('\n'));
        let expected = case.report.trim_matches('\n');
        assert_eq!(report, expected, "{}\n{report}\n", case.name);
    }
}

#[test]
fn bytes_that_are_no_text_are_shown_safely() {
    let folder = folder();
    let shown = |bytes: &[u8], expected: &str| {
        assert_eq!(report_in(folder.path(), bytes), expected.trim_matches('\n'));
    };
    shown(
        b"\x7fELF\x02\x01\xff\x00",
        "
error: the file is not UTF-8 text: byte 6 is wrong
 --> s.toml:1:7
  |
1 | \u{fffd}ELF\u{fffd}\u{fffd}\u{fffd}\u{fffd}
  |       ^ not UTF-8
  |
  = help: a scenario is a text file; is this the right file?
",
    );
    shown(
        b"schema = 1\n\0",
        "
error: the file holds a zero byte: it is no text
 --> s.toml:2:1
  |
2 | \u{fffd}
  | ^
  |
  = help: is this the right file?
",
    );
    shown(
        &vec![b'#'; (8 << 20) + 1],
        "
error: a scenario file has at most 8388608 bytes
--> s.toml
 = help: is this the right file?
",
    );
}

/// Replaced characters are wider or narrower than what stands in the file.
#[test]
fn carets_stay_in_place() {
    let folder = folder();
    let text =
        "schema = 1\r\nalgorithms = [ # \u{202e}é\r\n\t\"ring\", \"ü\u{202e}\"] # \u{9b}\r\n";
    let report = report_in(folder.path(), text);
    let expected = "
 --> s.toml:3:10
  |
3 |     \"ring\", \"ü\u{fffd}\"] # \u{fffd}
  |             ^^^^
";
    assert!(report.contains(expected.trim_matches('\n')), "{report}");
}
