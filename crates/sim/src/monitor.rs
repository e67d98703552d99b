//! The environment of a search: time, Ctrl-C and the progress line.

use crate::problem::Candidate;

/// The progress of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// The best answer so far, for a caller that ends a search which cannot return it.
    pub found: Option<&'a Candidate>,
    /// Value of the best answer so far.
    pub best: Option<f64>,
    /// No answer has a better value than this.
    pub bound: f64,
    /// The fraction of the search budget that is spent, 0 to 1; the search often ends long before 1.
    pub effort_spent: f64,
}

/// The environment of a search: time, Ctrl-C and the progress line.
pub trait Monitor: Sync {
    /// True when the search should return what it has.
    fn stop(&self) -> bool;
    /// Called from time to time.
    fn progress(&self, progress: &Progress);
}

/// Never stops, shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unattended;

impl Monitor for Unattended {
    fn stop(&self) -> bool {
        false
    }
    fn progress(&self, _: &Progress) {}
}
