//! What connections are told, and how they are closed.

use std::time::Duration;

use super::Server;
use super::connection::{Connection, Written};
use crate::core::ConnectionId;

/// How long a connection that is closed may take to read what was said to it last.
const LAST_WORDS: Duration = Duration::from_secs(1);

impl Server<'_> {
    pub(super) fn send(&mut self, id: ConnectionId, line: &str) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        if connection.is_full() {
            let now = self.start.elapsed();
            self.core.ended(id, "it does not read what it is sent: 1 MiB waits for it", now);
            // What it has not read until now, it will not read.
            self.connections.remove(&id);
            return;
        }
        connection.push(line);
        self.flush(id);
    }

    pub(super) fn flush(&mut self, id: ConnectionId) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let is_closing = connection.closes_at.is_some();
        match connection.flush() {
            Written::All | Written::Broken if is_closing => self.drop_connection(id),
            Written::Broken => self.broken.push(id),
            Written::All | Written::Some => {}
        }
    }

    /// Closes a connection when it has read what was said last, or has had time to.
    pub(super) fn close(&mut self, id: ConnectionId) {
        let at = self.now().saturating_add(LAST_WORDS);
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.closes_at = Some(at);
        if connection.is_empty() {
            self.drop_connection(id);
        }
    }

    pub(super) fn drop_connection(&mut self, id: ConnectionId) {
        self.connections.remove(&id);
        self.full_until = None;
    }

    pub(super) fn drop_late(&mut self, now: Duration) {
        let is_late = |connection: &Connection| connection.closes_at.is_some_and(|at| now >= at);
        let late: Vec<ConnectionId> =
            self.connections.iter().filter(|(_, one)| is_late(one)).map(|(&id, _)| id).collect();
        for id in late {
            self.drop_connection(id);
        }
    }
}
