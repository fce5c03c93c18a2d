//! `placelab place`: where keys go.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use placelab_core::{CopyChooser, HashSeed, NodeId, NodeName, Placement, Roster, establish};

use crate::commands::fleet::FleetOptions;
use crate::commands::keys::{KEY_BYTES_MAX, KeyOptions};
use crate::commands::prepare;
use crate::failure::Failure;

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
    #[command(flatten)]
    reading: KeyOptions,
    /// One JSON object a line instead of `key<TAB>node[,node…]`
    #[arg(long)]
    json: bool,
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
            let read = input.by_ref().take(KEY_BYTES_MAX + 2).read_until(b'\n', &mut line)?;
            if read == 0 {
                break;
            }
            let key = line.strip_suffix(b"\n").unwrap_or(&line);
            let key = key.strip_suffix(b"\r").unwrap_or(key);
            if key.len() as u64 > KEY_BYTES_MAX {
                let text = format!("line {number}: longer than {KEY_BYTES_MAX} bytes");
                return Err(Failure::Limit(text));
            }
            let key_read = self.reading.key(key, || format!("line {number}"))?;
            chooser.choose(placement, key_read, &mut nodes);
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
