//! Declarations of the keys of the input files. Each key is declared once, in its table, and all other code
//! uses the declaration: the reader (type, range, correct syntax, words that people use for it), the JSON
//! Schema, the lists of keys in messages and in `--help`, `sweep --set`, `sensitivity` and `fit`, `check`,
//! and the writers of files.
//!
//! **Why constants and not generated types.** We considered generated structs for `[[machine.node]]`. A macro
//! that makes a struct of each table (like `config_data!` of rust-analyzer) reads a table in one line. But a
//! reader here needs each value with its place while the table is still open, because the valid values of a
//! key depend on other keys (0 GFLOPS without cores), and the keys that the machine gives for all its nodes
//! would be fields of two structs. Constants are declared once and used in both,
//! `table.optional(&node::CORES)` does not compile for an undeclared key, and the properties of a key are
//! ordinary data for the other users. The macro `table!` only keeps the documentation of a key and its
//! constant together, and lists the constants.

mod apps;
mod machines;
mod values;

use numasim_model::app::App;
use numasim_model::bounds::{LARGEST, SMALLEST};
use numasim_model::machine::{MAX_NODES, Node};

use super::reading::TableKind;

pub use apps::{
    DATA_VALUE, PACK, SCALING, THREADS_VALUE, app, data, fractions, home, interleave, problem, rate, scaling,
    scenario, serial, speedup,
};
pub use machines::{kernels, machine, node, origin, provenance, shared_link, sharing, variant};
pub use values::{Echo, Part, ValueIn, data_echo, time};

/// A table of the input files.
#[derive(Debug)]
pub struct Table {
    /// Its name in messages: `[[machine.node]]`.
    pub title: &'static str,
    /// Its name in the JSON Schema.
    pub type_name: &'static str,
    /// Its description.
    pub doc: &'static str,
    /// The owner of these defaults, in lists of defaults.
    pub kind: Option<TableKind>,
    /// Its keys, in the order of the documentation.
    pub keys: &'static [&'static Key],
    /// Words that people write here by mistake, and the correct syntax if it is not a single other key.
    pub elsewhere: &'static [(&'static [&'static str], &'static str)],
}

/// A key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name in files.
    pub name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
    /// The form of its value.
    pub shape: Shape,
    /// The expected value in messages: "a bandwidth in GB/s".
    pub what: &'static str,
    /// An example of a value.
    pub example: &'static str,
    /// Whether it is required, regardless of other keys.
    pub required: bool,
    /// Its default; empty if the default depends on other values.
    pub default: &'static str,
    /// Lower-case words that people write instead of it.
    pub also: &'static [&'static str],
    /// Whether its default is only listed if the value is used.
    pub noted_when_used: bool,
    /// The default if it is a key of a part of the machine: `that of the machine`.
    pub inherited: Option<&'static str>,
    /// The access to its number in a node of a machine.
    pub node: Option<Field<Node>>,
    /// The access to its number in an application.
    pub app: Option<Field<App>>,
    /// The access to its value in another part of a study.
    pub value: ValueIn,
    /// Whether it describes the memory of a node, and not its cores.
    pub of_memory: bool,
    /// The unit of its number, empty for a plain number, if [`figure`](crate::figure) may change it: `sweep`,
    /// `sensitivity`, `fit`.
    pub changed_in: Option<&'static str>,
}

/// Keys of one table are equal if their names are.
impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Key {}

/// The keys that exist both for all nodes of the machine and for a single node, if the node of the model
/// contains them, each with its value there.
pub fn limits_of(of: &Node) -> impl Iterator<Item = (&'static Key, Option<f64>)> {
    let keys = node::TABLE.keys.iter().copied().filter(|key| key.inherited.is_some());
    keys.filter_map(move |key| Some((key, (key.node?.get)(of))))
}

/// The access to the number of a key.
#[derive(Debug)]
pub struct Field<T> {
    /// Reads it; `None` if it is not given.
    pub get: fn(&T) -> Option<f64>,
    /// Replaces it by a number in its range.
    pub put: fn(&mut T, f64),
}

impl<T> Clone for Field<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Field<T> {}

/// The form of a value.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A number from the first to the second; 0 is valid only if the first is 0.
    Number(f64, f64),
    /// A whole number from the first to the second, with this number of bits.
    Whole(u64, u64, u32),
    /// True or false.
    Flag,
    /// Any text.
    Text,
    /// Text that is not empty.
    Name,
    /// Logical CPUs in the syntax of Linux.
    Cpus,
    /// One of a few words.
    Words(&'static Words),
    /// A list of such values, with minimum and maximum length; 0 is no limit.
    List(&'static Shape, u32, u32),
    /// A table with the user's names as keys.
    Map(&'static Shape),
    /// A table.
    Table(&'static Table),
    /// A list of tables, with minimum and maximum length; 0 is no limit.
    Tables(&'static Table, u32, u32),
    /// One of several forms.
    Forms(&'static Forms),
}

/// The valid words of a value.
#[derive(Debug)]
pub struct Words {
    /// Their name in the JSON Schema.
    pub type_name: &'static str,
    /// Their description.
    pub doc: &'static str,
    /// Each with its meaning.
    lists: &'static [&'static [(&'static str, &'static str)]],
}

impl Words {
    /// Words in consecutive lists.
    pub const fn new(
        type_name: &'static str,
        doc: &'static str,
        words: &'static [&'static [(&'static str, &'static str)]],
    ) -> Self {
        Self { type_name, doc, lists: words }
    }

    /// Each word with its meaning.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.lists.iter().copied().flatten().map(|&(word, doc)| (word, doc.trim_start()))
    }
}

/// The forms of a value.
#[derive(Debug)]
pub struct Forms {
    /// Their name in the JSON Schema.
    pub type_name: &'static str,
    /// Their common description.
    pub doc: &'static str,
    /// Each with its meaning.
    pub forms: &'static [(Shape, &'static str)],
}

