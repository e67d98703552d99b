//! Words of a POSIX shell.

/// Whether a word means itself in a shell and in a path.
pub(crate) fn is_plain(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    !word.is_empty() && !word.starts_with('.') && word.chars().all(plain)
}

/// The placeholder for the program of an application: `./mem-1`, `'./my app'`.
///
/// POSIX, 2.2.2: everything between single quotes means itself, except a single quote.
pub(super) fn program(name: &str) -> String {
    if is_plain(name) { format!("./{name}") } else { quoted(&format!("./{name}")) }
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
mod tests {
    use super::*;

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
        // 64 threads from processor 1 up: bits 1 to 64.
        assert_eq!(mask(&(1..=64).collect::<Vec<_>>()), "0x1fffffffffffffffe");
    }
}
