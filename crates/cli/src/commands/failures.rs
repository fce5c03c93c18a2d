//! `placelab failures`: what each failure of a node, or of two, does to the others; what random
//! failures lose; and how far a failure goes where capacity is short.

mod question;
mod shown;

use std::io::{self, Write};

use clap::Args;
use placelab_core::{HashSeed, PlacementError, establish};
use placelab_metrics::failures::{Aftermath, Failures, summarise};
use placelab_metrics::loss::Loss;
use placelab_sim::failures::{Cascades, Keyset, Plan, Subject};
use placelab_sim::keys::KeySource;
use placelab_sim::scenario::ContenderRequest;
use placelab_timing::Lookups;

use crate::commands::check::threads;
use crate::commands::prepare;
use crate::failure::{Failure, say};
use question::Question;

#[derive(Args)]
pub(crate) struct Options {
    /// Contenders, such as ring:vnodes={1,160} or '*'; may be repeated
    #[arg(long, value_name = "SPEC", required = true)]
    algorithm: Vec<String>,
    /// Count, list `name[=weight][@zone],…` or @FILE.csv with columns name, weight, zone, rack
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    nodes: String,
    /// Copies of each key, on distinct nodes
    #[arg(long, value_name = "R", default_value = "1", allow_hyphen_values = true)]
    replicas: String,
    /// How many keys
    #[arg(long, value_name = "N", default_value = "100_000", allow_hyphen_values = true)]
    keys: String,
    /// How many hash seeds
    #[arg(long, value_name = "S", default_value = "1", allow_hyphen_values = true)]
    seeds: String,
    /// Zones that a count of nodes is dealt out to
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    zones: Option<String>,
    /// Racks that the nodes of each zone, or of the fleet, are dealt out to
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    racks: Option<String>,
    /// What copies have to do with zones: ignore, prefer or spread
    #[arg(long, value_name = "RULE", default_value = "ignore")]
    zone_rule: String,
    /// What copies have to do with racks: ignore, prefer or spread
    #[arg(long, value_name = "RULE", default_value = "ignore")]
    rack_rule: String,
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
            let json = shown::json(&question, &answers);
            return Ok(writeln!(io::stdout().lock(), "{json:#}")?);
        }
        shown::print(&question, &answers)
    }
}

/// What became of one contender: or why it cannot serve the fleet.
struct Answer {
    contender: String,
    found: Result<Found, PlacementError>,
}

/// Figures over all hash seeds.
struct Found {
    /// Of the first seed.
    plan: Plan,
    /// Largest load over its fair part before anybody fails, over the seeds.
    peak: f64,
    singles: Option<Failures>,
    pairs: Option<Failures>,
    /// Mean number of others with which a node shares keys.
    partners: f64,
    /// That every copy of some key is lost.
    all_lost: Loss,
    /// That a quorum of the copies of some key is.
    quorum_lost: Loss,
    cascades: Option<Cascades>,
}

/// What one hash seed adds.
struct SeedFound {
    peak: f64,
    partners: f64,
    losses: [Loss; 2],
    cascades: Option<Cascades>,
    singles: Vec<Aftermath>,
    pairs: Vec<Aftermath>,
}

impl Question {
    /// Every contender, after what it will cost has been said.
    fn answer(&self) -> Result<Vec<Answer>, Failure> {
        let source = KeySource::open(&self.keys).map_err(prepare::key_failure)?;
        let lookups = Lookups::default();
        let mut plans = Vec::new();
        for contender in &self.contenders {
            match self.plan(contender, &source, &lookups) {
                Err(error) if contender.is_named => return Err(refused(contender, &error)),
                plan => plans.push(plan),
            }
        }
        let answer =
            |(contender, plan): (&ContenderRequest, Result<Plan, PlacementError>)| Answer {
                contender: contender.name(),
                found: plan.and_then(|plan| self.found(contender, &source, plan)),
            };
        Ok(self.contenders.iter().zip(plans).map(answer).collect())
    }