/// Above 0, within bounds that keep products and quotients finite.
pub const POSITIVE: Shape = Shape::Number(SMALLEST, LARGEST);
/// The same, or 0.
pub const NOT_NEGATIVE: Shape = Shape::Number(0.0, LARGEST);
/// From 0 to 1.
const FRACTION: Shape = Shape::Number(0.0, 1.0);

/// A whole number from the first to the second, of 32 bits.
pub const fn whole(least: u64, most: u64) -> Shape {
    Shape::Whole(least, most, u32::BITS)
}

/// A node by its number.
pub const NODE_NUMBER: Shape = whole(0, MAX_NODES as u64 - 1);

/// A whole number from the first to the second, of 64 bits.
pub const fn large(least: u64, most: u64) -> Shape {
    Shape::Whole(least, most, u64::BITS)
}

/// A whole number within the range of its key, as a number of threads or cores.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in its range")]
const fn count(value: f64) -> u32 {
    value as u32
}

/// A key with this name and nothing else; the methods of [`Key`] add further properties.
pub const fn key(name: &'static str, shape: Shape) -> Key {
    Key {
        name,
        doc: "",
        shape,
        what: "",
        example: "",
        required: false,
        default: "",
        also: &[],
        noted_when_used: false,
        inherited: None,
        node: None,
        app: None,
        value: ValueIn::Nothing,
        of_memory: false,
        changed_in: None,
    }
}

impl Key {
    /// The expected value in messages, and an example.
    #[must_use]
    pub const fn means(self, what: &'static str, example: &'static str) -> Self {
        Self { what, example, ..self }
    }

    /// An example of a value.
    #[must_use]
    pub const fn example(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    /// The key is required, regardless of other keys.
    #[must_use]
    pub const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// The default of the key.
    #[must_use]
    pub const fn default(self, default: &'static str) -> Self {
        Self { default, ..self }
    }

    /// Lower-case words that people write instead of it.
    #[must_use]
    pub const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }

    /// The key of a part of the machine, with the default `inherited`.
    #[must_use]
    pub const fn own(self, inherited: &'static str) -> Self {
        Self { inherited: Some(inherited), ..self }
    }

    /// Sets the documentation; an empty one keeps that of the original key.
    #[must_use]
    pub const fn documented(self, doc: &'static str) -> Self {
        if doc.is_empty() { self } else { Self { doc, ..self } }
    }

    /// Few files have the key, so its default is listed only where it is used.
    #[must_use]
    pub const fn noted_when_used(self) -> Self {
        Self { noted_when_used: true, ..self }
    }

    /// The same key with 0 allowed.
    const fn or_zero(self) -> Self {
        Self { shape: NOT_NEGATIVE, ..self }
    }

    const fn of_node(self, get: fn(&Node) -> Option<f64>, put: fn(&mut Node, f64)) -> Self {
        Self { node: Some(Field { get, put }), ..self }
    }

    /// The same key, for memory.
    const fn of_memory(self) -> Self {
        Self { of_memory: true, ..self }
    }

    /// Its number may be changed, in this unit.
    #[must_use]
    pub const fn changed_in(self, unit: &'static str) -> Self {
        Self { changed_in: Some(unit), ..self }
    }

    const fn of_app(self, get: fn(&App) -> Option<f64>, put: fn(&mut App, f64)) -> Self {
        Self { app: Some(Field { get, put }), ..self }
    }

    /// Its documentation as one paragraph, with its default.
    pub fn description(&self) -> String {
        let doc = self.doc.trim();
        match (self.inherited, self.default) {
            (Some(inherited), _) => {
                // The same words for a single node.
                let own = doc.replace("of each node", "of this node").replace("of a node", "of this node");
                let own = own.split(" Default: ").next().unwrap_or_default();
                format!("{own} Default: {inherited}.")
            }
            (None, "") => doc.to_owned(),
            (None, _) if doc.contains("Default: ") => doc.to_owned(),
            (None, default) => format!("{doc} Default: {default}."),
        }
    }
}

