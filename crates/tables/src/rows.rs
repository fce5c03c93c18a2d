//! Rows of a table as CSV: for clients that look owners up, and for spreadsheets.
//!
//! Each row says its number and how many there are, so that a row that is missing and a file that
//! was cut are both noticed.

use csv::StringRecord;
use placelab_algorithms::shard_map::{Broken, Rules, Shard};
use placelab_core::Roster;

use crate::growing::{Growing, name};
use crate::mistake::{Misplaced, Mistake};
use crate::table_file::TableFile;
use crate::{COPIES_MAX, SHARDS_MAX};

/// The columns before the copies behind the owner.
const COLUMNS: [&str; 7] = ["version", "rows", "row", "shard", "label", "tenant", "owner"];

/// The columns of rows with so many copies.
fn columns(copies: usize) -> Vec<String> {
    let behind = (1..copies).map(|copy| format!("copy-{copy}"));
    COLUMNS.map(String::from).into_iter().chain(behind).collect()
}

/// The rows as text.
pub(crate) fn write(table: &TableFile) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut row = |cells: &[String]| writer.write_record(cells).expect("memory takes all rows");
    row(&columns(table.map.copies()));
    let (names, text) = (table.names(), |text: &Option<String>| text.clone().unwrap_or_default());
    for (at, shard) in table.shards.iter().enumerate() {
        let numbers = [table.version, table.shards.len() as u64, at as u64 + 1];
        let mut cells: Vec<String> = numbers.map(|number| number.to_string()).into();
        cells.extend([shard.name.clone(), text(&shard.label), text(&shard.tenant)]);
        let holders = table.map.holders(at).iter().map(|node| names.get(node));
        cells.extend(holders.map(|name| name.map(ToString::to_string).unwrap_or_default()));
        row(&cells);
    }
    let bytes = writer.into_inner().expect("memory takes all rows");
    String::from_utf8(bytes).expect("rows of text are text")
}

/// Reads rows over a fleet.
///
/// # Errors
/// The first mistake, with its place.
pub(crate) fn parse(text: &str, roster: &Roster) -> Result<TableFile, Misplaced> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let copies = read_header(reader.headers().map_err(unreadable)?)?;
    let mut growing = Growing::new(Some(roster), copies);
    let (mut table, mut end) = (None, text.len());
    for record in reader.records() {
        let record = record.map_err(unreadable)?;
        let at = record.position().map_or(0, |position| position.byte() as usize);
        let row = read_row(&record, &mut growing, &mut table);
        row.map_err(|mistake| Misplaced { at, mistake })?;
        end = at;
    }
    let Some(Numbers { version, rows }) = table else {
        return Err(Misplaced { at: end, mistake: Mistake::Cut });
    };
    if growing.len() != rows {
        let count = Mistake::Count { what: "rows", said: rows, found: growing.len() };
        return Err(Misplaced { at: end, mistake: count });
    }
    let (shards, map) = growing.finish();
    let rules = Rules { copies, ..Rules::default() };
    Ok(TableFile { version, replaces: None, roster: Some(roster.clone()), rules, shards, map })
}

fn unreadable(error: csv::Error) -> Misplaced {
    let at = error.position().map_or(0, |position| position.byte() as usize);
    Misplaced { at, mistake: Mistake::syntax(&error.to_string()) }
}

/// How many copies the rows have.
fn read_header(header: &StringRecord) -> Result<usize, Misplaced> {
    let wrong = |mistake| Err(Misplaced { at: 0, mistake });
    let copies = (header.len() + 1).saturating_sub(COLUMNS.len());
    if copies as u64 > COPIES_MAX {
        let asked = copies as u64;
        return wrong(Mistake::TooLarge { what: "copies", asked, possible: COPIES_MAX });
    }
    match copies > 0 && columns(copies) == header.iter().collect::<Vec<_>>() {
        true => Ok(copies),
        false => {
            let expected = format!("{},copy-1,… are needed", COLUMNS.join(","));
            wrong(Mistake::value("columns", expected))
        }
    }
}

/// What every row repeats.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Numbers {
    version: u64,
    rows: u64,
}

fn read_row(
    record: &StringRecord,
    growing: &mut Growing<'_>,
    table: &mut Option<Numbers>,
) -> Result<(), Mistake> {
    let numbers = Numbers {
        version: number(record, 0, i64::MAX as u64)?,
        rows: number(record, 1, SHARDS_MAX)?,
    };
    if *table.get_or_insert(numbers) != numbers {
        let reason = "other numbers than the rows before: two tables are mixed";
        return Err(Mistake::value("version, rows", reason));
    }
    let (row, expected) = (number(record, 2, SHARDS_MAX)?, growing.len() + 1);
    if row < expected {
        return Err(Mistake::Duplicate { what: "row", name: row.to_string() });
    }
    if row > expected {
        return Err(Mistake::MissingRow { row: expected, rows: numbers.rows });
    }
    let optional = |column: usize| match &record[column] {
        "" => Ok(None),
        text => name(COLUMNS[column], text).map(|name| Some(name.to_string())),
    };
    let shard = Shard {
        name: name(COLUMNS[3], &record[3])?.to_string(),
        label: optional(4)?,
        tenant: optional(5)?,
    };
    growing.shard(shard)?;
    for (copy, node) in record.iter().skip(COLUMNS.len() - 1).enumerate() {
        if node.is_empty() {
            let hole = Broken::Hole { shard: record[3].into(), copy };
            return Err(Mistake::Broken(hole));
        }
        growing.holder(copy, node)?;
    }
    Ok(())
}

/// A whole number from 1 to a limit.
fn number(record: &StringRecord, column: usize, possible: u64) -> Result<u64, Mistake> {
    let what = COLUMNS[column];
    match record[column].parse() {
        Err(_) | Ok(0) => Err(Mistake::value(what, "a whole number from 1 on is needed")),
        Ok(asked) if asked > possible => Err(Mistake::TooLarge { what, asked, possible }),
        Ok(number) => Ok(number),
    }
}
