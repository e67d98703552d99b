//! Problems with a line of a file.

use std::fmt;

numasim_model::words! {
    /// The files of a profile and of a plan.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum File {
        /// How many nodes there are.
        Meta = "ptrace-meta.csv",
        /// Tasks and their templates.
        Edt = "ptrace-edt.csv",
        /// Which task created which.
        New = "ptrace-new.csv",
        /// Blocks and who created them.
        Dbs = "ptrace-dbs.csv",
        /// Names of blocks.
        DbsNamed = "ptrace-dbs-named.csv",
        /// Which task accesses which block.
        Acc = "ptrace-acc.csv",
        /// Seconds of each task with its data here and there.
        Raw = "ptrace-raw.csv",
        /// Where the programmer wants tasks.
        AffEdt = "ptrace-aff-edt.csv",
        /// Where the programmer wants blocks.
        AffDbs = "ptrace-aff-dbs.csv",
        /// Where blocks belong.
        PlanDbs = "plan-dbs.csv",
        /// Classes of tasks, their children, and where they belong.
        PlanTree = "plan-tree.csv",
        /// All of the plan, for people.
        PlanToml = "plan.toml",
    }
}

impl File {
    /// All files of a profile, in the order in which they are written.
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

    /// All files of a plan.
    pub const PLAN: [Self; 3] = [Self::PlanDbs, Self::PlanTree, Self::PlanToml];
}

/// A problem, its place, and the advice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {message}", file.as_str())]
pub struct Fault {
    /// The file.
    pub file: File,
    /// Its line, from 1; if something is missing at the end, one after the last.
    pub line: u64,
    /// The cell of the line, from 0; `None` for the whole line.
    pub cell: Option<usize>,
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// The text to write instead.
    pub hint: Option<String>,
}

impl Fault {
    /// A fault of a whole line.
    pub(crate) fn new(file: File, line: u64, message: impl Into<String>) -> Self {
        Self { file, line, cell: None, message: message.into(), hint: None }
    }

    /// Restricts it to one cell of the line.
    pub(crate) fn of(mut self, cell: usize) -> Self {
        self.cell = Some(cell);
        self
    }

    /// Adds the text to write instead.
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

// A line as cells separated by `;`.

/// The largest amount: in seconds more than the age of the universe, in bytes more than exist. Sums of any number of rows stay finite.
const MOST: f64 = 1e18;

/// The place of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) file: File,
    pub(crate) line: u64,
}

/// The `N` cells of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells<'t, const N: usize> {
    at: At,
    cells: [&'t str; N],
}

impl At {
    pub(crate) fn fault(self, message: impl Into<String>) -> Fault {
        Fault::new(self.file, self.line, message)
    }

    /// The cells of a line.
    ///
    /// # Errors
    /// More or fewer cells than `names`.
    pub(crate) fn cells<'t, const N: usize>(
        self,
        text: &'t str,
        names: [&str; N],
    ) -> Result<Cells<'t, N>, Fault> {
        let mut cells = [""; N];
        let mut found = 0;
        for cell in text.split(';') {
            if let Some(place) = cells.get_mut(found) {
                *place = cell;
            }
            found += 1;
        }
        if found == N {
            return Ok(Cells { at: self, cells });
        }
        let plural = if found == 1 { "" } else { "s" };
        let message = format!("this line has {found} cell{plural} instead of {N}");
        Err(self.fault(message).hint(format!("a line of {} is {}", self.file.as_str(), names.join(";"))))
    }
}

impl<'t, const N: usize> Cells<'t, N> {
    /// The text of a cell.
    pub(crate) fn text(&self, cell: usize) -> &'t str {
        self.cells.get(cell).copied().unwrap_or_default()
    }

    /// A fault of a cell.
    pub(crate) fn fault(&self, cell: usize, message: impl Into<String>) -> Fault {
        self.at.fault(message).of(cell)
    }

    /// A whole number; `what` begins the message.
    pub(crate) fn number(&self, cell: usize, what: &str) -> Result<u64, Fault> {
        let text = self.text(cell);
        // `parse` accepts "+1", which is unusual and would not be written back in this form.
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| digits).ok_or_else(|| {
            let message = format!("{what} is '{}', not a whole number", Shown(text));
            self.fault(cell, message).hint("write a number such as 0 or 12")
        })
    }

    /// A number from 0 to [`MOST`]; `what` begins the message.
    pub(crate) fn amount(&self, cell: usize, what: &str) -> Result<f64, Fault> {
        let text = self.text(cell);
        match text.parse::<f64>() {
            // Adding 0 removes the sign of -0.
            Ok(value) if (0.0..=MOST).contains(&value) => Ok(value + 0.0),
            read => {
                let why = match read {
                    Ok(value) if value < 0.0 => "below 0",
                    Ok(value) if value.is_finite() => "above 1e18",
                    Ok(_) => "no finite number",
                    Err(_) => "no number",
                };
                let message = format!("{what} is '{}', which is {why}", Shown(text));
                Err(self.fault(cell, message).hint("write a number from 0 to 1e18"))
            }
        }
    }
}
