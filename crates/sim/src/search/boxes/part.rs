//! Parts of the space that are split, the most promising first.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::search::dual::{Improved, Ranges, Relaxation};

/// A part of the space with its bound.
#[derive(Clone)]
pub(super) struct Part<'a> {
    pub(super) ranges: Ranges,
    /// With the options that are left in it.
    pub(super) relaxation: Arc<Relaxation<'a>>,
    pub(super) improved: Improved,
    /// Order of creation: breaks ties, so that the order of work is fixed.
    pub(super) number: usize,
}

impl Part<'_> {
    /// Drops what cannot lead above `cutoff` in this part from its list.
    pub(super) fn leave_out(&mut self, cutoff: f64) {
        if let Some((less, improved)) = self.relaxation.above(&self.improved, &self.ranges, cutoff) {
            (self.relaxation, self.improved) = (Arc::new(less), improved);
        }
    }

    /// Its share of the options of its list.
    pub(super) fn listed(&self) -> usize {
        self.relaxation.options() / Arc::strong_count(&self.relaxation).max(1)
    }
}

impl PartialEq for Part<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Part<'_> {}

impl PartialOrd for Part<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Part<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.improved.bound.total_cmp(&other.improved.bound).then(other.number.cmp(&self.number))
    }
}
