//! The processors of a group by its `cpuset.cpus`: the kernel keeps every process on them, also those that come later.

use std::io;
use std::path::Path;

use numasim_model::cpus::{CpuList, ranges};

use super::files::Files;
use crate::adopt::binding::less;

/// What is wanted.
pub(super) const CPUS: &str = "cpuset.cpus";
/// What there really is of it.
const EFFECTIVE: &str = "cpuset.cpus.effective";

/// See the module.
#[derive(Debug)]
pub(super) struct Cpuset {
    /// What the file said before the first order.
    had: String,
    /// And what there was of it.
    had_effective: String,
    /// The order in force.
    order: Option<Vec<u32>>,
}

impl Cpuset {
    /// # Errors
    /// There is no such file, as nobody has delegated it, or it cannot be written.
    pub(super) fn new(files: &impl Files) -> io::Result<Self> {
        let had = files.read(Path::new(CPUS))?;
        files.may_write(Path::new(CPUS))?;
        let had_effective = files.read(Path::new(EFFECTIVE))?;
        Ok(Self { had, had_effective, order: None })
    }

    /// Orders these processors (ascending); on failure, the last order is in force again.
    pub(super) fn order(&mut self, files: &impl Files, cpus: &[u32]) -> io::Result<()> {
        if self.order.is_none() {
            self.had = files.read(Path::new(CPUS))?;
            self.had_effective = files.read(Path::new(EFFECTIVE))?;
        }
        let before = self.order.replace(cpus.to_vec());
        let outcome = put(files, cpus);
        if outcome.is_err() {
            match before {
                Some(before) => {
                    // What cannot be put back now is the next look's.
                    let _ = put(files, &before);
                    self.order = Some(before);
                }
                None => self.release(files),
            }
        }
        outcome
    }

    /// Writes the order again where somebody else has written.
    pub(super) fn look(&self, files: &impl Files) -> io::Result<()> {
        let Some(order) = &self.order else { return Ok(()) };
        if numbers(&files.read(Path::new(CPUS))?) == *order { Ok(()) } else { put(files, order) }
    }

    /// Gives the group back what it had; where that was no list of its own, and Linux does not take a list away from processes
    /// (`validate_change` of kernel/cgroup/cpuset.c), the list of what it had in effect.
    pub(super) fn release(&mut self, files: &impl Files) {
        if self.order.take().is_none() {
            return;
        }
        // Nothing but a line feed takes away what was written; no text at all would be no order.
        let had = if self.had.trim().is_empty() { "\n" } else { &self.had };
        if files.write(Path::new(CPUS), had).is_err() {
            // Nobody is left to be told that it cannot be.
            let _ = files.write(Path::new(CPUS), &self.had_effective);
        }
    }
}

/// # Errors
/// The system refuses it, or gives less: the group above may have fewer.
fn put(files: &impl Files, cpus: &[u32]) -> io::Result<()> {
    files.write(Path::new(CPUS), &format!("{}\n", ranges(cpus)))?;
    let found = numbers(&files.read(Path::new(EFFECTIVE))?);
    if found == cpus { Ok(()) } else { Err(less(&found)) }
}

/// Ascending; none of a text that is no list.
fn numbers(text: &str) -> Vec<u32> {
    let mut numbers = CpuList::parse(text.trim()).map(|list| list.as_slice().to_vec()).unwrap_or_default();
    numbers.sort_unstable();
    numbers
}
