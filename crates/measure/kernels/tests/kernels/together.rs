//! Kernels that threads run together: right for any assignment of parts, equal in every bit, and a wrong result is detected.

use std::sync::Barrier;

use numasim_kernels::array::AccessError;
use numasim_kernels::blackscholes::BlackScholes;
use numasim_kernels::chase::Chase;
use numasim_kernels::grid::{Seismic, Stencil2d};
use numasim_kernels::kernel::{Kernel, Problem, Work, WrongResult};
use numasim_kernels::loops::{Isa, Loops, Stores, Way};
use numasim_kernels::matrix::{CALLS, Dmv, Lattice, Spmv};
use numasim_kernels::memcpy::Memcpy;
use numasim_kernels::stream::{Operation, Stream};
use numasim_kernels::team::Team;
use numasim_model::problem::{Elements, Faults, How, Partition, Source, Storage};
use proptest::prelude::*;

/// Problems of about one size, in all variants.
fn some(size: usize) -> Vec<Box<dyn Problem>> {
    let mut all: Vec<Box<dyn Problem>> = vec![
        Box::new(BlackScholes { options: size }),
        Box::new(Dmv { rows: size.min(70) }),
        Box::new(Chase { lines: size.max(3), chains: 3 }),
        Box::new(Stencil2d { rows: 1 + size / 20, columns: 1 + size % 41 }),
        Box::new(Seismic { rows: 1 + size / 20, columns: 1 + size % 41 }),
    ];
    for operation in Operation::ALL {
        all.push(Box::new(Stream { elements: size, operation }));
    }
    for partition in [Partition::Equal, Partition::Nonzeros] {
        for storage in [Storage::Whole, Storage::PerNode] {
            let lattice = Lattice { cells: [1 + size % 3, 1, 2] };
            for elements in [Elements::Complex, Elements::Real] {
                all.push(Box::new(Spmv { lattice, elements, partition, storage }));
            }
        }
    }
    for source in [Source::Shared, Source::PerNode, Source::Own] {
        for faults in [Faults::Inside, Faults::Before] {
            for how in [How::Streaming, How::Cached, How::Library] {
                all.push(Box::new(Memcpy { words: size, source, faults, how }));
            }
        }
    }
    all
}

pub(crate) fn team(groups: &[usize]) -> Team {
    Team::new(groups.to_vec()).expect("groups without gaps")
}

/// Memory with unknown contents that does not start at a line; the kernel on it, and then its contents.
pub(crate) fn with(
    problem: &dyn Problem,
    team: &Team,
    loops: impl Into<Loops>,
    use_it: impl FnOnce(&dyn Kernel),
) -> Vec<Vec<f64>> {
    let needs = problem.arrays(team).expect("possible");
    let mut memory: Vec<Vec<f64>> = needs.iter().map(|need| vec![f64::NAN; need.words() + 1]).collect();
    let kernel = problem
        .on(team, loops.into(), memory.iter_mut().map(|all| &mut all[1..]).collect())
        .expect("a kernel");
    use_it(&*kernel);
    drop(kernel);
    memory
}

pub(crate) fn prepare(kernel: &dyn Kernel) {
    (0..kernel.parts()).for_each(|part| kernel.prepare(part).expect("nobody runs"));
}

/// All parts, one after the other.
fn serially(kernel: &dyn Kernel, steps: u64) {
    for step in 0..steps * kernel.phases() {
        (0..kernel.parts()).for_each(|part| kernel.run(part, step).expect("prepared"));
    }
}

fn bits(memory: &[Vec<f64>]) -> Vec<Vec<u64>> {
    memory.iter().map(|all| all.iter().map(|word| word.to_bits()).collect()).collect()
}

#[test]
fn results_are_right_on_every_instruction_set() {
    for problem in some(100) {
        for isa in Isa::available() {
            for steps in [0, 1, 2, 7] {
                with(&*problem, &team(&[0, 0, 1]), isa, |kernel| {
                    prepare(kernel);
                    serially(kernel, steps);
                    let right = kernel.check(&[steps; 3]);
                    assert_eq!(right, Ok(()), "{}, {isa}, {steps} steps", problem.name());
                });
            }
        }
    }
}

#[test]
fn several_threads_match_one_thread() {
    for problem in some(3000) {
        let team = team(&[0, 1, 1, 0]);
        let steps = CALLS + 3;
        let threaded = with(&*problem, &team, Isa::best(), |kernel| {
            let barrier = Barrier::new(kernel.parts());
            std::thread::scope(|scope| {
                for part in 0..kernel.parts() {
                    let barrier = &barrier;
                    scope.spawn(move || {
                        kernel.prepare(part).expect("nobody runs");
                        barrier.wait();
                        for step in 0..steps * kernel.phases() {
                            kernel.run(part, step).expect("in step");
                            if kernel.in_lockstep() {
                                barrier.wait();
                            }
                        }
                    });
                }
            });
            assert_eq!(kernel.check(&[steps; 4]), Ok(()), "{}", problem.name());
        });
        let serial = with(&*problem, &team, Isa::Portable, |kernel| {
            prepare(kernel);
            serially(kernel, steps);
        });
        assert!(bits(&threaded) == bits(&serial), "{}", problem.name());
    }
}

