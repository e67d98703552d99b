//! From thread counts to threads: each with a logical CPU or all of the node's, and the placement of its data.

use numasim_kernels::kernel::Lies;
use numasim_kernels::loops::{Isa, Way};
use numasim_kernels::synthetic::{Kernel, KernelError, Variant};
use numasim_kernels::workload::{Real, Workload};
use numasim_model::app::App;
use numasim_model::cpus::CpuList;
use numasim_model::ids::NodeId;
use numasim_model::{Access, Machine, PerDomain, Placement, Smt, Study, pinning};
use numasim_study::topology::{HostNode, HostTopology};

use crate::plan::{Arrays, Bind, PlanError, PlannedApp, PlannedScenario, PlannedThread, Shape};

/// The L3 domains of the cores of each application, on the machine that defines them.
#[derive(Clone, Copy)]
pub(super) struct Cores<'a> {
    pub(super) per_l3: &'a PerDomain,
    pub(super) machine: &'a Machine,
}

/// Assigns the threads of a fitting scenario to logical CPUs of the host. `machine` may name them; its nodes are those of `shape`.
#[allow(clippy::too_many_arguments, reason = "each is a separate value")]
pub(super) fn plan(
    shape: &Shape,
    cores: Cores<'_>,
    study: &Study,
    kernels: &[Option<Workload>],
    machine: Option<&Machine>,
    host: &HostTopology,
    bind: Bind,
    fitted: bool,
) -> Result<PlannedScenario, PlanError> {
    let taken: Vec<Vec<Vec<usize>>> = (0..host.nodes.len().min(cores.machine.node_count()))
        .map(|node| pinning::cores(cores.machine, cores.per_l3, NodeId(node)))
        .collect();
    let mut apps = Vec::new();
    for app_index in shape.active() {
        let (rows, data) = (&shape.threads[app_index], &shape.data[app_index]);
        let mut threads = Vec::new();
        for (node, taken) in taken.iter().enumerate() {
            let (first, second) = cpus(node, machine, host);
            // The second hardware threads of its cores after the first ones, in the order of `pin`.
            let both = shape.smt[app_index] == Smt::Both;
            let lists = [Some(first), both.then_some(second)];
            let places = lists
                .into_iter()
                .flatten()
                .flat_map(|list| taken[app_index].iter().map(move |&core| (list, core)));
            for (list, core) in places {
                let cpus = match bind {
                    Bind::Core => list.get(core).map_or_else(Vec::new, |&cpu| vec![cpu]),
                    Bind::Node => of_node(&host.nodes[node], both),
                    Bind::None => host.nodes.iter().flat_map(|node| of_node(node, both)).collect(),
                };
                let cpus = CpuList::new(cpus)
                    .map_err(|why| PlanError::Study(format!("the processors of node {node}: {why}")))?;
                let memory = memory(data, node, (rows.len(), machine), host);
                threads.push(PlannedThread { node: NodeId(node), cpus, memory });
            }
        }
        if let (Some(kernel), Some(app)) = (kernels[app_index], study.apps.get(app_index)) {
            let name = app.name.clone();
            let mut planned = PlannedApp { name, kernel, threads, arrays: None };
            planned.arrays = arrays(&planned, data, (rows.len(), machine), host);
            apps.push(planned);
        }
    }
    Ok(PlannedScenario { name: shape.name.clone(), apps, fitted })
}

/// All logical CPUs of the cores of a node.
fn of_node(node: &HostNode, both: bool) -> Vec<u32> {
    let lists = [node.cpus.as_ref(), node.second_cpus.as_ref().filter(|_| both)];
    lists.into_iter().flatten().flat_map(|list| list.as_slice().iter().copied()).collect()
}

/// The logical CPUs of the cores of a node in the order in which threads use them, and the second hardware threads of the same cores.
fn cpus<'a>(node: usize, machine: Option<&'a Machine>, host: &'a HostTopology) -> (&'a [u32], &'a [u32]) {
    let of_file = machine.and_then(|machine| {
        let list = machine.os_nodes().get(node)?.cpus.as_ref()?.as_slice();
        list.split_at_checked(machine.node(NodeId(node)).cores as usize)
    });
    let list = |cpus: Option<&'a CpuList>| cpus.map_or(&[][..], CpuList::as_slice);
    match of_file {
        Some(lists) => lists,
        None => (list(host.nodes[node].cpus.as_ref()), list(host.nodes[node].second_cpus.as_ref())),
    }
}

