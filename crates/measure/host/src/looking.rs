//! A host at two instants, as [`Seen`]: the host to observe, its applications, and its machine.
//!
//! A front end waits between the instants and phrases errors in terms of its arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use numasim_evidence::running::{
    Draft, GroupDetails, HostFacts, Moment, Places, Seen, Selection, applications, groups,
};
use numasim_model::Machine;
use numasim_study::machine_file::{Placeholders, with_placeholders};
use numasim_study::topology::{Counting, HostTopology};
use numasim_study::writing::machine::{Style, machine};
use numasim_study::writing::{Lines, float};
use numasim_study::{SourceFile, read_study};

use crate::controllers::{Controllers, kernel};
use crate::system::System;

/// The host and applications to observe.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// Folders of a recorded host: one, or two for two instants; none: this host.
    pub roots: Vec<PathBuf>,
    /// Its measured machine; `None`: the topology from `/sys`, with assumed bandwidths and peaks.
    pub machine: Option<Machine>,
    /// Words that name applications ([`Selection`]); empty: all that use the logical CPUs.
    pub select: Vec<String>,
}

/// The reason why a host cannot be observed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookError {
    /// This host does not run Linux.
    #[error("a snapshot of this host needs Linux")]
    NeedsLinux,
    /// More than two instants.
    #[error("a recorded host is one folder or two, not {0}")]
    Roots(usize),
    /// A folder without processes.
    #[error("{0} is no recorded host: it has no folder `proc`")]
    NoProc(String),
    /// A recorded host without processes.
    #[error("the recorded host has no process")]
    NoProcess,
    /// Words of the selection that name nothing.
    #[error("no application matches {}", .0.join(", "))]
    Unknown(Vec<String>),
    /// The machine, given by name, does not match this host.
    #[error("'{0}' is not the machine of this host: node by node, it has processors that the host lacks")]
    Different(String),
    /// The program wrote a machine file of this host that it cannot read.
    #[error("the machine of this host cannot be read: {0}")]
    Unreadable(String),
}

/// A host at its last instant, and at the first one if it is recorded twice.
#[derive(Debug)]
pub struct Host {
    first: System,
    second: Option<System>,
    controllers: Controllers,
}

impl Look {
    /// Finds the host.
    ///
    /// # Errors
    /// It does not run Linux, or the folders are not a recorded host.
    pub fn host(&self) -> Result<Host, LookError> {
        let two = |first: &Path, second: &Path| {
            recorded(first)?;
            let second = Some(System::after(second, first));
            Ok(Host { first: System::at(first), second, controllers: Controllers::recorded() })
        };
        match self.roots.as_slice() {
            [] if cfg!(target_os = "linux") => {
                let first = System::host();
                let controllers = Controllers::start(&first, &kernel);
                Ok(Host { first, second: None, controllers })
            }
            [] => Err(LookError::NeedsLinux),
            [one] => {
                let parts = ["at-0", "at-1"].map(|part| one.join(part));
                if !one.join("proc").is_dir() && parts.iter().all(|part| part.join("proc").is_dir()) {
                    return two(&parts[0], &parts[1]);
                }
                recorded(one)?;
                Ok(Host { first: System::at(one), second: None, controllers: Controllers::recorded() })
            }
            [first, second] => two(first, second),
            more => Err(LookError::Roots(more.len())),
        }
    }

    /// Whether it is this host, for which waiting gives a later instant.
    pub fn is_live(&self) -> bool {
        self.roots.is_empty()
    }

    /// The activity of all processes until now. This process is not an application of its host.
    fn moment(&self, host: &Host, system: &System) -> Moment {
        let mut moment = system.moment();
        moment.controllers = host.controllers.now();
        if self.is_live() {
            let own = std::process::id();
            moment.processes.retain(|process| process.pid != own);
        }
        moment
    }

    /// The host between two instants; `wait` waits for the second one of this host.
    ///
    /// # Errors
    /// The host or the recorded tree cannot be read, the machine does not match, or a requested application does not run.
    pub fn look(&self, wait: impl FnOnce()) -> Result<Seen, LookError> {
        let host = self.host()?;
        let before = (self.is_live() || host.second.is_some()).then(|| self.now(&host));
        if self.is_live() {
            wait();
        }
        let after = self.moment(&host, host.last());
        self.between(&host, before.as_ref(), &after)
    }

