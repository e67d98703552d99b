//! What the tasks of programs really compute: tiled Cholesky and QR, Gauss-Seidel, Jacobi and a stencil on strands, for the graphs that the crate `graph` makes.
//!
//! A kernel is a function on slices, for one core, without any library ([`cholesky`], [`qr`], [`stencil`]). A [`Code`] knows for each
//! task of a graph which kernel runs on which of its blocks, what blocks hold at the beginning, and whether the result is right; its blocks lie in a
//! [`Store`].
//!
//! Here are no threads and no clock: whoever runs tasks keeps to the dependencies of the graph, which [`Store::run`] looks at.
#![warn(missing_docs)]
#![deny(unsafe_code)]

pub mod cholesky;
mod codes;
pub mod count;
mod fill;
mod part;
mod product;
pub mod qr;
mod running;
pub mod stencil;
mod store;
mod vector;
mod work;

pub use codes::{Code, NoKernels, Verdict, code};
pub use part::{Fault, Part};
pub use store::Store;
pub use work::Workspace;
