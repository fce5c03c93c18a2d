//! `placelab table plan`: the next version of a table, by the fewest moves.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use placelab_algorithms::shard_map::{Optimum, Spread};
use placelab_core::Roster;
use placelab_sim::diagnostics::{quoted, shown};
use placelab_tables::{COPIES_MAX, Mistake, Planned, SHARDS_MAX, TableFile, write_new};

use super::{extremes, failure, file_failure, shape};
use crate::commands::fleet::{DomainOptions, NODES_HELP};
use crate::commands::prepare;
use crate::failure::{Failure, say};
use crate::number::{grouped, number};
use crate::table::{Form, Table};

#[derive(Args)]
pub(crate) struct Options {
    /// The table as it is, or a start written by hand; without one, shards are numbered
    file: Option<PathBuf>,
    /// The file to write (TOML). Never overwrites
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[arg(
        long,
        value_name = "SPEC",
        allow_hyphen_values = true,
        required_unless_present = "file",
        help = NODES_HELP
    )]
    nodes: Option<String>,
    #[command(flatten)]
    domains: DomainOptions,
    /// Shards `shard-0` … of a first table
    #[arg(
        long,
        value_name = "N",
        allow_hyphen_values = true,
        required_unless_present = "file",
        conflicts_with = "file"
    )]
    shards: Option<String>,
    /// Copies of each shard instead of the table's, the owner's among them
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    copies: Option<String>,
    /// What copies must not share, instead of the table's: nodes, zones or racks
    #[arg(long, value_name = "KIND", allow_hyphen_values = true)]
    spread: Option<String>,
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let planned = self.start()?.plan().map_err(|mistake| self.refused(mistake))?;
        let roster = planned.table.verify().map_err(|mistake| self.refused(mistake))?;
        let text = planned.table.to_toml().map_err(|mistake| self.refused(mistake))?;
        write_new(&self.out, &text).map_err(file_failure)?;
        let out = self.out.display();
        let wrote = format!("wrote {out}; to activate it: placelab table activate {out} ACTIVE");
        say(&shown(&wrote));
        self.print(&planned, roster, text.len())
    }

    /// What is planned from: the file or numbered shards, with what options change.
    fn start(&self) -> Result<TableFile, Failure> {
        let mut table = match (&self.file, &self.shards) {
            (Some(file), _) => TableFile::read(file).map_err(file_failure)?,
            (None, shards) => {
                let shards = shards.as_deref().unwrap_or_default();
                TableFile::numbered(prepare::number("--shards", shards, SHARDS_MAX)? as usize)
            }
        };
        if let Some(copies) = &self.copies {
            let copies = prepare::number("--copies", copies, COPIES_MAX)?;
            table = table.with_copies(copies as usize);
        }
        if let Some(spread) = &self.spread {
            table.rules.spread = read_spread(spread)?;
        }
        match &self.nodes {
            Some(spec) => {
                let fleet = table.with_fleet(self.domains.deal(spec)?);
                fleet.map_err(|mistake| self.refused(mistake))
            }
            None => Ok(table),
        }
    }

    /// What cannot be planned, with the file where there is one.
    fn refused(&self, mistake: Mistake) -> Failure {
        match &self.file {
            Some(file) => file_failure(mistake.within(file)),
            None => failure(&mistake, format!("{mistake}\nhelp: {}", mistake.remedy())),
        }
    }

    fn print(&self, planned: &Planned, roster: &Roster, bytes: usize) -> Result<(), Failure> {
        let table = &planned.table;
        let loads = extremes(roster, &table.map.loads(roster));
        let owned = extremes(roster, &table.owned(roster));
        if self.json {
            let json = serde_json::json!({
                "file": self.out.display().to_string(),
                "version": table.version,
                "replaces": table.replaces,
                "shards": table.shards.len(),
                "copies": table.rules.copies,
                "nodes": roster.len(),
                "moves": planned.moves,
                "owners_changed": planned.owners_changed,
                "rows_changed": planned.rows_changed,
                "optimum": optimum(planned.optimum).0,
                "copies_per_weight": { "min": loads.0, "max": loads.1 },
                "owned_per_weight": { "min": owned.0, "max": owned.1 },
                "bytes": bytes,
            });
            return Ok(writeln!(io::stdout().lock(), "{json:#}")?);
        }
        let (name, means) = optimum(planned.optimum);
        let unit = if roster.is_weighted() { "unit of weight" } else { "node" };
        let whole = |count: u64| grouped(&count.to_string());
        let range = |(least, most): (f64, f64)| format!("{} to {}", number(least), number(most));
        let mut rows = Table::new(&["figure", "value"]);
        let mut row = |name: &str, value: String| rows.row([name.into(), value]);
        let replaces = table.replaces.map_or("the first".into(), |of| format!("replaces {of}"));
        row("version", format!("{}, {replaces}", table.version));
        row("table", shape(table, roster));
        row("copies made (moves)", whole(planned.moves));
        row("optimum", format!("{name}: {means}"));
        row("shards with another owner", whole(planned.owners_changed));
        row("rows changed", whole(planned.rows_changed));
        row(&format!("copies on a {unit}"), range(loads));
        row(&format!("shards owned by a {unit}"), range(owned));
        row("bytes", whole(bytes as u64));
        Ok(rows.print(Form::Text)?)
    }
}

fn read_spread(text: &str) -> Result<Spread, Failure> {
    Spread::named(text).ok_or_else(|| {
        let names = Spread::ALL.map(Spread::name).join(", ");
        Failure::Invalid(format!("--spread {}: one of {names} is needed", quoted(text)))
    })
}

/// What is known of how few moves there are: its name, and what it means.
fn optimum(optimum: Optimum) -> (&'static str, &'static str) {
    match optimum {
        Optimum::Proven => ("proven", "no map with these loads takes fewer moves"),
        Optimum::Heuristic => ("heuristic", "a rule of thumb; fewer moves might do"),
    }
}
