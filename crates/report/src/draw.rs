//! From a scene to SVG text and PNG bytes, by plotters.

use plotters::coord::Shift;
use plotters::prelude::{
    BitMapBackend, Circle, DrawingArea, DrawingBackend, IntoDrawingArea, PathElement, Polygon,
    RGBColor, SVGBackend, ShapeStyle, Text,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, TextStyle};

use crate::ReportError;
use crate::font::{LINE_EMS, register_font};
use crate::palette::PAPER;
use crate::scene::{Anchor, Ink, Mark, Point, Scene};

/// Pixels of a picture to one unit of the scene.
const SCALE: f64 = 2.0;
/// Most pixels that are drawn at twice the size and averaged; plotters' own edges are rough.
const SMOOTH_PIXELS_MAX: u64 = 12_000_000;

/// Pixels of a picture to a metre: twice the 96 to an inch of CSS.
const PIXELS: png::PixelDimensions =
    png::PixelDimensions { xppu: 7_559, yppu: 7_559, unit: png::Unit::Meter };

/// How a backend places text.
#[derive(Clone, Copy)]
struct Backend {
    /// Units of the backend to one unit of the scene.
    scale: f64,
    /// plotters' size of a font of one em.
    size_ems: f64,
    /// From the top of a text, as plotters counts it, to the baseline, in ems.
    baseline_ems: f64,
}

impl Backend {
    /// plotters writes `font-size` as its size over 1.24 and moves the top down by 0.76 em.
    fn svg(scale: f64) -> Self {
        Backend { scale, size_ems: 1.24, baseline_ems: 0.76 }
    }

    /// plotters sizes bitmap fonts by their line and sets the baseline half a line down.
    fn bitmap(scale: f64) -> Self {
        Backend { scale, size_ems: LINE_EMS, baseline_ems: LINE_EMS / 2.0 }
    }

    fn at(self, (x, y): Point) -> (i32, i32) {
        // Far outside is as good as farther: no arithmetic on pixels may overflow.
        let whole = |value: f64| (value * self.scale).round().clamp(-30_000.0, 60_000.0) as i32;
        (whole(x), whole(y))
    }

    fn length(self, length: f64) -> u32 {
        (length * self.scale).round().clamp(1.0, 10_000.0) as u32
    }
}

/// Size of a scene in pixels.
fn pixels(scene: &Scene, scale: f64) -> (u32, u32) {
    let whole = |length: f64| (length * scale).round().clamp(2.0, 30_000.0) as u32;
    (whole(scene.width), whole(scene.height))
}

/// The scene as an SVG element with a title and a description. What speaks of a contender is
/// grouped, and the group has the contender's index.
pub(crate) fn svg(
    name: &str,
    scene: &Scene,
    title: &str,
    description: &str,
) -> Result<String, ReportError> {
    let size = pixels(scene, SCALE);
    let mut body = String::new();
    for marks in scene.marks.chunk_by(|a, b| a.contender() == b.contender()) {
        let elements = elements(marks, size).map_err(|reason| failed(name, reason))?;
        body += &match marks[0].contender() {
            Some(contender) => format!("<g data-of=\"{contender}\">{elements}</g>"),
            None => elements,
        };
    }
    let head = maud::html! {
        title id={ "title-" (name) } { (title) }
        desc id={ "description-" (name) } { (description) }
    };
    Ok(format!(
        "<svg class=\"chart\" viewBox=\"0 0 {} {}\" xmlns=\"http://www.w3.org/2000/svg\" \
         fill=\"none\" role=\"img\" aria-labelledby=\"title-{name} description-{name}\">\
         {}{body}</svg>",
        size.0,
        size.1,
        head.into_string(),
    ))
}

/// The elements of marks, without the one that plotters puts around them: ours has a name for
/// those who cannot see it, and no fixed size.
fn elements(marks: &[Mark], size: (u32, u32)) -> Result<String, String> {
    let mut drawn = String::new();
    let area = SVGBackend::with_string(&mut drawn, size).into_drawing_area();
    draw(&area, marks, Backend::svg(SCALE))?;
    drop(area);
    // Texts are escaped, so tags and attributes stand only where plotters wrote them.
    let inner = drawn.split_once('>').map_or("", |(_, rest)| rest);
    let inner = inner.rsplit_once("</svg>").map_or(inner, |(inner, _)| inner);
    // What an element has anyway, by the element around all of them or by SVG itself.
    let implied = [" opacity=\"1\"", " fill=\"none\"", " stroke=\"none\""];
    Ok(implied.iter().fold(inner.to_string(), |text, attribute| text.replace(attribute, "")))
}

/// The scene as a PNG file at twice its size, with texts by their keywords inside.
pub(crate) fn png(
    name: &str,
    scene: &Scene,
    texts: &[(&str, String)],
) -> Result<Vec<u8>, ReportError> {
    let (width, height) = pixels(scene, SCALE);
    let smooth = u64::from(width) * u64::from(height) * 4 <= SMOOTH_PIXELS_MAX * 4
        && width <= 15_000
        && height <= 15_000;
    let times = if smooth { 2 } else { 1 };
    let (wide, high) = (width * times, height * times);
    let mut buffer = vec![0; wide as usize * high as usize * 3];
    let area = BitMapBackend::with_buffer(&mut buffer, (wide, high)).into_drawing_area();
    let failed = |reason| failed(name, reason);
    area.fill(&colour(PAPER.into())).map_err(|error| failed(error.to_string()))?;
    draw(&area, &scene.marks, Backend::bitmap(SCALE * f64::from(times))).map_err(failed)?;
    drop(area);
    let buffer = if smooth { halved(&buffer, wide as usize) } else { buffer };
    encode((width, height), &buffer, texts)
        .map_err(|source| ReportError::Encode { chart: name.into(), source })
}

