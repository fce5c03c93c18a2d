//! How a command ends when it does not succeed.

use std::fmt;
use std::io::{self, IsTerminal};

/// Why a command failed; each kind has its exit code.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Input or output, or a defect: 1.
    Internal(anyhow::Error),
    /// Usage or an invalid file: 2.
    Invalid(String),
    /// An expectation or requirement was not met: 3.
    Unmet(String),
    /// Refused by a resource limit: 4.
    Limit(String),
    /// Whoever read our output has seen enough: no failure.
    Closed,
}

impl Failure {
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Closed => 0,
            Failure::Internal(_) => 1,
            Failure::Invalid(_) => 2,
            Failure::Unmet(_) => 3,
            Failure::Limit(_) => 4,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Internal(error) => write!(f, "error: {error:#}"),
            // Diagnostics of files begin with `error` themselves.
            Failure::Invalid(text) | Failure::Limit(text) if text.starts_with("error") => {
                f.write_str(text)
            }
            Failure::Invalid(text) | Failure::Unmet(text) | Failure::Limit(text) => {
                write!(f, "error: {text}")
            }
            Failure::Closed => Ok(()),
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Failure::Internal(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Internal(error.into()),
        }
    }
}

/// Whether talk on standard error may be coloured.
pub(crate) fn styled() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
