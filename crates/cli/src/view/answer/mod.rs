//! What people and programs see of a search: the best allocation, how good it can be at most, and what it is compared
//! with.

mod compared;
mod head;
mod others;
mod robust;
pub(crate) mod sensitivity;
mod table;

use std::ops::Deref;

use numasim_ask::Explored;

pub(super) use others::{MOST_NODES_IN_A_ROW, changes};
pub(super) use table::head;

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