    fn with_subject<T>(
        &self,
        contender: &ContenderRequest,
        source: &KeySource,
        seed: HashSeed,
        then: impl FnOnce(Subject<'_>) -> Result<T, PlacementError>,
    ) -> Result<T, PlacementError> {
        let ContenderRequest { spec, arguments, .. } = contender;
        let placement = establish(spec, arguments, seed, self.roster.clone())?;
        let keys = Keyset::of(source, spec.reads, seed);
        then(Subject::new(spec, placement.as_ref(), self.copies, keys)?)
    }

    /// What will be looked at, and on standard error what it will cost.
    fn plan(
        &self,
        contender: &ContenderRequest,
        source: &KeySource,
        lookups: &Lookups,
    ) -> Result<Plan, PlacementError> {
        let ContenderRequest { spec, arguments, .. } = contender;
        let placement = establish(spec, arguments, HashSeed::PUBLISHED, self.roster.clone())?;
        let chooser = self.copies.chooser(&self.roster)?;
        let ns = lookups.copies_ns(spec.reads, placement.as_ref(), &chooser)[0];
        drop(placement);
        let plan = self
            .with_subject(contender, source, HashSeed::PUBLISHED, |subject| Ok(subject.plan()))?;
        let choices = plan.choices as f64 * f64::from(self.seeds);
        say(&format!(
            "{}: {}, about {:.1e} choices of copies, {:.1} s of processor time",
            contender.name(),
            shown::way(plan.way),
            choices,
            choices * ns / 1e9
        ));
        Ok(plan)
    }

    /// The figures of a contender over all hash seeds.
    fn found(
        &self,
        contender: &ContenderRequest,
        source: &KeySource,
        plan: Plan,
    ) -> Result<Found, PlacementError> {
        let seeds = (0..self.seeds).map(|seed| {
            self.with_subject(contender, source, HashSeed(seed.into()), |subject| {
                self.seed(&subject)
            })
        });
        let mut all: Option<SeedFound> = None;
        for seed in seeds {
            let seed = seed?;
            all = Some(match all {
                None => seed,
                Some(all) => all.merge(seed),
            });
        }
        let all = all.expect("there is a hash seed");
        let [all_lost, quorum_lost] = all.losses;
        Ok(Found {
            plan,
            peak: all.peak,
            singles: summarise(&all.singles),
            pairs: summarise(&all.pairs),
            partners: all.partners / f64::from(self.seeds),
            all_lost,
            quorum_lost,
            cascades: all.cascades,
        })
    }

    fn seed(&self, subject: &Subject<'_>) -> Result<SeedFound, PlacementError> {
        let findings = subject.look(&subject.plan())?;
        let nodes = self.roster.serving_ids();
        let loss = |quorum| findings.holders.loss(quorum, self.down, &nodes);
        Ok(SeedFound {
            peak: findings.calm.peak(),
            partners: findings.holders.partners(&nodes),
            losses: [loss(self.copies.count), loss(self.quorum())],
            cascades: subject.cascades(&findings, self.capacity),
            singles: findings.singles,
            pairs: findings.pairs,
        })
    }

    /// Copies that are more than half.
    fn quorum(&self) -> usize {
        self.copies.count / 2 + 1
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

impl SeedFound {
    fn merge(mut self, other: SeedFound) -> SeedFound {
        self.singles.extend(other.singles);
        self.pairs.extend(other.pairs);
        let [a, b] = self.losses;
        let [c, d] = other.losses;
        let cascades = [self.cascades, other.cascades].into_iter().flatten();
        SeedFound {
            peak: self.peak.max(other.peak),
            partners: self.partners + other.partners,
            losses: [a.merge(c), b.merge(d)],
            cascades: cascades.reduce(Cascades::merge),
            singles: self.singles,
            pairs: self.pairs,
        }
    }
}
