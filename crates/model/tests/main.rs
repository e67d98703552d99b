//! Guarantees of the models on random machines, and answers with known results. All tests are one binary.

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
