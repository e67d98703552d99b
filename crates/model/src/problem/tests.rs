//! Counts and sizes, calculated by hand.

use super::*;

fn intensity(problem: KernelProblem) -> f64 {
    problem.arithmetic_intensity().value()
}

#[test]
fn counts_of_the_papers_sizes_match_the_hand_calculation() {
    // 10^7 options x 100 runs: 69 FLOP and 28 bytes each.
    let options = KernelProblem::of(KernelName::BlackScholes);
    assert_eq!((options.flop(), options.bytes()), (69_000_000_000, 28_000_000_000));
    // 8 x 5120^2 = 209,715,200 and 16 x 5120^2 + 32 x 5120 = 419,594,240, 20 products.
    let dmv = KernelProblem::of(KernelName::Dmv);
    assert_eq!((dmv.flop(), dmv.bytes()), (4_194_304_000, 8_391_884_800));
    // 173,920 elements: 8 and 20 each, 5121 x 4 + 5120 x 32 = 184,324.
    let spmv = KernelProblem::of(KernelName::Spmv);
    assert_eq!(spmv.step(), Work { bytes: 3_662_724, flop: 1_391_360 });
    // 4 GiB read and 4 GiB written by each thread.
    let copy = KernelProblem::of(KernelName::Memcpy);
    assert_eq!((copy.bytes(), copy.flop(), copy.whose()), (8 << 30, 0, Whose::EachThread));
    // 2^22 hops of one chain: every one of 2^28 / 64 lines.
    let chase = KernelProblem::of(KernelName::Chase);
    assert_eq!((chase.steps(), chase.bytes()), (1024, 1 << 28));
}

#[test]
fn intensities_match_the_hand_calculation() {
    // 69/28, 0.5, 8/21.06, 5/16, 22/84.
    for (kernel, expected) in [
        (KernelName::BlackScholes, 2.4643),
        (KernelName::Dmv, 0.4998),
        (KernelName::Spmv, 0.3799),
        (KernelName::Stencil2d, 0.3125),
        (KernelName::Seismic, 0.2619),
        (KernelName::Memcpy, 0.0),
        (KernelName::Chase, 0.0),
    ] {
        assert!((intensity(KernelProblem::of(kernel)) - expected).abs() < 1e-4, "{kernel:?}");
    }
    let real = KernelProblem::Spmv(Spmv { elements: Elements::Real, ..Spmv::default() });
    // 2 x 173,920 / (12 x 173,920 + 20,484 + 81,920) = 347,840 / 2,189,444.
    assert!((intensity(real) - 0.15887).abs() < 1e-5);
}

#[test]
fn given_intensities_must_be_close_to_the_count() {
    let options = KernelProblem::of(KernelName::BlackScholes);
    // 2.464 +- 0.123.
    assert!(options.has_intensity(FlopPerByte::new(2.5)) && !options.has_intensity(FlopPerByte::new(2.6)));
    let copy = KernelProblem::of(KernelName::Memcpy);
    assert!(copy.has_intensity(NEXT_TO_NOTHING) && !copy.has_intensity(FlopPerByte::new(0.1)));
}

#[test]
fn a_crystal_of_one_cell_matches_the_hand_calculation() {
    // One cell: 4 + 3 bonds stay inside. 80 rows, 80 + 2 x 7 x 100 elements.
    assert_eq!((Cells([1, 1, 1]).rows(), Cells([1, 1, 1]).nonzeros()), (80, 1480));
    // Two along x: 14 bonds inside; the others along x alone: b = x of the second and third atom's, 2 x (2 - 1) x 1 x 1 = 2.
    assert_eq!(Cells([2, 1, 1]).nonzeros(), 160 + 200 * 16);
}

#[test]
fn memory_sizes_match_the_hand_calculation() {
    let data = |kernel, threads, nodes| KernelProblem::of(kernel).data_bytes(threads, nodes);
    assert_eq!(data(KernelName::BlackScholes, 4, 2), 280_000_000);
    // 16 x 5120^2 + 3 x 16 x 5120.
    assert_eq!(data(KernelName::Dmv, 4, 2), 419_430_400 + 245_760);
    assert_eq!(data(KernelName::Memcpy, 4, 2), 5 << 32);
    let per_node = KernelProblem::Memcpy(Memcpy { source: Source::PerNode, ..Memcpy::default() });
    assert_eq!(per_node.data_bytes(4, 2), 6 << 32);
    assert_eq!(data(KernelName::Chase, 4, 2), 1 << 30);
    // Three grids of 8 bytes and seven of 4, 2^26 points each.
    assert_eq!((data(KernelName::Stencil2d, 4, 2), data(KernelName::Seismic, 4, 2)), (3 << 29, 7 << 28));
}

#[test]
fn the_largest_sizes_do_not_overflow() {
    let most = u64::MAX;
    let spmv = Spmv { cells: Cells([most; 3]), iterations: most, ..Spmv::default() };
    assert!(KernelProblem::Spmv(spmv).flop() > 0 && KernelProblem::Spmv(spmv).data_bytes(most, most) == most);
    let dmv = KernelProblem::Dmv(Dmv { rows: most, iterations: most });
    assert!(dmv.bytes() > 0);
}
