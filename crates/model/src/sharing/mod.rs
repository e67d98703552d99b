//! Who gets which bandwidth: the model `baseline-proportional`.
//!
//! Unit: GB/s for bandwidth, GFLOPS for speed, FLOP per byte for arithmetic intensity; all prefixes decimal.
//!
//! Problem: threads of several applications read the same memories. A *memory* is the controller of a NUMA
//! node; a *link* is the directed path on which the cores of one node read the memory of another. Each has a
//! capacity that all its readers share. Given how many threads of each application run on each node and
//! where their data lies, how much does each thread get?
//!
//! [`mod@reference`] answers thread by thread in the words of the model; it is slow and is there to be compared
//! with. [`invariants`] says what must hold of any answer.

pub mod invariants;
pub mod reference;

use crate::app::Placement;
use crate::units::FlopPerByte;

/// What the sharing of bandwidth needs to know of an application.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// FLOP per byte moved to or from memory.
    pub arithmetic_intensity: FlopPerByte,
    /// Where its data lies.
    pub placement: Placement,
}
