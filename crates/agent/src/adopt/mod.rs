//! Programs that know nothing of the agent: their threads are kept on the cores that an order names.
//!
//! They are never stopped, and their priority is left alone. What their threads had is put back at the end
//! ([`Adopted::release`], also when dropped); after SIGKILL of the agent
//! they keep the last order, as nobody is left to undo it.

mod binding;
mod error;
mod process;
#[cfg(test)]
mod tests;
mod wanted;

use std::os::fd::{AsFd as _, BorrowedFd};

use numasim_model::cpus::ranges;

use binding::Binding;
pub use error::AdoptError;
use process::Process;
pub use wanted::{Wanted, WantedError};

/// A process whose threads are put on cores. Dropped, they get back what they had.
#[derive(Debug)]
pub struct Adopted {
    process: Process,
    binding: Binding,
    /// The processors of each core, numbered through all nodes.
    cores: Vec<Vec<u32>>,
}

impl Adopted {
    /// Adopts the process `pid`; `cores` are the processors of each core of the machine, as orders number them.
    /// Nothing changes before the first order.
    ///
    /// # Errors
    /// Every variant of [`AdoptError`].
    pub fn begin(pid: u32, cores: Vec<Vec<u32>>) -> Result<Self, AdoptError> {
        let process = Process::open(pid)?;
        let binding = Binding::new(pid, &process).map_err(|source| AdoptError::Refused { pid, source })?;
        Ok(Self { process, binding, cores })
    }

    /// The number of the process.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Its user, who is that of the agent.
    pub fn uid(&self) -> u32 {
        self.process.uid()
    }

    /// Becomes readable when the process ends.
    pub fn ended_fd(&self) -> BorrowedFd<'_> {
        self.process.fd().as_fd()
    }

    /// Whether the process has ended.
    pub fn has_ended(&self) -> bool {
        self.process.has_ended()
    }

    /// Puts every thread on all processors of these cores.
    ///
    /// # Errors
    /// Why the order cannot be carried out, in words for whoever asks for the status: no core, a core that the machine does not
    /// have, or what the system says. Then the last order stays.
    pub fn order(&mut self, cores: &[u32]) -> Result<(), String> {
        if cores.is_empty() {
            return Err("a process that knows nothing of the agent cannot be kept from all cores".into());
        }
        let mut cpus = Vec::new();
        for &core in cores {
            let of_core = usize::try_from(core).ok().and_then(|core| self.cores.get(core));
            cpus.extend(of_core.ok_or_else(|| format!("there is no core {core}"))?);
        }
        cpus.sort_unstable();
        cpus.dedup();
        self.binding
            .order(&self.process, &cpus)
            .map_err(|why| format!("its threads cannot be put on processors {}: {why}", ranges(&cpus)))
    }

    /// Looks through its threads again: new ones, and those that went elsewhere, are put where the order says.
    ///
    /// # Errors
    /// What the system says, in words as those of [`Self::order`].
    pub fn look(&mut self) -> Result<(), String> {
        self.binding
            .look(&self.process)
            .map_err(|why| format!("its threads cannot be kept where they are: {why}"))
    }

    /// Gives each thread back what it had before the first order, and new ones what the main thread had.
    pub fn release(&mut self) {
        self.binding.release(&self.process);
    }
}

impl Drop for Adopted {
    fn drop(&mut self) {
        self.release();
    }
}
