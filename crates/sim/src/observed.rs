//! Counts of keys per node, from any system: a file with a node a line.
//!
//! A line is `node,count`, under a header or not, or a count alone where lines stand in the order
//! of the nodes. Files are untrusted: their size is limited before anything is kept, and what is
//! shown of them passes [`quoted`].

use std::collections::HashMap;
use std::io::{self, Read};

use csv::StringRecord;
use placelab_core::Node;

use crate::diagnostics::{quoted, shown};
use crate::fleet::FILE_BYTES_MAX;

/// Most keys that are counted: up to here no ratio of a load is off by a key.
pub const KEYS_MAX: u64 = 1_000_000_000_000;

/// Names that the column of counts may have in a header.
const COUNT_NAMES: [&str; 3] = ["count", "keys", "load"];
/// What a line is.
const FORM: &str = "a line is `node,count`, or a count alone in the order of the nodes";

/// Why counts cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObservedError {
    /// More than is possible.
    #[error("{}: {what}: {asked}, at most {possible} possible", shown(.path))]
    Limit {
        /// The file.
        path: String,
        /// What there would be too much of.
        what: &'static str,
        /// How much there is.
        asked: String,
        /// How much is possible.
        possible: u64,
    },
    /// One line is wrong.
    #[error("{}, line {line}: {reason}", shown(.path))]
    Line {
        /// The file.
        path: String,
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// The file as a whole is wrong.
    #[error("{}: {reason}", shown(.path))]
    File {
        /// The file.
        path: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {source}", shown(.path))]
    Io {
        /// The file.
        path: String,
        /// What the system says.
        source: io::Error,
    },
}

/// A whole number as people write it: digits, with `_` between them where wanted. None for anything
/// else; numbers that are too large come back as the largest there is.
///
/// ```
/// use placelab_sim::observed::whole_number;
/// assert_eq!(whole_number("10_000"), Some(10_000));
/// assert_eq!(whole_number("1e4"), None);
/// ```
pub fn whole_number(text: &str) -> Option<u128> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let digits = text.split('_').all(is_number).then(|| text.replace('_', ""))?;
    Some(digits.parse().unwrap_or(u128::MAX))
}

/// Reads the count of each node of a fleet, in the order of the fleet. `path` is for messages.
///
/// ```
/// use placelab_sim::fleet::parse_nodes;
/// use placelab_sim::observed::read_observed;
/// let nodes = parse_nodes("a,b").unwrap();
/// let counts = read_observed("counts.csv", &b"node,count\nb,7\na,5\n"[..], &nodes).unwrap();
/// assert_eq!(counts, [5, 7]);
/// ```
///
/// # Errors
/// What is wrong, with its line: a count that is none, a node that is not in the fleet, is there
/// twice or has no count, no keys at all.
pub fn read_observed(
    path: &str,
    source: impl Read,
    nodes: &[Node],
) -> Result<Vec<u64>, ObservedError> {
    let text = read_text(path, source)?;
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut counting = Counting::new(path, nodes);
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line);
            counting.wrong(line, error.to_string())
        })?;
        counting.take(&record)?;
    }
    counting.finish()
}

/// The text of a file of bounded size.
fn read_text(path: &str, source: impl Read) -> Result<String, ObservedError> {
    let mut bytes = Vec::new();
    let read = source.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|source| ObservedError::Io { path: path.into(), source })?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        let (what, asked) = ("bytes of counts", "more".into());
        return Err(ObservedError::Limit {
            path: path.into(),
            what,
            asked,
            possible: FILE_BYTES_MAX,
        });
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64;
        ObservedError::Line { path: path.into(), line, reason: format!("no UTF-8 text: {FORM}") }
    })
}

/// Counts that are being read.
struct Counting<'a> {
    path: &'a str,
    nodes: &'a [Node],
    places: HashMap<&'a str, usize>,
    counts: Vec<Option<u64>>,
    /// Columns of the first line, which all others have too.
    columns: Option<usize>,
    /// Lines of counts so far.
    lines: usize,
    total: u128,
}

