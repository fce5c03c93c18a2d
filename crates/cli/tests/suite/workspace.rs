//! Rules that hold over the whole workspace: layers, sizes, and how little it takes to add an
//! algorithm.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use placelab_algorithms::REGISTRY;
use placelab_core::Role;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn manifests() -> BTreeMap<String, toml::Table> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.push(root().join("benches"));
    let read = |folder: PathBuf| {
        let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        (manifest["package"]["name"].as_str().unwrap().to_string(), manifest)
    };
    folders.into_iter().map(read).collect()
}

fn layer(manifest: &toml::Table) -> i64 {
    let layer = &manifest["package"]["metadata"]["placelab"]["layer"];
    layer.as_integer().expect("every crate states its layer")
}

/// Arrows go only downward. `benches` stands on the layer of `cli` and sees all below it.
#[test]
fn crates_depend_only_on_lower_layers() {
    let manifests = manifests();
    for (name, manifest) in &manifests {
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
        for dependency in dependencies.into_iter().flat_map(|table| table.keys()) {
            let Some(other) = manifests.get(dependency) else { continue };
            assert!(layer(other) < layer(manifest), "{name} may not depend on {dependency}");
        }
    }
}

/// The simulator sees traits and never algorithms, the report sees results alone.
#[test]
fn neighbours_that_must_not_meet_do_not() {
    let manifests = manifests();
    let depends = |name: &str, on: &str| manifests[name]["dependencies"].get(on).is_some();
    assert!(!depends("placelab-sim", "placelab-algorithms"));
    assert!(!depends("placelab-timing", "placelab-sim"));
    for other in ["core", "algorithms", "metrics", "sim", "timing"] {
        assert!(!depends("placelab-report", &format!("placelab-{other}")), "report sees {other}");
    }
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn all_sources() -> Vec<(PathBuf, String)> {
    let folders = ["crates", "benches"].map(|folder| root().join(folder));
    let paths = folders.iter().flat_map(|folder| sources(folder));
    paths.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn files_stay_readable() {
    for (path, text) in all_sources() {
        let shown = path.display();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        assert!(code.lines().count() <= 400, "{shown} is longer than 400 lines without its tests");
        assert!(text.starts_with("//!"), "{shown} does not say what it is");
        for (number, line) in text.lines().enumerate() {
            let width = line.chars().count();
            assert!(width <= 100, "{shown}:{} has {width} columns", number + 1);
        }
    }
}

/// Only kernel modules may lift the ban, each by name here, the allocator that counts, and the door
/// of the module for pages.
#[test]
fn unsafe_code_stands_only_in_named_modules() {
    const NAMED: [&str; 14] = [
        "benches/benches/bars/division_floor.rs",
        "crates/algorithms/src/kernels/anchor.rs",
        "crates/algorithms/src/kernels/clocks.rs",
        "crates/algorithms/src/kernels/flip.rs",
        "crates/algorithms/src/kernels/jump.rs",
        "crates/algorithms/src/kernels/jump_back.rs",
        "crates/algorithms/src/kernels/lanes.rs",
        "crates/algorithms/src/kernels/redraws.rs",
        "crates/algorithms/src/kernels/rendezvous.rs",
        "crates/algorithms/src/kernels/short_clocks.rs",
        "crates/algorithms/src/kernels/short_scores.rs",
        "crates/algorithms/src/kernels/single.rs",
        "crates/cli/src/meter.rs",
        "crates/wasm/src/exports.rs",
    ];
    for (path, text) in all_sources() {
        let lifts = text.contains(concat!("allow(", "unsafe_code"))
            || text.contains(concat!("expect(", "unsafe_code"));
        let named = NAMED.iter().any(|module| path.ends_with(module));
        assert!(!lifts || named, "{} lifts the ban on unsafe code", path.display());
    }
}

/// An algorithm is its file, its `mod` line and its registry line: no other source names it.
/// (The canaries are named where canaries are added, benches and tests name what they look at,
/// and the palette knows the colours that readers learn; an algorithm that it does not know gets
/// one by its name.)
#[test]
fn an_algorithm_is_one_file_and_two_lines() {
    let library = fs::read_to_string(root().join("crates/algorithms/src/lib.rs")).unwrap();
    for spec in REGISTRY.iter() {
        // An adapter stands on the line of what it adapts.
        let base = spec.name.split('+').next().unwrap();
        let module = base.replace('-', "_");
        let file = root().join(format!("crates/algorithms/src/{module}.rs"));
        assert!(file.is_file(), "{} has a file of its own", spec.name);
        let module_line = format!("mod {module};");
        let is_module = |line: &&str| line.strip_prefix("pub ").unwrap_or(line) == module_line;
        assert_eq!(library.lines().filter(is_module).count(), 1, "{}", spec.name);
        let record = format!("&{module}::SPEC");
        let registered = library.lines().filter(|line| line.contains(&record)).count();
        assert_eq!(registered, 1, "{}", spec.name);
        if spec.role == Role::Canary {
            continue;
        }
        let quoted = format!("\"{}\"", spec.name);
        for (path, text) in all_sources() {
            let code = text.split("#[cfg(test)]").next().unwrap();
            let own = path.starts_with(root().join("crates/algorithms"));
            let is_product = !own && path.components().any(|part| part.as_os_str() == "src");
            let is_palette = path.ends_with("report/src/palette.rs");
            if is_product && !is_palette && code.contains(&quoted) {
                panic!("{} names {quoted}", path.display());
            }
        }
    }
}

/// The project stands alone: no file points at a place outside it.
#[test]
fn nothing_points_outside() {
    let outside = [concat!("../", "shared"), concat!("/wo", "rk/")];
    for (path, text) in all_sources() {
        for place in outside {
            assert!(!text.contains(place), "{} points at {place}", path.display());
        }
    }
}

#[test]
fn every_dependency_is_explained() {
    let text = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    let explained = fs::read_to_string(root().join("docs/DEPENDENCIES.md")).unwrap();
    for name in manifest["workspace"]["dependencies"].as_table().unwrap().keys() {
        let is_own = name.starts_with("placelab-");
        assert!(is_own || explained.contains(&format!("| `{name}` |")), "{name} has no line");
    }
}

/// Peers are timed as they are, so at exact versions, and the page names those and no others.
#[test]
fn peers_are_explained_and_timed() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let (explained, timed) = (read("docs/DEPENDENCIES.md"), read("docs/PEERS.md"));
    let manifest: toml::Table = read("benches/Cargo.toml").parse().unwrap();
    let version = |version: &toml::Value| version.as_str()?.strip_prefix('=').map(str::to_string);
    let mut peers = BTreeMap::new();
    for (name, asked) in manifest["dev-dependencies"].as_table().unwrap() {
        assert!(explained.contains(&format!("| `{name}` |")), "{name} has no line");
        let exact = version(asked).unwrap_or_else(|| panic!("the version of {name} is not exact"));
        peers.insert(name.clone(), exact);
    }
    let cells = |line: &str| -> Option<(String, String)> {
        let [name, version] =
            line.strip_prefix('|')?.strip_suffix('|')?.split('|').collect::<Vec<_>>()[..]
        else {
            return None;
        };
        let name = name.trim().strip_prefix('`')?.strip_suffix('`')?;
        Some((name.to_string(), version.trim().to_string()))
    };
    let named: BTreeMap<_, _> = timed.lines().filter_map(cells).collect();
    assert_eq!(named, peers, "run `cargo bench --bench peers -- --write`");
}