/// The placement of the arrays of an application if all threads access some of them; otherwise each is placed like the data of its thread.
///
/// A share at a home, or a spread one, is then the array that all threads access (the source of a copy), and the separate arrays of each
/// thread are local. For local data of an array that all threads access, the share of each node is proportional to its threads.
fn arrays(app: &PlannedApp, data: &Placement, nodes: Nodes<'_>, host: &HostTopology) -> Option<Arrays> {
    let Workload::Real(real, _) = app.kernel else { return None };
    let needs = real.problem().arrays(&app.team().ok()?).ok()?;
    needs.iter().find(|need| need.lies == Lies::Shared)?;
    let of = |data: &Placement, node: NodeId| memory(data, node.0, nodes, host);
    let own_data = match data {
        Placement::PartHome { .. } | Placement::PartInterleave { .. } => &Placement::Local,
        other => other,
    };
    let shared = match data {
        Placement::PartHome { home, .. } => of(&Placement::Home(*home), *home),
        Placement::PartInterleave { .. } => of(&Placement::Interleave, NodeId(0)),
        Placement::Local | Placement::Replicated => {
            let all = app.threads.len() as f64;
            let share = |(node, threads): (NodeId, u32)| {
                let memory = nodes.1.map_or(node, |machine| machine.local_memory(node));
                Some((host.nodes.get(memory.0)?.os_index, f64::from(threads) / all))
            };
            app.nodes().into_iter().filter_map(share).collect()
        }
        Placement::Home(_) | Placement::Interleave | Placement::Fractions(_) => of(data, NodeId(0)),
    };
    Some(Arrays { shared, own: app.threads.iter().map(|thread| of(own_data, thread.node)).collect() })
}

/// The number of nodes, and the machine file if these are its nodes and not those of the host for a scaled scenario.
type Nodes<'a> = (usize, Option<&'a Machine>);

/// The placement of the data of a thread on `node`, by node numbers of the operating system.
fn memory(
    data: &Placement,
    node: usize,
    (nodes, machine): Nodes<'_>,
    host: &HostTopology,
) -> Vec<(u32, f64)> {
    let without = machine.filter(|machine| !machine.all_have_memory() && machine.node_count() == nodes);
    let shares: Vec<(usize, f64)> = match data {
        _ if without.is_some() => {
            let share = |machine: &Machine, memory| data.fraction(machine, NodeId(node), NodeId(memory));
            (0..nodes).map(|memory| (memory, without.map_or(0.0, |machine| share(machine, memory)))).collect()
        }
        Placement::Local | Placement::Replicated => vec![(node, 1.0)],
        Placement::Home(home) => vec![(home.0, 1.0)],
        Placement::Interleave => (0..nodes).map(|node| (node, 1.0 / nodes as f64)).collect(),
        Placement::Fractions(shares) => shares.iter().copied().enumerate().collect(),
        Placement::PartHome { home, .. } if home.0 == node => vec![(node, 1.0)],
        Placement::PartHome { home, share } => vec![(home.0, *share), (node, 1.0 - share)],
        Placement::PartInterleave { share } => (0..nodes)
            .map(|memory| (memory, share / nodes as f64 + if memory == node { 1.0 - share } else { 0.0 }))
            .collect(),
    };
    let some = shares.into_iter().filter(|&(_, share)| share > 0.0);
    some.filter_map(|(node, share)| Some((host.nodes.get(node)?.os_index, share))).collect()
}

/// An access variant in a machine file whose instruction set this processor lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// The kernel's use of memory.
    pub access: Access,
    /// The instruction set.
    pub isa: Isa,
}

/// The work of an application's threads, with the access variant that was the fastest on this machine, if the file has one for a processor
/// like this.
pub(super) fn workload(app: &App, machine: &Machine, asked: Option<Isa>) -> Result<Workload, KernelError> {
    if let Some(problem) = &app.problem {
        let real = Real::new(problem)?;
        let way =
            real.access().map(|access| Variant::of_machine(access, machine, asked)).transpose()?.flatten();
        return Ok(Workload::Real(real, way.map(Way::from)));
    }
    let kernel = Kernel::new(app.kernel, app.arithmetic_intensity)?;
    let variant = Variant::of_machine(kernel.access(), machine, asked)?;
    Ok(variant.map_or(kernel, |variant| kernel.with(variant)).into())
}

