//! Nodes: where keys are placed.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Identity of a node for a whole run: never reused, and not a position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Nobody: what a table holds where no node stands yet. No node ever has this identity.
    pub const NOBODY: NodeId = NodeId(u32::MAX);

    /// The identity as an index into tables with one row a node.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The name of a node: any UTF-8 of 1 to 255 bytes without control or bidirectional characters.
///
/// What a scheme hashes of a node is its name, never its position or [`NodeId`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeName(Arc<str>);

/// A failure domain, a zone or a rack: named by the same rules as a node.
pub type Domain = NodeName;

/// Why a text is no name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NameError {
    /// Empty, or longer than 255 bytes.
    #[error("a name has 1 to 255 bytes, this one has {bytes}")]
    Length {
        /// Bytes of the text.
        bytes: usize,
    },
    /// A character that could hide or forge text on a terminal or page.
    #[error("a name holds no control or bidirectional characters, this one holds U+{code:04X}")]
    Character {
        /// The code point.
        code: u32,
    },
}

impl NodeName {
    /// Checks a text and makes it a name.
    pub fn new(text: &str) -> Result<Self, NameError> {
        if text.is_empty() || text.len() > 255 {
            return Err(NameError::Length { bytes: text.len() });
        }
        match text.chars().find(|&c| hides_text(c)) {
            Some(c) => Err(NameError::Character { code: c as u32 }),
            None => Ok(NodeName(text.into())),
        }
    }

    /// The name `node-INDEX`, as fleets given by a count use it.
    pub fn numbered(index: u32) -> Self {
        NodeName(format!("node-{index}").into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The bytes that schemes hash and ties compare.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Whether a character can hide or forge text where it is shown: control characters, line and
/// paragraph separators, bidirectional marks, embeddings and isolates.
pub fn hides_text(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2066}'..='\u{2069}')
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Relative capacity in exact decimal fixed point: micro-units, so 1.25 is 1,250,000.
///
/// Zero is a member that owns nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Weight(u64);

/// Why a text is no weight.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "a weight is a decimal from 0 to {} with at most six digits after the point, not `{text}`",
    Weight::UNITS_MAX
)]
pub struct WeightError {
    /// What was given.
    pub text: String,
}

impl Weight {
    /// Micro-units of one unit.
    pub const MICROS: u64 = 1_000_000;
    /// Largest weight in units.
    pub const UNITS_MAX: u64 = 1_000_000_000;
    /// A member that owns nothing.
    pub const ZERO: Weight = Weight(0);
    /// The least of those that own something: one micro-unit.
    pub const LEAST: Weight = Weight(1);
    /// The weight of a node that states none.
    pub const ONE: Weight = Weight(Self::MICROS);

    /// A weight of whole units, at most [`Weight::UNITS_MAX`].
    pub fn units(units: u32) -> Self {
        assert!(u64::from(units) <= Self::UNITS_MAX, "weight of {units} units is out of range");
        Weight(u64::from(units) * Self::MICROS)
    }

    /// The weight in micro-units.
    pub fn micros(self) -> u64 {
        self.0
    }

    /// So many times the weight; none beyond the largest.
    pub fn times(self, factor: u32) -> Option<Self> {
        let micros = self.0.checked_mul(factor.into())?;
        (micros <= Self::UNITS_MAX * Self::MICROS).then_some(Weight(micros))
    }

    /// The weight in units, rounded to a float.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / Self::MICROS as f64
    }
}

impl FromStr for Weight {
    type Err = WeightError;

    /// Reads `2`, `1.25` or `0.000001`: no sign, exponent or float in between.
    fn from_str(text: &str) -> Result<Self, WeightError> {
        let error = || WeightError { text: text.chars().take(40).collect() };
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        let (units, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let well_formed = !units.is_empty() && !fraction.is_empty();
        if !well_formed || units.len() > 10 || !digits(units) || !digits(fraction) {
            return Err(error());
        }
        let fraction = fraction.trim_end_matches('0');
        if fraction.len() > 6 {
            return Err(error());
        }
        let micros: u64 = format!("{fraction:0<6}").parse().map_err(|_| error())?;
        let units: u64 = units.parse().map_err(|_| error())?;
        let total = units * Self::MICROS + micros;
        if total > Self::UNITS_MAX * Self::MICROS { Err(error()) } else { Ok(Weight(total)) }
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (units, micros) = (self.0 / Self::MICROS, self.0 % Self::MICROS);
        if micros == 0 {
            write!(f, "{units}")
        } else {
            write!(f, "{}", format!("{units}.{micros:06}").trim_end_matches('0'))
        }
    }
}

/// A machine that can own keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Identity within the run.
    pub id: NodeId,
    /// What schemes hash.
    pub name: NodeName,
    /// Relative capacity.
    pub weight: Weight,
    /// Its zone, where one is known.
    pub zone: Option<Domain>,
    /// Its rack within the zone, where one is known.
    pub rack: Option<Domain>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_exact_decimals() {
        let micros = |text: &str| text.parse::<Weight>().map(Weight::micros).ok();
        assert_eq!(micros("1.25"), Some(1_250_000));
        assert_eq!(micros("0.000001"), Some(1));
        assert_eq!(micros("1000000000"), Some(1_000_000_000_000_000));
        assert_eq!(micros("2.5000000000"), Some(2_500_000));
        let bad =
            ["", ".", "1.", ".5", "-1", "+1", "nan", "inf", "1e3", "0.0000001", "1000000000.1"];
        for text in bad {
            assert_eq!(micros(text), None, "{text}");
        }
        assert_eq!("1.250".parse::<Weight>().unwrap().to_string(), "1.25");
        assert_eq!(Weight::ONE.to_string(), "1");
    }

    #[test]
    fn names_hide_nothing() {
        assert!(NodeName::new("cache-ü-1").is_ok());
        assert_eq!(NodeName::new(""), Err(NameError::Length { bytes: 0 }));
        assert_eq!(NodeName::new("a\u{1b}[2J"), Err(NameError::Character { code: 0x1b }));
        assert_eq!(NodeName::new("a\u{202e}b"), Err(NameError::Character { code: 0x202e }));
        assert!(NodeName::new(&"x".repeat(256)).is_err());
    }
}
