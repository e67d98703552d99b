//! Good answers fast: hill climbing from several starts. It proves nothing; the bounds do.

mod climb;
mod kick;
mod random;
mod rates;
mod start;

pub(super) use climb::climb;
pub(super) use kick::iterate;
pub(crate) use random::generator;
pub(super) use rates::Rates;
pub(super) use start::{random_start, round_robin_start};
