//! Numbers as a reader of a terminal sees them.

/// A number for a reader: whole where it is whole or from a thousand on, else with the digits that
/// matter.
pub(crate) fn number(value: f64) -> String {
    const WHOLE: f64 = 1e-9;
    let is_whole = (value - value.round()).abs() <= WHOLE * value.abs();
    match value.abs() {
        _ if is_whole => grouped(&format!("{:.0}", value.abs())),
        1_000.0.. => grouped(&format!("{value:.0}")),
        100.0.. => format!("{value:.1}"),
        1.0.. => format!("{value:.2}"),
        1e-3.. => format!("{value:.4}"),
        _ => format!("{value:.1e}"),
    }
}

/// A whole number in groups of three digits.
pub(crate) fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A probability for a reader.
pub(crate) fn probability(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else if value < 1e-3 {
        format!("{value:.1e}")
    } else {
        format!("{value:.4}")
    }
}
