//! Rolling events: the whole fleet restarted, a few members at a time.

use placelab_core::Node;

use super::{Absence, Course, Errors, Outcome};
use crate::plan::{PlannedStep, Totals};
use crate::scenario::Event;

impl Course<'_> {
    /// Each batch of members fails and then recovers before the next one does: two steps a batch.
    pub(super) fn roll(
        &mut self,
        size: usize,
        event: &Event,
        totals: &mut Totals,
    ) -> Result<Vec<PlannedStep>, Errors> {
        let start = self.roster.clone();
        self.must_remain(start.len().saturating_sub(size), event)?;
        let (members, batches) = (start.len() as u64, start.len().div_ceil(size) as u64);
        // Every member is away in one step and there in all the others.
        totals.add(event, 2 * batches, (2 * batches - 1) * members)?;
        let mut steps = Vec::with_capacity(2 * batches as usize);
        for (number, batch) in (1..).zip(start.nodes().chunks(size)) {
            // Those who were restarted are at the end, so those whose turn it is come first.
            let down = self.remove((0..batch.len()).collect(), Absence::Failed);
            let name = label(event, number, batch, "fails");
            steps.push(self.take(down, event, name, "fail")?);
            let name = label(event, number, batch, "returns");
            steps.push(self.take(Outcome::back(batch), event, name, "recover")?);
        }
        Ok(steps)
    }
}

/// A node by its name; several by the number of their batch, since labels stand on axes.
fn label(event: &Event, number: u32, batch: &[Node], what: &str) -> String {
    let event = &event.label;
    match batch {
        [node] => format!("{event}: {} {what}", node.name),
        _ => format!("{event}: batch {number} {what}"),
    }
}
