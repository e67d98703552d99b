//! `numasim import`: a machine file, a measured CSV, an application or a graph of tasks from what another tool printed.

#![allow(clippy::result_large_err, reason = "a problem is made once in a run, and ends it")]

mod graph;
mod topology;

use std::path::Path;

use numasim_evidence::formats::matrix::{Given, machine_file, read_mlc};
use numasim_evidence::formats::runs;
use numasim_evidence::formats::runs::{Runs, read_likwid};
use numasim_evidence::formats::stream::read_stream;
use numasim_evidence::formats::topology::likwid::read_likwid_topology;
use numasim_graph::import::{dot, starpu, wfcommons};
use numasim_study::Problem;

use crate::args::{FileArgs, ImportArgs, ImportKind};
use crate::commands::profile_app;
use crate::failure::Failure;
use crate::files;
use crate::output::Destination;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &ImportArgs, shell: &Shell) -> Result<(), Failure> {
    match &args.kind {
        ImportKind::Mlc(mlc) => {
            let matrices = read(&mlc.file, |text| read_mlc(text, mlc.select.as_deref()))?;
            let name = mlc.name.as_ref().or(mlc.select.as_ref()).cloned().unwrap_or_else(|| stem(&mlc.file));
            let file = mlc.file.file_name().unwrap_or(mlc.file.as_os_str()).to_string_lossy();
            let source = format!("node-to-node matrix in {file}, read by numasim import mlc");
            let given = Given { cores_per_node: mlc.cores_per_node, gflops_per_core: mlc.gflops_per_core };
            let text = machine_file(&matrices, &name, &source, given)
                .map_err(|why| Failure::input(format!("{}: {why}", mlc.file.display())))?;
            deliver(&mlc.output, &text)
        }
        ImportKind::Hwloc(hwloc) => deliver(&hwloc.output, &topology::of_xml(&hwloc.file, &hwloc.given)?),
        ImportKind::Numactl(args) => topology::numactl(args),
        ImportKind::Lscpu(args) => topology::lscpu(args),
        ImportKind::LikwidTopology(args) => {
            let found = read(&args.file, read_likwid_topology)?;
            let text = topology::machine(found, "likwid-topology", &[&args.file], &args.given, None)?;
            deliver(&args.output, &text)
        }
        ImportKind::Perf(args) => profile_app::run(&args.into(), shell),
        ImportKind::LikwidPerfctr(args) => profile_app::run(&args.into(), shell),
        ImportKind::Likwid(likwid) => {
            let found = read(&likwid.file, |text| read_likwid(text, likwid.select.as_deref()))?;
            deliver(&likwid.output, &csv(&found)?)
        }
        ImportKind::Stream(stream) => {
            let found = read(&stream.file, read_stream)?;
            deliver(&stream.output, &csv(&found)?)
        }
        ImportKind::Wfcommons(args) => graph::run(&args.file, &args.output, shell, |text, name| {
            wfcommons::read(text, name, args.reference_gflops)
        }),
        ImportKind::Dot(args) => graph::run(&args.file, &args.output, shell, dot::read),
        ImportKind::Starpu(args) => graph::run(&args.file, &args.output, shell, |text, name| {
            starpu::read(text, name, args.reference_gflops)
        }),
    }
}

/// Reads a file; what is wrong with it is shown where it is.
fn read<T>(path: &Path, read: impl FnOnce(&str) -> Result<T, Problem>) -> Result<T, Failure> {
    let source = files::read_measurements(path)?;
    read(&source.text).map_err(|problem| files::refused(&[problem], source.clone()))
}

fn csv((found, notes): &Runs) -> Result<String, Failure> {
    runs::csv(found, notes).map_err(|error| Failure::fault("cannot write CSV").caused_by(&error))
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn deliver(output: &FileArgs, text: &str) -> Result<(), Failure> {
    Destination::open(output.output.as_deref())?.deliver(text)
}
