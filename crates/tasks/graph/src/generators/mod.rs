//! Programs as task graphs: the codes of paper 001 (section 3.1), of papers 003 (section 5) and 000 (section IV), Cholesky, Task Bench; and
//! programs of loops that files describe.
//!
//! Grids are numbered row by row; a tile of T x T elements has 8 T^2 B. An `inout` moves twice its block, as it reads and writes it;
//! an `in` or an `out` moves the block, unless only a border of it is read. First tasks (`init`) compute nothing, move what they
//! write, and stand where their block does. What a programmer would say of the sockets (the annotation of a task, for the scheduler
//! `sa`) is a number s: the s-th socket in ascending order. The codes of papers 003 and 000 are tree programs: tasks create tasks, and what the
//! programmer says of nodes are affinities and hints.

mod cg;
mod cholesky;
mod error;
mod ferret;
mod gauss_seidel;
mod integral_histogram;
mod jacobi;
mod loops;
mod nstream;
mod parallel_codes;
mod patterns;
mod qr;
mod seismic;
mod size;
mod smi;
mod stencil2d;
mod task_bench;
#[cfg(test)]
mod tests;
mod weaver;

use crate::values::{Generator, Program, TaskGraph};
use numasim_model::ids::NodeId;

pub use error::GenerateError;
use gauss_seidel::{Order, Stencil};
use weaver::Weaver;

/// The graph that `generator` makes, for the nodes with cores `sockets` in ascending order; without any, no task has an annotation.
///
/// # Errors
/// A parameter that is 0, does not divide another one, or follows from a machine and is not given; more tasks, blocks or accesses than are dealt with, before they are made.
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
        Generator::Nstream { arrays, array_bytes, iterations, init } => {
            nstream::weave(weave, arrays, array_bytes, iterations, init)?;
        }
        Generator::Qr { n, tile, init } => qr::weave(weave, n, tile, init)?,
        Generator::Cholesky { n, tile, init } => cholesky::weave(weave, n, tile, init)?,
        Generator::Smi { n, tile, init } => smi::weave(weave, n, tile, init)?,
        Generator::TaskBench(ref bench) => task_bench::weave(weave, bench)?,
        Generator::NpbCg { rows, nnz, chunks, repeat } => {
            loops::weave(weave, &parallel_codes::npb_cg((rows, nnz), chunks, repeat)?)?;
        }
        Generator::NpbMg { log2, chunks, repeat } => {
            loops::weave(weave, &parallel_codes::npb_mg(log2, chunks, repeat)?)?;
        }
        Generator::Streamcluster { points, dims, chunks, repeat } => {
            loops::weave(weave, &parallel_codes::streamcluster((points, dims), chunks, repeat)?)?;
        }
        Generator::Fluidanimate { particles, chunks, repeat } => {
            loops::weave(weave, &parallel_codes::fluidanimate(particles, chunks, repeat)?)?;
        }
        Generator::Ferret { queries, database } => ferret::weave(weave, queries, database)?,
        Generator::Stencil2d { n, rows, columns, iterations } => {
            stencil2d::weave(weave, n, (rows, columns), iterations)?;
        }
        Generator::Seismic { n, blocks, strips, iterations } => {
            seismic::weave(weave, n, (blocks, strips), iterations)?;
        }
    }
    Ok(weaver.finish())
}

/// The graph of a program of loops, for the nodes with cores `sockets` in ascending order; without any, nothing has a hint or an affinity.
///
/// # Errors
/// `chunks` that are 0 or not given; more tasks, blocks or accesses than are dealt with, before they are made.
pub fn generate_program(
    program: &Program,
    name: &str,
    sockets: &[NodeId],
) -> Result<TaskGraph, GenerateError> {
    let mut weaver = Weaver::new(name, sockets);
    loops::weave(&mut weaver, program)?;
    Ok(weaver.finish())
}
