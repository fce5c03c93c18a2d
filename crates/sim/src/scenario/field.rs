//! One value of a scenario file: read as what is expected, or reported where it is something else.

use std::ops::{Range, RangeInclusive};

use placelab_core::node::hides_text;
use placelab_core::{NodeName, Weight};
use toml::Spanned;
use toml::de::DeValue;

use super::table::{Report, Table};
use crate::diagnostics::{Diagnostic, quoted};

/// A value with the name it goes by in messages.
#[derive(Clone)]
pub(super) struct Field<'a> {
    pub(super) name: &'a str,
    pub(super) value: &'a Spanned<DeValue<'a>>,
    pub(super) report: &'a Report,
}

/// Whether numbers beyond a range are wrong or too much.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Beyond {
    Wrong,
    TooMuch,
}

impl<'a> Field<'a> {
    /// Where the value stands.
    pub(super) fn span(&self) -> Range<usize> {
        self.value.span()
    }

    /// Reports an error at the value.
    pub(super) fn error(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(message, self.span())
    }

    /// Reports that something else was expected.
    pub(super) fn unexpected<T>(&self, expected: &str) -> Option<T> {
        let found = match self.value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a decimal number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let message = format!("`{}` takes {expected}", self.name);
        self.report.add(self.error(message).label(format!("this is {found}")));
        None
    }

    /// Any text.
    pub(super) fn text(&self) -> Option<&'a str> {
        match self.value.get_ref().as_str() {
            Some(text) => Some(text),
            None => self.unexpected("a string"),
        }
    }

    /// A text to show on one line.
    pub(super) fn line(&self) -> Option<String> {
        const CHARS_MAX: usize = 200;
        let text = self.text()?;
        let problem = match text.chars().find(|&c| hides_text(c)) {
            _ if text.trim().is_empty() => "it is empty".to_string(),
            _ if text.chars().nth(CHARS_MAX).is_some() => {
                format!("it has more than {CHARS_MAX} characters")
            }
            Some(c) => format!("it holds the character U+{:04X}", c as u32),
            None => return Some(text.into()),
        };
        let message = format!("`{}` is one line of visible text", self.name);
        self.report.add(self.error(message).label(problem));
        None
    }

    /// The name of a node or zone.
    pub(super) fn node_name(&self) -> Option<NodeName> {
        let text = self.text()?;
        let error = NodeName::new(text).map_err(|error| self.error(error.to_string()));
        self.report.take(error)
    }

    /// A whole number in a range.
    pub(super) fn count(&self, range: RangeInclusive<u64>, beyond: Beyond) -> Option<u64> {
        let (least, most) = (range.start(), range.end());
        let expected = format!("a whole number from {least} to {most}");
        let DeValue::Integer(number) = self.value.get_ref() else {
            return self.unexpected(&expected);
        };
        let digits = number.as_str().trim_start_matches('+');
        let value = u128::from_str_radix(digits, number.radix());
        // What does not fit 128 bits is surely beyond the range.
        let value = value.unwrap_or(if digits.starts_with('-') { 0 } else { u128::MAX });
        let is_negative = digits.starts_with('-');
        if !is_negative && (u128::from(*least)..=u128::from(*most)).contains(&value) {
            return Some(value as u64);
        }
        let error = self.error(format!("`{}` takes {expected}", self.name));
        let too_much = beyond == Beyond::TooMuch && !is_negative && value > u128::from(*most);
        self.report.add(if too_much {
            error.label(format!("more than the {most} possible")).limit()
        } else {
            error.label("outside that range")
        });
        None
    }

    /// A number of nodes, events or the like that fits 32 bits.
    pub(super) fn count_u32(&self, range: RangeInclusive<u64>, beyond: Beyond) -> Option<u32> {
        self.count(range, beyond).map(|count| u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// A finite number, whole or not.
    pub(super) fn number(&self) -> Option<f64> {
        let text = match self.value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
            DeValue::Float(number) => number.as_str(),
            _ => return self.unexpected("a number"),
        };
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Some(number),
            _ => {
                let message = format!("`{}` takes a finite number", self.name);
                self.report.add(self.error(message).label("not finite"));
                None
            }
        }
    }

    /// A weight: exact, from the digits as they stand in the file.
    pub(super) fn weight(&self) -> Option<Weight> {
        let text = match self.value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
            DeValue::Float(number) => number.as_str(),
            _ => return self.unexpected("a weight, a decimal number such as 2 or 1.25"),
        };
        self.report.take(text.parse::<Weight>().map_err(|error| self.error(error.to_string())))
    }

    /// True or false.
    pub(super) fn flag(&self) -> Option<bool> {
        match self.value.get_ref().as_bool() {
            Some(flag) => Some(flag),
            None => self.unexpected("true or false"),
        }
    }

    /// One of some words.
    pub(super) fn word(&self, words: &[&'static str]) -> Option<&'static str> {
        let text = self.text()?;
        let found = words.iter().find(|word| **word == text).copied();
        if found.is_none() {
            let message = format!("`{}` cannot be {}", self.name, quoted(text));
            let help = super::suggest::among(text, words.iter().copied());
            self.report.add(self.error(message).help(help));
        }
        found
    }

    /// The elements of a list.
    pub(super) fn list(&self) -> Option<Vec<Field<'a>>> {
        match self.value.get_ref().as_array() {
            Some(array) => {
                Some(array.iter().map(|value| Field { value, ..self.clone() }).collect())
            }
            None => self.unexpected("a list"),
        }
    }

    /// A table, by the name it goes by in messages.
    pub(super) fn table(&self, title: &'static str) -> Option<Table<'a>> {
        match self.value.get_ref().as_table() {
            Some(table) => Some(Table::new(title, table, Some(self.span()), self.report)),
            None => self.unexpected("a table"),
        }
    }

    /// The tables of a list such as `[[timeline]]`.
    pub(super) fn tables(&self, title: &'static str) -> Option<Vec<Table<'a>>> {
        if !self.value.get_ref().is_array() {
            return self.unexpected(&format!("tables that each begin with {title}"));
        }
        Some(self.list()?.iter().filter_map(|element| element.table(title)).collect())
    }
}
