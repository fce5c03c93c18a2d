//! `placelab table show`: whether a table keeps its rules, and who holds how much.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use placelab_core::{Domain, Node, Roster};
use placelab_tables::{TableFile, write_new};

use super::{file_failure, shape};
use crate::commands::fleet::{DomainOptions, NODES_HELP};
use crate::commands::prepare;
use crate::failure::Failure;
use crate::number::grouped;
use crate::table::{Form, Table};

#[derive(Args)]
pub(crate) struct Options {
    /// A whole table, or rows of one (FILE.csv) with the fleet in --nodes
    file: PathBuf,
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true, help = NODES_HELP)]
    nodes: Option<String>,
    #[command(flatten)]
    domains: DomainOptions,
    /// Write the rows to a file, for clients and spreadsheets. Never overwrites
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
}

impl Options {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let table = self.read()?;
        let verified = table.verify().map_err(|mistake| mistake.within(&self.file));
        let roster = verified.map_err(file_failure)?;
        if let Some(path) = &self.csv {
            write_new(path, &table.to_rows()).map_err(file_failure)?;
        }
        match self.json {
            true => Ok(writeln!(io::stdout().lock(), "{:#}", json(&table, roster))?),
            false => self.print(&table, roster),
        }
    }

    fn is_rows(&self) -> bool {
        self.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
    }

    fn read(&self) -> Result<TableFile, Failure> {
        let file = self.file.display();
        match (&self.nodes, self.is_rows()) {
            (None, false) => TableFile::read(&self.file).map_err(file_failure),
            (Some(spec), true) => {
                let roster = Roster::new(self.domains.deal(spec)?);
                let roster = roster.map_err(prepare::placement_failure)?;
                TableFile::read_rows(&self.file, &roster).map_err(file_failure)
            }
            (None, true) => Err(Failure::Invalid(format!(
                "{file}: rows do not say what the fleet is\nhelp: give it by --nodes"
            ))),
            (Some(_), false) => Err(Failure::Invalid(format!(
                "{file}: a whole table says what its fleet is\nhelp: leave --nodes out; \
                 `placelab table plan --nodes` changes the fleet"
            ))),
        }
    }

    fn print(&self, table: &TableFile, roster: &Roster) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let replaces = table.replaces.map_or(String::new(), |of| format!(", replaces {of}"));
        writeln!(out, "version {}{replaces}: {}", table.version, shape(table, roster))?;
        for (label, zones) in &table.rules.residency {
            let zones: Vec<&str> = zones.iter().map(|zone| zone.as_str()).collect();
            writeln!(out, "shards with label {label} are in {}", zones.join(", "))?;
        }
        if table.rules.together {
            writeln!(out, "shards of a tenant are on the same nodes")?;
        }
        let verdict = match self.is_rows() {
            true => "every row is there; rows have no other rules to keep",
            false => "every rule is kept",
        };
        writeln!(out, "{verdict}")?;
        Ok(loads(table, roster).print(Form::Text)?)
    }
}

/// What each node holds.
fn loads(table: &TableFile, roster: &Roster) -> Table {
    let mut rows = Table::new(&["node", "weight", "zone", "rack", "copies", "capacity", "owns"]);
    let held = table.map.loads(roster).into_iter().zip(table.owned(roster));
    let whole = |count: u64| grouped(&count.to_string());
    for (node, (copies, owned)) in roster.nodes().iter().zip(held) {
        let [zone, rack] = [&node.zone, &node.rack]
            .map(|domain| domain.as_ref().map_or(String::new(), ToString::to_string));
        let capacity = table.rules.capacity.get(&node.id);
        rows.row([
            node.name.to_string(),
            node.weight.to_string(),
            zone,
            rack,
            whole(copies),
            capacity.map_or(String::new(), |most| whole(*most)),
            whole(owned),
        ]);
    }
    rows
}

fn json(table: &TableFile, roster: &Roster) -> serde_json::Value {
    let rules = &table.rules;
    let held = table.map.loads(roster).into_iter().zip(table.owned(roster));
    let node = |(node, (copies, owned)): (&Node, (u64, u64))| {
        serde_json::json!({
            "name": node.name.as_str(),
            "weight": node.weight.to_string(),
            "zone": node.zone.as_ref().map(|zone| zone.as_str()),
            "rack": node.rack.as_ref().map(|rack| rack.as_str()),
            "capacity": rules.capacity.get(&node.id),
            "copies": copies,
            "owns": owned,
        })
    };
    let zones =
        |zones: &BTreeSet<Domain>| zones.iter().map(|zone| zone.to_string()).collect::<Vec<_>>();
    let residency: BTreeMap<_, _> =
        rules.residency.iter().map(|(label, of)| (label, zones(of))).collect();
    serde_json::json!({
        "version": table.version,
        "replaces": table.replaces,
        "shards": table.shards.len(),
        "copies": rules.copies,
        "spread": rules.spread.name(),
        "together": rules.together,
        "residency": residency,
        "nodes": roster.nodes().iter().zip(held).map(node).collect::<Vec<_>>(),
    })
}
