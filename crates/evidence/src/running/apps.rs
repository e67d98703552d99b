//! From drafts, details and counters to applications.

use std::collections::{BTreeMap, BTreeSet};

use numasim_model::Placement;
use numasim_model::text::visible;

use super::grouping::{seconds, used};
use super::{
    Application, BusyThread, Details, Draft, GroupDetails, Kind, Moment, Places, Running, Unseen, bandwidth,
    controllers, memory,
};
use crate::app_profile::placement::{Candidate, EXPLAINED, Look, Verdict, classify};
use crate::formats::resctrl::{Moved, moved};

/// Maximum length of the name of an application.
const LONGEST_NAME: usize = 48;
/// With one instant an application with less data gets no table, in bytes.
const LEAST_DATA: u64 = 64 << 20;
/// From this share on, nearly all data has an interleave policy.
const NEARLY_ALL: f64 = 0.95;

/// The applications of `drafts`, with the details of their processes and groups. `before` and `after` are the
/// two instants of observation; with one instant `before` is `None`.
pub fn applications(
    drafts: &[Draft],
    before: Option<&Moment>,
    after: &Moment,
    details: &BTreeMap<u32, Details>,
    groups: &BTreeMap<String, GroupDetails>,
    places: &Places,
    is_asked: bool,
) -> Running {
    let mut running =
        Running { seconds: before.and_then(|before| seconds(before, after)), ..Running::default() };
    let drafts: Vec<Draft> = drafts.iter().filter(|draft| !is_of_kernel(draft, details)).cloned().collect();
    let groups_of = |moment: &Moment| moment.resctrl.clone();
    let counted: Option<Vec<Moved>> =
        before.and_then(groups_of).zip(groups_of(after)).map(|(before, after)| moved(&before, &after));
    let bandwidth = match (&counted, running.seconds) {
        (Some(counted), Some(seconds)) => {
            running.traffic = bandwidth::by_cache(counted, seconds);
            bandwidth::of_each(&drafts, counted, seconds)
        }
        _ => drafts.iter().map(|_| bandwidth::Counted::default()).collect(),
    };
    if let Some(before) = before {
        running.controllers = controllers::by_socket(&before.controllers, &after.controllers);
    }
    if after.resctrl.is_none() {
        running.unseen.push(
            "bandwidth is unknown: resctrl is not mounted (as root: mount -t resctrl resctrl /sys/fs/resctrl), or the processor has no such counters"
                .to_owned(),
        );
    } else if running.seconds.is_none() {
        running.unseen.push("bandwidth is unknown: that takes two instants".to_owned());
    }
    if running.seconds.is_none() {
        running.unseen.push("threads are unknown: which of them work takes two instants".to_owned());
    }
    if let Some(before) = before {
        let now: BTreeSet<u32> = after.processes.iter().map(|process| process.pid).collect();
        let gone = before.processes.iter().filter(|process| !now.contains(&process.pid)).count();
        if gone > 0 {
            running
                .unseen
                .push(format!("{gone} process(es) ended between the two instants and are left out"));
        }
    }
    if after.processes.iter().any(|process| process.group.as_ref().is_some_and(|group| !group.unified)) {
        running.unseen.push("control groups are those of version 1: memory.numa_stat there does not tell shared memory from files".to_owned());
    }
    running.cores_used = running.seconds.map(|_| {
        let mut cores = vec![0.0; places.os_nodes.len()];
        for one in used(before, after).iter().flatten() {
            if let Some(sum) = places.node_of.get(&one.task.cpu).and_then(|&node| cores.get_mut(node)) {
                *sum += one.share;
            }
        }
        cores
    });
    let mut names = Names::default();
    for (draft, counted) in drafts.iter().zip(bandwidth) {
        let app = application(draft, counted, details, groups, places, running.seconds.is_some());
        let bytes = app.data.as_ref().map_or(0, |data| data.iter().sum::<u64>());
        if running.seconds.is_none() && !is_asked && bytes < LEAST_DATA {
            continue;
        }
        if app.busy.as_ref().is_some_and(Vec::is_empty) && !is_asked {
            let cores = draft.cores_used.unwrap_or(0.0);
            running.unseen.push(format!(
                "`{}` is left out: none of its {} threads used 5 % of a core, all together {cores:.2} cores",
                app.name, app.all_threads
            ));
            continue;
        }
        running.apps.push(Application { name: names.free(&app.name), ..app });
    }
    running
}

/// Kernel threads have no command line and no memory; neither has a process that ended in the meantime.
fn is_of_kernel(draft: &Draft, details: &BTreeMap<u32, Details>) -> bool {
    draft.pids.iter().filter_map(|pid| details.get(pid)).all(|details| {
        let no_pages = match &details.numa_maps {
            Ok(text) => text.trim().is_empty(),
            Err(why) => *why == Unseen::Absent,
        };
        details.command.is_empty() && no_pages
    }) && draft.pids.iter().any(|pid| details.contains_key(pid))
}

