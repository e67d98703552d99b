//! One kernel against those of `likwid-bench`.

use std::process::Command;

use numasim_bench::kernel::PreparedKernel;
use numasim_evidence::statistics::{bootstrap_median_interval, median};

use crate::measure::{Bench, Rate, middle_and_spread};
use crate::options::Options;
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

    /// Against the best rival alone, in fresh pairs, each first in every other: whoever was chosen among many may have been lucky.
    fn pairs(
        &self,
        bench: &mut Bench,
        options: &mut Options,
        rival: &str,
        iterations: u64,
    ) -> Result<(), Failure> {
        let len = self.bytes / size_of::<f64>();
        let title = format!("{}, pairs", self.title);
        let mut ratios = Vec::new();
        for pair in 1..=options.pairs {
            let mut both = [0.0; 2];
            for side in if pair % 2 == 0 { [0, 1] } else { [1, 0] } {
                let (name, rate) = if side == 0 {
                    ("numasim", bench.measure(&self.kernel, self.threads, len)?)
                } else {
                    (rival, likwid(rival, self.bytes * self.threads, self.threads, iterations)?.0)
                };
                options.keep(&title, self.threads, name, pair, rate)?;
                both[side] = (self.figure)(rate);
            }
            ratios.push(both[0] / both[1]);
        }
        let Some((low, high)) = bootstrap_median_interval(&ratios) else { return Ok(()) };
        let middle = median(&ratios).ok_or("no pair")?;
        println!("ours / {rival} in {} pairs of their own: {middle:.3} [{low:.3}, {high:.3}]", options.pairs);
        Ok(())
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
