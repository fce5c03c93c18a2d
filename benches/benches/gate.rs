//! `gate`: counts the instructions of a batch of every algorithm, and fails where one needs more
//! than was kept in `benches/gate.json`. `scripts/bench-gate` builds and starts it.
//!
//! A run starts itself under callgrind, which writes a file for each call of [`measured`], and
//! counts the steps of the same keys' traces on its own. Counts are those of a build for any
//! x86-64: of the portable forms, and of the AVX2 kernels where an algorithm has one. Valgrind
//! knows no AVX-512.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use comfy_table::{Table, presets};
use placelab_algorithms::REGISTRY;
use placelab_algorithms::simd::{self, Level};
use placelab_benches::Batch;
use placelab_benches::gate::{Baseline, Count, Counts, Row, Verdict, callgrind_total, judge};
use placelab_core::{
    AlgorithmSpec, Arguments, HashSeed, NodeId, PlacementError, Placer, Roster, Step, Trace,
};

const NODE_COUNTS: [u32; 2] = [100, 1_000];
/// Keys of a batch: some scores of a thousand nodes are digests, and callgrind is slow.
const KEYS: u64 = 512;
/// Keys that are placed before.
const WARMING: usize = 16;
const LEVELS: [Level; 2] = [Level::Portable, Level::Avx2];

/// One algorithm over so many nodes, by the instructions of a level.
struct Kernel {
    spec: &'static AlgorithmSpec,
    nodes: u32,
    level: Level,
}

impl Kernel {
    /// Every one that this machine has.
    fn all() -> Vec<Kernel> {
        let mut kernels = Vec::new();
        for spec in REGISTRY.iter() {
            for nodes in NODE_COUNTS {
                let levels = LEVELS.into_iter().filter(|level| level.is_available());
                kernels.extend(levels.map(|level| Kernel { spec, nodes, level }));
            }
        }
        kernels
    }

    fn name(&self) -> String {
        let name = format!("{}/{}", self.spec.name, self.nodes);
        if self.level == Level::Portable { name } else { format!("{name}/{}", self.level) }
    }

    fn placer(&self) -> Result<Placer, PlacementError> {
        let roster = Roster::numbered(self.nodes)?;
        Placer::first(self.spec, &Arguments::defaults(self.spec), HashSeed::PUBLISHED, roster)
    }

    /// Places some keys, so that what is looked up only once is, and then the batch, counted.
    fn run(&self, batch: &Batch) -> Result<(), PlacementError> {
        simd::force(self.level).expect("only available levels are asked for");
        let mut owners = vec![NodeId::NOBODY; KEYS as usize];
        match self.placer()? {
            Placer::Placement(placement) => {
                placement.place_many(batch.first(WARMING), &mut owners);
                measured(&mut || placement.place_many(batch.keys(), &mut owners));
            }
            Placer::Assignment(assignment) => {
                let mut ledger = assignment.open(KEYS)?;
                measured(&mut || ledger.assign_many(batch.keys(), &mut owners));
            }
        }
        black_box(&mut owners);
        Ok(())
    }

    /// The steps of the traces of the batch; nothing where the algorithm refuses the fleet.
    fn work(&self, batch: &Batch) -> Option<u64> {
        let mut steps = Steps(0);
        let keys = (0..KEYS as usize).map(|key| batch.keys().get(key));
        match self.placer().ok()? {
            Placer::Placement(placement) => {
                keys.for_each(|key| {
                    placement.trace(key, &mut steps);
                });
            }
            Placer::Assignment(assignment) => {
                let mut ledger = assignment.open(KEYS).ok()?;
                keys.for_each(|key| {
                    ledger.assign(key, &mut steps);
                });
            }
        }
        Some(steps.0)
    }
}

/// Counts steps.
struct Steps(u64);

impl Trace for Steps {
    fn step(&mut self, _: Step) {
        self.0 += 1;
    }
}

/// What callgrind counts: its name is what callgrind is told.
#[inline(never)]
fn measured(work: &mut dyn FnMut()) {
    work();
    // Nothing may be moved behind the call and left uncounted.
    black_box(work);
}

/// Under callgrind: every kernel in turn, and its name once it was counted.
fn run_kernels() {
    let batch = Batch::distinct(0, KEYS);
    for kernel in Kernel::all() {
        if kernel.run(&batch).is_ok() {
            println!("{}", kernel.name());
        }
    }
}

