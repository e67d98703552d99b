//! Groups processes to applications, and selects the applications that use CPU time.

use std::collections::{BTreeMap, BTreeSet};

use super::{BUSY, Kind, Moment, Process, TICKS_PER_SECOND, Task};
use crate::formats::cgroup::{GroupPath, Unit, unescaped, unit_of};
use crate::formats::resctrl::Group;

/// Processes that form one application, before their data is examined.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// A name given by the system.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Its control group; for a single process the one that contains it.
    pub group: Option<GroupPath>,
    /// Its processes, ascending.
    pub pids: Vec<u32>,
    /// Its threads with the share of a core that each used; unknown with one instant.
    pub tasks: Vec<Used>,
    /// Number of cores that it used; `None` with one instant.
    pub cores_used: Option<f64>,
}

/// A thread, and the share of a core that it used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Used {
    /// Its process.
    pub pid: u32,
    /// The thread at the later instant.
    pub task: Task,
    /// Its last logical CPU at the earlier instant, if it existed.
    pub cpu_before: Option<u32>,
    /// The share of a core.
    pub share: f64,
}

impl Used {
    /// Whether it counts as a thread of the application. Ticks are whole numbers, so the rounding error is
    /// added back.
    pub fn is_busy(&self) -> bool {
        self.share >= BUSY - 1e-9
    }
}

/// The requested applications.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection(pub Vec<String>);

impl Draft {
    /// Whether a word refers to it: its name, a process number, its group, unit or identifier, or the
    /// beginning of that.
    fn is_meant_by(&self, word: &str) -> bool {
        let is_pid = word.parse::<u32>().is_ok_and(|pid| self.pids.contains(&pid));
        let path = self.group.as_ref().map_or("", |group| group.path.as_str());
        let of_kind = match &self.kind {
            Kind::Container { id, .. } => word.len() >= 4 && id.starts_with(word),
            Kind::Service { unit } => unit == word,
            Kind::Guest | Kind::Process => false,
        };
        let group = word.strip_prefix("/sys/fs/cgroup").unwrap_or(word);
        is_pid || self.name == word || of_kind || (group.starts_with('/') && group.len() > 1 && path == group)
    }

    /// Whether it uses CPU time; unknown with one instant.
    fn is_in_use(&self) -> bool {
        self.cores_used.is_none_or(|cores| cores >= BUSY - 1e-9)
    }
}

/// The applications that use CPU time, in descending order of time; with `selection` the named ones. With one
/// instant all applications, because their use is unknown.
///
/// # Errors
/// Words of the selection without a match.
pub fn groups(
    before: Option<&Moment>,
    after: &Moment,
    selection: &Selection,
) -> Result<Vec<Draft>, Vec<String>> {
    let seconds = before.and_then(|before| seconds(before, after));
    let mut drafts: BTreeMap<(String, u32), Draft> = BTreeMap::new();
    for (process, used) in after.processes.iter().zip(used(before, after)) {
        let (key, mut draft) = draft(process);
        draft.tasks = used;
        drafts.entry(key).and_modify(|whole| whole.add(&draft)).or_insert(draft);
    }
    let mut drafts: Vec<Draft> = drafts.into_values().collect();
    for draft in &mut drafts {
        draft.name_by_processes(&after.processes);
        draft.cores_used = seconds.map(|_| draft.tasks.iter().map(|used| used.share).sum());
    }
    let monitors = after.resctrl.as_deref().unwrap_or_default();
    let in_use: Vec<&Draft> = drafts.iter().filter(|draft| draft.is_in_use()).collect();
    let made: Vec<(Vec<u32>, String)> = made_for(&in_use, monitors)
        .into_iter()
        .zip(&in_use)
        .filter_map(|(name, draft)| Some((draft.pids.clone(), name?.to_owned())))
        .collect();
    for (pids, name) in made {
        let named = drafts.iter_mut().find(|draft| draft.pids == pids);
        if let Some(draft) =
            named.filter(|draft| matches!(draft.kind, Kind::Container { .. } | Kind::Process))
        {
            draft.name = name;
        }
    }
    // Ties in the order of their processes, so that the same host always gives the same file.
    drafts.sort_by(|a, b| {
        let used = |draft: &Draft| draft.cores_used.unwrap_or(0.0);
        used(b).total_cmp(&used(a)).then_with(|| a.pids.cmp(&b.pids))
    });
    let Selection(words) = selection;
    if words.is_empty() {
        drafts.retain(Draft::is_in_use);
        return Ok(drafts);
    }
    let unknown: Vec<String> =
        words.iter().filter(|word| !drafts.iter().any(|draft| draft.is_meant_by(word))).cloned().collect();
    if !unknown.is_empty() {
        return Err(unknown);
    }
    drafts.retain(|draft| words.iter().any(|word| draft.is_meant_by(word)));
    Ok(drafts)
}

