//! `numasim import`: a machine file, a measured CSV, an application, a placement or a graph of tasks from the output of another tool.
#![allow(clippy::result_large_err, reason = "a problem is made once in a run, and ends it")]

use std::path::{Path, PathBuf};

use numasim_evidence::formats::hwloc::read_xml;
use numasim_evidence::formats::matrix::{self, machine_file, read_mlc};
use numasim_evidence::formats::placed::{self, Placed, docker, kubernetes, libvirt, rankfile};
use numasim_evidence::formats::runs::{self, Runs, read_likwid};
use numasim_evidence::formats::stream::read_stream;
use numasim_evidence::formats::topology::likwid::read_likwid_topology;
use numasim_evidence::formats::topology::lscpu::Lscpu;
use numasim_evidence::formats::topology::{Topology, read_numactl};
use numasim_graph::import::{Imported, Warning, dot, starpu, wfcommons};
use numasim_model::Machine;
use numasim_model::pinning::node_without_cpus;
use numasim_study::machine_file::{Given, skeleton_with};
use numasim_study::topology::Counting;
use numasim_study::{Problem, SourceFile};

use crate::args::{
    FiguresArgs, FileArgs, GraphFolder, ImportArgs, ImportKind, LscpuArgs, NumactlArgs, PlacedOn,
};
use crate::commands::{graph_folder, profile_app};
use crate::emit::processors;
use crate::failure::Failure;
use crate::files;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &ImportArgs, shell: &Shell) -> Result<(), Failure> {
    match &args.kind {
        ImportKind::Mlc(mlc) => {
            let matrices = read(&mlc.file, |text| read_mlc(text, mlc.select.as_deref()))?;
            let name = mlc.name.as_ref().or(mlc.select.as_ref()).cloned().unwrap_or_else(|| stem(&mlc.file));
            let file = mlc.file.file_name().unwrap_or(mlc.file.as_os_str()).to_string_lossy();
            let source = format!("node-to-node matrix in {file}, read by numasim import mlc");
            let given =
                matrix::Given { cores_per_node: mlc.cores_per_node, gflops_per_core: mlc.gflops_per_core };
            let text = machine_file(&matrices, &name, &source, given)
                .map_err(|why| Failure::input(format!("{}: {why}", mlc.file.display())))?;
            deliver(&mlc.output, &text)
        }
        ImportKind::Hwloc(hwloc) => deliver(&hwloc.output, &of_xml(&hwloc.file, &hwloc.given)?),
        ImportKind::Numactl(args) => numactl(args),
        ImportKind::Lscpu(args) => lscpu(args),
        ImportKind::LikwidTopology(args) => {
            let found = read(&args.file, read_likwid_topology)?;
            let text = machine(found, "likwid-topology", &[&args.file], &args.given, None)?;
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
        ImportKind::Libvirt(args) => {
            placed(&args.files, &args.on, "libvirt", true, |texts, _| each(texts, libvirt::read))
        }
        ImportKind::Docker(args) => {
            placed(&args.files, &args.on, "docker", true, |texts, _| each(texts, docker::read))
        }
        ImportKind::Kubernetes(args) => {
            placed(&args.files, &args.on, "kubernetes", false, |texts, _| kubernetes::read(texts))
        }
        ImportKind::Rankfile(args) => {
            let files: Vec<PathBuf> = [&args.file].into_iter().chain(&args.run).cloned().collect();
            placed(&files, &args.on, "rankfile", true, |texts, machine| {
                rankfile::read(texts[0], texts.get(1).copied(), &stem(&args.file), machine)
            })
        }
        ImportKind::Wfcommons(args) => graph(&args.file, &args.output, shell, |text, name| {
            wfcommons::read(text, name, args.reference_gflops)
        }),
        ImportKind::Dot(args) => graph(&args.file, &args.output, shell, |text, name| {
            dot::read_with(text, name, args.default_gflop)
        }),
        ImportKind::Starpu(args) => graph(&args.file, &args.output, shell, |text, name| {
            starpu::read(text, name, args.reference_gflops)
        }),
    }
}

/// Reads a file; mistakes are shown with their locations.
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
    output.open()?.deliver(text)
}

// From a placement made by another tool to applications and a scenario.

/// Reads the files with `read`, which receives their texts and the machine. `needs_cpus`: whether they refer to logical CPUs.
fn placed(
    files: &[PathBuf],
    on: &PlacedOn,
    tool: &str,
    needs_cpus: bool,
    reader: impl FnOnce(&[&str], &Machine) -> Result<Vec<Placed>, Problem>,
) -> Result<(), Failure> {
    let destination = on.output.open()?;
    let study = files::read_study(&on.study)?.study.at_rest;
    let machine = processors::adopted(study.machine, on.cpus_from.as_ref())?;
    if let Some(node) = node_without_cpus(&machine).filter(|_| needs_cpus) {
        return Err(processors::unknown(&format!("import {tool}"), node));
    }
    let sources = files.iter().map(|path| files::read_measurements(path)).collect::<Result<Vec<_>, _>>()?;
    let texts: Vec<&str> = sources.iter().map(|source| source.text.as_str()).collect();
    let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
    let source = format!("numasim import {tool}: read from {}", names.join(", "));
    let given =
        placed::Given { machine: &machine, apps: &study.apps, scenario: &on.scenario, source: &source };
    let text = reader(&texts, &machine).and_then(|found| placed::study(&found, given));
    destination.deliver(&text.map_err(|problem| files::refused_among(problem, &sources))?)
}

