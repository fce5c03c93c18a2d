//! Numbers as people read them: few digits, always a unit, never NaN.

use placelab_results::{Measured, Rounds, metric};

/// What stands where there is no figure.
pub(crate) const NONE: &str = "–";

/// A number with a fixed count of decimals and a true minus; no negative zero.
pub(crate) fn decimal(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return NONE.into();
    }
    if value.abs() >= 1e15 {
        return format!("{value:.1e}");
    }
    let digits = format!("{:.decimals$}", value.abs());
    let (whole, part) = digits.split_once('.').unwrap_or((&digits, ""));
    let point = if part.is_empty() { "" } else { "." };
    let is_zero = digits.bytes().all(|byte| byte == b'0' || byte == b'.');
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    format!("{sign}{}{point}{part}", grouped(whole))
}

/// Digits in groups of three: `1,048,576`.
fn grouped(digits: &str) -> String {
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A whole number: `1,000,000`.
pub(crate) fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// A fraction in percent: `33.3 %`. Only nothing at all is `0 %`.
pub(crate) fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    match percent.abs() {
        size if !size.is_finite() => NONE.into(),
        0.0 => "0 %".into(),
        size if size < 0.005 => "< 0.01 %".into(),
        size if size < 0.95 => format!("{} %", decimal(percent, 2)),
        _ => format!("{} %", decimal(percent, 1)),
    }
}

/// A ratio: `1.25`, with `decimals` decimals where it is near to 1 and fewer farther off.
pub(crate) fn ratio(value: f64, decimals: usize) -> String {
    match value.abs() {
        size if (size - 1.0).abs() < 0.5 => decimal(value, decimals),
        size if size < 10.0 => decimal(value, decimals.min(2)),
        size if size < 100.0 => decimal(value, 1),
        _ => decimal(value, 0),
    }
}

/// A count that may be a mean: one decimal only where it is no whole number.
pub(crate) fn few(value: f64) -> String {
    decimal(value, usize::from(value.fract() != 0.0))
}

/// A count that is known in about: `37`, `140`, `2,300`.
pub(crate) fn about(value: f64) -> String {
    if !value.is_finite() {
        return NONE.into();
    }
    let mut unit = 1.0;
    while value.abs() / unit >= 99.5 && unit < 1e15 {
        unit *= 10.0;
    }
    decimal((value / unit).round() * unit, 0)
}

/// Parts in a million, to as many digits as [`percent`] has: `3,400 ppm`, `117,000 ppm`.
pub(crate) fn ppm(value: f64) -> String {
    let thousands = value.is_finite() && value.abs() >= 99_500.0;
    let digits = if thousands { decimal((value / 1e3).round() * 1e3, 0) } else { about(value) };
    format!("{digits} ppm")
}

/// A value with the prefix that leaves it between 1 and 1,000.
fn prefixed(value: f64, (step, units): (f64, &[&str])) -> String {
    if !value.is_finite() {
        return NONE.into();
    }
    let mut scaled = value;
    let mut unit = 0;
    while scaled.abs() >= step * 0.9995 && unit + 1 < units.len() {
        scaled /= step;
        unit += 1;
    }
    let decimals = match scaled.abs() {
        size if size >= 99.95 || size == 0.0 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    format!("{} {}", decimal(scaled, decimals), units[unit])
}

/// Units of time, each so many times the one before.
const TIMES: (f64, &[&str]) = (1e3, &["ns", "µs", "ms", "s"]);
/// Units of size.
const SIZES: (f64, &[&str]) = (1e3, &["B", "kB", "MB", "GB", "TB"]);

/// A round number in the largest of some units, from large to small, that it reaches; else in units
/// of 1: `10 µs`.
pub(crate) fn whole(value: f64, units: &[(f64, &str)], one: &str) -> String {
    let reached = units.iter().find(|(size, _)| value >= *size * 0.999);
    let (size, unit) = reached.copied().unwrap_or((1.0, one));
    format!("{} {unit}", decimal(value / size, 0))
}

/// A time: `18.2 ns`, `1.04 µs`.
pub(crate) fn nanoseconds(value: f64) -> String {
    prefixed(value, TIMES)
}

/// A span of time in the unit that people would use: `820 ms`, `45.0 s`, `12.5 min`, `3.4 h`.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds.abs() {
        short if !short.is_finite() || short < 119.5 => nanoseconds(1e9 * seconds),
        _ => {
            let (size, unit) = span_unit(seconds);
            format!("{} {unit}", decimal(seconds / size, 1))
        }
    }
}

