//! Writes input files, for `detect`, `calibrate`, `fit`, `import`, `init`, `profile-app` and `--save`: the
//! names of keys are those of their declarations, and files are read back unchanged.
//!
//! A [`machine`](machine::machine), a [`study`](study::study) or a [`scenario`](study::Written) is a value of
//! the model. Values that only a person can fill in, and comments, are [`Lines`].

pub mod machine;
pub mod study;

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};

use numasim_model::machine::Provenance;
use numasim_model::text::is_hidden;

use crate::keys::{Key, Table, origin, provenance};

/// The comment after an unknown `gflops_per_core`: how to find the value.
pub const PEAK: &str = "  # GFLOPS: numasim calibrate, or clock in GHz x FLOP per cycle, or likwid-bench -t peakflops_avx_fma on one core";

/// Table, number among the tables of this name, and key of a line.
type Place = (&'static str, usize, &'static str);

/// Comments on the lines of a file: above a key, even if the key is not written, and after it.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    above: BTreeMap<Place, Vec<String>>,
    behind: BTreeMap<Place, String>,
}

impl Notes {
    /// Adds a line above a key of the table with this number.
    pub fn above(&mut self, (table, number): (&Table, usize), key: &Key, text: impl Into<String>) {
        self.above.entry((table.title, number, key.name)).or_default().push(text.into());
    }

    /// Adds a comment after a key of the table with this number.
    pub fn behind(&mut self, (table, number): (&Table, usize), key: &Key, text: impl Into<String>) {
        self.behind.insert((table.title, number, key.name), text.into());
    }

    /// Adds a comment after the line that begins a table.
    pub fn of_table(&mut self, (table, number): (&Table, usize), text: impl Into<String>) {
        self.behind.insert((table.title, number, ""), text.into());
    }
}

/// A file line by line.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    text: String,
    notes: Notes,
    /// The table of the next key, and its number.
    table: (&'static str, usize),
    tables: BTreeMap<&'static str, usize>,
}

impl Lines {
    /// A file with these comments.
    pub fn noted(notes: Notes) -> Self {
        Self { notes, ..Self::default() }
    }

    /// The text so far.
    pub fn text(self) -> String {
        self.text
    }

    /// Writes lines unchanged.
    pub fn line(&mut self, text: impl Display) {
        // Writing to a String cannot fail, here as below.
        let _ = writeln!(self.text, "{text}");
    }

    /// A comment of one line.
    pub fn comment(&mut self, text: impl Display) {
        self.line(format_args!("# {text}"));
    }

