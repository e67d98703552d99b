//! Kernels that threads run together, compared with the rates they must reach. Each table lists our kernel first, and all sides are
//! measured in turn.

use std::process::Command;

use numasim_kernels::blackscholes::{self, BlackScholes};
use numasim_kernels::chase::Chase;
use numasim_kernels::kernel::Problem;
use numasim_kernels::matrix::{Dmv, Lattice, Spmv};
use numasim_kernels::memcpy::Memcpy;
use numasim_kernels::stream::{Operation, Stream};
use numasim_kernels::synthetic::{Kernel, PreparedKernel};
use numasim_model::Access;
use numasim_model::problem::{Elements, Faults, How, Partition, Source, Storage};
use numasim_model::units::FlopPerByte;

use crate::duel::{best, likwid};
use crate::measure::{Bench, Rate, middle_and_spread};
use crate::options::Options;
use crate::pairs::Pairs;
use crate::placed::Placed;
use crate::system::Failure;

/// Numbers of chains in the table that shows how many lines a core waits for.
const CHAINS: [usize; 7] = [1, 2, 4, 8, 12, 16, 32];

/// One side of a comparison.
enum Side {
    /// One of our kernels.
    Placed(Placed),
    /// A kernel of the benchmark with the same memory per thread.
    Bench(PreparedKernel, usize),
    /// The plain loop in C with the same number of options.
    C { program: std::path::PathBuf, options: usize },
    /// A kernel of `likwid-bench` with this number of bytes and iterations.
    Likwid { kernel: String, bytes: usize, iterations: u64 },
}

impl Side {
    fn measure(&mut self, bench: &mut Bench, threads: usize) -> Result<Rate, Failure> {
        match self {
            Self::Placed(placed) => placed.measure(),
            Self::Bench(kernel, len) => bench.measure(kernel, threads, *len),
            Self::C { program, options } => c(program, *options),
            Self::Likwid { kernel, bytes, iterations } => Ok(likwid(kernel, *bytes, threads, *iterations)?.0),
        }
    }
}

/// The contenders of a table, and the ratio that ours, the first one, must reach against each.
type Contender = (String, Side, Option<f64>);
type Sides = Vec<Contender>;

/// Measures a table.
#[allow(clippy::too_many_lines, reason = "one table after the other")]
pub(crate) fn run(
    part: &str,
    bench: &mut Bench,
    options: &mut Options,
    threads: usize,
) -> Result<(), Failure> {
    let processors = bench.processors[..threads].to_vec();
    let window = options.window;
    let ours = |options: &Options, access, problem: &dyn Problem| {
        Ok::<_, Failure>(Side::Placed(Placed::new(problem, &processors, options.loops(access)?, window)?))
    };
    let kernel = |options: &Options, access, intensity| {
        let kernel = options.prepared(Kernel::new(access, FlopPerByte::new(intensity))?)?;
        Ok::<_, Failure>(Side::Bench(kernel, options.bytes / size_of::<f64>()))
    };
    let gbs = |rate: Rate| rate.gbs;
    let total = options.bytes * threads;
    match part {
        "blackscholes" => {
            let count = options.bytes / 96;
            let mut sides: Sides = vec![(
                "numasim".to_owned(),
                ours(options, Access::Read, &BlackScholes { options: count })?,
                None,
            )];
            if threads == 1 {
                let program = compiled("blackscholes", include_str!("blackscholes.c"))?;
                sides.push((
                    "cc -O3 -march=native".to_owned(),
                    Side::C { program, options: count.min(1 << 20) },
                    Some(3.0),
                ));
            }
            let prices = |rate: Rate| 1e3 * rate.gflops / blackscholes::FLOP as f64;
            table("blackscholes", "M/s", sides, prices, bench, options, threads)
        }
        "dmv" => {
            let rows = ((total / 16) as f64).sqrt() as usize;
            let mut sides = vec![
                (format!("numasim, {rows} rows"), ours(options, Access::Read, &Dmv { rows })?, None),
                ("read at 1/2 FLOP/byte".to_owned(), kernel(options, Access::Read, 0.5)?, Some(0.95)),
            ];
            sides.extend(best_of_likwid(options, "load", threads)?);
            table("dmv", "GB/s", sides, gbs, bench, options, threads)
        }
        "spmv" => {
            // About 34 elements of 20 bytes in each of the 80 rows of a cell.
            let edge = ((total as f64 / (80.0 * 40.0 * 20.0)).cbrt() as usize).max(1);
            let lattice = Lattice { cells: [edge; 3] };
            let (elements, partition) = (Elements::Complex, Partition::Nonzeros);
            let spmv = Spmv { lattice, elements, partition, storage: Storage::Whole };
            let sides = vec![
                (format!("numasim, {} rows", lattice.rows()), ours(options, Access::Read, &spmv)?, None),
                ("read at 3/8 FLOP/byte".to_owned(), kernel(options, Access::Read, 0.375)?, Some(0.9)),
            ];
            table("spmv", "GB/s", sides, gbs, bench, options, threads)
        }
        "memcpy" => {
            let mut sides = Vec::new();
            for (name, how) in
                [("past caches", How::Streaming), ("memcpy of libc", How::Library), ("cached", How::Cached)]
            {
                let words = options.bytes / 16;
                let copy = Memcpy { words, source: Source::Own, faults: Faults::Before, how };
                let goal = (how == How::Library).then_some(1.0);
                sides.push((name.to_owned(), ours(options, Access::Copy, &copy)?, goal));
            }
            table("memcpy", "GB/s", sides, gbs, bench, options, threads)
        }
        "chase" => {
            let mut sides = Vec::new();
            for chains in CHAINS {
                sides.push((
                    format!("{chains} chain(s)"),
                    ours(options, Access::Read, &Chase { lines: options.bytes / 128, chains })?,
                    None,
                ));
            }
            // 64 bytes x chains x threads / GB/s are the nanoseconds of a hop.
            table("chase", "GB/s", sides, gbs, bench, options, threads)
        }
        "stream" | "stream-triad" => {
            let all = Operation::ALL.into_iter();
            for operation in all.filter(|&operation| part == "stream" || operation == Operation::Triad) {
                let access = match operation {
                    Operation::Copy | Operation::Scale => Access::Copy,
                    Operation::Add | Operation::Triad => Access::Triad,
                };
                let stream = Stream { elements: total / 24, operation };
                let mut sides = vec![(operation.as_str().to_owned(), ours(options, access, &stream)?, None)];
                let like = match operation {
                    Operation::Copy => Some((Access::Copy, 1.0 / 64.0)),
                    Operation::Triad => Some((Access::Triad, 1.0 / 12.0)),
                    Operation::Scale | Operation::Add => None,
                };
                if let Some((access, intensity)) = like {
                    let name = format!("bench's {}", access.as_str());
                    sides.push((name, kernel(options, access, intensity)?, Some(0.95)));
                }
                if operation == Operation::Triad {
                    sides.extend(best_of_likwid(options, "stream_mem", threads)?);
                }
                table("stream", "GB/s", sides, gbs, bench, options, threads)?;
            }
            Ok(())
        }
        _ => Err(format!("no part {part}").into()),
    }
}

