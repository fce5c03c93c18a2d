//! Every algorithm against its slow, obvious twin, in every small world.

use placelab_algorithms::REGISTRY;
use placelab_conformance::{Subject, enumerate};
use placelab_core::Capability;
use rayon::prelude::*;

/// Sequences of at most five joins and removals of six names from fleets of one to six nodes.
const ALL: u64 = 52_199;

#[test]
fn twins_agree_in_every_small_world() {
    let broken: Vec<String> = REGISTRY
        .par_iter()
        .filter_map(|spec| {
            let subject = Subject::small(spec);
            match enumerate(&subject) {
                Ok(ALL) if spec.can(Capability::RemoveAny) => None,
                Ok(some) if !spec.can(Capability::RemoveAny) && (1..ALL).contains(&some) => None,
                Ok(some) => Some(format!("{}: {some} sequences", subject.name())),
                Err(error) => Some(format!("{}: {error}", subject.name())),
            }
        })
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
