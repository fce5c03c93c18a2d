//! Rules that read loads, over a placement that says who comes into question.
//!
//! The shape of the load-aware algorithms; each is a [`Rule`]. The placement underneath is a
//! contender of the registry (`over`), so that the price of a rule is the difference to that
//! contender. An assignment holds no loads itself: every pass over the keys starts from empty
//! nodes, and is a function of the roster, the keys and their order.

use placelab_core::{
    AlgorithmRequest, AlgorithmSpec, Arguments, Assignment, Change, Footprint, HashSeed, History,
    Key, Keys, Ledger, NodeId, ParameterKind, ParameterSpec, Placement, PlacementError, Resolution,
    Roster, Scheme, Trace, advance, establish,
};

/// How the next key is given to a node.
pub(crate) trait Rule: Clone + Send + Sync + 'static {
    /// The rule with these parameters.
    fn new(arguments: &Arguments) -> Self;

    /// Most keys of each node, by identity, in a pass over so many; none where loads have no bound.
    ///
    /// # Errors
    /// [`PlacementError::Limit`] where the nodes cannot hold so many.
    fn capacities(&self, roster: &Roster, keys: u64) -> Result<Option<Vec<u64>>, PlacementError>;

    /// Who gets the next key.
    fn choose(
        &self,
        under: &dyn Placement,
        books: &Books,
        key: Key<'_>,
        trace: &mut dyn Trace,
    ) -> NodeId;
}

/// What a pass knows of the nodes, by identity.
pub(crate) struct Books {
    pub(crate) loads: Vec<u64>,
    /// Weights in micro-units.
    pub(crate) weights: Vec<u64>,
    pub(crate) capacities: Option<Vec<u64>>,
}

/// A rule over a placement.
#[derive(Clone)]
struct LoadAware<R> {
    rule: R,
    spec: &'static AlgorithmSpec,
    under: Under,
}

/// The placement underneath, which forks where others are cloned.
struct Under(Box<dyn Placement>);

impl Clone for Under {
    fn clone(&self) -> Self {
        Under(self.0.fork())
    }
}

/// The parameter that says which placement is underneath.
pub(crate) const OVER: ParameterSpec = ParameterSpec {
    name: "over",
    kind: ParameterKind::Choice(&["ring", "weighted-rendezvous", "memento"]),
    default: Some("ring"),
    help: "who says which nodes come into question",
};

/// The parameter of a ring underneath.
pub(crate) const VNODES: ParameterSpec = ParameterSpec {
    name: "vnodes",
    kind: ParameterKind::Count { min: 1, max: 100_000 },
    default: Some("160"),
    help: "points a unit of weight, over a ring",
};

/// That of the placement underneath: a rule counts whole keys.
pub(crate) const RESOLUTION: Resolution = Resolution {
    lightest: "as `over`",
    memory: "none",
    weight: |arguments, fleet| {
        let (spec, of_under) = under(arguments);
        spec.resolution.map_or(f64::INFINITY, |resolution| (resolution.weight)(&of_under, fleet))
    },
};

/// The contender underneath.
fn under(arguments: &Arguments) -> (&'static AlgorithmSpec, Arguments) {
    let text = match arguments.text(OVER.name) {
        "ring" => format!("ring:vnodes={}", arguments.count(VNODES.name)),
        other => other.into(),
    };
    let request = AlgorithmRequest::expand(&text).expect("a plain request").remove(0);
    let spec = crate::find(&request.name).expect("choices are registered");
    let no_file = |_: &str| Err("no file is named".into());
    (spec, request.arguments(spec, &no_file).expect("both take as many points"))
}

/// Makes the assignment of a first roster.
pub(crate) fn build<R: Rule>(
    arguments: &Arguments,
    seed: HashSeed,
    roster: Roster,
) -> Result<Box<dyn Assignment>, PlacementError> {
    let (spec, of_under) = under(arguments);
    Ok(over(R::new(arguments), spec, establish(spec, &of_under, seed, roster)?))
}

/// A rule over a placement that this record made.
pub(crate) fn over(
    rule: impl Rule,
    spec: &'static AlgorithmSpec,
    under: Box<dyn Placement>,
) -> Box<dyn Assignment> {
    Box::new(LoadAware { rule, spec, under: Under(under) })
}

impl<R: Rule> Scheme for LoadAware<R> {
    fn roster(&self) -> &Roster {
        self.under.0.roster()
    }

    /// What is underneath may be able to do less than the rule.
    fn adopt(&mut self, _: Roster, changes: &[Change]) -> Result<(), PlacementError> {
        self.under.0 = advance(self.spec, self.under.0.as_ref(), changes)?;
        Ok(())
    }

    /// That of the placement underneath: loads and capacities belong to a pass.
    fn footprint(&self) -> Footprint {
        self.under.0.footprint()
    }
}

impl<R: Rule> Assignment for LoadAware<R> {
    fn open(&self, keys: u64) -> Result<Box<dyn Ledger + '_>, PlacementError> {
        let roster = self.roster();
        let capacities = self.rule.capacities(roster, keys)?;
        let weights = by_id(roster, |weight| weight);
        let loads = vec![0; weights.len()];
        let books = Books { loads, weights, capacities };
        Ok(Box::new(Pass { rule: &self.rule, under: self.under.0.as_ref(), books }))
    }

    fn fork(&self) -> Box<dyn Assignment> {
        Box::new(self.clone())
    }
}

/// One number for each identity, made of the weight in micro-units; 0 for those who are no members.
pub(crate) fn by_id(roster: &Roster, of_weight: impl Fn(u64) -> u64) -> Vec<u64> {
    let largest = roster.nodes().iter().map(|node| node.id.index()).max();
    let mut all = vec![0; largest.map_or(0, |largest| largest + 1)];
    for node in roster.nodes() {
        all[node.id.index()] = of_weight(node.weight.micros());
    }
    all
}

/// One pass over the keys.
struct Pass<'a, R> {
    rule: &'a R,
    under: &'a dyn Placement,
    books: Books,
}

impl<R: Rule> Ledger for Pass<'_, R> {
    fn assign(&mut self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        let node = self.rule.choose(self.under, &self.books, key, trace);
        self.books.loads[node.index()] += 1;
        node
    }

    fn capacity(&self, node: NodeId) -> Option<u64> {
        self.books.capacities.as_ref().map(|all| all.get(node.index()).copied().unwrap_or(0))
    }
}

/// What twins share: the placement underneath after a history, and a pass in which `choose` gets
/// the owners of all keys before.
pub(crate) fn naive_pass(
    arguments: &Arguments,
    seed: HashSeed,
    history: &History,
    keys: Keys<'_>,
    choose: impl Fn(&dyn Placement, Key<'_>, &[NodeId]) -> NodeId,
) -> Vec<NodeId> {
    let (spec, of_under) = under(arguments);
    let first = establish(spec, &of_under, seed, history.start.clone());
    let possible = "twins are asked what is possible";
    let under = history.steps.iter().fold(first.expect(possible), |before, changes| {
        advance(spec, before.as_ref(), changes).expect(possible)
    });
    let mut owners = Vec::new();
    for index in 0..keys.hashes.len() {
        owners.push(choose(under.as_ref(), keys.get(index), &owners));
    }
    owners
}
