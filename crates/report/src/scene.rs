//! A chart as marks on a plane, before any backend: what is drawn once for SVG and once for PNG.
//!
//! Lengths are CSS pixels at the natural size of the chart; y grows downwards.

use crate::palette::{AXIS, Colour, Dash, INK, Look, Marker, PAPER, QUIET};

/// A place on the plane.
pub(crate) type Point = (f64, f64);

/// A colour with its opacity.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Ink {
    pub(crate) colour: Colour,
    pub(crate) opacity: f64,
}

impl From<Colour> for Ink {
    fn from(colour: Colour) -> Self {
        Ink { colour, opacity: 1.0 }
    }
}

impl Colour {
    /// The colour, let through to what lies below.
    pub(crate) fn thin(self, opacity: f64) -> Ink {
        Ink { colour: self, opacity }
    }
}

/// Which part of a text stands at its point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// One thing that is drawn.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Mark {
    /// A filled outline.
    Area { outline: Vec<Point>, ink: Ink },
    /// A stroke through points.
    Line { points: Vec<Point>, ink: Ink, width: f64 },
    /// A filled circle.
    Disc { centre: Point, radius: f64, ink: Ink },
    /// Words whose baseline starts, is centred or ends at a point; `size` is one em.
    Text { at: Point, text: String, ink: Ink, size: f64, anchor: Anchor },
}

impl Mark {
    /// Index of the contender of whom it speaks.
    pub(crate) fn contender(&self) -> Option<usize> {
        let (Mark::Area { ink, .. }
        | Mark::Line { ink, .. }
        | Mark::Disc { ink, .. }
        | Mark::Text { ink, .. }) = self;
        ink.colour.contender
    }
}

/// Size of ordinary text in charts.
pub(crate) const TEXT: f64 = 12.0;
/// Size of text on axes.
pub(crate) const SMALL: f64 = 11.0;

/// A drawing.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Scene {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) marks: Vec<Mark>,
}

