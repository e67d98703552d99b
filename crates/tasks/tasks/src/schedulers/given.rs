//! Which socket each task was given.

use numasim_graph::values::TaskId;

use crate::sockets::SocketId;

/// Two bytes a task: there are at most 1024 nodes, and millions of tasks.
const NONE: u16 = u16::MAX;

/// The socket of each task that has one.
#[derive(Clone, Debug, Default)]
pub(super) struct Given(Vec<u16>);

impl Given {
    /// No task has one.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// `task` has `socket` from now on.
    pub(super) fn set(&mut self, task: TaskId, socket: SocketId) {
        let index = task.0 as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, NONE);
        }
        if let Some(entry) = self.0.get_mut(index) {
            *entry = u16::try_from(socket.0).unwrap_or(NONE);
        }
    }

    /// The socket of a task.
    pub(super) fn of(&self, task: TaskId) -> Option<SocketId> {
        self.0
            .get(task.0 as usize)
            .filter(|&&socket| socket != NONE)
            .map(|&socket| SocketId(u32::from(socket)))
    }
}
