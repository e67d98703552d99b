//! The plan of a run on this host, made before any measurement: which thread runs which kernel on which logical CPUs, with its data on
//! which NUMA nodes.
//!
//! A plan is a plain value. [`make`] creates it from scenarios and a host's topology, and a [`crate::runner::Runner`] executes it. Node i
//! of the machine file is node i of the host. Requirements that the host does not meet are a [`Misfit`], or are scaled by [`mod@fit`].

pub mod fit;
mod misfit;
mod pinned;
#[cfg(test)]
pub(crate) mod tests;

use numasim_evidence::measured::Expected;
use numasim_kernels::team::{Team, TeamError};
use numasim_model::cpus::CpuList;
use numasim_model::demand::Undecided;
use numasim_model::ids::NodeId;
use numasim_model::{Allocation, AppId, Machine, PerDomain, Placement, Scenario, Smt, Study};
use serde::{Deserialize, Serialize};

pub use fit::Change;
pub use misfit::{Misfit, PlanError, ScenarioMisfits};
pub use pinned::Unavailable;

use numasim_kernels::loops::Isa;
use numasim_kernels::workload::Workload;
use numasim_study::topology::HostTopology;

/// All scenarios of a run, ready to be measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// In the order of the files.
    pub scenarios: Vec<PlannedScenario>,
    /// Operating-system number of each NUMA node of the host.
    pub os_nodes: Vec<u32>,
    /// The changes that made scenarios fit the host; empty without `--fit-host`.
    pub changes: Vec<Change>,
    /// Scenarios that cannot be scaled to the host, with the reasons.
    pub skipped: Vec<ScenarioMisfits>,
    /// Access variants in the machine file that this processor lacks: these kernels use the default.
    pub unavailable: Vec<Unavailable>,
    /// The processor on which the access variants of its kernels were tuned, if it has any and the file records it.
    pub tried_on: Option<String>,
    /// The scenarios that run, as a study with the nodes that the results name.
    ///
    /// For scaled scenarios, its machine has the nodes and cores of the host.
    pub study: Study,
}

/// One scenario, ready to run on this host.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedScenario {
    /// Its name in the file.
    pub name: String,
    /// Its applications that have threads, in the order of the files.
    pub apps: Vec<PlannedApp>,
    /// Whether it was scaled to this host (`--fit-host`) and differs from the file.
    pub fitted: bool,
}

/// One application of a planned scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedApp {
    /// The name of the instance: `mem-2`.
    pub name: String,
    /// The work of its threads.
    pub kernel: Workload,
    /// Its threads, node by node.
    pub threads: Vec<PlannedThread>,
    /// The placement of its arrays, unless each is placed like the data of its thread.
    pub arrays: Option<Arrays>,
}

/// The placement of the arrays of an application whose threads share some of them. Together they match [`PlannedThread::memory`] of a
/// thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arrays {
    /// Arrays that all threads access.
    pub shared: Vec<(u32, f64)>,
    /// Arrays of each thread, and its part of divided ones.
    pub own: Vec<Vec<(u32, f64)>>,
}

/// One thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedThread {
    /// The node it runs on: its index in [`numasim_study::topology::HostTopology::nodes`].
    pub node: NodeId,
    /// The logical CPUs it may use: one with `--bind core`, all of the node with `--bind node`.
    pub cpus: CpuList,
    /// The placement of its data: node numbers of the operating system and the share of the data on each, sum 1, no zeros. The shares hold
    /// for any long stretch of the data, so a thread reads from all its nodes at all times.
    pub memory: Vec<(u32, f64)>,
}

impl Plan {
    /// The rows of each measurement of each scenario.
    pub fn expected_rows(&self) -> Vec<Expected> {
        self.scenarios.iter().map(PlannedScenario::expected_rows).collect()
    }

    /// All changes of a scenario.
    pub fn changes_of(&self, scenario: &str) -> String {
        let own = self.changes.iter().filter(|change| change.scenario == scenario);
        own.map(|change| change.words.as_str()).collect::<Vec<_>>().join("; ")
    }
}

impl PlannedScenario {
    /// Threads of all applications.
    pub fn threads(&self) -> u32 {
        let threads: usize = self.apps.iter().map(|app| app.threads.len()).sum();
        u32::try_from(threads).unwrap_or(u32::MAX)
    }

    /// The rows of each of its measurements: one for each application and node on which it has threads.
    pub fn expected_rows(&self) -> Expected {
        let of = |app: &PlannedApp| {
            let nodes = app.nodes();
            nodes.into_iter().map(|(node, _)| (app.name.clone(), node.0)).collect::<Vec<_>>()
        };
        Expected { scenario: self.name.clone(), rows: self.apps.iter().flat_map(of).collect() }
    }
}

