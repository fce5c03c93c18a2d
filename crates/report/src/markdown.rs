//! The report in short, as Markdown with pictures beside it.

use std::fmt::Write;

use crate::answer::Answer;
use crate::charts::Chart;
use crate::subject::Subject;
use crate::summary;
use crate::table::{Cell, Table};
use crate::text::one_line;
use crate::theory;

/// The summary.
pub(crate) fn summary(subject: &Subject, answer: &Answer, charts: &[Chart]) -> String {
    let scenario = &subject.results.scenario;
    let mut out = format!("# {}\n\n", escaped(&scenario.title));
    paragraph(&mut out, &scenario.why);
    paragraph(&mut out, &crate::page::facts(subject));
    if let Some(floor) = &answer.floor {
        paragraph(&mut out, floor);
    }
    out += &format!("**{}**\n\n", escaped(&answer.headline));
    list(&mut out, answer.reasons.iter().cloned());
    if !subject.results.requirements.is_empty() {
        out += "## Requirements\n\n";
        table(&mut out, &summary::requirements(subject));
    }
    if !answer.differences.is_empty() {
        out += "## What tells them apart\n\n";
    }
    let differences = answer.differences.iter();
    list(&mut out, differences.map(|one| format!("{}: {}", one.what, one.text)));
    if !answer.refusals.is_empty() {
        out += "## What some cannot do\n\n";
        list(&mut out, answer.refusals.iter().cloned());
    }
    if !answer.changes.is_empty() {
        out += "## What would change it\n\n";
        list(&mut out, answer.changes.iter().cloned());
    }
    if !answer.cautions.is_empty() {
        out += "## Keep in mind\n\n";
        list(&mut out, answer.cautions.iter().cloned());
    }
    out += "## Summary\n\n";
    table(&mut out, &summary::table(subject));
    out += "Data: [summary.csv](summary.csv)\n\n";
    if !subject.results.expectations.is_empty() {
        out += "## Expectations\n\n";
        table(&mut out, &summary::expectations(subject));
    }
    if let Some(theory) = theory::table(subject) {
        out += "## Theory beside measurement\n\n";
        table(&mut out, &theory);
    }
    if !subject.results.laws.is_empty() {
        out += "## Certificate\n\n";
        table(&mut out, &summary::certificates(subject));
    }
    for chart in charts {
        let _ = write!(out, "## {}\n\n", chart.title);
        let _ = write!(out, "![{}]({}.png)\n\n", chart.title, chart.name);
        paragraph(&mut out, &chart.finding);
        let _ = write!(out, "Data: [{0}.csv]({0}.csv)\n\n", chart.name);
    }
    out += "## Made by\n\n";
    let command = one_line(&scenario.command);
    // A code span is copied as it stands; what could end it or look like HTML is escaped instead.
    if command.contains(['`', '<']) {
        paragraph(&mut out, &command);
    } else {
        let _ = writeln!(out, "`{command}`");
    }
    out
}

pub(crate) fn paragraph(out: &mut String, text: &str) {
    if !text.trim().is_empty() {
        let _ = write!(out, "{}\n\n", escaped(text));
    }
}

pub(crate) fn list(out: &mut String, lines: impl Iterator<Item = String>) {
    let before = out.len();
    for line in lines {
        let _ = writeln!(out, "- {}", escaped(&line));
    }
    if out.len() > before {
        out.push('\n');
    }
}

pub(crate) fn table(out: &mut String, table: &Table) {
    let heads = table.columns.iter().map(|column| {
        let note =
            if column.note.is_empty() { String::new() } else { format!(" ({})", column.note) };
        escaped(&format!("{}{note}", column.title))
    });
    row(out, heads);
    let rules = table.columns.iter().map(|column| if column.figures { "---:" } else { "---" });
    row(out, rules.map(String::from));
    for line in table.shown() {
        row(out, line.cells.iter().map(cell));
    }
    out.push('\n');
}

fn row(out: &mut String, cells: impl Iterator<Item = String>) {
    out.push('|');
    for cell in cells {
        let _ = write!(out, " {cell} |");
    }
    out.push('\n');
}

fn cell(cell: &Cell) -> String {
    let sign = cell.tone.sign();
    let gap = if sign.is_empty() { "" } else { " " };
    let note = if cell.note.is_empty() { String::new() } else { format!(" ({})", cell.note) };
    escaped(&format!("{sign}{gap}{}{note}", cell.text))
}

/// Text that Markdown takes literally, on one line.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in one_line(text).chars() {
        match character {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' => {
                out.push('\\');
                out.push(character);
            }
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_literal() {
        assert_eq!(escaped("a|b <i> *c* [d](e)\nf"), "a\\|b &lt;i&gt; \\*c\\* \\[d\\](e)\u{fffd}f");
    }
}
