//! What can be wrong with input files, and where: values for a front end to show.

use std::ops::Range;

/// A place in one of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index into the files that were read.
    pub file: usize,
    /// Bytes of its text; `None` means the file as a whole.
    pub span: Option<Range<usize>>,
}

impl Place {
    /// These bytes of that file.
    pub const fn at(file: usize, span: Range<usize>) -> Self {
        Self { file, span: Some(span) }
    }

    /// The file as a whole.
    pub const fn whole(file: usize) -> Self {
        Self { file, span: None }
    }
}

/// The kind of a [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// No file at all, or one that cannot be read.
    NoFile,
    /// A file without any table.
    EmptyFile,
    /// More than the program reads: text, nodes, cores, instances, thread counts.
    Limit,
    /// Not TOML.
    Syntax,
    /// The same key twice in a table.
    DuplicateKey,
    /// No file has a `[machine]`.
    NoMachine,
    /// A second table of which there is one over all files: `[machine]`, `[policy]`, `[os]`, `[cluster]`, `[graph]`, `[scheduler]`, `[runtime]`.
    SecondTable,
    /// A key or table that means nothing here.
    UnknownKey,
    /// A key that must be there.
    MissingKey,
    /// A string where a number belongs, and the like.
    WrongType,
    /// The right type, but a value that makes no sense.
    BadValue,
    /// Two keys that say the same thing in different ways.
    Conflict,
    /// A list or matrix with the wrong number of entries.
    WrongLength,
    /// Two things with the same name.
    DuplicateName,
    /// The name of an application or a block that does not exist.
    UnknownName,
    /// A scenario puts more threads on a node than it has cores, or a command orders more than there are.
    TooManyThreads,
    /// An application that no allocation can satisfy.
    Infeasible,
    /// There are more problems than are listed.
    More,
}

/// One problem: what is wrong, where, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What kind of problem.
    pub kind: ProblemKind,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where; `None` if it is about all files together.
    pub place: Option<Place>,
    /// A few words beside the marked text.
    pub label: String,
    /// What to write instead.
    pub hint: Option<String>,
    /// Other places that explain it, each with a few words beside it: "first named here".
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

    /// The same problem at `place`, with a few words beside the marked text.
    #[must_use]
    pub fn at(mut self, place: Place, label: impl Into<String>) -> Self {
        self.place = Some(place);
        self.label = label.into();
        self
    }

    /// The same problem with advice what to write.
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
