//! `placelab explain`: how one key gets to its node.

use std::io::{self, Write};

use clap::Args;
use placelab_core::{HashSeed, Roster, establish};
use placelab_operate::explain::{AfterLoss, Event, Explanation, explain};

use crate::commands::fleet::{DomainOptions, NODES_HELP};
use crate::commands::keys::{KEY_BYTES_MAX, KeyOptions};
use crate::commands::prepare;
use crate::failure::Failure;

/// Scores that are printed; `--json` has more.
const SCORES_MAX: usize = 5;

#[derive(Args)]
pub(crate) struct Options {
    /// Algorithm with parameters, such as ring:vnodes=160,hash=xxh3
    #[arg(long, value_name = "SPEC")]
    algorithm: String,
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true, help = NODES_HELP)]
    nodes: String,
    #[command(flatten)]
    domains: DomainOptions,
    /// The key
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    key: String,
    #[command(flatten)]
    reading: KeyOptions,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (spec, arguments) = prepare::algorithm(&self.algorithm)?;
        let nodes = self.domains.deal(&self.nodes)?;
        let roster = Roster::new(nodes).map_err(prepare::placement_failure)?;
        if self.key.len() as u64 > KEY_BYTES_MAX {
            let text = format!("--key: a key has at most {KEY_BYTES_MAX} bytes");
            return Err(Failure::Limit(text));
        }
        let key = self.reading.key(self.key.as_bytes(), || "--key".into())?;
        let placement = establish(spec, &arguments, HashSeed::PUBLISHED, roster)
            .map_err(prepare::placement_failure)?;
        let explanation = explain(spec, &arguments, &*placement, key);
        let mut output = io::stdout().lock();
        if self.json {
            let json = serde_json::to_string(&explanation).expect("explanations are JSON");
            return Ok(writeln!(output, "{json}")?);
        }
        Ok(output.write_all(text(&explanation).as_bytes())?)
    }
}

/// The explanation as people read it.
fn text(told: &Explanation) -> String {
    let Explanation { contender, key, key_bytes, hash, nodes, owner, .. } = told;
    let mut text = format!(
        "{contender} over {nodes} {}\nkey {key} ({key_bytes} {}), hash {hash}\n\n",
        if *nodes == 1 { "node" } else { "nodes" },
        if *key_bytes == 1 { "byte" } else { "bytes" },
    );
    let is_shown =
        |event: &Event| !matches!(event, Event::Score { rank, .. } if *rank > SCORES_MAX);
    let shown: Vec<_> = told.steps.iter().filter(|step| is_shown(&step.event)).collect();
    for (number, step) in (1..).zip(&shown) {
        text += &match step.event {
            Event::Score { .. } => format!("  {}\n", step.says),
            _ => format!("  {number}. {}\n", step.says),
        };
    }
    if shown.len() < told.steps.len() {
        text += &format!("  … and {} lower scores\n", told.steps.len() - shown.len());
    }
    text += &format!("\nowner: {owner}\n");
    if told.candidates.len() > 1 {
        text += &format!("in order of preference: {}\n", told.candidates.join(", "));
    }
    text + &match &told.after_loss {
        AfterLoss::Owner(next) => format!("if {owner} is lost: {next}\n"),
        AfterLoss::Refused(reason) => format!("if {owner} is lost: {reason}\n"),
    }
}
