//! The runs of a machine: one file, one JSON line a run, the last one at the end.
//!
//! A file may be cut where a machine went down or a copy was broken off. A last line without an
//! end that is no JSON is *torn*: it is reported when the file is read, and kept in a file of its
//! own, whose name ends in `.torn`, when the next run is added. Anything else that is wrong is an
//! error, and the file stays as it is: a history is not to be mended by guesses.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use placelab_core::node::hides_text;
use placelab_results::history::SCHEMA;
use placelab_results::{BenchMachine, BenchRun};
use serde::Deserialize;

use crate::FILE_BYTES_MAX;
use crate::criterion::{BENCHES_MAX, check_id, is_time};
use crate::mistake::{FileError, Mistake};
use crate::whole::{read_bytes, replace};

/// Characters of a machine's name, which is also that of a file.
const NAME_CHARS_MAX: usize = 64;
/// Bytes of any other text of a run.
const TEXT_BYTES_MAX: usize = 255;

/// The runs of one machine.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct History {
    /// In the order in which they were added.
    pub runs: Vec<BenchRun>,
    /// What stands after them and is no run.
    pub torn: Option<Torn>,
}

/// A last line that was cut.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Torn {
    /// Its number, from 1.
    pub line: u64,
    /// What is there of it.
    pub bytes: Vec<u8>,
}

/// What became of a run that was added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Appended {
    /// The file.
    pub path: PathBuf,
    /// How many runs it has now.
    pub runs: usize,
    /// Where a torn line was put that stood at the end.
    pub torn: Option<PathBuf>,
}

/// Whether a machine may have this name: 1 to 64 letters, digits, dots, hyphens and underscores of
/// ASCII, the first of them a letter or a digit.
///
/// # Errors
/// It may not.
pub fn check_machine_name(name: &str) -> Result<(), Mistake> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let starts = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if starts && name.len() <= NAME_CHARS_MAX && name.chars().all(is_plain) {
        return Ok(());
    }
    let reason = format!(
        "1 to {NAME_CHARS_MAX} letters, digits, dots, hyphens and underscores, the first of them a \
         letter or a digit"
    );
    Err(Mistake::value("name of a machine", reason))
}

/// Reads the file of a machine, `<name>.jsonl`.
///
/// # Errors
/// It cannot be read, is larger than [`FILE_BYTES_MAX`], or a line but a torn last one is no run
/// of the machine that the file is named for.
pub fn read_history(path: &Path) -> Result<History, FileError> {
    let bytes = read_bytes(path, FILE_BYTES_MAX).map_err(|mistake| mistake.within(path))?;
    parse(path, &bytes)
}

fn parse(path: &Path, bytes: &[u8]) -> Result<History, FileError> {
    let mut history = History::default();
    let mut line = 0;
    for text in bytes.split_inclusive(|byte| *byte == b'\n') {
        line += 1;
        match run_of(text) {
            Ok(run) => {
                let first = history.runs.first().map(|first: &BenchRun| &first.machine);
                check_machine(path, &run.machine, first)
                    .map_err(|mistake| mistake.at_line(path, line))?;
                history.runs.push(run);
            }
            // Only the last line has no end. One that is whole JSON was written by somebody.
            Err(Mistake::Syntax { .. }) if !text.ends_with(b"\n") && !is_json(text) => {
                history.torn = Some(Torn { line, bytes: text.into() });
            }
            Err(mistake) => return Err(mistake.at_line(path, line)),
        }
    }
    Ok(history)
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
}

/// Whether a run belongs in a file, by its name and by the runs before it.
fn check_machine(
    path: &Path,
    found: &BenchMachine,
    first: Option<&BenchMachine>,
) -> Result<(), Mistake> {
    let expected = path.file_stem().unwrap_or_default().to_string_lossy();
    if found.name != expected {
        let expected = crate::mistake::clean(&expected);
        return Err(Mistake::OtherName { found: found.name.clone(), expected });
    }
    match first {
        Some(expected) if expected != found => {
            let (found, expected) = (found.clone(), expected.clone());
            Err(Mistake::OtherMachine { found, expected })
        }
        _ => Ok(()),
    }
}

/// Only this is known of every version.
#[derive(Deserialize)]
struct Versioned {
    schema: u64,
}

/// The run of a line.
fn run_of(line: &[u8]) -> Result<BenchRun, Mistake> {
    let syntax = |error| Mistake::syntax(&error);
    let Versioned { schema } = serde_json::from_slice(line).map_err(syntax)?;
    if schema > SCHEMA.into() {
        return Err(Mistake::Newer { schema, known: SCHEMA });
    }
    let run = serde_json::from_slice(line).map_err(syntax)?;
    check(&run)?;
    Ok(run)
}

