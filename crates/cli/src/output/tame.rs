//! What a result may do to a terminal: text, line breaks and colours. A name or a remark in an input file does no more.

use std::borrow::Cow;

use numasim_model::text::is_hidden;

/// The text with everything written out that would do something else to a terminal than print or colour: other sequences,
/// control characters, changes of direction.
pub(crate) fn tame(text: &str) -> Cow<'_, str> {
    let suspect = |c: char| is_hidden(c) && c != '\n' && c != '\t';
    if !text.contains(suspect) {
        return Cow::Borrowed(text);
    }
    let mut tamed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(suspect) {
        tamed.push_str(&rest[..at]);
        rest = &rest[at..];
        let colour = colour_at_start(rest);
        if colour > 0 {
            tamed.push_str(&rest[..colour]);
            rest = &rest[colour..];
        } else if let Some(c) = rest.chars().next() {
            tamed.extend(c.escape_default());
            rest = &rest[c.len_utf8()..];
        }
    }
    tamed.push_str(rest);
    Cow::Owned(tamed)
}

/// Length of the sequence that sets colours (SGR of ECMA-48) at the start of the text; 0 if there is none.
fn colour_at_start(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\u{1b}[") else { return 0 };
    let length = parameters.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
    if parameters[length..].starts_with('m') { "\u{1b}[".len() + length + "m".len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_pass_and_nothing_else() {
        let coloured = "\u{1b}[1;31mred\u{1b}[0m\tplain\n";
        assert!(matches!(tame(coloured), Cow::Borrowed(_)) || tame(coloured) == coloured);
        // Clears the screen, sets the title, hides what follows, begins a sequence that never ends.
        let hostile = "a\u{1b}[2Jb\u{1b}]0;title\u{7}c\u{202e}d\r\u{1b}[1";
        assert_eq!(tame(hostile), "a\\u{1b}[2Jb\\u{1b}]0;title\\u{7}c\\u{202e}d\\r\\u{1b}[1");
    }
}
