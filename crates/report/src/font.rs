//! The one font of every chart, embedded so that pictures are the same on every machine.

use std::sync::Once;

use plotters::style::{FontDesc, FontFamily, FontStyle, FontTransform, register_font as register};

/// DejaVu Sans, subset to Latin and the signs of the charts; licence in `fonts/README.md`.
static SUBSET: &[u8] = include_bytes!("../fonts/DejaVuSans-subset.ttf");

/// Height of the font from ascent to descent, in ems: plotters' bitmap text is sized by it.
pub(crate) const LINE_EMS: f64 = 1.164;

/// Registers the embedded font with plotters as `sans-serif`. Without a font every text that
/// plotters draws is an error. Calling it again does nothing.
///
/// ```
/// placelab_report::register_font();
/// placelab_report::register_font();
/// ```
pub fn register_font() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // The font is part of the program and parsed by the tests, so this cannot fail at run
        // time; if it did, drawing would say so.
        register("sans-serif", FontStyle::Normal, SUBSET).ok();
    });
}

/// Width of a text set at `size`, in the unit of `size`.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    register_font();
    // plotters rounds to whole pixels: measure large, then scale down.
    const EM: f64 = 100.0;
    let font = FontDesc::new(FontFamily::SansSerif, EM * LINE_EMS, FontStyle::Normal);
    let ems = match font.transform(FontTransform::None).layout_box(text) {
        Ok(((left, _), (right, _))) => f64::from(right - left) / EM,
        Err(_) => 0.6 * text.chars().count() as f64,
    };
    ems * size
}

/// The text, with its middle left out where it would be wider than `width` at `size`. The ends
/// stay, because names of contenders differ at their ends: `ring:vnodes=1`, `ring:vnodes=100`.
pub(crate) fn fit(text: &str, size: f64, width: f64) -> String {
    // Whatever is longer than this never fits; measuring it would be wasted.
    const CHARS_MAX: usize = 300;
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= CHARS_MAX && text_width(text, size) <= width {
        return text.into();
    }
    let mut kept = chars.len().saturating_sub(1).min(CHARS_MAX);
    loop {
        let (head, tail) = (kept - kept / 2, kept / 2);
        let shortened: String =
            chars[..head].iter().chain(&['…']).chain(&chars[chars.len() - tail..]).collect();
        if kept <= 2 || text_width(&shortened, size) <= width {
            return shortened;
        }
        kept -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_is_parsed() {
        register_font();
        let font = FontDesc::new(FontFamily::SansSerif, 20.0, FontStyle::Normal);
        assert!(font.layout_box("placelab").is_ok());
        assert!(text_width("mm", 10.0) > 2.0 * text_width("i", 10.0));
    }

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(fit("ring", 10.0, 200.0), "ring");
        let short = fit("ring:vnodes=160,hash=murmur3-128", 10.0, 80.0);
        assert!(short.starts_with("ring") && short.ends_with("128") && short.contains('…'));
        assert!(text_width(&short, 10.0) <= 80.0);
        assert_eq!(fit("", 10.0, 0.0), "");
        assert!(fit(&"é".repeat(5_000), 10.0, 50.0).chars().count() < 20);
        assert!(!fit("ab", 10.0, 0.0).is_empty());
    }
}
