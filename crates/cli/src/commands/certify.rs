//! `placelab check` without a file: every algorithm under every law.

use std::io::{self, Write};

use placelab_algorithms::REGISTRY;
use placelab_conformance::{certify_all, law_texts};
use placelab_results::{Certificate, Finding};
use placelab_sim::sweep::Progress;

use crate::failure::Failure;
use crate::meter;
use crate::progress::Bar;
use crate::table::{Form, Table};

/// Certifies the registry and prints a line for each algorithm and law.
pub(crate) fn run(json: bool) -> Result<(), Failure> {
    let certificates = {
        let bar = Bar::new();
        bar.begin("certifying", REGISTRY.len() as u64);
        certify_all(&REGISTRY, meter::bytes_left_by, || bar.advance(1))
    };
    if json {
        let text = serde_json::to_string_pretty(&certificates).expect("certificates are JSON");
        writeln!(io::stdout().lock(), "{text}")?;
    } else {
        print(&certificates)?;
    }
    let broken = certificates.iter().flat_map(|one| {
        let name = &one.contender;
        one.failures().map(move |(law, finding)| format!("{name} breaks {law}: {finding}"))
    });
    let broken: Vec<String> = broken.collect();
    if broken.is_empty() { Ok(()) } else { Err(Failure::Unmet(broken.join("\n"))) }
}

fn print(certificates: &[Certificate]) -> Result<(), Failure> {
    let laws = law_texts();
    let mut words = Table::new(&["law", "what it says"]);
    laws.iter().for_each(|law| words.row([law.name.clone(), law.says.clone()]));
    words.print(Form::Text)?;
    let mut table = Table::new(&["algorithm", "law", "finding"]);
    let mut counts = [0; 3];
    for certificate in certificates {
        for (law, finding) in &certificate.findings {
            let (kind, shown) = match finding {
                Finding::Held => (0, "held".into()),
                Finding::NotClaimed => (1, "not claimed".into()),
                Finding::Failed(text) => (2, format!("FAILED: {text}")),
            };
            counts[kind] += 1;
            table.row([certificate.contender.clone(), law.clone(), shown]);
        }
    }
    table.print(Form::Text)?;
    let [held, not_claimed, failed] = counts;
    Ok(writeln!(
        io::stdout().lock(),
        "{} algorithms under {} laws: {held} held, {not_claimed} not claimed, {failed} failed",
        certificates.len(),
        laws.len(),
    )?)
}
