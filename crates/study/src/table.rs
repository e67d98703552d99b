//! Reads a table key by key, and reports unknown keys. Also contains the tables of all files, with lists
//! joined.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use numasim_model::units::Seconds;

use crate::keys::{Key, Meant, Shape, Table, root};
use crate::log::{Log, Source};
use crate::names;
use crate::problem::{Place, Problem, ProblemKind};
use crate::value::Value;

/// A table while its keys are read.
pub struct TableReader<'a> {
    /// The file that contains it.
    pub source: Source<'a>,
    declared: &'static Table,
    /// `None` if no file contains it, so that all its defaults apply.
    table: Option<&'a DeTable<'a>>,
    header: Range<usize>,
    /// The owner of the defaults: the name of an application.
    pub name: String,
    /// Prefix of its keys in the list of defaults: `problem.`.
    pub(super) prefix: &'static str,
    known: Vec<&'static str>,
    /// Keys that seem to be missing. If one is only misspelt, the problem of the unknown key covers it, and
    /// this one is not reported.
    missing: Vec<(Vec<&'static str>, Problem)>,
}

impl<'a> Value<'a> {
    /// A table, to be read key by key.
    pub fn table(
        &self,
        declared: &'static Table,
        expected: &str,
        hint: impl Into<String>,
    ) -> Option<TableReader<'a>> {
        let DeValue::Table(table) = self.get() else {
            self.wrong_type(expected, hint);
            return None;
        };
        Some(TableReader::new(self.source, declared, table, self.spanned.span()))
    }

    /// A list of tables, each below its header, to be read key by key.
    pub fn tables(&self, declared: &'static Table, hint: &str) -> Option<Vec<TableReader<'a>>> {
        if matches!(self.get(), DeValue::Table(_)) {
            let message = format!("`{}` is a list; its entries begin with `{}`", self.name, declared.title);
            self.report(ProblemKind::WrongType, message, "one bracket on each side", hint);
            return None;
        }
        let entries = self.list("a list of tables", hint)?;
        Some(entries.iter().filter_map(|entry| entry.table(declared, "a table", hint)).collect())
    }
}

impl<'a> TableReader<'a> {
    pub(super) fn new(
        source: Source<'a>,
        declared: &'static Table,
        table: &'a DeTable<'a>,
        header: Range<usize>,
    ) -> Self {
        Self { table: Some(table), header, ..Self::absent(source, declared) }
    }

    /// A table that no file contains.
    pub(super) fn none(log: &'a Log, declared: &'static Table) -> Self {
        Self::absent(Source { log, file: 0, text: "" }, declared)
    }

    fn absent(source: Source<'a>, declared: &'static Table) -> Self {
        let (name, known, missing) = (String::new(), Vec::new(), Vec::new());
        Self { source, declared, table: None, header: 0..0, name, prefix: "", known, missing }
    }

    /// Whether any file contains it.
    pub const fn is_there(&self) -> bool {
        self.table.is_some()
    }

    /// The header `[[app]]`, or the whole inline table.
    pub fn place(&self) -> Place {
        self.source.place(&self.header)
    }

    /// The value of `key`, if present; marks the key as known.
    pub fn optional(&mut self, key: &'static Key) -> Option<Value<'a>> {
        self.known.push(key.name);
        let (found, value) = self.table?.get_key_value(key.name)?;
        Some(Value::new(self.source, key, found.span(), value))
    }

    /// The value of the declared key with this name, if present.
    pub fn named(&mut self, name: &str) -> Option<Value<'a>> {
        self.declared.key(name).and_then(|key| self.optional(key))
    }