/// Access variants that these workloads would use if the processor supported them, each once.
pub(super) fn unavailable<'a>(
    workloads: impl IntoIterator<Item = &'a Workload>,
    machine: &Machine,
    can: impl Fn(Isa) -> bool,
) -> Vec<Unavailable> {
    let mut found = Vec::new();
    for access in workloads.into_iter().filter_map(Workload::access) {
        let said = machine.kernel_variants().of(access);
        let isa = said.and_then(|said| said.isa.parse::<Isa>().ok());
        if let Some(isa) = isa.filter(|&isa| !can(isa)) {
            let way = Unavailable { access, isa };
            if !found.contains(&way) {
                found.push(way);
            }
        }
    }
    found
}

/// The processor on which the access variants of these workloads were tuned, if any of them has one and the file records it.
pub(super) fn tried_on<'a>(
    workloads: impl IntoIterator<Item = &'a Workload>,
    machine: &Machine,
) -> Option<String> {
    let variants = machine.kernel_variants();
    let tried =
        workloads.into_iter().filter_map(Workload::access).any(|access| variants.of(access).is_some());
    variants.processor().filter(|_| tried).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use numasim_kernels::loops::Stores;
    use numasim_model::problem::KernelName;
    use numasim_study::{SourceFile, read_study};

    use super::*;

    const TEXT: &str = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 2\ngflops_per_core = 10\nbandwidth_gbs = 30\n\
        [machine.kernels]\nread = { isa = \"portable\", streams = 2, prefetch_bytes = [512, 256] }\n\
        copy = { isa = \"portable\", streams = 1, prefetch_bytes = [0, 0], stores = \"cached\" }\n\
        [[app]]\nname = \"dense\"\nkernel = \"dmv\"\n[[app]]\nname = \"copy\"\nkernel = \"memcpy\"\n\
        [[app]]\nname = \"chains\"\nkernel = \"chase\"\n[[app]]\nname = \"a\"\narithmetic_intensity = 0.5\nkernel = \"triad\"\n\
        [[app]]\nname = \"b\"\narithmetic_intensity = 0.5\n";

    fn study() -> numasim_model::Study {
        let file = SourceFile { name: "m.toml".into(), text: TEXT.into() };
        read_study(&[file]).expect("a study").study
    }

    #[test]
    fn real_kernels_use_the_variant_of_the_matching_synthetic_kernel() {
        let study = study();
        let way = |app: usize| match workload(&study.apps[app], &study.machine, None).expect("runs") {
            Workload::Real(_, way) => way,
            Workload::Synthetic(kernel) => kernel.variant().map(Way::from),
        };
        let read = Way { streams: 2, prefetch_bytes: [512, 256], stores: Stores::Streaming };
        let copy = Way { streams: 1, prefetch_bytes: [0, 0], stores: Stores::Cached };
        // Chains have no variant, and the file contains none for `triad`.
        assert_eq!([0, 1, 2, 3, 4].map(way), [Some(read), Some(copy), None, None, Some(read)]);
        assert_eq!(
            Real::new(&numasim_model::problem::KernelProblem::of(KernelName::Spmv)).map(Real::access),
            Ok(Some(Access::Read))
        );
        // A user who requests another instruction set gets the default variant.
        let other = workload(&study.apps[0], &study.machine, Some(Isa::Avx2));
        assert!(matches!(other, Ok(Workload::Real(_, None))));
    }

    #[test]
    fn unsupported_variants_are_reported_once_each() {
        let study = study();
        let all: Vec<Workload> =
            study.apps.iter().map(|app| workload(app, &study.machine, None).expect("runs")).collect();
        assert_eq!(unavailable(&all, &study.machine, |_| true), []);
        let lacking = |access| Unavailable { access, isa: Isa::Portable };
        let found = unavailable(&all, &study.machine, |isa| isa != Isa::Portable);
        assert_eq!(found, [lacking(Access::Read), lacking(Access::Copy)]);
    }
}