    /// Begins a table, after an empty line.
    pub fn table(&mut self, table: &Table) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.first_table(table);
    }

    /// Begins a table with a comment after its name.
    pub fn noted_table(&mut self, table: &Table, note: &str) {
        self.notes.behind.insert(
            (table.title, self.tables.get(table.title).copied().unwrap_or_default(), ""),
            note.to_owned(),
        );
        self.table(table);
    }

    /// Begins a table directly below the existing text, a comment that belongs to the table.
    pub fn first_table(&mut self, table: &Table) {
        let next = self.tables.entry(table.title).or_default();
        self.table = (table.title, *next);
        *next += 1;
        let behind = self.notes.behind.get(&(table.title, self.table.1, ""));
        let behind = behind.map_or_else(String::new, |note| format!("  # {note}"));
        self.line(format_args!("{}{behind}", table.title));
    }

    /// A key with its value.
    pub fn put(&mut self, key: &Key, value: impl Display) {
        self.maybe(key, Some(value));
    }

    /// A key with its value, if there is one.
    pub fn maybe(&mut self, key: &Key, value: Option<impl Display>) {
        let place = (self.table.0, self.table.1, key.name);
        for note in self.notes.above.get(&place).into_iter().flatten() {
            let _ = writeln!(self.text, "# {note}");
        }
        if let Some(value) = value {
            let behind = self.notes.behind.get(&place);
            let behind = behind.map_or_else(String::new, |note| format!("  # {note}"));
            let _ = writeln!(self.text, "{} = {value}{behind}", key.name);
        }
    }

    /// A key with its value, or the key as a comment for a person to fill in, followed by `rest`.
    pub fn put_or_open(&mut self, key: &Key, value: Option<impl Display>, rest: impl Display) {
        match value {
            Some(value) => self.put(key, value),
            None => self.open(key, rest),
        }
    }

    /// A key as a comment for a person to fill in, followed by `rest`.
    pub fn open(&mut self, key: &Key, rest: impl Display) {
        self.comment(format_args!("{} = ?{rest}", key.name));
    }

    /// A matrix, one row per line.
    pub fn rows(&mut self, key: &Key, rows: impl IntoIterator<Item = Vec<String>>) {
        let rows: Vec<String> = rows.into_iter().map(|row| format!("    [{}],\n", row.join(", "))).collect();
        self.put(key, format_args!("[\n{}]", rows.concat()));
    }

    /// `[machine.provenance]` with these entries, if there are any.
    pub fn origins<'a>(&mut self, of: impl IntoIterator<Item = (&'a str, &'a Provenance)>) {
        for (number, (key, of)) in of.into_iter().enumerate() {
            if number == 0 {
                self.table(&provenance::TABLE);
            }
            self.origin(key, of);
        }
    }

    fn origin(&mut self, key: &str, of: &Provenance) {
        let mut entries = vec![(&origin::KIND, quoted(of.kind.as_str()))];
        entries.extend(of.source.as_ref().map(|source| (&origin::SOURCE, quoted(source))));
        let uncertainty =
            of.uncertainty_percent.map(|percent| (&origin::UNCERTAINTY_PERCENT, six_digits(percent)));
        let interval =
            of.interval95_percent.map(|percent| (&origin::INTERVAL95_PERCENT, six_digits(percent)));
        entries.extend(uncertainty.into_iter().chain(interval));
        self.line(format_args!("{key} = {}", inline(entries)));
    }
}

/// A table in one line.
pub fn inline<'a, V: Display>(entries: impl IntoIterator<Item = (&'a Key, V)>) -> String {
    let entries: Vec<String> =
        entries.into_iter().map(|(key, value)| format!("{} = {value}", key.name)).collect();
    format!("{{ {} }}", entries.join(", "))
}

/// A TOML basic string.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if is_hidden(c) => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A number that TOML reads as the same float.
pub fn float(value: f64) -> String {
    format!("{value:?}")
}

/// Six significant digits, more than the accuracy of any fit or counter, in the syntax of a TOML float.
pub fn six_digits(value: f64) -> String {
    float(format!("{value:.5e}").parse().unwrap_or(value))
}

/// Values separated by commas, as a list.
pub fn list<V: Display>(values: impl IntoIterator<Item = V>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    format!("[{}]", values.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_back_unchanged() {
        for text in ["plain", "a \"b\" \\ c", "two\nlines\u{7}", "ä → 八"] {
            let read: toml::Table = toml::from_str(&format!("x = {}", quoted(text))).expect("TOML");
            assert_eq!(read["x"].as_str(), Some(text));
        }
    }

    #[test]
    fn values_have_six_digits_and_a_point() {
        assert_eq!(
            [100.0, 93.0133, 0.290_000_1, 1234.568, 1e7, 0.0].map(six_digits),
            ["100.0", "93.0133", "0.29", "1234.57", "10000000.0", "0.0"]
        );
    }

    #[test]
    fn comments_are_above_and_after_keys_even_if_these_are_not_written() {
        use crate::keys::node;
        let mut notes = Notes::default();
        notes.above((&node::TABLE, 1), &node::READ_GBS, "not measured");
        notes.behind((&node::TABLE, 1), &node::CORES, "counted");
        notes.of_table((&node::TABLE, 0), "the first");
        let mut lines = Lines::noted(notes);
        for _ in 0..2 {
            lines.table(&node::TABLE);
            lines.put(&node::CORES, 2);
            lines.maybe(&node::READ_GBS, None::<f64>);
        }
        let expected = "[[machine.node]]  # the first\ncores = 2\n\n[[machine.node]]\ncores = 2  # counted\n# not measured\n";
        assert_eq!(lines.text(), expected);
    }
}
