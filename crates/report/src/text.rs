//! Prose: cleaning of foreign text and building of sentences.

/// Whether a character has no place in a report: controls, and signs that reorder or hide text.
fn is_unfit(character: char) -> bool {
    matches!(
        character,
        '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{61c}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
    ) || character.is_control()
}

/// The text on one line, with unfit characters replaced, so that a name cannot break a table,
/// reverse a sentence or reach a terminal.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if is_unfit(c) { '\u{fffd}' } else { c }).collect()
}

/// A whole document without unfit characters; line breaks stay. No line of it ends between a
/// figure and its sign.
pub(crate) fn document(text: &str) -> String {
    let clean = |c| if is_unfit(c) && c != '\n' { '\u{fffd}' } else { c };
    let text: String = text.chars().map(clean).collect();
    text.replace(" %", "\u{a0}%").replace(" × ", "\u{a0}×\u{a0}")
}

/// `a, b and c`.
pub(crate) fn list<S: AsRef<str>>(items: &[S]) -> String {
    match items {
        [] => String::new(),
        [only] => only.as_ref().into(),
        [rest @ .., last] => {
            let rest: Vec<&str> = rest.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", rest.join(", "), last.as_ref())
        }
    }
}

/// A list of at most `most` items; the others are counted.
pub(crate) fn list_up_to<S: AsRef<str>>(items: &[S], most: usize) -> String {
    if items.len() <= most {
        return list(items);
    }
    let mut shown: Vec<String> =
        items[..most].iter().map(|item| item.as_ref().to_string()).collect();
    shown.push(format!("{} more", items.len() - most));
    list(&shown)
}

/// The first sentences of a text on one line, as many as `most` characters bear; of a long first
/// sentence the first words.
pub(crate) fn opening(text: &str, most: usize) -> String {
    let text = one_line(text.trim());
    if text.chars().count() <= most {
        return text;
    }
    let start: String = text.chars().take(most).collect();
    let ends = start.match_indices(['.', '?', '!']).map(|(at, _)| at + 1);
    let whole = ends.rev().find(|end| start[*end..].starts_with(' '));
    match (whole, start.rfind(' ')) {
        (Some(end), _) => start[..end].into(),
        (None, Some(end)) => format!("{} …", start[..end].trim_end()),
        (None, None) => format!("{start}…"),
    }
}

/// The word in the number that goes with a count: `1 node`, `2 nodes`.
pub(crate) fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", crate::number::count(count), if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_english() {
        assert_eq!(list::<&str>(&[]), "");
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(list_up_to(&["a", "b", "c", "d"], 2), "a, b and 2 more");
    }

    #[test]
    fn openings_end_where_words_do() {
        assert_eq!(opening(" Short. ", 20), "Short.");
        assert_eq!(opening("One. Two? Three is long.", 12), "One. Two?");
        assert_eq!(opening("One sentence of many words.", 12), "One …");
        assert_eq!(opening("Wörterbücher", 4), "Wört…");
    }

    #[test]
    fn unfit_characters_are_replaced() {
        assert_eq!(one_line("a\u{1b}[31m\u{202e}b\nc"), "a\u{fffd}[31m\u{fffd}b\u{fffd}c");
        assert_eq!(document("a\nb\0"), "a\nb\u{fffd}");
    }

    #[test]
    fn figures_and_their_signs_stay_together() {
        assert_eq!(document("5 % of 1.2 × fair"), "5\u{a0}% of 1.2\u{a0}×\u{a0}fair");
    }
}