/// Whether every value is one that its field can have.
fn check(run: &BenchRun) -> Result<(), Mistake> {
    if run.schema != SCHEMA {
        return Err(Mistake::value("schema", format!("{}, not {SCHEMA}", run.schema)));
    }
    check_machine_name(&run.machine.name)?;
    check_text("cpu", &run.machine.cpu)?;
    check_text("rustc", &run.rustc)?;
    let is_hex = |text: &String| {
        (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    if !run.commit.as_ref().is_none_or(is_hex) {
        return Err(Mistake::value("commit", "it has 7 to 64 hexadecimal digits"));
    }
    if !is_moment(&run.when) {
        return Err(Mistake::value("when", "it has the form 2026-11-30T18:36:27Z"));
    }
    if run.benches.len() > BENCHES_MAX {
        return Err(Mistake::TooLarge { what: "benches", possible: BENCHES_MAX as u64 });
    }
    let mut ids = BTreeSet::new();
    for bench in &run.benches {
        check_id(&bench.id)?;
        if !ids.insert(&bench.id) {
            return Err(Mistake::Duplicate { id: bench.id.clone() });
        }
        let times = [bench.low_ns, bench.median_ns, bench.high_ns];
        if !times.into_iter().all(is_time) || !times.is_sorted() {
            return Err(Mistake::value("median_ns", "not a time within its interval"));
        }
        if bench.elements == Some(0) {
            return Err(Mistake::value("elements", "at least one"));
        }
    }
    Ok(())
}

fn check_text(field: &'static str, text: &str) -> Result<(), Mistake> {
    match text.len() <= TEXT_BYTES_MAX && !text.contains(hides_text) {
        true => Ok(()),
        false => {
            let reason = format!("at most {TEXT_BYTES_MAX} bytes that hide nothing");
            Err(Mistake::value(field, reason))
        }
    }
}

/// Whether a text is a moment of RFC 3339 in UTC, to the second.
fn is_moment(text: &str) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00Z";
    let fits = |(byte, form): (u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        _ => byte == *form,
    };
    text.len() == FORM.len() && text.bytes().zip(FORM).all(fits)
}

/// Adds a run at the end of the file of its machine in a folder, which is made where it is
/// missing; as a whole or not at all. Others who add there wait for each other, on a file beside
/// it whose name ends in `.lock` and which stays.
///
/// # Errors
/// The run has a value that it cannot have, the file is no history of the same machine, it would
/// be larger than [`FILE_BYTES_MAX`], or the system refuses. The file stays as it was.
pub fn append(folder: &Path, run: &BenchRun) -> Result<Appended, FileError> {
    let path = folder.join(format!("{}.jsonl", run.machine.name));
    check(run).map_err(|mistake| mistake.within(&path))?;
    let unwritable = |error| Mistake::Unwritable(error).within(folder);
    fs::create_dir_all(folder).map_err(unwritable)?;
    let _lock = lock(&beside(&path, "lock"))?;
    let mut bytes = match read_bytes(&path, FILE_BYTES_MAX) {
        Err(Mistake::Unreadable(error)) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        read => read.map_err(|mistake| mistake.within(&path))?,
    };
    let history = parse(&path, &bytes)?;
    if let Some(first) = history.runs.first() {
        check_machine(&path, &run.machine, Some(&first.machine))
            .map_err(|mistake| mistake.within(&path))?;
    }
    let mut torn = None;
    if let Some(Torn { bytes: cut, .. }) = &history.torn {
        let aside = beside(&path, "torn");
        // First it is safe there, then it goes here: it may be in both, never in none.
        keep(&aside, cut).map_err(|error| Mistake::Unwritable(error).within(&aside))?;
        bytes.truncate(bytes.len() - cut.len());
        torn = Some(aside);
    }
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    let line = serde_json::to_vec(run).map_err(|error| Mistake::syntax(&error).within(&path))?;
    bytes.extend(line);
    bytes.push(b'\n');
    if bytes.len() as u64 > FILE_BYTES_MAX {
        let (what, possible) = ("bytes in the file", FILE_BYTES_MAX);
        return Err(Mistake::TooLarge { what, possible }.within(&path));
    }
    replace(&path, &bytes).map_err(|mistake| mistake.within(&path))?;
    Ok(Appended { path, runs: history.runs.len() + 1, torn })
}

/// The file beside another whose name has a further ending.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// Adds a torn line to those before it.
fn keep(aside: &Path, cut: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(aside)?;
    file.write_all(&[cut, b"\n"].concat())?;
    file.sync_all()
}

/// Waits until nobody else adds there; the lock goes with the file that is returned.
fn lock(path: &Path) -> Result<File, FileError> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path);
    let locked = file.and_then(|file| file.lock().map(|()| file));
    locked.map_err(|error| Mistake::Unwritable(error).within(path))
}
