//! Versions: what may follow what, nothing half done, and nobody's work lost.

use std::fs;
use std::path::{Path, PathBuf};

use placelab_algorithms::published::ActivationError;
use placelab_core::NodeId;
use placelab_tables::{ActivateError, Activated, TableFile, activate, write_new};
use tempfile::TempDir;

use crate::start;

/// A folder with a place for the active table.
fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let active = folder.path().join("active.toml");
    (folder, active)
}

/// The next version of a table, in a file.
fn planned(table: &TableFile, path: &Path) -> TableFile {
    let next = table.plan().unwrap().table;
    write_new(path, &next.to_toml().unwrap()).unwrap();
    next
}

#[test]
fn versions_replace_what_they_were_planned_from() {
    let (folder, active) = folder();
    let path = |name: &str| folder.path().join(name);
    let first = planned(&start(4), &path("1"));
    let second = planned(&first, &path("2"));
    let rival = planned(&first, &path("2-too"));
    let third = planned(&second, &path("3"));
    assert_eq!((rival.version, third.version), (2, 3));
    let early = activate(&path("2"), &active).unwrap_err();
    assert!(early.to_string().contains("version 2 replaces version 1, and nothing is active"));
    assert!(!active.exists());
    let done = activate(&path("1"), &active).unwrap();
    assert_eq!(done, Activated { version: 1, replaced: None });
    assert_eq!(fs::read(&active).unwrap(), fs::read(path("1")).unwrap());
    let again = activate(&path("1"), &active).unwrap_err().to_string();
    assert!(again.contains("version 1 cannot be activated: it is active already"), "{again}");
    let done = activate(&path("2"), &active).unwrap();
    assert_eq!(done, Activated { version: 2, replaced: Some(1) });
    let stale = activate(&path("2-too"), &active).unwrap_err();
    let both = ActivationError::Stale { version: 2, expected: 1, current: 2 };
    assert!(matches!(&stale, ActivateError::Refused { refused, .. } if *refused == both));
    let says = "version 2 replaces version 1, and version 2 is active\nhelp: plan anew from ";
    assert!(stale.to_string().contains(says), "{stale}");
    assert_eq!(fs::read(&active).unwrap(), fs::read(path("2")).unwrap());
    activate(&path("3"), &active).unwrap();
    let back = activate(&path("1"), &active).unwrap_err().to_string();
    assert!(back.contains("version 3 is active, and none goes back"), "{back}");
    assert_eq!(TableFile::read(&active).unwrap(), third);
}

/// A file that was cut anywhere is no table.
#[test]
fn a_file_that_was_cut_is_never_activated() {
    let (folder, active) = folder();
    let mut table = start(3);
    table.shards[2].label = Some("eu".into());
    table.shards[2].tenant = Some("acme".into());
    let first = planned(&table, &folder.path().join("1"));
    activate(&folder.path().join("1"), &active).unwrap();
    let (old, next) = (fs::read(&active).unwrap(), folder.path().join("2"));
    let whole = first.plan().unwrap().table.to_toml().unwrap();
    for end in 0..whole.len() {
        fs::write(&next, &whole[..end]).unwrap();
        let error = activate(&next, &active).unwrap_err();
        assert!(matches!(error, ActivateError::File(_)), "cut at {end}: {error}");
        assert_eq!(fs::read(&active).unwrap(), old, "cut at {end}");
    }
    fs::write(&next, whole).unwrap();
    activate(&next, &active).unwrap();
}