fn application(
    draft: &Draft,
    counted: bandwidth::Counted,
    details: &BTreeMap<u32, Details>,
    groups: &BTreeMap<String, GroupDetails>,
    places: &Places,
    two_instants: bool,
) -> Application {
    let of_processes: Vec<(u32, &Details)> =
        draft.pids.iter().filter_map(|pid| Some((*pid, details.get(pid)?))).collect();
    let of_group = match &draft.kind {
        Kind::Process => None,
        _ => draft.group.as_ref().and_then(|group| groups.get(&group.path)),
    };
    let memory = memory::of(&of_processes, of_group);
    let mut notes = memory.notes;
    let busy: Vec<BusyThread> = draft
        .tasks
        .iter()
        .filter(|used| used.is_busy())
        .map(|used| BusyThread {
            pid: used.pid,
            tid: used.task.tid,
            cpu: used.task.cpu,
            node: places.node_of.get(&used.task.cpu).copied(),
            domain: places.domain_of.get(&used.task.cpu).copied(),
            vcpu: used.task.vcpu,
            share: used.share,
        })
        .collect();
    let node = |cpu: u32| places.node_of.get(&cpu).copied();
    let moves = draft.tasks.iter().filter(|used| {
        used.is_busy() && used.cpu_before.is_some_and(|before| node(before) != node(used.task.cpu))
    });
    let moves = moves.count();
    if moves > 0 {
        notes.push(format!("{moves} of its busy threads moved to another node between the two instants: where they are now counts"));
    }
    let elsewhere = busy.iter().filter(|thread| thread.node.is_none()).count();
    if elsewhere > 0 {
        notes.push(format!(
            "{elsewhere} of its busy threads run on processors that the machine does not have"
        ));
    }
    let data = memory.data.as_ref().map(|data| {
        places.os_nodes.iter().map(|node| data.get(node).copied().unwrap_or(0)).collect::<Vec<u64>>()
    });
    let outside: u64 = memory
        .data
        .iter()
        .flatten()
        .filter(|(node, _)| !places.os_nodes.contains(node))
        .map(|(_, bytes)| bytes)
        .sum();
    if outside > 0 {
        notes.push(format!("{outside} bytes of its data are on nodes that the machine does not have"));
    }
    notes.extend(counted.why.clone());
    let limits = of_processes.first().map(|(_, details)| *details);
    let mut app = Application {
        name: name(draft, details),
        kind: draft.kind.clone(),
        group: draft.group.as_ref().map(|group| group.path.clone()),
        pids: draft.pids.clone(),
        busy: two_instants.then_some(busy),
        all_threads: draft.tasks.len(),
        cores_used: draft.cores_used,
        data,
        data_source: memory.source,
        class: None,
        local_gbs: counted.local_gbs,
        total_gbs: counted.total_gbs,
        monitors: counted.groups,
        allowed_cpus: limits.and_then(|details| details.allowed_cpus.clone()),
        allowed_mems: limits.and_then(|details| details.allowed_mems.clone()),
        notes,
    };
    app.class = class(&app, places.os_nodes.len(), memory.interleaved);
    app
}

/// The class of its data: the simplest that explains it, or `local` or the policy if several do.
fn class(app: &Application, nodes: usize, interleaved: f64) -> Option<Verdict> {
    let data: Vec<f64> = app.data.as_ref()?.iter().map(|&bytes| bytes as f64).collect();
    let threads: Vec<f64> = app.threads(nodes)?.into_iter().map(f64::from).collect();
    let look = Look::of(&data, Some(&threads))?;
    match classify(&[look])? {
        Verdict::Equal(classes) => {
            let of = |placement: &Placement| classes.iter().find(|class| class.placement == *placement);
            let asked = of(&Placement::Interleave).filter(|_| interleaved >= NEARLY_ALL);
            let best = asked.or_else(|| of(&Placement::Local)).or_else(|| classes.first())?.clone();
            let others: Vec<Candidate> =
                classes.iter().filter(|class| class.placement != best.placement).cloned().collect();
            Some(Verdict::Told { best, others })
        }
        verdict => Some(verdict),
    }
}

impl Application {
    /// The class of its data placement, and the other classes that explain it within [`EXPLAINED`]; `None` if
    /// unknown, or if the machine has one node.
    pub fn data_class(&self) -> Option<(&Candidate, Vec<&Candidate>)> {
        match self.class.as_ref()? {
            Verdict::Told { best, others } => {
                let as_simple = |other: &&Candidate| other.open == best.open && other.residual <= EXPLAINED;
                Some((best, others.iter().filter(as_simple).collect()))
            }
            Verdict::Equal(_) | Verdict::OneNode => None,
        }
    }
}

/// The usual name; for a guest that of its command line.
fn name(draft: &Draft, details: &BTreeMap<u32, Details>) -> String {
    let mut commands =
        draft.pids.iter().filter_map(|pid| details.get(pid)).filter(|_| draft.kind == Kind::Guest);
    let of_guest = commands.find_map(|details| guest_name(&details.command));
    plain(&of_guest.unwrap_or_else(|| draft.name.clone()))
}

/// The name after `-name` in a command line of QEMU: `guest=NAME,debug-threads=on` or `NAME`.
fn guest_name(command: &[u8]) -> Option<String> {
    let mut words = command.split(|&byte| byte == 0).map(String::from_utf8_lossy);
    words.find(|word| word == "-name" || word == "--name")?;
    let value = words.next()?;
    let first = value.split(',').next()?;
    let name = first.strip_prefix("guest=").unwrap_or(first);
    (!name.is_empty()).then(|| name.to_owned())
}

/// On one line of visible characters, not too long, not empty.
fn plain(name: &str) -> String {
    let shown = visible(name.trim());
    let short: String = shown.chars().filter(|c| *c != '\u{fffd}').take(LONGEST_NAME).collect();
    if short.trim().is_empty() { "app".to_owned() } else { short.trim().to_owned() }
}

/// Used names.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    /// The name, with the next free number appended if it is used.
    fn free(&mut self, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut all = std::iter::once(name.to_owned()).chain(numbered);
        let free = all.find(|name| !self.0.contains(name)).unwrap_or_default();
        self.0.insert(free.clone());
        free
    }
}
