//! Measures the kernels themselves on this host: against `likwid-bench`, and against the roofline they must follow.
//!
//! ```text
//! cargo run --release -p numasim-bench --example kernels -- --against likwid [--part read,triad,peak,roof]
//!     [--threads 1,2] [--isa avx2] [--repeat 10] [--kib 983040] [--seconds 0.2] [--csv FILE]
//! ```
//!
//! All sides of a table are measured in turn, repetition by repetition, so that drift of a shared machine favours none. Both
//! have huge pages (`likwid-bench` through GLIBC_TUNABLES, which is set here) and as much data. Every figure is a median; the
//! spread beside it is the sample standard deviation over the mean, and `--csv` keeps every repetition.
#![allow(unsafe_code)] // pinning and huge pages are calls of the operating system
// Durations and counts are positive and small.
#![allow(missing_docs, clippy::cast_possible_truncation, clippy::cast_sign_loss)]

use std::process::Command;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use numasim_bench::kernel::{Isa, Kernel, PreparedKernel, Work};
use numasim_evidence::measured::summary::Figure;
use numasim_model::Access;
use numasim_model::units::FlopPerByte;

type Failure = Box<dyn std::error::Error + Send + Sync>;

struct Options {
    likwid: bool,
    parts: Vec<String>,
    /// As given; else one and all.
    threads: Option<Vec<usize>>,
    isa: Isa,
    repeat: usize,
    bytes: usize,
    window: Duration,
    csv: Option<csv::Writer<std::fs::File>>,
}

impl Options {
    fn read() -> Result<Self, Failure> {
        let parts = ["read", "triad", "peak", "roof"].map(str::to_owned).to_vec();
        let window = Duration::from_millis(200);
        let mut options = Self {
            likwid: false,
            parts,
            threads: None,
            isa: Isa::best(),
            repeat: 10,
            bytes: 960 << 20,
            window,
            csv: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--against" if value == "likwid" => options.likwid = true,
                "--part" => options.parts = value.split(',').map(str::to_owned).collect(),
                "--threads" => {
                    options.threads = Some(value.split(',').map(str::parse).collect::<Result<_, _>>()?);
                }
                "--csv" => options.csv = Some(csv::Writer::from_path(value)?),
                "--isa" => options.isa = value.parse()?,
                "--repeat" => options.repeat = value.parse()?,
                "--kib" => options.bytes = value.parse::<usize>()? << 10,
                "--seconds" => options.window = Duration::from_secs_f64(value.parse()?),
                _ => return Err(format!("{word} {value} is not understood").into()),
            }
        }
        Ok(options)
    }
}

/// Anonymous memory with huge pages, for as long as the program lives.
#[cfg(target_os = "linux")]
fn memory(bytes: usize) -> Result<&'static mut [f64], Failure> {
    // SAFETY: new memory of this size, which nobody else knows and nobody unmaps; zeroed bytes are doubles.
    unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let start = libc::mmap(
            std::ptr::null_mut(),
            bytes,
            protection,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        if start == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error().into());
        }
        libc::madvise(start, bytes, libc::MADV_HUGEPAGE);
        Ok(std::slice::from_raw_parts_mut(start.cast(), bytes / size_of::<f64>()))
    }
}

/// The processors that this process may use.
#[cfg(target_os = "linux")]
fn processors() -> Vec<usize> {
    // SAFETY: the set is plain data, and the call fills it.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set);
        (0..libc::CPU_SETSIZE as usize).filter(|&cpu| libc::CPU_ISSET(cpu, &set)).collect()
    }
}

/// Binds the calling thread.
#[cfg(target_os = "linux")]
fn pin(cpu: usize) {
    // SAFETY: the set is plain data.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
    }
}

#[cfg(not(target_os = "linux"))]
fn memory(_: usize) -> Result<&'static mut [f64], Failure> {
    Err("this needs Linux: threads are bound, memory has huge pages".into())
}

#[cfg(not(target_os = "linux"))]
fn processors() -> Vec<usize> {
    vec![0]
}

#[cfg(not(target_os = "linux"))]
fn pin(_: usize) {}

/// GB/s and GFLOPS.
#[derive(Clone, Copy, Default)]
struct Rate {
    gbs: f64,
    gflops: f64,
}

/// A line of `--csv`.
#[derive(serde::Serialize)]
struct Row<'a> {
    table: &'a str,
    threads: usize,
    kernel: &'a str,
    repetition: usize,
    bandwidth_gbs: f64,
    gflops: f64,
}

impl Options {
    /// Keeps a repetition, at once.
    fn keep(
        &mut self,
        table: &str,
        threads: usize,
        kernel: &str,
        repetition: usize,
        rate: Rate,
    ) -> Result<(), Failure> {
        if let Some(csv) = &mut self.csv {
            let Rate { gbs, gflops } = rate;
            csv.serialize(Row { table, threads, kernel, repetition, bandwidth_gbs: gbs, gflops })?;
            csv.flush()?;
        }
        Ok(())
    }
}

/// The host's processors, each with its memory.
struct Bench {
    processors: Vec<usize>,
    memory: Vec<&'static mut [f64]>,
    window: Duration,
}

