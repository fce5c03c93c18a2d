//! One version in the place of another: a compare-and-swap over files.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use placelab_algorithms::published::ActivationError;

use crate::mistake::{FileError, Mistake};
use crate::table_file::TableFile;
use crate::whole;

/// What became active.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Activated {
    /// The version that is active now.
    pub version: u64,
    /// The version that was; none where it is the first.
    pub replaced: Option<u64>,
}

/// Why a version was not activated. The active file is what it was, byte for byte.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActivateError {
    /// One of the files cannot be used.
    #[error("{0}")]
    File(#[from] FileError),
    /// Another version is active than the one that it replaces.
    #[error("{active}: {refused}\nhelp: plan anew from {active}")]
    Refused {
        /// The active file.
        active: String,
        /// Both versions.
        refused: ActivationError,
    },
    /// It replaces a version, and none is active.
    #[error(
        "{active}: version {version} replaces version {expected}, and nothing is active\n\
         help: activate a first version there, or is this the right place?"
    )]
    NothingActive {
        /// The active file that is not there.
        active: String,
        /// What was to be activated.
        version: u64,
        /// What it was planned from.
        expected: u64,
    },
}

/// Makes the table of one file the active one, which stands in another, if that is the version it
/// was planned from; where nothing is active only a first version is. Readers of the active file
/// see the old table or the new one, whole. Others who activate there wait for each other, on a
/// file beside it whose name ends in `.lock` and which stays.
///
/// # Errors
/// The next table is no whole one that keeps its rules, the active one cannot be read, it has
/// another version: the active file stays as it was.
pub fn activate(next: &Path, active: &Path) -> Result<Activated, ActivateError> {
    let text = whole::read_text(next)?;
    let table = TableFile::parse(&next.display().to_string(), &text)?;
    table.verify().map_err(|mistake| mistake.within(next))?;
    // By whatever name it goes, a file has one lock.
    let place = active.canonicalize().unwrap_or_else(|_| active.into());
    let _lock = lock(&place)?;
    let current = active_version(active)?;
    check(&table, current, active)?;
    whole::replace(&place, &text)?;
    Ok(Activated { version: table.version, replaced: current })
}

/// Whether a table may follow what is active.
fn check(table: &TableFile, current: Option<u64>, active: &Path) -> Result<(), ActivateError> {
    let (version, active) = (table.version, active.display().to_string());
    let refused = match (table.replaces, current) {
        (None, None) => return Ok(()),
        (Some(expected), Some(current)) if expected == current => return Ok(()),
        (Some(expected), None) => {
            return Err(ActivateError::NothingActive { active, version, expected });
        }
        (Some(expected), Some(current)) => ActivationError::Stale { version, expected, current },
        (None, Some(current)) => ActivationError::Unknown { version, current, last: current },
    };
    Err(ActivateError::Refused { active, refused })
}

/// The version of the active file; none where there is no file.
fn active_version(active: &Path) -> Result<Option<u64>, FileError> {
    match TableFile::read(active) {
        Ok(table) if table.version == 0 => Err(Mistake::NoVersion.within(active)),
        Ok(table) => Ok(Some(table.version)),
        Err(error) => match &*error.mistake {
            Mistake::Unreadable(source) if source.kind() == io::ErrorKind::NotFound => Ok(None),
            _ => Err(error),
        },
    }
}

/// Waits until nobody else activates there; the lock goes with the file that is returned.
fn lock(place: &Path) -> Result<File, FileError> {
    let mut name = place.as_os_str().to_owned();
    name.push(".lock");
    let path = PathBuf::from(name);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let locked = file.and_then(|file| file.lock().map(|()| file));
    locked.map_err(|error| Mistake::Unwritable(error).within(&path))
}
