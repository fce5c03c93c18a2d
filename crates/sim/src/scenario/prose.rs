//! `schema`, `title`, `why` and `seeds`: the head of a scenario.

use placelab_core::node::hides_text;

use super::field::Beyond;
use super::table::Table;

/// Version of the format.
const SCHEMA: u64 = 1;
/// Most hash seeds of a run.
const SEEDS_MAX: u64 = 1_000;

/// The head of a scenario.
pub(super) struct Prose {
    pub(super) title: String,
    pub(super) why: String,
    pub(super) seeds: u32,
}

/// Whether the file has the version that is read here. Where it has another, nothing else in it
/// can be judged.
pub(super) fn has_known_schema(table: &Table<'_>) -> bool {
    let Some(field) = table.get("schema") else {
        let error = table.error("the file does not say `schema = 1`");
        table.report.add(error.help("a scenario begins with the version of its format"));
        return true;
    };
    match field.count(0..=u64::MAX, Beyond::Wrong) {
        Some(SCHEMA) => true,
        Some(other) => {
            let message = format!("the format of this file is schema {other}");
            table.report.add(field.error(message).label("this version reads schema 1"));
            false
        }
        None => false,
    }
}

/// Reads the head; `name` is the title where there is none.
pub(super) fn read(table: &Table<'_>, name: &str) -> Option<Prose> {
    let title = match table.get("title") {
        Some(field) => field.line(),
        None => Some(name.into()),
    };
    let seeds = match table.get("seeds") {
        Some(field) => field.count_u32(1..=SEEDS_MAX, Beyond::Wrong),
        None => Some(1),
    };
    let why = why(table);
    Some(Prose { title: title?, why: why?, seeds: seeds? })
}

/// `why` may have several lines in the file; they are one paragraph.
fn why(table: &Table<'_>) -> Option<String> {
    let Some(field) = table.get("why") else { return Some(String::new()) };
    let text = field.text()?;
    match text.chars().find(|&c| hides_text(c) && c != '\n' && c != '\t') {
        None => Some(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        Some(c) => {
            let label = format!("it holds the character U+{:04X}", c as u32);
            table.report.add(field.error("`why` is visible text").label(label));
            None
        }
    }
}
