//! Judging expectations: what a scenario says must hold, held against the results.

use placelab_results::{
    Contender, ContenderTimeline, Expectation, Measured, PlannedStep, RunResults, Timeline,
};

use crate::scenario::{ExpectationRequest, ExpectedClaim, SeedScope};

/// Most broken figures that an expectation lists.
const FAILURES_MAX: usize = 10;

/// Judges one expectation against the results of every contender.
///
/// A contender that is meant must be found where it is meant: a refusal that did not happen, or a
/// figure that was never measured because the contender had refused before, breaks it.
pub(crate) fn judge(request: &ExpectationRequest, results: &RunResults) -> Expectation {
    let mut judged = Judged { checked: 0, failures: Vec::new() };
    for contender in &results.contenders {
        if request.concerns(&contender.name) {
            judged.contender(request, contender, &results.plan);
        }
    }
    if judged.checked == 0 && judged.failures.is_empty() {
        judged.failures.push("no figure that it speaks of was measured".into());
    }
    let met = judged.failures.is_empty();
    judged.failures.truncate(FAILURES_MAX);
    Expectation { text: words(request), met, checked: judged.checked, failures: judged.failures }
}

struct Judged {
    checked: u64,
    failures: Vec<String>,
}

impl Judged {
    fn contender(
        &mut self,
        request: &ExpectationRequest,
        contender: &Contender,
        plan: &[Timeline],
    ) {
        let before = self.checked;
        let meant = |timeline: &&(&Timeline, &ContenderTimeline)| {
            request.timeline.as_ref().is_none_or(|name| *name == timeline.0.name)
        };
        let courses: Vec<_> = plan.iter().zip(&contender.timelines).collect();
        for (plan, course) in courses.iter().filter(meant) {
            match &request.claim {
                ExpectedClaim::Refused(capability) => {
                    self.refusal(request, contender, plan, course, capability.name());
                }
                ExpectedClaim::Figure { metric, min, max, seeds } => {
                    for (planned, step) in plan.steps.iter().zip(&course.steps) {
                        let here = request.speaks_of(&planned.label);
                        let Some(measured) = step.metrics.get(metric).filter(|_| here) else {
                            continue;
                        };
                        self.checked += 1;
                        if let Some(reason) = outside(measured, *min, *max, *seeds) {
                            let name = &contender.name;
                            self.failures.push(format!(
                                "{name}, {}, {}: {reason}",
                                plan.name, planned.label
                            ));
                        }
                    }
                }
            }
        }
        // Everybody is meant where nobody is named; then those without the figure are passed over.
        if self.checked == before && !request.algorithms.is_empty() {
            self.failures.push(format!("{}: has no such figure", contender.name));
        }
    }

    /// The timeline must end at an event that is named, or at any, for want of the capability.
    fn refusal(
        &mut self,
        request: &ExpectationRequest,
        contender: &Contender,
        plan: &Timeline,
        course: &ContenderTimeline,
        capability: &str,
    ) {
        let is_meant = |step: &PlannedStep| request.speaks_of(&step.label);
        // A timeline in which the event does not happen says nothing of it.
        if !plan.steps.iter().any(is_meant) {
            return;
        }
        self.checked += 1;
        let is_that = course.refusal.as_ref().is_some_and(|refusal| {
            refusal.capability.as_deref() == Some(capability)
                && plan.steps.get(refusal.step).is_some_and(is_meant)
        });
        if !is_that {
            self.failures.push(format!("{}, {}: was not refused", contender.name, plan.name));
        }
    }
}

fn outside(
    measured: &Measured,
    min: Option<f64>,
    max: Option<f64>,
    seeds: SeedScope,
) -> Option<String> {
    let (least, largest) = match seeds {
        SeedScope::Every => (measured.min, measured.max),
        SeedScope::Median => (measured.median, measured.median),
    };
    match (min.filter(|min| least < *min), max.filter(|max| largest > *max)) {
        (Some(min), _) => Some(format!("{least} is below {min}")),
        (_, Some(max)) => Some(format!("{largest} is above {max}")),
        _ => None,
    }
}

/// The expectation in words.
fn words(request: &ExpectationRequest) -> String {
    let mut text = match &request.claim {
        ExpectedClaim::Refused(capability) => format!("refused for want of {capability}"),
        ExpectedClaim::Figure { metric, min, max, seeds } => {
            let bounds = match (min, max) {
                (Some(min), Some(max)) => format!("from {min} to {max}"),
                (Some(min), None) => format!("at least {min}"),
                (None, Some(max)) => format!("at most {max}"),
                (None, None) => "measured".into(),
            };
            let scope = match seeds {
                SeedScope::Every => "at every seed",
                SeedScope::Median => "in the median",
            };
            format!("{metric} {bounds} {scope}")
        }
    };
    if !request.algorithms.is_empty() {
        text += &format!(" for {}", request.algorithms.join(", "));
    }
    if let Some(event) = &request.event {
        text += &format!(" on “{event}”");
    }
    if let Some(timeline) = &request.timeline {
        text += &format!(" in “{timeline}”");
    }
    text
}
