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
        for batch in start.nodes().chunks(size) {
            // Those who were restarted are at the end, so those whose turn it is come first.
            let down = self.remove((0..batch.len()).collect(), Absence::Failed);
            let name = label(event, batch, "fails", "fail");
            steps.push(self.take(down, event, name, "fail")?);
            let name = label(event, batch, "returns", "return");
            steps.push(self.take(Outcome::back(batch), event, name, "recover")?);
        }
        Ok(steps)
    }
}

fn label(event: &Event, batch: &[Node], one: &str, many: &str) -> String {
    let (event, first) = (&event.label, &batch[0].name);
    match batch.len() - 1 {
        0 => format!("{event}: {first} {one}"),
        more => format!("{event}: {first} and {more} more {many}"),
    }
}
