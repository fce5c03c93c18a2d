//! Names beside marks that are scattered over a plane.

use crate::font::text_width;
use crate::palette::{AXIS, Colour};
use crate::scene::{Anchor, Point, SMALL, Scene};

/// A rectangle of the plane.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Block {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Block {
    /// The box about an upright or level stroke.
    pub(super) fn around(from: Point, to: Point) -> Self {
        const HALF: f64 = 1.5;
        Block {
            left: from.0.min(to.0) - HALF,
            top: from.1.min(to.1) - HALF,
            right: from.0.max(to.0) + HALF,
            bottom: from.1.max(to.1) + HALF,
        }
    }

    fn meets(&self, other: &Block) -> bool {
        let apart = self.right <= other.left || other.right <= self.left;
        !(apart || self.bottom <= other.top || other.bottom <= self.top)
    }

    fn holds_point(&self, (x, y): Point) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }

    /// Whether a stroke runs over it.
    fn is_crossed(&self, stroke: &[Point; 2]) -> bool {
        let (start, end) = ((self.left, self.top), (self.right, self.bottom));
        let falling = [start, end];
        let rising = [(self.left, self.bottom), (self.right, self.top)];
        let is_inside = stroke.iter().any(|point| self.holds_point(*point));
        is_inside || cross(&falling, stroke) || cross(&rising, stroke)
    }

    fn holds(&self, other: &Block) -> bool {
        let wide = self.left <= other.left && other.right <= self.right;
        wide && self.top <= other.top && other.bottom <= self.bottom
    }
}

/// A name and the mark that it belongs to.
pub(super) struct Label {
    pub(super) at: Point,
    pub(super) radius: f64,
    pub(super) text: String,
    pub(super) colour: Colour,
}

/// Height of a name.
const LINE: f64 = 13.0;
/// From the edge of a mark to its name, nearest first.
const DISTANCES: [f64; 9] = [4.0, 12.0, 24.0, 38.0, 54.0, 72.0, 95.0, 125.0, 160.0];
/// A name farther off than this has a lead.
const LEAD_MIN: f64 = 8.0;
/// Where a name may stand, as seen from its mark, best first.
const WAYS: [Point; 16] = [
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.0, -1.0),
    (0.0, 1.0),
    (0.7, -0.7),
    (0.7, 0.7),
    (-0.7, -0.7),
    (-0.7, 0.7),
    (0.92, -0.38),
    (0.92, 0.38),
    (-0.92, -0.38),
    (-0.92, 0.38),
    (0.38, -0.92),
    (0.38, 0.92),
    (-0.38, -0.92),
    (-0.38, 0.92),
];

/// A place for a name, with the lead from its mark.
struct Spot {
    own: Block,
    lead: Option<[Point; 2]>,
}

/// Sets each name as near to its mark as there is room that no other name or mark has, nor what is
/// `taken` from the start, nor leads. Where there is none strokes and leads are written over; a
/// name that does not fit then is left out.
pub(super) fn place(scene: &mut Scene, labels: Vec<Label>, taken: Vec<Block>, area: Block) {
    let strokes = taken;
    let marks: Vec<Block> = labels.iter().map(mark).collect();
    let (mut names, mut leads) = (Vec::<Block>::new(), Vec::<[Point; 2]>::new());
    for (index, label) in labels.iter().enumerate() {
        let others = || {
            let marks = marks.iter().enumerate();
            let others =
                marks.filter(|(other, mark)| *other != index && !mark.holds_point(label.at));
            others.map(|(_, mark)| mark).chain(&names)
        };
        let is_free = |spot: &Spot| {
            area.holds(&spot.own) && !marks.iter().chain(&names).any(|one| one.meets(&spot.own))
        };
        let is_plain = |spot: &Spot| {
            !strokes.iter().any(|stroke| stroke.meets(&spot.own))
                && !leads.iter().any(|lead| spot.own.is_crossed(lead))
        };
        let is_led = |spot: &Spot| {
            spot.lead.is_none_or(|lead| {
                !others().any(|other| other.is_crossed(&lead))
                    && !leads.iter().any(|other| cross(other, &lead))
            })
        };
        let free = || spots(label).filter(is_free);
        let found = free().find(|spot| is_plain(spot) && is_led(spot));
        let found = found.or_else(|| free().find(is_led)).or_else(|| free().next());
        let Some(Spot { own, lead }) = found else { continue };
        if let Some(lead) = lead {
            scene.line(lead.to_vec(), AXIS, 0.8);
            leads.push(lead);
        }
        let foot = (own.left + 2.0, own.bottom - 3.0);
        scene.text(foot, &label.text, SMALL, Anchor::Start, label.colour);
        names.push(own);
    }
}

