//! Errors that point into a text file: line, column, caret, and what to do.
//!
//! Files and the names in them are untrusted. Everything that is shown passes [`shown`], which
//! replaces characters that could hide or forge text on a terminal by U+FFFD.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use placelab_core::node::hides_text;

/// How a report looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// Text alone: for files, pipes and `NO_COLOR`.
    Plain,
    /// With colours: for terminals.
    Coloured,
}

/// What stands in the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The text is wrong.
    Invalid,
    /// The text asks for more than a limit allows.
    Limit,
}

/// One error in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What is wrong, in a line.
    pub message: String,
    /// Where, in bytes; none where it is about the file as a whole.
    pub span: Option<Range<usize>>,
    /// A few words beside the caret; may be empty.
    pub label: String,
    /// What to do.
    pub help: Option<String>,
    /// Whether the text is wrong or asks for too much.
    pub fault: Fault,
}

impl Diagnostic {
    /// An error at a place, or about the file as a whole.
    pub fn new(message: impl Into<String>, span: impl Into<Option<Range<usize>>>) -> Self {
        let (message, span) = (message.into(), span.into());
        Diagnostic { message, span, label: String::new(), help: None, fault: Fault::Invalid }
    }

    /// The same with a few words beside the caret.
    pub fn label(self, label: impl Into<String>) -> Self {
        Diagnostic { label: label.into(), ..self }
    }

    /// The same with what to do.
    pub fn help(self, help: impl Into<String>) -> Self {
        Diagnostic { help: Some(help.into()), ..self }
    }

    /// The same as a matter of limits.
    pub fn limit(self) -> Self {
        Diagnostic { fault: Fault::Limit, ..self }
    }
}

/// Every error of one file, in the order of their places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostics {
    path: String,
    source: String,
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Most errors that are shown; more help nobody.
    pub const SHOWN_MAX: usize = 50;

    /// Errors of a file. Panics where there is none.
    pub fn new(path: &str, source: &str, mut list: Vec<Diagnostic>) -> Self {
        assert!(!list.is_empty(), "diagnostics of a file without errors");
        list.sort_by_key(|found| found.span.as_ref().map(|span| (span.start, span.end)));
        list.dedup();
        Diagnostics { path: path.into(), source: source.into(), list }
    }

    /// The errors.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// The reports one below the other, each with file, line, column, caret and help.
    pub fn render(&self, look: Look) -> String {
        let renderer = match look {
            Look::Plain => Renderer::plain(),
            Look::Coloured => Renderer::styled(),
        };
        let shown_part = &self.list[..self.list.len().min(Self::SHOWN_MAX)];
        let reports: Vec<String> =
            shown_part.iter().map(|found| self.render_one(&renderer, found)).collect();
        let mut text = reports.join("\n\n");
        let rest = self.list.len() - shown_part.len();
        if rest > 0 {
            text.push_str(&format!("\n\nand {rest} more errors"));
        }
        text
    }

    fn render_one(&self, renderer: &Renderer, found: &Diagnostic) -> String {
        let title = Level::ERROR.primary_title(shown(&found.message));
        let group = match &found.span {
            Some(span) => title.element(self.snippet(span, &found.label)),
            None => title.element(Origin::path(shown(&self.path))),
        };
        let group = match &found.help {
            Some(help) => group.element(Level::HELP.message(wrapped(&shown(help)))),
            None => group,
        };
        renderer.render(&[group] as &[Group<'_>])
    }

    /// The first line of the span. Only this line goes to the renderer: what is shown is cleaned,
    /// so offsets shift, and a file of a megabyte is not scanned again for each error.
    fn snippet(
        &self,
        span: &Range<usize>,
        label: &str,
    ) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
        let start = char_boundary(&self.source, span.start);
        let line_start = self.source[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = self.source[start..].find('\n').map_or(self.source.len(), |at| start + at);
        let line = self.source[line_start..line_end].trim_end_matches('\r');
        let line_end = line_start + line.len();
        let end = char_boundary(&self.source, span.end).clamp(start.min(line_end), line_end);
        let before = shown(&self.source[line_start..start.min(line_end)]);
        let marked = shown(&self.source[start.min(line_end)..end]);
        let caret = before.len()..before.len() + marked.len();
        let text = format!("{before}{marked}{}", shown(&self.source[end..line_end]));
        let annotation = AnnotationKind::Primary.span(caret);
        let annotation = if label.is_empty() { annotation } else { annotation.label(shown(label)) };
        Snippet::source(text)
            .line_start(1 + self.source[..line_start].matches('\n').count())
            .path(shown(&self.path))
            .annotation(annotation)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Look::Plain))
    }
}

impl std::error::Error for Diagnostics {}

/// A text as it may be shown: characters that hide or forge become U+FFFD. Tabs stay; the
/// renderer makes spaces of them.
pub fn shown(text: &str) -> String {
    text.chars().map(|c| if hides_text(c) && c != '\t' { '\u{fffd}' } else { c }).collect()
}

/// A text in backticks, cut where it is long.
pub fn quoted(text: &str) -> String {
    const CHARS_MAX: usize = 60;
    let head: String = text.chars().take(CHARS_MAX).collect();
    let rest = if head.len() < text.len() { "…" } else { "" };
    format!("`{}{rest}`", shown(&head))
}

/// Breaks a text at spaces into lines that fit a terminal beside the gutter.
fn wrapped(text: &str) -> String {
    const CHARS_MAX: usize = 80;
    let (mut lines, mut column) = (String::new(), 0);
    for word in text.split(' ') {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > CHARS_MAX {
            lines.push('\n');
            column = 0;
        } else if column > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += width;
    }
    lines
}

fn char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
