//! Text of files in a form that is safe for terminals: every character is visible and has no other effect.

use std::borrow::Cow;

/// Whether a character moves, colours or reorders other text instead of being visible: control characters,
/// including line breaks and the escape that begins a terminal sequence, and the Unicode controls for
/// bidirectional text (UAX #9; CVE-2021-42574 shows how they can be abused).
pub fn is_hidden(c: char) -> bool {
    c.is_control() || is_bidirectional(c)
}

/// Whether a character changes the direction of the text around it.
pub fn is_bidirectional(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with an escape for each character that [`is_hidden`]: `a\nb`, `\u{1b}[31m`.
pub fn visible(text: &str) -> Cow<'_, str> {
    visible_but(text, &[])
}

/// As [`visible`], with the characters in `kept` unchanged.
pub fn visible_but<'t>(text: &'t str, kept: &[char]) -> Cow<'t, str> {
    let replaced = |c: char| is_hidden(c) && !kept.contains(&c);
    if !text.contains(replaced) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if replaced(c) {
            clean.extend(c.escape_default());
        } else {
            clean.push(c);
        }
    }
    Cow::Owned(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped() {
        assert_eq!(visible("a\nb\u{1b}[31m\u{9b}2J"), "a\\nb\\u{1b}[31m\\u{9b}2J");
        assert_eq!(visible("abc\u{202e}def\u{2069}"), "abc\\u{202e}def\\u{2069}");
        assert_eq!(visible_but("a\nb\tc", &['\n']), "a\nb\\tc");
    }

    #[test]
    fn plain_text_of_any_language_is_unchanged() {
        for text in ["", "mem-1", "Größe µ–→ 名前", "אבג", "a\u{301}", "👩\u{200d}💻"] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text));
        }
    }
}
