//! What an algorithm was found to keep.

use std::panic::{AssertUnwindSafe, catch_unwind};

use placelab_core::AlgorithmSpec;
use placelab_results::{Certificate, Finding, LawText};
use rayon::prelude::*;

use crate::footprint::{self, Meter, weigh};
use crate::laws::LAWS;
use crate::subject::{self, Subject};

/// The certificates of the registry.
const RECORDED: &str = include_str!("../certificates.json");

/// Holds one algorithm to every law, and its footprint to a meter. A panic is a failure of the law
/// that met it.
pub fn certify(subject: &Subject, meter: Meter) -> Certificate {
    let of_law = LAWS.par_iter().map(|law| {
        let binds = (law.binds)(subject.spec);
        let finding = if binds { judge(|| (law.check)(subject)) } else { Finding::NotClaimed };
        (law.name.into(), finding)
    });
    let mut findings: Vec<(String, Finding)> = of_law.collect();
    findings.push((footprint::NAME.into(), judge(|| weigh(subject, meter))));
    Certificate { contender: subject.name(), findings }
}

/// Holds every algorithm of a registry, with its defaults, to every law; in the order given.
/// `done` learns of each that is finished.
pub fn certify_all(
    registry: &[&'static AlgorithmSpec],
    meter: Meter,
    done: impl Fn() + Sync,
) -> Vec<Certificate> {
    let one = |&spec: &&'static AlgorithmSpec| {
        let certificate = certify(&Subject::new(spec), meter);
        done();
        certificate
    };
    registry.par_iter().map(one).collect()
}

/// What the algorithms of this version were found to keep, as the tests hold it to be: one entry
/// an algorithm with its defaults, in the order of the registry.
pub fn recorded() -> Vec<Certificate> {
    serde_json::from_str(RECORDED).expect("the record is written by the tests")
}

/// The laws in words, in the order of certificates.
pub fn law_texts() -> Vec<LawText> {
    let laws = LAWS.iter().map(|law| (law.name, law.says));
    laws.chain([(footprint::NAME, footprint::SAYS)])
        .map(|(name, says)| LawText { name: name.into(), says: says.into() })
        .collect()
}

fn judge(check: impl Fn() -> subject::Finding) -> Finding {
    match catch_unwind(AssertUnwindSafe(check)) {
        Ok(Ok(())) => Finding::Held,
        Ok(Err(finding)) => Finding::Failed(finding),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).into()));
            Finding::Failed(format!("a panic: {}", text.unwrap_or_default()))
        }
    }
}
