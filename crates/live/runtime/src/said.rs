//! The program's reports about itself, for the agent; and the bell that makes the client send them immediately.

use numasim_client::Bell;
use numasim_protocol::Waiting;

use crate::sync::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// Iterations done.
    progress: AtomicUsize,
    /// Phase of the iteration.
    pub(crate) phase: AtomicUsize,
    /// Tasks of a dispatcher that no worker has begun.
    queued: AtomicUsize,
    /// Index in [`WORDS`].
    waiting: AtomicU8,
    /// Whether the last status reported that there are tasks to begin.
    pub(crate) told_tasks: AtomicBool,
    /// Whether there were reports since the last [`Said::heard`]: the bell rings once for all of them.
    news: AtomicBool,
    pub(crate) bell: Bell,
}

const WORDS: [Waiting; 4] = [Waiting::None, Waiting::Input, Waiting::Output, Waiting::Call];

impl Said {
    pub(crate) fn waiting(&self) -> Waiting {
        WORDS.get(usize::from(self.waiting.load(Ordering::Acquire))).copied().unwrap_or(Waiting::None)
    }

    pub(crate) fn set_waiting(&self, waiting: Waiting) {
        let word = (0..).zip(WORDS).find(|(_, word)| *word == waiting).map_or(0, |(place, _)| place);
        if self.waiting.swap(word, Ordering::AcqRel) != word {
            self.tell();
        }
    }

    pub(crate) fn progress(&self) -> usize {
        self.progress.load(Ordering::Acquire)
    }

    pub(crate) fn set_progress(&self, iterations: usize) {
        if self.progress.swap(iterations, Ordering::AcqRel) != iterations {
            self.tell();
        }
    }

    fn tell(&self) {
        if !self.news.swap(true, Ordering::AcqRel) {
            self.bell.ring();
        }
    }

    pub(crate) fn queued(&self) -> usize {
        self.queued.load(Ordering::Relaxed)
    }

    pub(crate) fn set_queued(&self, tasks: usize) {
        self.queued.store(tasks, Ordering::Relaxed);
        if tasks > 0 {
            // A worker that finds no task reports that the last one has gone.
            self.tasks_are_there(true);
        }
    }

    /// The next reader of the reports sees all reports before this call, and the bell rings for later ones.
    pub(crate) fn heard(&self) {
        self.news.swap(false, Ordering::AcqRel);
    }

    /// Tasks came, or the last one went: this rings the bell if the last status reported otherwise.
    pub(crate) fn tasks_are_there(&self, there: bool) {
        if self.told_tasks.load(Ordering::Relaxed) != there {
            self.bell.ring();
        }
    }
}
