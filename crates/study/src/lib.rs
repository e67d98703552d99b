//! Reads input files: text in, a checked study or a list of located problems out.
//!
//! Nothing here touches the disk. Every problem of every file is reported, not only the first, and every value
//! that no file gives is listed among the defaults.

mod app_keys;
mod apps;
mod bandwidth;
mod census;
mod commands;
mod couplings;
mod course;
pub mod csv;
mod data;
pub mod figure;
pub mod keys;
mod log;
mod machine;
pub mod machine_file;
pub mod names;
mod nodes;
mod problem;
#[path = "../../../tests/random.rs"]
#[cfg(test)]
mod random;
mod reading;
mod scenarios;
#[cfg(feature = "schema")]
pub mod schema;
mod syntax;
mod table;
#[cfg(test)]
mod tests;
mod thread_row;
mod threads;
pub mod topology;
mod value;
pub mod writing;

use toml::Spanned;
use toml::de::DeTable;

/// What readers of further tables are made of.
pub mod reader {
    pub use super::commands::time;
    pub use super::log::{Log, Source};
    pub use super::machine::{MachineReading, node_with_memory};
    pub use super::nodes::node_number;
    pub use super::table::{TableReader, Tables};
    pub use super::value::Value;
}

pub use problem::{Place, Problem, ProblemKind};
pub use reading::{AppPlaces, CoursePlaces, PhasePlaces, Places, ScenarioPlaces};
pub use reading::{DefaultUsed, Group, Reading, SourceFile, TableKind};

use apps::Apps;
use commands::Commands;
use couplings::Couplings;
use course::Courses;
use keys::{Table, root};
use log::{Log, Source};
use machine::MachineReading;
use numasim_model::dynamics::Dynamics;
use numasim_model::scenario::Study;
use scenarios::Scenarios;
use table::Tables;
use value::Value;

/// Most text that is read, in bytes over all files. A full matrix of 1024 nodes fits.
pub const MAX_TEXT_BYTES: usize = 8 << 20;

/// Reads all files as one study.
///
/// # Errors
/// Every problem that was found, in the order of the files and their lines.
pub fn read_study(files: &[SourceFile]) -> Result<Reading, Vec<Problem>> {
    read_study_with(files, &root::TABLE, |_, _, _| Some(((), false)))
}

/// Reads further tables of the files, once they are known and the machine is read: what they say, and whether that needs caches;
/// `None` where some of it makes no sense.
pub type Further<T> = for<'a> fn(&mut Tables<'a>, &'a Log, &MachineReading) -> Option<(T, bool)>;

/// The same of files with further tables: `root` has all of them.
///
/// # Errors
/// Those of [`read_study`].
pub fn read_study_with<T>(
    files: &[SourceFile],
    root: &'static Table,
    further: Further<T>,
) -> Result<Reading<T>, Vec<Problem>> {
    let log = Log::default();
    let read = read_files(files, &log, root, further);
    let (problems, defaults) = log.finish();
    match read {
        Some(reading) if problems.is_empty() => Ok(reading.with_defaults(defaults)),
        _ => Err(problems),
    }
}

/// All files; the defaults are still in the log.
fn read_files<T>(
    files: &[SourceFile],
    log: &Log,
    root: &'static Table,
    further: Further<T>,
) -> Option<Reading<T>> {
    if !sizes_are_sane(files, log) {
        return None;
    }
    let sources: Vec<Source<'_>> =
        files.iter().enumerate().map(|(file, text)| Source { log, file, text: &text.text }).collect();
    let roots: Vec<Spanned<DeTable<'_>>> = sources.iter().map(|&source| syntax::parse(source)).collect();
    let mut tables = Tables::of(root);
    for (&source, root) in sources.iter().zip(&roots) {
        tables.add(source, root.get_ref());
    }
    let nothing_read = roots.iter().all(|root| root.get_ref().is_empty());
    if nothing_read && !log.has_broken_syntax() {
        return None;
    }
    let machine = read_machine(files, log, &tables.single(&root::MACHINE, log));
    let (mut apps, mut courses) = (Apps::default(), Courses::default());
    for table in tables.list(&root::APP) {
        apps.add(table, &machine, &mut courses);
    }
    apps.name_instances(log);
    let mut scenarios = Scenarios::default();
    for table in tables.list(&root::SCENARIO) {
        scenarios.add(table, &apps, &machine);
    }
    let over_time = read_dynamics(&mut tables, log, (&apps, &courses), &machine);
    let tasks = further(&mut tables, log, &machine);
    let (machine, sockets) = (machine.machine?, machine.sockets);
    let instances = apps.instances()?;
    nodes::note_kernels(log, &machine, &instances);
    if tasks.as_ref().is_some_and(|&(_, needs_caches)| needs_caches) {
        nodes::note_caches(log, &machine);
    }
    let ((dynamics, of_dynamics), (tasks, _)) = (over_time?, tasks?);
    let places = Places { apps: apps.places(), scenarios: scenarios.places(), ..of_dynamics };
    let (scenarios, named) = scenarios.finish(&instances, &apps, machine.node_count())?;
    Some(Reading {
        study: Study { machine, apps: instances, scenarios, dynamics },
        tasks,
        groups: apps.groups,
        sockets,
        named,
        places,
        defaults: Vec::new(),
        defaults_by_name: Vec::new(),
        files: files.iter().map(|file| file.name.clone()).collect(),
    })
}

