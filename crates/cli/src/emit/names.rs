//! Names of applications in the form that each target allows.

use std::collections::HashSet;
use std::fmt::Write as _;

/// Longest name in bytes: that of a DNS label, which Kubernetes requires.
const LONGEST: usize = 63;

/// The rule of a target for names.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    /// Allowed characters inside.
    inside: fn(char) -> bool,
    /// Allowed first characters.
    first: fn(char) -> bool,
    /// Allowed last characters.
    last: fn(char) -> bool,
    /// Maximum number of bytes.
    longest: usize,
}

/// Containers and services of Docker: `[a-zA-Z0-9][a-zA-Z0-9_.-]*`.
pub(super) const DOCKER: Rule = Rule {
    inside: |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'),
    first: |c| c.is_ascii_alphanumeric(),
    last: |_| true,
    longest: usize::MAX,
};

/// Kubernetes: a DNS label (RFC 1123).
pub(super) const KUBERNETES: Rule = Rule {
    inside: |c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-',
    first: |c| c != '-',
    last: |c| c != '-',
    longest: LONGEST,
};

/// Domains of libvirt: everything except a slash.
pub(super) const LIBVIRT: Rule =
    Rule { inside: |c| c != '/', first: |_| true, last: |_| true, longest: usize::MAX };

impl Rule {
    fn allows(self, name: &str) -> bool {
        name.len() <= self.longest
            && name.chars().all(self.inside)
            && name.chars().next().is_some_and(self.first)
            && name.chars().last().is_some_and(self.last)
    }

    /// A name that is allowed: lower case, `-` for other characters, at most [`LONGEST`] bytes.
    fn allowed(self, name: &str) -> String {
        let lower: String = name
            .chars()
            .map(|c| {
                let lower = c.to_lowercase().next().filter(|lower| (self.inside)(*lower));
                lower.unwrap_or('-')
            })
            .collect();
        let cut = cut(lower.trim_start_matches(|c| !(self.first)(c)), LONGEST);
        let trimmed = cut.trim_end_matches(|c| !(self.last)(c));
        if trimmed.is_empty() { "app".to_owned() } else { trimmed.to_owned() }
    }
}

/// At most this number of bytes, as complete characters.
fn cut(text: &str, most: usize) -> &str {
    let end = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|&end| end <= most).last();
    &text[..end.unwrap_or(0)]
}

/// A name for each of `names`: allowed and unique; collisions get `-2`. Names that are allowed unchanged come first. `taken` are the
/// names that the target itself uses.
pub(super) fn unique<'a>(names: impl Iterator<Item = &'a str>, rule: Rule, taken: &[&str]) -> Vec<String> {
    let names: Vec<&str> = names.collect();
    let mut used: HashSet<String> = taken.iter().map(|&name| name.to_owned()).collect();
    let mut found = vec![String::new(); names.len()];
    let (fitting, others): (Vec<usize>, Vec<usize>) =
        (0..names.len()).partition(|&index| rule.allows(names[index]) && !taken.contains(&names[index]));
    for index in fitting.into_iter().chain(others) {
        let own =
            if rule.allows(names[index]) { names[index].to_owned() } else { rule.allowed(names[index]) };
        let mut name = own.clone();
        let mut number = 2;
        while !used.insert(name.clone()) {
            let end = format!("-{number}");
            name = format!("{}{end}", cut(&own, LONGEST - end.len()));
            number += 1;
        }
        found[index] = name;
    }
    found
}

/// As written by `systemd-escape`, for names that are not unit names: `My\x20App`.
pub(super) fn of_unit(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '.');
    if !name.starts_with('.') && name.chars().all(|c| plain(c) || c == '-') {
        return name.to_owned();
    }
    let mut escaped = String::new();
    for (at, byte) in name.bytes().enumerate() {
        match char::from(byte) {
            '/' => escaped.push('-'),
            c if plain(c) && !(at == 0 && c == '.') => escaped.push(c),
            _ => {
                let _ = write!(escaped, "\\x{byte:02x}");
            }
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_target_forbids_become_lower_case_and_collisions_get_a_number() {
        let of = |names: &[&str], rule| unique(names.iter().copied(), rule, &["default"]);
        assert_eq!(of(&["My App", "MyApp"], DOCKER), ["my-app", "MyApp"]);
        assert_eq!(of(&["My App", "my-app", "MY_APP"], KUBERNETES), ["my-app-2", "my-app", "my-app-3"]);
        assert_eq!(of(&["default", "_x_"], KUBERNETES), ["default-2", "x"]);
        assert_eq!(of(&["a/b", "it's $HOME", "A/b"], LIBVIRT), ["a-b", "it's $HOME", "a-b-2"]);
        let long = "a".repeat(70);
        let cut = of(&[&long, &format!("{long}b")], KUBERNETES);
        assert_eq!(cut.iter().map(String::len).collect::<Vec<_>>(), [63, 63]);
        assert_eq!(&cut[1][61..], "-2");
        assert_eq!(of(&["'"], KUBERNETES), ["app"]);
    }

    #[test]
    fn units_are_escaped_as_systemd_escape_does() {
        // `systemd-escape "My App"`, and so on.
        for (name, unit) in [
            ("mem-1", "mem-1"),
            ("My App", r"My\x20App"),
            (".hidden-1", r"\x2ehidden\x2d1"),
            ("a/b", "a-b"),
            ("ü", r"\xc3\xbc"),
        ] {
            assert_eq!(of_unit(name), unit);
        }
    }
}
