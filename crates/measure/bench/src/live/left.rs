//! What the processes of a run started and left behind: it may have left their process groups (setsid(2)).
//!
//! The process of the run is the parent of all that lose theirs, so that each of them descends from it. What was there before the run, and
//! what is of the run but none of its applications, is left alone, with all that these started. A process that has lost its parents may
//! descend from those: where there are any, it must have the environment of an application.

use std::collections::BTreeSet;
use std::io;

use numasim_host::os::child;
use numasim_host::os::held::Held;
use numasim_host::system::{Identity, Listed, System, descendants};

/// A process of a run that cannot be ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Its number.
    pub pid: u32,
    /// The name of its program.
    pub name: String,
}

/// See the module.
pub(super) struct Behind {
    /// Descendants of this process that were there before.
    before: BTreeSet<Identity>,
    /// Children of this process that are of the run and of no application.
    others: BTreeSet<Identity>,
    /// What each application has in its environment.
    marks: Vec<Vec<Vec<u8>>>,
    /// Those that were asked to end.
    asked: BTreeSet<Identity>,
}

impl Behind {
    /// From now on orphans are children of this process.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn begin() -> io::Result<Self> {
        let table = System::host().table();
        let before = descendants(&table, is_this, |_| false).iter().map(|one| one.identity).collect();
        child::take_orphans()?;
        Ok(Self { before, others: BTreeSet::new(), marks: Vec::new(), asked: BTreeSet::new() })
    }

    /// An application has this in its environment.
    pub(super) fn mark(&mut self, environment: &[(String, String)]) {
        let entry = |(key, value): &(String, String)| format!("{key}={value}").into_bytes();
        let ours = environment.iter().filter(|(key, _)| key.starts_with("NUMASIM_"));
        self.marks.push(ours.map(entry).collect());
    }

    /// A child of this process that is of no application.
    pub(super) fn leave_alone(&mut self, pid: u32) {
        if let Ok(listed) = System::host().listed(pid) {
            self.others.insert(listed.identity);
        }
    }

    /// Lets the system forget those that have ended; `is_watched`: somebody asks how they did.
    pub(super) fn reap(&self, is_watched: impl Fn(u32) -> bool) {
        while let Some(pid) = child::ended_one() {
            let is_other = self.others.iter().any(|other| other.number == pid);
            if is_other || is_watched(pid) {
                return;
            }
            child::reap(pid);
        }
    }

    /// Those that live, without the `applications` themselves.
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

    /// Asks each of them once to end, but for those in the groups of `applications`: these are asked as groups.
    pub(super) fn terminate(&mut self, all: &[Listed], applications: &[u32]) {
        for one in all.iter().filter(|one| !applications.contains(&one.group)) {
            if self.asked.insert(one.identity)
                && let Ok(held) = Held::open(one.identity)
            {
                // One that may not be asked is told of at the end.
                let _ = held.terminate();
            }
        }
    }

    /// Ends each of them.
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
