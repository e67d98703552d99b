//! Matrices times vectors, y = A x and then x = A y, call after call: dense ([`Dmv`], complex) and sparse ([`Spmv`], complex or real).
//!
//! Real and imaginary parts are arrays of their own. An element of the product is summed in eight lanes, never fused: every instruction set, every division
//! of the rows and the serial run agree in every bit.

mod csr;
mod csr_real;
mod dense;
mod dmv;
mod lattice;
mod placed;
mod sparse;
mod split;
mod spmv;
#[cfg(test)]
mod tests;
mod vectors;

/// How many bytes ahead lines of a matrix are asked for where it was tried that nothing farther gains: several arrays at once are more than a processor
/// foresees by itself. Measured on one machine (AMD): 3 to 4 % more of the dense, 2 to 5 % more of the sparse matrix; 128 to 384 bytes are alike.
const NEAR: usize = 256;

pub use dmv::Dmv;
pub use lattice::{Elements, Lattice};
pub use spmv::{Partition, Spmv, Storage};
pub use vectors::CALLS;
