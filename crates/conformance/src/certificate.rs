//! What an algorithm was found to keep.

use std::panic::{AssertUnwindSafe, catch_unwind};

use placelab_core::AlgorithmSpec;
use rayon::prelude::*;
use serde::Serialize;

use crate::laws::{LAWS, Law};
use crate::subject::Subject;

/// What became of one law.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "verdict", content = "finding")]
pub enum Verdict {
    /// It holds.
    Held,
    /// The algorithm does not claim it.
    NotClaimed,
    /// It does not hold: what was found, in a sentence.
    Failed(String),
}

/// One algorithm under every law.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Certificate {
    /// The algorithm with the parameters that are not defaults.
    pub contender: String,
    /// The name of each law with its verdict, in the order of [`LAWS`].
    pub verdicts: Vec<(&'static str, Verdict)>,
}

impl Certificate {
    /// Whether no law failed.
    pub fn holds(&self) -> bool {
        self.failures().next().is_none()
    }

    /// The laws that failed, with what was found.
    pub fn failures(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.verdicts.iter().filter_map(|(law, verdict)| match verdict {
            Verdict::Failed(finding) => Some((*law, finding.as_str())),
            Verdict::Held | Verdict::NotClaimed => None,
        })
    }
}

/// Holds one algorithm to every law. A panic is a failure of the law that met it.
pub fn certify(subject: &Subject) -> Certificate {
    let verdicts = LAWS.par_iter().map(|law| (law.name, judge(law, subject))).collect();
    Certificate { contender: subject.name(), verdicts }
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

fn judge(law: &Law, subject: &Subject) -> Verdict {
    if !(law.binds)(subject.spec) {
        return Verdict::NotClaimed;
    }
    match catch_unwind(AssertUnwindSafe(|| (law.check)(subject))) {
        Ok(Ok(())) => Verdict::Held,
        Ok(Err(finding)) => Verdict::Failed(finding),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).into()));
            Verdict::Failed(format!("a panic: {}", text.unwrap_or_default()))
        }
    }
}
