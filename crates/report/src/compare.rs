//! Two runs compared, on a page, as Markdown, and in sentences.

mod cautions;
mod tables;
mod words;

use maud::{DOCTYPE, Markup, html};
use placelab_results::{Comparison, Sides, Times};

use crate::markdown;
use crate::page::{POLICY, bullets, head, tables as drawn};
use crate::table::Table;
use crate::text::{document, one_line, plural};
use words::Story;

/// What tells a comparison from any other page: it stands in the first 1,024 bytes.
pub const COMPARISON_MARK: &str = "<meta name=\"generator\" content=\"placelab comparison\">";

/// How figures are compared, for whoever did not read the manual.
const METHOD: &str = "Contenders are matched by their names. A figure is the median over the hash \
    seeds at the step where it is worst, in each run; below it stands its range from the 5th to \
    the 95th percentile. It is named where the ranges lie apart. Ranges that overlap do not show \
    that nothing changed. Seeds are not paired: a small change that every seed shows stays within \
    the ranges.";

/// How times are.
const TIMES_METHOD: &str = "A time is the median of its rounds; below it stand the least and the \
    largest. It is named where those of both runs lie apart, and the medians by more than the A/A \
    spread of either. That covers what happened within a run: the next run of the same program \
    may be off by a third. Whether a program became slower is what `placelab bench compare` \
    answers, by many launches in turns.";

/// A table under its heading.
struct Part {
    anchor: &'static str,
    heading: &'static str,
    table: Table,
}

/// The tables of a comparison that have rows.
fn parts(comparison: &Comparison) -> Vec<Part> {
    let part = |anchor, heading, table| Part { anchor, heading, table };
    let mut parts = vec![
        part("design", "What changed in the question", tables::design(comparison)),
        part("suitable", "Who is suitable", tables::suitable(comparison)),
        part("figures", "Figures beyond their ranges", tables::figures(comparison)),
    ];
    match &comparison.times {
        Times::Missing { .. } => {}
        Times::OtherMachine { machine } => {
            parts.push(part("times", "Times of different machines", tables::changes(machine)));
        }
        Times::Compared(times) => {
            parts.push(part("times", "Times beyond their rounds", tables::times(times)));
        }
    }
    parts.retain(|part| !part.table.rows.is_empty());
    parts
}

fn title(comparison: &Comparison) -> String {
    let titles = comparison.runs.as_ref().map(|run| one_line(&run.title));
    match titles.differ() {
        true => format!("{}, and then: {}", titles.before, titles.after),
        false => titles.after,
    }
}

/// Which runs they are.
fn facts(comparison: &Comparison) -> Sides<String> {
    comparison.runs.as_ref().map(|run| {
        format!(
            "{}, {}, {}, placelab {}",
            one_line(&run.scenario),
            plural(run.keys, "key", "keys"),
            plural(run.seeds.into(), "hash seed", "hash seeds"),
            one_line(&run.version)
        )
    })
}

/// What is said at the head of a comparison, a sentence each: the headline, and what it is made of.
pub fn comparison_findings(comparison: &Comparison) -> Vec<String> {
    let story = Story::of(comparison);
    let mut lines = vec![story.headline];
    lines.extend(story.verdicts);
    let said = story.figures.into_iter().chain(story.times);
    lines.extend(said.map(|one| format!("{}: {}", one.what, one.text)));
    lines.extend(story.cautions);
    lines
}

/// Draws a comparison as one HTML page that needs no other file and loads nothing. It begins with
/// [`COMPARISON_MARK`] in its head.
pub fn comparison(comparison: &Comparison) -> String {
    let (title, facts) = (title(comparison), facts(comparison));
    let parts = parts(comparison);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&title, "placelab comparison", POLICY))
            body {
                header {
                    p.product { "placelab · comparison" }
                    h1 { (title) }
                    dl.facts {
                        dt { "Before" } dd { (facts.before) }
                        dt { "After" } dd { (facts.after) }
                    }
                }
                main {
                    (answer(&Story::of(comparison)))
                    @for Part { anchor, heading, table } in &parts {
                        section aria-labelledby=(anchor) {
                            h2 id=(anchor) { (heading) }
                            (drawn::scrolling(table, heading))
                        }
                    }
                    section aria-labelledby="method" {
                        h2 id="method" { "How they were compared" }
                        @for text in method(comparison) { p { (text) } }
                    }
                }
                footer { p { "Made by placelab from two results." } }
            }
        }
    };
    document(&page.into_string())
}

fn answer(story: &Story) -> Markup {
    let said = [("Figures", &story.figures), ("Times", &story.times)];
    html! {
        section.answer aria-labelledby="answer" {
            h2 id="answer" { "What changed" }
            p.headline { (story.headline) }
            (bullets("Verdicts", &story.verdicts))
            @for (heading, differences) in said {
                @if !differences.is_empty() {
                    h3 { (heading) }
                    dl.differences {
                        @for difference in differences {
                            div { dt { (difference.what) } dd { (difference.text) } }
                        }
                    }
                }
            }
            (bullets("Keep in mind", &story.cautions))
        }
    }
}

fn method(comparison: &Comparison) -> Vec<&'static str> {
    match comparison.times {
        Times::Compared(_) => vec![METHOD, TIMES_METHOD],
        _ => vec![METHOD],
    }
}

/// The same as Markdown.
pub fn comparison_markdown(comparison: &Comparison) -> String {
    let story = Story::of(comparison);
    let facts = facts(comparison);
    let mut out = format!("# {}\n\n", markdown::escaped(&title(comparison)));
    let which = [("Before", facts.before), ("After", facts.after)];
    markdown::list(&mut out, which.into_iter().map(|(side, facts)| format!("{side}: {facts}")));
    out += &format!("**{}**\n\n", markdown::escaped(&story.headline));
    let differences = |all: Vec<crate::answer::Difference>| {
        all.into_iter().map(|one| format!("{}: {}", one.what, one.text)).collect()
    };
    let lists = [
        ("Verdicts", story.verdicts),
        ("Figures", differences(story.figures)),
        ("Times", differences(story.times)),
        ("Keep in mind", story.cautions),
    ];
    for (heading, lines) in lists.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        out += &format!("## {heading}\n\n");
        markdown::list(&mut out, lines.into_iter());
    }
    for part in parts(comparison) {
        out += &format!("## {}\n\n", part.heading);
        markdown::table(&mut out, &part.table);
        if part.table.omitted > 0 {
            let more = plural(part.table.omitted as u64, "more row", "more rows");
            markdown::paragraph(&mut out, &format!("{more} left out."));
        }
    }
    out += "## How they were compared\n\n";
    method(comparison).into_iter().for_each(|text| markdown::paragraph(&mut out, text));
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}