/// The box of a mark.
fn mark(label: &Label) -> Block {
    let ((x, y), r) = (label.at, label.radius);
    Block { left: x - r, top: y - r, right: x + r, bottom: y + r }
}

/// Everywhere that a name may stand, best first.
fn spots(label: &Label) -> impl Iterator<Item = Spot> {
    let width = text_width(&label.text, SMALL);
    let places = DISTANCES.iter().flat_map(|distance| WAYS.map(|way| (*distance, way)));
    places.map(move |(distance, way)| {
        let end = foot(label, distance, way);
        let lead = (distance > LEAD_MIN).then(|| [foot(label, 0.0, way), end]);
        Spot { own: beside(end, way, width), lead }
    })
}

/// Whether two strokes cross.
fn cross([a, b]: &[Point; 2], [c, d]: &[Point; 2]) -> bool {
    let side = |from: &Point, to: &Point, point: &Point| {
        (to.0 - from.0) * (point.1 - from.1) - (to.1 - from.1) * (point.0 - from.0)
    };
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

/// The point so far from the edge of a mark in a direction.
fn foot(label: &Label, distance: f64, way: Point) -> Point {
    let far = label.radius + distance;
    (label.at.0 + way.0 * far, label.at.1 + way.1 * far)
}

/// The box of a name that touches a point from beyond.
fn beside((x, y): Point, way: Point, width: f64) -> Block {
    let width = width + 4.0;
    let left = match way.0 {
        right if right > 0.5 => x,
        left if left < -0.5 => x - width,
        _ => x - width / 2.0,
    };
    let top = y - LINE / 2.0 + way.1 * LINE / 2.0;
    Block { left, top, right: left + width, bottom: top + LINE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::INK;
    use crate::scene::Mark;

    /// Names of marks in one spot keep apart and inside.
    #[test]
    fn names_keep_apart() {
        let area = Block { left: 0.0, top: 0.0, right: 600.0, bottom: 300.0 };
        let label = |index: usize| Label {
            at: (290.0 + index as f64, 150.0),
            radius: 6.0,
            text: format!("contender:parameter={index}"),
            colour: INK,
        };
        let mut scene = Scene::new(600.0, 300.0);
        place(&mut scene, (0..20).map(label).collect(), Vec::new(), area);
        let boxes: Vec<Block> = scene
            .marks
            .iter()
            .filter_map(|mark| match mark {
                Mark::Text { at, text, .. } => Some(Block {
                    left: at.0,
                    top: at.1 - 10.0,
                    right: at.0 + text_width(text, SMALL),
                    bottom: at.1 + 3.0,
                }),
                _ => None,
            })
            .collect();
        assert_eq!(boxes.len(), 20);
        for (index, own) in boxes.iter().enumerate() {
            assert!(area.holds(own), "{own:?}");
            assert!(!boxes[..index].iter().any(|other| other.meets(own)), "{own:?}");
        }
    }

    #[test]
    fn names_without_room_are_left_out() {
        let area = Block { left: 0.0, top: 0.0, right: 60.0, bottom: 20.0 };
        let text = "far too long a name for this".into();
        let label = Label { at: (30.0, 10.0), radius: 5.0, text, colour: INK };
        let mut scene = Scene::new(60.0, 20.0);
        place(&mut scene, vec![label], Vec::new(), area);
        assert!(scene.marks.is_empty());
    }
}
