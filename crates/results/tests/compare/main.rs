//! What changed from one run to another, on runs made up for it.

mod conditions;
mod design;
mod figures;
mod made_up;
mod times;
mod verdicts;
