//! Problems of input files and their places: values for a front end to show.

use std::ops::Range;

/// A place in one of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index into the files that were read.
    pub file: usize,
    /// Bytes of its text; `None` is the whole file.
    pub span: Option<Range<usize>>,
}

impl Place {
    /// These bytes of that file.
    pub const fn at(file: usize, span: Range<usize>) -> Self {
        Self { file, span: Some(span) }
    }

    /// The whole file.
    pub const fn whole(file: usize) -> Self {
        Self { file, span: None }
    }
}

/// The kind of a [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// No file, or one that cannot be read.
    NoFile,
    /// A file without any table.
    EmptyFile,
    /// More than the program accepts: text, nodes, cores, instances, thread counts.
    Limit,
    /// Not TOML.
    Syntax,
    /// The same key twice in a table.
    DuplicateKey,
    /// No file has a `[machine]`.
    NoMachine,
    /// A second table of a kind that is allowed only once over all files: `[machine]`, `[policy]`, `[os]`,
    /// `[cluster]`, `[graph]`, `[scheduler]`, `[runtime]`.
    SecondTable,
    /// An unknown key or table.
    UnknownKey,
    /// A missing key.
    MissingKey,
    /// A value of the wrong type, such as a string instead of a number.
    WrongType,
    /// An invalid value of the right type.
    BadValue,
    /// Two keys that define the same property in different ways.
    Conflict,
    /// A list or matrix with the wrong number of entries.
    WrongLength,
    /// Two things with the same name.
    DuplicateName,
    /// The name of an application or a block that does not exist.
    UnknownName,
    /// A scenario puts more threads on a node than it has cores, or a command orders more threads than exist.
    TooManyThreads,
    /// An application that no allocation can satisfy.
    Infeasible,
    /// There are more problems than are listed.
    More,
}

/// One problem: the mistake, its place, and the correction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its kind.
    pub kind: ProblemKind,
    /// Description of the mistake, in one sentence without a full stop.
    pub message: String,
    /// Its place; `None` if it concerns all files together.
    pub place: Option<Place>,
    /// A few words next to the marked text.
    pub label: String,
    /// The correction.
    pub hint: Option<String>,
    /// Other places that explain it, each with a few words next to it: "first named here".
    pub related: Vec<(Place, String)>,
}

impl Problem {
    /// A problem without a place.
    pub fn new(kind: ProblemKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            place: None,
            label: String::new(),
            hint: None,
            related: Vec::new(),
        }
    }

    /// The same problem at `place`, with a few words next to the marked text.
    #[must_use]
    pub fn at(mut self, place: Place, label: impl Into<String>) -> Self {
        self.place = Some(place);
        self.label = label.into();
        self
    }

    /// The same problem with a hint for the correction.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same problem with one more place that explains it.
    #[must_use]
    pub fn related(mut self, place: Place, label: impl Into<String>) -> Self {
        self.related.push((place, label.into()));
        self
    }
}