/// The instructions of every kernel by name.
fn instructions(folder: &Path) -> Result<BTreeMap<String, u64>, String> {
    let this = env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let out = folder.join("callgrind.out");
    let child = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no", "--quiet"])
        .args(["--toggle-collect=gate::measured", "--dump-after=gate::measured"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(this)
        .arg(RUN_KERNELS)
        .stderr(Stdio::piped())
        .output();
    let child = child.map_err(|error| {
        format!("valgrind cannot be started: {error}. Debian has it as package `valgrind`")
    })?;
    if !child.status.success() {
        let said = String::from_utf8_lossy(&child.stderr);
        return Err(format!("valgrind ended with {}: {}", child.status, said.trim()));
    }
    let names = String::from_utf8_lossy(&child.stdout);
    let names: Vec<&str> = names.lines().collect();
    let mut totals = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(|error| error.to_string())?.flatten() {
        let text = fs::read_to_string(entry.path()).map_err(|error| error.to_string())?;
        // The last part is what was left at the end: nothing.
        totals.extend(callgrind_total(&text).filter(|(_, total)| *total > 0));
    }
    if totals.len() != names.len() {
        let (parts, kernels) = (totals.len(), names.len());
        return Err(format!("callgrind counted {parts} calls of {kernels} kernels"));
    }
    Ok(names.into_iter().map(str::to_owned).zip(totals.into_values()).collect())
}

/// Both counts of every kernel; those of AVX2 where they differ from the portable ones.
fn counts() -> Result<Counts, String> {
    eprintln!("counting instructions under callgrind …");
    let folder = env::temp_dir().join(format!("placelab-gate-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let instructions = instructions(&folder);
    let removed = fs::remove_dir_all(&folder);
    let instructions = instructions?;
    removed.map_err(|error| format!("{}: {error}", folder.display()))?;
    let batch = Batch::distinct(0, KEYS);
    let mut counts = Counts::new();
    for kernel in Kernel::all() {
        let name = kernel.name();
        let portable = Kernel { level: Level::Portable, ..kernel };
        let Some(&count) = instructions.get(&name) else { continue };
        if portable.name() != name && instructions.get(&portable.name()) == Some(&count) {
            continue;
        }
        let work = portable.work(&batch).ok_or("a fleet is refused now and was not before")?;
        counts.insert(name, Count { instructions: count, work });
    }
    Ok(counts)
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["kernel", "instructions a key", "before", "change", "work a key", "verdict"]);
    let each = |figure: Option<u64>| match figure {
        Some(figure) => format!("{:.1}", figure as f64 / KEYS as f64),
        None => "–".into(),
    };
    for row in rows {
        let instructions = |count: Option<Count>| count.map(|count| count.instructions);
        let change = match (instructions(row.before), instructions(row.now)) {
            (Some(before), Some(now)) => {
                format!("{:+.2} %", 100.0 * (now as f64 / before.max(1) as f64 - 1.0))
            }
            _ => "–".into(),
        };
        table.add_row([
            row.kernel.clone(),
            each(instructions(row.now)),
            each(instructions(row.before)),
            change,
            each(row.now.map(|count| count.work)),
            row.verdict.to_string(),
        ]);
    }
    table
}

const RUN_KERNELS: &str = "--run-kernels";

/// What the command line asks for.
struct Request {
    record: bool,
    baseline: PathBuf,
}

fn request() -> Result<Request, String> {
    let baseline = Path::new(env!("CARGO_MANIFEST_DIR")).join("gate.json");
    let mut request = Request { record: false, baseline };
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // Cargo says so of itself.
            "--bench" => {}
            "--record" => request.record = true,
            "--baseline" => {
                request.baseline = arguments.next().ok_or("--baseline needs a file")?.into();
            }
            other => return Err(format!("no such option: {other}")),
        }
    }
    if cfg!(target_feature = "sse3") {
        return Err("counts are those of a build for any x86-64: build without `target-cpu`".into());
    }
    Ok(request)
}

/// Whether the gate is passed.
fn gate(request: &Request) -> Result<bool, String> {
    let compiler = placelab_timing::rustc();
    let path = &request.baseline;
    let mut baseline = Baseline::read(path).map_err(|error| error.to_string())?;
    if request.record {
        let now = counts()?;
        let count = now.len();
        baseline.0.insert(compiler.into(), now);
        baseline.write(path).map_err(|error| error.to_string())?;
        eprintln!("kept the counts of {count} kernels in {}", path.display());
        return Ok(true);
    }
    // Before the counting: what cannot be compared need not be counted.
    let before = baseline.of(path, compiler).map_err(|error| error.to_string())?;
    let rows = judge(before, &counts()?);
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let slower = count(Verdict::Slower);
    let changed: Vec<Row> =
        rows.iter().filter(|row| row.verdict != Verdict::Same).cloned().collect();
    if !changed.is_empty() {
        println!("{}", table(&changed));
    }
    println!(
        "{} kernels: {} same, {slower} slower, {} faster, {} new, {} gone; \
         at most 2 % more is borne",
        rows.len(),
        count(Verdict::Same),
        count(Verdict::Faster),
        count(Verdict::New),
        count(Verdict::Gone),
    );
    if changed.len() > slower {
        println!("`scripts/bench-gate --record` keeps the new counts");
    }
    Ok(slower == 0)
}

fn main() -> ExitCode {
    if env::args().nth(1).is_some_and(|argument| argument == RUN_KERNELS) {
        run_kernels();
        return ExitCode::SUCCESS;
    }
    match request() {
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
        Ok(request) => match gate(&request) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(3),
            Err(error) => {
                eprintln!("{error}");
                ExitCode::from(1)
            }
        },
    }
}
