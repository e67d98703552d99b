//! The command-line options, and the file for repetitions.

use std::time::Duration;

use numasim_kernels::loops::{Isa, Loops};
use numasim_kernels::synthetic::{Kernel, PreparedKernel, Variant};
use numasim_model::{Access, Machine};
use numasim_study::{SourceFile, read_study};

use crate::measure::Rate;
use crate::system::Failure;

/// Kernels that threads run together and that have a required ratio.
const GOALS: [&str; 5] = ["dmv", "spmv", "stream-triad", "memcpy", "blackscholes"];

pub(crate) struct Options {
    pub(crate) likwid: bool,
    pub(crate) parts: Vec<String>,
    /// As given; else one thread and all threads.
    pub(crate) threads: Option<Vec<usize>>,
    pub(crate) isa: Isa,
    pub(crate) repeat: usize,
    /// Number of pairs against the best rival.
    pub(crate) pairs: usize,
    /// The machine file with settings for the kernels.
    pub(crate) machine: Option<Machine>,
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
            pairs: 20,
            machine: None,
            bytes: 960 << 20,
            window,
            csv: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--against" if value == "likwid" => options.likwid = true,
                "--part" if value == "goals" => options.parts = GOALS.map(str::to_owned).to_vec(),
                "--part" => options.parts = value.split(',').map(str::to_owned).collect(),
                "--threads" => {
                    options.threads = Some(value.split(',').map(str::parse).collect::<Result<_, _>>()?);
                }
                "--csv" => options.csv = Some(csv::Writer::from_path(value)?),
                "--isa" => options.isa = value.parse()?,
                "--repeat" => options.repeat = value.parse()?,
                "--pairs" => options.pairs = value.parse()?,
                "--machine" => options.machine = Some(machine(&value)?),
                "--kib" => options.bytes = value.parse::<usize>()? << 10,
                "--seconds" => options.window = Duration::from_secs_f64(value.parse()?),
                _ => return Err(format!("{word} {value} is not understood").into()),
            }
        }
        Ok(options)
    }

    /// The kernel with the access variant of the machine file, or the default one.
    pub(crate) fn prepared(&self, kernel: Kernel) -> Result<PreparedKernel, Failure> {
        let variant = self.variant(kernel.access())?;
        Ok(variant.map_or(kernel, |variant| kernel.with(variant)).prepare(self.isa)?)
    }

    /// The loops for a kernel with this use of memory.
    pub(crate) fn loops(&self, access: Access) -> Result<Loops, Failure> {
        Ok(Loops { isa: self.isa, way: self.variant(access)?.map(Into::into) })
    }

    fn variant(&self, access: Access) -> Result<Option<Variant>, Failure> {
        let said = self.machine.as_ref().and_then(|machine| machine.kernel_variants().of(access));
        Ok(said.map(|said| Variant::of_file(access, said)).transpose()?)
    }

    /// Writes a repetition immediately.
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

fn machine(path: &str) -> Result<Machine, Failure> {
    let file = SourceFile { name: path.to_owned(), text: std::fs::read_to_string(path)? };
    let reading = read_study(&[file]).map_err(|problems| format!("{path}: {problems:?}"))?;
    Ok(reading.study.machine)
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