/// The unit for spans of up to so many seconds, with its seconds.
pub(crate) fn span_unit(seconds: f64) -> (f64, &'static str) {
    match seconds {
        long if long >= 48.0 * 3_600.0 => (86_400.0, "days"),
        long if long >= 2.0 * 3_600.0 => (3_600.0, "h"),
        long if long >= 119.5 => (60.0, "min"),
        _ => (1.0, "s"),
    }
}

/// What the same work against itself differs by: `A/A 1.2 %`.
pub(crate) fn aa_spread(rounds: &Rounds) -> String {
    format!("A/A {}", percent(rounds.aa_spread))
}

/// A size: `512 B`, `1.31 MB`.
pub(crate) fn bytes(value: f64) -> String {
    if value.is_finite() && value.abs() < 999.5 {
        return format!("{} B", decimal(value, 0));
    }
    prefixed(value, SIZES)
}

/// Steps of a lookup: `1.28`, `59.8`.
pub(crate) fn work(steps: f64) -> String {
    decimal(steps, if steps.abs() < 9.995 { 2 } else { 1 })
}

/// A value of a metric with its unit, as cells and sentences show it.
pub(crate) fn of_metric(id: &str, value: f64, decimals: usize) -> String {
    match metric(id).map(|(metric, _)| metric.unit) {
        Some("fraction") => percent(value),
        Some("× fair") => format!("{} × fair", ratio(value, decimals)),
        Some("bytes") => bytes(value),
        Some("ns") => nanoseconds(value),
        Some("µs") => nanoseconds(value * 1e3),
        Some("steps") => format!("{} steps", work(value)),
        Some("nodes") => format!("{} nodes", few(value)),
        Some("rows") => format!("{} rows", few(value)),
        Some("probability") => decimal(value, 3),
        Some("ppm") => ppm(value),
        _ => ratio(value, 3),
    }
}

/// The interval of a figure over the seeds: `1.01–1.04`; one number where both ends print alike.
pub(crate) fn interval(measured: &Measured, print: impl Fn(f64) -> String) -> String {
    range(measured.low, measured.high, print)
}

/// Two ends as `1.01–1.04`; one number where both print alike.
pub(crate) fn range(low: f64, high: f64, print: impl Fn(f64) -> String) -> String {
    let (low, high) = (print(low), print(high));
    if low == high {
        return low;
    }
    // `1.0–1.4 %` reads better than `1.0 %–1.4 %`.
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((low, unit)), Some((_, same))) if unit == same && low != "<" => {
            format!("{low}–{high}")
        }
        _ => format!("{low}–{high}"),
    }
}

/// A printed figure as a plain number and its unit without a prefix: `1.24 µs` is `1240` and `ns`.
/// Nothing for what is no figure, only a bound of one, or more than one.
pub(crate) fn plain(text: &str) -> Option<(String, &str)> {
    let (digits, unit) = text.split_once(' ').unwrap_or((text, ""));
    if unit.contains([',', '–']) {
        return None;
    }
    let digits = digits.trim_start_matches('+').replace(',', "").replace('−', "-");
    let value: f64 = digits.parse().ok().filter(|value: &f64| value.is_finite())?;
    for (step, units) in [TIMES, SIZES] {
        if let Some(power) = units.iter().position(|other| *other == unit).filter(|at| *at > 0) {
            let scaled = (0..power).fold(value, |value, _| value * step);
            return Some((format!("{scaled:.0}"), units[0]));
        }
    }
    Some((digits, unit))
}

