//! `numasim snapshot`: what runs on this host, or on a recorded one, as a study.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::thread;
use std::time::Duration;

use numasim_ask::snapshot::{HostFacts, Seen, Snapshot, snapshot};
use numasim_evidence::running::{Draft, GroupDetails, Moment, Places, Selection, applications, groups};
use numasim_host::system::System;
use numasim_model::Machine;
use numasim_study::machine_file::with_placeholders;
use numasim_study::topology::{Counting, HostTopology};
use numasim_study::writing::machine::{Style, machine};
use numasim_study::writing::{Lines, float};

use super::init::placeholders;
use crate::args::{LookArgs, SnapshotArgs};
use crate::failure::Failure;
use crate::files;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &SnapshotArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = args.output.open()?;
    let found = look(&args.look, args.apart.seconds)?;
    tell(&found, shell);
    shell.answer(&destination, args.output.format, |style| found.text(style), &found, || found.csv())
}

/// What could not be seen, on standard error.
pub(super) fn tell(found: &Snapshot, shell: &Shell) {
    for sentence in &found.unseen {
        shell.note(format!("not seen: {sentence}"));
    }
    if !found.host.assumed.is_empty() {
        shell.warn(format!(
            "{} of the machine are assumed, not those of this host: measure them (`numasim calibrate -o machine.toml`) and pass --machine machine.toml",
            found.host.assumed.join(", ")
        ));
    }
}

/// Takes a snapshot between two instants, on this host `apart`.
///
/// # Errors
/// The host or the recorded tree cannot be read, the machine is another one, or an application that was asked for does not run.
pub(super) fn look(args: &LookArgs, apart: Duration) -> Result<Snapshot, Failure> {
    let (first, second) = hosts(args)?;
    let before = second.is_some().then(|| moment(args, &first));
    if args.root.is_empty() {
        thread::sleep(apart);
    }
    let system = second.unwrap_or(first);
    let after = moment(args, &system);
    of_instants(args, &system, before.as_ref(), &after)
}

/// What all processes did until now. This process is none of the applications of its host.
pub(super) fn moment(args: &LookArgs, system: &System) -> Moment {
    let mut moment = system.moment();
    if args.root.is_empty() {
        let own = std::process::id();
        moment.processes.retain(|process| process.pid != own);
    }
    moment
}

/// The snapshot of two instants; with one `before` is `None`.
///
/// # Errors
/// As [`look`].
pub(super) fn of_instants(
    args: &LookArgs,
    system: &System,
    before: Option<&Moment>,
    after: &Moment,
) -> Result<Snapshot, Failure> {
    if after.processes.is_empty() && !args.root.is_empty() {
        return Err(Failure::input("the recorded host has no process")
            .hint("record /proc/PID/stat and /proc/PID/task of each process"));
    }
    let topology = system.whole_topology(Counting::Cores);
    let (text, read) = machine_of(args, &topology)?;
    let places = places(system, &read, args)?;
    let selection = Selection(args.select.clone());
    let drafts = groups(before, after, &selection).map_err(|unknown| {
        Failure::input(format!("no application matches --select {}", unknown.join(", --select ")))
            .hint("leave --select out to see all that use more than 5 % of a core")
    })?;
    let running = {
        let pids = drafts.iter().flat_map(|draft| &draft.pids);
        let details = pids.map(|&pid| (pid, system.details(pid))).collect();
        let groups = groups_of(system, &drafts);
        applications(&drafts, before, after, &details, &groups, &places, !args.select.is_empty())
    };
    let facts = facts(system, &topology);
    let seen = Seen { running, machine: text, places, facts };
    let found = snapshot(seen.clone())?;
    let is_out = found.seconds.is_some() && !found.apps.is_empty() && !found.has_now;
    if is_out && args.machine.is_none() && found.host.threads_per_core > 1 {
        // More busy threads than cores, not in pairs: hardware threads are the cores of the study.
        let (text, _) = machine_of(args, &system.whole_topology(Counting::HardwareThreads))?;
        let by_threads = snapshot(Seen { machine: text, ..seen })?;
        if by_threads.has_now {
            return Ok(by_threads);
        }
    }
    Ok(found)
}

