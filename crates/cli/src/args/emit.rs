//! The switches of `--emit`, which evaluate and explore share.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

/// What `--emit` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmitKind {
    /// Binds processors and memory of each process
    Numactl,
    /// Pins each OpenMP thread: OMP_NUM_THREADS, OMP_PLACES, OMP_PROC_BIND
    Omp,
    /// A batch script: srun with --cpu-bind and --mem-bind
    Slurm,
    /// Binds processors and memory of each process, with hwloc-bind
    Hwloc,
    /// Groups of cgroup v2 with cpuset.cpus and cpuset.mems
    Cgroup,
    /// Pins each thread, with likwid-pin
    Likwid,
}

/// `--emit`: commands instead of a table.
#[derive(Debug, Args)]
pub(crate) struct EmitArgs {
    /// Print a script that realises the allocation on the machine, instead of the table
    #[arg(long, value_name = "KIND", conflicts_with = "format", help_heading = "Output")]
    pub(crate) emit: Option<EmitKind>,

    /// Take processor numbers from an hwloc XML or from this host (`host`) instead of the machine file
    #[arg(long, value_name = "FILE", requires = "emit", value_parser = CpusFrom::parse, help_heading = "Output")]
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) cpus_from: Option<CpusFrom>,
}

/// What `--cpus-from` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CpusFrom {
    /// The machine on which numasim runs.
    Host,
    /// A file that `lstopo` wrote.
    Xml(PathBuf),
}

impl CpusFrom {
    /// Reads the value of the switch; every text is one.
    #[allow(clippy::unnecessary_wraps, reason = "clap wants a result")]
    fn parse(text: &str) -> Result<Self, std::convert::Infallible> {
        Ok(if text == "host" { Self::Host } else { Self::Xml(text.into()) })
    }
}
