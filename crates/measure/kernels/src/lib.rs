//! What threads and tasks really compute.
//!
//! Kernels that threads run together, each its part, on arrays that somebody else has placed, are a [`Problem`](kernel::Problem) each: [`blackscholes`],
//! [`matrix`], [`grid`], [`memcpy`], [`stream`], [`chase`], and the [`synthetic`] ones of the benchmark, of any arithmetic intensity. Whoever runs one knows a [`Kernel`](kernel::Kernel) only: parts to prepare and to run, work that
//! is counted, a result that is compared with a serial run.
//!
//! Tasks of the graphs that the crate `graph` makes are tiled Cholesky and QR, Gauss-Seidel, Jacobi and a stencil on strands. There a kernel is a function on
//! slices, for one core ([`cholesky`], [`qr`], [`stencil`]). A [`Code`] knows for each task of a graph which kernel runs on which of its blocks, what blocks hold
//! at the beginning, and whether the result is right; its blocks lie in a [`Store`].
//!
//! Here are no threads, no clock and no libraries: whoever runs tasks keeps to the dependencies of the graph, which [`Store::run`] looks at; whoever runs a kernel
//! to its steps, which arrays look at.
#![warn(missing_docs)]
#![deny(unsafe_code)]

pub mod array;
pub mod blackscholes;
pub mod chase;
pub mod cholesky;
mod codes;
pub mod count;
mod fill;
pub mod grid;
pub mod kernel;
pub mod loops;
pub mod matrix;
pub mod memcpy;
mod product;
pub mod qr;
#[path = "../../../../tests/random.rs"]
#[cfg(test)]
mod random;
mod simd;
pub mod stencil;
mod store;
pub mod stream;
mod sweep;
pub mod synthetic;
pub mod team;
pub mod workload;

pub use codes::{Code, NoKernels, Verdict, code};
pub use product::Workspace;
pub use store::{Fault, Part, Store};
