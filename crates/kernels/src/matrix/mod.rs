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

pub use dmv::Dmv;
pub use lattice::Lattice;
pub use spmv::{Elements, Partition, Spmv, Storage};
pub use vectors::CALLS;
