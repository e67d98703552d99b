//! One kernel against those of `likwid-bench`.

use std::process::Command;
use std::time::Duration;

use numasim_evidence::statistics::median;
use numasim_kernels::synthetic::PreparedKernel;

use crate::measure::{Bench, Rate, middle_and_spread};
use crate::options::Options;
use crate::pairs::Pairs;
use crate::system::Failure;

/// One table: our kernel against those of likwid.
pub(crate) struct Duel<'a> {
    pub(crate) title: &'a str,
    pub(crate) kernel: PreparedKernel,
    pub(crate) rivals: &'a str,
    pub(crate) bytes: usize,
    pub(crate) threads: usize,
    pub(crate) figure: fn(Rate) -> f64,
    pub(crate) unit: &'a str,
}

impl Duel<'_> {
    pub(crate) fn run(&self, bench: &mut Bench, options: &mut Options) -> Result<(), Failure> {
        let rivals = if options.likwid { likwid_kernels(self.rivals)? } else { Vec::new() };
        let len = self.bytes / size_of::<f64>();
        bench.fill(&self.kernel, len);
        let rivals = runnable(rivals, (self.bytes, self.threads), options.window);
        let iterations: Vec<u64> = rivals.iter().map(|(_, iterations)| *iterations).collect();
        let rivals: Vec<String> = rivals.into_iter().map(|(rival, _)| rival).collect();
        let mut ours = Vec::new();
        let mut theirs = vec![Vec::new(); rivals.len()];
        let name = format!("numasim, {}", self.kernel.variant());
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
        println!("numasim: {}", self.kernel.variant());
        println!("{:<24} {:>9} {:>9} {:>12}", "", self.unit, "spread %", "ours/theirs");
        println!("{:<24} {middle:>9.2} {wide:>9}", "numasim");
        let mut best: Option<(usize, f64)> = None;
        for (at, (rival, all)) in rivals.iter().zip(theirs).enumerate() {
            let (theirs, wide) = middle_and_spread(&all)?;
            if best.is_none_or(|(_, other)| theirs > other) {
                best = Some((at, theirs));
            }
            println!("{rival:<24} {theirs:>9.2} {wide:>9} {:>12.3}", middle / theirs);
        }
        match best {
            Some((at, _)) => self.pairs(bench, options, &rivals[at], iterations[at]),
            None => Ok(()),
        }
    }

    /// Measures against the best rival alone, in fresh pairs, and alternates which side goes first: a kernel chosen among many may have
    /// been lucky.
    fn pairs(
        &self,
        bench: &mut Bench,
        options: &mut Options,
        rival: &str,
        iterations: u64,
    ) -> Result<(), Failure> {
        let len = self.bytes / size_of::<f64>();
        let pairs = Pairs {
            title: self.title,
            threads: self.threads,
            names: ["numasim", rival],
            figure: &self.figure,
            goal: None,
        };
        pairs.run(options, |side| match side {
            0 => bench.measure(&self.kernel, self.threads, len),
            _ => Ok(likwid(rival, self.bytes * self.threads, self.threads, iterations)?.0),
        })
    }
}

/// The rivals that exit without an error, each with enough iterations to fill a window on this number of bytes for each of the threads.
fn runnable(rivals: Vec<String>, (bytes, threads): (usize, usize), window: Duration) -> Vec<(String, u64)> {
    let few = if bytes > 1 << 20 { 2 } else { 2000 };
    let tried = rivals.into_iter().filter_map(|rival| match likwid(&rival, bytes * threads, threads, few) {
        Ok((_, seconds)) => Some((rival, few.max((window.as_secs_f64() / seconds) as u64))),
        // `stream_mem` of version 5.2 exits with a segmentation fault.
        Err(why) => {
            eprintln!("left out: {why}");
            None
        }
    });
    tried.collect()
}

/// The rival with the highest bandwidth over a few rounds, of all whose names start with the prefix; each round runs all of them.
pub(crate) fn best(
    prefix: &str,
    (bytes, threads): (usize, usize),
    options: &Options,
) -> Result<Option<(String, u64)>, Failure> {
    let rivals = runnable(likwid_kernels(prefix)?, (bytes, threads), options.window);
    let mut found = vec![Vec::new(); rivals.len()];
    for _ in 0..options.repeat {
        for ((rival, iterations), found) in rivals.iter().zip(&mut found) {
            found.push(likwid(rival, bytes * threads, threads, *iterations)?.0.gbs);
        }
    }
    let middle = found.iter().map(|all| median(all).unwrap_or(0.0));
    Ok(rivals.into_iter().zip(middle).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(rival, _)| rival))
}

/// The kernels of `likwid-bench` whose names start with the prefix, in double precision.
fn likwid_kernels(prefix: &str) -> Result<Vec<String>, Failure> {
    let output = Command::new("likwid-bench").arg("-a").output()?;
    let names = String::from_utf8(output.stdout)?;
    let names = names.lines().filter_map(|line| line.split_whitespace().next());
    Ok(names.filter(|name| name.starts_with(prefix) && !name.contains("_sp")).map(str::to_owned).collect())
}

/// One run of `likwid-bench`, and its seconds per iteration.
pub(crate) fn likwid(
    kernel: &str,
    bytes: usize,
    threads: usize,
    iterations: u64,
) -> Result<(Rate, f64), Failure> {
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
