//! Files that are read within limits and written as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::{TempDir, TempPath};

use crate::FILE_BYTES_MAX;
use crate::mistake::{FileError, Misplaced, Mistake};

/// The text of a regular file of bounded size: a pipe or device would never end.
pub(crate) fn read_text(path: &Path) -> Result<String, FileError> {
    let bytes = read_bytes(path).map_err(|error| Mistake::Unreadable(error).within(path))?;
    check_size(path, bytes.len() as u64)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(&error.as_bytes()[..at]);
        Misplaced { at, mistake: Mistake::NoText }.within(&path.display().to_string(), &text)
    })
}

/// The bytes of a regular file, of a large one the first that are too many.
fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn check_size(path: &Path, asked: u64) -> Result<(), FileError> {
    match asked <= FILE_BYTES_MAX {
        true => Ok(()),
        false => {
            let (what, possible) = ("bytes of a file", FILE_BYTES_MAX);
            Err(Mistake::TooLarge { what, asked, possible }.within(path))
        }
    }
}

/// Writes a file that is not there yet, as a whole or not at all.
///
/// # Errors
/// Something is there, the text is too large to be read again, or the system refuses.
pub fn write_new(path: &Path, text: &str) -> Result<(), FileError> {
    check_size(path, text.len() as u64)?;
    let write = || {
        let (_folder, aside) = write_aside(path, text)?;
        let aside = TempPath::try_from_path(aside)?;
        aside.persist_noclobber(path).map_err(|refused| refused.error)
    };
    write().map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Mistake::Exists.within(path),
        _ => Mistake::Unwritable(error).within(path),
    })
}

/// Puts a text in the place of a file, or where none is, as a whole or not at all.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), FileError> {
    let write = || {
        let (_folder, aside) = write_aside(path, text)?;
        fs::rename(aside, path)
    };
    write().map_err(|error| Mistake::Unwritable(error).within(path))
}

/// Writes a text beside its place, in a temporary folder that goes when it is dropped. The text is
/// on the disk before it has its name, so that a crash leaves the old file or the new one.
fn write_aside(path: &Path, text: &str) -> io::Result<(TempDir, PathBuf)> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder =
        tempfile::Builder::new().prefix(".placelab-").tempdir_in(parent.unwrap_or(".".as_ref()))?;
    let aside = folder.path().join("table");
    let mut file = File::create(&aside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    Ok((folder, aside))
}
