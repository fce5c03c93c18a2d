//! From results to a report: one HTML file, a Markdown summary, and for each chart a PNG picture
//! and its data as CSV; from several results to an index of their reports; from two results to
//! what changed; and from the runs of benches to their history.
//!
//! Everything here is a pure function of [`RunResults`] and [`Timings`], or of the runs: the same
//! input gives the same bytes. Results are taken as they are, however odd: what is missing or no
//! number leaves a gap in the report.
//!
//! A chart is made once, as marks on a plane, and drawn twice: as SVG inside the HTML file and as
//! a picture of its own. The page needs no other file, and is whole without its script, which
//! sorts, filters and highlights.

mod answer;
mod charts;
mod compare;
mod csv;
mod draw;
mod error;
mod font;
mod history;
mod index;
mod markdown;
mod number;
mod page;
mod palette;
mod scale;
mod scene;
mod standing;
mod subject;
mod summary;
mod table;
mod text;
mod theory;

use placelab_results::{RunResults, Timings};

use crate::charts::Chart;
use crate::subject::Subject;
use crate::table::Table;

pub use crate::compare::{COMPARISON_MARK, comparison, comparison_findings, comparison_markdown};
pub use crate::error::ReportError;
pub use crate::font::register_font;
pub use crate::history::{HISTORY_MARK, history};
pub use crate::index::{INDEX_MARK, IndexEntry, index};

/// One file of a report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Artifact {
    /// Its name: `index.html`, `summary.md`, `balance.png`, `balance.csv`. Never holds a folder.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Draws the report of a run: `index.html`, `summary.md`, `summary.csv`, and a PNG and a CSV for
/// each chart that the results have something for. Times are shown where there are some.
pub fn render(
    results: &RunResults,
    timings: Option<&Timings>,
) -> Result<Vec<Artifact>, ReportError> {
    let subject = Subject::new(results, timings);
    let charts = charts::all(&subject);
    let answer = answer::answer(&subject);
    let mut artifacts = vec![
        Artifact {
            name: "index.html".into(),
            bytes: page::page(&subject, &answer, &charts)?.into_bytes(),
        },
        Artifact {
            name: "summary.md".into(),
            bytes: markdown::summary(&subject, &answer, &charts).into_bytes(),
        },
        data("summary", &summary::table(&subject)),
    ];
    for chart in &charts {
        artifacts.push(picture(&subject, chart)?);
        artifacts.push(data(chart.name, &chart.table));
    }
    Ok(artifacts)
}

/// The rows of a table for other programs.
fn data(name: &str, table: &Table) -> Artifact {
    Artifact { name: format!("{name}.csv"), bytes: csv::csv(table) }
}

/// The chart as a picture that stands alone, with its title above and its source below.
fn picture(subject: &Subject, chart: &Chart) -> Result<Artifact, ReportError> {
    let scenario = &subject.results.scenario;
    let digest: String = scenario.sha256.chars().take(12).collect();
    let source = format!(
        "placelab {} · {} · scenario {digest} · {} keys · {}",
        subject.results.version,
        scenario.name,
        number::count(subject.results.keys.count),
        text::plural(subject.results.seeds.into(), "seed", "seeds"),
    );
    let scene = chart.scene.framed(chart.title, &chart.reading, &source);
    let texts = [
        ("Title", format!("{}: {}", scenario.title, chart.title)),
        ("Description", chart.finding.clone()),
        ("Software", format!("placelab {}", subject.results.version)),
        ("Scenario", scenario.name.clone()),
        ("Scenario SHA-256", scenario.sha256.clone()),
        ("Seeds", subject.seeds()),
    ];
    let bytes = draw::png(chart.name, &scene, &texts)?;
    Ok(Artifact { name: format!("{}.png", chart.name), bytes })
}