#[test]
fn access_variants_do_not_change_results() {
    // 6144 and 3072 bytes are the defaults of kernels.
    let ways = [[0, 0], [256, 0], [0, 512], [6144, 3072], [12_288, 12_288]];
    for problem in some(3000) {
        let run = |loops: Loops| {
            bits(&with(&*problem, &team(&[0, 0, 1]), loops, |kernel| {
                prepare(kernel);
                serially(kernel, 3);
            }))
        };
        let own = run(Isa::Portable.into());
        for (isa, prefetch_bytes) in Isa::available().into_iter().flat_map(|isa| ways.map(|way| (isa, way))) {
            for (streams, stores) in
                [1, 2, 4].into_iter().flat_map(|count| Stores::ALL.map(|how| (count, how)))
            {
                let loops = Loops { isa, way: Some(Way { streams, prefetch_bytes, stores }) };
                assert!(run(loops) == own, "{}, {loops:?}", problem.name());
            }
        }
    }
}

#[test]
fn a_part_that_did_not_run_is_detected() {
    for problem in some(100) {
        with(&*problem, &team(&[0, 1]), Isa::best(), |kernel| {
            prepare(kernel);
            kernel.run(0, 0).expect("prepared");
            assert!(kernel.check(&[1, 1]).is_err(), "{}", problem.name());
        });
    }
}

#[test]
fn a_missing_step_is_detected_if_steps_write_different_values() {
    let problems: [Box<dyn Problem>; 6] = [
        Box::new(Dmv { rows: 9 }),
        Box::new(Stream { elements: 9, operation: Operation::Triad }),
        Box::new(Stream { elements: 9, operation: Operation::Scale }),
        Box::new(Chase { lines: 1000, chains: 2 }),
        Box::new(Stencil2d { rows: 9, columns: 9 }),
        Box::new(Seismic { rows: 9, columns: 9 }),
    ];
    for problem in problems {
        with(&*problem, &team(&[0]), Isa::best(), |kernel| {
            prepare(kernel);
            serially(kernel, 4);
            assert_eq!(kernel.check(&[4]), Ok(()));
            assert!(kernel.check(&[5]).is_err() && kernel.check(&[3]).is_err(), "{}", problem.name());
        });
    }
}

#[test]
fn a_wrong_element_is_named() {
    let problem = Stream { elements: 20, operation: Operation::Add };
    let mut memory = vec![vec![0.0; 20]; 3];
    let team = team(&[0, 0]);
    // The first part has elements 0 to 9 and ran; those of the other are still 0.
    let kernel = problem
        .on(&team, Isa::best().into(), memory.iter_mut().map(|all| &mut all[..]).collect())
        .expect("it");
    prepare(&*kernel);
    kernel.run(0, 0).expect("prepared");
    let Err(WrongResult::Element { what, index, found, expected }) = kernel.check(&[1, 1]) else {
        panic!("the second part did not run")
    };
    assert!(what == "elements of c" && index >= 10 && found == 0.0 && expected > 0.0);
}

#[test]
fn parts_in_lockstep_do_equal_numbers_of_steps() {
    let problem = Dmv { rows: 8 };
    with(&problem, &team(&[0, 0]), Isa::best(), |kernel| {
        prepare(kernel);
        serially(kernel, 2);
        assert_eq!(kernel.check(&[2, 1]), Err(WrongResult::Steps { part: 1, found: 1, expected: 2 }));
    });
}

#[test]
fn unsound_kernels_reject_unprepared_memory() {
    let lattice = Lattice { cells: [1, 1, 1] };
    let (elements, partition) = (Elements::Complex, Partition::Equal);
    let problem = Spmv { lattice, elements, partition, storage: Storage::Whole };
    with(&problem, &team(&[0]), Isa::best(), |kernel| {
        assert_eq!(kernel.run(0, 0), Err(AccessError::NotPrepared { what: "rows", part: 0 }));
    });
}

#[test]
fn the_work_of_parts_adds_up_to_that_of_the_problem() {
    for problem in some(100) {
        let team = team(&[0, 0, 0]);
        with(&*problem, &team, Isa::best(), |kernel| {
            let all: Work = (0..3).map(|part| kernel.work(part)).sum();
            let of_each_part = ["memcpy", "chase"].contains(&problem.name());
            let times = if of_each_part { 3 } else { 1 };
            let Work { bytes, flop } = problem.work();
            assert_eq!(all, Work { bytes: times * bytes, flop: times * flop }, "{}", problem.name());
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn any_size_in_any_parts_is_right(size in 1..700_usize, groups in prop::collection::vec(0..2_usize, 1..9), steps in 0..50_u64) {
        let mut groups = groups;
        // Without a gap.
        groups[0] = 0;
        let team = team(&groups);
        for problem in some(size) {
            with(&*problem, &team, Isa::best(), |kernel| {
                prepare(kernel);
                serially(kernel, steps);
                assert_eq!(kernel.check(&vec![steps; groups.len()]), Ok(()), "{}", problem.name());
            });
        }
    }

    #[test]
    fn results_do_not_depend_on_parts_or_instruction_sets(size in 1..300_usize, parts in 1..6_usize) {
        for problem in some(size).into_iter().filter(|problem| !["memcpy", "chase"].contains(&problem.name())) {
            let all = |parts: usize, isa| {
                let team = Team::of(parts).expect("some");
                bits(&with(&*problem, &team, isa, |kernel| {
                    prepare(kernel);
                    serially(kernel, 3);
                }))
            };
            prop_assert!(all(1, Isa::Portable) == all(parts, Isa::best()), "{}", problem.name());
        }
    }
}
