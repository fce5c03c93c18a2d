//! The report as one HTML file, whole without scripts, for screens light and dark, and for paper.

mod certificate;
mod method;
mod origin;
mod script;
pub(crate) mod tables;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use placelab_results::Role;

use crate::ReportError;
use crate::answer::Answer;
use crate::charts::{Chart, Figure};
use crate::number;
use crate::subject::Subject;
use crate::summary;
use crate::text::{list, one_line, plural};
use crate::theory;

const STYLE: &str = include_str!("page/style.css");
/// Cells of the data of a chart that are printed: about two sheets.
const PRINTED_CELLS_MAX: usize = 600;
/// Nothing is loaded from anywhere, and no script runs.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// The page.
pub(crate) fn page(
    subject: &Subject,
    answer: &Answer,
    charts: &[Chart],
) -> Result<String, ReportError> {
    let figures = charts
        .iter()
        .map(|chart| figure(&chart.figure()))
        .collect::<Result<Vec<Markup>, ReportError>>()?;
    let scenario = &subject.results.scenario;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&scenario.title, "placelab", &script::policy()))
            body {
                header {
                    p.product { "placelab · " (one_line(&scenario.name)) }
                    h1 { (one_line(&scenario.title)) }
                    @if !scenario.why.trim().is_empty() { p.why { (scenario.why) } }
                    p.facts { (facts(subject)) }
                }
                main {
                    (answer_section(subject, answer))
                    (summary_section(subject))
                    @if !figures.is_empty() {
                        section aria-labelledby="charts" {
                            h2 id="charts" { "Charts" }
                            @for figure in &figures { (figure) }
                        }
                    }
                    (expectations_section(subject))
                    (theory_section(subject))
                    (certificate::section(subject))
                    (method::section(subject))
                    (origin::section(subject))
                }
                footer { p { "Made by placelab " (subject.results.version) "." } }
                (script::element())
            }
        }
    };
    Ok(crate::text::document(&page.into_string()))
}

/// The head of a page, by its title, by what made it and by what it may do.
pub(crate) fn head(title: &str, generator: &str, policy: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="generator" content=(generator);
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (one_line(title)) " · placelab" }
            style { (PreEscaped(STYLE)) }
        }
    }
}

/// `1,000,000 uniform keys · 20 to 30 nodes · 20 hash seeds`.
pub(crate) fn facts(subject: &Subject) -> String {
    let results = subject.results;
    let sizes = results.plan.iter().flat_map(|timeline| &timeline.steps).map(|step| step.nodes);
    let (least, most) = (sizes.clone().min().unwrap_or(0), sizes.max().unwrap_or(0));
    let nodes = if least == most {
        plural(least.into(), "node", "nodes")
    } else {
        format!("{} to {} nodes", number::count(least.into()), number::count(most.into()))
    };
    let count = |role: Role| subject.names_of(role).len() as u64;
    let (exhibits, canaries) = (count(Role::Exhibit), count(Role::Canary));
    let mut who = vec![plural(count(Role::Rival), "contender", "contenders")];
    if exhibits > 0 {
        who.push(plural(exhibits, "exhibit", "exhibits"));
    }
    if canaries > 0 {
        who.push(plural(canaries, "canary", "canaries"));
    }
    let requests = results.keys.requests.map_or(String::new(), |requests| {
        format!(" with {}", plural(requests, "request", "requests"))
    });
    let copies = match results.replicas {
        0 | 1 => String::new(),
        replicas => {
            let rules = [("zones", &results.zone_rule), ("racks", &results.rack_rule)];
            let rules = rules.iter().filter(|(_, rule)| rule.as_str() != "ignore");
            let rules: Vec<String> =
                rules.map(|(kind, rule)| format!("{kind}: {}", one_line(rule))).collect();
            let rules = match rules.len() {
                0 => String::new(),
                _ => format!(" ({})", rules.join(", ")),
            };
            format!("{} of each key{rules}, ", plural(replicas.into(), "copy", "copies"))
        }
    };
    format!(
        "{} compared over {}{requests} ({}), {copies}a fleet of {nodes} and {}.",
        list(&who),
        plural(results.keys.count, "key", "keys"),
        one_line(&results.keys.source),
        plural(results.seeds.into(), "hash seed", "hash seeds"),
    )
}

