//! A letter and a colour for each application, so that pictures can be read without colours.

use numasim_draw::Style;
use numasim_model::{App, AppId};

/// Up to here each instance has its own letter; above, the instances of an `[[app]]` share one.
const MOST_LETTERS: usize = 12;

/// The letters of all applications. The same in all scenarios of a study.
#[derive(Clone, Debug)]
pub struct Lettering {
    /// Per application: its letter, as a number from 0.
    letters: Vec<usize>,
    /// Per letter: what it stands for.
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

    /// How many letters there are.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Some instances share a letter.
    pub fn shared(&self) -> bool {
        self.names.len() < self.letters.len()
    }

    /// What a letter stands for.
    pub fn name(&self, letter: usize) -> &str {
        &self.names[letter]
    }

    /// Columns of the widest letter.
    pub fn width(&self) -> usize {
        label(self.count().saturating_sub(1)).len()
    }
}

/// The letter in its colour.
pub fn painted(letter: usize, style: &Style) -> String {
    style.in_colour_of(letter, &label(letter))
}

/// A, B, …, Z, AA, AB, … as spreadsheets name their columns.
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
