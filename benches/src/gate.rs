//! Counts of kernels against those that were kept: what the gate of the benches judges.
//!
//! Instructions depend on the compiler, so counts are kept by its version; and what a lookup reads
//! (`work`: the steps of its trace) depends on nothing but the algorithm. Neither depends on how
//! busy a machine is.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// How far a count may rise, in percent.
const TOLERANCE: u128 = 2;
/// Longest file of counts: a megabyte holds those of many compilers.
const BASELINE_BYTES_MAX: u64 = 1 << 20;

/// What one kernel costs over its keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// Instructions.
    pub instructions: u64,
    /// Steps of the traces of the same keys.
    pub work: u64,
}

/// Counts by kernel, such as `jump/100` or `jump/100/avx2`.
pub type Counts = BTreeMap<String, Count>;

/// Counts by compiler.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Baseline(pub BTreeMap<String, Counts>);

/// Why there is nothing to compare with.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The file cannot be read or written.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file does not hold counts.
    #[error("{file}: {reason}; `scripts/bench-gate --record` makes a new one")]
    Broken {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// No counts by this compiler.
    #[error(
        "{file} has no counts of {compiler}, but of {known}: instructions of two compilers are not \
         compared. Check out the commit that it was made from, and keep its counts by this \
         compiler with `scripts/bench-gate --record`"
    )]
    OtherCompiler {
        /// The file.
        file: String,
        /// The compiler of this build.
        compiler: String,
        /// The compilers that the file knows.
        known: String,
    },
}

impl Baseline {
    /// Reads a file; one that does not exist holds nothing.
    ///
    /// # Errors
    /// A file that cannot be read, is too long, or does not hold counts.
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        let file = path.display().to_string();
        let length = match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Baseline::default()),
            metadata => metadata.map(|metadata| metadata.len()),
        };
        let read = length.and_then(|length| match length {
            0..=BASELINE_BYTES_MAX => fs::read(path).map(Some),
            _ => Ok(None),
        });
        let text = match read {
            Err(source) => return Err(BaselineError::Io { file, source }),
            Ok(None) => {
                let reason = format!("longer than {BASELINE_BYTES_MAX} bytes");
                return Err(BaselineError::Broken { file, reason });
            }
            Ok(Some(text)) => text,
        };
        serde_json::from_slice(&text)
            .map_err(|error| BaselineError::Broken { file, reason: error.to_string() })
    }

    /// Writes a file; what was there stays until all of it is written.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), BaselineError> {
        let text = serde_json::to_string_pretty(self).expect("counts have names") + "\n";
        let new = path.with_extension("json.new");
        let written = fs::write(&new, text).and_then(|()| fs::rename(&new, path));
        written.map_err(|source| BaselineError::Io { file: path.display().to_string(), source })
    }

    /// The counts by a compiler.
    ///
    /// # Errors
    /// [`BaselineError::OtherCompiler`].
    pub fn of(&self, path: &Path, compiler: &str) -> Result<&Counts, BaselineError> {
        self.0.get(compiler).ok_or_else(|| {
            let known: Vec<&str> = self.0.keys().map(String::as_str).collect();
            let known = if known.is_empty() { "no compiler".into() } else { known.join(", ") };
            let file = path.display().to_string();
            BaselineError::OtherCompiler { file, compiler: compiler.into(), known }
        })
    }
}

/// What a count says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// More than the tolerance above what was kept: the gate fails.
    Slower,
    /// More than the tolerance below: the new count is to be kept, or the gain could be lost again.
    Faster,
    /// Nothing was kept of this kernel.
    New,
    /// Nothing was counted of a kernel that something was kept of.
    Gone,
    /// As it was.
    Same,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Slower => "SLOWER",
            Verdict::Faster => "faster: record it",
            Verdict::New => "new: record it",
            Verdict::Gone => "gone: record it",
            Verdict::Same => "same",
        })
    }
}

/// A kernel's counts before and now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The kernel.
    pub kernel: String,
    /// What was kept.
    pub before: Option<Count>,
    /// What was counted.
    pub now: Option<Count>,
    /// What that says.
    pub verdict: Verdict,
}

/// Every kernel of both, in the order of their names.
pub fn judge(before: &Counts, now: &Counts) -> Vec<Row> {
    let kernels: std::collections::BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let row = |kernel: &String| {
        let (before, now) = (before.get(kernel).copied(), now.get(kernel).copied());
        let verdict = match (before, now) {
            (Some(before), Some(now)) => compared(before, now),
            (None, _) => Verdict::New,
            (_, None) => Verdict::Gone,
        };
        Row { kernel: kernel.clone(), before, now, verdict }
    };
    kernels.into_iter().map(row).collect()
}

