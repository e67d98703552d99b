//! What is promised of simulated time.

mod common;
mod hand;
mod policies;
