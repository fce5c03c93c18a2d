//! `placelab null`: what an ideal hash would give, and whether observed counts are chance.

mod observed;
mod question;
mod shown;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use placelab_metrics::null::{
    Extremes, Idle, LoadChance, NodeLaw, UnitNull, WeightClass, weight_classes,
};
use placelab_results::Chance;

use crate::failure::Failure;
use observed::Observed;
use question::Question;

/// Most weights for which the extremes of their own nodes are worked out.
const EXTREMES_MAX: usize = 100;

#[derive(Args)]
pub(crate) struct Options {
    /// How many keys, as 10_000; of observed counts their sum
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    keys: Option<String>,
    /// Count, list `name[=weight],…` or @FILE.csv with columns name, weight
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    nodes: Option<String>,
    /// Weights as 1,2,4: of a count of nodes again and again, else one a node
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    weights: Option<String>,
    /// Copies of each key, on distinct nodes
    #[arg(long, value_name = "R", default_value = "1", allow_hyphen_values = true)]
    replicas: String,
    /// Counts to judge: `node,count` a line, or a count a line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    observed: Option<PathBuf>,
    /// One JSON object instead of tables
    #[arg(long)]
    json: bool,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let question = Question::read(&self)?;
        let answer = Answer::new(&question);
        let observed = question.counts.as_ref().map(|counts| Observed::new(&question, counts));
        if self.json {
            let json = shown::json(&question, &answer, observed.as_ref());
            return Ok(writeln!(io::stdout().lock(), "{json:#}")?);
        }
        shown::print(&question, &answer)?;
        observed.map_or(Ok(()), |observed| observed.print())
    }
}

/// What chance gives.
struct Answer {
    classes: Vec<ClassAnswer>,
    balance: LoadChance,
    loads: Extremes,
    idle: Idle,
    /// Of the largest ratio over the smallest, where that is finite.
    max_over_min: Option<Chance>,
}

/// What chance gives to the nodes of one weight.
struct ClassAnswer {
    class: WeightClass,
    /// Of one node.
    law: NodeLaw,
    /// Of all of them, unless there are very many weights.
    extremes: Option<Extremes>,
}

impl Answer {
    fn new(question: &Question) -> Self {
        let classes = weight_classes(&question.weights(), question.copies);
        let null = UnitNull::of_classes(question.keys, question.copies, &classes);
        let has_extremes = classes.len() <= EXTREMES_MAX;
        let answer = |(place, &class): (usize, &WeightClass)| ClassAnswer {
            class,
            law: NodeLaw { keys: question.keys, chance: class.chance },
            extremes: has_extremes.then(|| null.class_loads(place)),
        };
        Answer {
            classes: classes.iter().enumerate().map(answer).collect(),
            balance: null.chance(),
            loads: null.loads(),
            idle: null.idle(),
            max_over_min: null.max_over_min(),
        }
    }
}
