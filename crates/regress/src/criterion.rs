//! What `cargo bench` left: criterion's folder, `**/<baseline>/` with three files a bench.
//!
//! Written for criterion 0.8, after its files; fields that are not needed are not looked at. A
//! bench whose files are missing, broken or from different runs is a fault and left out; the
//! others are whole all the same, since each bench has files of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use placelab_core::node::hides_text;
use placelab_results::BenchTime;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::mistake::{FileError, Mistake, clean};
use crate::whole::read_bytes;

/// Most benches of a folder.
pub const BENCHES_MAX: usize = 10_000;
/// Most files and folders that are looked at.
const ENTRIES_MAX: u64 = 500_000;
/// Deepest folder that is looked into; ids have three parts.
const DEPTH_MAX: usize = 12;
/// Largest file of a bench in bytes: a sample has some hundred numbers.
const BENCH_BYTES_MAX: u64 = 8 << 20;
/// Bytes of an id.
pub(crate) const ID_BYTES_MAX: usize = 400;
/// How far two medians of one sample may be apart: the order of a sum.
const SAME: f64 = 1e-6;
/// Other baselines that a message names.
const OTHERS_MAX: usize = 8;

const FILES: [&str; 3] = ["benchmark.json", "sample.json", "estimates.json"];

/// What a folder of criterion has.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reading {
    /// The benches that are whole, by their ids.
    pub benches: Vec<BenchTime>,
    /// What is wrong with the others, in the order of their folders.
    pub faults: Vec<FileError>,
}

/// Reads the medians of every bench that has this baseline; `cargo bench` writes `new`.
///
/// Times are nanoseconds of an element where the bench says how many elements an iteration has,
/// else of an iteration.
///
/// # Errors
/// The folder is not there or cannot be read, or has no bench with the baseline, or more than
/// [`BENCHES_MAX`]. Faults of single benches are no error.
pub fn read_criterion(folder: &Path, baseline: &str) -> Result<Reading, FileError> {
    let mut found = Found { baseline, entries: 0, benches: Vec::new(), others: BTreeSet::new() };
    match fs::metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Mistake::NoFolder.within(folder));
        }
        Ok(what) if !what.is_dir() => return Err(Mistake::NoFolder.within(folder)),
        _ => found.look(folder, 0)?,
    }
    if found.benches.is_empty() {
        let others = found.others.into_iter().take(OTHERS_MAX).collect();
        return Err(Mistake::NoBench { baseline: clean(baseline), others }.within(folder));
    }
    let mut benches = BTreeMap::new();
    let mut faults = Vec::new();
    for path in found.benches {
        match read_bench(&path) {
            Ok(bench) if benches.contains_key(&bench.id) => {
                faults.push(Mistake::Duplicate { id: bench.id }.within(&path));
            }
            Ok(bench) => {
                benches.insert(bench.id.clone(), bench);
            }
            Err(fault) => faults.push(fault),
        }
    }
    Ok(Reading { benches: benches.into_values().collect(), faults })
}

/// What was seen on the way through the folders.
struct Found<'a> {
    baseline: &'a str,
    entries: u64,
    /// Folders of the baseline.
    benches: Vec<PathBuf>,
    /// Other baselines.
    others: BTreeSet<String>,
}

impl Found<'_> {
    /// Looks through a folder in the order of names; links are not followed.
    fn look(&mut self, folder: &Path, depth: usize) -> Result<(), FileError> {
        let unreadable = |error| Mistake::Unreadable(error).within(folder);
        let mut folders = Vec::new();
        let mut is_empty = true;
        let mut is_bench = false;
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            (self.entries, is_empty) = (self.entries + 1, false);
            if self.entries > ENTRIES_MAX {
                let (what, possible) = ("files and folders", ENTRIES_MAX);
                return Err(Mistake::TooLarge { what, possible }.within(folder));
            }
            is_bench |= FILES.iter().any(|name| entry.file_name() == *name);
            if entry.file_type().map_err(unreadable)?.is_dir() {
                folders.push(entry.path());
            }
        }
        let name = folder.file_name().unwrap_or_default();
        if depth > 0 && name == self.baseline && (is_bench || is_empty) {
            self.benches.push(folder.into());
            if self.benches.len() > BENCHES_MAX {
                let (what, possible) = ("benches", BENCHES_MAX as u64);
                return Err(Mistake::TooLarge { what, possible }.within(folder));
            }
        } else if is_bench && self.others.len() < OTHERS_MAX && folder.join(FILES[0]).exists() {
            self.others.insert(format!("`{}`", clean(&name.to_string_lossy())));
        }
        folders.sort();
        folders.retain(|_| depth < DEPTH_MAX);
        folders.iter().try_for_each(|folder| self.look(folder, depth + 1))
    }
}