impl Shape {
    /// The valid numbers of the value, or of the entries of a list.
    pub const fn numbers(&self) -> Option<(f64, f64)> {
        match self {
            Self::Number(least, most) => Some((*least, *most)),
            Self::List(each, ..) | Self::Map(each) => each.numbers(),
            Self::Forms(forms) => forms.forms[0].0.numbers(),
            _ => None,
        }
    }

    /// The valid whole numbers of the value, or of the entries of a list.
    pub const fn counts(&self) -> Option<(u64, u64)> {
        match self {
            Self::Whole(least, most, _) => Some((*least, *most)),
            Self::List(each, ..) | Self::Map(each) => each.counts(),
            Self::Forms(forms) => forms.forms[0].0.counts(),
            _ => None,
        }
    }
}

impl Table {
    /// The key with this name.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().copied().find(|key| key.name == name)
    }

    /// The probable meaning of a word that is not a key of this table; typing mistakes are left to
    /// [`nearest`](numasim_model::words::nearest).
    pub(super) fn meant(&self, word: &str) -> Option<Meant> {
        let word = word.to_lowercase().replace('-', "_");
        let key = self.keys.iter().find(|key| key.also.contains(&word.as_str()));
        let advice = || self.elsewhere.iter().find(|(words, _)| words.contains(&word.as_str()));
        key.map(|key| Meant::Key(key.name)).or_else(|| advice().map(|(_, advice)| Meant::Advice(advice)))
    }
}

/// The probable meaning of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meant {
    /// Another key of the same table.
    Key(&'static str),
    /// Advice, if a single key is not sufficient.
    Advice(&'static str),
}

/// `first`, then `second`, which are `N` together; the first is not empty.
pub const fn joined<T: Copy, const N: usize>(first: &[T], second: &[T]) -> [T; N] {
    let mut all = [first[0]; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < first.len() { first[at] } else { second[at - first.len()] };
        at += 1;
    }
    all
}

/// A module with a constant for each key of a table, and the table itself as `TABLE`. Documentation above the
/// name is that of the table, above a constant that of the key; a key without documentation uses that of the
/// key from which it is made.
#[macro_export]
macro_rules! table {
    (
        $(#[doc = $about:literal])* $module:ident $title:literal $type_name:literal $kind:expr;
        $($(#[doc = $doc:literal])* $name:ident = $key:expr;)*
        $([$($word:literal),*] => $advice:literal;)*
    ) => {
        $(#[doc = $about])*
        pub mod $module {
            #![allow(missing_docs, reason = "a key that two tables have is documented where it is first")]

            #[allow(clippy::wildcard_imports, reason = "the words of declarations")]
            use super::*;
            $(
                $(#[doc = $doc])*
                pub const $name: Key = $key.documented(concat!($($doc),*));
            )*
            #[doc = concat!("The table `", $title, "`.")]
            pub static TABLE: Table = Table {
                title: $title,
                type_name: $type_name,
                doc: concat!($($about),*),
                kind: $kind,
                keys: &[$(&$name),*],
                elsewhere: &[$((&[$($word),*], $advice)),*],
            };
        }
    };
}

/// Words with their meanings, or those of enums that `numasim_model::words!` declares.
#[macro_export]
macro_rules! words {
    ($(#[doc = $about:literal])* $name:ident $type_name:literal { $($word:expr => $doc:literal,)* }) => {
        $(#[doc = $about])*
        pub(super) const $name: Words =
            Words::new($type_name, concat!($($about),*), &[&[$(($word, $doc)),*]]);
    };
    ($(#[doc = $about:literal])* $name:ident $type_name:literal = $($of:ident),+;) => {
        $(#[doc = $about])*
        pub(super) const $name: Words =
            Words::new($type_name, concat!($($about),*), &[$($of::WORDS),+]);
    };
}

/// Forms with their meanings.
#[macro_export]
macro_rules! forms {
    ($(#[doc = $about:literal])* $name:ident $type_name:literal { $($form:expr => $doc:literal,)* }) => {
        $(#[doc = $about])*
        pub(super) const $name: Forms =
            Forms { type_name: $type_name, doc: concat!($($about),*), forms: &[$(($form, $doc)),*] };
    };
}

use {forms, table, words};

table! {
    /// A machine, applications, and scenarios; crates of families add their tables.
    root "the file" "" None;
    /// The machine: NUMA nodes, their cores and memory controllers, and the links between them.
    MACHINE = key("machine", Shape::Table(&machine::TABLE));
    /// The applications.
    APP = key("app", Shape::Tables(&app::TABLE, 0, 0)).also(&["workload", "application", "applications"]);
    /// Thread placements.
    SCENARIO = key("scenario", Shape::Tables(&scenario::TABLE, 0, 0))
        .also(&["placement", "placements", "allocation", "allocations"]);
    ["node", "nodes"] => "write `[[machine.node]]`";
    ["sharing", "model"] => "write `[machine.sharing]` and below it `model = \"…\"`";
    ["provenance"] => "write `[machine.provenance]`";
    ["loop", "loops"] => "write `[[program.loop]]`, and `[[program.array]]` for its data";
}
