//! Task graphs, checked with slow and obvious methods: bounds by hand, brute force, a simulation that skips nothing.

mod agreement;
mod bound;
mod brute;
mod common;
mod drawn;
mod libraries;
mod placing;
mod plans;
mod properties;
#[path = "../../../../../tests/random.rs"]
mod random;
mod reference;
mod trees;
