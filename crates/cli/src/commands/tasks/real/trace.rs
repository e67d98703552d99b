//! `--trace` of a run on this host: CSV and Perfetto as for simulations, or `tasks.rec` of StarPU.

use std::io;
use std::path::Path;

use numasim_execute::Execution;
use numasim_graph::export::{self, Ran};
use numasim_tasks::Job;

use super::super::trace::{Kind, Writer};
use crate::failure::Failure;
use crate::output::Destination;

/// How it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Recutils,
    Simulated(Kind),
}

/// Where it goes: the last run.
pub(super) struct Trace {
    to: Destination,
    form: Form,
}

impl Trace {
    /// Checks that it can be written, and changes nothing.
    ///
    /// # Errors
    /// Those of [`Destination::open`].
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let is_rec = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("rec"));
        let form = if is_rec { Form::Recutils } else { Form::Simulated(Kind::of(path)) };
        Ok(Self { to: Destination::open(Some(path))?, form })
    }

    /// Where it goes.
    pub(super) const fn to(&self) -> &Destination {
        &self.to
    }

    /// Whether it has no place for the name of a scheduler.
    pub(super) fn is_of_one_run(&self) -> bool {
        self.form == Form::Recutils
    }

    /// Writes it.
    ///
    /// # Errors
    /// What cannot be written.
    pub(super) fn write(&self, job: &Job<'_>, run: &Execution) -> Result<(), Failure> {
        match self.form {
            Form::Recutils => {
                let ran = |record: &numasim_tasks::TaskRecord| Ran {
                    task: record.task,
                    worker: record.worker,
                    node: record.node,
                    start_s: record.start_s,
                    end_s: record.end_s,
                };
                let ran: Vec<Ran> = run.records.iter().map(ran).collect();
                let mut text = String::new();
                let program = job.program;
                export::starpu(&program.graph, &program.dependencies, &ran, &mut text)
                    .map_err(|error| Failure::fault("cannot write a record").caused_by(&error))?;
                self.to.deliver(&text)
            }
            Form::Simulated(kind) => self.to.deliver_by(|out| -> io::Result<()> {
                let mut writer = Writer::start(out, kind)?;
                let mut trace = writer.of_run(job);
                run.records.iter().for_each(|record| trace.ended(record));
                drop(trace);
                writer.finish()
            }),
        }
    }
}
