//! Why a measurement may not be what it seems: typed, each with what to do about it.
//!
//! A doubt has a stable `code` (`numa-balancing`) for files and scripts, a sentence for people, and an advice.

/// A reason to distrust a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// The kernel moves pages and threads on its own (`kernel.numa_balancing`).
    NumaBalancing,
}

impl Doubt {
    /// The stable word for files and scripts.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NumaBalancing => "numa-balancing",
        }
    }
}