/// Seconds between two instants; `None` if the system does not report it.
pub(super) fn seconds(before: &Moment, after: &Moment) -> Option<f64> {
    let seconds = after.uptime_s? - before.uptime_s?;
    (seconds > 0.0 && seconds.is_finite()).then_some(seconds)
}

/// CPU time that the threads of each process used between the instants; empty with one instant.
pub(super) fn used(before: Option<&Moment>, after: &Moment) -> Vec<Vec<Used>> {
    let seconds = before.and_then(|before| seconds(before, after));
    let tasks = before.into_iter().flat_map(|before| &before.processes).flat_map(|process| &process.tasks);
    let earlier: BTreeMap<(u32, u64), Task> = tasks.map(|task| ((task.tid, task.started), *task)).collect();
    let of = |process: &Process| {
        let of_task = |task: &Task| {
            let then = earlier.get(&(task.tid, task.started));
            // A new thread has used all of its time since the earlier instant.
            let ticks = task.ticks.saturating_sub(then.map_or(0, |then| then.ticks));
            let share = seconds.map_or(0.0, |seconds| ticks as f64 / TICKS_PER_SECOND / seconds);
            Used { pid: process.pid, task: *task, cpu_before: then.map(|then| then.cpu), share }
        };
        process.tasks.iter().map(of_task).collect()
    };
    after.processes.iter().map(of).collect()
}

/// The application of a process, and its key among all applications.
fn draft(process: &Process) -> ((String, u32), Draft) {
    let path = process.group.as_ref().map_or("", |group| group.path.as_str());
    let unified = process.group.as_ref().is_some_and(|group| group.unified);
    let mut draft = Draft {
        name: process.name.clone(),
        kind: Kind::Process,
        group: process.group.clone(),
        pids: vec![process.pid],
        tasks: Vec::new(),
        cores_used: None,
    };
    let Some((unit, whole)) = unit_of(path) else {
        return ((String::new(), process.pid), draft);
    };
    draft.group = Some(GroupPath { path: whole.to_owned(), unified });
    draft.kind = match unit {
        Unit::Container { engine, id } => Kind::Container { engine, id },
        Unit::Guest { name } => {
            draft.name = name;
            Kind::Guest
        }
        Unit::Service { unit } => Kind::Service { unit },
    };
    ((whole.to_owned(), 0), draft)
}

impl Draft {
    /// Adds a process of the same application.
    fn add(&mut self, other: &Self) {
        self.pids.extend(&other.pids);
        self.tasks.extend(&other.tasks);
    }

    /// Gives it the name of its unit, or of the process with the most CPU time.
    fn name_by_processes(&mut self, processes: &[Process]) {
        let is_guest = self.tasks.iter().any(|used| used.task.vcpu.is_some());
        match &self.kind {
            Kind::Process if is_guest => self.kind = Kind::Guest,
            Kind::Process | Kind::Guest => {}
            Kind::Service { unit } => {
                let name = unit.strip_suffix(".service").unwrap_or(unit);
                self.name = unescaped(name);
            }
            Kind::Container { .. } => {
                let mut used: BTreeMap<u32, f64> = BTreeMap::new();
                for one in &self.tasks {
                    *used.entry(one.pid).or_default() += one.share;
                }
                // The first of equal ones.
                let most = used.iter().rev().max_by(|a, b| a.1.total_cmp(b.1)).map(|(pid, _)| *pid);
                let named = most.and_then(|most| processes.iter().find(|process| process.pid == most));
                if let Some(process) = named {
                    self.name.clone_from(&process.name);
                }
            }
        }
    }
}

/// The only monitoring group that was created for each of `drafts`: all its running threads belong to it.
/// `None` if there is none, or several.
fn made_for<'g>(drafts: &[&Draft], groups: &'g [Group]) -> Vec<Option<&'g str>> {
    let owner: BTreeMap<u32, usize> = drafts
        .iter()
        .enumerate()
        .flat_map(|(app, draft)| draft.tasks.iter().map(move |used| (used.task.tid, app)))
        .collect();
    let mut made: Vec<Vec<&str>> = vec![Vec::new(); drafts.len()];
    for group in groups.iter().filter(|group| group.monitor.is_some()) {
        let owners: BTreeSet<usize> =
            group.tasks.iter().filter_map(|task| owner.get(task).copied()).collect();
        if let (Some(&app), 1) = (owners.first(), owners.len()) {
            made[app].push(group.name());
        }
    }
    let only = |names: Vec<&'g str>| if let [only] = names.as_slice() { Some(*only) } else { None };
    made.into_iter().map(only).collect()
}
