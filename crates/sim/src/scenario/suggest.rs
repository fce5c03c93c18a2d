//! Did you mean …?

use crate::diagnostics::quoted;

/// The candidate that a misspelt word is nearest to, if one is near: a third of its letters may
/// be wrong, missing, too many or swapped with their neighbours.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const CHARS_MAX: usize = 64;
    let letters: Vec<char> = word.chars().take(CHARS_MAX + 1).collect();
    if letters.len() > CHARS_MAX {
        return None;
    }
    let most = (letters.len() / 3).max(1);
    let close = |candidate: &&str| candidate.len().abs_diff(word.len()) <= 4 * most;
    let scored = candidates.into_iter().filter(close).map(|candidate| {
        let other: Vec<char> = candidate.chars().take(CHARS_MAX + 1).collect();
        (distance(&letters, &other), candidate)
    });
    let best = scored.min_by_key(|(distance, _)| *distance)?;
    (best.0 <= most).then_some(best.1)
}

/// `did you mean …? there are …`, with a list that is cut where it is long.
pub(crate) fn among<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    const LISTED_MAX: usize = 30;
    let guess = match nearest(word, known.clone()) {
        Some(near) => format!("did you mean {}? ", quoted(near)),
        None => String::new(),
    };
    let all: Vec<&str> = known.into_iter().collect();
    let listed: Vec<String> = all.iter().take(LISTED_MAX).map(|name| quoted(name)).collect();
    let rest = match all.len().saturating_sub(LISTED_MAX) {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    match listed.len() {
        0 => format!("{guess}there is none"),
        1 => format!("{guess}there is only {}", listed[0]),
        _ => format!("{guess}there are {}{rest}", listed.join(", ")),
    }
}

/// Edits that take one word to the other, a swap of neighbours being one.
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut table = vec![0; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i * width + j] = if i == 0 || j == 0 {
                i + j
            } else {
                let (above, left) = (table[(i - 1) * width + j], table[i * width + j - 1]);
                let change = usize::from(a[i - 1] != b[j - 1]);
                let plain = (above.min(left) + 1).min(table[(i - 1) * width + j - 1] + change);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                let swap = if swapped { table[(i - 2) * width + j - 2] + 1 } else { plain };
                plain.min(swap)
            };
        }
    }
    table[a.len() * width + b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_words_are_recognised() {
        let verbs = ["join", "leave", "fail", "recover"];
        assert_eq!(nearest("jion", verbs), Some("join"));
        assert_eq!(nearest("leaves", verbs), Some("leave"));
        assert_eq!(nearest("recver", verbs), Some("recover"));
        assert_eq!(nearest("rebalance", verbs), None);
        assert_eq!(nearest(&"x".repeat(100_000), verbs), None);
    }

    #[test]
    fn edits_are_counted() {
        let count = |a: &str, b: &str| {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            distance(&chars(a), &chars(b))
        };
        assert_eq!(count("", "abc"), 3);
        assert_eq!(count("kitten", "sitting"), 3);
        assert_eq!(count("ab", "ba"), 1);
    }
}
