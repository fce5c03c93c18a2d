//! What the algorithms were found to keep.

use maud::{Markup, html};

use crate::page::tables;
use crate::subject::Subject;
use crate::summary;

pub(super) fn section(subject: &Subject) -> Markup {
    let laws = &subject.results.laws;
    html! {
        @if !laws.is_empty() {
            section aria-labelledby="certificate" {
                h2 id="certificate" { "Certificate" }
                p {
                    "The figures are worth as much as the code they come from. Each algorithm, \
                     with its default parameters, is held to " (laws.len()) " laws whenever \
                     placelab is built, and the laws to deliberately broken algorithms; "
                    code { "placelab check" } " holds them again."
                }
                (tables::scrolling(&summary::certificates(subject), "Certificate by algorithm"))
                details {
                    summary { "The laws in words" }
                    dl.words {
                        @for law in laws { dt { (law.name) } dd { (law.says) } }
                    }
                }
            }
        }
    }
}
