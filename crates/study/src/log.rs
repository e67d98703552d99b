//! Collects problems and defaults while the files are walked.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;

use super::problem::{Place, Problem, ProblemKind};
use super::reading::{DefaultUsed, TableKind};
use numasim_model::words::nearest;

/// Problems kept; beyond that the list no longer helps anybody.
const MAX_PROBLEMS: usize = 200;

/// Everything the walkers have to tell, shared by them while they run.
#[derive(Default)]
pub struct Log {
    problems: RefCell<Vec<Problem>>,
    defaults: RefCell<Vec<DefaultUsed>>,
    /// Text the parser could not make sense of: what is found there only repeats the syntax error.
    /// Start, by file, and end; no two of them touch.
    muted: RefCell<BTreeMap<(usize, usize), usize>>,
    broken_syntax: Cell<bool>,
    more: Cell<bool>,
    #[cfg(test)]
    pub(super) keys:
        RefCell<std::collections::BTreeMap<&'static str, std::collections::BTreeSet<&'static str>>>,
}

impl Log {
    /// Keeps a problem, unless it only follows from a syntax error.
    pub fn report(&self, problem: Problem) {
        if self.is_full() {
            self.more.set(true);
        } else if !self.is_follow_up(&problem) {
            self.problems.borrow_mut().push(problem);
        }
    }

    /// No further problem will be kept, so none is worth the time to explain it.
    pub fn is_full(&self) -> bool {
        self.problems.borrow().len() >= MAX_PROBLEMS
    }

    fn is_follow_up(&self, problem: &Problem) -> bool {
        use ProblemKind::{Infeasible, MissingKey, NoMachine, UnknownName};
        // Something that looks missing may stand in the text that could not be read.
        let guesses_absence = matches!(problem.kind, MissingKey | NoMachine | UnknownName | Infeasible);
        if self.broken_syntax.get() && guesses_absence {
            return true;
        }
        let places = problem.place.iter().chain(problem.related.iter().map(|(place, _)| place));
        places
            .filter_map(|place| Some((place.file, place.span.as_ref()?)))
            .any(|(file, span)| self.is_muted(file, span.start))
    }

    /// Whether nothing is reported at this byte.
    pub(super) fn is_muted(&self, file: usize, at: usize) -> bool {
        let muted = self.muted.borrow();
        let before = muted.range((file, 0)..=(file, at)).next_back();
        before.is_some_and(|(_, &end)| at < end)
    }

    /// From now on nothing inside `range` is reported.
    pub(super) fn mute(&self, file: usize, range: Range<usize>) {
        if self.is_full() || range.is_empty() {
            return;
        }
        let mut muted = self.muted.borrow_mut();
        let Range { mut start, mut end } = range;
        // What it touches becomes a part of it, so that a long run of muted lines is one range.
        loop {
            let other = muted.range((file, 0)..=(file, end)).next_back().map(|(&(_, from), &to)| (from, to));
            let Some((from, to)) = other.filter(|&(_, to)| to >= start) else { break };
            muted.remove(&(file, from));
            (start, end) = (start.min(from), end.max(to));
        }
        muted.insert((file, start), end);
    }

    /// Some text could not be read at all, so nothing can be said to be missing.
    pub(super) fn syntax_is_broken(&self) {
        self.broken_syntax.set(true);
    }

    /// Whether some text could not be read at all.
    pub fn has_broken_syntax(&self) -> bool {
        self.broken_syntax.get()
    }

    /// Notes a value that no file gives.
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

    /// The closest of `known`, while the list of problems is short enough to make suggestions worth their time.
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

/// One file while it is walked.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Where its problems go.
    pub log: &'a Log,
    pub(super) file: usize,
    pub(super) text: &'a str,
}

impl Source<'_> {
    pub(super) fn place(&self, span: &Range<usize>) -> Place {
        Place::at(self.file, span.clone())
    }
}