impl Bench {
    fn new(options: &Options) -> Result<Self, Failure> {
        let processors = processors();
        let memory = processors.iter().map(|_| memory(options.bytes)).collect::<Result<_, _>>()?;
        Ok(Self { processors, memory, window: options.window })
    }

    /// Fills the first `len` elements of each memory, by the thread that will work on it.
    fn fill(&mut self, kernel: &PreparedKernel, len: usize) {
        std::thread::scope(|scope| {
            for (&cpu, memory) in self.processors.iter().zip(&mut self.memory) {
                scope.spawn(move || {
                    pin(cpu);
                    kernel.fill(&mut memory[..len]);
                });
            }
        });
    }

    /// One window of `threads` threads on the first `len` elements of their memory.
    fn measure(&mut self, kernel: &PreparedKernel, threads: usize, len: usize) -> Result<Rate, Failure> {
        let (barrier, window) = (Barrier::new(threads), self.window);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (self.processors.iter().zip(&mut self.memory).take(threads))
                .map(|(&cpu, memory)| {
                    let barrier = &barrier;
                    scope.spawn(move || {
                        pin(cpu);
                        let data = &mut memory[..len];
                        let mut cursor = kernel.cursor(len);
                        barrier.wait();
                        let start = Instant::now();
                        while start.elapsed() < window / 4 {
                            kernel.run(data, &mut cursor);
                        }
                        let (start, mut all) = (Instant::now(), Work::default());
                        let mut elapsed = Duration::ZERO;
                        while elapsed < window {
                            all += kernel.run(data, &mut cursor);
                            elapsed = start.elapsed();
                        }
                        let ns = elapsed.as_secs_f64() * 1e9;
                        Rate { gbs: all.bytes as f64 / ns, gflops: all.flop as f64 / ns }
                    })
                })
                .collect();
            let mut all = Rate::default();
            for thread in threads {
                let rate = thread.join().map_err(|_| "a thread panicked")?;
                all = Rate { gbs: all.gbs + rate.gbs, gflops: all.gflops + rate.gflops };
            }
            Ok(all)
        })
    }
}

/// The kernels of `likwid-bench` whose names begin so, in double precision.
fn likwid_kernels(prefix: &str) -> Result<Vec<String>, Failure> {
    let output = Command::new("likwid-bench").arg("-a").output()?;
    let names = String::from_utf8(output.stdout)?;
    let names = names.lines().filter_map(|line| line.split_whitespace().next());
    Ok(names.filter(|name| name.starts_with(prefix) && !name.contains("_sp")).map(str::to_owned).collect())
}

/// One run of `likwid-bench`, and its seconds per iteration.
fn likwid(kernel: &str, bytes: usize, threads: usize, iterations: u64) -> Result<(Rate, f64), Failure> {
    let output = Command::new("likwid-bench")
        .args(["-t", kernel, "-w", &format!("S0:{}kB:{threads}", bytes / 1000)])
        .args(["-i", &iterations.to_string()])
        .env("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let figure = |name: &str| -> Result<f64, Failure> {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let word = line.and_then(|line| line.split_whitespace().next());
        Ok(word.ok_or_else(|| format!("likwid-bench -t {kernel} printed no {name}"))?.parse()?)
    };
    let rate = Rate { gbs: figure("MByte/s:")? / 1e3, gflops: figure("MFlops/s:")? / 1e3 };
    Ok((rate, figure("Time:")? / iterations as f64))
}

/// Median, and the spread in percent; it is not known of one repetition.
fn middle_and_spread(values: &[f64]) -> Result<(f64, String), Failure> {
    let figure = Figure::of(values).ok_or("nothing was measured: --repeat must be at least 1")?;
    Ok((figure.median, figure.spread.map_or("-".to_owned(), |spread| format!("{:.1}", 100.0 * spread))))
}

/// One table: our kernel against those of likwid.
struct Duel<'a> {
    title: &'a str,
    kernel: PreparedKernel,
    rivals: &'a str,
    bytes: usize,
    threads: usize,
    figure: fn(Rate) -> f64,
    unit: &'a str,
}

