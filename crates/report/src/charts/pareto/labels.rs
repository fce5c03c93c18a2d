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
const WAYS: [Point; 8] = [
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.0, -1.0),
    (0.0, 1.0),
    (0.7, -0.7),
    (0.7, 0.7),
    (-0.7, -0.7),
    (-0.7, 0.7),
];

/// Sets each name as near to its mark as there is room that no other name or mark has, nor what is
/// `taken` from the start. Where there is none strokes are written over; a name that does not fit
/// then is left out.
pub(super) fn place(scene: &mut Scene, labels: Vec<Label>, taken: Vec<Block>, area: Block) {
    let mark = |label: &Label| {
        let ((x, y), r) = (label.at, label.radius);
        Block { left: x - r, top: y - r, right: x + r, bottom: y + r }
    };
    let strokes = taken;
    let mut taken: Vec<Block> = labels.iter().map(mark).collect();
    for label in labels {
        let width = text_width(&label.text, SMALL);
        let places = || DISTANCES.iter().flat_map(|distance| WAYS.map(|way| (*distance, way)));
        let free = |(distance, way): (f64, Point)| {
            let foot = foot(&label, distance, way);
            let own = beside(foot, way, width);
            let fits = area.holds(&own) && !taken.iter().any(|other| other.meets(&own));
            fits.then_some((distance, way, foot, own))
        };
        let clear = |found: &(f64, Point, Point, Block)| {
            !strokes.iter().any(|stroke| stroke.meets(&found.3))
        };
        let found = places().filter_map(free).find(clear).or_else(|| places().find_map(free));
        let Some((distance, way, foot, own)) = found else { continue };
        if distance > LEAD_MIN {
            scene.line(vec![self::foot(&label, 0.0, way), foot], AXIS, 0.8);
        }
        scene.text(
            (own.left + 2.0, own.bottom - 3.0),
            &label.text,
            SMALL,
            Anchor::Start,
            label.colour,
        );
        taken.push(own);
    }
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