impl PlannedApp {
    /// The placement of arrays that all its threads access.
    pub fn shared_memory(&self) -> &[(u32, f64)] {
        match &self.arrays {
            Some(arrays) => &arrays.shared,
            None => self.threads.first().map_or(&[], |thread| &thread.memory),
        }
    }

    /// The placement of arrays of a thread, and of its part of divided ones.
    pub fn own_memory(&self, thread: usize) -> &[(u32, f64)] {
        let own = self.arrays.as_ref().and_then(|arrays| arrays.own.get(thread));
        own.or_else(|| self.threads.get(thread).map(|thread| &thread.memory)).map_or(&[], Vec::as_slice)
    }

    /// Its threads in the form for a kernel: those on the same node are a group, and groups are in the order in which their nodes first
    /// occur.
    ///
    /// # Errors
    /// [`TeamError`] if it has no thread.
    pub fn team(&self) -> Result<Team, TeamError> {
        let mut nodes = Vec::new();
        let groups = self.threads.iter().map(|thread| {
            nodes.iter().position(|&node| node == thread.node).unwrap_or_else(|| {
                nodes.push(thread.node);
                nodes.len() - 1
            })
        });
        Team::new(groups.collect())
    }

    /// Bytes of all its arrays, with this data size for each thread of a synthetic kernel; `None` if the kernel does not support the size.
    pub fn data_bytes(&self, bytes_per_thread: u64) -> Option<u64> {
        let problem = self.kernel.problem(usize::try_from(bytes_per_thread).unwrap_or(usize::MAX));
        let needs = problem.arrays(&self.team().ok()?).ok()?;
        Some(needs.iter().map(|need| need.bytes as u64).sum())
    }

    /// Its nodes in ascending order, each with its threads there.
    pub fn nodes(&self) -> Vec<(NodeId, u32)> {
        let mut nodes: Vec<(NodeId, u32)> = Vec::new();
        for thread in &self.threads {
            match nodes.iter_mut().find(|(node, _)| *node == thread.node) {
                Some((_, threads)) => *threads += 1,
                None => nodes.push((thread.node, 1)),
            }
        }
        nodes.sort_unstable();
        nodes
    }
}

numasim_model::words! {
    /// How threads are bound.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Bind {
        /// Each thread to a separate core.
        #[default]
        Core = "core",
        /// Each thread to all cores of its node, among which the operating system chooses (option 3 of the paper, section IV).
        Node = "node",
        /// Each thread to all cores of all nodes: none is bound to anything, and only data has its planned place. A node can then change
        /// between local and remote for a thread during the run.
        None = "none",
    }
}

/// The options of a plan.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How threads are bound.
    pub bind: Bind,
    /// Scale scenarios that do not fit the host.
    pub fit: bool,
    /// Values of this host, for the study of scaled scenarios; `None` uses those of the file, node by node.
    pub host_machine: Option<Machine>,
    /// The requested instruction set: access variants of another one are left out.
    pub isa: Option<Isa>,
}

/// A scenario with decided homes: threads of each application on each node, and the placement of its data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) name: String,
    /// Cores of each application on each node: `threads[app][node]`. Each runs a thread, or two with [`Smt::Both`].
    pub(crate) threads: Vec<Vec<u32>>,
    /// The same in each L3 domain, if the scenario defines that; never for a scaled scenario.
    pub(crate) per_l3: Option<PerDomain>,
    /// The hardware threads of a core that each application uses; [`Smt::One`] if it has no threads and the choice is open.
    pub(crate) smt: Vec<Smt>,
    /// One for each application; [`Placement::Local`] if it has no threads and its home is open.
    pub(crate) data: Vec<Placement>,
    /// Whether work is scheduled statically: only for the study, the measurement does not depend on it.
    pub(crate) static_work: bool,
}

impl Shape {
    /// Applications that have threads.
    pub(crate) fn active(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.threads.len()).filter(|&app| self.threads[app].iter().any(|&threads| threads > 0))
    }

    /// Its threads on nodes, and in their L3 domains if it defines them.
    pub(crate) fn allocation(&self) -> Allocation {
        let by_domain = self.per_l3.clone().and_then(Allocation::from_domains);
        // Each row has an entry for each node.
        by_domain.or_else(|| Allocation::from_rows(&self.threads)).unwrap_or_else(|| Allocation::empty(0, 0))
    }

    /// Threads of all applications on `node`.
    pub(crate) fn on_node(&self, node: usize) -> u64 {
        self.threads.iter().filter_map(|row| row.get(node)).map(|&threads| u64::from(threads)).sum()
    }

    fn new(study: &Study, scenario: &Scenario) -> Result<Self, PlanError> {
        let threads: Vec<Vec<u32>> =
            (0..study.apps.len()).map(|app| scenario.allocation.row(AppId(app)).to_vec()).collect();
        let name_of = |app: AppId| study.apps[app.0].name.clone();
        let data = scenario.placements().map_err(|open| match open {
            Undecided::Data(app, open) => {
                PlanError::OpenData { scenario: scenario.name.clone(), app: name_of(app), open }
            }
            Undecided::Smt(app) => PlanError::OpenSmt { scenario: scenario.name.clone(), app: name_of(app) },
        })?;
        let is_replicated =
            |app: &AppId| data[app.0] == Placement::Replicated && scenario.allocation.total(*app) > 0;
        if let Some(app) = (0..study.apps.len()).map(AppId).find(is_replicated) {
            return Err(PlanError::Replicated { scenario: scenario.name.clone(), app: name_of(app) });
        }
        let decided = |&smt: &Smt| if smt == Smt::Any { Smt::One } else { smt };
        Ok(Self {
            name: scenario.name.clone(),
            threads,
            per_l3: scenario.allocation.own_domains().cloned(),
            smt: scenario.smt.iter().map(decided).collect(),
            data,
            static_work: scenario.static_work,
        })
    }
}

