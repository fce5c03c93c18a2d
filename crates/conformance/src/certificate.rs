//! What an algorithm was found to keep.

use std::panic::{AssertUnwindSafe, catch_unwind};

use placelab_core::AlgorithmSpec;
use placelab_results::{Certificate, Finding, LawText};
use rayon::prelude::*;

use crate::laws::{LAWS, Law};
use crate::subject::Subject;

/// The certificates of the registry.
const RECORDED: &str = include_str!("../certificates.json");

/// Holds one algorithm to every law. A panic is a failure of the law that met it.
pub fn certify(subject: &Subject) -> Certificate {
    let findings = LAWS.par_iter().map(|law| (law.name.into(), judge(law, subject))).collect();
    Certificate { contender: subject.name(), findings }
}

/// Holds every algorithm of a registry, with its defaults, to every law; in the order given.
/// `done` learns of each that is finished.
pub fn certify_all(
    registry: &[&'static AlgorithmSpec],
    done: impl Fn() + Sync,
) -> Vec<Certificate> {
    let one = |&spec: &&'static AlgorithmSpec| {
        let certificate = certify(&Subject::new(spec));
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

/// The laws in words.
pub fn law_texts() -> Vec<LawText> {
    LAWS.iter().map(|law| LawText { name: law.name.into(), says: law.says.into() }).collect()
}

fn judge(law: &Law, subject: &Subject) -> Finding {
    if !(law.binds)(subject.spec) {
        return Finding::NotClaimed;
    }
    match catch_unwind(AssertUnwindSafe(|| (law.check)(subject))) {
        Ok(Ok(())) => Finding::Held,
        Ok(Err(finding)) => Finding::Failed(finding),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).into()));
            Finding::Failed(format!("a panic: {}", text.unwrap_or_default()))
        }
    }
}
