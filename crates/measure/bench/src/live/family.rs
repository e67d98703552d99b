//! The processes of a run: started together, watched, and terminated in any case.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::{Duration, Instant};

use numasim_host::os::process;
use numasim_host::os::process::{Held, wait_for_any};
use numasim_host::os::shared::Shared;
use numasim_host::os::thread::now_ns;
use numasim_host::system::{Identity, Listed, System, descendants};

use crate::live::Order;
use crate::live::app::APP_COMMAND;
use crate::live::board::{Board, Counts, Extent, Look, OfApp, Whole, look};

/// Time that processes have to exit after a request.
const GRACE: Duration = Duration::from_secs(2);
/// Time that killed processes have: each needs a logical CPU once to exit, and waits for it on a busy machine.
const KILLED: Duration = Duration::from_secs(10);
/// Interval between checks of the processes.
const STEP: Duration = Duration::from_millis(5);
/// Interval between checks of all processes of the system, for those that they left behind.
const LOOK_AROUND: Duration = Duration::from_millis(50);

/// The reason why a run cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum FamilyError {
    /// A system call failed.
    #[error("{what}: {source}")]
    System {
        /// The operation.
        what: String,
        /// The reason.
        source: io::Error,
    },
    /// More counts than the shared memory has room for.
    #[error("{apps} applications on {nodes} nodes are more than one run can count")]
    TooMany {
        /// Applications.
        apps: usize,
        /// Nodes.
        nodes: usize,
    },
    /// An application exited before it was finished.
    #[error("application '{app}' {what}")]
    Failed {
        /// The application.
        app: String,
        /// How it exited.
        what: String,
    },
}

/// How a process exited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its application, in file order.
    pub app: usize,
    /// The error, for people; `None` if there is none.
    pub wrong: Option<String>,
}

/// All processes of a run. When it is dropped, all of them are gone, except those of [`Family::left`].
pub struct Family {
    board: Shared<Board>,
    extent: Extent,
    members: Vec<Member>,
    behind: Behind,
    /// Processes that could not be terminated; `None` before the end.
    left: Option<Vec<Left>>,
}

struct Member {
    app: usize,
    name: String,
    /// Whether it is an external program, which reports only its exit.
    foreign: bool,
    child: Child,
    /// A handle to wait for it; `None` if the system has no room for one.
    held: Option<Held>,
    ended: Option<ExitStatus>,
    errors: Option<thread::JoinHandle<Vec<u8>>>,
}

/// The files for the output of an external program.
pub type Outputs = (File, File);

impl Family {
    /// A family without processes. From now on the calling process adopts orphans (prctl(2), `PR_SET_CHILD_SUBREAPER`), and terminates all
    /// its descendants at the end: it must not start anything else without [`Family::leave_alone`].
    ///
    /// # Errors
    /// [`FamilyError::TooMany`], and a lack of shareable memory.
    pub fn new(extent: Extent) -> Result<Self, FamilyError> {
        if !extent.fits() {
            return Err(FamilyError::TooMany { apps: extent.apps, nodes: extent.nodes });
        }
        let board = Shared::<Board>::new().map_err(|source| FamilyError::System {
            what: "cannot share memory between processes".into(),
            source,
        })?;
        let behind = Behind::begin().map_err(|source| FamilyError::System {
            what: "cannot take care of what applications leave behind".into(),
            source,
        })?;
        Ok(Self { board, extent, members: Vec::new(), behind, left: None })
    }

    /// Registers a child of this process that does not belong to the family.
    pub fn leave_alone(&mut self, pid: u32) {
        self.behind.leave_alone(pid);
    }

