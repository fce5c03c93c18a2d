//! What a table says by itself, and the next version of it.

use std::collections::BTreeMap;
use std::path::Path;

use placelab_algorithms::shard_map::{Optimum, Rules, Shard, ShardMap, Solution, solve, verify};
use placelab_core::{Node, NodeId, NodeName, Roster};

use crate::mistake::{FileError, Misplaced, Mistake};
use crate::{document, rows, whole};

/// A table with all that it rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableFile {
    /// Which version it is, from 1; 0 is a start that was never planned.
    pub version: u64,
    /// The version that it was planned from; none for the first.
    pub replaces: Option<u64>,
    /// The fleet, in which a node's identity is its place; a start may leave it open.
    pub roster: Option<Roster>,
    /// What the map has to keep.
    pub rules: Rules,
    /// What is placed.
    pub shards: Vec<Shard>,
    /// Who holds it; nobody where a start leaves it open.
    pub map: ShardMap,
}

/// The next version of a table, and what it takes to get there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Planned {
    /// The next version.
    pub table: TableFile,
    /// Copies that are made.
    pub moves: u64,
    /// Shards with another owner than before, those that had none included.
    pub owners_changed: u64,
    /// Shards of which some holder changes.
    pub rows_changed: u64,
    /// Whether fewer moves would do.
    pub optimum: Optimum,
}

impl TableFile {
    /// A start of the shards `shard-0` … of one copy, which nobody holds, over a fleet to be given.
    pub fn numbered(shards: usize) -> Self {
        let shard = |at| Shard { name: format!("shard-{at}"), ..Shard::default() };
        TableFile {
            version: 0,
            replaces: None,
            roster: None,
            rules: Rules::default(),
            shards: (0..shards).map(shard).collect(),
            map: ShardMap::empty(shards, 1),
        }
    }

