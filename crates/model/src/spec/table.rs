//! Reads a table key by key, and reports the keys nobody asked for.

use std::ops::Range;

use toml::de::DeTable;

use super::log::Source;
use super::names;
use super::problem::{Place, Problem, ProblemKind};
use super::value::Value;

/// A table while its keys are read.
pub(super) struct TableReader<'a> {
    pub(super) source: Source<'a>,
    /// What messages call it: `[[app]]`.
    title: &'static str,
    table: &'a DeTable<'a>,
    header: Range<usize>,
    known: Vec<&'static str>,
}

impl<'a> TableReader<'a> {
    pub(super) fn new(
        source: Source<'a>,
        title: &'static str,
        table: &'a DeTable<'a>,
        header: Range<usize>,
    ) -> Self {
        Self { source, title, table, header, known: Vec::new() }
    }

    /// The header `[[app]]`, or the whole of an inline table.
    pub(super) fn place(&self) -> Place {
        self.source.place(&self.header)
    }

    /// The value of `key`, if it is there; from now on the key is known.
    pub(super) fn optional(&mut self, key: &'static str) -> Option<Value<'a>> {
        self.known.push(key);
        let (found, value) = self.table.get_key_value(key)?;
        Some(Value::new(self.source, key.to_owned(), found.span(), value))
    }

    /// The value of `key`; reports it as missing if it is not there.
    pub(super) fn required(&mut self, key: &'static str, example: &str) -> Option<Value<'a>> {
        let value = self.optional(key);
        if value.is_none() {
            self.missing(key, example);
        }
        value
    }

    /// Reports that `key` is missing, with an example of what to write.
    pub(super) fn missing(&self, key: &str, example: &str) {
        let problem = Problem::new(ProblemKind::MissingKey, format!("`{key}` is missing in {}", self.title))
            .at(self.place(), format!("this table needs `{key}`"))
            .hint(format!("add e.g. `{key} = {example}`"));
        self.source.log.report(problem);
    }

    /// Reports every key that was not asked for.
    pub(super) fn finish(self) {
        #[cfg(test)]
        self.source.log.keys.borrow_mut().entry(self.title).or_default().extend(&self.known);
        for key in self.table.keys().filter(|key| !self.known.contains(&&**key.get_ref())) {
            let hint = match self.source.log.suggest(key.get_ref(), self.known.iter().copied()) {
                Some(close) => format!("did you mean `{close}`?"),
                None => format!("the keys of {} are {}", self.title, names::list(self.known.iter().copied())),
            };
            let word = names::shown(key.get_ref());
            let message = format!("unknown key `{word}` in {}", self.title);
            let problem = Problem::new(ProblemKind::UnknownKey, message)
                .at(self.source.place(&key.span()), "unknown key")
                .hint(hint);
            self.source.log.report(problem);
        }
    }
}
