//! From a topology to the skeleton of a machine file, with what a person gives beside it.

use std::path::{Path, PathBuf};

use numasim_evidence::formats::topology::lscpu::Lscpu;
use numasim_evidence::formats::topology::{Cores, Node, Topology, read_numactl};
use numasim_host::machine_file::{Given, skeleton_with};
use numasim_host::topology::{
    Cache, Counting, Distances, HostNode, HostTopology, Origin, Unusable, UnusableThing, Why,
};
use numasim_host::{DetectError, Source};
use numasim_model::cpus::{CpuList, ranges};

use super::{read, stem};
use crate::args::{FiguresArgs, LscpuArgs, NumactlArgs};
use crate::failure::Failure;
use crate::files;
use crate::output::Destination;

/// `numasim import numactl`.
pub(super) fn numactl(args: &NumactlArgs) -> Result<(), Failure> {
    let destination = Destination::open(args.output.output.as_deref())?;
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
        count_cores(&mut found, threads)?;
    }
    let files: Vec<&PathBuf> = [&args.file].into_iter().chain(&args.lscpu).collect();
    destination.deliver(&machine(found, "numactl", &files, &args.given, args.threads_per_core)?)
}

/// `numasim import lscpu`.
pub(super) fn lscpu(args: &LscpuArgs) -> Result<(), Failure> {
    let destination = Destination::open(args.output.output.as_deref())?;
    let files: Vec<&PathBuf> = args.files.iter().collect();
    destination.deliver(&machine(of_lscpu(&args.files)?, "lscpu", &files, &args.given, None)?)
}

/// `numasim import hwloc`.
pub(super) fn of_xml(file: &Path, given: &FiguresArgs) -> Result<String, Failure> {
    let text = files::read_topology(file)?;
    let xml = Source::Xml { text: &text, name: &stem(file) };
    let mut host = numasim_host::detect(xml, Counting::Cores, "import hwloc").map_err(|error| {
        let failure = Failure::input(format!("{}: {error}", file.display()));
        match error.hint().filter(|_| !matches!(error, DetectError::NeedsHwloc(_))) {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })?;
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

/// One core for so many processors of each node.
fn count_cores(found: &mut Topology, threads: u32) -> Result<(), Failure> {
    for node in found.nodes.iter_mut().filter(|node| !node.processors.is_empty()) {
        let processors = u32::try_from(node.processors.len()).unwrap_or(u32::MAX);
        if processors % threads != 0 {
            return Err(Failure::input(format!(
                "--threads-per-core is {threads}, and node {} has {processors} processors",
                node.number
            ))
            .hint("give the `Thread(s) per core` of lscpu, or its output: --lscpu"));
        }
        let first = (threads == 1).then(|| node.processors.clone());
        node.cores = Some(Cores { count: processors / threads, first });
    }
    Ok(())
}

/// The machine file. `files` are those that were read, the one that names the machine first.
pub(super) fn machine(
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
    let known = |node: &Node| node.processors.is_empty() || node.cores.is_some();
    let counting = if found.nodes.iter().all(known) { Counting::Cores } else { Counting::Processors };
    let mut notes: Vec<String> = found.processor.iter().map(|model| format!("processor: {model}")).collect();
    notes.extend(found.nodes.iter().filter_map(open_processors));
    let empty = found.nodes.iter().filter(|node| node.processors.is_empty() && node.memory_bytes.is_none());
    notes.extend(
        empty.map(|node| format!("node {} has no processors, and its memory is not known", node.number)),
    );
    notes.extend(found.notes);
    let nodes = found.nodes.iter().map(|node| host_node(node, counting)).collect::<Result<_, _>>();
    let nodes = nodes.map_err(|why| Failure::input(format!("{}: {why}", names.join(", "))))?;
    let caches = found.caches.iter().map(|cache| Cache {
        level: cache.level,
        bytes: cache.bytes,
        cores: cache.cores,
        count: cache.count,
    });
    let unusable = CpuList::new(found.unavailable).ok();
    let unusable = unusable.map(|list| Unusable { what: UnusableThing::Cpus(list), why: Why::Unknown });
    let host = HostTopology {
        name: given.name.clone().unwrap_or_else(|| files.first().map(|path| stem(path)).unwrap_or_default()),
        source: format!("numasim import {tool}: read from {}", names.join(", ")),
        origin: Origin::Other,
        counting,
        nodes,
        caches: caches.collect(),
        distances: found.distances.map(|values| Distances { values }),
        unusable: unusable.into_iter().collect(),
        figures: None,
        notes,
    };
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

/// The processors of a node of which nobody knows one for each core.
fn open_processors(node: &Node) -> Option<String> {
    let first = node.cores.as_ref().is_some_and(|cores| cores.first.is_some());
    (!first && !node.processors.is_empty()).then(|| {
        format!(
            "processors of node {}: {}; which of them share a core: lscpu -e",
            node.number,
            ranges(&node.processors)
        )
    })
}

fn host_node(node: &Node, counting: Counting) -> Result<HostNode, String> {
    let cores = match (&node.cores, counting) {
        (Some(cores), Counting::Cores) => cores.count,
        _ => u32::try_from(node.processors.len()).map_err(|_| "too many processors".to_owned())?,
    };
    let first =
        node.cores.as_ref().and_then(|cores| cores.first.clone()).filter(|_| counting == Counting::Cores);
    Ok(HostNode {
        os_index: node.number,
        cores,
        cpus: first.map(CpuList::new).transpose().map_err(|why| why.to_string())?,
        left_out: None,
        memory_bytes: node.memory_bytes,
        packages: node.socket.into_iter().collect(),
        firmware: None,
    })
}
