//! `placelab compare`: what changed from one run to another.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use placelab_report::{comparison, comparison_findings, comparison_markdown};
use placelab_results::{Comparison, Condition, Run, RunResults, Timings, Turn, compare};
use placelab_sim::diagnostics::shown;
use serde_json::json;

use super::report;
use crate::failure::{Failure, unless_closed};
use crate::folder::{self, COMPARISON};
use crate::number::number;
use crate::table::{Form, Table};

#[derive(Args)]
pub(crate) struct Options {
    /// The run before: a report's folder, or a file of results, which brings no times
    before: PathBuf,
    /// The run after: likewise
    after: PathBuf,
    /// Exit with 3 where this is true of a rival of AFTER at its worst step, as `load.excess >
    /// 0.05`, or of its change since BEFORE, as `change of load.excess > 0.01`: a metric, one of >
    /// >= < <= and a number. May be given again
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    fail_on: Vec<String>,
    /// Draw the comparison as a page that stands alone
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// One JSON object instead of sentences and a table
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Markdown instead of sentences and a table
    #[arg(long)]
    markdown: bool,
}

/// What was read of a run.
type Read = (RunResults, Option<Timings>);

/// A condition with each rival that has such a figure.
struct Judged<'a> {
    condition: &'a Condition,
    values: Vec<(&'a str, f64)>,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if let Some(page) = &self.html {
            folder::check_page(&COMPARISON, page)?;
        }
        let conditions = self.conditions()?;
        let (before, after) = (read(&self.before)?, read(&self.after)?);
        let (before, after) = (run_of(&before), run_of(&after));
        let judged = conditions.iter().map(|condition| judge(condition, before, after));
        let judged = judged.collect::<Result<Vec<Judged>, Failure>>()?;
        let compared = compare(before, after);
        if let Some(page) = &self.html {
            folder::replace_page(&COMPARISON, page, &comparison(&compared))?;
        }
        unless_closed(self.print(&compared, &judged).map_err(Failure::from))?;
        let broken: Vec<String> = judged.iter().flat_map(Judged::broken).collect();
        if broken.is_empty() { Ok(()) } else { Err(Failure::Unmet(broken.join("\n"))) }
    }

    fn conditions(&self) -> Result<Vec<Condition>, Failure> {
        let parsed = self.fail_on.iter().map(|text| {
            let invalid = |error| Failure::Invalid(format!("--fail-on `{text}`: {error}"));
            text.parse().map_err(invalid)
        });
        parsed.collect()
    }

    fn print(&self, compared: &Comparison, judged: &[Judged]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.json {
            let conditions: Vec<_> = judged.iter().map(Judged::json).collect();
            let all = json!({ "comparison": compared, "conditions": conditions });
            return writeln!(out, "{all:#}");
        }
        if self.markdown {
            return write!(out, "{}", comparison_markdown(compared));
        }
        for line in comparison_findings(compared) {
            writeln!(out, "{line}")?;
        }
        drop(out);
        match compared.figures.differences.is_empty() {
            true => Ok(()),
            false => table(compared).print(Form::Text),
        }
    }
}

/// Reads a report's folder, or a file of results.
fn read(path: &Path) -> Result<Read, Failure> {
    match path.is_dir() {
        true => report::read(path),
        false => Ok((report::read_results(path)?, None)),
    }
}

fn run_of((results, timings): &Read) -> Run<'_> {
    Run { results, timings: timings.as_ref() }
}

/// A condition about a figure that nobody has would hold whatever happens: it is refused.
fn judge<'a>(condition: &'a Condition, before: Run, after: Run<'a>) -> Result<Judged<'a>, Failure> {
    let values = condition.values(before, after);
    match values.is_empty() {
        true => Err(Failure::Invalid(format!(
            "--fail-on `{condition}`: no rival of the run after has this figure, so that it could \
             never come true: choose one that its results have; times are read from folders only, \
             and change on one machine only"
        ))),
        false => Ok(Judged { condition, values }),
    }
}

impl Judged<'_> {
    fn broken(&self) -> Vec<String> {
        let met = self.values.iter().filter(|(_, value)| self.condition.is_met_by(*value));
        let line = |(name, value): &(&str, f64)| format!("{}: {name} has {value}", self.condition);
        met.map(line).collect()
    }

    fn json(&self) -> serde_json::Value {
        let value = |(name, value): &(&str, f64)| {
            json!({
                "contender": name,
                "value": value,
                "met": self.condition.is_met_by(*value),
            })
        };
        json!({
            "condition": self.condition.to_string(),
            "values": self.values.iter().map(value).collect::<Vec<_>>(),
        })
    }
}

/// The figures that differ, by the ids that `--fail-on` takes.
fn table(compared: &Comparison) -> Table {
    let mut table = Table::new(&["contender", "metric", "before", "after", "turn"]);
    for one in &compared.figures.differences {
        let turn = match one.turn {
            Turn::Better => "better",
            Turn::Worse => "worse",
            Turn::Neither => "no order",
        };
        let medians = one.sides.as_ref().map(|figure| figure.median);
        // Values that differ read differently, whatever it takes.
        let short = medians.map(number);
        let values = if short.differ() { short } else { medians.map(|value| value.to_string()) };
        let contender = shown(&one.contender);
        table.row([contender, one.metric.clone(), values.before, values.after, turn.into()]);
    }
    table
}
