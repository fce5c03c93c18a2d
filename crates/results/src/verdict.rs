//! Which contenders meet what the design needs: a pure function of results, timings and
//! requirements.

use serde::Serialize;

use crate::recommendation::{Recommendation, recommend};
use crate::schema::{Contender, Measured, Requirement, RunResults};
use crate::timings::{Rounds, Timings};

/// The verdict on a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Verdict {
    /// One entry a contender, in the order of the results; canaries are judged too.
    pub contenders: Vec<ContenderVerdict>,
    /// Names of the rivals that met every requirement and took every step.
    pub suitable: Vec<String>,
    /// Which of them to take; none where there are none, or where nothing is required.
    pub recommendation: Option<Recommendation>,
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
    /// The figure of the worst step, where it is about a metric: its median is furthest beyond the
    /// bounds, or nearest to them.
    pub measured: Option<Spread>,
}

/// A figure and how sure that is.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Spread {
    /// Median over the seeds, or over the rounds of a time.
    pub median: f64,
    /// 5th percentile over the seeds, or the least round.
    pub low: f64,
    /// 95th percentile over the seeds, or the largest round.
    pub high: f64,
}

impl From<&Measured> for Spread {
    fn from(measured: &Measured) -> Self {
        Spread { median: measured.median, low: measured.low, high: measured.high }
    }
}

impl From<&Rounds> for Spread {
    fn from(rounds: &Rounds) -> Self {
        let [median, low, high] = rounds.range();
        Spread { median, low, high }
    }
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

    fn judge(&self, results: &RunResults, times: Option<&Timings>, one: &Contender) -> Judgement {
        let requirement = self.text();
        if let Some(capability) = &self.capability {
            let met = Some(one.capabilities.contains(capability));
            return Judgement { requirement, met, measured: None };
        }
        let worst = worst_by(self, results, times, one);
        let met = worst.map(|figure| self.beyond(figure.median) <= 0.0);
        Judgement { requirement, met, measured: worst }
    }

    /// How far a figure lies beyond the bounds; below 0 within them.
    fn beyond(&self, value: f64) -> f64 {
        let below = self.min.map_or(f64::NEG_INFINITY, |min| min - value);
        let above = self.max.map_or(f64::NEG_INFINITY, |max| value - max);
        below.max(above)
    }
}

/// The figure of a contender that a requirement is judged by; none of capabilities.
pub(crate) fn worst_by(
    requirement: &Requirement,
    results: &RunResults,
    times: Option<&Timings>,
    contender: &Contender,
) -> Option<Spread> {
    let id = requirement.metric.as_deref()?;
    let figures = figures(results, times, contender, id);
    let beyond = |figure: &Spread| requirement.beyond(figure.median);
    figures.into_iter().max_by(|a, b| beyond(a).total_cmp(&beyond(b)))
}

/// A metric over every step; of a time, the one that counts.
pub(crate) fn figures(
    results: &RunResults,
    times: Option<&Timings>,
    contender: &Contender,
    id: &str,
) -> Vec<Spread> {
    match times {
        Some(times) if id.starts_with("time.") => timed(results, times, contender, id),
        _ => simulated(contender, id),
    }
}

/// A metric over every step.
fn simulated(contender: &Contender, id: &str) -> Vec<Spread> {
    let steps = contender.timelines.iter().flat_map(|timeline| &timeline.steps);
    steps.filter_map(|step| step.metrics.get(id)).map(Spread::from).collect()
}

/// A time: that of a lookup at the number of nodes nearest to the largest fleet.
fn timed(results: &RunResults, times: &Timings, contender: &Contender, id: &str) -> Vec<Spread> {
    let steps = results.plan.iter().flat_map(|timeline| &timeline.steps);
    let fleet = steps.map(|step| step.nodes).max().unwrap_or(0);
    let update = times.updates.iter().find(|update| update.contender == contender.name);
    let figure = match id {
        "time.lookup_ns" => {
            let own = times
                .lookups
                .iter()
                .filter(|lookup| lookup.contender == contender.name && lookup.refusal.is_none());
            own.min_by_key(|lookup| lookup.nodes.abs_diff(fleet)).map(|lookup| lookup.batch_ns)
        }
        "time.build_us" => update.map(|update| update.build_us),
        "time.apply_us" => update.and_then(|update| update.apply_us),
        _ => None,
    };
    figure.iter().map(Spread::from).collect()
}

/// Judges every contender by every requirement. Without timings a requirement about time has no
/// figure, and is met by nobody.
pub fn verdict(results: &RunResults, timings: Option<&Timings>) -> Verdict {
    let contenders: Vec<ContenderVerdict> =
        results.contenders.iter().map(|contender| judge(results, timings, contender)).collect();
    let suitable: Vec<&Contender> = std::iter::zip(&results.contenders, &contenders)
        .filter(|(contender, judged)| contender.is_rival() && judged.suitable)
        .map(|(contender, _)| contender)
        .collect();
    let recommendation = recommend(results, timings, &suitable);
    let suitable = suitable.iter().map(|contender| contender.name.clone()).collect();
    Verdict { contenders, suitable, recommendation }
}

fn judge(
    results: &RunResults,
    timings: Option<&Timings>,
    contender: &Contender,
) -> ContenderVerdict {
    let requirements = results.requirements.iter();
    let judgements: Vec<Judgement> =
        requirements.map(|requirement| requirement.judge(results, timings, contender)).collect();
    let refusal = std::iter::zip(&results.plan, &contender.timelines).find_map(|(plan, done)| {
        let refusal = done.refusal.as_ref()?;
        let label = plan.steps.get(refusal.step).map_or("start", |step| step.label.as_str());
        Some(format!("{label}: {}", refusal.reason))
    });
    let suitable = refusal.is_none() && judgements.iter().all(|judged| judged.met == Some(true));
    ContenderVerdict { name: contender.name.clone(), judgements, refusal, suitable }
}
