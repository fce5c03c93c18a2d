//! Tables as HTML.

use maud::{Markup, html};

use crate::number;
use crate::palette::{Look, Marker};
use crate::table::{Cell, Column, Table, Tone};
use crate::text::plural;

/// The table in a box of its own, which scrolls where the page is narrower.
pub(crate) fn scrolling(table: &Table, label: &str) -> Markup {
    html! {
        div.table tabindex="0" role="region" aria-label=(label) {
            table {
                thead {
                    tr {
                        @for column in &table.columns {
                            th scope="col" class=[column.figures.then_some("figure")] {
                                (column.title)
                                @if !column.note.is_empty() { small { (column.note) } }
                            }
                        }
                    }
                }
                tbody {
                    @for row in table.shown() {
                        tr data-of=[row.look.and_then(|look| look.colour.contender)] {
                            @for (index, cell) in row.cells.iter().enumerate() {
                                @let look = row.look.filter(|_| index == 0);
                                (a_cell(cell, look, table.columns.get(index).filter(|_| index > 0)))
                            }
                        }
                    }
                }
            }
        }
        @if table.omitted > 0 {
            p.small {
                (plural(table.omitted as u64, "more row", "more rows"))
                " left out on this page."
            }
        }
    }
}

/// A cell of a column; of none where it names its row.
fn a_cell(cell: &Cell, look: Option<Look>, column: Option<&Column>) -> Markup {
    let content = html! {
        @if let Some(look) = look { (swatch(look)) }
        @match cell.tone {
            Tone::Plain => { (cell.text) }
            Tone::Good => { span.good { (cell.tone.sign()) " " (cell.text) } }
            Tone::Bad => { span.bad { (cell.tone.sign()) " " (cell.text) } }
        }
        @if !cell.note.is_empty() { small { (cell.note) } }
    };
    html! {
        @if let Some(column) = column {
            @let key = if column.figures { number::sort_key(&cell.text) } else { None };
            td class=[column.figures.then_some("figure")] data-value=[key] { (content) }
        } @else {
            th scope="row" { (content) }
        }
    }
}

/// The marker of a contender, as charts have it.
pub(super) fn swatch(look: Look) -> Markup {
    let colour = look.colour.hex();
    html! {
        svg.swatch viewBox="-6 -6 12 12" aria-hidden="true" {
            @match look.marker {
                Marker::Disc => { circle r="4.5" fill=(colour) {} }
                Marker::Square => { rect x="-4" y="-4" width="8" height="8" fill=(colour) {} }
                Marker::Triangle => { path d="M0-5 5 4-5 4Z" fill=(colour) {} }
                Marker::Diamond => { path d="M0-5.5 5.5 0 0 5.5-5.5 0Z" fill=(colour) {} }
                Marker::Cross => {
                    path d="M-4-4 4 4M-4 4 4-4" stroke=(colour) stroke-width="2.2" {}
                }
                Marker::Plus => { path d="M-5 0H5M0-5V5" stroke=(colour) stroke-width="2.2" {} }
                Marker::Circle => { circle r="4" fill="none" stroke=(colour) stroke-width="2" {} }
                Marker::Frame => {
                    rect x="-4" y="-4" width="8" height="8" fill="none" stroke=(colour)
                        stroke-width="2" {}
                }
            }
        }
    }
}
