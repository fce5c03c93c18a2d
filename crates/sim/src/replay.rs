//! Replay: the events of a plan, applied to one contender at one hash seed.
//!
//! Every state that a timeline reaches becomes an immutable snapshot; timelines share the first.
//! A step that the contender cannot take ends its timeline with the reason.

use std::collections::BTreeMap;

use placelab_core::{HashSeed, PlacementError, Placer, Roster};

use crate::plan::{Plan, PlannedStep, PlannedTimeline};
use crate::scenario::ContenderRequest;

/// A contender in one state of the fleet.
pub struct Snapshot {
    /// What key hashes are salted with: the seed of the run, or what a deploy made of it.
    pub seed: HashSeed,
    /// What places the keys.
    pub placer: Placer,
}

/// What every state has to hold.
#[derive(Clone, Copy, Debug)]
pub struct Burden {
    /// How many keys.
    pub keys: u64,
    /// Copies of each.
    pub replicas: usize,
}

impl Snapshot {
    /// The placement of a first fleet.
    ///
    /// # Errors
    /// Those of [`Placer::first`]; a burden that cannot be held.
    pub fn first(
        contender: &ContenderRequest,
        seed: HashSeed,
        roster: Roster,
        burden: Burden,
    ) -> Result<Self, PlacementError> {
        let placer = Placer::first(contender.spec, &contender.arguments, seed, roster)?;
        Snapshot { seed, placer }.holding(burden)
    }

    /// The placement after a step; `seed` is that of the run. A deploy that changed the hash seed
    /// starts every client anew, so the fleet is placed afresh.
    ///
    /// # Errors
    /// Those of [`Placer::after`] and [`Placer::first`]; a burden that cannot be held.
    pub fn after(
        &self,
        contender: &ContenderRequest,
        seed: HashSeed,
        step: &PlannedStep,
        burden: Burden,
    ) -> Result<Self, PlacementError> {
        let seed = seed.rehashed(step.rehashes);
        if seed != self.seed {
            return Self::first(contender, seed, step.after.as_ref().clone(), burden);
        }
        let placer = self.placer.after(contender.spec, &step.changes)?;
        Snapshot { seed, placer }.holding(burden)
    }

    /// Itself, where it can hold the burden. A placement can: that there are nodes enough for the
    /// copies is seen to before.
    fn holding(self, burden: Burden) -> Result<Self, PlacementError> {
        if let Placer::Assignment(assignment) = &self.placer {
            if burden.replicas > 1 {
                return Err(PlacementError::OneCopy { asked: burden.replicas });
            }
            assignment.open(burden.keys)?;
        }
        Ok(self)
    }
}

/// The snapshots of one contender at one seed.
pub struct Replay {
    /// Snapshot 0 is the fleet at the start; empty where that was refused.
    pub snapshots: Vec<Snapshot>,
    /// One entry a timeline of the plan.
    pub courses: Vec<Course>,
}

/// How far one timeline went.
#[derive(Debug)]
pub struct Course {
    /// Index of the snapshot after each step reached; the first is the start.
    pub snapshots: Vec<usize>,
    /// Index of the step that was refused, and why.
    pub refusal: Option<(usize, PlacementError)>,
}

/// Two snapshots whose difference is wanted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Comparison {
    /// Snapshot before.
    pub before: usize,
    /// Snapshot after.
    pub after: usize,
}

/// Which snapshots are compared: every step first, then what else is wanted.
#[derive(Debug)]
pub struct Comparisons {
    all: Vec<Comparison>,
    steps: usize,
    places: BTreeMap<Comparison, usize>,
}

impl Comparisons {
    /// The steps in the order of timelines, then others that are no step.
    pub fn new(steps: Vec<Comparison>, others: impl IntoIterator<Item = Comparison>) -> Self {
        let (mut all, steps) = (steps.clone(), steps.len());
        let mut places: BTreeMap<Comparison, usize> =
            all.iter().enumerate().map(|(place, &comparison)| (comparison, place)).collect();
        for other in others {
            places.entry(other).or_insert_with(|| {
                all.push(other);
                all.len() - 1
            });
        }
        Comparisons { all, steps, places }
    }

    /// Every comparison.
    pub fn all(&self) -> &[Comparison] {
        &self.all
    }

    /// The steps, which stand first.
    pub fn steps(&self) -> &[Comparison] {
        &self.all[..self.steps]
    }

    /// Where a comparison stands. Panics where it is none of these.
    pub fn place(&self, comparison: Comparison) -> usize {
        self.places[&comparison]
    }
}

/// Applies every event to a contender.
pub fn replay(contender: &ContenderRequest, seed: HashSeed, plan: &Plan, burden: Burden) -> Replay {
    match Snapshot::first(contender, seed, plan.start.as_ref().clone(), burden) {
        Ok(first) => {
            let mut snapshots = vec![first];
            let follow = |timeline| follow(contender, seed, timeline, burden, &mut snapshots);
            let courses = plan.timelines.iter().map(follow).collect();
            Replay { snapshots, courses }
        }
        Err(error) => {
            let refusal = || Some((0, error.clone()));
            let course = |_| Course { snapshots: Vec::new(), refusal: refusal() };
            Replay { snapshots: Vec::new(), courses: plan.timelines.iter().map(course).collect() }
        }
    }
}

fn follow(
    contender: &ContenderRequest,
    seed: HashSeed,
    timeline: &PlannedTimeline,
    burden: Burden,
    snapshots: &mut Vec<Snapshot>,
) -> Course {
    let mut course = Course { snapshots: vec![0], refusal: None };
    for (index, step) in timeline.steps.iter().enumerate().skip(1) {
        let before = &snapshots[course.snapshots[index - 1]];
        match before.after(contender, seed, step, burden) {
            Ok(after) => {
                course.snapshots.push(snapshots.len());
                snapshots.push(after);
            }
            Err(error) => {
                course.refusal = Some((index, error));
                break;
            }
        }
    }
    course
}
