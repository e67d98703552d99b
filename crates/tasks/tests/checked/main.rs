//! Task graphs, checked by what is slow and obvious: bounds by hand, brute force, a simulation that skips nothing.

mod bound;
mod common;
mod reference;