impl Scene {
    /// An empty plane.
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Scene { width, height, marks: Vec::new() }
    }

    /// Fills an outline.
    pub(crate) fn area(&mut self, outline: Vec<Point>, ink: impl Into<Ink>) {
        self.marks.push(Mark::Area { outline, ink: ink.into() });
    }

    /// Fills the rectangle between two corners.
    pub(crate) fn rectangle(&mut self, from: Point, to: Point, ink: impl Into<Ink>) {
        self.area(vec![from, (to.0, from.1), to, (from.0, to.1)], ink);
    }

    /// Draws a stroke through points.
    pub(crate) fn line(&mut self, points: Vec<Point>, ink: impl Into<Ink>, width: f64) {
        self.marks.push(Mark::Line { points, ink: ink.into(), width });
    }

    /// Draws a broken stroke through points; the dash runs on around corners.
    pub(crate) fn dashed(&mut self, points: &[Point], dash: Dash, ink: impl Into<Ink>, width: f64) {
        let ink = ink.into();
        for piece in broken(points, dash) {
            self.line(piece, ink, width);
        }
    }

    /// Fills a circle.
    pub(crate) fn disc(&mut self, centre: Point, radius: f64, ink: impl Into<Ink>) {
        self.marks.push(Mark::Disc { centre, radius, ink: ink.into() });
    }

    /// Sets words with their baseline at a point.
    pub(crate) fn text(
        &mut self,
        at: Point,
        text: &str,
        size: f64,
        anchor: Anchor,
        colour: Colour,
    ) {
        let text = crate::text::one_line(text);
        self.marks.push(Mark::Text { at, text, ink: colour.into(), size, anchor });
    }

    /// Sets small, quiet words.
    pub(crate) fn note(&mut self, at: Point, text: &str, anchor: Anchor) {
        self.text(at, text, SMALL, anchor, QUIET);
    }

    /// Fills a rectangle with hatching, so that it differs from a plain one without colour.
    pub(crate) fn hatched(&mut self, from: Point, to: Point, colour: Colour) {
        const GAP: f64 = 4.5;
        self.rectangle(from, to, colour.thin(0.18));
        let (width, height) = (to.0 - from.0, to.1 - from.1);
        if !(width > 0.0 && height > 0.0 && width < 1e4) {
            return;
        }
        // Diagonals on a grid that belongs to the plane, so that neighbours hatch in step.
        let first = ((from.0 - height) / GAP).ceil() as i64;
        let last = (to.0 / GAP).floor() as i64;
        for index in first..=last {
            let foot = index as f64 * GAP;
            let (start, end) = (foot.max(from.0), (foot + height).min(to.0));
            if end - start > 0.2 {
                let y = |x: f64| to.1 - (x - foot);
                self.line(vec![(start, y(start)), (end, y(end))], colour, 1.2);
            }
        }
        let corners = vec![from, (to.0, from.1), to, (from.0, to.1), from];
        self.line(corners, colour, 1.0);
    }

    /// Draws an interval with caps at its ends.
    pub(crate) fn whisker(&mut self, from: Point, to: Point, cap: f64, ink: impl Into<Ink>) {
        let ink = ink.into();
        let (dx, dy) = if from.0 == to.0 { (cap, 0.0) } else { (0.0, cap) };
        self.line(vec![from, to], ink, 1.2);
        for end in [from, to] {
            self.line(vec![(end.0 - dx, end.1 - dy), (end.0 + dx, end.1 + dy)], ink, 1.2);
        }
    }

    /// Cuts a gap through a bar, slanting between two corners: the bar is longer than drawn.
    pub(crate) fn cut(&mut self, from: Point, to: Point) {
        let (dx, dy) =
            if (to.0 - from.0).abs() > (to.1 - from.1).abs() { (0.0, 2.0) } else { (2.0, 0.0) };
        let outline = vec![
            (from.0 - dx, from.1 - dy),
            (to.0 - dx, to.1 - dy),
            (to.0 + dx, to.1 + dy),
            (from.0 + dx, from.1 + dy),
        ];
        self.area(outline, PAPER);
    }

    /// Draws a data point.
    pub(crate) fn marker(&mut self, at: Point, look: Look, size: f64) {
        let colour = look.colour;
        let (x, y) = at;
        let square = |r: f64| vec![(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)];
        match look.marker {
            Marker::Disc => self.disc(at, size, colour),
            Marker::Square => self.area(square(size * 0.9), colour),
            Marker::Triangle => self.area(
                vec![
                    (x, y - size * 1.2),
                    (x + size * 1.1, y + size * 0.8),
                    (x - size * 1.1, y + size * 0.8),
                ],
                colour,
            ),
            Marker::Diamond => {
                let r = size * 1.25;
                self.area(vec![(x, y - r), (x + r, y), (x, y + r), (x - r, y)], colour);
            }
            Marker::Cross => {
                let r = size * 0.9;
                self.line(vec![(x - r, y - r), (x + r, y + r)], colour, 2.0);
                self.line(vec![(x - r, y + r), (x + r, y - r)], colour, 2.0);
            }
            Marker::Plus => {
                let r = size * 1.2;
                self.line(vec![(x - r, y), (x + r, y)], colour, 2.0);
                self.line(vec![(x, y - r), (x, y + r)], colour, 2.0);
            }
            Marker::Circle => {
                self.disc(at, size * 1.1, colour);
                self.disc(at, size * 0.55, PAPER.like(colour));
            }
            Marker::Frame => {
                self.area(square(size), colour);
                self.area(square(size * 0.5), PAPER.like(colour));
            }
        }
    }

    /// Draws the line of an axis.
    pub(crate) fn axis(&mut self, from: Point, to: Point) {
        self.line(vec![from, to], AXIS, 1.0);
    }

    /// The drawing with a title above and its source below, to stand alone as a picture.
    pub(crate) fn framed(&self, title: &str, subtitle: &str, source: &str) -> Scene {
        const HEAD: f64 = 62.0;
        const FOOT: f64 = 26.0;
        const EDGE: f64 = 14.0;
        let mut framed = Scene::new(self.width + 2.0 * EDGE, self.height + HEAD + FOOT);
        let room = framed.width - 2.0 * EDGE;
        let fit = |text: &str, size| crate::font::fit(text, size, room);
        framed.text((EDGE, 26.0), &fit(title, 17.0), 17.0, Anchor::Start, INK);
        framed.text((EDGE, 45.0), &fit(subtitle, TEXT), TEXT, Anchor::Start, QUIET);
        let foot = framed.height - 10.0;
        framed.text((EDGE, foot), &fit(source, 10.0), 10.0, Anchor::Start, QUIET);
        framed.marks.extend(self.marks.iter().map(|mark| moved(mark, EDGE, HEAD)));
        framed
    }
}

