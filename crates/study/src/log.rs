//! Collects problems and defaults while the files are walked.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;

use super::problem::{Place, Problem, ProblemKind};
use super::reading::{DefaultUsed, TableKind};
use numasim_model::words::nearest;

/// Maximum number of stored problems; a longer list no longer helps.
const MAX_PROBLEMS: usize = 200;

/// All messages of the walkers, which share it while they run.
#[derive(Default)]
pub struct Log {
    problems: RefCell<Vec<Problem>>,
    defaults: RefCell<Vec<DefaultUsed>>,
    /// Text that the parser could not understand: problems in it only repeat the syntax error. Start, by
    /// file, and end; no two ranges touch.
    muted: RefCell<BTreeMap<(usize, usize), usize>>,
    broken_syntax: Cell<bool>,
    more: Cell<bool>,
    #[cfg(test)]
    pub(super) keys:
        RefCell<std::collections::BTreeMap<&'static str, std::collections::BTreeSet<&'static str>>>,
}

impl Log {
    /// Stores a problem, unless it is only a consequence of a syntax error.
    pub fn report(&self, problem: Problem) {
        if self.is_full() {
            self.more.set(true);
        } else if !self.is_follow_up(&problem) {
            self.problems.borrow_mut().push(problem);
        }
    }

    /// Whether no further problem will be stored, so that none is worth the time to explain it.
    pub fn is_full(&self) -> bool {
        self.problems.borrow().len() >= MAX_PROBLEMS
    }

    fn is_follow_up(&self, problem: &Problem) -> bool {
        use ProblemKind::{Infeasible, MissingKey, NoMachine, UnknownName};
        // A value that seems missing may be in the text that could not be read.
        let guesses_absence = matches!(problem.kind, MissingKey | NoMachine | UnknownName | Infeasible);
        if self.broken_syntax.get() && guesses_absence {
            return true;
        }
        let places = problem.place.iter().chain(problem.related.iter().map(|(place, _)| place));
        places
            .filter_map(|place| Some((place.file, place.span.as_ref()?)))
            .any(|(file, span)| self.is_muted(file, span.start))
    }

    /// Whether problems at this byte are suppressed.
    pub(super) fn is_muted(&self, file: usize, at: usize) -> bool {
        let muted = self.muted.borrow();
        let before = muted.range((file, 0)..=(file, at)).next_back();
        before.is_some_and(|(_, &end)| at < end)
    }

    /// Suppresses all further problems inside `range`.
    pub(super) fn mute(&self, file: usize, range: Range<usize>) {
        if self.is_full() || range.is_empty() {
            return;
        }
        let mut muted = self.muted.borrow_mut();
        let Range { mut start, mut end } = range;
        // Touching ranges are merged, so that a long run of muted lines is one range.
        loop {
            let other = muted.range((file, 0)..=(file, end)).next_back().map(|(&(_, from), &to)| (from, to));
            let Some((from, to)) = other.filter(|&(_, to)| to >= start) else { break };
            muted.remove(&(file, from));
            (start, end) = (start.min(from), end.max(to));
        }
        muted.insert((file, start), end);
    }

    /// Notes that some text could not be read, so that no value can be reported as missing.
    pub(super) fn syntax_is_broken(&self) {
        self.broken_syntax.set(true);
    }

    /// Whether some text could not be read at all.
    pub fn has_broken_syntax(&self) -> bool {
        self.broken_syntax.get()
    }

    /// Notes the default of a value that no file contains.
    pub fn note_default(
        &self,
        table: TableKind,
        name: &str,
        key: impl Into<String>,
        value: impl Into<String>,
    ) {
        let default = DefaultUsed { table, name: name.to_owned(), key: key.into(), value: value.into() };
        self.defaults.borrow_mut().push(default);
    }

    /// The closest of `known`, as long as the list of problems is short enough for suggestions to be worth
    /// their time.
    pub fn suggest<'n>(&self, word: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
        if self.is_full() {
            return None;
        }
        nearest(word, known)
    }

    /// The problems in the order of the files and their lines, and the defaults.
    pub(super) fn finish(self) -> (Vec<Problem>, Vec<DefaultUsed>) {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|problem| {
            let place = problem.place.as_ref();
            (place.map_or(usize::MAX, |p| p.file), place.and_then(|p| p.span.as_ref()).map_or(0, |s| s.start))
        });
        problems.dedup();
        if self.more.get() {
            let message = format!("there are more than {MAX_PROBLEMS} problems; the others are not listed");
            problems.push(Problem::new(ProblemKind::More, message));
        }
        (problems, self.defaults.into_inner())
    }
}

/// One file during the walk.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Destination of its problems.
    pub log: &'a Log,
    pub(super) file: usize,
    pub(super) text: &'a str,
}

impl Source<'_> {
    pub(super) fn place(&self, span: &Range<usize>) -> Place {
        Place::at(self.file, span.clone())
    }
}