    /// Reads a whole table (TOML) from a file; its rules are not looked at yet.
    ///
    /// # Errors
    /// A file that cannot be read, is too large or is no table, with the line.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        TableFile::parse(&path.display().to_string(), &whole::read_text(path)?)
    }

    /// Reads a whole table from the text (TOML) of a file called `path`.
    ///
    /// # Errors
    /// Those of [`TableFile::read`] but the first.
    pub fn parse(path: &str, text: &str) -> Result<Self, FileError> {
        let read = ends_whole(text).and_then(|()| document::parse(text));
        read.map_err(|wrong| wrong.within(path, text))
    }

    /// Reads rows (CSV) of a table over a fleet from a file. Rows have no rules but the number of
    /// copies, and do not say which version they replace.
    ///
    /// # Errors
    /// A file that cannot be read, is too large, or whose rows are none of this fleet or are not
    /// all there, with the line.
    pub fn read_rows(path: &Path, roster: &Roster) -> Result<Self, FileError> {
        TableFile::parse_rows(&path.display().to_string(), &whole::read_text(path)?, roster)
    }

    /// Reads rows from the text (CSV) of a file called `path`.
    ///
    /// # Errors
    /// Those of [`TableFile::read_rows`] but the first.
    pub fn parse_rows(path: &str, text: &str, roster: &Roster) -> Result<Self, FileError> {
        let read = ends_whole(text).and_then(|()| rows::parse(text, roster));
        read.map_err(|wrong| wrong.within(path, text))
    }

    /// The whole table as TOML; the same table has the same bytes.
    ///
    /// # Errors
    /// A version or capacity beyond 2⁶³, which TOML cannot say, or a residency too long to be
    /// read again.
    pub fn to_toml(&self) -> Result<String, Mistake> {
        document::write(self)
    }

    /// The rows of a table alone, as CSV.
    pub fn to_rows(&self) -> String {
        rows::write(self)
    }

    /// Whether this is a table that clients can use: with a version and a fleet, and keeping every
    /// rule. Gives the fleet.
    ///
    /// # Errors
    /// What is missing, or the rule that is broken, with who breaks it.
    pub fn verify(&self) -> Result<&Roster, Mistake> {
        let roster = self.roster.as_ref().ok_or(Mistake::NoFleet)?;
        if self.version == 0 {
            return Err(Mistake::NoVersion);
        }
        verify(&self.map, roster, &self.shards, &self.rules).map_err(Mistake::Broken)?;
        Ok(roster)
    }

    /// The version after this one, by the fewest moves.
    ///
    /// # Errors
    /// There is no fleet, or no map keeps the rules.
    pub fn plan(&self) -> Result<Planned, Mistake> {
        let roster = self.roster.as_ref().ok_or(Mistake::NoFleet)?;
        let replaces = (self.version > 0).then_some(self.version);
        let last = Mistake::Versions { version: self.version, replaces };
        let version = self.version.checked_add(1).ok_or(last)?;
        let solution = solve(roster, &self.shards, &self.rules, &self.map);
        let Solution { map, moves, optimum } = solution.map_err(Mistake::Infeasible)?;
        let count = |is_changed: &dyn Fn(&[NodeId], &[NodeId]) -> bool| {
            let changed = |at: &usize| is_changed(self.map.holders(*at), map.holders(*at));
            (0..map.shards()).filter(changed).count() as u64
        };
        let owners_changed = count(&|before, after| before[0] != after[0]);
        let rows_changed = count(&|before, after| before != after);
        let table = TableFile { version, replaces, map, ..self.clone() };
        Ok(Planned { table, moves, owners_changed, rows_changed, optimum })
    }

    /// The same over another fleet. Nodes whose names stay keep their copies and capacities; copies
    /// on nodes that go have no place.
    ///
    /// # Errors
    /// Nodes that make no fleet.
    pub fn with_fleet(self, nodes: Vec<Node>) -> Result<Self, Mistake> {
        let placed = |(place, node): (u32, Node)| Node { id: NodeId(place), ..node };
        let roster = Roster::new((0..).zip(nodes).map(placed).collect()).map_err(Mistake::Fleet)?;
        let places: BTreeMap<&NodeName, NodeId> =
            roster.nodes().iter().map(|node| (&node.name, node.id)).collect();
        let members = self.nodes().iter();
        let renumbered: BTreeMap<NodeId, NodeId> = members
            .filter_map(|node| places.get(&node.name).map(|place| (node.id, *place)))
            .collect();
        let place = |node: &NodeId| renumbered.get(node).copied();
        let stays = |(node, most): (&NodeId, &u64)| place(node).map(|node| (node, *most));
        let capacity = self.rules.capacity.iter().filter_map(stays).collect();
        let holders = holders(&self.map).map(|node| place(node).unwrap_or(NodeId::NOBODY));
        let map = ShardMap::new(self.map.copies(), holders.collect());
        let rules = Rules { capacity, ..self.rules };
        Ok(TableFile { roster: Some(roster), rules, map, ..self })
    }

    /// The same with another number of copies: the last go, or new ones have no place yet. Panics
    /// without copies.
    pub fn with_copies(self, copies: usize) -> Self {
        let row = |shard| {
            let open = std::iter::repeat(&NodeId::NOBODY);
            self.map.holders(shard).iter().chain(open).take(copies).copied()
        };
        let map = ShardMap::new(copies, (0..self.map.shards()).flat_map(row).collect());
        TableFile { rules: Rules { copies, ..self.rules }, map, ..self }
    }

    /// The nodes of the fleet; none where it is left open.
    pub(crate) fn nodes(&self) -> &[Node] {
        self.roster.as_ref().map_or(&[], |roster| roster.nodes())
    }

    /// What the members are called.
    pub(crate) fn names(&self) -> BTreeMap<NodeId, &NodeName> {
        self.nodes().iter().map(|node| (node.id, &node.name)).collect()
    }

    /// How many shards each node of a fleet owns, in its order.
    pub fn owned(&self, roster: &Roster) -> Vec<u64> {
        let owners = (0..self.map.shards()).map(|shard| self.map.holders(shard)[0]).collect();
        ShardMap::new(1, owners).loads(roster)
    }
}

/// Who holds each copy, shard after shard.
fn holders(map: &ShardMap) -> impl Iterator<Item = &NodeId> {
    (0..map.shards()).flat_map(|shard| map.holders(shard))
}

/// Every line of a file has its end, or its last one was cut.
fn ends_whole(text: &str) -> Result<(), Misplaced> {
    match text.ends_with('\n') {
        true => Ok(()),
        false => Err(Misplaced { at: text.len(), mistake: Mistake::Cut }),
    }
}
