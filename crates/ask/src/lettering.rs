//! A letter and a colour for each application, so that pictures can be read without colours.

use numasim_draw::Style;
use numasim_model::{App, AppId};

/// Up to this number, each instance has a separate letter; beyond it, the instances of an `[[app]]` share one.
const MOST_LETTERS: usize = 12;

/// The letters of all applications, which are the same in all scenarios of a study.
#[derive(Clone, Debug)]
pub struct Lettering {
    /// The letter of each application, as a number from 0.
    letters: Vec<usize>,
    /// The meaning of each letter.
    names: Vec<String>,
}

impl Lettering {
    /// The letters of these applications.
    pub fn new(apps: &[App]) -> Self {
        let by_group = apps.len() > MOST_LETTERS;
        let mut names: Vec<String> = Vec::new();
        let mut letters = Vec::with_capacity(apps.len());
        for app in apps {
            let name = if by_group { &app.group } else { &app.name };
            let known = names.iter().position(|other| other == name);
            letters.push(known.unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            }));
        }
        Self { letters, names }
    }

    /// The letter of an application, as a number from 0.
    pub fn of(&self, app: AppId) -> usize {
        self.letters[app.0]
    }

    /// Number of letters.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Whether instances share a letter.
    pub fn shared(&self) -> bool {
        self.names.len() < self.letters.len()
    }

    /// The meaning of a letter.
    pub fn name(&self, letter: usize) -> &str {
        &self.names[letter]
    }

    /// Width of the widest letter, in columns.
    pub fn width(&self) -> usize {
        label(self.count().saturating_sub(1)).len()
    }
}

/// The letter in its colour.
pub fn painted(letter: usize, style: &Style) -> String {
    style.in_colour_of(letter, &label(letter))
}

/// A, B, …, Z, AA, AB, … like the column names of spreadsheets.
pub fn label(letter: usize) -> String {
    let mut name = String::new();
    let mut rest = letter + 1;
    while rest > 0 {
        let digit = u8::try_from((rest - 1) % 26).unwrap_or(0);
        name.insert(0, char::from(b'A' + digit));
        rest = (rest - 1) / 26;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_on_after_z() {
        assert_eq!(
            [0, 3, 25, 26, 27, 51, 52, 701, 702].map(label),
            ["A", "D", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA"]
        );
    }
}
