//! Mailboxes by number: of pieces of work that come again, where they ran last; of tasks, where they were sent.

use super::mailboxes::MailboxId;

/// Of a number for which there is none.
const NONE: u32 = u32::MAX;

/// A mailbox for some numbers; it grows with the largest one.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorded(Vec<u32>);

impl Recorded {
    /// `number` has this mailbox from now on.
    pub(super) fn set(&mut self, number: u32, mailbox: MailboxId) {
        let index = number as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, NONE);
        }
        if let Some(entry) = self.0.get_mut(index) {
            *entry = mailbox.0;
        }
    }

    /// The mailbox of a number.
    pub(super) fn of(&self, number: u32) -> Option<MailboxId> {
        self.0.get(number as usize).filter(|&&mailbox| mailbox != NONE).map(|&mailbox| MailboxId(mailbox))
    }
}