fn answer_section(subject: &Subject, answer: &Answer) -> Markup {
    html! {
        section.answer aria-labelledby="answer" {
            h2 id="answer" { "Answer" }
            @if let Some(floor) = &answer.floor { p.floor { (floor) } }
            p.headline { (answer.headline) }
            (bullets("Why", &answer.reasons))
            @if !subject.results.requirements.is_empty() {
                h3 { "Requirements" }
                (tables::scrolling(&summary::requirements(subject), "Requirements by contender"))
                p.small { "Judged by the worst median over every step." }
            }
            @if !answer.differences.is_empty() {
                h3 { "What tells them apart" }
                dl.differences {
                    @for difference in &answer.differences {
                        div { dt { (difference.what) } dd { (difference.text) } }
                    }
                }
            }
            (bullets("What some cannot do", &answer.refusals))
            (bullets("What would change it", &answer.changes))
            (bullets("Keep in mind", &answer.cautions))
        }
    }
}

pub(crate) fn bullets(heading: &str, lines: &[String]) -> Markup {
    html! {
        @if !lines.is_empty() {
            h3 { (heading) }
            ul { @for line in lines { li { (line) } } }
        }
    }
}

fn summary_section(subject: &Subject) -> Markup {
    let interval = if subject.has_intervals() {
        "Each figure is the median over the hash seeds, with the range from the 5th to the 95th \
         percentile below it. Where ranges overlap, one draw of the hash may be on either side."
    } else {
        "One hash seed: there are no intervals, and small differences may be luck."
    };
    html! {
        section aria-labelledby="summary" {
            h2 id="summary" { "Summary" }
            p { (interval) }
            (tables::scrolling(&summary::table(subject), "Summary by contender"))
        }
    }
}

/// A chart with its caption and the table of its data.
pub(crate) fn figure(chart: &Figure) -> Result<Markup, ReportError> {
    let description = format!("{} {}", chart.reading, chart.finding);
    let svg = crate::draw::svg(chart.name, chart.scene, chart.title, &one_line(&description))?;
    Ok(html! {
        figure id=(chart.name) {
            div.plate {
                h3 { (chart.title) }
                p.reading { (chart.reading) }
                // The picture is wider than a telephone: it scrolls inside its own box.
                div.picture tabindex="0" { (PreEscaped(svg)) }
            }
            figcaption { (chart.finding) }
            (details(chart))
        }
    })
}

/// The data of a chart in a fold. On paper a long table would bury the charts: it stays away.
fn details(chart: &Figure) -> Markup {
    let Figure { title, table, .. } = *chart;
    let rows = table.shown().len();
    let is_long = rows * table.columns.len() > PRINTED_CELLS_MAX;
    html! {
        details class=[is_long.then_some("long")] {
            summary { "Data: " (title.to_lowercase()) }
            (tables::scrolling(table, title))
        }
        @if is_long {
            p.small.printed { "Not printed: " (plural(rows as u64, "row", "rows")) " of data." }
        }
    }
}

fn theory_section(subject: &Subject) -> Markup {
    html! {
        @if let Some(table) = theory::table(subject) {
            section aria-labelledby="theory" {
                h2 id="theory" { "Theory beside measurement" }
                p {
                    "What a formula says of fleets of nodes of weight 1, next to what this run \
                     found. A formula gives the mean or the root mean square over all hash \
                     seeds, as it says; beside it stands the same of the seeds of this run. \
                     Limits of many nodes are near the truth from some hundred nodes on."
                }
                (tables::scrolling(&table, "Theory beside measurement"))
            }
        }
    }
}

fn expectations_section(subject: &Subject) -> Markup {
    let expectations = &subject.results.expectations;
    let held = expectations.iter().filter(|expectation| expectation.met).count();
    html! {
        @if !expectations.is_empty() {
            section aria-labelledby="expectations" {
                h2 id="expectations" { "Expectations" }
                p {
                    "What had to hold if the simulation is right: " (held) " of "
                    (expectations.len()) " held."
                }
                (tables::scrolling(&summary::expectations(subject), "Expectations"))
            }
        }
    }
}