    /// Starts the process of an application, which then waits for [`Self::start`]. With `outputs` it is an external program that prints to
    /// these files; `environment` is added to ours.
    ///
    /// # Errors
    /// [`FamilyError::System`].
    pub fn add(
        &mut self,
        mut order: Order,
        outputs: Option<Outputs>,
        environment: &[(String, String)],
    ) -> Result<u32, FamilyError> {
        let system = |source| FamilyError::System {
            what: format!("cannot start a process for application '{}'", order.name),
            source,
        };
        order.board = self.board.file();
        let text = serde_json::to_vec(&order).map_err(|error| system(error.into()))?;
        let mut command = Command::new("/proc/self/exe");
        command.arg(APP_COMMAND).arg0("numasim").envs(environment.iter().map(|(key, value)| (key, value)));
        command.stdin(Stdio::piped());
        let foreign = outputs.is_some();
        match outputs {
            Some((output, errors)) => command.stdout(output).stderr(errors),
            None => command.stdout(Stdio::null()).stderr(Stdio::piped()),
        };
        process::prepare(&mut command, self.board.file());
        let mut child = command.spawn().map_err(system)?;
        // A short text: the pipe has room for it, or the process reads it.
        let told = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(&text));
        let errors = child.stderr.take().map(|errors| thread::spawn(move || process::read_all(Some(errors))));
        let pid = child.id();
        self.behind.mark(environment);
        let held = Held::child(pid).ok();
        self.members.push(Member {
            app: order.app,
            name: order.name.clone(),
            foreign,
            child,
            held,
            ended: None,
            errors,
        });
        told.map_err(system)?;
        Ok(pid)
    }

    /// Whether all are ready for the start.
    pub fn is_ready(&self) -> bool {
        let ready = |member: &Member| self.counts().of_app(member.app, OfApp::Ready).load(SeqCst) != 0;
        self.members.iter().all(ready)
    }

    /// Starts all; with `until` the run is over at this time after the start.
    pub fn start(&self, until: Option<Duration>) {
        let now = now_ns();
        if let Some(until) = until {
            self.counts().end_at(now.saturating_add(u64::try_from(until.as_nanos()).unwrap_or(u64::MAX)));
        }
        self.counts().whole(Whole::Start).store(now, SeqCst);
        self.counts().tell();
    }

    /// Ends the run now, unless it ended earlier: later events are not counted, and a look shows the state at the end.
    pub fn stop_the_clock(&self) {
        self.counts().end_at(now_ns());
    }

    /// Ends the run when all are finished, at the time of the last one; returns whether they are.
    pub fn is_finished(&self) -> bool {
        let counts = self.counts();
        let finished = |member: &Member| {
            let at = counts.of_app(member.app, OfApp::Finished).load(SeqCst);
            (at != 0 && !counts.is_over(at)).then_some(at)
        };
        let all: Option<Vec<u64>> = self.members.iter().map(finished).collect();
        let last = all.and_then(|all| all.into_iter().max());
        if let Some(last) = last {
            counts.end_at(last);
        }
        last.is_some()
    }

    /// Whether a predetermined end has passed.
    pub fn is_time_over(&self) -> bool {
        self.counts().is_over(now_ns())
    }

    /// Waits until a process exits or the time is over; may also wake up spuriously.
    pub fn wait(&self, patience: Duration) {
        let running = self.members.iter().filter(|member| member.ended.is_none());
        wait_for_any(running.filter_map(|member| member.held.as_ref()), patience);
    }

    /// The time since the common start, also after the end.
    pub fn since_start(&self) -> Duration {
        let start = self.counts().start_ns().unwrap_or_else(now_ns);
        Duration::from_nanos(now_ns().saturating_sub(start))
    }

    /// Time until the predetermined end; `None` without one.
    pub fn until_end(&self) -> Option<Duration> {
        self.counts().end_ns().map(|end| Duration::from_nanos((end + 1).saturating_sub(now_ns())))
    }

    /// The current state.
    pub fn look(&self) -> Look {
        look(&self.board, self.extent)
    }

    /// The processes that exited since the last call. The exit of an external program is recorded as that of the application.
    ///
    /// # Errors
    /// [`FamilyError::System`].
    pub fn ended(&mut self) -> Result<Vec<Ended>, FamilyError> {
        let counts = Counts { board: &self.board, extent: self.extent };
        let mut found = Vec::new();
        for member in self.members.iter_mut().filter(|member| member.ended.is_none()) {
            if !process::has_ended(member.child.id()) {
                continue;
            }
            let at = now_ns();
            // The rest of its group is killed with it, while the ID of the group cannot be reused.
            process::kill_group(member.child.id());
            let status = member.child.wait().map_err(|source| FamilyError::System {
                what: format!("cannot watch application '{}'", member.name),
                source,
            })?;
            member.ended = Some(status);
            let errors = member.errors.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
            let finished = counts.of_app(member.app, OfApp::Finished);
            if member.foreign && status.success() {
                finished.store(at, SeqCst);
            }
            // At the end of the run they exit, finished or not.
            let wrong = if status.success() && (finished.load(SeqCst) != 0 || counts.is_over(at)) {
                None
            } else {
                Some(process::how_it_ended(status, &String::from_utf8_lossy(&errors)))
            };
            found.push(Ended { app: member.app, wrong });
        }
        let running =
            |pid| self.members.iter().any(|member| member.ended.is_none() && member.child.id() == pid);
        self.behind.reap(running);
        Ok(found)
    }

    /// The name of an application.
    pub fn name(&self, app: usize) -> &str {
        self.members.iter().find(|member| member.app == app).map_or("", |member| &member.name)
    }

    /// Whether all have exited.
    pub fn is_over(&self) -> bool {
        self.members.iter().all(|member| member.ended.is_some())
    }

    /// Terminates all, with the processes that they left behind: first by request, then, after a while, by force. Processes that cannot be
    /// terminated are in [`Family::left`].
    pub fn end(&mut self) {
        self.stop_the_clock();
        self.counts().abort();
        for member in self.members.iter().filter(|member| member.ended.is_none() && member.foreign) {
            process::terminate_group(member.child.id());
        }
        let grace = Instant::now() + GRACE;
        while !self.are_gone(Behind::terminate) && Instant::now() < grace {
            self.pause(grace);
        }
        for member in self.members.iter_mut().filter(|member| member.ended.is_none()) {
            process::kill_group(member.child.id());
            let _ = member.child.kill();
            member.ended = member.child.wait().ok();
        }
        let last = Instant::now() + KILLED;
        while !self.are_gone(Behind::kill) && Instant::now() < last {
            self.pause(last);
        }
        let left = |one: Listed| Left { pid: one.identity.number, name: one.name };
        self.left = Some(self.behind.alive(&[]).into_iter().map(left).collect());
    }

    /// Processes that could not be terminated.
    pub fn left(&self) -> &[Left] {
        self.left.as_deref().unwrap_or_default()
    }

    /// Whether no process is left; applies `act` to those left behind.
    fn are_gone(&mut self, act: fn(&mut Behind, &[Listed], &[u32])) -> bool {
        // Its errors have been reported already.
        let _ = self.ended();
        let running: Vec<u32> = self
            .members
            .iter()
            .filter(|member| member.ended.is_none())
            .map(|member| member.child.id())
            .collect();
        let alive = self.behind.alive(&running);
        act(&mut self.behind, &alive, &running);
        running.is_empty() && alive.is_empty()
    }

    /// Waits until the next check of the system is due: until the applications have exited, or some time has passed.
    fn pause(&mut self, last: Instant) {
        let next = (Instant::now() + LOOK_AROUND).min(last);
        let was_over = self.is_over();
        while Instant::now() < next && self.ended().is_ok() && (was_over || !self.is_over()) {
            thread::sleep(STEP);
        }
    }

    fn counts(&self) -> Counts<'_> {
        Counts { board: &self.board, extent: self.extent }
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        if self.left.is_none() {
            self.end();
        }
    }
}

