//! What closed forms say of the steps of a contender, beside what was measured.

use std::collections::BTreeMap;

use placelab_core::{AlgorithmSpec, Average, PlainStep, Roster, Weight};
use placelab_results::{ClosedForm, Theory, fixed};

use crate::figures::StepFigures;
use crate::plan::PlannedStep;
use crate::scenario::ContenderRequest;

/// The formulas of an algorithm by metric id.
pub(crate) fn closed_forms(spec: &AlgorithmSpec) -> BTreeMap<String, ClosedForm> {
    spec.closed_forms.iter().map(|form| (form.metric.into(), closed_form(form))).collect()
}

fn closed_form(form: &placelab_core::ClosedForm) -> ClosedForm {
    let average = match form.average {
        Average::Mean => "mean",
        Average::RootMeanSquare => "root mean square",
    };
    ClosedForm { formula: form.formula.into(), average: average.into() }
}

/// What theory gives for a contender after a step, where all weights are 1.
pub(crate) fn theory(
    contender: &ContenderRequest,
    planned: &PlannedStep,
    seeds: &[&StepFigures],
) -> BTreeMap<String, Theory> {
    let is_plain = |roster: &Roster| roster.nodes().iter().all(|node| node.weight == Weight::ONE);
    if !is_plain(&planned.after) {
        return BTreeMap::new();
    }
    let (before, after) = (planned.before.ids(), planned.after.ids());
    let at_the_end = before != after
        && is_plain(&planned.before)
        && (before.starts_with(&after) || after.starts_with(&before));
    let step =
        PlainStep { before: at_the_end.then_some(before.len() as u32), now: after.len() as u32 };
    let of = |form: &placelab_core::ClosedForm| {
        let value = Some((form.value)(&contender.arguments, step)?).filter(|it| it.is_finite())?;
        let measured = averaged(form, seeds);
        Some((form.metric.into(), Theory { value: fixed(value), measured }))
    };
    contender.spec.closed_forms.iter().filter_map(of).collect()
}

/// What was measured of what a formula speaks of.
fn averaged(form: &placelab_core::ClosedForm, seeds: &[&StepFigures]) -> Option<f64> {
    let values = seeds.iter().map(|figures| figures.metrics.get(form.metric).copied());
    Some(fixed(form.average.of(&values.collect::<Option<Vec<f64>>>()?)))
}
