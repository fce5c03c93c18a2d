//! Colours, dashes and markers: one fixed look for each algorithm, in every chart and report.
//!
//! The series colours have a contrast of at least 3:1 on white and on the dark page. Colour never
//! stands alone: contenders differ by marker and dash too, and are labelled directly.

use std::collections::{BTreeMap, BTreeSet};

use placelab_results::Contender;

/// A colour; its text form is what style sheets select by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Colour {
    /// Red, green and blue.
    pub(crate) rgb: [u8; 3],
    /// Index of the contender of whom that speaks which is drawn in it.
    pub(crate) contender: Option<usize>,
}

impl Colour {
    const fn new(red: u8, green: u8, blue: u8) -> Self {
        Colour { rgb: [red, green, blue], contender: None }
    }

    /// As in SVG: `#0072B2`.
    pub(crate) fn hex(self) -> String {
        let [red, green, blue] = self.rgb;
        format!("#{red:02X}{green:02X}{blue:02X}")
    }

    /// The colour, for what speaks of the same contender as another.
    pub(crate) fn like(self, other: Colour) -> Self {
        Colour { contender: other.contender, ..self }
    }
}

/// The page. The style sheet replaces this and the other neutral colours in the dark.
pub(crate) const PAPER: Colour = Colour::new(0xFF, 0xFF, 0xFF);
/// Text and the marks that figures are read by.
pub(crate) const INK: Colour = Colour::new(0x1B, 0x1F, 0x24);
/// Axis labels and other quiet text.
pub(crate) const QUIET: Colour = Colour::new(0x57, 0x60, 0x6A);
/// Lines of axes.
pub(crate) const AXIS: Colour = Colour::new(0x9A, 0xA2, 0xAB);
/// Lines of grids.
pub(crate) const GRID: Colour = Colour::new(0xE6, 0xE9, 0xED);
/// The band of pure chance.
pub(crate) const BAND: Colour = Colour::new(0xD3, 0xDA, 0xE2);

const BLUE: Colour = Colour::new(0x00, 0x72, 0xB2);
/// A series that is alone.
pub(crate) const SERIES: Colour = BLUE;
const VERMILION: Colour = Colour::new(0xD5, 0x5E, 0x00);
const GREEN: Colour = Colour::new(0x00, 0x9E, 0x73);
const PINK: Colour = Colour::new(0xCC, 0x79, 0xA7);
const OCHRE: Colour = Colour::new(0xB8, 0x7A, 0x00);
const GREY: Colour = Colour::new(0x76, 0x76, 0x76);
const SKY: Colour = Colour::new(0x3A, 0x8F, 0xC4);

/// Colours of algorithms that have none of their own.
const OTHERS: [Colour; 6] = [SKY, OCHRE, PINK, GREEN, VERMILION, BLUE];

/// Algorithms that nearly every report shows, with the looks that readers learn.
const KNOWN: &[(&str, Colour, Marker)] = &[
    ("jump", BLUE, Marker::Disc),
    ("ring", VERMILION, Marker::Square),
    ("rendezvous", GREEN, Marker::Triangle),
    ("maglev", PINK, Marker::Diamond),
    ("multi-probe", OCHRE, Marker::Cross),
    ("anchor", SKY, Marker::Plus),
    ("modulo", GREY, Marker::Cross),
    ("ideal", GREY, Marker::Circle),
];

/// The shape of a data point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Marker {
    /// A filled circle.
    Disc,
    /// A filled square.
    Square,
    /// A filled triangle.
    Triangle,
    /// A filled diamond.
    Diamond,
    /// Two crossed diagonals.
    Cross,
    /// A plus sign.
    Plus,
    /// A circle that is hollow.
    Circle,
    /// A square that is hollow.
    Frame,
}

const MARKERS: [Marker; 8] = [
    Marker::Disc,
    Marker::Square,
    Marker::Triangle,
    Marker::Diamond,
    Marker::Cross,
    Marker::Plus,
    Marker::Circle,
    Marker::Frame,
];

/// How a line is broken: lengths of ink and gap in turn; empty for an unbroken line.
pub(crate) type Dash = &'static [f64];

const DASHES: [Dash; 4] = [&[], &[7.0, 3.5], &[2.0, 3.0], &[9.0, 3.0, 2.0, 3.0]];

/// How one contender is drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Look {
    pub(crate) colour: Colour,
    pub(crate) marker: Marker,
    dash: usize,
}

impl Look {
    /// How the contender's lines are broken.
    pub(crate) fn dash(self) -> Dash {
        DASHES[self.dash % DASHES.len()]
    }

    /// The look as the own one of the contender at an index.
    fn of(self, contender: usize) -> Self {
        Look { colour: Colour { contender: Some(contender), ..self.colour }, ..self }
    }
}

