//! What can be wrong with criterion's folder or a history, where, and what to do.

use std::fmt;
use std::io;
use std::path::Path;

use placelab_core::node::hides_text;
use placelab_results::BenchMachine;

/// What is wrong. Texts that come from files hold no hidden characters.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Mistake {
    /// The system does not let it be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    /// The system does not let it be written.
    #[error("cannot be written: {0}")]
    Unwritable(#[source] io::Error),
    /// More than a limit allows.
    #[error("there are more than {possible} {what}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much is possible.
        possible: u64,
    },
    /// There is no folder of criterion.
    #[error("there is no such folder")]
    NoFolder,
    /// The folder has no bench with this baseline.
    #[error("no bench has the baseline `{baseline}`{}", known(others))]
    NoBench {
        /// The baseline.
        baseline: String,
        /// Baselines that are there.
        others: Vec<String>,
    },
    /// A bench was written in part.
    #[error("half written: there is no {missing}")]
    HalfWritten {
        /// The file that is missing.
        missing: &'static str,
    },
    /// The files of a bench come from different runs.
    #[error("the median is {said} ns, and that of sample.json is {found} ns")]
    Mixed {
        /// As estimates.json says, nanoseconds an iteration.
        said: f64,
        /// As the samples have it.
        found: f64,
    },
    /// It is no JSON, or fields are missing, unknown or of another kind.
    #[error("{message}")]
    Syntax {
        /// What the parser says.
        message: String,
    },
    /// A value is none that its field can have.
    #[error("{field}: {reason}")]
    Value {
        /// The field.
        field: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A bench is there twice.
    #[error("bench `{id}` is there twice")]
    Duplicate {
        /// Its id.
        id: String,
    },
    /// A later version wrote it.
    #[error("schema {schema}, and this placelab reads up to {known}")]
    Newer {
        /// As the line says.
        schema: u64,
        /// The latest that is known.
        known: u32,
    },
    /// A run of another machine.
    #[error("a run of {}, and this file is of {}", machine(found), machine(expected))]
    OtherMachine {
        /// Where the run was.
        found: BenchMachine,
        /// Whose file it is.
        expected: BenchMachine,
    },
    /// The name of the file is not that of the machine in it.
    #[error("a run of the machine `{found}`, and the file is named for `{expected}`")]
    OtherName {
        /// As the line says.
        found: String,
        /// As the file says.
        expected: String,
    },
}

impl Mistake {
    /// What a parser says.
    pub(crate) fn syntax(error: &serde_json::Error) -> Self {
        Mistake::Syntax { message: clean(&error.to_string()) }
    }

    /// A value that its field cannot have.
    pub(crate) fn value(field: &'static str, reason: impl fmt::Display) -> Self {
        Mistake::Value { field, reason: clean(&reason.to_string()) }
    }

    /// What to do.
    pub fn remedy(&self) -> &'static str {
        match self {
            Mistake::Unreadable(_) | Mistake::Unwritable(_) => "look at the path and its rights",
            Mistake::TooLarge { .. } => "is this the right place?",
            Mistake::NoFolder => {
                "run `cargo bench` first, or name the folder that it wrote by --criterion"
            }
            Mistake::NoBench { .. } => {
                "run `cargo bench`, or name a baseline that is there by --baseline"
            }
            Mistake::HalfWritten { .. } | Mistake::Mixed { .. } => {
                "the run was interrupted or is still going: run the bench again"
            }
            Mistake::Syntax { .. } | Mistake::Value { .. } => {
                "get the file again from where it was made, or remove what is wrong"
            }
            Mistake::Duplicate { .. } => "remove one of the two",
            Mistake::Newer { .. } => "use the placelab that wrote it, or a later one",
            Mistake::OtherMachine { .. } | Mistake::OtherName { .. } => {
                "times of different machines are never compared: name this machine by --machine, \
                 or choose another folder by --history"
            }
        }
    }

    /// The error that this is in a file.
    pub fn within(self, path: &Path) -> FileError {
        FileError { path: path.display().to_string(), line: None, mistake: Box::new(self) }
    }

    /// The error that this is in a line of a file, counted from 1.
    pub(crate) fn at_line(self, path: &Path, line: u64) -> FileError {
        FileError { line: Some(line), ..self.within(path) }
    }
}

/// A text of others with what could hide or forge text replaced.
pub(crate) fn clean(text: &str) -> String {
    text.trim_end().replace(hides_text, "\u{fffd}")
}

fn known(others: &[String]) -> String {
    match others.len() {
        0 => String::new(),
        _ => format!("; there are {}", others.join(", ")),
    }
}

fn machine(machine: &BenchMachine) -> String {
    format!("`{}` ({}, cores: {})", machine.name, machine.cpu, machine.cores)
}

/// A mistake in a file.
#[derive(Debug)]
pub struct FileError {
    /// The file, or the folder.
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
