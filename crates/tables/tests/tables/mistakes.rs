//! Files that are wrong: each is told with its line and a remedy, and none of them panics.

use std::path::Path;

use placelab_core::{Node, NodeName, Roster};
use placelab_tables::{FileError, Mistake, TableFile};

use crate::start;

const HEAD: &str = "version = 2\nreplaces = 1\nshards = 2\ncopies = 2\n";
const NODES: &str = "[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n";
const SHARDS: &str = "[[shard]]\nname = \"s\"\nholders = [\"a\", \"b\"]\n\
                      [[shard]]\nname = \"t\"\nholders = [\"b\", \"a\"]\n";

fn whole() -> String {
    format!("{HEAD}{NODES}{SHARDS}")
}

/// What is said of a table in which one text stands for another.
fn said(old: &str, new: &str) -> String {
    assert!(whole().contains(old), "{old}");
    let read = TableFile::parse("t.toml", &whole().replacen(old, new, 1));
    let verified = read.and_then(|table| match table.verify() {
        Ok(_) => Ok(()),
        Err(mistake) => Err(mistake.within(Path::new("t.toml"))),
    });
    verified.expect_err(new).to_string()
}

#[test]
fn mistakes_have_their_line() {
    TableFile::parse("t.toml", &whole()).unwrap().verify().unwrap();
    for (old, new, line, says) in [
        ("version = 2", "version = ", 1, ""),
        ("copies = 2", "copies = 2\nbogus = 1", 5, "unknown field `bogus`"),
        ("copies = 2", "copies = 2\n\"\\u001b\\n\" = 1", 5, "unknown field `\u{fffd}\u{fffd}`"),
        ("copies = 2", "copies = 2\ncopies = 2", 5, "duplicate key"),
        ("copies = 2\n", "", 1, "missing field `copies`"),
        ("shards = 2\n", "", 1, "missing field `shards`"),
        ("version = 2\n", "", 1, "there is no version"),
        ("version = 2", "version = -2", 1, ""),
        ("replaces = 1\n", "", 1, "version 2 cannot follow no version"),
        ("replaces = 1", "replaces = 2", 1, "version 2 cannot follow version 2"),
        ("copies = 2", "copies = 0", 4, "copies: at least one"),
        ("copies = 2", "copies = 9", 4, "copies: 9, at most 8 possible"),
        ("shards = 2", "shards = 0", 3, "shards: at least one"),
        ("shards = 2", "shards = 1048577", 3, "at most 1048576 possible"),
        ("shards = 2", "shards = 3", 3, "3 shards are announced, and 2 are there"),
        ("copies = 2", "copies = 2\nspread = \"z\"", 5, "spread: one of nodes, zones, racks"),
        ("copies = 2", "copies = 1", 11, "shard `s` has 2 holders for 1 copies"),
        ("name = \"b\"", "name = \"a\"", 8, "node `a` is there twice"),
        ("name = \"b\"", "name = \"\"", 8, "node: a name has 1 to 255 bytes"),
        ("name = \"b\"", "name = \"b\\u202e\"", 8, "this one holds U+202E"),
        ("name = \"b\"", "name = \"b\"\nweight = \"\\u001b\"", 9, "not `\u{fffd}`"),
        ("name = \"b\"", "name = \"b\"\nweight = 2", 9, "invalid type: integer `2`"),
        ("name = \"b\"", "name = \"b\"\nzone = \"\"", 9, "zone: "),
        ("name = \"b\"", "name = \"b\"\ncapacity = -1", 9, ""),
        ("name = \"t\"", "name = \"s\"", 13, "shard `s` is there twice"),
        ("name = \"t\"", "name = \"t\"\nlabel = \"\\n\"", 14, "label: "),
        ("[[shard]]\nname = \"t\"", "[[shrd]]\nname = \"t\"", 12, "under [[node]] or [[shard]]"),
        ("[[shard]]\nname = \"t\"", " [[shard]] # t\nname = \"s\"", 13, "`s` is there twice"),
        ("name = \"t\"", "name = \"t\"\n[residency]", 14, "unknown field `residency`"),
        ("name = \"t\"", "name = \"\"\"\n[[shard]]\"\"\"", 14, "invalid multi-line"),
        ("name = \"t\"\n", "", 13, "missing field `name`"),
        ("[\"b\", \"a\"]", "[\"b\", \"c\"]", 14, "unknown owner: shard `t` is on `c`"),
        ("[\"b\", \"a\"]", "[\"b\", \"\\u0000\"]", 14, "holders: "),
    ] {
        let error = said(old, new);
        assert!(error.starts_with(&format!("t.toml, line {line}: ")), "{new}: {error}");
        assert!(error.contains(says) && error.contains("\nhelp: "), "{new}: {error}");
        assert!(!error.contains(['\u{1b}', '\u{202e}']), "{error:?}");
    }
}

