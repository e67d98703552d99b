//! All processes of a control group, by its `cpuset.cpus` where that may be written, else thread by thread.

mod cpuset;
mod files;
mod members;
#[cfg(test)]
mod tests;

use std::io;
use std::os::fd::BorrowedFd;

use super::binding::Binding;
use super::error::GroupError;
use super::ledger::Ledger;
use super::threads::{Threads as _, is_gone};
use cpuset::{CPUS, Cpuset};
pub(super) use files::{Files, Folder};
use members::Members;

/// See the module.
#[derive(Debug)]
pub(super) struct Group<F> {
    files: F,
    way: Way,
}

/// How its processors are set.
#[derive(Debug)]
enum Way {
    Cpuset(Cpuset),
    Threads {
        binding: Binding,
        /// Why not the other way.
        why: io::Error,
    },
}

impl<F: Files> Group<F> {
    /// `folder` is its name for people. Nothing changes before the first order.
    pub(super) fn begin(files: F, folder: &str, ledger: &Ledger) -> Result<Self, GroupError> {
        let folder = || folder.to_owned();
        let refused = |source| GroupError::Refused { folder: folder(), source };
        if !is_populated(&files.events().map_err(refused)?) {
            return Err(GroupError::Empty { folder: folder() });
        }
        let members = Members(&files);
        if members.list().map_err(refused)?.contains(&std::process::id()) {
            return Err(GroupError::Oneself { folder: folder() });
        }
        let way = match Cpuset::new(&files) {
            Ok(cpuset) => Way::Cpuset(cpuset),
            Err(why) => Way::Threads { binding: Binding::of_all(&members, ledger).map_err(refused)?, why },
        };
        Ok(Self { files, way })
    }

    /// How its processors are set, in words.
    pub(super) fn way(&self) -> String {
        match &self.way {
            Way::Cpuset(_) => format!("its processors are set in {CPUS} of its control group"),
            Way::Threads { why, .. } => {
                format!(
                    "its threads are bound one by one, as {CPUS} of its control group cannot be written: {why}"
                )
            }
        }
    }

    /// The threads of all its processes.
    pub(super) fn threads(&self) -> io::Result<Vec<u32>> {
        Members(&self.files).list()
    }

    pub(super) fn changes(&self) -> Option<BorrowedFd<'_>> {
        self.files.changes()
    }

    /// Whether nobody is left in it.
    pub(super) fn has_ended(&self) -> bool {
        match self.files.events() {
            Ok(events) => !is_populated(&events),
            // It was removed, for which it had to be empty.
            Err(why) => is_gone(&why),
        }
    }

    pub(super) fn order(&mut self, cpus: &[u32]) -> io::Result<()> {
        let Self { files, way } = self;
        let outcome = match way {
            Way::Cpuset(cpuset) => cpuset.order(files, cpus),
            Way::Threads { binding, .. } => binding.order(&Members(files), cpus),
        };
        self.unless_ended(outcome)
    }

    pub(super) fn look(&mut self) -> io::Result<()> {
        let Self { files, way } = self;
        let outcome = match way {
            Way::Cpuset(cpuset) => cpuset.look(files),
            Way::Threads { binding, .. } => binding.look(&Members(files)),
        };
        self.unless_ended(outcome)
    }

    /// Where the group is gone, nobody is left to be kept anywhere.
    fn unless_ended(&self, outcome: io::Result<()>) -> io::Result<()> {
        match outcome {
            Err(why) if is_gone(&why) && self.has_ended() => Ok(()),
            outcome => outcome,
        }
    }

    pub(super) fn release(&mut self) -> Vec<io::Error> {
        let Self { files, way } = self;
        match way {
            Way::Cpuset(cpuset) => {
                cpuset.release(files);
                Vec::new()
            }
            Way::Threads { binding, .. } => binding.release(&Members(files)),
        }
    }
}

/// Of the text of `cgroup.events`.
fn is_populated(events: &str) -> bool {
    !events.lines().any(|line| line == "populated 0")
}