/// What a printed figure is sorted by, where that is not the number that it begins with.
pub(crate) fn sort_key(text: &str) -> Option<String> {
    if let Some(bound) = text.strip_prefix("< ") {
        let bound: f64 = plain(bound)?.0.parse().ok()?;
        return Some((bound / 2.0).to_string());
    }
    let (digits, unit) = plain(text)?;
    let printed = text.split_once(' ').map_or("", |(_, unit)| unit);
    (printed != unit).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_percent() {
        let printed: Vec<String> =
            [0.0, 1e-6, 0.0012, 1.0 / 3.0, 1.0, f64::NAN].map(percent).into();
        assert_eq!(printed, ["0 %", "< 0.01 %", "0.12 %", "33.3 %", "100.0 %", "–"]);
    }

    #[test]
    fn units_keep_numbers_short() {
        assert_eq!(nanoseconds(3.1264), "3.13 ns");
        assert_eq!(nanoseconds(18.26), "18.3 ns");
        assert_eq!(nanoseconds(1_240.0), "1.24 µs");
        assert_eq!(nanoseconds(999.9), "1.00 µs");
        assert_eq!(
            [0.82, 45.0, 150.0, 8_000.0, 200_000.0, f64::NAN].map(duration),
            ["820 ms", "45.0 s", "2.5 min", "2.2 h", "2.3 days", "–"]
        );
        assert_eq!(bytes(512.0), "512 B");
        assert_eq!(bytes(1_310_720.0), "1.31 MB");
        assert_eq!(bytes(f64::INFINITY), "–");
    }

    #[test]
    fn numbers_are_plain() {
        assert_eq!(count(1_048_576), "1,048,576");
        assert_eq!(decimal(-0.001, 2), "0.00");
        assert_eq!(decimal(-1234.5, 1), "−1,234.5");
        assert_eq!(decimal(1e300, 2), "1.0e300");
        assert_eq!(ratio(1.0234, 3), "1.023");
        assert_eq!(ratio(3.1264, 3), "3.13");
        assert_eq!(ratio(19.04, 3), "19.0");
        assert_eq!(
            [3.4, 37.2, 99.7, 144.0, 2_345.0].map(about),
            ["3", "37", "100", "140", "2,300"]
        );
        assert_eq!([62.0, 3_418.0, 116_656.0].map(ppm), ["62 ppm", "3,400 ppm", "117,000 ppm"]);
    }

    #[test]
    fn printed_figures_are_read_back() {
        let read = |text: &str| plain(text).map(|(digits, unit)| format!("{digits}|{unit}"));
        let cases = [
            (nanoseconds(1_240.0), Some("1240|ns")),
            (nanoseconds(3.126), Some("3.13|ns")),
            (bytes(1_310_720.0), Some("1310000|B")),
            (decimal(-1234.5, 1), Some("-1234.5|")),
            ("+0.12".into(), Some("0.12|")),
            (percent(1.0 / 3.0), Some("33.3|%")),
            (percent(1e-6), None),
            (decimal(f64::NAN, 1), None),
            ("inf".into(), None),
            ("1.2 ns, A/A 3.0 %".into(), None),
            (range(900.0, 1_200.0, nanoseconds), None),
            ("refused".into(), None),
        ];
        for (printed, expected) in cases {
            assert_eq!(read(&printed).as_deref(), expected, "{printed}");
        }
    }

    #[test]
    fn sort_keys_stand_in_for_prefixes_and_bounds_alone() {
        let keys = ["1.24 µs", "900 ns", "1.0 kB", "33.3 %", "7", "< 0.01 %", "–"].map(sort_key);
        let expected = [Some("1240"), None, Some("1000"), None, None, Some("0.005"), None];
        assert_eq!(keys.each_ref().map(Option::as_deref), expected);
    }

    #[test]
    fn ranges_give_the_unit_once() {
        assert_eq!(range(0.012, 0.034, percent), "1.2–3.4 %");
        assert_eq!(range(0.0, 0.0, percent), "0 %");
        assert_eq!(range(900.0, 1_200.0, nanoseconds), "900 ns–1.20 µs");
        assert_eq!(range(1.0, 1.5, |v| format!("{v:.1} × fair")), "1.0–1.5 × fair");
    }
}
