//! What is asked on the command line, and where repetitions are kept.

use std::time::Duration;

use numasim_bench::kernel::Isa;

use crate::measure::Rate;
use crate::system::Failure;

pub(crate) struct Options {
    pub(crate) likwid: bool,
    pub(crate) parts: Vec<String>,
    /// As given; else one and all.
    pub(crate) threads: Option<Vec<usize>>,
    pub(crate) isa: Isa,
    pub(crate) repeat: usize,
    pub(crate) bytes: usize,
    pub(crate) window: Duration,
    pub(crate) csv: Option<csv::Writer<std::fs::File>>,
}

impl Options {
    pub(crate) fn read() -> Result<Self, Failure> {
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

    /// Keeps a repetition, at once.
    pub(crate) fn keep(
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
