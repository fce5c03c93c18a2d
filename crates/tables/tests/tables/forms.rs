//! TOML and CSV there and back, with the same bytes.

use std::path::Path;

use placelab_algorithms::shard_map::{Optimum, Rules};
use placelab_core::{NodeId, Roster};
use placelab_tables::{Mistake, TableFile, write_new};

use crate::{start, world};

#[test]
fn random_tables_come_back_from_both_forms() {
    for seed in 0..2_000 {
        let table = world(seed);
        let text = table.to_toml().unwrap();
        let again = TableFile::parse("t.toml", &text).unwrap_or_else(|e| panic!("{seed}: {e}"));
        assert_eq!(again, table, "seed {seed}: {text}");
        assert_eq!(again.to_toml().unwrap(), text, "seed {seed}");
        if table.version == 0 {
            continue;
        }
        let (rows, roster) = (table.to_rows(), table.roster.as_ref().unwrap());
        let again = TableFile::parse_rows("t.csv", &rows, roster);
        let again = again.unwrap_or_else(|error| panic!("{seed}: {error}"));
        let rules = Rules { copies: table.rules.copies, ..Rules::default() };
        assert_eq!(again, TableFile { replaces: None, rules, ..table }, "seed {seed}: {rows}");
        assert_eq!(again.to_rows(), rows, "seed {seed}");
    }
}

#[test]
fn files_look_as_documented() {
    let planned = start(2).plan().unwrap();
    let toml = planned.table.to_toml().unwrap();
    let head = "version = 1\nshards = 2\ncopies = 2\nspread = \"zones\"\ntogether = false\n\n\
                [[node]]\nname = \"node-0\"\nzone = \"zone-0\"\n\n[[node]]\n";
    assert!(toml.starts_with(head), "{toml}");
    let tail = "[[shard]]\nname = \"s1\"\nholders = [\"node-1\", \"node-3\"]\n";
    assert!(toml.ends_with(tail), "{toml}");
    let rows = "version,rows,row,shard,label,tenant,owner,copy-1\n";
    assert!(planned.table.to_rows().starts_with(rows));
    assert!(planned.table.to_rows().ends_with("1,2,2,s1,,,node-1,node-3\n"));
}

/// Spreadsheets write carriage returns and a byte order mark.
#[test]
fn rows_of_a_spreadsheet_are_read() {
    let table = start(3).plan().unwrap().table;
    let rows = format!("\u{feff}{}", table.to_rows().replace('\n', "\r\n"));
    let again = TableFile::parse_rows("t.csv", &rows, table.roster.as_ref().unwrap()).unwrap();
    assert_eq!(again.map, table.map);
}

/// A ninth node joins eight, one goes, copies come and go: each plan starts from the one before.
#[test]
fn versions_follow_each_other() {
    let fleet = |count| Roster::numbered(count).unwrap().nodes().to_vec();
    let text = "shards = 64\ncopies = 1\n".to_string();
    let text = (0..64).fold(text, |text, at| format!("{text}[[shard]]\nname = \"s{at}\"\n"));
    let open = TableFile::parse("start.toml", &text).unwrap();
    assert!(matches!(open.plan(), Err(Mistake::NoFleet)));
    let first = open.with_fleet(fleet(8)).unwrap().plan().unwrap();
    let got = (first.table.version, first.moves, first.owners_changed, first.rows_changed);
    assert_eq!(got, (1, 64, 64, 64));
    let mut before = first.table;
    before.rules.capacity = [(NodeId(3), 50), (NodeId(7), 20)].into();
    let ninth = before.clone().with_fleet(fleet(9)).unwrap().plan().unwrap();
    assert_eq!((ninth.moves, ninth.owners_changed, ninth.optimum), (7, 7, Optimum::Proven));
    assert_eq!((ninth.table.version, ninth.table.replaces), (2, Some(1)));
    let fewer = fleet(9).into_iter().filter(|node| node.id != NodeId(3)).rev().collect();
    let fewer = ninth.table.with_fleet(fewer).unwrap().plan().unwrap();
    assert_eq!(fewer.moves, 7, "what the node held; a node is known by its name");
    assert_eq!(fewer.table.rules.capacity, [(NodeId(1), 20)].into(), "who stays keeps its own");
    let twice = fewer.table.with_copies(2).plan().unwrap();
    assert_eq!((twice.moves, twice.owners_changed), (64, 0));
    let once = twice.table.clone().with_copies(1).plan().unwrap();
    assert!(once.moves <= 2, "{} moves", once.moves);
    let roster = twice.table.verify().unwrap();
    let owned = twice.table.owned(roster);
    assert_eq!((owned.iter().sum::<u64>(), owned.iter().max()), (64, Some(&8)));
}

#[test]
fn new_files_never_take_the_place_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.toml");
    write_new(&path, "first\n").unwrap();
    let error = write_new(&path, "second\n").unwrap_err();
    assert!(error.to_string().contains("exists already"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "first\n");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing temporary stays");
    let nowhere = write_new(&folder.path().join("no/t.toml"), "").unwrap_err();
    assert!(matches!(*nowhere.mistake, Mistake::Unwritable(_)), "{nowhere}");
    let large = "x".repeat((64 << 20) + 1);
    let error = write_new(Path::new("/nonexistent"), &large).unwrap_err();
    assert!(matches!(*error.mistake, Mistake::TooLarge { .. }), "{error}");
}