impl Duel<'_> {
    fn run(&self, bench: &mut Bench, options: &mut Options) -> Result<(), Failure> {
        let mut rivals = if options.likwid { likwid_kernels(self.rivals)? } else { Vec::new() };
        let len = self.bytes / size_of::<f64>();
        bench.fill(&self.kernel, len);
        let mut iterations = Vec::new();
        rivals.retain(|rival| {
            let few = if self.bytes > 1 << 20 { 2 } else { 2000 };
            match likwid(rival, self.bytes * self.threads, self.threads, few) {
                Ok((_, seconds)) => {
                    iterations.push(few.max((options.window.as_secs_f64() / seconds) as u64));
                    true
                }
                // `stream_mem` of version 5.2 ends with a segmentation fault.
                Err(why) => {
                    eprintln!("left out: {why}");
                    false
                }
            }
        });
        let mut ours = Vec::new();
        let mut theirs = vec![Vec::new(); rivals.len()];
        let name = format!("numasim {}", self.kernel.isa());
        for repetition in 1..=options.repeat {
            let rate = bench.measure(&self.kernel, self.threads, len)?;
            options.keep(self.title, self.threads, &name, repetition, rate)?;
            ours.push((self.figure)(rate));
            for ((rival, &iterations), all) in rivals.iter().zip(&iterations).zip(&mut theirs) {
                let (rate, _) = likwid(rival, self.bytes * self.threads, self.threads, iterations)?;
                options.keep(self.title, self.threads, rival, repetition, rate)?;
                all.push((self.figure)(rate));
            }
        }
        let (middle, wide) = middle_and_spread(&ours)?;
        println!("\n{}, {} thread(s), {} repetitions", self.title, self.threads, options.repeat);
        println!("{:<24} {:>9} {:>9} {:>12}", "", self.unit, "spread %", "ours/theirs");
        println!("{name:<24} {middle:>9.2} {wide:>9}");
        let mut best = None;
        for (rival, all) in rivals.iter().zip(theirs) {
            let (theirs, wide) = middle_and_spread(&all)?;
            best = Some(best.unwrap_or(theirs).max(theirs));
            println!("{rival:<24} {theirs:>9.2} {wide:>9} {:>12.3}", middle / theirs);
        }
        if let Some(best) = best {
            println!("{:<24} {best:>9.2} {:>9} {:>12.3}", "best of likwid", "", middle / best);
        }
        Ok(())
    }
}

/// The kernel at every intensity against min(peak, intensity x bandwidth), with both plateaus measured by itself.
fn roofline(bench: &mut Bench, options: &mut Options, threads: usize) -> Result<(), Failure> {
    let len = options.bytes / size_of::<f64>();
    let peak = Kernel::peak().prepare(options.isa)?;
    let kernels = (-6..=6)
        .map(|exponent| {
            Ok(Kernel::new(Access::Read, FlopPerByte::new(2.0_f64.powi(exponent)))?.prepare(options.isa)?)
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    bench.fill(&peak, len);
    let (mut peaks, mut bandwidths) = (Vec::new(), Vec::new());
    let (mut rates, mut shares) = (vec![Vec::new(); kernels.len()], vec![Vec::new(); kernels.len()]);
    for repetition in 1..=options.repeat {
        let top = bench.measure(&peak, threads, L1_BYTES / size_of::<f64>())?;
        options.keep("roofline", threads, "peak in the first-level cache", repetition, top)?;
        let top = top.gflops;
        let all: Vec<Rate> =
            kernels.iter().map(|kernel| bench.measure(kernel, threads, len)).collect::<Result<_, _>>()?;
        let bandwidth = all[1].gbs; // 1/32
        for (at, rate) in all.iter().enumerate() {
            let intensity = kernels[at].kernel().arithmetic_intensity().value();
            options.keep("roofline", threads, &format!("{intensity} FLOP/byte"), repetition, *rate)?;
            shares[at].push(rate.gflops / top.min(intensity * bandwidth));
            rates[at].push(rate.gflops);
        }
        peaks.push(top);
        bandwidths.push(bandwidth);
    }
    let ((top, _), (bandwidth, _)) = (middle_and_spread(&peaks)?, middle_and_spread(&bandwidths)?);
    println!("\nroofline, {threads} thread(s), {} repetitions, {}", options.repeat, options.isa);
    println!(
        "peak {top:.2} GFLOPS (in the first-level cache), {bandwidth:.2} GB/s (at 1/32), knee at {:.2} FLOP/byte",
        top / bandwidth
    );
    println!("{:>9} {:>9} {:>9} {:>10}", "FLOP/byte", "GFLOPS", "roof", "of roof");
    for ((kernel, rates), shares) in kernels.iter().zip(rates).zip(shares) {
        let intensity = kernel.kernel().arithmetic_intensity().value();
        let roof = top.min(intensity * bandwidth);
        let ((rate, _), (share, _)) = (middle_and_spread(&rates)?, middle_and_spread(&shares)?);
        println!("{intensity:>9.4} {rate:>9.2} {roof:>9.2} {share:>10.3}");
    }
    Ok(())
}

/// Data that fits the first-level cache of any processor.
const L1_BYTES: usize = 16 << 10;

fn main() -> Result<(), Failure> {
    let mut options = Options::read()?;
    let mut bench = Bench::new(&options)?;
    let mut counts = options.threads.clone().unwrap_or_else(|| vec![1, bench.processors.len()]);
    counts.dedup();
    if let Some(many) = counts.iter().find(|&&count| count < 1 || count > bench.processors.len()) {
        return Err(format!("{many} threads: from 1 to {} are possible here", bench.processors.len()).into());
    }
    let isa = options.isa;
    let prepared = |access, intensity| -> Result<PreparedKernel, Failure> {
        Ok(Kernel::new(access, FlopPerByte::new(intensity))?.prepare(isa)?)
    };
    for part in &options.parts.clone() {
        for &threads in &counts {
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
                _ => return Err(format!("no part {part}").into()),
            };
            duel.run(&mut bench, &mut options)?;
        }
    }
    Ok(())
}
