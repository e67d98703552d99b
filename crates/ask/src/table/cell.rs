//! Cells and columns of tables, and lines of CSV.

use std::borrow::{Borrow, Cow};
use std::fmt::Write as _;

use numasim_draw::figures;
use numasim_draw::grid::Align;
use serde_json::{Value, json};

/// The value in one row of one column.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell<'a> {
    /// There is no value.
    #[default]
    None,
    /// A measured or computed value.
    Number(f64),
    /// A count, or the number of something.
    Whole(u64),
    /// Text.
    Text(Cow<'a, str>),
    /// Text that CSV always puts in quotes, such as `0-7` next to `0,2`.
    Quoted(String),
    /// Counts, or node numbers.
    Wholes(Vec<u32>),
    /// Stable words for programs.
    Words(Vec<&'static str>),
}

/// The type of the cells of a column; all types except counts may have no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// [`Cell::Number`].
    Number,
    /// [`Cell::Whole`].
    Whole,
    /// [`Cell::Whole`] in every row.
    Count,
    /// [`Cell::Text`] or [`Cell::Quoted`].
    Text,
    /// [`Cell::Wholes`], one for each node.
    PerNode,
    /// [`Cell::Wholes`], a list of any length.
    Nodes,
    /// [`Cell::Words`].
    Words,
}

/// Presentation of the values of a column for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// As in CSV.
    Plain,
    /// Rounded to the decimals that the whole column shares.
    Rounded,
    /// A share, as a percentage with two decimals.
    Percent,
}

/// The description of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The quantity, as CSV, JSON and Python name it.
    pub name: Cow<'static, str>,
    /// The application or channel, if each has a column.
    pub of: Option<String>,
    /// The type of its cells.
    pub kind: Kind,
    /// Its presentation for people.
    pub look: Look,
}

impl Column {
    /// A column of the whole row.
    pub const fn new(name: &'static str, kind: Kind) -> Self {
        Self { name: Cow::Borrowed(name), of: None, kind, look: Look::Plain }
    }

    /// The name in a header: `total_gflops`, `gflops:solver`.
    pub fn key(&self) -> String {
        self.of.as_ref().map_or_else(|| self.name.clone().into_owned(), |of| format!("{}:{of}", self.name))
    }

    /// The name printed above its cells.
    pub(super) fn title(&self) -> String {
        self.key().replace(':', "\n")
    }

    pub(super) const fn align(&self) -> Align {
        match self.kind {
            Kind::Text | Kind::Words | Kind::PerNode => Align::Left,
            Kind::Number | Kind::Whole | Kind::Count | Kind::Nodes => Align::Right,
        }
    }

    /// All cells of the column as shown to people.
    pub(super) fn shown(&self, cells: &[&Cell]) -> Vec<String> {
        let percent = |gap: f64| format!("{:.2} %", gap * 100.0);
        match self.look {
            Look::Rounded => {
                let numbers: Vec<f64> = cells.iter().map(|cell| cell.number().unwrap_or(f64::NAN)).collect();
                figures::column(&numbers)
            }
            Look::Percent => cells.iter().map(|cell| cell.number().map_or(String::new(), percent)).collect(),
            Look::Plain => cells.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Kind {
    /// The JSON Schema of its cells.
    pub fn json_schema(self) -> Value {
        let whole = json!({ "type": "integer", "format": "uint64", "minimum": 0 });
        let text = json!({ "type": "string" });
        let or_null = |value: Value| json!({ "oneOf": [value, { "type": "null" }] });
        match self {
            Self::Number => or_null(json!({ "type": "number", "format": "double" })),
            Self::Whole => or_null(whole),
            Self::Count => whole,
            Self::Text => or_null(text),
            Self::PerNode | Self::Nodes => json!({ "type": "array", "items": whole }),
            Self::Words => json!({ "type": "array", "items": text }),
        }
    }

    /// A cell as JSON. Without a value, a list is empty and everything else is null.
    pub fn json(self, cell: &Cell) -> Value {
        match cell {
            Cell::None if matches!(self, Self::PerNode | Self::Nodes | Self::Words) => json!([]),
            Cell::None => Value::Null,
            Cell::Number(number) => Value::from(crate::document::plain(*number)),
            Cell::Whole(number) => (*number).into(),
            Cell::Text(text) if text.is_empty() => Value::Null,
            Cell::Text(text) => text.as_ref().into(),
            Cell::Quoted(text) => text.as_str().into(),
            Cell::Wholes(numbers) => json!(numbers),
            Cell::Words(words) => json!(words),
        }
    }
}

impl Cell<'_> {
    /// Its finite number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) if number.is_finite() => Some(*number),
            _ => None,
        }
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::None => true,
            Self::Number(number) => !number.is_finite(),
            Self::Whole(_) => false,
            Self::Text(text) => text.is_empty(),
            Self::Quoted(text) => text.is_empty(),
            Self::Wholes(numbers) => numbers.is_empty(),
            Self::Words(words) => words.is_empty(),
        }
    }
}

/// Unquoted and in full precision: a number reads back as the same number, and values that are not finite are left out.
impl std::fmt::Display for Cell<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // Adding 0 removes the sign of -0.
            Self::Number(number) if number.is_finite() => write!(out, "{}", number + 0.0),
            Self::None | Self::Number(_) => Ok(()),
            Self::Whole(number) => write!(out, "{number}"),
            Self::Text(text) => out.write_str(text),
            Self::Quoted(text) => out.write_str(text),
            Self::Wholes(numbers) => numbers.iter().enumerate().try_for_each(|(i, number)| {
                let space = if i > 0 { " " } else { "" };
                write!(out, "{space}{number}")
            }),
            Self::Words(words) => out.write_str(&words.join(";")),
        }
    }
}

impl From<f64> for Cell<'_> {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<u64> for Cell<'_> {
    fn from(number: u64) -> Self {
        Self::Whole(number)
    }
}

impl From<u32> for Cell<'_> {
    fn from(number: u32) -> Self {
        Self::Whole(number.into())
    }
}

impl From<usize> for Cell<'_> {
    fn from(number: usize) -> Self {
        Self::Whole(number as u64)
    }
}

impl From<u8> for Cell<'_> {
    fn from(number: u8) -> Self {
        Self::Whole(number.into())
    }
}

/// `true` or `false`.
impl From<bool> for Cell<'_> {
    fn from(flag: bool) -> Self {
        Self::Text(Cow::Borrowed(if flag { "true" } else { "false" }))
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<Vec<u32>> for Cell<'_> {
    fn from(numbers: Vec<u32>) -> Self {
        Self::Wholes(numbers)
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, T::into)
    }
}

/// The first line of CSV.
pub fn header(columns: &[Column]) -> String {
    let mut text = String::new();
    line(&mut text, columns.iter().map(|column| Cell::from(column.key())));
    text
}

/// Text as a cell of CSV, in quotes if needed.
pub fn quoted(text: &str) -> Cow<'_, str> {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

/// Adds a line of CSV.
pub fn line<'a, C: Borrow<Cell<'a>>>(out: &mut String, cells: impl IntoIterator<Item = C>) {
    for (i, cell) in cells.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        match cell.borrow() {
            Cell::Text(text) => out.push_str(&quoted(text)),
            Cell::Quoted(text) => drop(write!(out, "\"{text}\"")),
            // Writing to a String cannot fail.
            cell => drop(write!(out, "{cell}")),
        }
    }
    out.push('\n');
}