/// The mark, shifted.
fn moved(mark: &Mark, dx: f64, dy: f64) -> Mark {
    let shift = |&(x, y): &Point| (x + dx, y + dy);
    let mut mark = mark.clone();
    match &mut mark {
        Mark::Area { outline: points, .. } | Mark::Line { points, .. } => {
            points.iter_mut().for_each(|point| *point = shift(point));
        }
        Mark::Disc { centre: at, .. } | Mark::Text { at, .. } => *at = shift(at),
    }
    mark
}

/// The pieces of a line that a dash leaves.
fn broken(points: &[Point], dash: Dash) -> Vec<Vec<Point>> {
    // More pieces than this are a line without end, not a chart.
    const PIECES_MAX: usize = 10_000;
    if dash.is_empty() {
        return vec![points.to_vec()];
    }
    let mut pieces = Vec::new();
    let (mut turn, mut left) = (0, dash[0]);
    let mut piece: Vec<Point> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        let (mut at, to) = (pair[0], pair[1]);
        loop {
            let (dx, dy) = (to.0 - at.0, to.1 - at.1);
            let length = (dx * dx + dy * dy).sqrt();
            if !length.is_finite() || pieces.len() > PIECES_MAX {
                return pieces;
            }
            if length < left {
                left -= length;
                piece.push(to);
                break;
            }
            at = (at.0 + dx * left / length, at.1 + dy * left / length);
            piece.push(at);
            if turn % 2 == 0 {
                pieces.push(std::mem::take(&mut piece));
            }
            piece = vec![at];
            turn = (turn + 1) % dash.len();
            left = dash[turn];
        }
    }
    if turn % 2 == 0 && piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_run_on_around_corners() {
        let pieces = broken(&[(0.0, 0.0), (3.0, 0.0), (3.0, 5.0)], &[4.0, 2.0]);
        assert_eq!(pieces.len(), 2);
        assert_eq!(pieces[0], [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0)]);
        assert_eq!(pieces[1], [(3.0, 3.0), (3.0, 5.0)]);
        assert!(broken(&[(0.0, 0.0), (f64::NAN, 0.0)], &[4.0, 2.0]).is_empty());
        assert!(broken(&[], &[4.0, 2.0]).is_empty());
    }

    #[test]
    fn hatching_stays_inside() {
        let mut scene = Scene::new(100.0, 100.0);
        scene.hatched((10.0, 10.0), (50.0, 22.0), INK);
        for mark in &scene.marks {
            let (Mark::Area { outline: points, .. } | Mark::Line { points, .. }) = mark else {
                continue;
            };
            let inside = |&(x, y): &Point| (9.9..=50.1).contains(&x) && (9.9..=22.1).contains(&y);
            assert!(points.iter().all(inside), "{points:?}");
        }
        scene.hatched((10.0, 10.0), (f64::INFINITY, 22.0), INK);
    }
}
