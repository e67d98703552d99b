//! What the program says about itself, for the agent; and the bell that has it told at once.

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
    /// Tasks that a dispatcher has and that nobody has begun.
    queued: AtomicUsize,
    /// Place in [`WORDS`].
    waiting: AtomicU8,
    /// Whether the last status said that there are tasks to begin.
    pub(crate) told_tasks: AtomicBool,
    /// Something was said since the last [`Said::heard`]: the bell rings once for all of it.
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
            // That the last one went is told by whoever finds none.
            self.tasks_are_there(true);
        }
    }

    /// Whoever asks next what was said hears all that was said before this, and the bell rings for what comes after it.
    pub(crate) fn heard(&self) {
        self.news.swap(false, Ordering::AcqRel);
    }

    /// Tasks came, or the last one went: worth a status if the last one said otherwise.
    pub(crate) fn tasks_are_there(&self, there: bool) {
        if self.told_tasks.load(Ordering::Relaxed) != there {
            self.bell.ring();
        }
    }
}
