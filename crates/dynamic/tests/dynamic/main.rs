//! What is promised of simulated time.

mod agreement;
mod common;
mod drawn;
mod edge;
mod hand;
#[path = "../../../../tests/random.rs"]
mod random;
