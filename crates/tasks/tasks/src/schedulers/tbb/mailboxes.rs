//! Mailboxes: where tasks with an affinity wait for their worker, or for any of their node, beside the deque of whoever spawned them.

use std::collections::VecDeque;

use numasim_graph::values::TaskId;

/// A mailbox: of a worker under `tbb`, of a node under `tbb-numa`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MailboxId(pub(super) u32);

/// Tasks by mailbox, the oldest first. Copies that are void stay until somebody meets them.
#[derive(Clone, Debug)]
pub(super) struct Mailboxes(Vec<VecDeque<TaskId>>);

impl Mailboxes {
    /// Empty ones.
    pub(super) fn new(count: usize) -> Self {
        Self(vec![VecDeque::new(); count])
    }

    /// Puts a task at the young end.
    pub(super) fn push(&mut self, mailbox: MailboxId, task: TaskId) {
        if let Some(tasks) = self.0.get_mut(mailbox.0 as usize) {
            tasks.push_back(task);
        }
    }

    /// Takes the oldest task of a mailbox that still `waits`.
    pub(super) fn oldest(&mut self, mailbox: MailboxId, waits: impl Fn(TaskId) -> bool) -> Option<TaskId> {
        let tasks = self.0.get_mut(mailbox.0 as usize)?;
        while let Some(task) = tasks.pop_front() {
            if waits(task) {
                return Some(task);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_that_waits_comes_first() {
        let mut mailboxes = Mailboxes::new(2);
        (0..4).for_each(|task| mailboxes.push(MailboxId(1), TaskId(task)));
        let odd = |task: TaskId| task.0 % 2 == 1;
        assert_eq!(mailboxes.oldest(MailboxId(0), odd), None);
        assert_eq!(mailboxes.oldest(MailboxId(1), odd), Some(TaskId(1)));
        assert_eq!(mailboxes.oldest(MailboxId(1), odd), Some(TaskId(3)));
        assert_eq!(mailboxes.oldest(MailboxId(1), odd), None);
    }
}
