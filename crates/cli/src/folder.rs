//! Report folders and their index: replaced only as a whole, and only if they are ours.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use placelab_explorer::EXPLORER_MARK;
use placelab_report::{COMPARISON_MARK, HISTORY_MARK, INDEX_MARK};
use tempfile::TempDir;

/// The simulation's results in a report folder: what tells it from any other.
pub(crate) const RESULTS: &str = "results.json";
/// The machine's timings in a report folder.
pub(crate) const TIMINGS: &str = "timings.json";
/// Largest file of results that is read: 1 GiB.
pub(crate) const JSON_BYTES_MAX: u64 = 1 << 30;
/// A page says what it is within this many bytes.
const MARK_BYTES_MAX: u64 = 1 << 10;

/// Writes a folder with these files: beside its place under a temporary name, then renamed, so
/// that a reader never sees a part of it and a failure leaves the old one.
///
/// Fails where something that is not a report stands in the way.
pub(crate) fn replace(folder: &Path, files: &[(String, Vec<u8>)]) -> anyhow::Result<()> {
    check(folder)?;
    let (parent, fresh) = beside(folder)?;
    let name = folder.file_name().context("a report folder has a name")?;
    let fresh_folder = fresh.path().join(name);
    fs::create_dir(&fresh_folder)?;
    for (name, bytes) in files {
        let path = fresh_folder.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    swap(&fresh_folder, &parent.join(name), &fresh.path().join("old"))
        .with_context(|| format!("cannot move the report to {}", folder.display()))
}

/// The folder of a path, made where it is missing, and a temporary one in it.
fn beside(path: &Path) -> anyhow::Result<(PathBuf, TempDir)> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let cannot_write = || format!("cannot write in {}", parent.display());
    fs::create_dir_all(parent).with_context(cannot_write)?;
    // Absolute: we may stand in the folder that is about to move.
    let parent = parent.canonicalize().with_context(cannot_write)?;
    let fresh = tempfile::Builder::new()
        .prefix(".placelab-")
        .tempdir_in(&parent)
        .with_context(cannot_write)?;
    Ok((parent, fresh))
}

/// A kind of page that stands alone, and is replaced only by its like.
pub(crate) struct PageKind {
    /// What is in its first 1,024 bytes.
    mark: &'static str,
    what: &'static str,
    /// The option that says where it goes.
    option: &'static str,
}

/// An index of reports.
pub(crate) const INDEX: PageKind = PageKind { mark: INDEX_MARK, what: "an index", option: "--out" };
/// A history of benches.
pub(crate) const HISTORY: PageKind =
    PageKind { mark: HISTORY_MARK, what: "a history", option: "--html" };
/// A page in which one sees how keys are placed.
pub(crate) const EXPLORER: PageKind =
    PageKind { mark: EXPLORER_MARK, what: "an explorer", option: "--out" };
/// A comparison of two runs.
pub(crate) const COMPARISON: PageKind =
    PageKind { mark: COMPARISON_MARK, what: "a comparison", option: "--html" };

/// Writes a page that stands alone, likewise beside its place first.
///
/// Fails where something that is not of its kind stands in the way.
pub(crate) fn replace_page(kind: &PageKind, path: &Path, page: &str) -> anyhow::Result<()> {
    check_page(kind, path)?;
    let (parent, fresh) = beside(path)?;
    let name = path.file_name().context("a page has a name")?;
    let fresh_page = fresh.path().join(name);
    fs::write(&fresh_page, page)
        .and_then(|()| fs::rename(&fresh_page, parent.join(name)))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Whether a page could be put here, before anything is computed: nothing may stand there but
/// one of its kind.
pub(crate) fn check_page(kind: &PageKind, path: &Path) -> anyhow::Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    let shown = path.display();
    let mut start = Vec::new();
    if found.is_file() {
        let read =
            File::open(path).and_then(|file| file.take(MARK_BYTES_MAX).read_to_end(&mut start));
        read.with_context(|| format!("cannot read {shown}"))?;
    }
    if !String::from_utf8_lossy(&start).contains(kind.mark) {
        let PageKind { what, option, .. } = kind;
        bail!(
            "{shown} is not {what} of placelab: move it away or choose another place with {option}"
        );
    }
    Ok(())
}

