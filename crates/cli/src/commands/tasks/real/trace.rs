//! `--trace` of a run on this host, as for simulations.

use std::io;
use std::path::Path;

use numasim_bench::execute::Execution;
use numasim_tasks::Job;

use super::super::trace::{Kind, Writer};
use crate::failure::Failure;
use crate::output::Destination;

/// Where it goes: the last run.
pub(super) struct Trace {
    to: Destination,
    kind: Kind,
}

impl Trace {
    /// Checks that it can be written, and changes nothing.
    ///
    /// # Errors
    /// Those of [`Kind::of`] and [`Destination::open`].
    pub(super) fn open(path: &Path, runs: usize) -> Result<Self, Failure> {
        Ok(Self { to: Destination::open(Some(path))?, kind: Kind::of(path, runs)? })
    }

    /// Where it goes.
    pub(super) const fn to(&self) -> &Destination {
        &self.to
    }

    /// Writes it.
    ///
    /// # Errors
    /// What cannot be written.
    pub(super) fn write(&self, job: &Job<'_>, run: &Execution) -> Result<(), Failure> {
        self.to.deliver_by(|out| -> io::Result<()> {
            let mut writer = Writer::start(out, self.kind)?;
            let mut trace = writer.of_run(job);
            run.records.iter().for_each(|record| trace.ended(record));
            drop(trace);
            writer.finish()
        })
    }
}
