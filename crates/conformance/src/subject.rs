//! Who stands before the laws: an algorithm with its parameters.

use placelab_core::{
    AlgorithmRequest, AlgorithmSpec, Arguments, Capability, Change, FleetSize, HashSeed, Node,
    Placement, PlacementError, Placer, Roster, Weight,
};

/// What a law finds: nothing, or what is wrong in a sentence.
pub(crate) type Finding = Result<(), String>;

/// An algorithm with its parameters.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The algorithm.
    pub spec: &'static AlgorithmSpec,
    /// Its parameters.
    pub arguments: Arguments,
}

impl Subject {
    /// An algorithm with its defaults.
    pub fn new(spec: &'static AlgorithmSpec) -> Self {
        Subject { spec, arguments: Arguments::defaults(spec) }
    }

    /// An algorithm with its small parameters. Panics where they are not what the spec takes.
    pub fn small(spec: &'static AlgorithmSpec) -> Self {
        let text = match spec.small {
            "" => spec.name.into(),
            small => format!("{}:{small}", spec.name),
        };
        let request = AlgorithmRequest::expand(&text).expect("small parameters read").remove(0);
        let no_file = |_: &str| Err("small parameters name no file".into());
        let arguments = request.arguments(spec, &no_file).expect("small parameters pass");
        Subject { spec, arguments }
    }

    /// The name with the parameters that are not defaults.
    pub fn name(&self) -> String {
        self.arguments.contender(self.spec)
    }

    /// What it makes of a roster under a hash seed.
    pub(crate) fn serve(&self, roster: Roster, seed: HashSeed) -> Result<Placer, PlacementError> {
        Placer::first(self.spec, &self.arguments, seed, roster)
    }

    /// What it makes of `node-0` … of weight 1.
    pub(crate) fn fleet(&self, nodes: u32) -> Result<Placer, String> {
        let served = Roster::numbered(nodes).and_then(|roster| self.serve(roster, PUBLISHED));
        served.map_err(|error| format!("{nodes} equal nodes: {error}"))
    }

    /// The placement of `node-0` … of weight 1, for laws that bind functions of the key.
    pub(crate) fn placement(&self, nodes: u32) -> Result<Box<dyn Placement>, String> {
        self.fleet(nodes)?.into_placement().map_err(|error| error.to_string())
    }

    /// What it makes of some changes.
    pub(crate) fn step(&self, before: &Placer, changes: &[Change]) -> Result<Placer, String> {
        before.after(self.spec, changes).map_err(|error| format!("{changes:?}: {error}"))
    }

    /// Whether it can do something beyond growing and shrinking at the tail.
    pub(crate) fn can(&self, capability: Capability) -> bool {
        self.spec.can(capability)
    }

    /// Whether a lookup asks every node, so that large fleets are looked at sparingly.
    pub(crate) fn is_slow(&self) -> bool {
        let many = FleetSize { first: 1_000, now: 1_000 };
        (self.spec.steps)(&self.arguments, many) >= 1_000.0
    }
}

/// The function that users deploy.
pub(crate) const PUBLISHED: HashSeed = HashSeed::PUBLISHED;

/// `node-0` … of these weights.
pub(crate) fn weighted(weights: &[u32]) -> Roster {
    let node = |(index, &weight): (usize, &u32)| Node {
        weight: Weight::units(weight),
        ..Roster::numbered_node(index as u32)
    };
    Roster::new(weights.iter().enumerate().map(node).collect()).expect("a fleet of a law")
}

/// Whether something holds, and what is wrong where it does not.
pub(crate) fn hold(holds: bool, wrong: impl FnOnce() -> String) -> Finding {
    if holds { Ok(()) } else { Err(wrong()) }
}