#[test]
fn a_mistake_leaves_the_active_table_alone() {
    let (folder, active) = folder();
    let first = planned(&start(4), &folder.path().join("1"));
    activate(&folder.path().join("1"), &active).unwrap();
    let (old, next) = (fs::read(&active).unwrap(), folder.path().join("next"));
    let whole = first.plan().unwrap().table.to_toml().unwrap();
    for (from, to) in [
        ("version = 2\nreplaces = 1\n", ""),
        ("version = 2", "version = 1"),
        ("replaces = 1", "replaces = 1\nreplaces = 1"),
        ("name = \"s1\"", "name = \"s0\""),
        ("holders = [\"node-0\"", "holders = [\"node-77\""),
        ("\", \"node-1\"]", "\"]"),
        ("name = \"node-0\"", "name = \"node-0\"\ncapacity = 0"),
        ("name = \"node-0\"", "name = \"node-0\"\nweight = \"0\""),
        ("zone = \"zone-0\"", "zone = \"zone-1\""),
        ("shards = 4", "shards = 5"),
    ] {
        assert!(whole.contains(from), "{from} in {whole}");
        fs::write(&next, whole.replacen(from, to, 1)).unwrap();
        let error = activate(&next, &active).unwrap_err();
        assert!(matches!(error, ActivateError::File(_)), "{to}: {error}");
        assert_eq!(fs::read(&active).unwrap(), old, "{to}");
    }
    assert!(activate(&folder.path().join("missing"), &active).is_err());
    assert!(activate(&next, &folder.path().join("no/active")).is_err());
    // What is active has to be a table, too: nobody knows else what would be lost.
    fs::write(&next, &whole).unwrap();
    for damaged in [&whole[..whole.len() / 2], "shards = 1\ncopies = 1\n[[shard]]\nname = \"s\"\n"]
    {
        fs::write(&active, damaged).unwrap();
        let error = activate(&next, &active).unwrap_err();
        assert!(error.to_string().contains("active.toml"), "{error}");
        assert_eq!(fs::read_to_string(&active).unwrap(), damaged);
    }
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.collect();
    names.sort();
    assert_eq!(names, ["1", "active.toml", "active.toml.lock", "next"], "nothing temporary stays");
}

/// One table under two names has one lock and stays one.
#[cfg(unix)]
#[test]
fn a_link_leads_to_the_table() {
    let (folder, active) = folder();
    let path = |name: &str| folder.path().join(name);
    let first = planned(&start(4), &path("1"));
    planned(&first, &path("2"));
    activate(&path("1"), &active).unwrap();
    std::os::unix::fs::symlink(&active, path("link")).unwrap();
    activate(&path("2"), &path("link")).unwrap();
    assert!(path("link").is_symlink() && !path("link.lock").exists());
    assert_eq!(TableFile::read(&active).unwrap().version, 2);
}

/// Two writers race: each plans from what is active, adds one to a capacity and activates, or
/// plans anew. Each version is activated once, and nobody's one is lost.
#[test]
fn writers_that_race_lose_nothing() {
    const TIMES: u64 = 500;
    let (folder, active) = folder();
    let mut first = start(4);
    first.rules.capacity = [(NodeId(0), 1_000)].into();
    planned(&first, &folder.path().join("1"));
    activate(&folder.path().join("1"), &active).unwrap();
    let write = |writer: &str| {
        let (next, mut done) = (folder.path().join(writer), Vec::new());
        while (done.len() as u64) < TIMES {
            let mut table = TableFile::read(&active).unwrap();
            *table.rules.capacity.get_mut(&NodeId(0)).unwrap() += 1;
            planned(&table, &next);
            match activate(&next, &active) {
                Ok(activated) => done.push(activated.version),
                Err(ActivateError::Refused { refused: ActivationError::Stale { .. }, .. }) => {}
                Err(error) => panic!("{error}"),
            }
            fs::remove_file(&next).unwrap();
        }
        done
    };
    let [one, other] = std::thread::scope(|scope| {
        let writers = ["one", "other"].map(|writer| scope.spawn(move || write(writer)));
        writers.map(|writer| writer.join().unwrap())
    });
    let mut all: Vec<u64> = one.into_iter().chain(other).collect();
    all.sort_unstable();
    assert_eq!(all, (2..=2 * TIMES + 1).collect::<Vec<_>>(), "each version once");
    let last = TableFile::read(&active).unwrap();
    assert_eq!(last.rules.capacity[&NodeId(0)], 1_000 + 2 * TIMES, "nobody's one is lost");
}
