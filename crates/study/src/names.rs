//! Names in messages.

use numasim_model::text::visible;

/// "a", "a and b", "a, b and c", each in back quotes; at most twelve, then "and 8 more".
pub fn list<'n>(words: impl IntoIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 12;
    up_to(SHOWN, words)
}

/// Like [`list`], but never cut: for the keys of a table.
pub fn all<'n>(words: impl IntoIterator<Item = &'n str>) -> String {
    up_to(usize::MAX, words)
}

/// A choice: "one of a, b, or c", each in back quotes; at most twelve, then "or 8 more".
pub fn one_of<'n>(words: impl IntoIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 12;
    one_of_up_to(SHOWN, words)
}

/// Like [`one_of`], but never cut: for the headers of a file.
pub fn one_of_all<'n>(words: impl IntoIterator<Item = &'n str>) -> String {
    one_of_up_to(usize::MAX, words)
}

fn one_of_up_to<'n>(most: usize, words: impl IntoIterator<Item = &'n str>) -> String {
    numasim_model::words::one_of(most, words.into_iter().map(|word| format!("`{word}`")))
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

/// Text of a file for one line of a message: short, and without control characters.
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let short = text.char_indices().nth(LONGEST).map(|(end, _)| &text[..end]);
    short.map_or_else(|| visible(text).into_owned(), |short| format!("{}…", visible(short)))
}

/// "1 node", "2 nodes".
pub fn plural(count: usize, noun: &str) -> String {
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
    fn lists_are_cut() {
        assert_eq!(list(["a", "b", "c"]), "`a`, `b` and `c`");
        let many: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        assert!(list(many.iter().map(String::as_str)).ends_with("`11` and 8 more"));
        assert!(all(many.iter().map(String::as_str)).ends_with("`18` and `19`"));
        assert_eq!(one_of(["a", "b", "c"]), "one of `a`, `b`, or `c`");
        assert!(one_of(many.iter().map(String::as_str)).ends_with("`11`, or 8 more"));
        assert!(one_of_all(many.iter().map(String::as_str)).ends_with("`18`, or `19`"));
    }
}