/// The best kernel of likwid whose name starts with this prefix, if likwid is wanted.
fn best_of_likwid(options: &Options, prefix: &str, threads: usize) -> Result<Option<Contender>, Failure> {
    let found = if options.likwid { best(prefix, (options.bytes, threads), options)? } else { None };
    Ok(found.map(|(kernel, iterations)| {
        let bytes = options.bytes * threads;
        (format!("likwid's {kernel}"), Side::Likwid { kernel, bytes, iterations }, Some(1.0))
    }))
}

fn table(
    title: &str,
    unit: &str,
    mut sides: Sides,
    figure: impl Fn(Rate) -> f64,
    bench: &mut Bench,
    options: &mut Options,
    threads: usize,
) -> Result<(), Failure> {
    let mut found = vec![Vec::new(); sides.len()];
    for (_, side, _) in &sides {
        // The only side of this table that uses this memory.
        if let Side::Bench(kernel, len) = side {
            bench.fill(kernel, *len);
        }
    }
    for repetition in 1..=options.repeat {
        for ((name, side, _), found) in sides.iter_mut().zip(&mut found) {
            let rate = side.measure(bench, threads)?;
            options.keep(title, threads, name, repetition, rate)?;
            found.push(figure(rate));
        }
    }
    println!("\n{title}, {} {}, {threads} thread(s), {} repetitions", options.isa, unit, options.repeat);
    println!("{:<28} {unit:>9} {:>9} {:>12}", "", "spread %", "first/this");
    let mut first = None;
    for ((name, ..), found) in sides.iter().zip(found) {
        let (middle, wide) = middle_and_spread(&found)?;
        let first = *first.get_or_insert(middle);
        println!("{name:<28} {middle:>9.2} {wide:>9} {:>12.3}", first / middle);
    }
    let Some((ours, rivals)) = sides.split_first_mut() else { return Ok(()) };
    for (name, rival, goal) in rivals.iter_mut().filter(|(.., goal)| goal.is_some()) {
        let pairs = Pairs { title, threads, names: [&ours.0, name], figure: &figure, goal: *goal };
        pairs.run(options, |side| {
            if side == 0 { ours.1.measure(bench, threads) } else { rival.measure(bench, threads) }
        })?;
    }
    Ok(())
}

/// A C program, compiled for this processor.
fn compiled(name: &str, source: &str) -> Result<std::path::PathBuf, Failure> {
    let folder = std::env::temp_dir().join(format!("numasim-kernels-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (text, program) = (folder.join(name).with_extension("c"), folder.join(name));
    std::fs::write(&text, source)?;
    let status = Command::new("cc")
        .args(["-O3", "-march=native", "-o"])
        .arg(&program)
        .arg(&text)
        .arg("-lm")
        .status()?;
    if status.success() { Ok(program) } else { Err("cc did not compile the plain loop".into()) }
}

/// The rate of the plain loop: 28 bytes per option, and the number of FLOP that the kernel counts.
fn c(program: &std::path::Path, options: usize) -> Result<Rate, Failure> {
    let output = Command::new(program).args([options.to_string(), "4".to_owned()]).output()?;
    let text = String::from_utf8(output.stdout)?;
    let ns: f64 = text.split_whitespace().next().ok_or("the plain loop printed nothing")?.parse()?;
    Ok(Rate { gbs: blackscholes::BYTES as f64 / ns, gflops: blackscholes::FLOP as f64 / ns })
}