#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
    throughput: Option<Throughput>,
}

/// Bytes are no elements: a lookup has no size.
#[derive(Deserialize)]
struct Throughput {
    #[serde(rename = "Elements")]
    elements: Option<u64>,
    #[serde(rename = "ElementsAndBytes")]
    both: Option<ElementsAndBytes>,
}

#[derive(Deserialize)]
struct ElementsAndBytes {
    elements: u64,
}

impl Throughput {
    fn elements(self) -> Option<u64> {
        self.elements.or(self.both.map(|both| both.elements))
    }
}

#[derive(Deserialize)]
struct Sample {
    iters: Vec<f64>,
    times: Vec<f64>,
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
    confidence_interval: Interval,
}

#[derive(Deserialize)]
struct Interval {
    lower_bound: f64,
    upper_bound: f64,
}

/// One bench.
fn read_bench(folder: &Path) -> Result<BenchTime, FileError> {
    let is_missing = |name: &&&str| !folder.join(name).exists();
    if let Some(&missing) = FILES.iter().find(is_missing) {
        return Err(Mistake::HalfWritten { missing }.within(folder));
    }
    let (benchmark, path): (Benchmark, _) = read_json(folder, FILES[0])?;
    check_id(&benchmark.full_id).map_err(|mistake| mistake.within(&path))?;
    let elements = benchmark.throughput.and_then(Throughput::elements);
    if elements == Some(0) {
        return Err(Mistake::value("throughput", "no elements").within(&path));
    }
    let (sample, path): (Sample, _) = read_json(folder, FILES[1])?;
    let found = median_of(&sample).map_err(|mistake| mistake.within(&path))?;
    let (Estimates { median }, path): (Estimates, _) = read_json(folder, FILES[2])?;
    let Interval { lower_bound, upper_bound } = median.confidence_interval;
    let said = median.point_estimate;
    let are_times = [said, lower_bound, upper_bound].iter().all(|time| is_time(*time));
    if !are_times || lower_bound > upper_bound {
        let reason = "not a time in nanoseconds with its interval";
        return Err(Mistake::value("median", reason).within(&path));
    }
    if (said - found).abs() > SAME * said {
        return Err(Mistake::Mixed { said, found }.within(&path));
    }
    let each = |time: f64| time / elements.unwrap_or(1) as f64;
    Ok(BenchTime {
        id: benchmark.full_id,
        elements,
        median_ns: each(said),
        low_ns: each(lower_bound.min(said)),
        high_ns: each(upper_bound.max(said)),
    })
}

fn read_json<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<(T, PathBuf), FileError> {
    let path = folder.join(name);
    let parsed = read_bytes(&path, BENCH_BYTES_MAX)
        .and_then(|bytes| serde_json::from_slice(&bytes).map_err(|e| Mistake::syntax(&e)));
    match parsed {
        Ok(parsed) => Ok((parsed, path)),
        Err(mistake) => Err(mistake.within(&path)),
    }
}

/// Whether a text may be the id of a bench.
pub(crate) fn check_id(id: &str) -> Result<(), Mistake> {
    if id.is_empty() || id.len() > ID_BYTES_MAX {
        return Err(Mistake::value("id", format!("it has 1 to {ID_BYTES_MAX} bytes")));
    }
    match id.chars().find(|c| hides_text(*c)) {
        Some(c) => Err(Mistake::value("id", format!("holds U+{:04X}", u32::from(c)))),
        None => Ok(()),
    }
}

/// Whether a number is a time in nanoseconds: positive, and less than a day.
pub(crate) fn is_time(ns: f64) -> bool {
    ns > 0.0 && ns < 8.64e13
}

/// The median nanoseconds of an iteration.
fn median_of(sample: &Sample) -> Result<f64, Mistake> {
    let (iters, times) = (&sample.iters, &sample.times);
    if iters.is_empty() || iters.len() != times.len() {
        let counts = format!("{} counts and {} times", iters.len(), times.len());
        return Err(Mistake::value("iters, times", counts));
    }
    let mut each: Vec<f64> = iters.iter().zip(times).map(|(count, time)| time / count).collect();
    match each.iter().all(|time| is_time(*time)) {
        true => Ok(crate::comparison::median(&mut each)),
        false => Err(Mistake::value("times", "not times in nanoseconds")),
    }
}
