//! The model and the kernel count the same work for a problem.

use numasim_kernels::blackscholes::BlackScholes;
use numasim_kernels::chase::{Chase, HOPS, MOST_CHAINS};
use numasim_kernels::grid::{Seismic, Stencil2d};
use numasim_kernels::kernel::Problem;
use numasim_kernels::matrix::{CALLS, Dmv, Lattice, Spmv};
use numasim_kernels::memcpy::Memcpy;
use numasim_kernels::{count, stencil};
use numasim_model::problem::{self, Cells, KernelName, KernelProblem};
use numasim_model::problem::{Elements, Faults, How, Partition, Source, Storage};
use proptest::prelude::*;

use crate::together::team;

fn agree(kernel: &dyn Problem, model: KernelProblem, threads: usize) {
    assert_eq!(kernel.name(), model.kernel().as_str());
    let (own, said) = (kernel.work(), model.step());
    assert_eq!((own.bytes, own.flop), (said.bytes, said.flop), "{model:?}");
    let needs = kernel.arrays(&team(&vec![0; threads])).expect("possible");
    let bytes: usize = needs.iter().map(|need| need.bytes).sum();
    assert_eq!(bytes as u64, model.data_bytes(threads as u64, 1), "{model:?}");
}

proptest! {
    #[test]
    fn counts_are_the_same(
        size in 1_usize..3000,
        cells in [1_usize..6, 1_usize..6, 1_usize..6],
        chains in 1_usize..=MOST_CHAINS,
        threads in 1_usize..5,
    ) {
        let many = size as u64;
        let options = problem::BlackScholes { options: many, runs: 1 };
        agree(&BlackScholes { options: size }, KernelProblem::BlackScholes(options), threads);
        let dense = problem::Dmv { rows: many, iterations: 1 };
        agree(&Dmv { rows: size }, KernelProblem::Dmv(dense), threads);
        for (elements, of_model) in
            [(Elements::Complex, problem::Elements::Complex), (Elements::Real, problem::Elements::Real)]
        {
            let (lattice, partition) = (Lattice { cells }, Partition::Nonzeros);
            let sparse = Spmv { lattice, elements, partition, storage: Storage::Whole };
            let cells = Cells(cells.map(|n| n as u64));
            let crystal = problem::Spmv { cells, elements: of_model, ..problem::Spmv::default() };
            agree(&sparse, KernelProblem::Spmv(crystal), threads);
        }
        let (rows, columns) = (size, cells[0] * 31);
        let (high, wide) = (many, columns as u64);
        let grid = problem::Stencil2d { rows: high, columns: wide, iterations: 1 };
        agree(&Stencil2d { rows, columns }, KernelProblem::Stencil2d(grid), threads);
        let waves = problem::Seismic { rows: high, columns: wide, iterations: 1 };
        agree(&Seismic { rows, columns }, KernelProblem::Seismic(waves), threads);
        for (source, of_model) in
            [(Source::Shared, problem::Source::Shared), (Source::Own, problem::Source::Own)]
        {
            let mib = many.min(8);
            let copy = problem::Memcpy { size_mib: mib, source: of_model, ..problem::Memcpy::default() };
            let words = usize::try_from(copy.words()).expect("few");
            let kernel = Memcpy { words, source, faults: Faults::Before, how: How::Cached };
            agree(&kernel, KernelProblem::Memcpy(copy), threads);
        }
        let chase = problem::Chase { size_mib: many.min(8), chains: chains as u64, hops: 1 };
        let lines = usize::try_from(chase.lines()).expect("few");
        agree(&Chase { lines, chains }, KernelProblem::Chase(chase), threads);
    }
}

#[test]
fn a_step_of_a_stencil_is_five_flop_per_point() {
    // The function itself: 4 additions and a multiplication; a point is read and written once.
    assert_eq!(stencil::average(1.0, [2.0, 3.0, 4.0, 5.0]), 3.0);
    let grid = problem::Stencil2d { rows: 10, columns: 20, iterations: 1 };
    let step = KernelProblem::Stencil2d(grid).step();
    assert_eq!(step.flop as f64, count::AVERAGE * 200.0);
    assert_eq!(step.bytes, 16 * 200);
}

#[test]
fn steps_match_the_kernels() {
    assert_eq!(problem::Chase::HOPS, HOPS as u64);
    assert_eq!(problem::Chase::MOST_CHAINS, MOST_CHAINS as u64);
    // Ten iterations of two products are a run, after which vectors start again.
    assert_eq!(KernelProblem::of(KernelName::Dmv).steps(), CALLS);
}
