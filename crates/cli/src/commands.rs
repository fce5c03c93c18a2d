//! One file a command.

mod bench;
mod certify;
mod check;
mod compare;
mod explain;
mod explore;
mod failures;
mod fleet;
mod init;
mod keys;
mod list;
mod null;
mod place;
mod prepare;
mod report;
mod run;
mod table;
mod time;

use clap::Subcommand;

use crate::failure::Failure;

/// What placelab can do.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Replay scenarios against every contender and write reports
    Run(run::Options),
    /// Validate scenario files, print plan and cost; without a file, certify every algorithm
    Check(check::Options),
    /// List algorithms, metrics, hashes or scenarios
    List(list::Options),
    /// Place keys: one line a key with its node or nodes
    Place(place::Options),
    /// Explain how one key gets to its node, step by step
    Explain(explain::Options),
    /// Write a page in which one sees how keys are placed
    Explore(explore::Options),
    /// Say what chance gives, and whether observed counts are chance
    Null(null::Options),
    /// Say what every failure does to the others, what random ones lose, and how far they go
    Failures(failures::Options),
    /// Plan tables of shards, look at them, and put one version in the place of another
    #[command(subcommand)]
    Table(table::Command),
    /// Record what `cargo bench` found, compare two builds, and draw the history
    #[command(subcommand)]
    Bench(bench::Command),
    /// Say what changed from one run to another, and fail where a figure went too far
    Compare(compare::Options),
    /// Draw a report again from its results
    Report(report::Options),
    /// Write a commented scenario to start from
    Init(init::Options),
}

impl Command {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Command::Run(options) => options.run(),
            Command::Check(options) => options.run(),
            Command::List(options) => options.run(),
            Command::Place(options) => options.run(),
            Command::Explain(options) => options.run(),
            Command::Explore(options) => options.run(),
            Command::Null(options) => options.run(),
            Command::Failures(options) => options.run(),
            Command::Table(command) => command.run(),
            Command::Bench(command) => command.run(),
            Command::Compare(options) => options.run(),
            Command::Report(options) => options.run(),
            Command::Init(options) => options.run(),
        }
    }
}
