//! Queueing delays: how long bytes wait in one queue, and in several queues that depend on each other because data is spread or because links and the
//! reads of a node are limited.
//!
//! # Unit
//! Times are nanoseconds per byte, rates GB/s.
//!
//! # Problem
//! A group of n threads has the rate r = 1 / (t + v x sum of a w): its bytes wait a w in each queue that the group uses. It takes a GB/s of the queue for
//! each GB/s that it moves, and its bytes wait v times as long as those of others. A queue delivers D(w) ([`Law`]). The solver finds the waits w at which each
//! queue delivers the bandwidth drawn from it, sum n a r.
//!
//! # Approach
//! For one queue, Newton's method solves 1 / D - 1 / drawn = 0. The left side rises with w and is concave, so that after the first step the iterates
//! approach from below. For several queues these equations are the conditions for the minimum of a convex function of the waits, which has one minimum.
//! Newton's method solves them together and starts from a lower bound on the wait of each queue alone. A step that goes too far is shortened by a line search.
//! If that makes little progress, each queue in turn finds its own wait while the others stay fixed, which always lowers the function. The equations of a
//! step are symmetric: the solver factors small systems and uses conjugate gradients, without a matrix, for large ones.
//! The bytes of a hard queue wait only if its whole capacity is drawn.

mod law;
mod layout;
mod one;
mod several;

pub(super) use law::Law;
pub(super) use layout::Use;
pub(super) use one::{Readers, rates, wait_at};
pub(super) use several::{Group, Queues};
