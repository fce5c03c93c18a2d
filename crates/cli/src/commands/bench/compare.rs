//! `placelab bench compare`: two builds in turns, and whether one is slower than the noise.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::Context;
use clap::Args;
use placelab_regress::{
    Answer, Comparison, Draws, ROUNDS_MAX, ROUNDS_MIN, Round, SEED, Side, order,
};
use placelab_sim::diagnostics::shown;
use serde_json::{Value, json};

use super::launch::{Launcher, Medians};
use super::program::Program;
use super::{ns, signed_percent};
use crate::failure::{Failure, say, warn};
use crate::interrupt;
use crate::table::{Form, Table};

#[derive(Args)]
pub(crate) struct Options {
    /// An executable that `cargo bench --no-run` built, or a revision of git
    base: String,
    /// What is compared with it: likewise
    head: String,
    /// Benches whose id this matches, a regular expression
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Rounds of three launches: base, head, and base again
    #[arg(long, value_name = "N", default_value = "35", allow_hyphen_values = true)]
    rounds: String,
    /// Which bench is built, of revisions
    #[arg(long, value_name = "NAME", default_value = "lookup")]
    bench: String,
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// How one bench compares.
struct Compared {
    id: String,
    comparison: Comparison,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let rounds = self.rounds()?;
        for (option, value) in
            [("--filter", self.filter.as_deref()), ("--bench", Some(&*self.bench))]
        {
            // What begins with a hyphen would be an option of the program that gets it.
            if let Some(value) = value.filter(|value| value.is_empty() || value.starts_with('-')) {
                return Err(Failure::Invalid(format!(
                    "{option} `{value}`: not the name of a bench"
                )));
            }
        }
        interrupt::outlive();
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let base = Program::new(&self.base, &self.bench, &folder.path().join("base"))?;
        let head = match self.base == self.head {
            true => base.clone(),
            false => Program::new(&self.head, &self.bench, &folder.path().join("head"))?,
        };
        let mut launcher = Launcher::new(folder.path(), self.filter.as_deref());
        let taken = launch_all(&mut launcher, &base, &head, rounds)?;
        let compared = compare_all(&taken)?;
        match self.json {
            true => writeln!(io::stdout().lock(), "{:#}", json(&base, &head, rounds, &compared))?,
            false => print(&base, &head, &compared)?,
        }
        verdict(&compared)
    }

    fn rounds(&self) -> Result<usize, Failure> {
        let text = &self.rounds;
        let rounds = text.replace('_', "").parse::<u32>().map_err(|_| {
            Failure::Invalid(format!("--rounds `{text}`: a whole number from {ROUNDS_MIN} on"))
        })? as usize;
        match rounds {
            0..ROUNDS_MIN => Err(Failure::Invalid(format!(
                "--rounds `{text}`: at least {ROUNDS_MIN}, or luck could pass for an answer"
            ))),
            ROUNDS_MIN..=ROUNDS_MAX => Ok(rounds),
            _ => Err(Failure::Limit(format!("--rounds `{text}`: at most {ROUNDS_MAX}"))),
        }
    }
}

/// What each launch took, by rounds: base, head, base again.
fn launch_all(
    launcher: &mut Launcher,
    base: &Program,
    head: &Program,
    rounds: usize,
) -> Result<Vec<[Medians; 3]>, Failure> {
    say(&format!("comparing {} with {}: {rounds} rounds of 3 launches", head.name, base.name));
    let mut taken = Vec::new();
    for round in 0..rounds {
        let mut medians: [Medians; 3] = Default::default();
        for side in order(round) {
            let program = if side == Side::Head { head } else { base };
            medians[side as usize] = launcher.launch(program)?;
        }
        let orders = order(round).map(|side| match side {
            Side::Base => "base",
            Side::Head => "head",
            Side::Again => "base again",
        });
        say(&format!("round {} of {rounds}: {}", round + 1, orders.join(", ")));
        taken.push(medians);
    }
    Ok(taken)
}

/// Compares every bench that all launches have; says which others there are.
fn compare_all(taken: &[[Medians; 3]]) -> Result<Vec<Compared>, Failure> {
    let launches = || taken.iter().flatten();
    let mut counts = BTreeMap::new();
    launches().flat_map(BTreeMap::keys).for_each(|id| *counts.entry(id).or_insert(0) += 1);
    let draws = Draws::new(taken.len(), SEED).context("cannot compare")?;
    let mut compared = Vec::new();
    for (id, count) in counts {
        if count < launches().count() {
            warn(&format!("left out: {id} is not in every launch of base and head"));
            continue;
        }
        let rounds: Vec<Round> = taken
            .iter()
            .map(|[base, head, again]| Round {
                base_ns: base[id],
                head_ns: head[id],
                again_ns: again[id],
            })
            .collect();
        let comparison = draws.compare(&rounds).with_context(|| id.clone())?;
        compared.push(Compared { id: id.clone(), comparison });
    }
    match compared.is_empty() {
        true => Err(Failure::Invalid("base and head have no bench in common".into())),
        false => Ok(compared),
    }
}

fn percent(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}

fn print(base: &Program, head: &Program, compared: &[Compared]) -> io::Result<()> {
    let mut table =
        Table::new(&["bench", "base ns", "head ns", "ratio", "99.9 % interval", "noise", "answer"]);
    for Compared { id, comparison } in compared {
        table.row([
            shown(id),
            ns(comparison.base_ns),
            ns(comparison.head_ns),
            format!("{:.3}", comparison.ratio),
            format!("{:.3}–{:.3}", comparison.low, comparison.high),
            percent(comparison.noise),
            comparison.answer.name().into(),
        ]);
    }
    writeln!(io::stdout().lock(), "base {}, head {}", base.name, head.name)?;
    table.print(Form::Text)
}

fn json(base: &Program, head: &Program, rounds: usize, compared: &[Compared]) -> Value {
    let bench = |Compared { id, comparison }: &Compared| {
        json!({
            "bench": id,
            "base_ns": comparison.base_ns,
            "head_ns": comparison.head_ns,
            "ratio": comparison.ratio,
            "ratio_low": comparison.low,
            "ratio_high": comparison.high,
            "noise": comparison.noise,
            "band": comparison.band,
            "answer": comparison.answer.name(),
        })
    };
    json!({
        "base": base.name,
        "head": head.name,
        "rounds": rounds,
        "benches": compared.iter().map(bench).collect::<Vec<_>>(),
    })
}

/// Fails where a bench is slower. An inconclusive answer is no failure, and no success to rely on.
fn verdict(compared: &[Compared]) -> Result<(), Failure> {
    let of = |answer| compared.iter().filter(move |one| one.comparison.answer == answer);
    let unclear = of(Answer::Inconclusive).count();
    if unclear > 0 {
        say(&format!(
            "{unclear} of {} inconclusive: the machine was too noisy or the difference too small; \
             try --rounds 75, or when nothing else runs",
            compared.len()
        ));
    }
    let slower: Vec<String> = of(Answer::Slower)
        .map(|Compared { id, comparison: one }| {
            let [ratio, low, high] =
                [one.ratio, one.low, one.high].map(|ratio| signed_percent(ratio - 1.0));
            format!("slower: {id} by {ratio} ({low} to {high})")
        })
        .collect();
    match slower.is_empty() {
        true => Ok(()),
        false => Err(Failure::Unmet(slower.join("\n"))),
    }
}
