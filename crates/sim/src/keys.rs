//! Keys: where they come from and how they are hashed.
//!
//! Key *i* is a function of `(KEY_STREAM, i)` alone (file keys: of the file), so any cut of the
//! keys over threads or machines makes the same ones. A source hands them out in chunks: hashes
//! of the published function (seed 0), their requests and bytes, and their text only where asked.
//!
//! Cost: a sequential or uniform key takes a few nanoseconds, hash included, and no memory. A
//! Zipf source holds a table of runs, megabytes at most; a file source holds the file.

use std::ops::Range;
use std::path::Path;

use placelab_core::mix::stream;
use placelab_core::{HashFunction, KeyHash, KeyPart, KeyText};
use placelab_results::{KeySummary, Measure};

use crate::scenario::{KeyRequest, SourceRequest};

mod digits;
mod file;
mod zipf;

pub(crate) use digits::hex_text;
use digits::{decimals, hexes};
use file::{FileKeys, Table};
pub(crate) use file::{columns_in_words, header};
use zipf::Zipf;

/// The seed of the stream that random keys are drawn from.
pub const KEY_STREAM: u64 = 0x6b65_7973_2121_2121;
/// Most keys of a source.
pub const COUNT_MAX: u64 = 1_000_000_000_000;

/// Why keys cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file, as it was given.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A line of the file is wrong.
    #[error("{path}, line {line}: {reason}")]
    Line {
        /// The file, as it was given.
        path: String,
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// There are no keys.
    #[error("{path}: there are no keys")]
    Empty {
        /// The file, or the name of the source.
        path: String,
    },
    /// More than this build can hold.
    #[error("{what}: {asked} asked for, at most {possible} possible")]
    Limit {
        /// What there would be too much of.
        what: &'static str,
        /// How much was asked for.
        asked: u128,
        /// How much is possible.
        possible: u64,
    },
}

impl KeyError {
    /// Whether a limit stands in the way, not a fault of the file.
    pub fn is_limit(&self) -> bool {
        matches!(self, KeyError::Limit { .. })
    }
}

/// Keys that can be had in any order, by any number of threads.
#[derive(Debug)]
pub struct KeySource {
    kind: Kind,
    hash: HashFunction,
    totals: Totals,
    summary: KeySummary,
}

#[derive(Debug)]
enum Kind {
    Sequential,
    Uniform,
    Zipf(Zipf),
    File(FileKeys),
}

/// Sums over every key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Totals {
    /// How many keys.
    pub keys: u64,
    /// Their requests, where keys have requests of their own.
    pub requests: Option<u64>,
    /// Their bytes, where keys have sizes.
    pub bytes: Option<u64>,
}

impl Totals {
    /// The sum by a measure, where keys have it.
    pub fn by(&self, measure: Measure) -> Option<u64> {
        match measure {
            Measure::Keys => Some(self.keys),
            Measure::Requests => self.requests,
            Measure::Bytes => self.bytes,
        }
    }
}

/// A batch of keys. The same chunk is filled again and again, so that its memory is reused.
#[derive(Clone, Default, Debug)]
pub struct KeyChunk {
    /// One hash a key: of the published function.
    pub hashes: Vec<KeyHash>,
    /// One number a key, where keys have requests; else empty.
    pub requests: Vec<u64>,
    /// One number a key, where keys have sizes; else empty.
    pub bytes: Vec<u64>,
    /// The keys themselves, where they were asked for; else empty.
    pub text: KeyText,
}

impl KeyChunk {
    fn clear(&mut self) {
        self.hashes.clear();
        self.requests.clear();
        self.bytes.clear();
        self.text.clear();
    }

