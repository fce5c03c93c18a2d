//! What chance gives, as tables and as JSON.

use std::io::{self, Write};

use placelab_core::Weight;
use placelab_metrics::null::{NodeLaw, WeightClass};
use placelab_results::Chance;
use serde_json::json;

use super::observed::Observed;
use super::question::Question;
use super::{Answer, ClassAnswer};
use crate::failure::Failure;
use crate::number::{grouped, number, probability};
use crate::table::{Form, Table};

/// Most weights of which a terminal shows each.
const SHOWN_MAX: usize = 40;

fn range(low: impl Into<f64>, high: impl Into<f64>) -> String {
    format!("{} – {}", number(low.into()), number(high.into()))
}

/// A mean with the interval around it.
fn figure(chance: &Chance) -> String {
    format!("{} ({})", number(chance.mean), range(chance.low, chance.high))
}

/// A weight of so many micro-units as it is written.
fn weight(micros: u64) -> String {
    let units = format!("{}.{:06}", micros / Weight::MICROS, micros % Weight::MICROS);
    units.parse::<Weight>().map_or(units, |weight| weight.to_string())
}

fn weights_of(class: &WeightClass) -> String {
    let [lightest, heaviest] = [class.lightest, class.heaviest].map(weight);
    if lightest == heaviest { lightest } else { format!("{lightest} – {heaviest}") }
}

fn is_cropped(class: &WeightClass) -> bool {
    class.effective < class.lightest as f64
}

pub(super) fn print(question: &Question, answer: &Answer) -> Result<(), Failure> {
    let keys = grouped(&question.keys.to_string());
    let copies = match question.copies {
        1 => String::new(),
        copies => format!(", {copies} copies of each on distinct nodes,"),
    };
    let nodes = grouped(&question.serving().to_string());
    let mut out = io::stdout().lock();
    writeln!(out, "{keys} keys{copies} on {nodes} nodes by an ideal hash")?;
    writeln!(out, "Mean, and in brackets the 5th and 95th percentile.\n")?;
    let mut table = Table::new(&[
        "weight", "nodes", "expected", "sd", "one node", "largest", "smallest", "idle",
    ]);
    answer.classes.iter().take(SHOWN_MAX).for_each(|class| table.row(row(class)));
    table.print(Form::Text)?;
    if answer.classes.len() > SHOWN_MAX {
        writeln!(out, "and {} more weights: see --json", answer.classes.len() - SHOWN_MAX)?;
    }
    let cropped = answer.classes.iter().rev().take_while(|answer| is_cropped(&answer.class));
    if let Some(first) = cropped.last() {
        let limit = number(first.class.effective / Weight::MICROS as f64);
        writeln!(
            out,
            "Nodes heavier than {limit} have a copy of every key and count as that heavy."
        )?;
    }
    writeln!(out, "\nOver the fleet")?;
    fleet(answer).print(Form::Text)?;
    Ok(())
}

fn row(answer: &ClassAnswer) -> [String; 8] {
    let ClassAnswer { class, law, extremes } = answer;
    let (low, high) = law.interval();
    let of_all = |pick: fn(&placelab_metrics::null::Extremes) -> &Chance| match extremes {
        Some(extremes) => figure(pick(extremes)),
        None => "see the fleet".into(),
    };
    [
        weights_of(class),
        grouped(&class.nodes.to_string()),
        number(law.mean()),
        number(law.deviation()),
        range(low as f64, high as f64),
        of_all(|extremes| &extremes.largest),
        of_all(|extremes| &extremes.smallest),
        probability(law.idle()),
    ]
}

fn fleet(answer: &Answer) -> Table {
    let mut table = Table::new(&["figure", "mean", "5th – 95th percentile"]);
    let mut row = |name: &str, chance: &Chance| {
        table.row([name.into(), number(chance.mean), range(chance.low, chance.high)]);
    };
    row("largest load in keys", &answer.loads.largest);
    row("smallest load in keys", &answer.loads.smallest);
    row("largest load ÷ fair", &answer.balance.max_over_mean);
    row("smallest load ÷ fair", &answer.balance.min_over_mean);
    row("coefficient of variation of load ÷ fair", &answer.balance.cv);
    if let Some(chance) = &answer.max_over_min {
        row("largest ÷ smallest of load ÷ fair", chance);
    }
    table.row(["idle nodes".into(), number(answer.idle.expected), String::new()]);
    let some = probability(answer.idle.probability);
    table.row(["probability of an idle node".into(), some, String::new()]);
    table
}

pub(super) fn json(
    question: &Question,
    answer: &Answer,
    observed: Option<&Observed<'_>>,
) -> serde_json::Value {
    json!({
        "keys": question.keys,
        "replicas": question.copies,
        "nodes": question.serving(),
        "weights": answer.classes.iter().map(class_json).collect::<Vec<_>>(),
        "fleet": {
            "largest_load": answer.loads.largest,
            "smallest_load": answer.loads.smallest,
            "max_over_mean": answer.balance.max_over_mean,
            "min_over_mean": answer.balance.min_over_mean,
            "cv": answer.balance.cv,
            "max_over_min": answer.max_over_min,
            "idle_nodes": answer.idle.expected + 0.0,
            "idle_probability": answer.idle.probability + 0.0,
        },
        "observed": observed.map(Observed::json),
    })
}

fn class_json(ClassAnswer { class, law, extremes }: &ClassAnswer) -> serde_json::Value {
    let (low, high) = law.interval();
    let NodeLaw { chance, .. } = law;
    json!({
        "weight": weight(class.lightest),
        "weight_heaviest": weight(class.heaviest),
        "weight_effective": class.effective / Weight::MICROS as f64,
        "cropped": is_cropped(class),
        "nodes": class.nodes,
        "chance": chance,
        "expected": law.mean(),
        "sd": law.deviation(),
        "low": low,
        "high": high,
        "idle_probability": law.idle() + 0.0,
        "largest_load": extremes.map(|extremes| extremes.largest),
        "smallest_load": extremes.map(|extremes| extremes.smallest),
    })
}
