//! How a command ends when it does not succeed.

use std::fmt;
use std::io::{self, IsTerminal, Write};

use placelab_sim::diagnostics::shown;

/// Why a command failed; each kind has its exit code.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Input or output, or a defect: 1.
    Internal(anyhow::Error),
    /// Usage or an invalid file: 2.
    Invalid(String),
    /// An expectation or requirement was not met, or another version is active: 3.
    Unmet(String),
    /// Refused by a resource limit: 4.
    Limit(String),
    /// An invalid file or a limit, with its diagnostics: the code it says.
    Diagnosed {
        /// The exit code.
        code: u8,
        /// As it is printed.
        text: String,
    },
    /// Whoever read our output has seen enough: no failure.
    Closed,
    /// Somebody interrupted the command: 130.
    Interrupted,
}

impl Failure {
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Closed => 0,
            Failure::Internal(_) => 1,
            Failure::Invalid(_) => 2,
            Failure::Unmet(_) => 3,
            Failure::Limit(_) => 4,
            Failure::Diagnosed { code, .. } => *code,
            Failure::Interrupted => 130,
        }
    }
}

impl fmt::Display for Failure {
    /// Names of files come from outside: characters that would act on a terminal are replaced.
    /// Diagnostics are clean already, and may be coloured.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Failure::Diagnosed { text, .. } => return f.write_str(text),
            Failure::Closed => return Ok(()),
            Failure::Interrupted => return f.write_str("interrupted"),
            Failure::Internal(error) => format!("{error:#}"),
            Failure::Invalid(text) | Failure::Unmet(text) | Failure::Limit(text) => text.clone(),
        };
        write!(f, "error: {}", clean(&text))
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

/// A reader who has seen enough ends the printing, not the command: what must hold is still judged.
pub(crate) fn unless_closed(printed: Result<(), Failure>) -> Result<(), Failure> {
    match printed {
        Err(Failure::Closed) => Ok(()),
        other => other,
    }
}

/// Says something on standard error; where that is closed or full there is nobody to tell.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Warns of what is no failure, on standard error. Texts may come from outside.
pub(crate) fn warn(text: &str) {
    say(&format!("warning: {}", clean(text)));
}

/// A text of several lines without characters that would act on a terminal.
fn clean(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(shown).collect();
    lines.join("\n")
}

/// Whether talk on standard error may be coloured.
pub(crate) fn styled() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
