//! What closed forms say of figures, beside what was measured.

use serde::{Deserialize, Serialize};

/// A formula for a figure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClosedForm {
    /// The formula in words.
    pub formula: String,
    /// What of the figure over the seeds it gives: `mean` or `root mean square`.
    pub average: String,
}

/// What theory gives for a figure, beside what was measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theory {
    /// Its value.
    pub value: f64,
    /// What was measured; none where nobody knows it.
    pub measured: Option<Averaged>,
}

/// A figure by the average that a formula speaks of.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Averaged {
    /// Id of the metric that was measured: the load where shares are not known exactly.
    pub metric: String,
    /// Mean over the seeds, or root mean square, as [`ClosedForm::average`] says.
    pub value: f64,
}
