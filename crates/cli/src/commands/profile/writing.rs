//! Writes the files of a profile; the one with the seconds as they are found.

use std::fmt;
use std::io;

use numasim_model::Machine;
use numasim_model::graph::TaskId;
use numasim_plan::File;
use numasim_plan::profile::{self, Setting};
use numasim_tasks::{Profiler, TasksError};

use super::program::Program;
use crate::failure::Failure;
use crate::output::{Folder, Text};
use crate::watch;

/// Writes all files.
///
/// # Errors
/// What cannot be profiled or written; Ctrl-C.
pub(super) fn write(machine: &Machine, program: &Program<'_>, folder: &Folder) -> Result<(), Failure> {
    let graph = program.graph;
    // First of all what takes its time and may be stopped.
    seconds(machine, program, folder)?;
    folder.write(File::Meta.name(), |out| profile::meta(out, program.nodes.len()))?;
    folder.write(File::Edt.name(), |out| {
        graph.tasks().try_for_each(|task| profile::edt(out, task.0, &program.template(task)))
    })?;
    folder.write(File::New.name(), |out| {
        graph.tasks().try_for_each(|task| match (graph.created_by(task), graph.seq(task)) {
            (Some(creator), Some(seq)) => profile::new_task(out, creator.0, u64::from(seq), task.0),
            _ => Ok(()),
        })
    })?;
    for (file, named) in [(File::Dbs, false), (File::DbsNamed, true)] {
        folder.write(file.name(), |out| {
            let blocks = program.blocks().zip(graph.blocks()).zip(&program.creators);
            blocks.into_iter().try_for_each(|((id, block), (creator, seq))| {
                let name = if named { program.block_name(id) } else { "" };
                profile::block(out, id.0, name, block.bytes, creator.0, *seq)
            })
        })?;
    }
    folder.write(File::Acc.name(), |out| {
        graph.tasks().try_for_each(|task| {
            let template = program.template(task);
            graph.accesses(task).enumerate().try_for_each(|(slot, access)| {
                let name = program.block_name(access.block);
                profile::access(out, &template, task.0, slot, name, access.block.0)
            })
        })
    })?;
    folder.write(File::AffEdt.name(), |out| {
        let place = |task| Some((task, program.place(graph.affinity(task)?)?));
        graph.tasks().filter_map(place).try_for_each(|(task, place)| profile::task_hint(out, task.0, place))
    })?;
    folder.write(File::AffDbs.name(), |out| {
        program.blocks().try_for_each(|block| {
            let hint = graph.hint(block).and_then(|node| program.place(node));
            // Places count nodes with cores; the first one is near.
            profile::block_hint(out, block.0, hint, 0)
        })
    })
}

/// Writes the seconds of each task.
fn seconds(machine: &Machine, program: &Program<'_>, folder: &Folder) -> Result<(), Failure> {
    let mut profiled = Ok(());
    let written = folder.destination(File::Raw.name())?.deliver_by(|out| {
        Text::to(out, |out| {
            let mut rows = Rows { program, out, written: Ok(()) };
            profiled = numasim_tasks::profile(machine, program.graph, &mut rows);
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
            let template = self.program.template(task);
            let mut rows = timings.iter();
            self.written = rows.try_for_each(|&(setting, seconds)| {
                profile::raw(self.out, &template, task.0, setting, seconds)
            });
        }
    }

    fn stops(&self) -> bool {
        self.written.is_err() || watch::interrupted()
    }
}