#[test]
fn tables_that_break_their_rules_are_none() {
    for (old, new, says) in [
        ("[\"b\", \"a\"]", "[\"b\"]", "hole: copy 1 of shard `t`"),
        ("holders = [\"b\", \"a\"]\n", "", "hole: copy 0 of shard `t`"),
        ("[\"b\", \"a\"]", "[\"b\", \"b\"]", "twice: shard `t`"),
        ("name = \"a\"", "name = \"a\"\nweight = \"0\"", "weight 0: shard `s` is on `a`"),
        ("name = \"a\"", "name = \"a\"\ncapacity = 1", "capacity: `a` holds 2 copies of at most 1"),
        ("version = 2\nreplaces = 1\n", "", "there is no version"),
        (NODES, "", "unknown owner: shard `s` is on `a`"),
    ] {
        let error = said(old, new);
        assert!(error.contains(says), "{new}: {error}");
    }
    let open = "shards = 1\ncopies = 1\n[[shard]]\nname = \"s\"\n";
    let open = TableFile::parse("t.toml", open).unwrap();
    assert!(matches!(open.verify(), Err(Mistake::NoFleet)));
    let idle = said(NODES, &NODES.replace("\"\n", "\"\nweight = \"0\"\n"));
    assert!(idle.contains("no node of positive weight"), "{idle}");
}

/// What is said of rows in which one text stands for another.
fn said_of_rows(old: &str, new: &str) -> FileError {
    let table = start(3).plan().unwrap().table;
    let rows = table.to_rows();
    assert!(rows.contains(old), "{old} in {rows}");
    let read = TableFile::parse_rows("t.csv", &rows.replacen(old, new, 1), &table.roster.unwrap());
    read.expect_err(new)
}

