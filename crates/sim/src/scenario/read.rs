//! From bytes to a prepared scenario, or to everything that is wrong with it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use placelab_core::{AlgorithmSpec, PlacementError};
use sha2::{Digest, Sha256};
use toml::de::DeTable;

use super::document::{self, Context};
use super::{ContenderRequest, Scenario};
use crate::diagnostics::{Diagnostic, Diagnostics, Fault};
use crate::keys::hex_text;
use crate::plan::Plan;

/// Largest scenario file in bytes: 8 MiB, so that even a fleet of a hundred thousand listed nodes
/// fits.
pub const FILE_BYTES_MAX: u64 = 8 << 20;

/// A scenario and the plan of its events.
#[derive(Debug)]
pub struct Prepared {
    /// The question.
    pub scenario: Scenario,
    /// What happens.
    pub plan: Plan,
    /// The file, for errors that show only when a fleet is placed.
    path: String,
    text: String,
}

impl Prepared {
    /// That a contender cannot hold the first fleet, with its place in the file: a mistake in the
    /// scenario, and no finding about the contender.
    pub fn cannot_hold(&self, contender: &ContenderRequest, error: &PlacementError) -> Diagnostics {
        let message = format!("{}: {error}", contender.name());
        let label = "cannot hold the fleet at the start";
        let found = Diagnostic::new(message, contender.span.clone()).label(label);
        Diagnostics::new(&self.path, &self.text, vec![found])
    }
}

/// Why there is no scenario.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file asks for more than limits allow, and nothing else is wrong with it.
    #[error("{0}")]
    Limit(Diagnostics),
    /// The file is wrong.
    #[error("{0}")]
    Invalid(Diagnostics),
}

impl ScenarioError {
    /// Errors that point into the file.
    pub fn diagnostics(&self) -> Option<&Diagnostics> {
        match self {
            ScenarioError::Io { .. } => None,
            ScenarioError::Limit(diagnostics) | ScenarioError::Invalid(diagnostics) => {
                Some(diagnostics)
            }
        }
    }
}

/// Reads a scenario file and plans its events.
///
/// # Errors
/// A file that cannot be read, is too large, or is wrong: then with every error in it.
pub fn read(path: &Path, registry: &[&'static AlgorithmSpec]) -> Result<Prepared, ScenarioError> {
    let io = |source| ScenarioError::Io { path: path.into(), source };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(io)?;
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(io)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    parse(&path.to_string_lossy(), &bytes, folder, registry)
}

/// Reads a scenario from the contents of a file called `path`; files that it names are looked
/// for in `folder`.
///
/// # Errors
/// Those of [`read`] but the first.
pub fn parse(
    path: &str,
    contents: impl AsRef<[u8]>,
    folder: &Path,
    registry: &[&'static AlgorithmSpec],
) -> Result<Prepared, ScenarioError> {
    let bytes = contents.as_ref();
    let name = Path::new(path).file_stem().map_or(path.into(), |stem| stem.to_string_lossy());
    let context =
        Context { name: &name, sha256: hex_text(&Sha256::digest(bytes)), folder, registry };
    let text = String::from_utf8_lossy(bytes);
    let read = check_text(bytes)
        .map_err(|error| vec![error])
        .and_then(|()| parse_toml(&text))
        .and_then(|root| document::read(&root, &context));
    let prepared = |(scenario, plan)| {
        let (path, text) = (path.into(), text.clone().into_owned());
        Prepared { scenario, plan, path, text }
    };
    read.map(prepared).map_err(|errors| {
        let is_limit = errors.iter().all(|error| error.fault == Fault::Limit);
        let diagnostics = Diagnostics::new(path, &text, errors);
        if is_limit {
            ScenarioError::Limit(diagnostics)
        } else {
            ScenarioError::Invalid(diagnostics)
        }
    })
}

/// Whether the bytes can be a text at all.
fn check_text(bytes: &[u8]) -> Result<(), Diagnostic> {
    if bytes.len() as u64 > FILE_BYTES_MAX {
        let message = format!("a scenario file has at most {FILE_BYTES_MAX} bytes");
        return Err(Diagnostic::new(message, None).help("is this the right file?").limit());
    }
    if let Err(error) = std::str::from_utf8(bytes) {
        // Up to here the text that is shown and the bytes are the same.
        let at = error.valid_up_to();
        let message = format!("the file is not UTF-8 text: byte {at} is wrong");
        let help = "a scenario is a text file; is this the right file?";
        return Err(Diagnostic::new(message, at..at + 1).label("not UTF-8").help(help));
    }
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        let message = "the file holds a zero byte: it is no text";
        return Err(Diagnostic::new(message, at..at + 1).help("is this the right file?"));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        let help = "`placelab init` writes a scenario to start from";
        return Err(Diagnostic::new("the file is empty", None).help(help));
    }
    Ok(())
}

/// The table of a TOML text. Where the text does not read as TOML nothing else is checked: what
/// a parser makes of a broken line would only give errors that are none.
fn parse_toml(text: &str) -> Result<DeTable<'_>, Vec<Diagnostic>> {
    let (root, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(root.into_inner());
    }
    let diagnostic = |error: &toml::de::Error| Diagnostic::new(error.message(), error.span());
    let mut list: Vec<Diagnostic> = errors.iter().map(diagnostic).collect();
    list.sort_by_key(|error| error.span.as_ref().map(|span| span.start));
    if let Some(last) = list.last_mut() {
        last.help = Some("everything else is checked once the file reads as TOML".into());
    }
    Err(list)
}