impl<'a> Counting<'a> {
    fn new(path: &'a str, nodes: &'a [Node]) -> Self {
        let place = |(place, node): (usize, &'a Node)| (node.name.as_str(), place);
        Counting {
            path,
            nodes,
            places: nodes.iter().enumerate().map(place).collect(),
            counts: vec![None; nodes.len()],
            columns: None,
            lines: 0,
            total: 0,
        }
    }

    fn wrong(&self, line: u64, reason: impl Into<String>) -> ObservedError {
        ObservedError::Line { path: self.path.into(), line, reason: reason.into() }
    }

    fn take(&mut self, record: &StringRecord) -> Result<(), ObservedError> {
        let line = record.position().map_or(0, csv::Position::line);
        let (name, text) = match (record.get(0), record.get(1), record.len()) {
            (Some(text), None, _) => (None, text),
            (Some(name), Some(text), 2) => (Some(name), text),
            _ => return Err(self.wrong(line, format!("{} columns: {FORM}", record.len()))),
        };
        let is_first = self.columns.is_none();
        if *self.columns.get_or_insert(record.len()) != record.len() {
            let reason = format!("{} columns, and the lines before have others", record.len());
            return Err(self.wrong(line, reason));
        }
        if is_first && COUNT_NAMES.contains(&text) {
            return Ok(());
        }
        let count = self.count(line, text)?;
        let place = match name {
            Some(name) => self.place(line, name)?,
            None => self.lines,
        };
        self.lines += 1;
        let nodes = self.nodes.len();
        match self.counts.get_mut(place) {
            Some(free @ None) => *free = Some(count),
            Some(_) => {
                let name = quoted(name.unwrap_or_default());
                return Err(self.wrong(line, format!("node {name} is there twice")));
            }
            None => {
                let reason = format!("more counts than the {nodes} nodes of the fleet");
                return Err(self.wrong(line, reason));
            }
        }
        Ok(())
    }

    fn count(&mut self, line: u64, text: &str) -> Result<u64, ObservedError> {
        let count = whole_number(text).ok_or_else(|| {
            let reason = "a count is a whole number from 0 on, without sign or fraction";
            self.wrong(line, format!("{}: {reason}", quoted(text)))
        })?;
        self.total = self.total.saturating_add(count);
        u64::try_from(count).ok().filter(|&count| count <= KEYS_MAX).ok_or_else(|| {
            let what = "keys of one node";
            let asked = text.chars().take(40).collect();
            ObservedError::Limit { path: self.path.into(), what, asked, possible: KEYS_MAX }
        })
    }

    fn place(&self, line: u64, name: &str) -> Result<usize, ObservedError> {
        self.places.get(name).copied().ok_or_else(|| {
            let own = self.nodes.first().map_or("", |node| node.name.as_str());
            let reason = format!(
                "node {} is not in the fleet, whose first is {}: name the fleet's nodes with \
                 --nodes, or give counts alone in their order",
                quoted(name),
                quoted(own)
            );
            self.wrong(line, reason)
        })
    }

    fn finish(self) -> Result<Vec<u64>, ObservedError> {
        let whole = |reason| ObservedError::File { path: self.path.into(), reason };
        if self.lines == 0 {
            return Err(whole(format!("there are no counts: {FORM}")));
        }
        if let Some(missing) = self.counts.iter().position(Option::is_none) {
            let (name, nodes) = (self.nodes[missing].name.as_str(), self.nodes.len());
            return Err(whole(format!(
                "{} counts for {nodes} nodes: {} has none; an idle node counts 0",
                self.lines,
                quoted(name)
            )));
        }
        if self.total == 0 {
            return Err(whole("all counts are 0: there are no keys to judge".into()));
        }
        Ok(self.counts.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::parse_nodes;

    fn read_abc(text: impl AsRef<[u8]>) -> Result<Vec<u64>, String> {
        let nodes = parse_nodes("a,b,c").unwrap();
        read_observed("counts", text.as_ref(), &nodes).map_err(|error| error.to_string())
    }

    #[test]
    fn counts_in_any_form() {
        for text in [
            "1\n2_000\n3\n",
            "count\n1\n2000\n3",
            "a,1\nb,2000\nc,3\n",
            "node,count\r\nc,3\r\n\r\nb, 2000\r\na,1\r\n",
            "name,load\nc,3\n\"b\",2_000\na,1\n",
        ] {
            assert_eq!(read_abc(text).unwrap(), [1, 2000, 3], "{text:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, says) in [
            ("", "counts: there are no counts"),
            ("count\n", "there are no counts"),
            ("1\n2\n", "2 counts for 3 nodes: `c` has none"),
            ("1\n2\n3\n4\n", "line 4: more counts than the 3 nodes"),
            ("a,1\nb,2\nd,3\n", "line 3: node `d` is not in the fleet, whose first is `a`"),
            ("a,1\nb,2\na,3\n", "line 3: node `a` is there twice"),
            ("a,1\nb,-2\nc,3\n", "line 2: `-2`: a count is a whole number"),
            ("a,1\nb,NaN\nc,3\n", "line 2: `NaN`"),
            ("a,1\nb,2.5\nc,3\n", "line 2: `2.5`"),
            ("a,1\nb,\nc,3\n", "line 2: ``"),
            ("a,1\nb,2,7\nc,3\n", "line 2: 3 columns"),
            ("a,1\n2\nc,3\n", "line 2: 1 columns, and"),
            ("0\n0\n0\n", "all counts are 0"),
            ("a,1\nb\u{1b}[2J,2\n", "node `b\u{fffd}[2J` is not"),
            ("1\n1000000000001\n1\n", "keys of one node: 1000000000001, at most"),
            ("1\n99999999999999999999999999999999999999999999\n", "keys of one node: 9999"),
        ] {
            let error = read_abc(text).unwrap_err();
            assert!(error.contains(says), "{text:?}: {error}");
        }
        let error = read_abc(b"1\n\xff\n").unwrap_err();
        assert!(error.contains("line 2: no UTF-8 text"), "{error}");
    }

    #[test]
    fn endless_input_is_a_limit() {
        let endless = read_observed("-", io::repeat(b'1'), &parse_nodes("2").unwrap());
        assert!(matches!(endless, Err(ObservedError::Limit { .. })));
    }

    #[test]
    fn whole_numbers() {
        assert_eq!(whole_number("1_000_000"), Some(1_000_000));
        assert_eq!(whole_number(&"9".repeat(60)), Some(u128::MAX));
        for text in ["", "_1", "1_", "1__0", "-1", "+1", "1.0", "NaN", "1e3", " 1"] {
            assert_eq!(whole_number(text), None, "{text:?}");
        }
    }
}
