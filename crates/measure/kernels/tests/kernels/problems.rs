//! Counts, requirements and errors of problems.

use numasim_kernels::blackscholes::{self, BlackScholes, Options};
use numasim_kernels::chase::{Chase, HOPS, MOST_CHAINS};
use numasim_kernels::grid::{Seismic, Stencil2d};
use numasim_kernels::kernel::{Lies, Problem, SetupError, Work};
use numasim_kernels::loops::Isa;
use numasim_kernels::matrix::{Dmv, Lattice, Spmv};
use numasim_kernels::memcpy::Memcpy;
use numasim_kernels::stream::{Operation, Stream};
use numasim_model::problem::{Elements, Faults, How, Partition, Source, Storage};

use crate::together::{prepare, team, with};

#[test]
fn work_by_hand() {
    let intensity = |work: Work| work.flop as f64 / work.bytes as f64;
    // 16 x 5120^2 bytes and 32 x 5120 of vectors, 8 x 5120^2 FLOP.
    let dmv = Dmv { rows: 5120 }.work();
    assert_eq!(dmv, Work { bytes: 419_430_400 + 163_840, flop: 209_715_200 });
    assert!((intensity(dmv) - 0.5).abs() < 1e-3);
    // 173,920 elements: 20 each, 5121 pointers of 4, 5120 x 32 of vectors.
    let lattice = Lattice { cells: [4, 4, 4] };
    let (elements, partition) = (Elements::Complex, Partition::Equal);
    let crystal = Spmv { lattice, elements, partition, storage: Storage::Whole };
    let spmv = crystal.work();
    assert_eq!(spmv, Work { bytes: 3_478_400 + 20_484 + 163_840, flop: 1_391_360 });
    assert!((intensity(spmv) - 0.38).abs() < 1e-3);
    // 12 each, the pointers, 5120 x 16 of vectors; 2 FLOP each.
    let real = Spmv { elements: Elements::Real, ..crystal }.work();
    assert_eq!(real, Work { bytes: 2_087_040 + 20_484 + 81_920, flop: 347_840 });
    // 200 points: 16 bytes and 5 FLOP, 84 and 22.
    assert_eq!(Stencil2d { rows: 10, columns: 20 }.work(), Work { bytes: 3200, flop: 1000 });
    assert_eq!(Seismic { rows: 10, columns: 20 }.work(), Work { bytes: 16_800, flop: 4400 });
    // 69 FLOP for 28 bytes.
    let options = BlackScholes { options: 1000 }.work();
    assert_eq!(options, Work { bytes: 28_000, flop: 69_000 });
    assert_eq!(Stream { elements: 10, operation: Operation::Triad }.work(), Work { bytes: 240, flop: 20 });
    let copy = Memcpy { words: 512, source: Source::Own, faults: Faults::Before, how: How::Library };
    assert_eq!(copy.work(), Work { bytes: 8192, flop: 0 });
    assert_eq!(Chase { lines: 9, chains: 2 }.work(), Work { bytes: 128 * HOPS as u64, flop: 0 });
}

#[test]
fn options_take_28_bytes() {
    let needs = BlackScholes { options: 10_000_000 }.arrays(&team(&[0])).expect("possible");
    // Five numbers, a type and a price of 4 bytes, 40 MB each.
    assert_eq!(needs.iter().map(|need| need.bytes).collect::<Vec<_>>(), [40_000_000; 7]);
}

#[test]
fn put_call_parity_holds() {
    // C - P = S - K e^(-r T).
    let range = |from: f32, to: f32, k: usize| from + (to - from) * (k * 37 % 101) as f32 / 100.0;
    let of = |from, to, by: usize| (0..500).map(|k| range(from, to, k * by + by)).collect::<Vec<f32>>();
    let (spot, strike, rate) = (of(10.0, 200.0, 1), of(10.0, 200.0, 3), of(0.0275, 0.1, 5));
    let (volatility, time) = (of(0.05, 0.65, 7), of(0.05, 1.0, 11));
    for isa in Isa::available() {
        let price = |put: u32| {
            let (mut prices, put) = (vec![0.0; 500], vec![put; 500]);
            let options = Options {
                spot: &spot,
                strike: &strike,
                rate: &rate,
                volatility: &volatility,
                time: &time,
                put: &put,
            };
            blackscholes::price(isa, options, &mut prices);
            prices
        };
        for (k, (call, put)) in price(0).into_iter().zip(price(1)).enumerate() {
            let [s, strike, r, t] = [spot[k], strike[k], rate[k], time[k]].map(f64::from);
            let (found, expected) = (f64::from(call - put), s - strike * (-r * t).exp());
            assert!((found - expected).abs() < 1e-4 * s.max(strike), "{k}: {found} {expected}");
        }
    }
}

