//! Tables: for a terminal, as Markdown, as JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use comfy_table::{ContentArrangement, Table as Drawn, TableStyle, presets};

/// How a table is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Markdown,
    Json,
}

/// Rows under headings.
pub(crate) struct Table {
    headings: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(headings: &[&'static str]) -> Self {
        Table { headings: headings.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Prints the table to standard output.
    pub(crate) fn print(&self, form: Form) -> io::Result<()> {
        let text = match form {
            Form::Text => self.drawn(presets::UTF8_FULL_CONDENSED, Some(width())),
            Form::Markdown => self.escaped().drawn(presets::ASCII_MARKDOWN, None),
            Form::Json => serde_json::to_string_pretty(&self.objects()).expect("text is JSON"),
        };
        writeln!(io::stdout().lock(), "{text}")
    }

    /// With what Markdown would take for its own made plain.
    fn escaped(&self) -> Table {
        let cell = |text: &String| {
            let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('|', "\\|");
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let rows = self.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        Table { headings: self.headings.clone(), rows }
    }

    fn drawn(&self, style: TableStyle, width: Option<u16>) -> String {
        let mut table = Drawn::new();
        table.load_style(style).set_header(&self.headings).add_rows(&self.rows);
        if let Some(width) = width {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        }
        table.to_string()
    }

    fn objects(&self) -> Vec<BTreeMap<&str, &str>> {
        self.rows
            .iter()
            .map(|row| self.headings.iter().copied().zip(row.iter().map(String::as_str)).collect())
            .collect()
    }
}

/// Columns of the terminal where it says so, else 100.
fn width() -> u16 {
    let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    columns.unwrap_or(100)
}
