//! One table of a scenario file, and the report of everything that is wrong.

use std::cell::RefCell;
use std::ops::Range;

use toml::de::DeTable;

use super::field::Field;
use super::suggest::among;
use crate::diagnostics::{Diagnostic, quoted};

/// Collects errors, so that reading goes on after one.
#[derive(Default)]
pub(super) struct Report {
    found: RefCell<Vec<Diagnostic>>,
}

impl Report {
    /// Notes an error.
    pub(super) fn add(&self, error: Diagnostic) {
        self.found.borrow_mut().push(error);
    }

    /// The value, or nothing with its error noted.
    pub(super) fn take<T>(&self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// How many errors there are so far.
    pub(super) fn len(&self) -> usize {
        self.found.borrow().len()
    }

    /// Every error.
    pub(super) fn into_list(self) -> Vec<Diagnostic> {
        self.found.into_inner()
    }
}

/// A table whose keys are asked for one by one; [`Table::finish`] refuses those that were not.
pub(super) struct Table<'a> {
    title: &'static str,
    entries: &'a DeTable<'a>,
    span: Option<Range<usize>>,
    pub(super) report: &'a Report,
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Table<'a> {
    /// A table by the name it goes by in messages, such as `[keys]`.
    pub(super) fn new(
        title: &'static str,
        entries: &'a DeTable<'a>,
        span: Option<Range<usize>>,
        report: &'a Report,
    ) -> Self {
        Table { title, entries, span, report, asked: RefCell::default() }
    }

    /// An error at the head of the table.
    pub(super) fn error(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(message, self.span.clone())
    }

    /// The value of a key.
    pub(super) fn get(&self, name: &'static str) -> Option<Field<'a>> {
        self.asked.borrow_mut().push(name);
        let value = self.entries.get(name)?;
        Some(Field { name, value, report: self.report })
    }

    /// What a field says where it stands there; none where it is wrong, and then it is reported.
    pub(super) fn optional<T>(
        &self,
        name: &'static str,
        read: impl Fn(&Field<'a>) -> Option<T>,
    ) -> Option<Option<T>> {
        self.get(name).map_or(Some(None), |field| read(&field).map(Some))
    }

    /// The value of a key that must be there.
    pub(super) fn required(&self, name: &'static str) -> Option<Field<'a>> {
        let field = self.get(name);
        if field.is_none() {
            self.report.add(self.error(format!("{} needs `{name}`", self.title)));
        }
        field
    }

    /// Where a key stands.
    pub(super) fn key_span(&self, name: &str) -> Option<Range<usize>> {
        self.entries.get_key_value(name).map(|(key, _)| key.span())
    }

    /// Every entry in the order of the file: for tables whose keys are names.
    pub(super) fn entries(&self) -> Vec<(&'a str, Range<usize>, Field<'a>)> {
        let entry = |(key, value): (&'a toml::Spanned<_>, &'a toml::Spanned<_>)| {
            let name: &std::borrow::Cow<'a, str> = key.get_ref();
            (name.as_ref(), key.span(), Field { name: name.as_ref(), value, report: self.report })
        };
        let mut entries: Vec<_> = self.entries.iter().map(entry).collect();
        entries.sort_by_key(|(_, span, _)| span.start);
        entries
    }

    /// Reports keys that nobody asked for; says whether there were any.
    pub(super) fn finish(&self) -> usize {
        let asked = self.asked.borrow();
        let mut unknown = 0;
        for (key, _) in self.entries.iter() {
            let name = key.get_ref().as_ref();
            if !asked.contains(&name) {
                unknown += 1;
                let message = format!("{} has no key {}", self.title, quoted(name));
                let error = Diagnostic::new(message, key.span()).label("unknown key");
                self.report.add(error.help(among(name, asked.iter().copied())));
            }
        }
        unknown
    }
}