/// A rise of either figure weighs more than a fall of the other.
fn compared(before: Count, now: Count) -> Verdict {
    let one = |before: u64, now: u64| {
        let [before, now] = [before, now].map(u128::from);
        if 100 * now > (100 + TOLERANCE) * before {
            Verdict::Slower
        } else if 100 * now < (100 - TOLERANCE) * before {
            Verdict::Faster
        } else {
            Verdict::Same
        }
    };
    one(before.instructions, now.instructions).min(one(before.work, now.work))
}

/// The sum of a callgrind file, and the number of its part. Nothing where it has none.
pub fn callgrind_total(text: &str) -> Option<(u64, u64)> {
    let after = |word: &str| text.lines().find_map(|line| line.strip_prefix(word));
    let number = |figure: &str| figure.split_whitespace().next()?.parse().ok();
    Some((number(after("part:")?)?, number(after("totals:")?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(all: &[(&str, u64, u64)]) -> Counts {
        let count = |&(kernel, instructions, work): &(&str, u64, u64)| {
            (kernel.to_owned(), Count { instructions, work })
        };
        all.iter().map(count).collect()
    }

    #[test]
    fn a_tenth_more_fails_by_name_and_nothing_else_does() {
        let before = counts(&[
            ("anchor/100", 1_000, 50),
            ("jump/100", 10_000, 200),
            ("jump/1000", 10_000, 200),
            ("maglev/100", 10_000, 100),
            ("ring/100", 10_000, 100),
        ]);
        let now = counts(&[
            ("flip/100", 1, 1),
            ("jump/100", 11_000, 200),
            ("jump/1000", 10_200, 200),
            ("maglev/100", 9_000, 103),
            ("ring/100", 9_799, 100),
        ]);
        let rows = judge(&before, &now);
        let verdict = |kernel: &str| rows.iter().find(|row| row.kernel == kernel).unwrap().verdict;
        assert_eq!(verdict("jump/100"), Verdict::Slower);
        assert_eq!(verdict("jump/1000"), Verdict::Same, "two hundredths are borne");
        assert_eq!(verdict("maglev/100"), Verdict::Slower, "more work in fewer instructions");
        assert_eq!(verdict("ring/100"), Verdict::Faster);
        assert_eq!(verdict("anchor/100"), Verdict::Gone);
        assert_eq!(verdict("flip/100"), Verdict::New);
        assert!(judge(&before, &before).iter().all(|row| row.verdict == Verdict::Same));
    }

    #[test]
    fn baselines_are_read_back_and_say_what_is_wrong() {
        let folder = std::env::temp_dir().join(format!("placelab-gate-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("gate.json");
        let empty = Baseline::read(&path).unwrap();
        assert_eq!(empty, Baseline::default());
        let said = empty.of(&path, "rustc 2").unwrap_err().to_string();
        assert!(said.contains("has no counts of rustc 2, but of no compiler"), "{said}");
        let kept = Baseline([("rustc 1".to_owned(), counts(&[("jump/100", 3, 2)]))].into());
        kept.write(&path).unwrap();
        assert_eq!(Baseline::read(&path).unwrap(), kept);
        let said = kept.of(&path, "rustc 2").unwrap_err().to_string();
        assert!(said.contains("has no counts of rustc 2, but of rustc 1"), "{said}");
        for (broken, reason) in [
            ("{\"rustc 1\": {\"jump/100\": {\"instr", "EOF while parsing"),
            ("{\"rustc 1\": {\"jump/100\": {\"instructions\": -1, \"work\": 1}}}", "integer `-1`"),
            ("[]", "expected a map"),
        ] {
            fs::write(&path, broken).unwrap();
            let said = Baseline::read(&path).unwrap_err().to_string();
            assert!(said.contains("gate.json: ") && said.contains(reason), "{said}");
        }
        fs::write(&path, vec![b' '; BASELINE_BYTES_MAX as usize + 1]).unwrap();
        assert!(Baseline::read(&path).unwrap_err().to_string().contains("longer than"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn totals_are_those_of_the_part() {
        let text = "version: 1\npart: 7\n\nevents: Ir\nfn=(1)\n16 400\n\ntotals: 400\n";
        assert_eq!(callgrind_total(text), Some((7, 400)));
        for broken in ["", "part: 7\n", "part: x\ntotals: 4\n", "part: 1\ntotals:\n"] {
            assert_eq!(callgrind_total(broken), None);
        }
    }
}