    /// Appends keys: their hashes, and their text where a scheme reads it.
    fn take<'k>(
        &mut self,
        keys: impl Iterator<Item = &'k [u8]> + Clone,
        hash: HashFunction,
        reads: KeyPart,
    ) {
        hash.hash_each(keys.clone(), &mut self.hashes);
        if reads == KeyPart::Bytes {
            keys.for_each(|key| self.text.push(key));
        }
    }

    /// The numbers of the keys by a measure; none by keys or where keys do not have it.
    pub fn weights(&self, measure: Measure) -> Option<&[u64]> {
        let weights = match measure {
            Measure::Keys => return None,
            Measure::Requests => &self.requests,
            Measure::Bytes => &self.bytes,
        };
        (!weights.is_empty()).then_some(weights)
    }
}

impl KeySource {
    /// Makes a source ready; reads the file where there is one.
    ///
    /// # Errors
    /// A file that cannot be read or has a wrong line, no keys, or too much of something.
    pub fn open(request: &KeyRequest) -> Result<Self, KeyError> {
        let hash = request.hash;
        let (kind, count, words) = match &request.source {
            SourceRequest::Sequential { count } => {
                let last = count.saturating_sub(1);
                (Kind::Sequential, *count, format!("sequential: the numbers 0 to {last}"))
            }
            SourceRequest::Uniform { count } => {
                (Kind::Uniform, *count, "uniform: random 64-bit numbers in hex".into())
            }
            SourceRequest::Zipf { count, exponent } => {
                within(*count)?;
                let words = format!("zipf: requests by rank to the power of −{exponent}");
                (Kind::Zipf(Zipf::new(*count, *exponent)?), *count, words)
            }
            SourceRequest::File { path, shown, columns, limit } => {
                let table = Table { path, shown, limit: *limit };
                let keys = match columns {
                    Some(columns) => file::read_csv(&table, columns)?,
                    None => file::read_lines(&table)?,
                };
                let count = keys.text.len() as u64;
                (Kind::File(keys), count, file_in_words(shown, limit.filter(|&most| most <= count)))
            }
        };
        within(count)?;
        if count == 0 {
            return Err(KeyError::Empty { path: request.source.name().into() });
        }
        Ok(Self::ready(kind, hash, count, words))
    }

    fn ready(kind: Kind, hash: HashFunction, count: u64, source: String) -> Self {
        let (requests, bytes, largest, sha256) = match &kind {
            Kind::Sequential | Kind::Uniform => (None, None, None, None),
            Kind::Zipf(zipf) => (Some(zipf.total()), None, Some(zipf.largest()), None),
            Kind::File(keys) => {
                let largest = keys.requests.as_ref().map(|column| column.largest);
                let total = |column: &Option<file::Column>| column.as_ref().map(|c| c.total);
                let sha256 = Some(keys.sha256.clone());
                (total(&keys.requests), total(&keys.bytes), largest, sha256)
            }
        };
        let share =
            |total: u64| placelab_results::fixed(largest.unwrap_or(0) as f64 / total as f64);
        let largest_request_share = requests.filter(|total| *total > 0).map(share);
        let hash_name = hash.name().into();
        let summary = KeySummary {
            source,
            hash: hash_name,
            count,
            requests,
            bytes,
            largest_request_share,
            sha256,
        };
        KeySource { kind, hash, totals: Totals { keys: count, requests, bytes }, summary }
    }

    /// How many keys there are.
    pub fn len(&self) -> u64 {
        self.totals.keys
    }

    /// Always false: a source has keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory that the source holds: those of the file, where there is one.
    pub fn memory_bytes(&self) -> u64 {
        match &self.kind {
            Kind::File(keys) => {
                let columns = [&keys.requests, &keys.bytes];
                let numbers = columns.iter().copied().flatten().map(|column| column.values.len());
                (keys.text.byte_len() + numbers.sum::<usize>() * size_of::<u64>()) as u64
            }
            _ => 0,
        }
    }

    /// By what these keys can be counted.
    pub fn measures(&self) -> impl Iterator<Item = Measure> {
        Measure::ALL.into_iter().filter(|&measure| self.totals.by(measure).is_some())
    }

