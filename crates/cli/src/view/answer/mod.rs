//! What people and programs see of a search: the best allocation, how good it can be at most, and what it is compared
//! with.

mod compared;
mod effort;
mod head;
mod others;
mod rivals;
mod robust;
pub(crate) mod sensitivity;
mod simple;
mod table;

use std::ops::Deref;

use numasim_ask::Explored;

pub(super) use others::{MOST_NODES_IN_A_ROW, NO_BREAK, changes};
pub(super) use table::{allocations, gap, head, restrictions};

/// The answer to an `explore`, for people.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer<'a>(&'a Explored);

impl<'a> Answer<'a> {
    /// For people.
    pub(crate) const fn of(found: &'a Explored) -> Self {
        Self(found)
    }
}

impl Deref for Answer<'_> {
    type Target = Explored;

    fn deref(&self) -> &Explored {
        self.0
    }
}