// Processes that those of a run started and left behind: they may have left their process groups (setsid(2)).
//
// The process of the run becomes the parent of all orphans, so each of them descends from it. Processes from before the run, and processes
// of the run that belong to none of its applications, are left alone, with their descendants. A process without its original parents may
// descend from those: if there are any, it must have the environment of an application.

/// A process of a run that cannot be terminated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Its ID.
    pub pid: u32,
    /// The name of its program.
    pub name: String,
}

/// See the module.
pub(super) struct Behind {
    /// Descendants of this process from before the run.
    before: BTreeSet<Identity>,
    /// Children of this process that belong to the run but to no application.
    others: BTreeSet<Identity>,
    /// Entries in the environment of each application.
    marks: Vec<Vec<Vec<u8>>>,
    /// Processes that were asked to exit.
    asked: BTreeSet<Identity>,
}

impl Behind {
    /// Makes orphans children of this process from now on.
    ///
    /// # Errors
    /// The error of the system.
    pub(super) fn begin() -> io::Result<Self> {
        let table = System::host().table();
        let before = descendants(&table, is_this, |_| false).iter().map(|one| one.identity).collect();
        process::take_orphans()?;
        Ok(Self { before, others: BTreeSet::new(), marks: Vec::new(), asked: BTreeSet::new() })
    }

