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
    /// What was measured: the mean over the seeds, or the root mean square, as
    /// [`ClosedForm::average`] says; none where that was not measured.
    pub measured: Option<f64>,
}
