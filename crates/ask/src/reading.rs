//! Reads input files with the tables of all families: what happens over time, and tasks.

use numasim_course::{Courses, Dynamics, Places, Study, keys as over_time};
use numasim_graph::values::TaskStudy;
use numasim_graph::{TaskTables, keys as of_tasks};
use numasim_model::units::Gflop;
use numasim_study::keys::{Table, root};
use numasim_study::reader::{AppReading, Apps, Log, MachineReading, TableReader, Tables};
use numasim_study::{Family, Problem, SourceFile};

/// An input file with the tables of all families.
pub static FILE: Table = Table {
    doc: concat!(
        " Input file of numasim: a machine, applications, scenarios, what the applications do over time, and graphs of",
        " tasks. A study may be spread over several files; `[machine]` stands in exactly one of them. Bandwidths are",
        " in GB/s with 1 GB = 10^9 bytes; nodes are numbered from 0.",
    ),
    keys: &[
        &root::MACHINE,
        &over_time::APP,
        &root::SCENARIO,
        &over_time::root::CHANNEL,
        &over_time::root::CALL,
        &over_time::root::COMMAND,
        &of_tasks::root::BLOCK,
        &of_tasks::root::TASK,
        &over_time::root::POLICY,
        &over_time::root::OS,
        &over_time::root::CLUSTER,
        &of_tasks::root::GRAPH,
        &of_tasks::root::SCHEDULER,
        &of_tasks::root::RUNTIME,
        &of_tasks::root::CONTENDER,
        &of_tasks::root::PROGRAM,
    ],
    ..root::TABLE
};

/// All files, read and checked.
pub type Reading = numasim_study::Reading<Study, Further>;

/// What files say beside machine, applications, scenarios and time.
#[derive(Clone, Debug, PartialEq)]
pub struct Further {
    /// Where they say what happens over time.
    pub over_time: Places,
    /// What they say of tasks.
    pub tasks: TaskStudy,
}

/// Reads all files as one study, with the tables of all families.
///
/// # Errors
/// Every problem that was found, in the order of the files and their lines.
pub fn read_study(files: &[SourceFile]) -> Result<Reading, Vec<Problem>> {
    let reading = numasim_study::read_study_with(files, &FILE, Families::default())?;
    Ok(reading.map(|at_rest, ((dynamics, over_time), tasks)| {
        (Study { at_rest, dynamics }, Further { over_time, tasks })
    }))
}

/// Time, then tasks.
#[derive(Default)]
struct Families(Courses);

impl Family for Families {
    type Read = ((Dynamics, Places), TaskStudy);

    fn app(
        &mut self,
        table: &mut TableReader<'_>,
        app: &AppReading,
        machine: &MachineReading,
    ) -> Option<Gflop> {
        self.0.app(table, app, machine)
    }

    fn tables<'a>(
        self,
        tables: &mut Tables<'a>,
        log: &'a Log,
        apps: &Apps,
        machine: &MachineReading,
    ) -> Option<(Self::Read, bool)> {
        // Both are read, so that every mistake is reported.
        let over_time = self.0.tables(tables, log, apps, machine);
        let tasks = TaskTables.tables(tables, log, apps, machine);
        let ((over_time, _), (tasks, needs_caches)) = (over_time?, tasks?);
        Some(((over_time, tasks), needs_caches))
    }
}
