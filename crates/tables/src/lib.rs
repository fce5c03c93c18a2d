//! Shard maps as files: whole tables, rows for clients, and versions that replace each other.
//!
//! A [`TableFile`] says all that a table rests on: its version and the one that it replaces, the
//! fleet, the rules, the shards and who holds them. As TOML it is whole, to be planned from and to
//! be activated; as CSV it is rows alone, for clients and spreadsheets, and the fleet has to be
//! known. Both notice that they were cut. [`activate`] puts one file in the place of another, a
//! compare-and-swap over files: whoever planned from an older version is refused.
//!
//! Files are untrusted. Sizes are limited before anything is built, names hold nothing that could
//! hide or forge text, and a file that is wrong is a [`FileError`] with its line and a remedy.
//!
//! ```
//! use placelab_tables::TableFile;
//! let text = "shards = 2\ncopies = 1\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n\
//!             [[shard]]\nname = \"orders\"\n[[shard]]\nname = \"users\"\n";
//! let planned = TableFile::parse("start.toml", text).unwrap().plan().unwrap();
//! assert_eq!((planned.table.version, planned.table.replaces, planned.moves), (1, None, 2));
//! let again = TableFile::parse("1.toml", &planned.table.to_toml().unwrap()).unwrap();
//! assert_eq!(again, planned.table);
//! ```

mod activation;
mod document;
mod growing;
mod mistake;
mod rows;
mod table_file;
mod whole;

pub use placelab_algorithms::shard_map::COPIES_MAX;

pub use activation::{ActivateError, Activated, activate};
pub use mistake::{FileError, Mistake};
pub use table_file::{Planned, TableFile};
pub use whole::write_new;

/// Largest file in bytes: 64 MiB.
pub const FILE_BYTES_MAX: u64 = 64 << 20;
/// Most shards of a table.
pub const SHARDS_MAX: u64 = 1 << 20;
