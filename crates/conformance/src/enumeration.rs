//! Every small world: all sequences of a few joins and removals, against the twin.

use placelab_core::{Change, History, NodeId, PlacementError, Placer, Roster};

use crate::sample::Sample;
use crate::subject::{PUBLISHED, Subject, hold};

/// Names there are; fleets start with the first of them.
const NAMES: u32 = 6;
/// Most changes of a sequence, each a step.
const STEPS: usize = 5;
/// Keys that are looked up in each state.
const KEYS: u64 = 64;

/// Takes an algorithm, at its small parameters, through every sequence of at most five joins and
/// removals of six names from a fleet of each size, as far as it can do them, and compares it with
/// its twin after each. How many sequences there were: 52,199 where any member may go.
///
/// # Errors
/// The first difference, in a sentence.
pub fn enumerate(subject: &Subject) -> Result<u64, String> {
    let world = World { subject, sample: Sample::new(KEYS) };
    (1..=NAMES).try_fold(0, |sequences, size| {
        let start = Roster::numbered(size).map_err(|error| error.to_string())?;
        let first = subject.serve(start.clone(), PUBLISHED).map_err(|error| error.to_string())?;
        let mut history = History::new(start);
        world.compare(&first, &history)?;
        Ok(sequences + world.explore(&first, &mut history)?)
    })
}

/// What stays the same in all sequences of one algorithm.
struct World<'a> {
    subject: &'a Subject,
    sample: Sample,
}

impl World<'_> {
    /// Explores everything that can come next, and says how many sequences that were.
    fn explore(&self, before: &Placer, history: &mut History) -> Result<u64, String> {
        if history.steps.len() == STEPS {
            return Ok(0);
        }
        let mut sequences = 0;
        for id in 0..NAMES {
            let change = match before.scheme().roster().get(NodeId(id)) {
                Some(_) if before.scheme().roster().len() == 1 => continue,
                Some(_) => Change::Remove(NodeId(id)),
                None => Change::Add(Roster::numbered_node(id)),
            };
            let changes = vec![change];
            let after = match before.after(self.subject.spec, &changes) {
                Ok(after) => after,
                Err(PlacementError::Unsupported { .. }) => continue,
                Err(error) => return Err(format!("{:?}, {changes:?}: {error}", history.steps)),
            };
            history.steps.push(changes);
            self.compare(&after, history)?;
            sequences += 1 + self.explore(&after, history)?;
            history.steps.pop();
        }
        Ok(sequences)
    }

    fn compare(&self, placer: &Placer, history: &History) -> Result<(), String> {
        let Subject { spec, arguments } = self.subject;
        let twin = (spec.naive)(arguments, PUBLISHED, history, self.sample.keys());
        hold(self.sample.owners(placer) == twin, || {
            format!("{} nodes, then {:?}: the twin differs", history.start.len(), history.steps)
        })
    }
}
