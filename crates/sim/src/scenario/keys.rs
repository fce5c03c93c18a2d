//! `[keys]`: what is placed.

use std::path::Path;

use placelab_core::HashFunction;

use super::field::{Beyond, Field};
use super::table::Table;
use super::{Columns, KeyRequest, SourceRequest};
use crate::diagnostics::{Diagnostic, quoted};
use crate::keys::{COUNT_MAX, columns_in_words, header};
use crate::paths::{KEY_BYTES_MAX, PathError, resolve};

/// Most marks.
const MARKS_MAX: usize = 16;
const SOURCES: [&str; 4] = ["sequential", "uniform", "zipf", "file"];

/// Reads what is placed.
pub(super) fn read(table: &Table<'_>, folder: &Path) -> Option<KeyRequest> {
    let source = table.required("source").and_then(|field| field.word(&SOURCES));
    let hash = match table.get("hash") {
        Some(field) => field.word(&HashFunction::NAMES).and_then(|name| name.parse().ok()),
        None => Some(HashFunction::Xxh3),
    };
    let request = match source {
        Some("sequential") => count(table).map(|count| SourceRequest::Sequential { count }),
        Some("uniform") => count(table).map(|count| SourceRequest::Uniform { count }),
        Some("zipf") => read_zipf(table),
        Some(_) => read_file(table, folder),
        None => {
            // What belongs to which source is only known with the source.
            for name in ["count", "exponent", "path", "key", "requests", "bytes", "limit"] {
                table.get(name);
            }
            None
        }
    };
    let marks = table.get("marks").map_or(Some(Vec::new()), |field| read_marks(&field, &request));
    table.finish();
    Some(KeyRequest { source: request?, hash: hash?, marks: marks? })
}

/// Numbers of keys in ascending order, none beyond those that there are.
fn read_marks(field: &Field<'_>, source: &Option<SourceRequest>) -> Option<Vec<u64>> {
    let fields = field.list()?;
    if fields.len() > MARKS_MAX {
        let message = format!("`marks` takes at most {MARKS_MAX} numbers");
        return field.report.take(Err(field.error(message).limit()));
    }
    let most = match source {
        Some(
            SourceRequest::Sequential { count }
            | SourceRequest::Uniform { count }
            | SourceRequest::Zipf { count, .. },
        ) => *count,
        Some(SourceRequest::File { .. }) | None => COUNT_MAX,
    };
    let mut marks = Vec::new();
    for field in fields {
        let mark = field.count(1..=most, Beyond::Wrong)?;
        if marks.last().is_some_and(|last| *last >= mark) {
            let message = "`marks` are in ascending order";
            let error = field.error(message).label("not above the one before");
            return field.report.take(Err(error));
        }
        marks.push(mark);
    }
    Some(marks)
}

fn count(table: &Table<'_>) -> Option<u64> {
    table.required("count")?.count(1..=COUNT_MAX, Beyond::TooMuch)
}

fn read_zipf(table: &Table<'_>) -> Option<SourceRequest> {
    let count = count(table);
    let exponent = table.required("exponent").and_then(|field| {
        let exponent = field.number()?;
        if (0.0..=10.0).contains(&exponent) {
            return Some(exponent);
        }
        let message = "`exponent` takes a number from 0 to 10";
        table.report.add(field.error(message).label("outside that range"));
        None
    });
    Some(SourceRequest::Zipf { count: count?, exponent: exponent? })
}

fn read_file(table: &Table<'_>, folder: &Path) -> Option<SourceRequest> {
    let path_field = table.required("path");
    let names = ["key", "requests", "bytes"].map(|name| table.get(name));
    let limit = table.optional("limit", |field| field.count(1..=COUNT_MAX, Beyond::Wrong));
    let path_field = path_field?;
    let shown = path_field.text()?;
    let path = table.report.take(resolve(folder, shown, KEY_BYTES_MAX).map_err(|error| {
        let diagnostic = path_field.error(error.to_string());
        match error {
            PathError::Limit { .. } => diagnostic.limit(),
            _ => diagnostic,
        }
    }))?;
    let columns = read_columns(&path_field, &path, names)?;
    Some(SourceRequest::File { path, shown: shown.into(), columns, limit: limit? })
}

/// The columns of a CSV file. A file that ends in `.csv` is one: where the scenario names no
/// columns they are `key` and, where the file has them, `requests` and `bytes`.
fn read_columns(
    path_field: &Field<'_>,
    path: &Path,
    fields: [Option<Field<'_>>; 3],
) -> Option<Option<Columns>> {
    let is_named = fields.iter().any(Option::is_some);
    let is_csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    if !is_named && !is_csv {
        return Some(None);
    }
    let report = path_field.report;
    let header = report.take(header(path).map_err(|error| path_field.error(error.to_string())))?;
    let has = |name: &str| header.iter().any(|column| column == name);
    let missing = |field: &Field<'_>, name: &str| {
        let message = format!("the file has no column {}", quoted(name));
        Diagnostic::new(message, field.span()).help(columns_in_words(&header))
    };
    let named = |field: &Option<Field<'_>>, name: &str| match field {
        None => Some((!is_named && has(name)).then(|| name.to_string())),
        Some(field) => {
            let name = field.text()?;
            let known = if has(name) { Ok(Some(name.into())) } else { Err(missing(field, name)) };
            report.take(known)
        }
    };
    let [key, requests, bytes] = &fields;
    let key = match key {
        Some(_) => named(key, "key").flatten(),
        None if has("key") => Some("key".into()),
        None => {
            let error = missing(path_field, "key").label("name its column with `key = \"…\"`");
            report.take(Err(error))
        }
    };
    let (requests, bytes) = (named(requests, "requests"), named(bytes, "bytes"));
    Some(Some(Columns { key: key?, requests: requests?, bytes: bytes? }))
}