#[test]
fn parts_have_about_the_same_number_of_elements() {
    let lattice = Lattice { cells: [3, 3, 5] };
    let of = |partition| {
        let mut work = Vec::new();
        let problem = Spmv { lattice, elements: Elements::Real, partition, storage: Storage::Whole };
        with(&problem, &team(&[0; 7]), Isa::best(), |kernel| {
            work.extend((0..7).map(|part| kernel.work(part).flop as f64 / 8.0));
        });
        let mean = work.iter().sum::<f64>() / 7.0;
        (work.into_iter().fold(0.0, f64::max) / mean, 1.0 + 41.0 / mean)
    };
    let (uneven, even) = (of(Partition::Equal), of(Partition::Nonzeros));
    // At most a row more than the mean.
    assert!(even.0 <= even.1 && uneven.0 > even.0, "{uneven:?} {even:?}");
}

#[test]
fn blocks_are_placed_with_their_groups() {
    let lattice = Lattice { cells: [2, 2, 2] };
    let (elements, partition) = (Elements::Complex, Partition::Equal);
    let problem = Spmv { lattice, elements, partition, storage: Storage::PerNode };
    let needs = problem.arrays(&team(&[0, 0, 1])).expect("possible");
    let groups: Vec<&Lies> = needs.iter().take(8).map(|need| &need.lies).collect();
    assert_eq!(groups, [[&Lies::Group(0); 4], [&Lies::Group(1); 4]].concat());
    // 640 rows: 426 of the first two parts, 214 of the last; each block has a pointer more.
    assert_eq!((needs[0].bytes, needs[4].bytes, needs.len()), (4 * 427, 4 * 215, 14));
    // Without imaginary parts three arrays of each block and three vectors.
    let real = Spmv { elements: Elements::Real, ..problem }.arrays(&team(&[0, 0, 1])).expect("possible");
    assert_eq!((real.len(), real[3].bytes), (9, 4 * 215));
}

#[test]
fn impossible_problems_are_reported() {
    let one = team(&[0]);
    let error = |problem: &dyn Problem| problem.arrays(&one).expect_err("impossible").to_string();
    assert_eq!(error(&Dmv { rows: 0 }), "rows 0: from 1 to 16777216 are possible");
    let lattice = Lattice { cells: [usize::MAX, 2, 1] };
    let (elements, partition) = (Elements::Real, Partition::Equal);
    let spmv = Spmv { lattice, elements, partition, storage: Storage::Whole };
    assert!(error(&spmv).ends_with("from 1 to 48000000 are possible"));
    assert_eq!(spmv.work(), Work::default());
    let wide = Stencil2d { rows: 1, columns: 1 << 25 };
    assert_eq!(error(&wide), "columns 33554432: from 1 to 16777216 are possible");
    assert_eq!(error(&Seismic { rows: 0, columns: 1 }), "rows 0: from 1 to 16777216 are possible");
    let chains = MOST_CHAINS + 1;
    assert_eq!(error(&Chase { lines: 99, chains }), "chains 33: from 1 to 32 are possible");
    let problem = Stream { elements: 9, operation: Operation::Add };
    let (mut a, mut b, mut c) = (vec![0.0; 9], vec![0.0; 9], vec![0.0; 8]);
    let short = problem.on(&one, Isa::Portable.into(), vec![&mut a, &mut b, &mut c]).map(drop);
    assert_eq!(short.expect_err("short").to_string(), "elements of c need 72 bytes, and the memory has 64");
    let few = problem.on(&one, Isa::Portable.into(), vec![&mut a]).map(drop);
    assert_eq!(few, Err(SetupError::Arrays { needed: 3, given: 1 }));
}

#[test]
fn copies_into_untouched_memory_are_measured_once() {
    for (faults, most) in [(Faults::Inside, Some(1)), (Faults::Before, None)] {
        let problem = Memcpy { words: 1024, source: Source::Shared, faults, how: How::Streaming };
        let needs = problem.arrays(&team(&[0, 0])).expect("possible");
        let untouched: Vec<bool> = needs.iter().map(|need| need.untouched).collect();
        assert_eq!(untouched, [false, most.is_some(), most.is_some()]);
        let memory = with(&problem, &team(&[0, 0]), Isa::best(), |kernel| {
            prepare(kernel);
            assert_eq!(kernel.most_steps(), most);
        });
        // Two pages of 512 words are touched, or none (all were NaN).
        let touched = memory[1][1..].iter().filter(|word| !word.is_nan()).count();
        assert_eq!(touched, if faults == Faults::Before { 2 } else { 0 });
    }
}
