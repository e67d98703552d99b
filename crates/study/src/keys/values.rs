//! The values of a study by the keys of its files, in the units of the keys, as `check` prints them.

use std::any::Any;

use numasim_model::app::{App, Data, DataWord, Placement};
use numasim_model::ids::NodeId;
use numasim_model::units::Seconds;
use serde::{Serialize, Serializer};

use super::{Key, Shape, Table};

/// A value in the form of the input files, serialised as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Echo {
    /// No value.
    None,
    /// A number.
    Number(f64),
    /// A count, or the number of something.
    Whole(u64),
    /// True or false.
    Flag(bool),
    /// A word, or text.
    Text(String),
    /// A list.
    List(Vec<Echo>),
    /// A table.
    #[serde(serialize_with = "as_map")]
    Table(Vec<(String, Echo)>),
}

fn as_map<S: Serializer>(entries: &[(String, Echo)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(entries.iter().map(|(key, value)| (key, value)))
}

/// A part of the files, described by a table.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// `[[app]]` without its behaviour over time.
    App(&'a App),
    /// A part of a family that this crate does not know.
    Further(&'a dyn Any),
}

/// The access to the value of a key.
#[derive(Clone, Copy, Debug)]
pub enum ValueIn {
    /// No separate part.
    Nothing,
    /// In an application.
    App(fn(&App) -> Echo),
    /// In a part of a family ([`value_in!`](crate::value_in)).
    Further(fn(&dyn Any) -> Option<Echo>),
}

impl ValueIn {
    fn get(self, part: Part<'_>) -> Option<Echo> {
        match (self, part) {
            (Self::App(get), Part::App(part)) => Some(get(part)),
            (Self::Further(get), Part::Further(part)) => get(part),
            _ => None,
        }
    }
}

/// The access to the value of a key in a part of this type, of a family.
#[macro_export]
macro_rules! value_in {
    ($part:ty, $get:expr) => {
        $crate::keys::ValueIn::Further(|part| part.downcast_ref::<$part>().map($get))
    };
}

impl Echo {
    /// A table with these entries.
    pub fn table<'k>(entries: impl IntoIterator<Item = (&'k str, Echo)>) -> Self {
        Self::Table(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }
}

impl Key {
    /// The same key with the access to its value.
    #[must_use]
    pub const fn value_in(self, value: ValueIn) -> Self {
        Self { value, ..self }
    }

    /// Its value in a part of a study; `None` if the part has none for this key.
    fn echo(&self, part: Part<'_>) -> Option<Echo> {
        match (self.app, part) {
            (Some(field), Part::App(app)) => Some(self.number((field.get)(app))),
            _ => self.value.get(part),
        }
    }

    /// Whether documents omit it if it has this value: few files contain the key.
    pub fn goes_without_saying(&self, value: &Echo) -> bool {
        self.noted_when_used && *value == Echo::None
    }

    /// A number of the model in the form of the key.
    pub fn number(&self, value: Option<f64>) -> Echo {
        match value {
            None => Echo::None,
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in its range")]
            Some(value) if matches!(self.shape, Shape::Whole(..)) => Echo::Whole(value as u64),
            Some(value) => Echo::Number(value),
        }
    }

    /// The unit of its number for people; empty for a plain number.
    pub fn unit(&self) -> &'static str {
        const BY_ENDING: [(&str, &str); 8] = [
            ("_gflop", "GFLOP"),
            ("_gbs", "GB/s"),
            ("_gib", "GiB"),
            ("_mb", "MB"),
            ("_ms", "ms"),
            ("_us", "us"),
            ("_ns", "ns"),
            ("_s", "s"),
        ];
        let by_ending = || BY_ENDING.iter().find(|(ending, _)| self.name.ends_with(ending));
        let unit = self.changed_in.filter(|unit| !unit.is_empty());
        unit.or_else(|| by_ending().map(|(_, unit)| *unit)).unwrap_or_default()
    }
}

impl Table {
    /// Every key with a value in one of `parts`, in the order of declaration: a new key is printed without
    /// further code.
    pub fn echo(&self, parts: &[Part<'_>]) -> Vec<(&'static Key, Echo)> {
        let of = |key: &'static Key| parts.iter().find_map(|part| Some((key, key.echo(*part)?)));
        self.keys.iter().copied().filter_map(of).collect()
    }
}

/// A data placement.
pub fn data_echo(data: &Data) -> Echo {
    match data {
        Data::OpenHome { share } if *share < 1.0 => {
            Echo::table([("home", "any".into()), ("share", (*share).into())])
        }
        Data::OpenHome { .. } => Echo::table([("home", "any".into())]),
        Data::OpenFractions => Echo::table([("fractions", "any".into())]),
        Data::Placed(Placement::PartHome { home, share }) => {
            Echo::table([("home", home.0.into()), ("share", (*share).into())])
        }
        Data::Placed(Placement::PartInterleave { share }) => Echo::table([("interleave", (*share).into())]),
        Data::Placed(word @ (Placement::Local | Placement::Interleave | Placement::Replicated)) => {
            word.word().map(DataWord::as_str).into()
        }
        Data::Placed(Placement::Home(home)) => Echo::table([("home", home.0.into())]),
        Data::Placed(Placement::Fractions(fractions)) => {
            Echo::table([("fractions", fractions.clone().into())])
        }
    }
}

/// A time in a unit with `per_second` units per second, without the rounding of 0.08 x 1000.
pub fn time(time: Seconds, per_second: f64) -> Echo {
    let value = time.value() * per_second;
    let rounded = (value * 1e9).round() / 1e9;
    let is_rounding = (rounded - value).abs() <= value.abs() * 1e-12;
    Echo::Number(if is_rounding { rounded } else { value })
}

macro_rules! echo_of {
    ($($type:ty: |$value:ident| $echo:expr;)*) => {
        $(impl From<$type> for Echo {
            fn from($value: $type) -> Self {
                $echo
            }
        })*
    };
}

echo_of! {
    f64: |number| Self::Number(number);
    u64: |number| Self::Whole(number);
    u32: |number| Self::Whole(number.into());
    usize: |number| Self::Whole(number as u64);
    NodeId: |node| node.0.into();
    bool: |flag| Self::Flag(flag);
    &str: |text| Self::Text(text.to_owned());
    String: |text| Self::Text(text);
}

impl<T: Into<Echo>> From<Option<T>> for Echo {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, T::into)
    }
}

impl<T: Into<Echo>> From<Vec<T>> for Echo {
    fn from(list: Vec<T>) -> Self {
        Self::List(list.into_iter().map(T::into).collect())
    }
}
