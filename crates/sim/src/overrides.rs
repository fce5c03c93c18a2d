//! What the command line changes of a scenario.

use placelab_core::Role;

use crate::scenario::{ContenderRequest, Scenario, SourceRequest};

/// Changes to a scenario; nothing where nothing is given.
#[derive(Debug, Default)]
pub struct Overrides {
    /// Contenders instead of the scenario's own; its canaries stay.
    pub contenders: Option<Vec<ContenderRequest>>,
    /// How many keys; of a file, the first so many.
    pub keys: Option<u64>,
    /// How many hash seeds.
    pub seeds: Option<u32>,
}

impl Overrides {
    /// Changes a scenario. Expectations about contenders that are no longer there are dropped.
    pub fn apply(self, scenario: &mut Scenario) {
        if let Some(mut contenders) = self.contenders {
            let listed = |name: &str, list: &[ContenderRequest]| {
                list.iter().any(|contender| contender.name() == name)
            };
            let canaries =
                scenario.contenders.drain(..).filter(|one| one.spec.role == Role::Canary);
            for canary in canaries {
                if !listed(&canary.name(), &contenders) {
                    contenders.push(canary);
                }
            }
            let names: Vec<String> = contenders.iter().map(ContenderRequest::name).collect();
            scenario
                .expectations
                .retain(|expectation| names.iter().any(|name| expectation.concerns(name)));
            scenario.contenders = contenders;
        }
        if let Some(keys) = self.keys {
            match &mut scenario.keys.source {
                SourceRequest::Sequential { count }
                | SourceRequest::Uniform { count }
                | SourceRequest::Zipf { count, .. } => *count = keys,
                SourceRequest::File { limit, .. } => *limit = Some(keys),
            }
            scenario.keys.marks.retain(|mark| *mark <= keys);
        }
        scenario.seeds = self.seeds.unwrap_or(scenario.seeds);
    }
}
