//! Keys from a file: a line each, or columns of a CSV file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use csv::ByteRecord;
use placelab_core::KeyText;
use sha2::{Digest, Sha256};

use super::KeyError;
use super::digits::hex_text;
use crate::diagnostics::quoted;
use crate::paths::KEY_BYTES_MAX;
use crate::scenario::Columns;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// Most keys of a file.
const FILE_KEYS_MAX: u64 = 100_000_000;

/// What a key file holds.
#[derive(Debug, Default)]
pub(super) struct FileKeys {
    pub(super) text: KeyText,
    pub(super) requests: Option<Column>,
    pub(super) bytes: Option<Column>,
    pub(super) sha256: String,
}

/// One whole number a key.
#[derive(Debug, Default)]
pub(super) struct Column {
    pub(super) values: Vec<u64>,
    pub(super) total: u64,
    pub(super) largest: u64,
}

impl Column {
    fn push(&mut self, value: u64) -> Result<(), String> {
        self.total = self.total.checked_add(value).ok_or("the sum so far exceeds 2^64")?;
        self.largest = self.largest.max(value);
        self.values.push(value);
        Ok(())
    }
}

/// A file to read keys from.
pub(super) struct Table<'a> {
    pub(super) path: &'a Path,
    /// As it was given.
    pub(super) shown: &'a str,
    /// Only the first keys.
    pub(super) limit: Option<u64>,
}

impl Table<'_> {
    fn io(&self, source: io::Error) -> KeyError {
        KeyError::Io { path: self.shown.into(), source }
    }

    fn line(&self, line: u64, reason: impl Into<String>) -> KeyError {
        KeyError::Line { path: self.shown.into(), line, reason: reason.into() }
    }

    fn csv(&self, error: &csv::Error) -> KeyError {
        let line = error.position().map_or(1, csv::Position::line);
        let reason = match error.kind() {
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("{len} fields where the header has {expected_len}")
            }
            csv::ErrorKind::Io(source) => {
                return self.io(io::Error::new(source.kind(), source.to_string()));
            }
            _ => error.to_string(),
        };
        self.line(line, reason)
    }

    fn open(&self) -> Result<Hashing<File>, KeyError> {
        let file = File::open(self.path).map_err(|source| self.io(source))?;
        let asked = file.metadata().map_err(|source| self.io(source))?.len();
        if asked > KEY_BYTES_MAX {
            let (asked, possible) = (asked.into(), KEY_BYTES_MAX);
            return Err(KeyError::Limit { what: "bytes of the key file", asked, possible });
        }
        // The file may grow while it is read.
        Ok(Hashing { inner: file.take(KEY_BYTES_MAX), digest: Sha256::new() })
    }

    fn finish(&self, mut keys: FileKeys, mut rest: Hashing<File>) -> Result<FileKeys, KeyError> {
        if keys.text.is_empty() {
            return Err(KeyError::Empty { path: self.shown.into() });
        }
        // The digest is that of the whole file, also where only its first keys are used.
        io::copy(&mut rest, &mut io::sink()).map_err(|source| self.io(source))?;
        keys.sha256 = hex_text(&rest.digest.finalize());
        Ok(keys)
    }

    /// Keeps a key. Each costs some bytes beside its own, so their number is limited too.
    fn push(&self, keys: &mut FileKeys, key: &[u8]) -> Result<(), KeyError> {
        let kept = keys.text.len() as u64;
        if kept >= FILE_KEYS_MAX {
            let (asked, possible) = (u128::from(kept) + 1, FILE_KEYS_MAX);
            return Err(KeyError::Limit { what: "keys of a file", asked, possible });
        }
        keys.text.push(key);
        Ok(())
    }

    fn is_full(&self, keys: &FileKeys) -> bool {
        self.limit.is_some_and(|limit| keys.text.len() as u64 >= limit)
    }
}

/// Passes bytes on and digests them.
struct Hashing<R> {
    inner: io::Take<R>,
    digest: Sha256,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.digest.update(&buffer[..count]);
        Ok(count)
    }
}

