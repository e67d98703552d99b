//! Measures the kernels themselves on this host: against `likwid-bench`, and against the roofline they must follow.
//!
//! ```text
//! cargo run --release -p numasim-bench --features examples --example kernels -- --against likwid [--part read,triad,peak,roof]
//!     [--threads 1,2] [--isa avx2] [--repeat 10] [--pairs 20] [--machine FILE] [--kib 983040] [--seconds 0.2] [--csv FILE]
//! ```
//!
//! Kernels that threads run together (`--part blackscholes,dmv,spmv,memcpy,chase,stream`; blackscholes needs `cc`) are listed next to the
//! rates they must reach: the benchmark's own kernel of the same intensity, `memcpy` of the C library, and a plain loop in C. Each of their
//! results is compared with a serial run. Their memory stays allocated until the end, so run one part at a time if memory is scarce. After
//! each table ours and each rival that it must reach are measured again in pairs. `--part goals` selects the parts with a required ratio,
//! and with `--against likwid` also compares them with its best kernels.
//!
//! `--machine` makes the kernels use the access variants from the file (`[machine.kernels]`, which `calibrate` writes). After the table
//! with all rivals, the best of them and ours are measured again in pairs: the ratio is that of the pairs alone, with a bootstrap interval.
//!
//! All sides of a table are measured in turn, repetition by repetition, so that drift of a shared machine favours none. Both have huge
//! pages (`likwid-bench` through GLIBC_TUNABLES, which is set here) and the same amount of data. Every value is a median. The spread next
//! to it is the sample standard deviation over the mean, and `--csv` stores every repetition.
#![allow(unsafe_code)] // pinning and huge pages need system calls
// Durations and counts are positive and small.
#![allow(missing_docs, clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod contest;
mod duel;
mod measure;
mod options;
mod pairs;
mod placed;
mod roofline;
mod system;

use numasim_kernels::synthetic::{Kernel, PreparedKernel};
use numasim_model::Access;
use numasim_model::units::FlopPerByte;

use duel::Duel;
use measure::{Bench, L1_BYTES, Rate};
use options::Options;
use roofline::roofline;
use system::Failure;

fn main() -> Result<(), Failure> {
    let mut options = Options::read()?;
    let mut bench = Bench::new(options.bytes, options.window)?;
    let mut counts = options.threads.clone().unwrap_or_else(|| vec![1, bench.processors.len()]);
    counts.dedup();
    if let Some(many) = counts.iter().find(|&&count| count < 1 || count > bench.processors.len()) {
        return Err(format!("{many} threads: from 1 to {} are possible here", bench.processors.len()).into());
    }
    for part in &options.parts.clone() {
        for &threads in &counts {
            let prepared = |access, intensity| -> Result<PreparedKernel, Failure> {
                options.prepared(Kernel::new(access, FlopPerByte::new(intensity))?)
            };
            let (bytes, gbs): (_, fn(Rate) -> f64) = (options.bytes, |rate| rate.gbs);
            let duel = match part.as_str() {
                "read" => {
                    let (title, kernel) = ("read at 1/32 FLOP/byte", prepared(Access::Read, 1.0 / 32.0)?);
                    Duel { title, kernel, rivals: "load", bytes, threads, figure: gbs, unit: "GB/s" }
                }
                "triad" => {
                    let (title, kernel) = ("triad past the caches", prepared(Access::Triad, 1.0 / 12.0)?);
                    Duel { title, kernel, rivals: "stream_mem", bytes, threads, figure: gbs, unit: "GB/s" }
                }
                "peak" => {
                    let (title, kernel) = ("peak, 16 KiB per thread", Kernel::peak().prepare(options.isa)?);
                    let figure: fn(Rate) -> f64 = |rate| rate.gflops;
                    Duel {
                        title,
                        kernel,
                        rivals: "peakflops",
                        bytes: L1_BYTES,
                        threads,
                        figure,
                        unit: "GFLOPS",
                    }
                }
                "roof" => {
                    roofline(&mut bench, &mut options, threads)?;
                    continue;
                }
                _ => {
                    contest::run(part, &mut bench, &mut options, threads)?;
                    continue;
                }
            };
            duel.run(&mut bench, &mut options)?;
        }
    }
    Ok(())
}
