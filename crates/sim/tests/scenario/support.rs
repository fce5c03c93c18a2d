//! A small registry, so that these tests do not change with the real one, and short ways to read.

use std::path::Path;

use placelab_core::{
    AlgorithmSpec, Arguments, Build, HashFunction, HashSeed, KeyPart, ParameterKind, ParameterSpec,
    Placement, PlacementError, Role, Roster,
};
use placelab_sim::diagnostics::Look;
use placelab_sim::plan::{Plan, PlannedStep};
use placelab_sim::scenario::{Prepared, ScenarioError, parse};

fn never_built(
    _: &Arguments,
    _: HashSeed,
    _: Roster,
) -> Result<Box<dyn Placement>, PlacementError> {
    Err(PlacementError::NobodyLeft)
}

const fn spec(
    name: &'static str,
    role: Role,
    parameters: &'static [ParameterSpec],
) -> AlgorithmSpec {
    AlgorithmSpec {
        name,
        role,
        family: "test",
        year: 2000,
        citation: "none",
        implementations: "none",
        summary: "none",
        lookup_cost: "none",
        steps: |_, _| unreachable!(),
        closed_forms: &[],
        memory_cost: "none",
        capabilities: &[],
        claims: &[],
        resolution: None,
        reads: KeyPart::Hash,
        parameters,
        small: "",
        build: Build::Placement(never_built),
        naive: |_, _, _, _| unreachable!(),
    }
}

const fn parameter(
    name: &'static str,
    kind: ParameterKind,
    default: Option<&'static str>,
) -> ParameterSpec {
    ParameterSpec { name, kind, default, help: "none" }
}

fn has_no_x(text: &str) -> Result<(), String> {
    if text.contains('x') { Err("an x is no token".into()) } else { Ok(()) }
}

static RING: AlgorithmSpec = spec(
    "ring",
    Role::Rival,
    &[
        parameter("vnodes", ParameterKind::Count { min: 1, max: 65_536 }, Some("160")),
        parameter("hash", ParameterKind::Choice(&HashFunction::NAMES), Some("xxh3")),
        parameter("tokens", ParameterKind::File(has_no_x), None),
    ],
);
static MAGLEV: AlgorithmSpec = spec(
    "maglev",
    Role::Rival,
    &[parameter("size", ParameterKind::Prime { max: 10_000_019 }, Some("65537"))],
);
static MODULO: AlgorithmSpec = spec("modulo", Role::Canary, &[]);
static IDEAL: AlgorithmSpec = spec("ideal", Role::Canary, &[]);

pub(crate) const REGISTRY: &[&AlgorithmSpec] = &[&MODULO, &RING, &MAGLEV, &IDEAL];

/// The parts of a scenario that a test is not about.
pub(crate) const HEAD: &str = "\
schema = 1
algorithms = [\"ring\"]
keys = { source = \"uniform\", count = 1000 }
";

/// A scenario with a fleet of five.
pub(crate) fn with_fleet(rest: &str) -> String {
    format!("{HEAD}fleet = {{ nodes = 5 }}\n{rest}")
}

/// Reads a scenario that is right and names no files.
pub(crate) fn read_text(text: &str) -> Prepared {
    read_in(Path::new("."), text).unwrap_or_else(|error| panic!("{error}"))
}

/// One timeline with an event a line.
pub(crate) fn timeline(name: &str, events: &[&str]) -> String {
    let events: String =
        events.iter().map(|event| format!("[[timeline.event]]\n{event}\n")).collect();
    format!("[[timeline]]\nname = \"{name}\"\n{events}")
}

/// The plan of some events of a fleet of five.
pub(crate) fn planned(events: &[&str]) -> Plan {
    read_text(&with_fleet(&timeline("t", events))).plan
}

/// Names of the members after a step.
pub(crate) fn members(step: &PlannedStep) -> Vec<&str> {
    step.after.nodes().iter().map(|node| node.name.as_str()).collect()
}

/// Reads a scenario that stands in a folder.
pub(crate) fn read_in(folder: &Path, text: impl AsRef<[u8]>) -> Result<Prepared, ScenarioError> {
    parse("s.toml", text, folder, REGISTRY)
}

/// What a user sees of a scenario that is wrong.
pub(crate) fn report(text: &str) -> String {
    report_in(Path::new("."), text)
}

/// What a user sees of a scenario that is wrong and stands in a folder.
pub(crate) fn report_in(folder: &Path, text: impl AsRef<[u8]>) -> String {
    let error = read_in(folder, text).expect_err("the scenario is wrong");
    let diagnostics = error.diagnostics().expect("errors that point into the file");
    diagnostics.render(Look::Plain)
}

/// A folder with a few files for scenarios to name.
pub(crate) fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &[u8]| {
        std::fs::write(folder.path().join(name), text).expect("a file in a temporary folder");
    };
    write("keys.txt", b"alpha\nbeta\r\ngamma");
    write("keys.csv", b"key,requests,size\nalpha,7,100\n\"be,ta\",2,50\ngamma,1,0\n");
    write("tokens.txt", b"a x b");
    folder
}
