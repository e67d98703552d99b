//! Writes the files of a profile; the one with the seconds as they are found.

use std::fmt;
use std::io;

use numasim_graph::values::TaskId;
use numasim_model::Machine;
use numasim_plan::File;
use numasim_plan::profile::Setting;
use numasim_tasks::{Profiler, TasksError};

use super::program::Program;
use crate::failure::Failure;
use crate::output::{FolderFiles, Text};
use crate::watch;

/// Writes all files.
///
/// # Errors
/// What cannot be profiled or written; Ctrl-C.
pub(super) fn write(
    machine: &Machine,
    program: &Program<'_>,
    files: &mut FolderFiles,
) -> Result<(), Failure> {
    // First of all what takes its time and may be stopped.
    seconds(machine, program, files)?;
    for file in File::PROFILE.into_iter().filter(|file| *file != File::Raw) {
        files.write(file.name(), |out| program.profiled.write(file, out))?;
    }
    Ok(())
}

/// Writes the seconds of each task.
fn seconds(machine: &Machine, program: &Program<'_>, files: &mut FolderFiles) -> Result<(), Failure> {
    let mut profiled = Ok(());
    let written = files.write_by(File::Raw.name(), |out| {
        Text::to(out, |out| {
            let mut rows = Rows { program, out, written: Ok(()) };
            profiled = numasim_tasks::profile(machine, program.profiled.graph(), &mut rows);
            rows.written
        })?;
        // What is not whole is not written.
        if profiled.is_err() { Err(io::Error::other("there is no profile")) } else { Ok(()) }
    });
    // Where writing failed, profiling was stopped.
    match profiled {
        Err(TasksError::Stopped) if watch::interrupted() => {
            Err(Failure::interrupted("interrupted: there is no profile"))
        }
        Ok(()) | Err(TasksError::Stopped) => written,
        Err(error) => Err(Failure::input(error.to_string())),
    }
}

/// Writes rows as tasks are timed.
struct Rows<'a, 't, 'w> {
    program: &'a Program<'a>,
    out: &'t mut Text<'w>,
    written: fmt::Result,
}

impl Profiler for Rows<'_, '_, '_> {
    fn timed(&mut self, task: TaskId, timings: &[(Setting, f64)]) {
        if self.written.is_ok() {
            self.written = self.program.profiled.write_seconds(task, timings, self.out);
        }
    }

    fn stops(&self) -> bool {
        self.written.is_err() || watch::interrupted()
    }
}
