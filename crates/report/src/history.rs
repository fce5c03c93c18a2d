//! What benches took over the recorded runs of machines, on one page.

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, html};
use placelab_results::BenchRun;

use crate::ReportError;
use crate::charts::Figure;
use crate::charts::history::{Course, commit};
use crate::number::{self, nanoseconds};
use crate::page::{POLICY, figure, head, tables};
use crate::table::{Cell, Column, Row, Table, Tone};
use crate::text::{document, list_up_to, one_line, plural};

/// What tells a history from any other page: it stands in the first 1,024 bytes.
pub const HISTORY_MARK: &str = "<meta name=\"generator\" content=\"placelab history\">";

/// Charts of a page; tables have every bench.
const CHARTS_MAX: usize = 200;
/// Benches written out in a sentence.
const NAMES_MAX: usize = 8;

/// Draws the history of benches, for each machine its runs in their order, as one HTML page that
/// needs no other file and loads nothing. It begins with [`HISTORY_MARK`] in its head. A machine
/// without runs is passed over.
///
/// # Errors
/// The drawing library gave up on a chart.
pub fn history(machines: &[&[BenchRun]]) -> Result<String, ReportError> {
    let machines: Vec<&[BenchRun]> =
        machines.iter().copied().filter(|runs| !runs.is_empty()).collect();
    let mut room = CHARTS_MAX;
    let mut sections = Vec::new();
    for (index, runs) in machines.iter().enumerate() {
        sections.push(section(index, runs, &mut room)?);
    }
    let runs = machines.iter().map(|runs| runs.len()).sum::<usize>() as u64;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head("History of benches", "placelab history", POLICY))
            body {
                header {
                    p.product { "placelab · history" }
                    h1 { "History of benches" }
                    p.facts {
                        (plural(runs, "run", "runs")) " of "
                        (plural(machines.len() as u64, "machine", "machines"))
                        ". Times of different machines are never compared."
                    }
                }
                main {
                    @for section in &sections { (section) }
                    section aria-labelledby="method" {
                        h2 id="method" { "What this can tell" }
                        p {
                            "A run is one launch of each bench, and its interval covers what \
                             happened within that launch. On a machine with other work the next \
                             launch of the same program may be off by a third. So a step that \
                             stays is worth a look, and a single point is not: whether a change \
                             made a bench slower is what " code { "placelab bench compare" }
                            " answers, by many launches in turns."
                        }
                    }
                }
                footer { p { "Made by placelab from " code { "reports/history" } "." } }
            }
        }
    };
    Ok(document(&page.into_string()))
}

/// The benches of a machine by their ids.
fn courses(runs: &[BenchRun]) -> Vec<Course<'_>> {
    let mut courses = BTreeMap::<&str, Course>::new();
    for (index, run) in runs.iter().enumerate() {
        for bench in &run.benches {
            let is_time = [bench.low_ns, bench.median_ns, bench.high_ns]
                .iter()
                .all(|ns| *ns > 0.0 && *ns < 1e15);
            if is_time {
                let new = Course { id: &bench.id, points: Vec::new() };
                courses.entry(&bench.id).or_insert(new).points.push((index + 1, run, bench));
            }
        }
    }
    courses.into_values().collect()
}

fn section(index: usize, runs: &[BenchRun], room: &mut usize) -> Result<Markup, ReportError> {
    let courses = courses(runs);
    let machine = &runs[0].machine;
    let drawn = courses.len().min(*room);
    *room -= drawn;
    let figures = courses[..drawn].iter().enumerate().map(|(bench, course)| {
        figure(&Figure {
            name: &format!("bench-{index}-{bench}"),
            title: &one_line(course.id),
            reading: &course.reading(),
            finding: &course.finding(),
            scene: &course.scene(),
            table: &course.table(),
        })
    });
    let figures = figures.collect::<Result<Vec<Markup>, ReportError>>()?;
    let (first, last) = (&runs[0], &runs[runs.len() - 1]);
    let anchor = format!("machine-{index}");
    Ok(html! {
        section aria-labelledby=(anchor) {
            h2 id=(anchor) { (one_line(&machine.name)) }
            p.small {
                (one_line(&machine.cpu)) ", "
                (plural(machine.cores.into(), "core", "cores")) "; "
                (plural(runs.len() as u64, "run", "runs")) ", from " (one_line(&first.when)) " ("
                (commit(first)) ") to " (one_line(&last.when)) " (" (commit(last)) ")."
            }
            p.headline { (headline(&courses)) }
            (tables::scrolling(&table(&courses), "First and last run by bench"))
            @if drawn < courses.len() {
                p.small { "Charts: the first " (drawn) " of " (courses.len()) " benches." }
            }
            @for figure in &figures { (figure) }
        }
    })
}

/// Which benches rose and which fell.
fn headline(courses: &[Course]) -> String {
    let repeated = courses.iter().filter(|course| course.points.len() > 1).count();
    if repeated == 0 {
        return "Every bench has one run: there is nothing to set it beside yet.".into();
    }
    let named = |keeps: fn(&Course) -> bool| -> Vec<String> {
        let those = courses.iter().filter(|course| keeps(course));
        let by = |course: &Course| number::percent(course.change().abs());
        those.map(|course| format!("{} (by {})", one_line(course.id), by(course))).collect()
    };
    let (risen, fallen) = (named(|one| one.has_risen()), named(|one| one.has_fallen()));
    let one = |names: &[String], word: &str| match names.is_empty() {
        true => format!("none {word}"),
        false => format!("{} {word}: {}", names.len(), list_up_to(names, NAMES_MAX)),
    };
    format!(
        "Of {} with two runs or more, from the first to the last, by more than 5 % and with \
         intervals apart: {}; {}.",
        plural(repeated as u64, "bench", "benches"),
        one(&risen, "slower"),
        one(&fallen, "faster")
    )
}

fn table(courses: &[Course]) -> Table {
    let columns = vec![
        Column::words("bench"),
        Column::figures("runs", ""),
        Column::figures("first", "median"),
        Column::figures("last", "median"),
        Column::figures("change", ""),
    ];
    let rows = courses.iter().map(|course| {
        let change = course.change();
        let sign = if change > 0.0 { "+" } else { "" };
        let tone = match (course.has_risen(), course.has_fallen()) {
            (true, _) => Tone::Bad,
            (_, true) => Tone::Good,
            _ => Tone::Plain,
        };
        Row::from(vec![
            Cell::new(one_line(course.id)),
            Cell::new(number::count(course.points.len() as u64)),
            Cell::new(nanoseconds(course.first().2.median_ns)),
            Cell::new(nanoseconds(course.last().2.median_ns)),
            Cell::new(format!("{sign}{} %", number::decimal(100.0 * change, 1))).with_tone(tone),
        ])
    });
    Table::capped(columns, rows.collect())
}
