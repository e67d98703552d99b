//! Names: what they may look like, and which one was probably meant.

use crate::text::visible;

/// The known word that is most like `word`, if one is close enough to be a slip of the keyboard.
///
/// Close enough: a Damerau-Levenshtein distance of at most 1 + length / 3, capital letters and `-`/`_` set aside.
pub(super) fn closest<'n>(word: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let plain = |text: &str| text.to_lowercase().replace('-', "_");
    let word = plain(word);
    // No slip makes a word of this length; and the distance costs length x length.
    if word.len() > 200 {
        return None;
    }
    let limit = 1 + word.chars().count() / 3;
    known
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= 4 * limit)
        .map(|candidate| (strsim::damerau_levenshtein(&word, &plain(candidate)), candidate))
        .filter(|&(distance, candidate)| {
            // A one-letter word is within the limit of every other one.
            distance <= limit && distance < candidate.chars().count().max(1)
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// "a", "a and b", "a, b and c", each in back quotes; at most twelve, then "and 8 more".
pub(super) fn list<'n>(words: impl IntoIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 12;
    up_to(SHOWN, words)
}

/// As [`list`], but never cut: for the keys of a table.
pub(super) fn all<'n>(words: impl IntoIterator<Item = &'n str>) -> String {
    up_to(usize::MAX, words)
}

fn up_to<'n>(most: usize, words: impl IntoIterator<Item = &'n str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    let quoted: Vec<String> = words.iter().take(most).map(|word| format!("`{word}`")).collect();
    match (words.len().saturating_sub(most), quoted.as_slice()) {
        (0, []) => "none".to_owned(),
        (0, [only]) => only.clone(),
        (0, [start @ .., last]) => format!("{} and {last}", start.join(", ")),
        (more, shown) => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Text of a file as it may be shown in one line of a message: short, and without control characters.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let short = text.char_indices().nth(LONGEST).map(|(end, _)| &text[..end]);
    short.map_or_else(|| visible(text).into_owned(), |short| format!("{}…", visible(short)))
}

/// "1 node", "2 nodes".
pub(super) fn plural(count: usize, noun: &str) -> String {
    if count == 1 {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swapped_or_missing_letter_is_recognised() {
        let keys = ["bandwidth_gbs", "link_gbs", "nodes"];
        assert_eq!(closest("bandwith_gbs", keys), Some("bandwidth_gbs"));
        assert_eq!(closest("Bandwidth-GBs", keys), Some("bandwidth_gbs"));
        assert_eq!(closest("ndoes", keys), Some("nodes"));
        assert_eq!(closest("frequency", keys), None);
    }

    #[test]
    fn one_letter_names_are_not_suggested_for_each_other() {
        assert_eq!(closest("x", ["a", "b"]), None);
    }

    #[test]
    fn long_words_cost_no_time() {
        let long = "x".repeat(1_000_000);
        assert_eq!(closest(&long, ["nodes"]), None);
    }

    #[test]
    fn lists_are_cut() {
        assert_eq!(list(["a", "b", "c"]), "`a`, `b` and `c`");
        let many: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        assert!(list(many.iter().map(String::as_str)).ends_with("`11` and 8 more"));
        assert!(all(many.iter().map(String::as_str)).ends_with("`18` and `19`"));
    }
}
