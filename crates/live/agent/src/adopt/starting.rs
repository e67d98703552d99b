//! A process whose place another program takes later: from then on it is adopted, and not before.

use super::{AdoptError, Adopted, Ledger, Process, Watch};

/// A process that waits for its time to become the program that it stands for (execve(2) keeps the number).
#[derive(Debug)]
pub struct Starting {
    process: Process,
    /// What it was started with itself.
    command_line: Vec<u8>,
}

/// What has become of it.
#[derive(Debug)]
pub enum Became {
    /// It still waits.
    Nothing(Starting),
    /// The program.
    Program(Adopted),
    /// It has ended.
    Ended,
}

impl Starting {
    /// Of a process; `None` where it has ended already.
    ///
    /// # Errors
    /// Those of [`Adopted::begin`] other than [`AdoptError::NoProcess`].
    pub fn begin(pid: u32) -> Result<Option<Self>, AdoptError> {
        match Process::open(pid) {
            Ok(process) => Ok(Some(Self { command_line: process.command_line(), process })),
            Err(AdoptError::NoProcess { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Its user.
    pub fn uid(&self) -> u32 {
        self.process.uid()
    }

    /// What tells at once when it has ended.
    pub fn watch(&self) -> Watch<'_> {
        Watch::readable(self.process.fd())
    }

    /// Looks at it; `cores` and `ledger` as for [`Adopted::begin`].
    ///
    /// # Errors
    /// The system does not let the program be adopted.
    pub fn look(self, cores: &[Vec<u32>], ledger: &Ledger) -> Result<Became, AdoptError> {
        if self.process.has_ended() {
            return Ok(Became::Ended);
        }
        let now = self.process.command_line();
        // While one program takes the place of another there is none to be seen.
        if now.is_empty() || now == self.command_line {
            return Ok(Became::Nothing(self));
        }
        match Adopted::of(self.process, cores.to_vec(), ledger) {
            Ok(adopted) => Ok(Became::Program(adopted)),
            Err(AdoptError::Refused { source, .. }) if super::threads::is_gone(&source) => Ok(Became::Ended),
            Err(error) => Err(error),
        }
    }
}