    /// The value of `key`; notes its default if it is missing.
    pub fn given(&mut self, key: &'static Key) -> Option<Value<'a>> {
        self.given_or(key, || key.default.to_owned())
    }

    /// The value of `key`; notes this default if it is missing.
    pub fn given_or(&mut self, key: &'static Key, default: impl FnOnce() -> String) -> Option<Value<'a>> {
        let value = self.optional(key);
        if value.is_none() {
            self.note(key, default());
        }
        value
    }

    /// The result of `read` for the value of `key`, or its default, which is noted; `None` if the value is
    /// invalid.
    pub fn read_or<T>(
        &mut self,
        key: &'static Key,
        default: T,
        read: impl FnOnce(&Value<'a>) -> Option<T>,
    ) -> Option<T> {
        self.given(key).map_or(Some(default), |value| read(&value))
    }

    /// The same with a default that is a value of the model, with its text.
    pub fn read_or_shown<T>(
        &mut self,
        key: &'static Key,
        (default, shown): (T, impl ToString),
        read: impl FnOnce(&Value<'a>) -> Option<T>,
    ) -> Option<T> {
        self.given_or(key, || shown.to_string()).map_or(Some(default), |value| read(&value))
    }

    /// The entry of `all` whose word is the value of `key`, or the default.
    pub fn word_or<T: Copy>(
        &mut self,
        key: &'static Key,
        default: T,
        all: &[T],
        word: fn(T) -> &'static str,
    ) -> Option<T> {
        self.read_or_shown(key, (default, word(default)), |value| value.word(all, word))
    }

    /// Notes that a default is used.
    pub fn note(&self, key: &'static Key, default: impl Into<String>) {
        if let Some(kind) = self.declared.kind {
            let key = format!("{}{}", self.prefix, key.name);
            self.source.log.note_default(kind, &self.name, key, default);
        }
    }

    /// The place of the value of `key`, if present; does not mark the key as known.
    pub fn place_of(&self, key: &Key) -> Option<Place> {
        let (_, value) = self.table?.get_key_value(key.name)?;
        Some(self.source.place(&value.span()))
    }

    /// The value of `key`; reports it as missing if it is absent.
    pub fn required(&mut self, key: &'static Key) -> Option<Value<'a>> {
        let value = self.optional(key);
        if value.is_none() {
            self.missing(key);
        }
        value
    }

    /// Reports that `key` is missing, with an example of what to write.
    pub(super) fn missing(&mut self, key: &'static Key) {
        let Key { name, example, .. } = *key;
        let problem =
            Problem::new(ProblemKind::MissingKey, format!("`{name}` is missing in {}", self.declared.title))
                .at(self.place(), format!("this table needs `{name}`"))
                .hint(format!("add e.g. `{name} = {example}`"));
        self.missing_any(&[key], problem);
    }

    /// Reports `problem`, which is that none of `keys` is present.
    pub fn missing_any(&mut self, keys: &[&'static Key], problem: Problem) {
        self.missing.push((keys.iter().map(|key| key.name).collect(), problem));
    }

    /// Reports the missing keys and all unknown keys.
    pub fn finish(self) {
        let log = self.source.log;
        #[cfg(test)]
        log.keys.borrow_mut().entry(self.declared.title).or_default().extend(&self.known);
        let Some(table) = self.table else { return };
        let mut meant = Vec::new();
        for (key, value) in table.iter().filter(|(key, _)| !self.known.contains(&&**key.get_ref())) {
            let (close, advice) = match self.declared.meant(key.get_ref()) {
                Some(Meant::Key(key)) => (Some(key), None),
                Some(Meant::Advice(advice)) => (None, Some(advice)),
                None => (log.suggest(key.get_ref(), self.known.iter().copied()), None),
            };
            meant.extend(close);
            let word = names::shown(key.get_ref());
            let message =
                format!("unknown {} `{word}` in {}", self.what(value.get_ref()), self.declared.title);
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
        self.declared.title == root::TABLE.title
    }

    fn what(&self, value: &DeValue<'_>) -> &'static str {
        let table = matches!(value, DeValue::Table(_) | DeValue::Array(_));
        if self.is_root() && table { "table" } else { "key" }
    }

    /// A key as written in the file: at the top with its brackets.
    fn written(&self, key: &'static str) -> &'static str {
        let table = self.declared.key(key).filter(|_| self.is_root()).and_then(|key| key.shape.table());
        table.map_or(key, |table| table.title)
    }

    fn all_keys(&self) -> String {
        if self.is_root() {
            let headers = self.declared.keys.iter().map(|key| self.written(key.name));
            return format!("every key belongs below a header, {}", names::one_of_all(headers));
        }
        format!("the keys of {} are {}", self.declared.title, names::all(self.known.iter().copied()))
    }
}

impl Shape {
    /// The declared table of this key, or of each entry of its list.
    pub const fn table(&self) -> Option<&'static Table> {
        match self {
            Self::Table(table) | Self::Tables(table, ..) => Some(table),
            _ => None,
        }
    }
}

/// A value in the given fraction of a second, or the assumed default.
pub fn time(
    table: &mut TableReader<'_>,
    key: &'static Key,
    in_a_second: f64,
    assumed: Seconds,
) -> Option<Seconds> {
    // Twelve digits hide the rounding of 5e-6 x 1e6.
    let shown = (assumed.value() * in_a_second * 1e9).round() / 1e9;
    table.read_or_shown(key, (assumed, shown), |value| {
        value.number().map(|number| Seconds::new(number / in_a_second))
    })
}

/// The tables of all files, by their keys.
pub struct Tables<'a> {
    root: &'static Table,
    /// Tables that may exist once.
    singles: BTreeMap<&'static str, Vec<Value<'a>>>,
    /// The entries of lists.
    lists: BTreeMap<&'static str, Vec<TableReader<'a>>>,
}

impl<'a> Tables<'a> {
    /// No tables yet, of files with these declarations.
    pub(super) const fn of(root: &'static Table) -> Self {
        Self { root, singles: BTreeMap::new(), lists: BTreeMap::new() }
    }

    /// Adds the tables of one more file.
    pub(super) fn add(&mut self, source: Source<'a>, table: &'a DeTable<'a>) {
        if table.is_empty() {
            if !source.log.has_broken_syntax() {
                let message = if source.text.trim().is_empty() {
                    "the file is empty"
                } else {
                    "the file contains only comments"
                };
                let problem = Problem::new(ProblemKind::EmptyFile, message)
                    .at(Place::whole(source.file), "")
                    .hint("write a `[machine]`, an `[[app]]` or a `[[scenario]]` table");
                source.log.report(problem);
            }
            return;
        }
        let mut reader = TableReader::new(source, self.root, table, 0..0);
        for &key in self.root.keys {
            let value = reader.optional(key);
            if let Shape::Tables(declared, ..) = key.shape {
                let hint =
                    format!("write `{}`, with two brackets on each side, above each of them", declared.title);
                let entries = value.and_then(|value| value.tables(declared, &hint));
                self.lists.entry(key.name).or_default().extend(entries.into_iter().flatten());
            } else {
                self.singles.entry(key.name).or_default().extend(value);
            }
        }
        if source.log.has_broken_syntax() {
            // After a broken header the keys of its table seem to be at the top.
            return;
        }
        reader.finish();
    }

    /// The tables with this key, which may exist once; a second one is reported.
    pub(super) fn single(&mut self, key: &Key, log: &Log) -> Vec<Value<'a>> {
        let all = self.singles.remove(key.name).unwrap_or_default();
        if let [first, others @ ..] = all.as_slice() {
            let name = key.name;
            let message = match name {
                "machine" => "there are two machines".to_owned(),
                _ => format!("there are two `[{name}]` tables"),
            };
            for other in others {
                let problem = Problem::new(ProblemKind::SecondTable, message.clone())
                    .at(other.place(), format!("another `[{name}]`"))
                    .related(first.place(), format!("the first `[{name}]`"))
                    .hint(format!("give exactly one `[{name}]` over all files"));
                log.report(problem);
            }
        }
        all
    }

    /// The table with this key, which may exist once; the first of several is read.
    pub fn table(&mut self, key: &'static Key, log: &Log) -> Option<TableReader<'a>> {
        let declared = key.shape.table()?;
        let hint = format!("write `[{}]`, with one bracket on each side; there is one only", key.name);
        let values = self.single(key, log);
        // Every value that is not a table is reported.
        let read = values.iter().map(|value| value.table(declared, "a table", hint.as_str()));
        let read: Vec<Option<TableReader<'_>>> = read.collect();
        read.into_iter().next().flatten()
    }

    /// The same, or a table without keys if no file contains it.
    pub fn table_or_none(&mut self, key: &'static Key, log: &'a Log) -> TableReader<'a> {
        self.table(key, log).unwrap_or_else(|| TableReader::none(log, key.shape.table().unwrap_or(self.root)))
    }

    /// The entries of the list with this key.
    pub fn list(&mut self, key: &Key) -> Vec<TableReader<'a>> {
        self.lists.remove(key.name).unwrap_or_default()
    }
}