/// The looks of contenders, in their order. Who has an algorithm's name for its own, and else the
/// first contender of it, has the look of the algorithm; further ones keep its colour and change
/// marker and dash. Canaries and exhibits are grey.
pub(crate) fn looks(contenders: &[Contender]) -> Vec<Look> {
    let base = |contender: &Contender| {
        let look = look_of(&contender.algorithm);
        let look = if contender.is_rival() { look } else { greyed(look) };
        (look, contender.name == contender.algorithm)
    };
    apart(&contenders.iter().map(base).collect::<Vec<_>>())
}

/// Looks that differ, of those that algorithms have; who bears the name of one chooses first, so
/// that it looks alike in every report.
fn apart(first: &[(Look, bool)]) -> Vec<Look> {
    let bases: BTreeSet<Marker> = first.iter().map(|(look, _)| look.marker).collect();
    let mut order: Vec<usize> = (0..first.len()).collect();
    order.sort_by_key(|&index| !first[index].1);
    let mut looks: BTreeMap<usize, Look> = BTreeMap::new();
    for index in order {
        let taken: Vec<Look> = looks.values().copied().collect();
        looks.insert(index, next_look(first[index].0, &taken, &bases).of(index));
    }
    looks.into_values().collect()
}

/// The first look itself, or one in its colour that none of those `taken` has.
fn next_look(first: Look, taken: &[Look], bases: &BTreeSet<Marker>) -> Look {
    let at = MARKERS.iter().position(|marker| *marker == first.marker).unwrap_or(0);
    let is_alike = |look: &&Look| look.colour.rgb == first.colour.rgb;
    let alike: Vec<&Look> = taken.iter().filter(is_alike).collect();
    let variant = |turn: usize| Look {
        marker: MARKERS[(at + turn) % MARKERS.len()],
        dash: first.dash + alike.len(),
        ..first
    };
    let is_free = |look: &Look| !alike.iter().any(|other| other.marker == look.marker);
    let variants = || (1..MARKERS.len()).map(variant);
    let own = Some(first).filter(is_free);
    // Better a marker that no algorithm of the run has for its own.
    let rare = || variants().find(|look| is_free(look) && !bases.contains(&look.marker));
    let any = || variants().find(is_free);
    // When all have gone they come round again, for neighbours differ then.
    own.or_else(rare).or_else(any).unwrap_or_else(|| variant(alike.len() + 1))
}

/// The look of an algorithm.
fn look_of(algorithm: &str) -> Look {
    let draw = fingerprint(algorithm);
    let (colour, marker) = match KNOWN.iter().find(|(name, ..)| *name == algorithm) {
        Some(&(_, colour, marker)) => (colour, marker),
        None => (OTHERS[draw % OTHERS.len()], MARKERS[draw / OTHERS.len() % MARKERS.len()]),
    };
    // Sky is near to blue, and grey is not to be chosen: their lines are always broken.
    Look { colour, marker, dash: usize::from(colour == SKY || colour == GREY) }
}

/// The look of a canary or an exhibit of the same algorithm.
fn greyed(look: Look) -> Look {
    Look { colour: GREY, dash: 1, ..look }
}

/// FNV-1a: the same look for the same name in every report.
fn fingerprint(name: &str) -> usize {
    let hash = name
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, with the square for the power of 2.4 that the standard has.
    fn luminance(colour: Colour) -> f64 {
        let [red, green, blue] = colour.rgb.map(|value| (f64::from(value) / 255.0).powi(2));
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    #[test]
    fn colours_stand_out_on_light_and_dark() {
        let dark = luminance(Colour::new(0x14, 0x17, 0x1A)) + 0.05;
        for colour in OTHERS.into_iter().chain([GREY]) {
            let own = luminance(colour) + 0.05;
            assert!(1.05 / own > 2.6 && own / dark > 2.6, "{colour:?}");
        }
    }

    #[test]
    fn known_algorithms_have_looks_of_their_own() {
        let looks: BTreeSet<Look> = KNOWN.iter().map(|(name, ..)| look_of(name)).collect();
        assert_eq!(looks.len(), KNOWN.len());
        assert_eq!(look_of("something-new"), look_of("something-new"));
    }

    /// Whatever stands before it, `ring` is drawn as a ring is; a dozen variants go round.
    #[test]
    fn names_without_parameters_keep_the_look_of_their_algorithm() {
        let ring = look_of("ring");
        let mut first = vec![(ring, false); 11];
        first.insert(7, (ring, true));
        let looks = apart(&first);
        assert_eq!((looks[7].marker, looks[7].dash()), (ring.marker, ring.dash()));
        let pairs = looks.windows(2);
        assert!(pairs.into_iter().all(|pair| pair[0].marker != pair[1].marker), "{looks:?}");
        let markers: BTreeSet<Marker> = looks.iter().map(|look| look.marker).collect();
        assert_eq!(markers.len(), MARKERS.len());
    }

    #[test]
    fn style_sheets_know_the_neutral_colours() {
        let sheet = include_str!("page/style.css");
        for colour in [PAPER, INK, QUIET, AXIS, GRID, BAND] {
            assert!(sheet.contains(&format!("\"{}\"]", colour.hex())), "{colour:?}");
        }
    }
}