#[test]
fn mistakes_in_rows_have_their_line() {
    for (old, new, line, says) in [
        ("version,", "versions,", 1, "columns: version,rows,row,shard"),
        (",copy-1", ",copy-2", 1, "columns: "),
        (",copy-1", ",1,2,3,4,5,6,7,8", 1, "copies: 9, at most 8 possible"),
        ("1,3,1,", "0,3,1,", 2, "version: a whole number"),
        ("1,3,2,", "2,3,2,", 3, "two tables are mixed"),
        ("1,3,1,", "1,1048577,1,", 2, "rows: 1048577, at most 1048576"),
        ("1,3,2,", "1,3,1,", 3, "row `1` is there twice"),
        ("1,3,2,", "1,3,x,", 3, "row: a whole number"),
        ("s1", "s0", 3, "shard `s0` is there twice"),
        ("s1", "", 3, "shard: a name has"),
        ("s1,", "s1,\u{202e}", 3, "label: "),
        ("node-1", "node-9", 3, "unknown owner: shard `s1` is on `node-9`"),
        ("node-1", "", 3, "hole: copy 0 of shard `s1`"),
        ("1,3,2,", "1,3,2,x,", 3, "record"),
        ("s1", "\"s1", 3, ""),
    ] {
        let error = said_of_rows(old, new);
        let text = error.to_string();
        assert_eq!(error.line, Some(line), "{new}: {text}");
        assert!(text.contains(says) && text.contains("\nhelp: "), "{new}: {text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
}

/// A row that is gone among others is a hole; a file that ends too early was cut.
#[test]
fn holes_and_cuts_are_told_apart() {
    let table = start(3).plan().unwrap().table;
    let (rows, roster) = (table.to_rows(), table.roster.unwrap());
    let without = |gone: usize| {
        let left = rows.lines().enumerate().filter(|(at, _)| *at != gone);
        let text: String = left.map(|(_, line)| format!("{line}\n")).collect();
        TableFile::parse_rows("t.csv", &text, &roster).unwrap_err().to_string()
    };
    for (gone, says) in [
        (1, "line 2: hole: row 1 of 3 is missing"),
        (2, "line 3: hole: row 2 of 3 is missing"),
        (3, "line 3: 3 rows are announced, and 2 are there: the file was cut"),
    ] {
        assert!(without(gone).contains(says), "{}", without(gone));
    }
    let longer = format!("{rows}1,3,4,s3,,,node-0,node-1\n");
    let error = TableFile::parse_rows("t.csv", &longer, &roster).unwrap_err().to_string();
    assert!(error.contains("3 rows are announced, and 4 are there"), "{error}");
    for end in 0..rows.len() {
        TableFile::parse_rows("t.csv", &rows[..end], &roster).expect_err("it was cut");
    }
}

#[test]
fn files_that_are_none_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let read = |bytes: &[u8]| {
        let path = folder.path().join("t.toml");
        std::fs::write(&path, bytes).unwrap();
        *TableFile::read(&path).unwrap_err().mistake
    };
    assert!(matches!(read(b""), Mistake::Cut));
    assert!(matches!(read(b"version = 1"), Mistake::Cut));
    assert!(matches!(read(b"version = 1\n\xff\n"), Mistake::NoText));
    assert!(matches!(read(b"[[[[\n"), Mistake::Syntax { .. }));
    assert!(matches!(read(&[0; 64]), Mistake::Cut));
    let deep = format!("x = {}\n", "[".repeat(100_000));
    assert!(matches!(read(deep.as_bytes()), Mistake::Syntax { .. }));
    // Small tables are large to a parser.
    let many = format!("x = [{}]\n", "{a=1},".repeat(1 << 20));
    assert!(matches!(read(many.as_bytes()), Mistake::TooLarge { .. }));
    let many = "shards = 1\ncopies = 1\n".to_string() + &"[[shard]]\nname='s'\n".repeat(1 << 20);
    assert!(matches!(read(many.as_bytes()), Mistake::Duplicate { .. }));
    let more = format!("{many}[[shard]]\n");
    assert!(matches!(read(more.as_bytes()), Mistake::TooLarge { asked: 1_048_577, .. }));
    assert!(matches!(read(&vec![b'#'; (64 << 20) + 1]), Mistake::TooLarge { .. }));
    let folder_itself = TableFile::read(folder.path()).unwrap_err();
    assert!(folder_itself.to_string().contains("not a regular file"), "{folder_itself}");
}

#[test]
fn fleets_that_are_none_are_refused() {
    let twin = |name: &str| Node { name: NodeName::new(name).unwrap(), ..Roster::numbered_node(0) };
    assert!(matches!(start(1).with_fleet(vec![]), Err(Mistake::Fleet(_))));
    let twice = start(1).with_fleet(vec![twin("a"), twin("a")]);
    assert!(matches!(twice, Err(Mistake::Fleet(_))));
    let few = start(1).with_fleet(vec![twin("a"), twin("b")]).unwrap();
    assert!(few.plan().is_ok(), "nodes without zones are zones of their own");
    let one = start(1).with_fleet(vec![twin("a")]).unwrap();
    assert!(matches!(one.plan(), Err(Mistake::Infeasible(_))));
}
