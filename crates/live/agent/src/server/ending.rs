//! The end, in the order in which it is promised.

use super::Server;

impl Server<'_> {
    /// No more decisions, adopted processes as they were, the record whole, the socket removed, connections closed, and the one
    /// that asked for the end last: when it sees that, all is over.
    pub(super) fn end(mut self) {
        self.decider = None;
        for why in self.adopted.give_back() {
            self.outside.report(&why);
        }
        self.outside.no_more_decisions();
        self.socket.remove();
        let last = self.asked_by.and_then(|id| self.connections.remove(&id));
        self.connections.clear();
        drop(last);
    }
}
