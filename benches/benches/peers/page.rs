//! What `docs/PEERS.md` says.

use std::collections::{BTreeMap, BTreeSet};

use comfy_table::{Table, presets};
use placelab_benches::BATCH_KEYS;
use placelab_benches::versus::Effort;
use placelab_timing::{Floors, Lookups, machine};

use crate::{Contender, Standing};

/// The peers of the manifest and their versions.
pub(crate) fn versions() -> BTreeMap<String, String> {
    let manifest: toml::Table = include_str!("../../Cargo.toml").parse().expect("cargo read it");
    let peers = manifest["dev-dependencies"].as_table().expect("peers are listed");
    let version = |(name, version): (&String, &toml::Value)| {
        let version = version.as_str().and_then(|version| version.strip_prefix('='));
        (name.clone(), version.expect("versions of peers are exact").to_string())
    };
    peers.iter().map(version).collect()
}

/// A ratio to three digits.
fn ratio(value: f64) -> String {
    let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.decimals$}")
}

/// A count with commas between thousands.
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let is_start = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    let parts = digits
        .char_indices()
        .map(|(at, digit)| if is_start(at) { format!(",{digit}") } else { digit.to_string() });
    parts.collect()
}

/// A table of contenders with a column for each fleet.
fn table<T: Copy>(
    rows: &BTreeMap<Contender, BTreeMap<u32, T>>,
    shown: impl Fn(T) -> String,
) -> String {
    let sizes: BTreeSet<u32> = rows.values().flat_map(BTreeMap::keys).copied().collect();
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    let columns = sizes.iter().map(|&size| format!("N = {}", grouped(size as usize)));
    table.set_header(["contender".into(), "key".into()].into_iter().chain(columns));
    for (contender, figures) in rows {
        let cell = |size| figures.get(size).map_or("–".into(), |&figure| shown(figure));
        let names = [contender.name.clone(), contender.how.clone()];
        table.add_row(names.into_iter().chain(sizes.iter().map(cell)));
    }
    table.trim_fmt()
}

fn introduction(effort: Effort) -> String {
    let machine = machine(&Floors::measure(&Lookups::default()), None);
    let versions = versions();
    let mut crates = Table::new();
    crates.load_style(presets::ASCII_MARKDOWN);
    crates.set_header(["crate", "version"]);
    versions.iter().for_each(|(name, version)| {
        crates.add_row([format!("`{name}`"), version.clone()]);
    });
    format!(
        "# Peers\n\n\
         <!-- Written by `cargo bench --bench peers -- --write`; not edited by hand. -->\n\n\
         How many times as long other crates take for a lookup as a batch of this project's does \
         with the best\ninstructions of the machine: 1 is as fast, 5 takes five times as long. \
         Ratios of one run on one machine,\nnever to be compared with those of another.\n\n\
         Machine: {}, {} cores, {}; {}.\n\n\
         Method: {} distinct keys, hashed beforehand; batches of {}. All contenders of a column \
         run in one\nprocess in {} interleaved rounds whose order rotates, each for {} ms of the \
         thread's time or more; a\nratio is one of medians. Crates that hash keys themselves are \
         timed as shipped and, where they take a\nhasher, with a fast one: about 1 ns a key, so \
         that what is left is their structure. Ours takes hashes;\nto make them costs extra. \
         Nodes have equal weight unless said otherwise.\n\n\
         {}\n",
        machine.cpu,
        machine.cores,
        machine.platform,
        machine.rustc,
        grouped(effort.keys),
        grouped(BATCH_KEYS as usize),
        effort.rounds,
        effort.sample.as_millis(),
        crates.trim_fmt(),
    )
}

/// The whole page.
pub(crate) fn page(standings: &[Standing], effort: Effort) -> String {
    let mut page = introduction(effort);
    for Standing { group, ratios, differing } in standings {
        page += &format!("\n## {}\n\n", group.ours.replace("{nodes}", "N"));
        if !group.remark.is_empty() {
            page += &format!("{}\n\n", group.remark);
        }
        page += &format!("{}\n", table(ratios, ratio));
        if !differing.is_empty() {
            page += &format!(
                "\nKeys of {} that these give to another node than ours, though they claim the \
                 same function:\n\n{}\n",
                grouped(effort.keys),
                table(differing, grouped)
            );
        }
    }
    page
}
