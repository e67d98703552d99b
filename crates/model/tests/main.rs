//! What the models promise, on random machines, and what they answer where that is known. One binary for all of it.

mod common;
mod domains;
mod kernels;
mod max_min_lp;
mod measured;
mod models;
mod own_queue;
mod properties;
#[path = "../../../tests/random.rs"]
mod random;
mod real_kernels;
mod replicated;
