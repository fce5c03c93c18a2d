//! Tables of text, before they become HTML or Markdown.

use crate::palette::Look;

/// Whether a figure is good, bad or neither; shown by a sign and a colour together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Tone {
    /// Neither.
    #[default]
    Plain,
    /// As wanted.
    Good,
    /// Not as wanted.
    Bad,
}

impl Tone {
    /// The sign before the text; empty for plain text.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Tone::Plain => "",
            Tone::Good => "✓",
            Tone::Bad => "✗",
        }
    }
}

/// One cell: a figure and what qualifies it.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Cell {
    pub(crate) text: String,
    /// Smaller, under the text: an interval, a reason.
    pub(crate) note: String,
    pub(crate) tone: Tone,
}

impl Cell {
    /// A cell without a note.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Cell { text: text.into(), ..Cell::default() }
    }

    /// A cell where there is no figure.
    pub(crate) fn none() -> Self {
        Cell::new(crate::number::NONE)
    }

    /// The cell with a note.
    pub(crate) fn with_note(self, note: impl Into<String>) -> Self {
        Cell { note: note.into(), ..self }
    }

    /// The cell with a judgement.
    pub(crate) fn with_tone(self, tone: Tone) -> Self {
        Cell { tone, ..self }
    }
}

/// The heading of a column.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Column {
    pub(crate) title: String,
    pub(crate) note: String,
    /// Whether the column holds figures, to be set flush right.
    pub(crate) figures: bool,
}

impl Column {
    /// A column of words.
    pub(crate) fn words(title: impl Into<String>) -> Self {
        Column { title: title.into(), note: String::new(), figures: false }
    }

    /// A column of figures with their unit or scope.
    pub(crate) fn figures(title: impl Into<String>, note: impl Into<String>) -> Self {
        Column { title: title.into(), note: note.into(), figures: true }
    }
}

/// One row; the first cell names it.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Row {
    /// The marker of the contender that the row is about.
    pub(crate) look: Option<Look>,
    pub(crate) cells: Vec<Cell>,
}

impl From<Vec<Cell>> for Row {
    fn from(cells: Vec<Cell>) -> Self {
        Row { look: None, cells }
    }
}

/// A table.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    /// Rows at the end that pages leave out.
    pub(crate) omitted: usize,
}

/// Most rows of a table on a page.
pub(crate) const ROWS_MAX: usize = 400;

impl Table {
    /// A table of which pages show at most [`ROWS_MAX`] rows.
    pub(crate) fn capped(columns: Vec<Column>, rows: Vec<Row>) -> Self {
        let omitted = rows.len().saturating_sub(ROWS_MAX);
        Table { columns, rows, omitted }
    }

    /// The rows that pages show.
    pub(crate) fn shown(&self) -> &[Row] {
        &self.rows[..self.rows.len().saturating_sub(self.omitted)]
    }
}
