//! JSON with the place of every value: `serde_json` reads it, and leaves the text of a value where it stands.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use numasim_study::{Problem, ProblemKind};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::problems::{amount, at, shown};

/// A value and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Json<'t> {
    raw: &'t str,
    /// Byte of the file where it begins.
    start: usize,
}

/// The members of an object.
#[derive(Clone, Debug)]
pub(super) struct Object<'t> {
    members: BTreeMap<String, Json<'t>>,
    whole: Range<usize>,
}

/// The members of an object in their order, those with the same key too.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut all = Vec::new();
                while let Some(member) = map.next_entry()? {
                    all.push(member);
                }
                Ok(Members(all))
            }
        }
        deserializer.deserialize_map(Each)
    }
}

impl<'t> Json<'t> {
    /// The only value of a text.
    pub(super) fn of(text: &'t str) -> Result<Self, Problem> {
        let all = Self { raw: text, start: 0 };
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| all.syntax(&error))?;
        Ok(all.inside(raw))
    }

    fn span(&self) -> Range<usize> {
        self.start..self.start + self.raw.len()
    }

    /// A problem with this value.
    pub(super) fn problem(&self, kind: ProblemKind, message: impl Into<String>) -> Problem {
        at(kind, 0, self.first_line(), message)
    }

    /// Where it begins: what is large is shown by its first line.
    pub(super) fn first_line(&self) -> Range<usize> {
        self.start..self.start + self.raw.find('\n').unwrap_or(self.raw.len())
    }

    /// The members, if it is an object.
    pub(super) fn object(self, what: &str) -> Result<Object<'t>, Problem> {
        if !self.raw.starts_with('{') {
            return Err(self.wrong(what, "an object: { ... }"));
        }
        let Members(all) = self.read()?;
        let mut members = BTreeMap::new();
        for (key, raw) in all {
            let value = self.inside(raw);
            let again = format!("this object has `{}` twice", shown(&key));
            if members.insert(key, value).is_some() {
                return Err(value.problem(ProblemKind::DuplicateKey, again));
            }
        }
        Ok(Object { members, whole: self.span() })
    }

    /// The elements, if it is a list.
    pub(super) fn list(self, what: &str) -> Result<Vec<Self>, Problem> {
        if !self.raw.starts_with('[') {
            return Err(self.wrong(what, "a list: [ ... ]"));
        }
        let elements: Vec<&RawValue> = self.read()?;
        Ok(elements.into_iter().map(|raw| self.inside(raw)).collect())
    }

    /// Its text, if it is a string.
    pub(super) fn string(self, what: &str) -> Result<String, Problem> {
        if !self.raw.starts_with('"') {
            return Err(self.wrong(what, "text in double quotes"));
        }
        self.read()
    }

    /// A number, zero or more.
    pub(super) fn amount(self, what: &str) -> Result<f64, Problem> {
        if !self.raw.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            return Err(self.wrong(what, "a number"));
        }
        amount(self.raw).map_err(|why| self.problem(ProblemKind::BadValue, format!("`{what}` is {why}")))
    }

    fn wrong(&self, what: &str, expected: &str) -> Problem {
        let message = format!("`{what}` is {}, but must be {expected}", shown(self.raw));
        self.problem(ProblemKind::WrongType, message)
    }

    fn read<T: serde::Deserialize<'t>>(&self) -> Result<T, Problem> {
        serde_json::from_str(self.raw).map_err(|error| self.syntax(&error))
    }

    /// A value that was found in this one: a part of the same text.
    fn inside(&self, raw: &'t RawValue) -> Self {
        let offset = raw.get().as_ptr().addr().saturating_sub(self.raw.as_ptr().addr());
        Self { raw: raw.get(), start: self.start + offset }
    }

    /// Where `serde_json`, which counts lines and bytes, stopped.
    fn syntax(&self, error: &serde_json::Error) -> Problem {
        let before: usize =
            self.raw.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let mut from = (before + error.column().saturating_sub(1)).min(self.raw.len());
        while !self.raw.is_char_boundary(from) {
            from -= 1;
        }
        let length = self.raw.get(from..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        let start = self.start + from;
        at(ProblemKind::Syntax, 0, start..start + length, format!("this is not JSON: {message}"))
    }
}

impl<'t> Object<'t> {
    /// A member, if it is there and not `null`.
    pub(super) fn get(&self, key: &str) -> Option<Json<'t>> {
        self.members.get(key).copied().filter(|value| value.raw != "null")
    }

    /// A member that must be there.
    pub(super) fn need(&self, key: &str) -> Result<Json<'t>, Problem> {
        self.get(key).ok_or_else(|| {
            let begin = self.whole.start..self.whole.start + 1;
            at(ProblemKind::MissingKey, 0, begin, format!("this object has no `{key}`"))
        })
    }

    /// The elements of a list; none where it is not there.
    pub(super) fn elements(&self, key: &str) -> Result<Vec<Json<'t>>, Problem> {
        self.get(key).map_or(Ok(Vec::new()), |list| list.list(key))
    }
}
