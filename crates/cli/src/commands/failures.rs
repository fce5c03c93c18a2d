//! `placelab failures`: what each failure of a node, or of two, does to the others; what random
//! failures lose; and how far a failure goes where capacity is short.

mod question;
mod shown;

use std::io::{self, Write};

use clap::Args;
use placelab_core::{HashSeed, PlacementError, establish};
use placelab_results::{FailureAnswer, FailureQuestion};
use placelab_sim::failures::Inquiry;
use placelab_sim::keys::KeySource;
use placelab_sim::scenario::ContenderRequest;
use placelab_timing::Lookups;
use serde::Serialize;

use crate::commands::check::threads;
use crate::commands::fleet::FleetOptions;
use crate::commands::prepare;
use crate::failure::{Failure, say};
use question::Question;

#[derive(Args)]
pub(crate) struct Options {
    /// Contenders, such as ring:vnodes={1,160} or '*'; may be repeated
    #[arg(long, value_name = "SPEC", required = true)]
    algorithm: Vec<String>,
    #[command(flatten)]
    fleet: FleetOptions,
    /// How many keys
    #[arg(long, value_name = "N", default_value = "100_000", allow_hyphen_values = true)]
    keys: String,
    /// How many hash seeds
    #[arg(long, value_name = "S", default_value = "1", allow_hyphen_values = true)]
    seeds: String,
    /// For the cascade: each node can hold so many times its own load before the failure
    #[arg(long, value_name = "FACTOR", default_value = "1.5", allow_hyphen_values = true)]
    capacity: String,
    /// For losses: so many nodes fail at random
    #[arg(long, value_name = "F", default_value = "2", allow_hyphen_values = true)]
    down: String,
    /// Threads; results do not depend on it
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// One JSON object instead of tables
    #[arg(long)]
    json: bool,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let question = Question::read(&self)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads(self.threads)).build();
        let pool = pool.map_err(|error| Failure::Internal(error.into()))?;
        let answers = pool.install(|| question.answer())?;
        if self.json {
            let json = serde_json::to_string_pretty(&answers);
            let json = json.map_err(|error| Failure::Internal(error.into()))?;
            return Ok(writeln!(io::stdout().lock(), "{json}")?);
        }
        shown::print(&answers)
    }
}

/// What became of each contender; the JSON of the command.
#[derive(Serialize)]
struct Answers {
    #[serde(flatten)]
    question: FailureQuestion,
    contenders: Vec<Answer>,
}

#[derive(Serialize)]
struct Answer {
    contender: String,
    #[serde(flatten)]
    answer: FailureAnswer,
}

impl Question {
    /// Every contender, after what it will cost has been said.
    fn answer(&self) -> Result<Answers, Failure> {
        let source = KeySource::open(&self.keys).map_err(prepare::key_failure)?;
        let inquiry = self.inquiry();
        let lookups = Lookups::default();
        for contender in &self.contenders {
            match self.say_cost(&inquiry, contender, &source, &lookups) {
                Err(error) if contender.is_named => return Err(refused(contender, &error)),
                _ => {}
            }
        }
        let contenders = self.contenders.iter().map(|contender| Answer {
            contender: contender.name(),
            answer: inquiry.answer(contender, &source),
        });
        Ok(Answers { question: inquiry.question(&source), contenders: contenders.collect() })
    }

    /// Says on standard error what will be looked at, and what it will cost.
    fn say_cost(
        &self,
        inquiry: &Inquiry<'_>,
        contender: &ContenderRequest,
        source: &KeySource,
        lookups: &Lookups,
    ) -> Result<(), PlacementError> {
        let ContenderRequest { spec, arguments, .. } = contender;
        let placement = establish(spec, arguments, HashSeed::PUBLISHED, self.roster.clone())?;
        let chooser = self.copies.chooser(&self.roster)?;
        let ns = lookups.copies_ns(spec.reads, placement.as_ref(), &chooser);
        drop(placement);
        let plan = inquiry.plan(contender, source)?;
        let choices = plan.choices as f64 * f64::from(self.seeds);
        say(&format!(
            "{}: {}, about {:.1e} choices of copies, {:.1} s of processor time",
            contender.name(),
            shown::way(plan.way),
            choices,
            choices * ns / 1e9
        ));
        Ok(())
    }
}

/// A contender that was asked for by its name and cannot serve the fleet.
fn refused(contender: &ContenderRequest, error: &PlacementError) -> Failure {
    let text = format!("{}: {error}", contender.name());
    match error {
        PlacementError::Limit { .. } => Failure::Limit(text),
        _ => Failure::Invalid(text),
    }
}
