//! The computations of threads and tasks.
//!
//! Kernels that threads run together, each its part, on arrays that the caller has placed, are a [`Problem`](kernel::Problem) each:
//! [`blackscholes`], [`matrix`], [`grid`], [`memcpy`], [`stream`], [`chase`], and the [`synthetic`] ones of the benchmark, of any
//! arithmetic intensity. The caller only uses the interface of a [`Kernel`](kernel::Kernel): parts to prepare and to run, work that is
//! counted, a result that is compared with a serial run.
//!
//! Tasks of the graphs from the crate `graph` are tiled Cholesky and QR, Gauss-Seidel, Jacobi and a stencil on strands. There a kernel is a
//! function on slices, for one core ([`cholesky`], [`qr`], [`stencil`]). A [`Code`] defines for each task of a graph its kernel and blocks,
//! the initial contents of blocks, and the check of the result; its blocks are in a [`Store`].
//!
//! This crate has no threads, no clock and no libraries. A caller that runs tasks must respect the dependencies of the graph, which
//! [`Store::run`] checks. A caller that runs a kernel must respect its steps, which arrays check.
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
