//! What a step asks of the clients that place keys: what they hold, and whether they must take it
//! over at one moment.

use super::{Measured, StepFigures};
use crate::replay::Comparison;

impl Measured<'_> {
    /// The figures of the change from one placement to the next while some clients have the one
    /// and some the other. Rules that look at loads have one place that assigns keys, and no such
    /// clients.
    pub(super) fn switch(&self, comparison: Comparison, figures: &mut StepFigures) {
        let snapshots = [comparison.before, comparison.after].map(|at| &self.snapshots[at]);
        let placements = snapshots.map(|snapshot| snapshot.placer.placement());
        let [Some(before), Some(after)] = placements else { return };
        let moved = figures.metrics["movement.moved"];
        let mut put = |id: &str, value| figures.metrics.insert(id.into(), value);
        let (mut together, mut astray) = (f64::from(u8::from(moved > 0.0)), moved);
        if let (Some(before), Some(after)) = (before.table(), after.table()) {
            let differ = std::iter::zip(&before, &after).filter(|(a, b)| a != b).count();
            let changed = differ + before.len().abs_diff(after.len());
            put("table.changed", changed as f64);
            // Another hash seed gives keys other rows, as another number of rows does.
            if before.len() == after.len() && snapshots[0].seed == snapshots[1].seed {
                let row = 1.0 / after.len() as f64;
                (together, astray) = (0.0, if changed > 0 { row } else { 0.0 });
            }
        }
        put("switch.together", together);
        put("switch.astray", astray);
    }
}
