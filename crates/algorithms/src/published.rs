//! Versions of a table that many clients use: published, then activated, one at a time.
//!
//! A new version changes nothing until somebody activates it, and an activation names the version
//! that it takes the place of: a compare-and-swap, as in etcd, ZooKeeper or a row of a database.
//! Whoever planned from an older table is refused and plans anew, so that no move is lost. Clients
//! say which version they hold; until all hold the active one they may disagree about a key.
//!
//! ```
//! use placelab_algorithms::published::Published;
//! let tables = Published::new("eight nodes");
//! let planned = tables.publish("nine nodes");
//! let other = tables.publish("seven nodes");
//! tables.activate(planned, 1).unwrap();
//! // Planned from version 1 as well, and too late.
//! let refused = tables.activate(other, 1).unwrap_err();
//! assert_eq!(refused.to_string(), "version 3 replaces version 1, and version 2 is active");
//! assert_eq!(tables.active(), (planned, "nine nodes".into()));
//! ```

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// The versions of a table; the first is 1.
#[derive(Debug)]
pub struct Published<T> {
    state: Mutex<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    active: u64,
    /// The last version that was published.
    last: u64,
    /// The active version, and those that may follow it.
    tables: BTreeMap<u64, Arc<T>>,
    clients: BTreeMap<String, u64>,
}

/// Why a version was not activated; the active one stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ActivationError {
    /// Somebody else was first.
    #[error("version {version} replaces version {expected}, and version {current} is active")]
    Stale {
        /// What was to be activated.
        version: u64,
        /// What it was planned from.
        expected: u64,
        /// What is active.
        current: u64,
    },
    /// There is no such version, or a later one was activated since.
    #[error("version {version} cannot be activated: {}", unknown(*version, *current, *last))]
    Unknown {
        /// What was to be activated.
        version: u64,
        /// What is active.
        current: u64,
        /// The last one that was published.
        last: u64,
    },
}

fn unknown(version: u64, current: u64, last: u64) -> String {
    match version {
        _ if version == current => "it is active already".into(),
        _ if version < current => format!("version {current} is active, and none goes back"),
        _ => format!("the last one published is {last}"),
    }
}

impl<T> Published<T> {
    /// A table of which this is version 1, and active.
    pub fn new(first: T) -> Self {
        let tables = BTreeMap::from([(1, Arc::new(first))]);
        let state = State { active: 1, last: 1, tables, clients: BTreeMap::new() };
        Published { state: Mutex::new(state) }
    }

    /// Adds a version, which nobody uses yet; gives its number.
    pub fn publish(&self, table: T) -> u64 {
        let mut state = self.lock();
        state.last += 1;
        let version = state.last;
        state.tables.insert(version, Arc::new(table));
        version
    }

    /// Makes a version the active one, if `expected` is what is active. Older ones are forgotten.
    ///
    /// # Errors
    /// Another version is active, or there is no such later version: nothing changes.
    pub fn activate(&self, version: u64, expected: u64) -> Result<(), ActivationError> {
        let mut state = self.lock();
        let (current, last) = (state.active, state.last);
        if expected != current {
            return Err(ActivationError::Stale { version, expected, current });
        }
        if version <= current || !state.tables.contains_key(&version) {
            return Err(ActivationError::Unknown { version, current, last });
        }
        state.active = version;
        state.tables = state.tables.split_off(&version);
        Ok(())
    }

    /// The active version.
    pub fn active(&self) -> (u64, Arc<T>) {
        let state = self.lock();
        (state.active, state.tables[&state.active].clone())
    }

    /// Notes which version a client holds.
    pub fn holds(&self, client: &str, version: u64) {
        self.lock().clients.insert(client.into(), version);
    }

    /// The clients that hold another version than the active one, with it: they may send a key
    /// elsewhere.
    pub fn behind(&self) -> Vec<(String, u64)> {
        let state = self.lock();
        let clients = state.clients.iter().filter(|(_, version)| **version != state.active);
        clients.map(|(client, version)| (client.clone(), *version)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Every change is whole before anything can panic.
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn a_stale_activation_changes_nothing() {
        let tables = Published::new(0u64);
        for version in 2..=9 {
            assert_eq!(tables.publish(version), version);
        }
        tables.activate(8, 1).unwrap();
        let stale = tables.activate(9, 7).unwrap_err();
        assert_eq!(stale, ActivationError::Stale { version: 9, expected: 7, current: 8 });
        assert_eq!(tables.active(), (8, Arc::new(8)));
        for (version, says) in [
            (8, "it is active already"),
            (3, "version 8 is active, and none goes back"),
            (10, "the last one published is 9"),
        ] {
            let refused = tables.activate(version, 8).unwrap_err().to_string();
            assert!(refused.ends_with(says), "{refused}");
            assert_eq!(tables.active(), (8, Arc::new(8)));
        }
        tables.activate(9, 8).unwrap();
    }

    /// Two writers race: each publishes a version from what it saw and activates it, or plans
    /// anew. No version is activated twice, and none replaces another than it was planned from.
    #[test]
    fn writers_that_race_lose_nothing() {
        const TIMES: u64 = 1_000;
        let tables = Published::new(0u64);
        let refused = AtomicU64::new(0);
        let write = || {
            let mut done = Vec::new();
            while done.len() < TIMES as usize {
                let (seen, count) = tables.active();
                let version = tables.publish(*count + 1);
                match tables.activate(version, seen) {
                    Ok(()) => done.push(version),
                    Err(_) => {
                        refused.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
            done
        };
        let [one, other] = std::thread::scope(|scope| {
            let writers = [scope.spawn(write), scope.spawn(write)];
            writers.map(|writer| writer.join().unwrap())
        });
        let mut all: Vec<u64> = one.into_iter().chain(other).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len() as u64, 2 * TIMES, "every version was activated once");
        let (last, count) = tables.active();
        assert_eq!((Some(&last), *count), (all.last(), 2 * TIMES));
    }

    #[test]
    fn clients_behind_are_named() {
        let tables = Published::new("a");
        tables.holds("one", 1);
        tables.holds("two", 1);
        assert!(tables.behind().is_empty());
        let version = tables.publish("b");
        tables.activate(version, 1).unwrap();
        tables.holds("two", 2);
        assert_eq!(tables.behind(), [("one".to_string(), 1)]);
    }
}
