//! `sa`, socket-aware: the programmer says which socket (paper 001, section 2.1).

use super::given::Given;
use super::placed::{Placed, Said};
use super::queues::SocketQueues;
use crate::error::TasksError;
use crate::question::Question;
use crate::sockets::Sockets;

/// The scheduler.
///
/// # Errors
/// [`TasksError::NoSocket`], [`TasksError::NoCores`].
pub(super) fn sa(question: &Question<'_>, sockets: &Sockets) -> Result<Placed<Said>, TasksError> {
    let mut given = Given::new();
    for task in question.graph.tasks() {
        let node = question.graph.socket(task).ok_or(TasksError::NoSocket(task))?;
        given.set(task, sockets.of_node(node).ok_or(TasksError::NoCores { task, node })?);
    }
    Ok(Placed::with(Said, given, SocketQueues::new(sockets), question))
}