fn failed(name: &str, reason: String) -> ReportError {
    ReportError::Draw { chart: name.into(), reason }
}

/// A picture of half the width and height: each pixel the mean of four.
fn halved(buffer: &[u8], width: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(buffer.len() / 4);
    for rows in buffer.chunks_exact(width * 6) {
        let (upper, lower) = rows.split_at(width * 3);
        for (above, below) in std::iter::zip(upper.chunks_exact(6), lower.chunks_exact(6)) {
            for channel in 0..3 {
                let sum = [above[channel], above[channel + 3], below[channel], below[channel + 3]]
                    .into_iter()
                    .map(u16::from)
                    .sum::<u16>();
                out.push(((sum + 2) / 4) as u8);
            }
        }
    }
    out
}

fn encode(
    (width, height): (u32, u32),
    pixels: &[u8],
    texts: &[(&str, String)],
) -> Result<Vec<u8>, png::EncodingError> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_pixel_dims(Some(PIXELS));
    for (keyword, text) in texts {
        encoder.add_itxt_chunk((*keyword).into(), crate::text::one_line(text))?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(out)
}

fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    marks: &[Mark],
    backend: Backend,
) -> Result<(), String> {
    register_font();
    for mark in marks {
        draw_mark(area, mark, backend).map_err(|error| error.to_string())?;
    }
    area.present().map_err(|error| error.to_string())
}

fn draw_mark<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    mark: &Mark,
    backend: Backend,
) -> Result<(), plotters::drawing::DrawingAreaErrorKind<B::ErrorType>> {
    match mark {
        Mark::Area { outline, ink } if outline.len() > 2 && finite(outline) => {
            let points: Vec<_> = outline.iter().map(|&point| backend.at(point)).collect();
            area.draw(&Polygon::new(points, colour(*ink).filled()))
        }
        Mark::Line { points, ink, width } if points.len() > 1 && finite(points) => {
            let points: Vec<_> = points.iter().map(|&point| backend.at(point)).collect();
            let width = backend.length(*width);
            area.draw(&PathElement::new(points, stroke(*ink, width)))
        }
        Mark::Disc { centre, radius, ink } if finite(&[*centre]) => {
            let circle =
                Circle::new(backend.at(*centre), backend.length(*radius), colour(*ink).filled());
            area.draw(&circle)
        }
        Mark::Text { at, text, ink, size, anchor } if finite(&[*at]) && !text.is_empty() => {
            let top = at.1 - size * backend.baseline_ems;
            let style = text_style(size * backend.scale * backend.size_ems, *ink, *anchor);
            area.draw(&Text::new(text.as_str(), backend.at((at.0, top)), style))
        }
        _ => Ok(()),
    }
}

fn finite(points: &[Point]) -> bool {
    points.iter().all(|point| point.0.is_finite() && point.1.is_finite())
}

fn colour(ink: Ink) -> plotters::style::RGBAColor {
    let [red, green, blue] = ink.colour.rgb;
    RGBColor(red, green, blue).mix(ink.opacity)
}

fn stroke(ink: Ink, width: u32) -> ShapeStyle {
    ShapeStyle { color: colour(ink), filled: false, stroke_width: width }
}

fn text_style(size: f64, ink: Ink, anchor: Anchor) -> TextStyle<'static> {
    let across = match anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    TextStyle {
        font: FontDesc::new(FontFamily::SansSerif, size, FontStyle::Normal),
        color: colour(ink).to_backend_color(),
        pos: Pos::new(across, VPos::Top),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::INK;

    fn sample() -> Scene {
        let mut scene = Scene::new(40.0, 20.0);
        scene.rectangle((5.0, 5.0), (15.0, 15.0), INK);
        scene.line(vec![(0.0, f64::NAN), (1.0, 1.0)], INK, 1.0);
        scene.disc((1e300, -1e300), 3.0, INK);
        scene.text((2.0, 12.0), "<b>&", 12.0, Anchor::Start, INK);
        scene
    }

    #[test]
    fn svg_is_named_and_escaped() {
        let svg = svg("x", &sample(), "a <b>", "\"c\"").unwrap();
        assert!(svg.starts_with("<svg class=\"chart\" viewBox=\"0 0 80 40\""));
        assert!(svg.contains("<title id=\"title-x\">a &lt;b&gt;</title>"));
        assert!(svg.contains("&lt;b&gt;&amp;") && !svg.contains("<b>"));
        assert!(svg.trim_end().ends_with("</svg>"));
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn png_holds_what_was_drawn() {
        let bytes = png("x", &sample(), &[("Title", "over – under\n日本".into())]).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
        let title = &reader.info().utf8_text[0];
        assert_eq!(
            (title.keyword.as_str(), title.get_text().unwrap()),
            ("Title", "over – under\u{fffd}日本".into())
        );
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let at = |x: usize, y: usize| pixels[(y * 80 + x) * 3];
        assert_eq!((at(20, 20), at(75, 35)), (INK.rgb[0], 0xFF));
    }
}
