//! Orders: given, under way, in force.

use std::collections::VecDeque;

use numasim_engine::SimTime;
use numasim_model::order::Order;
use numasim_model::units::Seconds;

use crate::result::Reaction;

/// An order on its way to an application.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) app: usize,
    pub(crate) order: Order,
    pub(crate) given: SimTime,
}

/// All orders. They take the same time, so that they arrive in the order in which they were given.
#[derive(Clone, Debug)]
pub(crate) struct Commands {
    under_way: VecDeque<Sent>,
    /// Those that take effect in this instant.
    due: VecDeque<Sent>,
    /// Per application: the last order that was given.
    last: Vec<Option<Order>>,
    /// Per application: since when the order in force was given, while too many threads may run.
    reacting: Vec<Option<SimTime>>,
    pub(crate) given: u64,
    pub(crate) moves: u64,
    reactions: u64,
    reaction_sum_s: f64,
    reaction_max_s: f64,
}

impl Commands {
    pub(crate) fn new(apps: usize) -> Self {
        Self {
            under_way: VecDeque::new(),
            due: VecDeque::new(),
            last: vec![None; apps],
            reacting: vec![None; apps],
            given: 0,
            moves: 0,
            reactions: 0,
            reaction_sum_s: 0.0,
            reaction_max_s: 0.0,
        }
    }

    /// Whether `order` says something else than the last one to this application.
    pub(crate) fn is_news(&self, app: usize, order: &Order) -> bool {
        self.last[app].as_ref() != Some(order)
    }

    /// Gives an order; it is due in this instant where it takes no time, else [`Commands::arrive`] says when.
    pub(crate) fn give(&mut self, sent: Sent, takes_time: bool) {
        self.given += 1;
        self.last[sent.app] = Some(sent.order.clone());
        if takes_time {
            self.under_way.push_back(sent);
        } else {
            self.due.push_back(sent);
        }
    }

    /// The first order under way arrives: it is due in this instant.
    pub(crate) fn arrive(&mut self) {
        self.due.extend(self.under_way.pop_front());
    }

    /// The next order that takes effect in this instant.
    pub(crate) fn next_due(&mut self) -> Option<Sent> {
        self.due.pop_front()
    }

    /// An order has taken effect: it replaces the one before, whose reaction does not count any more.
    pub(crate) fn in_force(&mut self, app: usize, given: SimTime) {
        self.reacting[app] = Some(given);
    }

    /// No thread of the application is too many.
    pub(crate) fn reached(&mut self, app: usize, now: SimTime) {
        if let Some(given) = self.reacting[app].take() {
            let reaction_s = now.since(given);
            self.reactions += 1;
            self.reaction_sum_s += reaction_s;
            self.reaction_max_s = self.reaction_max_s.max(reaction_s);
        }
    }

    /// An application is finished: what was under way to it does not count.
    pub(crate) fn forget(&mut self, app: usize) {
        self.reacting[app] = None;
    }

    pub(crate) fn reaction(&self) -> Reaction {
        let mean = if self.reactions > 0 { self.reaction_sum_s / self.reactions as f64 } else { 0.0 };
        Reaction { count: self.reactions, mean: Seconds::new(mean), max: Seconds::new(self.reaction_max_s) }
    }
}