/// Plans `scenarios` of `study` for `host`.
///
/// Threads use the logical CPUs of their node in the order of [`numasim_model::pinning::cores`]. The list comes from the machine file if it
/// has one.
///
/// # Errors
/// [`PlanError::Misfits`] with all requirements that the host does not meet; with [`Options::fit`] only if no scenario is left.
/// [`PlanError::OpenData`], [`PlanError::Replicated`] and [`PlanError::Kernel`] for scenarios that no host could run.
pub fn make(
    study: &Study,
    scenarios: &[&Scenario],
    host: &HostTopology,
    options: &Options,
) -> Result<Plan, PlanError> {
    let figures = options.host_machine.as_ref().unwrap_or(&study.machine);
    let kernels = study.apps.iter().map(|app| {
        pinned::workload(app, figures, options.isa)
            .map_err(|why| PlanError::Kernel { app: app.name.clone(), why })
    });
    let shapes =
        scenarios.iter().map(|scenario| Shape::new(study, scenario)).collect::<Result<Vec<_>, _>>()?;
    let used: Vec<usize> = shapes.iter().flat_map(Shape::active).collect();
    // A kernel that no scenario runs need not exist.
    let kernels: Vec<Option<Workload>> = kernels
        .enumerate()
        .map(|(app, kernel)| if used.contains(&app) { kernel.map(Some) } else { Ok(None) })
        .collect::<Result<_, _>>()?;
    if let Some(machine) = &options.host_machine {
        misfit::machine_is_of_host(machine, host)?;
    }

    let mut ran = Vec::new();
    let (mut changes, mut misfits) = (Vec::new(), Vec::new());
    for shape in shapes {
        let mut found = misfit::find(&shape, study, host);
        let (shape, fitted) = if found.is_empty() {
            (shape, false)
        } else if !options.fit {
            misfits.push(ScenarioMisfits { scenario: shape.name, misfits: found });
            continue;
        } else {
            match fit::scale(&shape, study, host) {
                Ok((scaled, changed)) => {
                    changes.extend(changed);
                    (scaled, true)
                }
                Err(why) => {
                    found = vec![why];
                    misfits.push(ScenarioMisfits { scenario: shape.name, misfits: found });
                    continue;
                }
            }
        };
        ran.push((shape, fitted));
    }
    if ran.is_empty() || (!misfits.is_empty() && !options.fit) {
        return Err(PlanError::Misfits(misfits));
    }
    let any_fitted = ran.iter().any(|(_, fitted)| *fitted);
    let file = study;
    let shapes: Vec<&Shape> = ran.iter().map(|(shape, _)| shape).collect();
    let study = fit::of_plan(file, &shapes, any_fitted.then_some(host), options.host_machine.as_ref())?;
    let plan = |((shape, fitted), scenario): (&(Shape, bool), &Scenario)| {
        // The logical CPUs in a machine file are those of its nodes.
        let machine = (!fitted).then_some(&file.machine);
        let per_l3 = scenario.allocation.per_l3(&study.machine);
        let cores = pinned::Cores { per_l3: &per_l3, machine: &study.machine };
        pinned::plan(shape, cores, file, &kernels, machine, host, options.bind, *fitted)
    };
    let planned = ran.iter().zip(&study.scenarios).map(plan).collect::<Result<Vec<_>, _>>()?;
    let os_nodes = host.nodes.iter().map(|node| node.os_index).collect();
    // A user's request causes no warning.
    let unavailable = match options.isa {
        Some(_) => Vec::new(),
        None => pinned::unavailable(kernels.iter().flatten(), figures, Isa::is_available),
    };
    let tried_on = pinned::tried_on(kernels.iter().flatten(), figures);
    Ok(Plan { scenarios: planned, os_nodes, changes, skipped: misfits, unavailable, tried_on, study })
}