    /// The activity of all processes of a host until its first instant, or until now.
    pub fn now(&self, host: &Host) -> Moment {
        self.moment(host, &host.first)
    }

    /// The host between two instants; with one instant `before` is `None`.
    ///
    /// # Errors
    /// As [`Look::look`].
    pub fn between(&self, host: &Host, before: Option<&Moment>, after: &Moment) -> Result<Seen, LookError> {
        if after.processes.is_empty() && !self.is_live() {
            return Err(LookError::NoProcess);
        }
        let system = host.last();
        let topology = system.whole_topology(Counting::Cores);
        let (text, read) = self.machine_of(&topology)?;
        let places = self.places(system, &read)?;
        let drafts = groups(before, after, &Selection(self.select.clone())).map_err(LookError::Unknown)?;
        let pids = drafts.iter().flat_map(|draft| &draft.pids);
        let details = pids.map(|&pid| (pid, system.details(pid))).collect();
        let groups = groups_of(system, &drafts);
        let running =
            applications(&drafts, before, after, &details, &groups, &places, !self.select.is_empty());
        let has_more_threads = self.machine.is_none() && places.core_of.iter().any(|(cpu, core)| cpu != core);
        let by_hardware_threads = has_more_threads
            .then(|| Ok(self.machine_of(&system.whole_topology(Counting::HardwareThreads))?.0))
            .transpose()?;
        let facts = facts(host, &topology);
        Ok(Seen { running, machine: text, by_hardware_threads, places, facts })
    }

    /// The machine as text and as a value.
    fn machine_of(&self, topology: &HostTopology) -> Result<(String, Machine), LookError> {
        if let Some(read) = &self.machine {
            let mut lines = Lines::default();
            machine(&mut lines, read, Style { figure: float, short: true });
            return Ok((lines.text(), read.clone()));
        }
        let figures = round_figures("written by numasim snapshot; measure it with numasim calibrate");
        let text = with_placeholders(topology, &figures);
        let source = SourceFile { name: "this host".to_owned(), text: text.clone() };
        let read = read_study(&[source]).map_err(|problems| {
            let problems: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
            LookError::Unreadable(problems.join("; "))
        })?;
        Ok((text, read.study.machine))
    }

    /// The places of the host's logical CPUs in the machine.
    fn places(&self, system: &System, machine: &Machine) -> Result<Places, LookError> {
        let places = system.places(machine);
        let is_same = places.os_nodes.iter().enumerate().all(|(node, _)| {
            let has_cores = machine.nodes().get(node).is_some_and(|own| own.cores > 0);
            !has_cores || places.node_of.values().any(|place| *place == node)
        });
        if self.machine.is_some() && !is_same {
            return Err(LookError::Different(machine.name().to_owned()));
        }
        Ok(places)
    }
}

impl Host {
    fn last(&self) -> &System {
        self.second.as_ref().unwrap_or(&self.first)
    }
}

/// Round values for a machine, which are clearly not measured; `source` records their origin in the file.
pub const fn round_figures(source: &'static str) -> Placeholders {
    Placeholders { gflops_per_core: 10.0, bandwidth_gbs: 100.0, link_gbs: 40.0, source }
}

fn recorded(root: &Path) -> Result<(), LookError> {
    if root.join("proc").is_dir() {
        return Ok(());
    }
    Err(LookError::NoProc(root.display().to_string()))
}

fn groups_of(system: &System, drafts: &[Draft]) -> BTreeMap<String, GroupDetails> {
    let groups = drafts.iter().filter_map(|draft| draft.group.as_ref());
    groups.map(|group| (group.path.clone(), system.group_details(&group.path, group.unified))).collect()
}

fn facts(host: &Host, topology: &HostTopology) -> HostFacts {
    let system = host.last();
    let sockets = topology.nodes.iter().flat_map(|node| &node.sockets).collect::<BTreeSet<_>>();
    HostFacts {
        sockets: (!sockets.is_empty()).then_some(sockets.len()),
        distances: topology.distances.clone(),
        processor: system.processor(),
        offline: system.offline_cpus(),
        numa_balancing: system.balances_nodes(),
        memory_counters: system.memory_counters(),
        counters_unread: host.controllers.unread().map(str::to_owned),
    }
}
