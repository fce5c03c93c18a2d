//! Which contenders meet what the design needs: a pure function of the results.

use serde::Serialize;

use crate::catalogue::{Better, metric};
use crate::schema::{Contender, Requirement, RunResults};

/// The verdict on a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Verdict {
    /// One entry a contender, in the order of the results; canaries are judged too.
    pub contenders: Vec<ContenderVerdict>,
    /// Names of the contenders, canaries apart, that met every requirement and took every step.
    pub suitable: Vec<String>,
}

/// The verdict on one contender.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ContenderVerdict {
    /// The contender.
    pub name: String,
    /// One entry a requirement, in the order of the results.
    pub judgements: Vec<Judgement>,
    /// The first event it could not do, in words.
    pub refusal: Option<String>,
    /// Whether it met every requirement and took every step.
    pub suitable: bool,
}

/// One requirement, judged.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Judgement {
    /// The requirement in words.
    pub requirement: String,
    /// Whether it is met; none where the contender has no such figure.
    pub met: Option<bool>,
    /// The worst median over every step, where it is about a metric.
    pub measured: Option<f64>,
}

impl Requirement {
    /// The requirement in words.
    pub fn text(&self) -> String {
        if let Some(capability) = &self.capability {
            return format!("can {capability}");
        }
        let metric = self.metric.as_deref().unwrap_or_default();
        match (self.min, self.max) {
            (Some(min), Some(max)) => format!("{metric} from {min} to {max}"),
            (Some(min), None) => format!("{metric} at least {min}"),
            (None, Some(max)) => format!("{metric} at most {max}"),
            (None, None) => metric.into(),
        }
    }

    fn judge(&self, contender: &Contender) -> Judgement {
        let requirement = self.text();
        if let Some(capability) = &self.capability {
            let met = Some(contender.capabilities.contains(capability));
            return Judgement { requirement, met, measured: None };
        }
        let id = self.metric.as_deref().unwrap_or_default();
        let steps = contender.timelines.iter().flat_map(|timeline| &timeline.steps);
        let medians: Vec<f64> =
            steps.filter_map(|step| step.metrics.get(id)).map(|measured| measured.median).collect();
        let within = |value: f64| {
            self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
        };
        let higher = metric(id).is_some_and(|(metric, _)| metric.better == Better::Higher);
        let worst = |a: f64, b: f64| if higher { a.min(b) } else { a.max(b) };
        let measured = medians.iter().copied().reduce(worst);
        let met = measured.map(|_| medians.iter().all(|&value| within(value)));
        Judgement { requirement, met, measured }
    }
}

/// Judges every contender by every requirement.
pub fn verdict(results: &RunResults) -> Verdict {
    let contenders: Vec<ContenderVerdict> =
        results.contenders.iter().map(|contender| judge(results, contender)).collect();
    let suitable = std::iter::zip(&results.contenders, &contenders)
        .filter(|(contender, judged)| !contender.canary && judged.suitable)
        .map(|(contender, _)| contender.name.clone())
        .collect();
    Verdict { contenders, suitable }
}

fn judge(results: &RunResults, contender: &Contender) -> ContenderVerdict {
    let judgements: Vec<Judgement> =
        results.requirements.iter().map(|requirement| requirement.judge(contender)).collect();
    let refusal = std::iter::zip(&results.plan, &contender.timelines).find_map(|(plan, done)| {
        let refusal = done.refusal.as_ref()?;
        let label = plan.steps.get(refusal.step).map_or("start", |step| step.label.as_str());
        Some(format!("{label}: {}", refusal.reason))
    });
    let suitable = refusal.is_none() && judgements.iter().all(|judged| judged.met == Some(true));
    ContenderVerdict { name: contender.name.clone(), judgements, refusal, suitable }
}
