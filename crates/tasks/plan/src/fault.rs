//! What is wrong with a line of a file.

use std::fmt;

/// The files of a profile and of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum File {
    /// How many nodes there are.
    Meta,
    /// Tasks and their templates.
    Edt,
    /// Which task created which.
    New,
    /// Blocks and who created them.
    Dbs,
    /// Names of blocks.
    DbsNamed,
    /// Which task accesses which block.
    Acc,
    /// Seconds of each task with its data here and there.
    Raw,
    /// Where the programmer wants tasks.
    AffEdt,
    /// Where the programmer wants blocks.
    AffDbs,
    /// Where blocks belong.
    PlanDbs,
    /// Classes of tasks, their children, and where they belong.
    PlanTree,
    /// All of the plan, for people.
    PlanToml,
}

impl File {
    /// All of a profile, in the order in which they are written.
    pub const PROFILE: [Self; 9] = [
        Self::Meta,
        Self::Edt,
        Self::New,
        Self::Dbs,
        Self::DbsNamed,
        Self::Acc,
        Self::Raw,
        Self::AffEdt,
        Self::AffDbs,
    ];

    /// All of a plan.
    pub const PLAN: [Self; 3] = [Self::PlanDbs, Self::PlanTree, Self::PlanToml];

    /// Its name in the folder.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Meta => "ptrace-meta.csv",
            Self::Edt => "ptrace-edt.csv",
            Self::New => "ptrace-new.csv",
            Self::Dbs => "ptrace-dbs.csv",
            Self::DbsNamed => "ptrace-dbs-named.csv",
            Self::Acc => "ptrace-acc.csv",
            Self::Raw => "ptrace-raw.csv",
            Self::AffEdt => "ptrace-aff-edt.csv",
            Self::AffDbs => "ptrace-aff-dbs.csv",
            Self::PlanDbs => "plan-dbs.csv",
            Self::PlanTree => "plan-tree.csv",
            Self::PlanToml => "plan.toml",
        }
    }
}

/// What is wrong, where, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {message}", file.name())]
pub struct Fault {
    /// Which file.
    pub file: File,
    /// Its line, from 1; one behind the last where something is missing at the end.
    pub line: u64,
    /// The cell of the line, from 0; `None` for all of it.
    pub cell: Option<usize>,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl Fault {
    /// A fault of a whole line.
    pub(crate) fn new(file: File, line: u64, message: impl Into<String>) -> Self {
        Self { file, line, cell: None, message: message.into(), hint: None }
    }

    /// It is one cell of the line.
    pub(crate) fn of(mut self, cell: usize) -> Self {
        self.cell = Some(cell);
        self
    }

    /// What to write instead.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Text of a file in a message: short, and in one line.
pub(crate) struct Shown<'t>(pub(crate) &'t str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 60;
        let end = self.0.char_indices().nth(LONGEST).map_or(self.0.len(), |(end, _)| end);
        let short = self.0.get(..end).unwrap_or_default();
        f.write_str(&numasim_model::text::visible(short))?;
        if end < self.0.len() { f.write_str("…") } else { Ok(()) }
    }
}
