//! The programs of the generators, run task by task in the order of creation, and kernels that threads run together.

mod codes;
mod counts;
mod dense;
mod model;
mod problems;
mod together;
