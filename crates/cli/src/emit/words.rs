//! Words of a POSIX shell, and names that targets allow.

/// Whether a word is literal in a shell and in a path.
pub(crate) fn is_plain(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    !word.is_empty() && !word.starts_with('.') && word.chars().all(plain)
}

/// The placeholder for the program of an application: `./mem-1`, `'./my app'`.
///
/// POSIX, 2.2.2: everything between single quotes is literal, except a single quote.
pub(super) fn program(name: &str) -> String {
    if is_plain(name) { format!("./{name}") } else { quoted(&format!("./{name}")) }
}

/// A word of a command line as a user types it: in quotes if needed.
pub(crate) fn typed(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { quoted(word) }
}

/// Any text as one word.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The bits of `numbers` as a hexadecimal mask: 0 and 4 are `0x11`.
pub(super) fn mask(numbers: &[u32]) -> String {
    let mut digits = vec![0_u8; numbers.iter().max().map_or(1, |&most| most as usize / 4 + 1)];
    for &number in numbers {
        if let Some(digit) = digits.get_mut(number as usize / 4) {
            *digit |= 1 << (number % 4);
        }
    }
    let hex: String =
        digits.iter().rev().filter_map(|&digit| char::from_digit(u32::from(digit), 16)).collect();
    format!("0x{hex}")
}

#[cfg(test)]
mod words_tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell_where_they_must_be() {
        assert_eq!(
            ["a/b-1.toml", "two words", "it's", ""].map(typed),
            ["a/b-1.toml", "'two words'", "'it'\\''s'", "''"]
        );
    }

    #[test]
    fn names_that_mean_something_to_a_shell_are_quoted() {
        assert_eq!(program("mem-1"), "./mem-1");
        for (name, quoted) in [
            ("my app", "'./my app'"),
            ("it's", r"'./it'\''s'"),
            ("$(reboot)", "'./$(reboot)'"),
            ("..", "'./..'"),
        ] {
            assert_eq!(program(name), quoted);
        }
    }

    #[test]
    fn a_mask_has_one_bit_for_each_number() {
        assert_eq!(mask(&[0]), "0x1");
        assert_eq!(mask(&[0, 4]), "0x11");
        // 64 threads from logical CPU 1 up: bits 1 to 64.
        assert_eq!(mask(&(1..=64).collect::<Vec<_>>()), "0x1fffffffffffffffe");
    }
}