/// Refuses what cannot be an input file before any of it is parsed.
fn sizes_are_sane(files: &[SourceFile], log: &Log) -> bool {
    if files.is_empty() {
        let problem = Problem::new(ProblemKind::NoFile, "there is no input file");
        log.report(problem.hint("name at least one file with a `[machine]` table"));
        return false;
    }
    let mut total = 0_usize;
    for (file, source) in files.iter().enumerate() {
        total = total.saturating_add(source.text.len());
        if total > MAX_TEXT_BYTES {
            let message = format!("{total} bytes of text are too much; at most {MAX_TEXT_BYTES} are read");
            let problem = Problem::new(ProblemKind::Limit, message)
                .at(Place::whole(file), "")
                .hint("is this an input file? Even a full matrix of 1024 nodes is smaller");
            log.report(problem);
            return false;
        }
    }
    true
}

/// What the applications do over time, and where that stands.
fn read_dynamics<'a>(
    tables: &mut Tables<'a>,
    log: &'a Log,
    (apps, courses): (&Apps, &Courses),
    machine: &MachineReading,
) -> Option<(Dynamics, Places)> {
    let mut couplings = Couplings::default();
    for table in tables.list(&root::CHANNEL) {
        couplings.add_channel(table, apps);
    }
    for table in tables.list(&root::CALL) {
        couplings.add_call(table, apps);
    }
    let coupled = couplings.finish(apps, courses, log);
    let mut commands = Commands::default();
    for table in tables.list(&root::COMMAND) {
        commands.add(table, (apps, courses), machine);
    }
    let policy = commands::policy(tables.table_or_none(&root::POLICY, log));
    let os = commands::os(tables.table_or_none(&root::OS, log));
    let cluster = commands::cluster(tables.table(&root::CLUSTER, log));
    let (policy, policy_places) = policy?;
    let (coupled, (commands, command_places)) = (coupled?, commands.finish()?);
    let places = Places {
        courses: courses.places(),
        channels: coupled.channel_places,
        calls: coupled.call_places,
        commands: command_places,
        policy: policy_places.name,
        period: policy_places.period,
        ..Places::default()
    };
    let dynamics = Dynamics {
        courses: courses.of_instances(&apps.groups)?,
        channels: coupled.channels,
        calls: coupled.calls,
        commands,
        policy,
        os: os?,
        cluster: cluster?,
    };
    Some((dynamics, places))
}

fn read_machine(files: &[SourceFile], log: &Log, machines: &[Value<'_>]) -> MachineReading {
    if machines.is_empty() {
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let message = format!("there is no `[machine]` in {}", names::list(names));
        let hint = "add a `[machine]` table, or name the file that has it as well";
        log.report(Problem::new(ProblemKind::NoMachine, message).hint(hint));
    }
    let hint = "write `[machine]`, with one bracket on each side; there is one machine only";
    let single = machines.len() == 1;
    let read: Vec<MachineReading> = machines
        .iter()
        .filter_map(|value| value.table(&keys::machine::TABLE, "a table", hint))
        .map(machine::read)
        .collect();
    // With two machines nobody knows for which one the apps and scenarios were written.
    read.into_iter().next().filter(|_| single).unwrap_or_default()
}
