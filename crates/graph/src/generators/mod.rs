//! Programs as task graphs: the codes of paper 001 (section 3.1), Cholesky, Task Bench.
//!
//! Grids are numbered row by row; a tile of T x T elements has 8 T^2 B. An `inout` moves twice its block, as it reads and writes it;
//! an `in` or an `out` moves the block, unless only a border of it is read. First tasks (`init`) compute nothing, move what they
//! write, and stand where their block does. What a programmer would say of the sockets (the annotation of a task, for the scheduler
//! `sa`) is a number s: the s-th socket in ascending order.

mod cg;
mod cholesky;
mod error;
mod gauss_seidel;
mod integral_histogram;
mod jacobi;
mod nstream;
mod patterns;
mod qr;
mod size;
mod smi;
mod task_bench;
#[cfg(test)]
mod tests;
mod weaver;

use numasim_model::graph::{Generator, TaskGraph};
use numasim_model::ids::NodeId;

pub use error::GenerateError;
use gauss_seidel::{Order, Stencil};
use weaver::Weaver;

/// The graph that `generator` makes, for the nodes with cores `sockets` in ascending order; without any, no task has an annotation.
///
/// # Errors
/// A parameter that is 0 or does not divide another one; more tasks, blocks or accesses than are dealt with, before they are made.
pub fn generate(generator: &Generator, name: &str, sockets: &[NodeId]) -> Result<TaskGraph, GenerateError> {
    let mut weaver = Weaver::new(name, sockets);
    let weave = &mut weaver;
    match *generator {
        Generator::GaussSeidel { grid, tile, iterations, control, init } => {
            let stencil = Stencil { grid, tile, iterations, control, init };
            gauss_seidel::weave(weave, stencil, Order::Rows)?;
        }
        Generator::RedBlack { grid, tile, iterations, control, init } => {
            let stencil = Stencil { grid, tile, iterations, control, init };
            gauss_seidel::weave(weave, stencil, Order::RedFirst)?;
        }
        Generator::Jacobi { blocks, rows, columns, iterations, init } => {
            jacobi::weave(weave, blocks, (rows, columns), iterations, init)?;
        }
        Generator::Cg { blocks, rows, nnz_per_row, iterations, init } => {
            cg::weave(weave, blocks, (rows, nnz_per_row), iterations, init)?;
        }
        Generator::IntegralHistogram { grid, tile, bins, init } => {
            integral_histogram::weave(weave, grid, tile, bins, init)?;
        }
        Generator::Nstream { arrays, mb, iterations, init } => {
            nstream::weave(weave, arrays, mb, iterations, init)?;
        }
        Generator::Qr { n, tile, init } => qr::weave(weave, n, tile, init)?,
        Generator::Cholesky { n, tile, init } => cholesky::weave(weave, n, tile, init)?,
        Generator::Smi { n, tile, init } => smi::weave(weave, n, tile, init)?,
        Generator::TaskBench(ref bench) => task_bench::weave(weave, bench)?,
    }
    Ok(weaver.finish())
}
