//! `numasim profile`: the files `ptrace-*.csv` of a tree program.

use std::{fmt, io};

use numasim_course::Study;
use numasim_graph::values::{TaskGraph, TaskId};
use numasim_model::{Machine, NodeId};
use numasim_plan::profile::{Setting, fits_a_cell};
use numasim_plan::{File, Profiled};
use numasim_tasks::{Profiler, TasksError};

use crate::args::ProfileArgs;
use crate::failure::Failure;
use crate::output::{Destination, Folder, FolderFiles, Text};
use crate::shell::Shell;
use crate::view::machine_title;
use crate::{sharing, watch};

/// Runs the command.
pub(crate) fn run(args: &ProfileArgs, shell: &Shell) -> Result<(), Failure> {
    let input = sharing::read(&args.files, args.sharing.model, shell)?;
    let graph = super::tasks::graph(&input, args.graph.as_deref())?;
    let study = &input.study;
    let program = Program::of(&study.machine, &graph)?;
    let names = File::PROFILE.map(File::as_str);
    let folder = Folder::open(&args.output, &names, "-o")?;
    let told = Destination::open(None)?;
    watch::listen();
    folder.write_whole(|files| write(&study.machine, &program, files))?;
    told.deliver(&summary(study, &program))
}

/// A summary of the written files, in a few lines.
fn summary(study: &Study, program: &Program<'_>) -> String {
    let graph = program.profiled.graph();
    format!(
        "Machine: {}\nModel:   {}\nGraph:   {}: {} tasks, {} accesses, {} blocks\nNodes:   near {}, far {}\n",
        machine_title(&study.machine),
        study.machine.sharing().in_words(),
        graph.name(),
        graph.task_count(),
        graph.access_count(),
        graph.blocks().len(),
        program.near(),
        program.far(),
    )
}

// A graph that can be profiled: a tree with one root and names that fit into cells.

/// A tree program and the nodes of its machine.
struct Program<'a> {
    profiled: Profiled<'a>,
}

impl<'a> Program<'a> {
    /// # Errors
    /// The number of tasks without a creator is not one; a name that does not fit into a cell; a task or block on a node without cores.
    fn of(machine: &Machine, graph: &'a TaskGraph) -> Result<Self, Failure> {
        one_root(graph)?;
        if let Some(kind) = graph.types().iter().find(|kind| !fits_a_cell(kind)) {
            return Err(Failure::input(format!("the type `{kind}` has a semicolon"))
                .hint("cells of a profile are separated by semicolons: give it another name"));
        }
        let program = Self { profiled: Profiled::new(graph, machine.compute_nodes().collect()) };
        for task in graph.tasks() {
            program.known(graph.affinity(task), || format!("{} has the affinity", named(graph, task)))?;
        }
        for block in program.profiled.blocks() {
            let name = program.profiled.block_name(block);
            if !fits_a_cell(name) {
                return Err(Failure::input(format!("the name `{name}` of a block has a semicolon"))
                    .hint("cells of a profile are separated by semicolons: give it another name"));
            }
            program.known(graph.hint(block), || format!("block {} has the hint", block.0))?;
        }
        Ok(program)
    }

    /// The node on which the profile runs.
    fn near(&self) -> usize {
        self.profiled.nodes().first().map_or(0, |node| node.0)
    }

    /// The node with the remote data.
    fn far(&self) -> usize {
        self.profiled.nodes().last().map_or(0, |node| node.0)
    }

    fn known(&self, node: Option<NodeId>, what: impl FnOnce() -> String) -> Result<(), Failure> {
        match node.filter(|node| self.profiled.place(*node).is_none()) {
            None => Ok(()),
            Some(node) => Err(Failure::input(format!("{} {}, which has no cores", what(), node.0))
                .hint("name a node with cores")),
        }
    }
}

fn one_root(graph: &TaskGraph) -> Result<(), Failure> {
    let mut roots = graph.tasks().filter(|task| graph.created_by(*task).is_none());
    let Some(first) = roots.next() else {
        return Err(Failure::input("there is no task to profile")
            .hint("a profile is of a tree program: a task that creates others"));
    };
    match roots.next() {
        None => Ok(()),
        Some(second) => Err(Failure::input(format!(
            "{} and {} have no `created_by`: a profile is of a program that begins with one task",
            named(graph, first),
            named(graph, second)
        ))
        .hint("give every other task the task that creates it")),
    }
}

fn named(graph: &TaskGraph, task: TaskId) -> String {
    graph.task_name(task).map_or_else(|| format!("task {}", task.0), |name| format!("task `{name}`"))
}

// Writes the files of a profile; the file with the seconds is written during profiling.

/// Writes all files.
///
/// # Errors
/// Graphs that cannot be profiled, and files that cannot be written; Ctrl-C.
fn write(machine: &Machine, program: &Program<'_>, files: &mut FolderFiles) -> Result<(), Failure> {
    // The step that takes long and may be interrupted comes first.
    seconds(machine, program, files)?;
    for file in File::PROFILE.into_iter().filter(|file| *file != File::Raw) {
        files.write(file.as_str(), |out| program.profiled.write(file, out))?;
    }
    Ok(())
}

/// Writes the seconds of each task.
fn seconds(machine: &Machine, program: &Program<'_>, files: &mut FolderFiles) -> Result<(), Failure> {
    let mut profiled = Ok(());
    let written = files.write_by(File::Raw.as_str(), |out| {
        Text::to(out, |out| {
            let mut rows = Rows { program, out, written: Ok(()) };
            profiled = numasim_tasks::profile(machine, program.profiled.graph(), &mut rows);
            rows.written
        })?;
        // Incomplete output is not written.
        if profiled.is_err() { Err(io::Error::other("there is no profile")) } else { Ok(()) }
    });
    // If writing failed, profiling was stopped.
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
