//! Notes what a search knew when a quarter and half of its effort were spent.

use std::sync::{Mutex, PoisonError};

use numasim_sim::search::{Monitor, Progress};

use super::Watch;
use crate::view::answer::Spent;

/// Watches one search, and notes what it knows.
pub(crate) struct History<'w> {
    watch: &'w Watch,
    noted: Mutex<Option<Spent>>,
}

impl<'w> History<'w> {
    pub(crate) fn new(watch: &'w Watch) -> Self {
        Self { watch, noted: Mutex::default() }
    }

    /// What was noted; `None` if the search told nothing.
    pub(crate) fn spent(&self) -> Option<Spent> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Monitor for History<'_> {
    fn stop(&self) -> bool {
        self.watch.stop()
    }

    fn progress(&self, progress: &Progress) {
        self.watch.progress(progress);
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.get_or_insert_default().note(progress, self.watch.elapsed_s());
    }
}