/// Reads a text file with a key a line. Keys are bytes: they need not be UTF-8.
pub(super) fn read_lines(table: &Table<'_>) -> Result<FileKeys, KeyError> {
    let mut reader = BufReader::with_capacity(1 << 16, table.open()?);
    let (mut keys, mut line, mut number) = (FileKeys::default(), Vec::new(), 0);
    while !table.is_full(&keys) {
        line.clear();
        number += 1;
        let count = reader.read_until(b'\n', &mut line).map_err(|source| table.io(source))?;
        if count == 0 {
            break;
        }
        let key = line.strip_suffix(b"\n").unwrap_or(&line);
        let key = key.strip_suffix(b"\r").unwrap_or(key);
        // Editors mark UTF-8 files so; the mark is no part of the first key.
        let key = if number == 1 { key.strip_prefix(BYTE_ORDER_MARK).unwrap_or(key) } else { key };
        if key.is_empty() {
            return Err(table.line(number, "an empty line; a key has at least one byte"));
        }
        table.push(&mut keys, key)?;
    }
    table.finish(keys, reader.into_inner())
}

/// Reads columns of a CSV file with a header.
pub(super) fn read_csv(table: &Table<'_>, columns: &Columns) -> Result<FileKeys, KeyError> {
    let mut reader = csv::Reader::from_reader(table.open()?);
    let header = reader.byte_headers().map_err(|error| table.csv(&error))?.clone();
    let position = |name: &str| {
        let mut named = (0..header.len()).filter(|&at| header[at] == *name.as_bytes());
        match (named.next(), named.next()) {
            (Some(at), None) => Ok(at),
            (None, _) => Err(table.line(1, missing_column(name, &names_of(&header)))),
            _ => Err(table.line(1, format!("two columns are called {}", quoted(name)))),
        }
    };
    let key_at = position(&columns.key)?;
    let requests_at = columns.requests.as_deref().map(position).transpose()?;
    let bytes_at = columns.bytes.as_deref().map(position).transpose()?;
    let mut keys = FileKeys {
        requests: requests_at.map(|_| Column::default()),
        bytes: bytes_at.map(|_| Column::default()),
        ..FileKeys::default()
    };
    let mut record = ByteRecord::new();
    while !table.is_full(&keys)
        && reader.read_byte_record(&mut record).map_err(|error| table.csv(&error))?
    {
        let line = record.position().map_or(0, csv::Position::line);
        if record[key_at].is_empty() {
            return Err(table.line(line, "the key is empty"));
        }
        table.push(&mut keys, &record[key_at])?;
        for (column, at) in [(&mut keys.requests, requests_at), (&mut keys.bytes, bytes_at)] {
            if let (Some(column), Some(at)) = (column, at) {
                let pushed = number(&record[at]).and_then(|value| column.push(value));
                pushed.map_err(|reason| {
                    table.line(line, format!("column {}: {reason}", quoted_bytes(&header[at])))
                })?;
            }
        }
    }
    table.finish(keys, reader.into_inner())
}

fn number(field: &[u8]) -> Result<u64, String> {
    let text = std::str::from_utf8(field).ok();
    let digits = text.filter(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()));
    digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| {
        format!("a whole number from 0 to {} is needed, not {}", u64::MAX, quoted_bytes(field))
    })
}

fn quoted_bytes(bytes: &[u8]) -> String {
    quoted(&String::from_utf8_lossy(bytes))
}

/// The names of the columns of a CSV file, to check a scenario without reading the keys.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn header(path: &Path) -> io::Result<Vec<String>> {
    let file = File::open(path)?.take(KEY_BYTES_MAX);
    let mut reader = csv::Reader::from_reader(file);
    let header = reader.byte_headers().map_err(io::Error::other)?;
    Ok(names_of(header))
}

fn names_of(header: &ByteRecord) -> Vec<String> {
    header.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect()
}

fn missing_column(name: &str, header: &[String]) -> String {
    format!("no column is called {}; {}", quoted(name), columns_in_words(header))
}

/// The columns of a file in words: the first ones by name.
pub(crate) fn columns_in_words(header: &[String]) -> String {
    const NAMED_MAX: usize = 10;
    let names: Vec<String> = header.iter().take(NAMED_MAX).map(|name| quoted(name)).collect();
    match (header.len(), header.len().saturating_sub(NAMED_MAX)) {
        (0, _) => "the file has no columns".into(),
        (_, 0) => format!("there are {}", names.join(", ")),
        (_, rest) => format!("there are {} and {rest} more", names.join(", ")),
    }
}
