//! Files that are read within limits and written as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use crate::mistake::Mistake;

/// The bytes of a regular file of at most so many: a pipe or device would never end.
pub(crate) fn read_bytes(path: &Path, possible: u64) -> Result<Vec<u8>, Mistake> {
    let read = || {
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(possible + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(Mistake::Unreadable)?;
    match bytes.len() as u64 <= possible {
        true => Ok(bytes),
        false => Err(Mistake::TooLarge { what: "bytes in the file", possible }),
    }
}

/// Puts bytes in the place of a file, or where none is, as a whole or not at all: they are on the
/// disk before they have their name, so that a crash leaves the old file or the new one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Mistake> {
    let write = || {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = tempfile::Builder::new()
            .prefix(".placelab-")
            .tempdir_in(parent.unwrap_or(".".as_ref()))?;
        // A file of its own in there has the rights of any other, a temporary one has not.
        let aside = folder.path().join("whole");
        let mut file = File::create(&aside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(aside, path)
    };
    write().map_err(Mistake::Unwritable)
}
