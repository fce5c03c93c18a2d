//! What can be wrong with a table and its file, where, and what to do.

use std::fmt;
use std::io;
use std::path::Path;

use placelab_algorithms::shard_map::{Broken, Infeasible};
use placelab_core::PlacementError;
use placelab_core::node::hides_text;

/// What is wrong with a table. Texts that come from the file hold no hidden characters.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Mistake {
    /// The system does not let it be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    /// The system does not let it be written.
    #[error("cannot be written: {0}")]
    Unwritable(#[source] io::Error),
    /// A new file would take the place of another.
    #[error("exists already")]
    Exists,
    /// More than a limit allows.
    #[error("{what}: {asked}, at most {possible} possible")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        asked: u64,
        /// How much is possible.
        possible: u64,
    },
    /// Bytes that are no UTF-8 text.
    #[error("not UTF-8 text")]
    NoText,
    /// The last line has no end, or no line is left.
    #[error("the file ends in the middle of a line: it was cut")]
    Cut,
    /// It is no TOML or CSV, or keys are missing, unknown or there twice.
    #[error("{message}")]
    Syntax {
        /// What the parser says.
        message: String,
    },
    /// A value is none that its key can have.
    #[error("{key}: {reason}")]
    Value {
        /// The key or column.
        key: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// Other numbers of shards or rows than the file says that it has.
    #[error("{said} {what} are announced, and {found} are there: the file was cut or changed")]
    Count {
        /// `shards` or `rows`.
        what: &'static str,
        /// As the file says.
        said: u64,
        /// As it is.
        found: u64,
    },
    /// A row is missing among others.
    #[error("hole: row {row} of {rows} is missing")]
    MissingRow {
        /// Its number, from 1.
        row: u64,
        /// How many there should be.
        rows: u64,
    },
    /// A name or number is there twice.
    #[error("{what} `{name}` is there twice")]
    Duplicate {
        /// `node`, `shard` or `row`.
        what: &'static str,
        /// Its name or number.
        name: String,
    },
    /// Somebody holds a shard who is not in the fleet.
    #[error("unknown owner: shard `{shard}` is on `{node}`, which is not in the fleet")]
    UnknownOwner {
        /// The shard.
        shard: String,
        /// Who holds it.
        node: String,
    },
    /// More nodes hold a shard than it has copies.
    #[error("shard `{shard}` has {holders} holders for {copies} copies")]
    Holders {
        /// The shard.
        shard: String,
        /// How many hold it.
        holders: usize,
        /// How many should.
        copies: usize,
    },
    /// Nodes that make no fleet.
    #[error("{0}")]
    Fleet(#[source] PlacementError),
    /// There are no nodes.
    #[error("there is no node")]
    NoFleet,
    /// A start that was never planned.
    #[error("there is no version")]
    NoVersion,
    /// Versions that cannot follow each other.
    #[error("version {version} cannot follow {}", before(*replaces))]
    Versions {
        /// The version.
        version: u64,
        /// What it says that it replaces.
        replaces: Option<u64>,
    },
    /// A rule of the table is broken.
    #[error("{0}")]
    Broken(#[source] Broken),
    /// No map keeps the rules.
    #[error("{0}")]
    Infeasible(#[source] Infeasible),
}

impl Mistake {
    /// What the parser of a file says.
    pub(crate) fn syntax(message: &str) -> Self {
        Mistake::Syntax { message: clean(message) }
    }

    /// A value that its key cannot have.
    pub(crate) fn value(key: &'static str, reason: impl fmt::Display) -> Self {
        Mistake::Value { key, reason: clean(&reason.to_string()) }
    }

    /// What to do.
    pub fn remedy(&self) -> &'static str {
        match self {
            Mistake::Unreadable(_) | Mistake::Unwritable(_) => "look at the path and its rights",
            Mistake::Exists => "choose another name: nothing is overwritten",
            Mistake::TooLarge { .. } => "split the table, or is this the right file?",
            Mistake::NoText | Mistake::Syntax { .. } => {
                "tables have the form that `placelab table plan` writes"
            }
            Mistake::Cut | Mistake::Count { .. } | Mistake::MissingRow { .. } => {
                "get the file again from where it was made"
            }
            Mistake::Value { .. } | Mistake::Duplicate { .. } | Mistake::Fleet(_) => {
                "correct the value in the file"
            }
            Mistake::UnknownOwner { .. } => "name everybody who holds something in the fleet",
            Mistake::Holders { .. } => "remove holders, or raise the copies by `--copies`",
            Mistake::NoFleet => "add a [[node]], or give the fleet by --nodes",
            Mistake::NoVersion | Mistake::Broken(_) => {
                "make a version that keeps the rules by `placelab table plan`"
            }
            Mistake::Versions { .. } => {
                "the first version is 1 and replaces none; a later one replaces one before it"
            }
            Mistake::Infeasible(_) => "loosen the rule, or give nodes that can keep it",
        }
    }

    /// The error that this is in a file.
    pub fn within(self, path: &Path) -> FileError {
        FileError { path: path.display().to_string(), line: None, mistake: Box::new(self) }
    }
}

/// A text of others with what could hide or forge text replaced.
fn clean(text: &str) -> String {
    text.trim_end().replace(hides_text, "\u{fffd}")
}

fn before(replaces: Option<u64>) -> String {
    replaces.map_or("no version".into(), |replaces| format!("version {replaces}"))
}

/// A mistake with the byte of the text at which it is.
#[derive(Debug)]
pub(crate) struct Misplaced {
    pub(crate) at: usize,
    pub(crate) mistake: Mistake,
}

impl Misplaced {
    /// The same in a part of the text that begins so late.
    pub(crate) fn after(self, start: usize) -> Self {
        Misplaced { at: start + self.at, ..self }
    }

    /// The error in the file that has this text.
    pub(crate) fn within(self, path: &str, text: &str) -> FileError {
        let before = &text.as_bytes()[..self.at.min(text.len())];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64;
        FileError { path: path.into(), line: Some(line), mistake: Box::new(self.mistake) }
    }
}

/// A mistake in a file.
#[derive(Debug)]
pub struct FileError {
    /// The file.
    pub path: String,
    /// The line, from 1; none where it is about the file as a whole.
    pub line: Option<u64>,
    /// What is wrong.
    pub mistake: Box<Mistake>,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map_or(String::new(), |line| format!(", line {line}"));
        write!(f, "{}{line}: {}\nhelp: {}", self.path, self.mistake, self.mistake.remedy())
    }
}

impl std::error::Error for FileError {}
