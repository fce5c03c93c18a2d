//! Files that a scenario names: below its own folder, of bounded size.
//!
//! A scenario may come from a stranger; what it names must not reach beyond the folder it stands
//! in, by `..`, by an absolute path or by a link.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

/// Largest file that a parameter of an algorithm names, in bytes: 64 MiB.
pub const PARAMETER_BYTES_MAX: u64 = 64 << 20;
/// Largest key file in bytes: 1 GiB.
pub const KEY_BYTES_MAX: u64 = 1 << 30;

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// There is no such file.
    #[error("there is no file `{given}`; paths begin at the scenario's folder")]
    Missing {
        /// As it was given.
        given: String,
    },
    /// The file cannot be read.
    #[error("cannot read `{given}`: {source}")]
    Io {
        /// As it was given.
        given: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file lies elsewhere.
    #[error(
        "`{given}` lies outside the scenario's folder; copy it into that folder or one below it"
    )]
    Outside {
        /// As it was given.
        given: String,
    },
    /// A folder, pipe or device.
    #[error("`{given}` is not a regular file")]
    NotAFile {
        /// As it was given.
        given: String,
    },
    /// The file is too large.
    #[error("`{given}` has {bytes} bytes, at most {possible} are possible")]
    Limit {
        /// As it was given.
        given: String,
        /// Its size.
        bytes: u64,
        /// The largest size.
        possible: u64,
    },
    /// The file is no UTF-8 text.
    #[error("`{given}` is not UTF-8 text: byte {at} is wrong")]
    NotText {
        /// As it was given.
        given: String,
        /// Offset of the first wrong byte.
        at: usize,
    },
}

/// The file that a scenario in `folder` names, with every link resolved.
///
/// # Errors
/// No such file, one outside the folder, no regular file, or more than `bytes_max` bytes.
pub fn resolve(folder: &Path, given: &str, bytes_max: u64) -> Result<PathBuf, PathError> {
    let io = |source| PathError::Io { given: given.into(), source };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let folder = fs::canonicalize(folder).map_err(io)?;
    // A path that climbs or starts at the root is refused before the system looks at it: whether
    // some file elsewhere exists is none of a scenario's business.
    if climbs(Path::new(given)) {
        return Err(PathError::Outside { given: given.into() });
    }
    let path = fs::canonicalize(folder.join(given)).map_err(|source| match source.kind() {
        ErrorKind::NotFound => PathError::Missing { given: given.into() },
        _ => io(source),
    })?;
    if !path.starts_with(&folder) {
        return Err(PathError::Outside { given: given.into() });
    }
    let metadata = fs::metadata(&path).map_err(io)?;
    if !metadata.is_file() {
        return Err(PathError::NotAFile { given: given.into() });
    }
    within(given, metadata.len(), bytes_max)?;
    Ok(path)
}

fn climbs(path: &Path) -> bool {
    let mut depth = 0;
    path.components().any(|part| {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir => depth -= 1,
            Component::RootDir | Component::Prefix(_) => return true,
        }
        depth < 0
    })
}

/// The text of a file that a scenario in `folder` names.
///
/// # Errors
/// Those of [`resolve`], and bytes that are not UTF-8.
pub fn read_text(folder: &Path, given: &str, bytes_max: u64) -> Result<String, PathError> {
    let path = resolve(folder, given, bytes_max)?;
    let io = |source| PathError::Io { given: given.into(), source };
    let mut bytes = Vec::new();
    // The file may have grown since: never read more than the limit and the byte that breaks it.
    let file = File::open(path).map_err(io)?;
    file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(io)?;
    within(given, bytes.len() as u64, bytes_max)?;
    String::from_utf8(bytes).map_err(|error| PathError::NotText {
        given: given.into(),
        at: error.utf8_error().valid_up_to(),
    })
}

fn within(given: &str, bytes: u64, possible: u64) -> Result<(), PathError> {
    if bytes <= possible {
        return Ok(());
    }
    Err(PathError::Limit { given: given.into(), bytes, possible })
}