    /// Records entries in the environment of an application.
    pub(super) fn mark(&mut self, environment: &[(String, String)]) {
        let entry = |(key, value): &(String, String)| format!("{key}={value}").into_bytes();
        let ours = environment.iter().filter(|(key, _)| key.starts_with("NUMASIM_"));
        self.marks.push(ours.map(entry).collect());
    }

    /// Registers a child of this process that belongs to no application.
    pub(super) fn leave_alone(&mut self, pid: u32) {
        if let Ok(listed) = System::host().listed(pid) {
            self.others.insert(listed.identity);
        }
    }

    /// Reaps processes that have exited; `is_watched`: another part waits for their exit status.
    pub(super) fn reap(&self, is_watched: impl Fn(u32) -> bool) {
        while let Some(pid) = process::ended_one() {
            let is_other = self.others.iter().any(|other| other.number == pid);
            if is_other || is_watched(pid) {
                return;
            }
            process::reap(pid);
        }
    }

    /// Live processes, without the `applications` themselves.
    pub(super) fn alive(&self, applications: &[u32]) -> Vec<Listed> {
        let system = System::host();
        let table = system.table();
        let is_left_out = |one: &Identity| self.before.contains(one) || self.others.contains(one);
        let is_application = |one: &Identity| applications.contains(&one.number);
        let is_ours = |one: &Listed| {
            one.parent == std::process::id()
                && !is_left_out(&one.identity)
                && !is_application(&one.identity)
                && (self.before.is_empty()
                    || self.asked.contains(&one.identity)
                    || self.has_a_mark(&system.environment(one.identity.number)))
        };
        let orphans: Vec<&Listed> = table.iter().filter(|one| is_ours(one)).collect();
        let is_root =
            |one: &Identity| is_application(one) || orphans.iter().any(|orphan| orphan.identity == *one);
        let below = descendants(&table, is_root, is_left_out);
        orphans.iter().copied().chain(below).filter(|one| !one.has_ended).cloned().collect()
    }

    fn has_a_mark(&self, environment: &[Vec<u8>]) -> bool {
        self.marks.iter().any(|mark| !mark.is_empty() && mark.iter().all(|entry| environment.contains(entry)))
    }

    /// Asks each of them once to exit, except those in the groups of `applications`, which are asked as groups.
    pub(super) fn terminate(&mut self, all: &[Listed], applications: &[u32]) {
        for one in all.iter().filter(|one| !applications.contains(&one.group)) {
            if self.asked.insert(one.identity)
                && let Ok(held) = Held::open(one.identity)
            {
                // A process that may not be signalled is reported at the end.
                let _ = held.terminate();
            }
        }
    }

    /// Kills each of them.
    pub(super) fn kill(&mut self, all: &[Listed], _applications: &[u32]) {
        for one in all {
            self.asked.insert(one.identity);
            if let Ok(held) = Held::open(one.identity) {
                let _ = held.kill();
            }
        }
    }
}

fn is_this(one: &Identity) -> bool {
    one.number == std::process::id()
}
