//! `placelab place`: where keys go.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use placelab_core::{
    CopyChooser, HashFunction, HashSeed, Key, KeyHash, NodeId, NodeName, Placement, Roster,
    establish,
};

use crate::commands::fleet::FleetOptions;
use crate::commands::prepare;
use crate::failure::Failure;

/// Longest line of a key file in bytes.
const LINE_BYTES_MAX: u64 = 1 << 20;

#[derive(Args)]
pub(crate) struct Options {
    /// Algorithm with parameters, such as ring:vnodes=160,hash=xxh3
    #[arg(long, value_name = "SPEC")]
    algorithm: String,
    #[command(flatten)]
    fleet: FleetOptions,
    /// File with a key a line; `-` is standard input
    #[arg(long, value_name = "FILE", default_value = "-")]
    keys: PathBuf,
    /// Whether lines are texts to hash or hashes already (decimal or 0x hex)
    #[arg(long, value_enum, default_value_t = KeyFormat::Text)]
    key_format: KeyFormat,
    /// Hash of the keys
    #[arg(long, value_name = "NAME", default_value = "xxh3")]
    key_hash: HashFunction,
    /// One JSON object a line instead of `key<TAB>node[,node…]`
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KeyFormat {
    Text,
    U64,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (spec, arguments) = prepare::algorithm(&self.algorithm)?;
        let (roster, copies) = self.fleet.read(Roster::NODES_MAX)?;
        let largest = roster.nodes().iter().map(|node| node.id.index()).max().unwrap_or(0);
        let mut names: Vec<Option<NodeName>> = vec![None; largest + 1];
        for node in roster.nodes() {
            names[node.id.index()] = Some(node.name.clone());
        }
        let chooser = copies.chooser(&roster).map_err(prepare::placement_failure)?;
        let placement = establish(spec, &arguments, HashSeed::PUBLISHED, roster)
            .map_err(prepare::placement_failure)?;
        self.place_lines(placement.as_ref(), &chooser, &names)
    }

    fn place_lines(
        &self,
        placement: &dyn Placement,
        chooser: &CopyChooser,
        names: &[Option<NodeName>],
    ) -> Result<(), Failure> {
        let mut input = self.open()?;
        let mut output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        let (mut line, mut number) = (Vec::new(), 0u64);
        let mut nodes = vec![NodeId::NOBODY; chooser.count()];
        loop {
            line.clear();
            number += 1;
            let read = input.by_ref().take(LINE_BYTES_MAX + 2).read_until(b'\n', &mut line)?;
            if read == 0 {
                break;
            }
            let key = line.strip_suffix(b"\n").unwrap_or(&line);
            let key = key.strip_suffix(b"\r").unwrap_or(key);
            if key.len() as u64 > LINE_BYTES_MAX {
                let text = format!("line {number}: longer than {LINE_BYTES_MAX} bytes");
                return Err(Failure::Limit(text));
            }
            chooser.choose(placement, self.key(key, number)?, &mut nodes);
            let nodes: Vec<&str> = nodes.iter().map(|id| name(names, *id)).collect();
            self.write(&mut output, key, &nodes)?;
        }
        Ok(output.flush()?)
    }

    fn open(&self) -> Result<Box<dyn BufRead>, Failure> {
        if self.keys.as_os_str() == "-" {
            return Ok(Box::new(io::stdin().lock()));
        }
        let file = File::open(&self.keys)
            .with_context(|| format!("cannot read {}", self.keys.display()))?;
        Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
    }

    /// The key of a line.
    fn key<'a>(&self, key: &'a [u8], number: u64) -> Result<Key<'a>, Failure> {
        let hash = match self.key_format {
            KeyFormat::Text => KeyHash(self.key_hash.hash(key)),
            KeyFormat::U64 => KeyHash(hashed(key).ok_or_else(|| {
                let text = String::from_utf8_lossy(&key[..key.len().min(40)]);
                let text: String = text.chars().filter(|c| !c.is_control()).collect();
                Failure::Invalid(format!(
                    "line {number}: `{text}` is no 64-bit number, decimal or 0x hex"
                ))
            })?),
        };
        Ok(Key { hash, bytes: key })
    }

    fn write(&self, output: &mut impl Write, key: &[u8], nodes: &[&str]) -> io::Result<()> {
        if self.json {
            let key = String::from_utf8_lossy(key);
            return writeln!(output, "{}", serde_json::json!({ "key": key, "nodes": nodes }));
        }
        output.write_all(key)?;
        output.write_all(b"\t")?;
        for (index, node) in nodes.iter().enumerate() {
            output.write_all(if index == 0 { b"" } else { b"," })?;
            output.write_all(node.as_bytes())?;
        }
        output.write_all(b"\n")
    }
}

fn name(names: &[Option<NodeName>], id: NodeId) -> &str {
    names[id.index()].as_ref().expect("copies are on members").as_str()
}

fn hashed(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}