/// Puts a folder in the place of another, which goes to `old` and is removed with it later; it
/// comes back where the new one cannot take its place.
fn swap(fresh: &Path, folder: &Path, old: &Path) -> std::io::Result<()> {
    let replaces = folder.exists();
    if replaces {
        fs::rename(folder, old)?;
    }
    fs::rename(fresh, folder).inspect_err(|_| {
        if replaces {
            let _ = fs::rename(old, folder);
        }
    })
}

/// Whether a report could be put here, before anything is computed: nothing may stand there but a
/// report of ours or an empty folder.
pub(crate) fn check(folder: &Path) -> anyhow::Result<()> {
    let Ok(found) = fs::symlink_metadata(folder) else { return Ok(()) };
    let shown = folder.display();
    if !found.is_dir() {
        bail!("{shown} is not a folder: remove it or choose another place with --out");
    }
    let mut is_empty = true;
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {shown}"))? {
        is_empty = false;
        let entry = entry?;
        if !entry.file_type()?.is_file() || !is_ours(&entry.file_name()) {
            let name = entry.file_name();
            bail!(
                "{shown} holds {}, which no report has: move it away or choose another place \
                 with --out",
                name.display()
            );
        }
    }
    if !is_empty && !is_report(folder) {
        bail!("{shown} is not a report of placelab: choose another place with --out");
    }
    Ok(())
}

/// Whether a report has files of this name.
fn is_ours(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    [RESULTS, TIMINGS, "index.html", "summary.md"].contains(&&*name)
        || [".png", ".csv"].iter().any(|ending| name.ends_with(ending))
}

/// Whether a folder holds results of ours: a JSON object with a schema and a plan.
fn is_report(folder: &Path) -> bool {
    let text = read_text(&folder.join(RESULTS)).ok();
    let json = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    json.is_some_and(|json| json["schema"].is_u64() && json["plan"].is_array())
}

/// The text of a regular file of bounded size: a pipe or device would never end.
pub(crate) fn read_text(path: &Path) -> std::io::Result<String> {
    let found = fs::metadata(path)?;
    if !found.is_file() || found.len() > JSON_BYTES_MAX {
        let reason = format!("not a regular file of at most {JSON_BYTES_MAX} bytes");
        return Err(std::io::Error::other(reason));
    }
    fs::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(schema: u32) -> Vec<(String, Vec<u8>)> {
        let json = format!("{{\"schema\": {schema}, \"plan\": []}}");
        vec![(RESULTS.into(), json.into_bytes())]
    }

    #[test]
    fn reports_are_replaced_as_a_whole() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/b");
        replace(&folder, &report(1)).unwrap();
        for stale in ["stale.png", "stale.csv"] {
            fs::write(folder.join(stale), "old").unwrap();
        }
        fs::write(folder.join("notes.md"), "mine").unwrap();
        assert!(replace(&folder, &report(2)).is_err(), "notes are not ours to remove");
        fs::remove_file(folder.join("notes.md")).unwrap();
        replace(&folder, &report(2)).unwrap();
        let names: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, [RESULTS]);
        let left: Vec<_> = fs::read_dir(parent.path().join("a")).unwrap().collect();
        assert_eq!(left.len(), 1, "nothing temporary stays");
    }

    #[test]
    fn an_index_replaces_an_index_only() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/index.html");
        for turn in ["first", "second"] {
            let page = format!("<head>{INDEX_MARK}{turn}");
            replace_page(&INDEX, &path, &page).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), page);
        }
        assert_eq!(fs::read_dir(parent.path().join("a")).unwrap().count(), 1);

        let foreign = format!("<head>{}{INDEX_MARK}", " ".repeat(2_000));
        fs::write(&path, &foreign).unwrap();
        assert!(
            replace_page(&INDEX, &path, "mine").is_err(),
            "quoting the mark is not being an index"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), foreign);
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(replace_page(&INDEX, &path, "mine").is_err());
    }

    #[test]
    fn foreign_folders_are_left_alone() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("mine");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("thesis.txt"), "years of work").unwrap();
        assert!(replace(&folder, &report(1)).is_err());
        assert_eq!(fs::read_to_string(folder.join("thesis.txt")).unwrap(), "years of work");
        fs::write(folder.join(RESULTS), "{\"schema\": \"theirs\"}").unwrap();
        assert!(replace(&folder, &report(1)).is_err());
    }
}