/// The applications of each text.
fn each(
    texts: &[&str],
    read: fn(&str, usize) -> Result<Vec<Placed>, Problem>,
) -> Result<Vec<Placed>, Problem> {
    let mut found = Vec::new();
    for (file, text) in texts.iter().enumerate() {
        found.extend(read(text, file)?);
    }
    Ok(found)
}

// From a graph of another tool to `blocks.csv` and `tasks.csv`.

/// Reads a file with `read`, which also receives a name for the graph, and writes the graph to a folder.
///
/// # Errors
/// Files that cannot be read, all mistakes in them, and files that cannot be written.
fn graph(
    file: &Path,
    to: &GraphFolder,
    shell: &Shell,
    read: impl FnOnce(&str, &str) -> Result<Imported, Vec<Problem>>,
) -> Result<(), Failure> {
    let folder = graph_folder::open(&to.output, "-o")?;
    let source = files::read_graph(file)?;
    let imported = match read(&source.text, &stem(file)) {
        Ok(imported) => imported,
        Err(problems) => return Err(files::refused(&problems, source)),
    };
    for warning in &imported.warnings {
        shell.warn(located(warning, &source));
    }
    // Graphs are large, and the text is not needed any more.
    drop(source);
    graph_folder::write(&folder, &imported.graph)
}

/// `FILE:LINE: message`
fn located(warning: &Warning, source: &SourceFile) -> String {
    let span = warning.place.as_ref().and_then(|place| place.span.as_ref());
    match span.and_then(|span| source.text.get(..span.start)) {
        Some(before) => format!("{}:{}: {}", source.name, before.matches('\n').count() + 1, warning.message),
        None => format!("{}: {}", source.name, warning.message),
    }
}

// From a topology to the skeleton of a machine file, with the values given by the user.

/// `numasim import numactl`.
fn numactl(args: &NumactlArgs) -> Result<(), Failure> {
    let destination = args.output.open()?;
    let mut found = read(&args.file, read_numactl)?;
    if !args.lscpu.is_empty() {
        let cores = of_lscpu(&args.lscpu)?;
        found = found.and(cores).map_err(|why| {
            let message =
                format!("{} and the output of lscpu do not belong together: {why}", args.file.display());
            Failure::input(message).hint("import what both tools print on the same machine")
        })?;
    }
    if let Some(threads) = args.threads_per_core {
        found.count_cores(threads).map_err(|why| {
            Failure::input(format!("--threads-per-core is {threads}, and {why}"))
                .hint("give the `Thread(s) per core` of lscpu, or its output: --lscpu")
        })?;
    }
    let files: Vec<&PathBuf> = [&args.file].into_iter().chain(&args.lscpu).collect();
    destination.deliver(&machine(found, "numactl", &files, &args.given, args.threads_per_core)?)
}

/// `numasim import lscpu`.
fn lscpu(args: &LscpuArgs) -> Result<(), Failure> {
    let destination = args.output.open()?;
    let files: Vec<&PathBuf> = args.files.iter().collect();
    destination.deliver(&machine(of_lscpu(&args.files)?, "lscpu", &files, &args.given, None)?)
}

/// `numasim import hwloc`.
fn of_xml(file: &Path, given: &FiguresArgs) -> Result<String, Failure> {
    let text = files::read_topology(file)?;
    let mut host = read_xml(&text, &stem(file), Counting::Cores)
        .map_err(|error| Failure::input(format!("{}: {error}", file.display())).hint(error.hint()))?;
    if let Some(name) = &given.name {
        host.name.clone_from(name);
    }
    if host.figures.is_some() && (given.bandwidth_gbs.is_some() || given.link_gbs.is_some()) {
        return Err(Failure::input(format!("{} has a bandwidth for each pair of nodes", file.display()))
            .hint("leave out --bandwidth-gbs and --link-gbs; change the figures in the machine file"));
    }
    Ok(skeleton_with(&host, figures(given, None)))
}

fn of_lscpu(paths: &[PathBuf]) -> Result<Topology, Failure> {
    let mut found = Lscpu::default();
    for path in paths {
        read(path, |text| found.read(text))?;
    }
    found.topology().map_err(|why| {
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        Failure::input(format!("{}: {why}", names.join(", ")))
    })
}

/// The machine file. `files` are the files that were read, starting with the one that names the machine.
fn machine(
    found: Topology,
    tool: &str,
    files: &[&PathBuf],
    given: &FiguresArgs,
    threads_per_core: Option<u32>,
) -> Result<String, Failure> {
    let names: Vec<String> = files
        .iter()
        .map(|path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned())
        .collect();
    let name = given.name.clone().unwrap_or_else(|| files.first().map(|path| stem(path)).unwrap_or_default());
    let source = format!("numasim import {tool}: read from {}", names.join(", "));
    let host =
        found.host(name, source).map_err(|why| Failure::input(format!("{}: {why}", names.join(", "))))?;
    Ok(skeleton_with(&host, figures(given, threads_per_core)))
}

fn figures(given: &FiguresArgs, threads_per_core: Option<u32>) -> Given {
    Given {
        gflops_per_core: given.gflops_per_core,
        bandwidth_gbs: given.bandwidth_gbs,
        link_gbs: given.link_gbs,
        threads_per_core,
    }
}
