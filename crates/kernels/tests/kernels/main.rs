//! The programs of the generators, run task by task in the order of creation.

mod codes;
mod counts;
mod dense;
