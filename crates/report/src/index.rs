//! Several reports of one run on one page: what each found, and the way to it.

use maud::{DOCTYPE, Markup, html};
use placelab_results::{RunResults, Timings};

use crate::answer::answer;
use crate::page::{POLICY, facts, head};
use crate::subject::Subject;
use crate::table::Tone;
use crate::text::{list_up_to, one_line, opening, plural};

/// What tells an index from any other page: it stands in the first 1,024 bytes.
pub const INDEX_MARK: &str = "<meta name=\"generator\" content=\"placelab index\">";

/// One scenario of an index.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct IndexEntry<'a> {
    /// Name of the report's folder, beside the index.
    pub folder: &'a str,
    /// What was found out.
    pub results: &'a RunResults,
    /// How fast the contenders were, where they were timed: requirements may be about it.
    pub timings: Option<&'a Timings>,
}

/// Characters of a reason that stand on an index.
const WHY_MAX: usize = 220;
/// Contenders written out.
const NAMES_MAX: usize = 12;

/// Draws the index of several reports, in the order given, as one HTML page that needs no other
/// file and loads nothing. It begins with [`INDEX_MARK`] in its head.
pub fn index(entries: &[IndexEntry]) -> String {
    let title = plural(entries.len() as u64, "scenario", "scenarios");
    let version = entries.first().map_or("", |entry| entry.results.version.as_str());
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&title, "placelab index", POLICY))
            body {
                header {
                    p.product { "placelab · index" }
                    h1 { (title) }
                    p.facts { (standing(entries)) }
                }
                main { @for entry in entries { (article(entry)) } }
                footer { p { "Made by placelab " (version) "." } }
            }
        }
    };
    crate::text::document(&page.into_string())
}

/// Whether every expectation held: if not, no figure of that scenario should be relied on.
fn standing(entries: &[IndexEntry]) -> Markup {
    let broken: Vec<String> = entries
        .iter()
        .filter(|entry| entry.results.expectations.iter().any(|one| !one.met))
        .map(|entry| one_line(&entry.results.scenario.name))
        .collect();
    let stated: usize = entries.iter().map(|entry| entry.results.expectations.len()).sum();
    html! {
        @if stated == 0 {
            "No scenario states what has to hold. "
        } @else if broken.is_empty() {
            "Every expectation held. "
        } @else {
            span.bad { (Tone::Bad.sign()) " Some expectations did not hold" }
            " in " (list_up_to(&broken, NAMES_MAX)) ": see there before relying on the figures. "
        }
        "Each title leads to the report."
    }
}

fn article(entry: &IndexEntry) -> Markup {
    let subject = Subject::new(entry.results, entry.timings);
    let answer = answer(&subject);
    let scenario = &entry.results.scenario;
    let why = opening(&scenario.why, WHY_MAX);
    html! {
        article.entry {
            p.product { (one_line(&scenario.name)) }
            h2 { a href=(address(entry.folder)) { (one_line(&scenario.title)) } }
            @if !why.is_empty() { p.why { (why) } }
            p.headline { (answer.headline) }
            dl.facts {
                dt { "Suitable" }
                dd { (suitable(&answer.suitable)) }
                dt { "Expectations" }
                dd { (expectations(entry.results)) }
                dt { "Run" }
                dd { (facts(&subject)) }
            }
        }
    }
}

fn suitable(names: &[String]) -> String {
    if names.is_empty() { "none".into() } else { list_up_to(names, NAMES_MAX) }
}

fn expectations(results: &RunResults) -> Markup {
    let all = results.expectations.len();
    let held = results.expectations.iter().filter(|one| one.met).count();
    let tone = if held == all { Tone::Good } else { Tone::Bad };
    html! {
        @match all {
            0 => "none stated",
            _ => {
                span class=(if held == all { "good" } else { "bad" }) {
                    (tone.sign()) " " (held) " of " (all) " held"
                }
            }
        }
    }
}

/// The address of a report relative to the index. Whatever could end the path or begin another
/// kind of address is written as its bytes.
fn address(folder: &str) -> String {
    let mut address = String::from("./");
    for byte in folder.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                address.push(byte.into());
            }
            _ => address += &format!("%{byte:02X}"),
        }
    }
    address + "/index.html"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stay_beside_the_index() {
        assert_eq!(address("02-grow"), "./02-grow/index.html");
        assert_eq!(address("javascript:x"), "./javascript%3Ax/index.html");
        assert_eq!(address("a/b?c#d é"), "./a%2Fb%3Fc%23d%20%C3%A9/index.html");
    }
}
