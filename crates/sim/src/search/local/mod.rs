//! Good answers fast: hill climbing from several starts. It proves nothing; the bounds do.

mod climb;
mod random;
mod start;

pub(super) use climb::Rates;
pub(super) use climb::climb;
pub(super) use climb::iterate;
pub(crate) use random::generator;
pub(super) use start::{random_start, round_robin_start};
