//! What several commands begin with: reading scenarios and algorithm specs, and what it would
//! cost to go on.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use placelab_algorithms::REGISTRY;
use placelab_core::request::RequestError;
use placelab_core::{AlgorithmSpec, Arguments, PlacementError};
use placelab_sim::diagnostics::{self, Diagnostics, Look};
use placelab_sim::fleet::FleetError;
use placelab_sim::keys::KeyError;
use placelab_sim::observed::whole_number;
use placelab_sim::overrides::Overrides;
use placelab_sim::paths::PARAMETER_BYTES_MAX;
use placelab_sim::scenario::{
    ContenderRequest, Prepared, ScenarioError, SelectError, read, select,
};

use crate::failure::{Failure, styled};

/// Most contenders of one run, as in a scenario file.
const CONTENDERS_MAX: usize = 1_000;

/// Options that change a scenario.
#[derive(Args)]
pub(crate) struct Changes {
    /// Contenders instead of the scenario's, such as ring:vnodes={1,160} or '*'; may be repeated
    #[arg(long, value_name = "SPEC")]
    algorithms: Vec<String>,
    /// How many keys; of a file, the first so many
    #[arg(long, value_name = "N")]
    keys: Option<u64>,
    /// How many hash seeds
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=1000))]
    seeds: Option<u32>,
}

impl Changes {
    /// Reads a scenario and changes it.
    pub(crate) fn read(&self, path: &Path) -> Result<Prepared, Failure> {
        let mut prepared = read(path, &REGISTRY).map_err(scenario_failure)?;
        let contenders = match self.algorithms.is_empty() {
            true => None,
            false => Some(contenders(&self.algorithms)?),
        };
        let overrides = Overrides { contenders, keys: self.keys, seeds: self.seeds };
        overrides.apply(&mut prepared.scenario);
        Ok(prepared)
    }

    /// The command that makes the same results again.
    pub(crate) fn command(&self, path: &Path) -> String {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let mut command = format!("placelab run {}", quoted(&name));
        let specs = self.algorithms.iter().map(|text| quoted(text));
        specs.for_each(|text| command += &format!(" --algorithms {text}"));
        self.keys.iter().for_each(|keys| command += &format!(" --keys {keys}"));
        self.seeds.iter().for_each(|seeds| command += &format!(" --seeds {seeds}"));
        command
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.:=,/@#".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// The contenders that several texts ask for, each once.
pub(crate) fn contenders(texts: &[String]) -> Result<Vec<ContenderRequest>, Failure> {
    let (mut all, mut names) = (Vec::new(), BTreeSet::new());
    for text in texts {
        for contender in selected(text)? {
            if names.insert(contender.name()) {
                all.push(contender);
            }
        }
        if all.len() > CONTENDERS_MAX {
            let text = format!("more than {CONTENDERS_MAX} contenders are asked for");
            return Err(Failure::Limit(text));
        }
    }
    Ok(all)
}

/// The one algorithm that a text asks for.
pub(crate) fn algorithm(text: &str) -> Result<(&'static AlgorithmSpec, Arguments), Failure> {
    let mut contenders = selected(text)?;
    match (contenders.pop(), contenders.is_empty()) {
        (Some(one), true) => Ok((one.spec, one.arguments)),
        (_, rest) => Err(Failure::Invalid(format!(
            "`{text}` asks for {}: name one algorithm",
            if rest { "nobody" } else { "several" }
        ))),
    }
}

fn selected(text: &str) -> Result<Vec<ContenderRequest>, Failure> {
    select(text, &REGISTRY, &load).map_err(|error| match &error {
        SelectError::Unknown { help, .. } => Failure::Invalid(format!("{error}\nhelp: {help}")),
        SelectError::Request(RequestError::Sweep { .. }) => Failure::Limit(error.to_string()),
        _ => Failure::Invalid(error.to_string()),
    })
}

/// Reads a file that a parameter on the command line names.
fn load(path: &str) -> Result<Arc<str>, String> {
    let error = |error: std::io::Error| format!("cannot read {path}: {error}");
    let found = fs::metadata(path).map_err(error)?;
    if !found.is_file() {
        return Err(format!("{path} is not a regular file"));
    }
    let bytes = found.len();
    if bytes > PARAMETER_BYTES_MAX {
        return Err(format!(
            "{path} has {bytes} bytes, at most {PARAMETER_BYTES_MAX} are possible"
        ));
    }
    fs::read_to_string(path).map(Into::into).map_err(error)
}

/// What a scenario that cannot be used means for the exit code.
pub(crate) fn scenario_failure(error: ScenarioError) -> Failure {
    match &error {
        ScenarioError::Invalid(found) => diagnosed(2, found),
        ScenarioError::Limit(found) => diagnosed(4, found),
        _ => internal(&error),
    }
}

/// Errors that point into a file, as they are printed.
pub(crate) fn diagnosed(code: u8, found: &Diagnostics) -> Failure {
    let look = if styled() { Look::Coloured } else { Look::Plain };
    Failure::Diagnosed { code, text: found.render(look) }
}

/// An error that has its cause in its text already.
fn internal(error: &impl std::fmt::Display) -> Failure {
    Failure::Internal(anyhow::anyhow!("{error}"))
}

pub(crate) fn fleet_failure(error: FleetError) -> Failure {
    match error {
        FleetError::Limit { .. } => Failure::Limit(error.to_string()),
        FleetError::Io { .. } => internal(&error),
        _ => Failure::Invalid(error.to_string()),
    }
}

pub(crate) fn placement_failure(error: PlacementError) -> Failure {
    match error {
        PlacementError::Limit { .. } => Failure::Limit(error.to_string()),
        _ => Failure::Invalid(error.to_string()),
    }
}

pub(crate) fn key_failure(error: KeyError) -> Failure {
    match error {
        _ if error.is_limit() => Failure::Limit(error.to_string()),
        KeyError::Io { .. } => internal(&error),
        _ => Failure::Invalid(error.to_string()),
    }
}

/// The whole number that an option gives, from 1 to a limit.
pub(crate) fn number(option: &str, text: &str, possible: u64) -> Result<u64, Failure> {
    match whole_number(text) {
        None | Some(0) => Err(Failure::Invalid(format!(
            "{option} {}: a whole number from 1 on is needed, such as 10_000",
            diagnostics::quoted(text)
        ))),
        Some(number) if number > u128::from(possible) => Err(Failure::Limit(format!(
            "{option} {}: at most {possible} possible",
            diagnostics::quoted(text)
        ))),
        Some(number) => Ok(number as u64),
    }
}
