//! Judging expectations: what a scenario says must hold, held against the results.

use placelab_results::{Contender, ContenderTimeline, Expectation, Measured, RunResults, Timeline};

use crate::scenario::{ExpectationRequest, ExpectedClaim, SeedScope};

/// Most broken figures that an expectation lists.
const FAILURES_MAX: usize = 10;

/// Judges one expectation against the results of every contender.
pub(crate) fn judge(request: &ExpectationRequest, results: &RunResults) -> Expectation {
    let mut judged = Judged { checked: 0, failures: Vec::new() };
    for contender in &results.contenders {
        if !request.concerns(&contender.name) {
            continue;
        }
        for (plan, course) in results.plan.iter().zip(&contender.timelines) {
            if request.timeline.as_ref().is_none_or(|name| *name == plan.name) {
                judged.timeline(request, contender, plan, course);
            }
        }
    }
    let met = judged.failures.is_empty() && judged.checked > 0;
    if judged.checked == 0 {
        judged.failures.push("no figure that it speaks of was measured".into());
    }
    judged.failures.truncate(FAILURES_MAX);
    Expectation { text: words(request), met, checked: judged.checked, failures: judged.failures }
}

struct Judged {
    checked: u64,
    failures: Vec<String>,
}

impl Judged {
    fn timeline(
        &mut self,
        request: &ExpectationRequest,
        contender: &Contender,
        plan: &Timeline,
        course: &ContenderTimeline,
    ) {
        for (index, planned) in plan.steps.iter().enumerate() {
            if request.event.as_ref().is_some_and(|label| *label != planned.label) {
                continue;
            }
            let broken = match &request.claim {
                ExpectedClaim::Refused(capability) => {
                    let here = course.refusal.as_ref().filter(|refusal| refusal.step == index);
                    let is_that = here.is_some_and(|refusal| {
                        refusal.capability.as_deref() == Some(capability.name())
                    });
                    // Without a label, one refusal anywhere is what is expected.
                    if request.event.is_none() && !is_that {
                        continue;
                    }
                    self.checked += 1;
                    (!is_that).then(|| "was not refused".to_string())
                }
                ExpectedClaim::Figure { metric, min, max, seeds } => {
                    let step = course.steps.get(index);
                    let Some(measured) = step.and_then(|step| step.metrics.get(metric)) else {
                        continue;
                    };
                    self.checked += 1;
                    outside(measured, *min, *max, *seeds)
                }
            };
            if let Some(reason) = broken {
                let place = format!("{}, {}, {}", contender.name, plan.name, planned.label);
                self.failures.push(format!("{place}: {reason}"));
            }
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
