//! `placelab table`: shard maps in files, planned by the fewest moves, looked at and activated.

mod activate;
mod plan;
mod show;

use clap::Subcommand;
use placelab_core::{Roster, Weight};
use placelab_tables::{FileError, Mistake, TableFile};

use crate::failure::Failure;
use crate::number::grouped;

/// What can be done with a table.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Write the next version of a table, or the first, by the fewest moves
    Plan(plan::Options),
    /// Verify a table and say who holds how much
    Show(show::Options),
    /// Put a version in the place of the one that it was planned from
    Activate(activate::Options),
}

impl Command {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Command::Plan(options) => options.run(),
            Command::Show(options) => options.run(),
            Command::Activate(options) => options.run(),
        }
    }
}

/// What a file that cannot be used means for the exit code.
fn file_failure(error: FileError) -> Failure {
    failure(&error.mistake, error.to_string())
}

fn failure(mistake: &Mistake, text: String) -> Failure {
    match mistake {
        Mistake::Unreadable(_) | Mistake::Unwritable(_) => Failure::Internal(anyhow::anyhow!(text)),
        Mistake::TooLarge { .. } => Failure::Limit(text),
        _ => Failure::Invalid(text),
    }
}

/// The least and the most of the nodes that may hold something, over their weights.
fn extremes(roster: &Roster, loads: &[u64]) -> (f64, f64) {
    let serving = roster.nodes().iter().zip(loads).filter(|(node, _)| node.weight > Weight::ZERO);
    let ratios = serving.map(|(node, load)| *load as f64 / node.weight.as_f64());
    ratios.fold((f64::INFINITY, 0.0), |(least, most), ratio| (ratio.min(least), ratio.max(most)))
}

/// `1,024 shards, 3 copies of each in zones of their own, over 61 nodes`.
fn shape(table: &TableFile, roster: &Roster) -> String {
    let [shards, nodes] = [table.shards.len(), roster.len()].map(|n| grouped(&n.to_string()));
    let copies = match table.rules.copies {
        1 => "one copy of each".into(),
        copies => {
            let spread = table.rules.spread.name();
            format!("{copies} copies of each in {spread} of their own")
        }
    };
    format!("{shards} shards, {copies}, over {nodes} nodes")
}
