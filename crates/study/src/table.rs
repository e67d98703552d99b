//! Reads a table key by key, and reports the keys nobody asked for.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::aliases::{self, Alias, ROOT, alias};
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
    /// Keys that seem to be missing. If one is only misspelt, the unknown key says so, and this is not reported.
    missing: Vec<(Vec<&'static str>, Problem)>,
}

impl<'a> Value<'a> {
    /// A table, to be read key by key.
    pub(super) fn table(
        &self,
        title: &'static str,
        expected: &str,
        hint: impl Into<String>,
    ) -> Option<TableReader<'a>> {
        let DeValue::Table(table) = self.get() else {
            self.wrong_type(expected, hint);
            return None;
        };
        Some(TableReader::new(self.source, title, table, self.spanned.span()))
    }
}

impl<'a> Value<'a> {
    /// A list of tables, each below a header `title`, which are to be read key by key.
    pub(super) fn tables(&self, title: &'static str, hint: &str) -> Option<Vec<TableReader<'a>>> {
        if matches!(self.get(), DeValue::Table(_)) {
            let message = format!("`{}` is a list; its entries begin with `{title}`", self.name);
            self.report(ProblemKind::WrongType, message, "one bracket on each side", hint);
            return None;
        }
        let entries = self.list("a list of tables", hint)?;
        Some(entries.iter().filter_map(|entry| entry.table(title, "a table", hint)).collect())
    }
}

impl<'a> TableReader<'a> {
    pub(super) fn new(
        source: Source<'a>,
        title: &'static str,
        table: &'a DeTable<'a>,
        header: Range<usize>,
    ) -> Self {
        Self { source, title, table, header, known: Vec::new(), missing: Vec::new() }
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

    /// Where the value of `key` stands, if it is there; the key is not known by that.
    pub(super) fn place_of(&self, key: &str) -> Option<Place> {
        let (_, value) = self.table.get_key_value(key)?;
        Some(self.source.place(&value.span()))
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
    pub(super) fn missing(&mut self, key: &'static str, example: &str) {
        let problem = Problem::new(ProblemKind::MissingKey, format!("`{key}` is missing in {}", self.title))
            .at(self.place(), format!("this table needs `{key}`"))
            .hint(format!("add e.g. `{key} = {example}`"));
        self.missing_any(&[key], problem);
    }

    /// Reports `problem`, which is that none of `keys` is there.
    pub(super) fn missing_any(&mut self, keys: &[&'static str], problem: Problem) {
        self.missing.push((keys.to_vec(), problem));
    }

    /// Reports the keys that are missing and every key that was not asked for.
    pub(super) fn finish(self) {
        let log = self.source.log;
        #[cfg(test)]
        log.keys.borrow_mut().entry(self.title).or_default().extend(&self.known);
        let mut meant = Vec::new();
        for (key, value) in self.table.iter().filter(|(key, _)| !self.known.contains(&&**key.get_ref())) {
            let (close, advice) = match alias(self.title, key.get_ref()) {
                Some(Alias::Key(key)) => (Some(key), None),
                Some(Alias::Advice(advice)) => (None, Some(advice)),
                None => (log.suggest(key.get_ref(), self.known.iter().copied()), None),
            };
            meant.extend(close);
            let word = names::shown(key.get_ref());
            let message = format!("unknown {} `{word}` in {}", self.what(value.get_ref()), self.title);
            let hint = match (advice, close) {
                (Some(advice), _) => advice.to_owned(),
                (None, Some(close)) => format!("did you mean `{}`?", self.written(close)),
                (None, None) => self.all_keys(),
            };
            let problem = Problem::new(ProblemKind::UnknownKey, message)
                .at(self.source.place(&key.span()), format!("unknown {}", self.what(value.get_ref())))
                .hint(hint);
            log.report(problem);
        }
        for (keys, problem) in self.missing {
            if !keys.iter().any(|key| meant.contains(key)) {
                log.report(problem);
            }
        }
    }

    fn is_root(&self) -> bool {
        self.title == ROOT
    }

    fn what(&self, value: &DeValue<'_>) -> &'static str {
        let table = matches!(value, DeValue::Table(_) | DeValue::Array(_));
        if self.is_root() && table { "table" } else { "key" }
    }

    /// A key as it is written in the file: at the top with its brackets.
    fn written(&self, key: &str) -> String {
        match (self.is_root(), key) {
            (false, _) => key.to_owned(),
            (true, _) => aliases::title(key).to_owned(),
        }
    }

    fn all_keys(&self) -> String {
        if self.is_root() {
            let (machine, others) = aliases::SINGLE.split_at(1);
            let keys = machine.iter().chain(&aliases::LISTS).chain(others);
            let headers = keys.map(|key| aliases::title(key));
            return format!("every key belongs below a header, {}", names::one_of_all(headers));
        }
        format!("the keys of {} are {}", self.title, names::all(self.known.iter().copied()))
    }
}
