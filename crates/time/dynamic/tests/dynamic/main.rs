//! Guarantees about simulated time.

mod agreement;
mod bound;
mod common;
mod drawn;
mod draws;
mod edge;
mod hand;
mod policies;
mod properties;
#[path = "../../../../../tests/random.rs"]
mod random;
mod ticks;
mod units;