fn groups_of(system: &System, drafts: &[Draft]) -> BTreeMap<String, GroupDetails> {
    let groups = drafts.iter().filter_map(|draft| draft.group.as_ref());
    groups.map(|group| (group.path.clone(), system.group_details(&group.path, group.unified))).collect()
}

fn facts(system: &System, topology: &HostTopology) -> HostFacts {
    let sockets = topology.nodes.iter().flat_map(|node| &node.sockets).collect::<BTreeSet<_>>();
    HostFacts {
        sockets: (!sockets.is_empty()).then_some(sockets.len()),
        distances: topology.distances.clone(),
        processor: system.processor(),
        offline: system.offline_cpus(),
        numa_balancing: system.balances_nodes(),
    }
}

/// The host at the first instant, and at the second one if there is any.
pub(super) fn hosts(args: &LookArgs) -> Result<(System, Option<System>), Failure> {
    let two = |first: &Path, second: &Path| {
        recorded(first)?;
        Ok((System::at(first), Some(System::after(second, first))))
    };
    match args.root.as_slice() {
        [] if cfg!(target_os = "linux") => Ok((System::host(), Some(System::host()))),
        [] => {
            Err(Failure::input("a snapshot of this host needs Linux")
                .hint("--root DIR reads a recorded host"))
        }
        [one] => {
            let parts = ["at-0", "at-1"].map(|part| one.join(part));
            if !one.join("proc").is_dir() && parts.iter().all(|part| part.join("proc").is_dir()) {
                return two(&parts[0], &parts[1]);
            }
            recorded(one)?;
            Ok((System::at(one), None))
        }
        [first, second] => two(first, second),
        more => Err(Failure::input(format!("--root is given {} times", more.len()))
            .hint("give it once, or twice for two instants of one host")),
    }
}

fn recorded(root: &Path) -> Result<(), Failure> {
    if root.join("proc").is_dir() {
        return Ok(());
    }
    Err(Failure::input(format!("{} is no recorded host: it has no folder `proc`", root.display()))
        .hint("copy /proc/PID of each process, /sys/devices/system, /sys/fs/cgroup and /sys/fs/resctrl into a folder"))
}

/// The machine as text and as a value.
fn machine_of(args: &LookArgs, topology: &HostTopology) -> Result<(String, Machine), Failure> {
    if let Some(path) = &args.machine {
        let read = files::read_study(std::slice::from_ref(path))?.study.at_rest.machine;
        let mut lines = Lines::default();
        machine(&mut lines, &read, Style { figure: float, short: true });
        return Ok((lines.text(), read));
    }
    let text = with_placeholders(
        topology,
        &placeholders("written by numasim snapshot; measure it with numasim calibrate"),
    );
    let source = numasim_study::SourceFile { name: "this host".to_owned(), text: text.clone() };
    let read = files::read_from_texts(&[source])?.study.at_rest.machine;
    Ok((text, read))
}

/// Where the processors of the host are in the machine.
fn places(system: &System, machine: &Machine, args: &LookArgs) -> Result<Places, Failure> {
    let places = system.places(machine);
    let is_same = places.os_nodes.iter().enumerate().all(|(node, _)| {
        let has_cores = machine.nodes().get(node).is_some_and(|own| own.cores > 0);
        !has_cores || places.node_of.values().any(|place| *place == node)
    });
    match (&args.machine, is_same) {
        (Some(path), false) => Err(different(path, machine)),
        _ => Ok(places),
    }
}

fn different(path: &Path, machine: &Machine) -> Failure {
    Failure::input(format!(
        "{} is not the machine of this host: node by node, '{}' has processors that the host lacks",
        path.display(),
        machine.name()
    ))
    .hint("leave --machine out, or write one here with `numasim calibrate -o machine.toml`")
}
