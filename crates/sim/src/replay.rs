//! Replay: the events of a plan, applied to one contender at one hash seed.
//!
//! Every state that a timeline reaches becomes an immutable snapshot; timelines share the first.
//! A step that the contender cannot take ends its timeline with the reason.

use placelab_core::{HashSeed, Placement, PlacementError, advance, establish};

use crate::plan::{Plan, PlannedTimeline};
use crate::scenario::ContenderRequest;

/// The snapshots of one contender at one seed.
pub struct Replay {
    /// Snapshot 0 is the fleet at the start; empty where that was refused.
    pub snapshots: Vec<Box<dyn Placement>>,
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// Snapshot before.
    pub before: usize,
    /// Snapshot after.
    pub after: usize,
}

/// Applies every event to a contender.
pub fn replay(contender: &ContenderRequest, seed: HashSeed, plan: &Plan) -> Replay {
    let start = plan.start.as_ref().clone();
    match establish(contender.spec, &contender.arguments, seed, start) {
        Ok(first) => {
            let mut snapshots = vec![first];
            let follow = |timeline| follow(contender, timeline, &mut snapshots);
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
    timeline: &PlannedTimeline,
    snapshots: &mut Vec<Box<dyn Placement>>,
) -> Course {
    let mut course = Course { snapshots: vec![0], refusal: None };
    for (index, step) in timeline.steps.iter().enumerate().skip(1) {
        let before = snapshots[course.snapshots[index - 1]].as_ref();
        match advance(contender.spec, before, &step.changes) {
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