    /// Sums over every key.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// What results say of the keys.
    pub fn summary(&self) -> &KeySummary {
        &self.summary
    }

    /// Replaces what the chunk holds by the keys of a range; their text too where a scheme reads
    /// it. Panics where the range goes beyond the keys.
    pub fn fill(&self, range: Range<u64>, chunk: &mut KeyChunk, reads: KeyPart) {
        assert!(range.start <= range.end && range.end <= self.len(), "keys {range:?}");
        chunk.clear();
        chunk.hashes.reserve((range.end - range.start) as usize);
        let hash = self.hash;
        match &self.kind {
            Kind::Sequential => decimals(range, |block| chunk.take(block.texts(), hash, reads)),
            Kind::Uniform => {
                hexes(random(range), |block| chunk.take(block.texts(), hash, reads));
            }
            Kind::Zipf(zipf) => {
                hexes(random(range.clone()), |block| chunk.take(block.texts(), hash, reads));
                zipf.fill(range, &mut chunk.requests);
            }
            Kind::File(keys) => {
                let range = range.start as usize..range.end as usize;
                chunk.take(range.clone().map(|index| keys.text.get(index)), hash, reads);
                let copy = |column: &Option<file::Column>, into: &mut Vec<u64>| {
                    if let Some(column) = column {
                        into.extend_from_slice(&column.values[range.clone()]);
                    }
                };
                copy(&keys.requests, &mut chunk.requests);
                copy(&keys.bytes, &mut chunk.bytes);
            }
        }
    }

    /// The weights of every key by a measure, as runs of `(weight, keys)` in key order: a Zipf
    /// source of 10^12 keys has few. Nothing where keys do not have the measure.
    pub fn weight_runs(&self, measure: Measure) -> Box<dyn Iterator<Item = (u64, u64)> + '_> {
        let column = match (&self.kind, measure) {
            (_, Measure::Keys) => return Box::new(std::iter::once((1, self.len()))),
            (Kind::Zipf(zipf), Measure::Requests) => return Box::new(zipf.runs()),
            (Kind::File(keys), Measure::Requests) => &keys.requests,
            (Kind::File(keys), Measure::Bytes) => &keys.bytes,
            _ => &None,
        };
        Box::new(column.iter().flat_map(|column| column.values.iter().map(|&weight| (weight, 1))))
    }
}

impl SourceRequest {
    /// The name in files: `sequential`, `uniform`, `zipf` or `file`.
    pub fn name(&self) -> &str {
        match self {
            SourceRequest::Sequential { .. } => "sequential",
            SourceRequest::Uniform { .. } => "uniform",
            SourceRequest::Zipf { .. } => "zipf",
            SourceRequest::File { .. } => "file",
        }
    }

    /// Whether keys have this measure; what a CSV file holds is known from its columns.
    pub fn has(&self, measure: Measure) -> bool {
        match (self, measure) {
            (_, Measure::Keys) => true,
            (SourceRequest::Zipf { .. }, Measure::Requests) => true,
            (SourceRequest::File { columns: Some(columns), .. }, Measure::Requests) => {
                columns.requests.is_some()
            }
            (SourceRequest::File { columns: Some(columns), .. }, Measure::Bytes) => {
                columns.bytes.is_some()
            }
            _ => false,
        }
    }
}

fn random(range: Range<u64>) -> impl Iterator<Item = u64> {
    range.map(|index| stream(KEY_STREAM, index))
}

fn within(count: u64) -> Result<(), KeyError> {
    if count <= COUNT_MAX {
        return Ok(());
    }
    Err(KeyError::Limit { what: "keys", asked: count.into(), possible: COUNT_MAX })
}

fn file_in_words(shown: &str, limit: Option<u64>) -> String {
    let name = Path::new(shown).file_name().map_or(shown.into(), |name| name.to_string_lossy());
    match limit {
        Some(limit) => format!("file: the first {limit} keys of {name}"),
        None => format!("file: {name}"),
    }
}
