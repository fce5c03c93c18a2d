//! A new algorithm is one record: a toy that the project has never seen runs in a scenario that
//! asks for everybody, and shows up in the results with its figures and refusals.

use std::ops::ControlFlow;
use std::path::Path;

use placelab_core::{
    AlgorithmSpec, Build, Change, Claim, Footprint, Key, KeyPart, NodeId, Placement,
    PlacementError, Role, Roster, Scheme, Step, Trace,
};
use placelab_sim::keys::KeySource;
use placelab_sim::run::{Settings, run};
use placelab_sim::scenario::parse;
use placelab_sim::sweep::Unwatched;

/// Everything goes to the member that joined first.
#[derive(Clone)]
struct FirstTakesAll(Roster);

static TOY: AlgorithmSpec = AlgorithmSpec {
    name: "first-takes-all",
    role: Role::Rival,
    family: "toy",
    year: 2026,
    citation: "this test",
    implementations: "none",
    summary: "everything goes to the oldest member",
    lookup_cost: "O(1)",
    steps: |_, _| 1.0,
    closed_forms: &[],
    memory_cost: "O(1)",
    capabilities: &[],
    claims: &[Claim::MinimalMovement],
    resolution: None,
    reads: KeyPart::Hash,
    parameters: &[],
    small: "",
    build: Build::Placement(|_, _, roster| Ok(Box::new(FirstTakesAll(roster)))),
    naive: |_, _, history, keys| vec![history.now().nodes()[0].id; keys.hashes.len()],
};

impl Scheme for FirstTakesAll {
    fn roster(&self) -> &Roster {
        &self.0
    }

    fn adopt(&mut self, next: Roster, _: &[Change]) -> Result<(), PlacementError> {
        self.0 = next;
        Ok(())
    }

    fn footprint(&self) -> Footprint {
        Footprint::default()
    }
}

impl Placement for FirstTakesAll {
    fn place(&self, _: Key<'_>) -> NodeId {
        self.0.nodes()[0].id
    }

    fn trace(&self, key: Key<'_>, trace: &mut dyn Trace) -> NodeId {
        trace.step(Step::Draw { value: key.hash.0 });
        self.place(key)
    }

    fn candidates(&self, _: Key<'_>, visit: &mut dyn FnMut(NodeId) -> ControlFlow<()>) {
        let _ = self.0.nodes().iter().try_for_each(|node| visit(node.id));
    }

    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

#[test]
fn a_record_is_all_it_takes() {
    let mut registry = placelab_algorithms::REGISTRY.to_vec();
    registry.push(&TOY);
    let text = r#"
        schema = 1
        title = "toy"
        algorithms = ["*"]
        seeds = 2
        [keys]
        source = "sequential"
        count = 3000
        [fleet]
        nodes = 4
        [[timeline]]
        name = "grow, then lose one in the middle"
        [[timeline.event]]
        join = 1
        [[timeline.event]]
        fail = "node-2"
    "#;
    let prepared = parse("toy.toml", text, Path::new("."), &registry).unwrap();
    let source = KeySource::open(&prepared.scenario.keys).unwrap();
    let command = "placelab run toy.toml";
    let results = run(&prepared, &source, command, Settings::default(), &Unwatched).unwrap();
    let asked = registry.iter().filter(|spec| spec.role != Role::Exhibit).count();
    assert_eq!(results.contenders.len(), asked);
    let toy = results.contenders.iter().find(|one| one.name == "first-takes-all").unwrap();
    let course = &toy.timelines[0];
    assert_eq!(course.steps.len(), 2);
    assert_eq!(course.steps[0].metrics["load.max_over_mean"].median, 4.0);
    assert_eq!(course.steps[1].metrics["load.max_over_mean"].median, 5.0);
    assert_eq!(course.steps[1].metrics["movement.moved"].median, 0.0);
    let refusal = course.refusal.as_ref().unwrap();
    assert_eq!((refusal.step, refusal.capability.as_deref()), (2, Some("remove-any")));
    assert_eq!(refusal.reason, "not supported: needs remove-any");
}
