//! Reads input files with the tables of all families: behaviour over time, and tasks.

use numasim_course::{Courses, Dynamics, Places, Study, keys as over_time};
use numasim_graph::values::TaskStudy;
use numasim_graph::{TaskTables, keys as of_tasks};
use numasim_model::App;
use numasim_model::app::IntensityFrom;
use numasim_model::units::Gflop;
use numasim_study::keys::{Table, root};
use numasim_study::reader::{AppReading, Apps, Log, MachineReading, TableReader, Tables};
use numasim_study::{Family, Place, Problem, ProblemKind, SourceFile};

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

/// The contents of files apart from machine, applications, scenarios and time.
#[derive(Clone, Debug, PartialEq)]
pub struct Further {
    /// Locations of the behaviour over time.
    pub over_time: Places,
    /// The contents about tasks.
    pub tasks: TaskStudy,
}

/// Reads all files as one study, with the tables of all families.
///
/// # Errors
/// Every problem that was found, in the order of the files and their lines; an external program without an arithmetic intensity.
pub fn read_study(files: &[SourceFile]) -> Result<Reading, Vec<Problem>> {
    let reading = read_programs(files)?;
    let names = reading.groups.iter().zip(&reading.places.apps);
    let place_of =
        |group: &str| names.clone().find(|(of, _)| of.name == group).map(|(_, at)| at.name.clone());
    let problems = without_intensity(&reading.study.at_rest.apps, place_of, "this command");
    if problems.is_empty() { Ok(reading) } else { Err(problems) }
}

/// A problem for each group of applications whose speed cannot be computed because their intensity is unknown. `command` computes speeds.
pub(crate) fn without_intensity(
    apps: &[App],
    place_of: impl Fn(&str) -> Option<Place>,
    command: &str,
) -> Vec<Problem> {
    let mut groups: Vec<&str> = apps
        .iter()
        .filter(|app| app.intensity_from == IntensityFrom::Unknown)
        .map(|app| app.group.as_str())
        .collect();
    groups.dedup();
    let problem = |group: &str| {
        let message = format!("`{group}` has no `arithmetic_intensity`, and {command} computes its speed");
        let problem = Problem::new(ProblemKind::MissingKey, message)
            .hint(
                "add e.g. `arithmetic_intensity = 0.5`, which numasim profile-app measures; only `run` and `agent` start a \
                 `command` without it, under policies that compute no speeds",
            );
        match place_of(group) {
            Some(place) => problem.at(place, "a program whose intensity is unknown"),
            None => problem,
        }
    };
    groups.into_iter().map(problem).collect()
}

/// The same for commands that start external programs (`command`) and do not compute their speed: these need no arithmetic intensity.
///
/// # Errors
/// Every other problem of [`read_study`].
pub fn read_programs(files: &[SourceFile]) -> Result<Reading, Vec<Problem>> {
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

    fn may_lack_intensity(&self, table: &TableReader<'_>) -> bool {
        self.0.may_lack_intensity(table)
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
