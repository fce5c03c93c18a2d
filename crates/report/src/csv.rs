//! Tables as CSV for other programs, as RFC 4180 has it: figures as plain numbers, their unit in
//! the head of the column.

use crate::number::{NONE, plain};
use crate::table::{Cell, Column, Table};
use crate::text::one_line;

/// What stands between the ends of a range.
const DASH: char = '–';

/// The table with every row, those left out of pages too.
pub(crate) fn csv(table: &Table) -> Vec<u8> {
    let columns: Vec<Vec<String>> = table
        .columns
        .iter()
        .enumerate()
        .flat_map(|(index, column)| {
            let cells = table.rows.iter().map(|row| row.cells.get(index));
            fields(column, &cells.collect::<Vec<_>>())
        })
        .collect();
    let mut writer =
        ::csv::WriterBuilder::new().terminator(::csv::Terminator::CRLF).from_writer(Vec::new());
    for line in 0..=table.rows.len() {
        let record = columns.iter().map(|column| guarded(&column[line]));
        writer.write_record(record).expect("memory takes records of one length");
    }
    writer.into_inner().expect("memory takes every record")
}

/// The fields that a column becomes, each with its head first: what its cells say, and what their
/// notes add.
fn fields(column: &Column, cells: &[Option<&Cell>]) -> Vec<Vec<String>> {
    let parts = |part: fn(&Cell) -> &String| -> Vec<String> {
        cells.iter().map(|cell| cell.map_or(String::new(), |cell| part(cell).clone())).collect()
    };
    let named = |end: &str| Column { title: format!("{}, {end}", column.title), ..column.clone() };
    let notes = parts(|cell| &cell.note);
    let mut fields = vec![field(column, &parts(|cell| &cell.text))];
    if notes.iter().all(String::is_empty) {
        return fields;
    }
    let ranges: Option<Vec<[String; 3]>> = notes.iter().map(|note| ends(note)).collect();
    match ranges.filter(|_| column.figures && notes.iter().any(|note| note.contains(DASH))) {
        Some(ranges) => {
            let part = |part: usize| -> Vec<String> {
                ranges.iter().map(|range| range[part].clone()).collect()
            };
            fields.extend([field(&named("low"), &part(0)), field(&named("high"), &part(1))]);
            if ranges.iter().any(|[.., rest]| !rest.is_empty()) {
                fields.push(field(&named("note"), &part(2)));
            }
        }
        None => fields.push(field(&named("note"), &notes)),
    }
    fields
}

/// Both ends of a printed range, each with its unit, and what follows a comma; nothing where it
/// is no range.
fn ends(note: &str) -> Option<[String; 3]> {
    let (range, rest) = note.split_once(", ").unwrap_or((note, ""));
    if range.is_empty() || range == NONE {
        return Some([String::new(), String::new(), rest.to_string()]);
    }
    let (low, high) = range.split_once(DASH).unwrap_or((range, range));
    let unit = high.split_once(' ').map(|(_, unit)| unit).filter(|_| !low.contains(' '));
    let low = unit.map_or(low.to_string(), |unit| format!("{low} {unit}"));
    plain(&low).and(plain(high))?;
    Some([low, high.to_string(), rest.to_string()])
}

/// A head and the texts below it. Where all that are figures have one unit, it goes to the head.
fn field(column: &Column, texts: &[String]) -> Vec<String> {
    let read = |text| plain(text).filter(|_| column.figures);
    let figures: Vec<Option<(String, &str)>> = texts.iter().map(|text| read(text)).collect();
    let mut units = figures.iter().flatten().map(|(_, unit)| *unit);
    let unit = units.next().filter(|first| units.all(|unit| unit == *first));
    let scope = [unit.unwrap_or_default(), &column.note].map(str::trim);
    let head = match scope.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>() {
        scope if scope.is_empty() => column.title.clone(),
        scope => format!("{} ({})", column.title, scope.join("; ")),
    };
    let value = |(text, figure): (&String, &Option<(String, &str)>)| match figure {
        _ if text == NONE => String::new(),
        Some((digits, _)) if unit.is_some() => digits.clone(),
        _ => text.clone(),
    };
    let values = std::iter::zip(texts, &figures).map(value);
    std::iter::once(head).chain(values).collect()
}

/// The text such that no spreadsheet takes it for a formula.
fn guarded(text: &str) -> String {
    let text = one_line(text);
    let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
    match text.starts_with(['=', '+', '-', '@']) && !is_number {
        true => format!("'{text}"),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(columns: Vec<Column>, rows: Vec<Vec<Cell>>) -> String {
        let rows = rows.into_iter().map(Into::into).collect();
        String::from_utf8(csv(&Table { columns, rows, omitted: 0 })).unwrap()
    }

    #[test]
    fn figures_are_plain_and_units_stand_in_the_head() {
        let columns = vec![
            Column::words("contender"),
            Column::figures("lookup time", "batch"),
            Column::figures("moved", ""),
            Column::figures("memory", "derived"),
        ];
        let row = |name: &str, time: &str, range: &str, moved: &str, memory: &str| {
            let time = Cell::new(time).with_note(range);
            vec![Cell::new(name), time, Cell::new(moved), Cell::new(memory).with_note("16 B")]
        };
        let rows = vec![
            row("a, b", "1.24 µs", "900 ns–1.30 µs", "33.3 %", "1.0 kB"),
            row("\"c\"", "18.2 ns", "18.0–18.4 ns, A/A 1.0 %", "–", "3 rows"),
            row("d", "–", "", "< 0.01 %", ""),
        ];
        assert_eq!(
            written(columns, rows),
            "contender,lookup time (ns; batch),\"lookup time, low (ns; batch)\",\
             \"lookup time, high (ns; batch)\",\"lookup time, note (batch)\",\
             moved (%),memory (derived),\"memory, note (B; derived)\"\r\n\
             \"a, b\",1240,900,1300,,33.3,1.0 kB,16\r\n\
             \"\"\"c\"\"\",18.2,18.0,18.4,A/A 1.0 %,,3 rows,16\r\n\
             d,,,,,< 0.01 %,,16\r\n"
        );
    }

    #[test]
    fn nothing_is_a_formula() {
        let texts = ["=1+1", "+x", "-x", "@x", "\t=x", "−1.5", "-1.5", "+0.12", "a\r\nb"];
        let rows = texts.map(|text| vec![Cell::new(text)]).into();
        assert_eq!(
            written(vec![Column::words("=head")], rows),
            "'=head\r\n'=1+1\r\n'+x\r\n'-x\r\n'@x\r\n\u{fffd}=x\r\n−1.5\r\n-1.5\r\n+0.12\r\n\
             a\u{fffd}\u{fffd}b\r\n"
        );
    }

    #[test]
    fn short_rows_and_empty_tables_are_written() {
        let columns = || vec![Column::words("a"), Column::words("b")];
        assert_eq!(written(columns(), vec![vec![Cell::new("x")]]), "a,b\r\nx,\r\n");
        assert_eq!(written(columns(), vec![]), "a,b\r\n");
    }
}
