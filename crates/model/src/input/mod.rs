//! Reads input files: text in, a checked study or a list of located problems out.
//!
//! Nothing here touches the disk. Every problem of every file is reported, not only the first, and every value
//! that no file gives is listed among the defaults.

mod aliases;
mod app_keys;
mod apps;
mod bandwidth;
mod by_name;
mod census;
mod data;
mod log;
mod machine;
mod names;
mod node_limits;
mod node_numbers;
mod nodes;
mod os_nodes;
mod places;
mod problem;
mod provenance;
mod reading;
mod room;
mod scenarios;
#[cfg(feature = "schema")]
pub mod schema;
mod shared_links;
mod sharing;
mod sockets;
mod syntax;
mod table;
#[cfg(test)]
mod tests;
mod threads;
mod value;
pub mod writing;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub use places::{AppPlaces, Places, ScenarioPlaces};
pub use problem::{Place, Problem, ProblemKind};
pub use reading::{DefaultUsed, Group, Reading, SourceFile, TableKind};

use crate::dynamics::Dynamics;
use crate::scenario::Study;
use apps::Apps;
use log::{Log, Source};
use machine::MachineReading;
use scenarios::Scenarios;
use table::TableReader;
use value::Value;

/// Most text that is read, in bytes over all files. A full matrix of 1024 nodes fits.
pub const MAX_TEXT_BYTES: usize = 8 << 20;

/// Reads all files as one study.
///
/// # Errors
/// Every problem that was found, in the order of the files and their lines.
pub fn read_study(files: &[SourceFile]) -> Result<Reading, Vec<Problem>> {
    let log = Log::default();
    let read = read_files(files, &log);
    let (problems, defaults) = log.finish();
    match read {
        Some(reading) if problems.is_empty() => Ok(Reading { defaults, ..reading }),
        _ => Err(problems),
    }
}

/// The list or table behind a top-level key, with the file it stands in.
struct Tables<'a> {
    machines: Vec<Value<'a>>,
    apps: Vec<TableReader<'a>>,
    scenarios: Vec<TableReader<'a>>,
}

/// All files; the defaults are still in the log.
fn read_files(files: &[SourceFile], log: &Log) -> Option<Reading> {
    if !sizes_are_sane(files, log) {
        return None;
    }
    let sources: Vec<Source<'_>> =
        files.iter().enumerate().map(|(file, text)| Source { log, file, text: &text.text }).collect();
    let roots: Vec<Spanned<DeTable<'_>>> = sources.iter().map(|&source| syntax::parse(source)).collect();
    let mut tables = Tables { machines: Vec::new(), apps: Vec::new(), scenarios: Vec::new() };
    for (&source, root) in sources.iter().zip(&roots) {
        read_root(source, root.get_ref(), &mut tables);
    }
    let nothing_read = roots.iter().all(|root| root.get_ref().is_empty());
    if nothing_read && !log.has_broken_syntax() {
        return None;
    }
    let machine = read_machine(files, log, &tables.machines);
    let mut apps = Apps::default();
    for table in tables.apps {
        apps.add(table, &machine);
    }
    apps.name_instances(log);
    let mut scenarios = Scenarios::default();
    for table in tables.scenarios {
        scenarios.add(table, &apps, &machine);
    }
    let (machine, sockets) = (machine.machine?, machine.sockets);
    let instances = apps.instances()?;
    node_limits::note_kernels(log, &machine, &instances);
    let places = Places { apps: apps.places(), scenarios: scenarios.places() };
    let (scenarios, named) = scenarios.finish(&instances, &apps, machine.node_count())?;
    Some(Reading {
        study: Study { machine, apps: instances, scenarios, dynamics: Dynamics::default() },
        groups: apps.groups,
        sockets,
        named,
        places,
        defaults: Vec::new(),
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

fn read_root<'a>(source: Source<'a>, root: &'a DeTable<'a>, tables: &mut Tables<'a>) {
    if root.is_empty() {
        if !source.log.has_broken_syntax() {
            let message = if source.text.trim().is_empty() {
                "the file is empty"
            } else {
                "the file contains only comments"
            };
            let problem = Problem::new(ProblemKind::EmptyFile, message)
                .at(Place::whole(source.file), "")
                .hint("write a `[machine]`, an `[[app]]` or a `[[scenario]]` table");
            source.log.report(problem);
        }
        return;
    }
    let mut reader = TableReader::new(source, aliases::ROOT, root, 0..0);
    tables.machines.extend(reader.optional("machine"));
    for (key, title, into) in
        [("app", "[[app]]", &mut tables.apps), ("scenario", "[[scenario]]", &mut tables.scenarios)]
    {
        let Some(value) = reader.optional(key) else { continue };
        let hint = format!("write `{title}`, with two brackets on each side, above each of them");
        let entries = if matches!(value.get(), DeValue::Table(_)) {
            let message = format!("`{key}` is a list; its entries begin with `{title}`");
            value.report(ProblemKind::WrongType, message, "one bracket on each side", hint.as_str());
            None
        } else {
            value.list("a list of tables", hint.as_str())
        };
        into.extend(
            entries.into_iter().flatten().filter_map(|entry| entry.table(title, "a table", hint.as_str())),
        );
    }
    if source.log.has_broken_syntax() {
        // Behind a broken header the keys of its table seem to stand at the top.
        return;
    }
    reader.finish();
}

fn read_machine(files: &[SourceFile], log: &Log, machines: &[Value<'_>]) -> MachineReading {
    if let [first, others @ ..] = machines {
        for other in others {
            let problem = Problem::new(ProblemKind::TwoMachines, "there are two machines")
                .at(other.place(), "another `[machine]`")
                .related(first.place(), "the first `[machine]`")
                .hint("give exactly one `[machine]` over all files");
            log.report(problem);
        }
    } else {
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let message = format!("there is no `[machine]` in {}", names::list(names));
        let hint = "add a `[machine]` table, or name the file that has it as well";
        log.report(Problem::new(ProblemKind::NoMachine, message).hint(hint));
    }
    let hint = "write `[machine]`, with one bracket on each side; there is one machine only";
    let single = machines.len() == 1;
    let read: Vec<MachineReading> = machines
        .iter()
        .filter_map(|value| value.table("[machine]", "a table", hint))
        .map(machine::read)
        .collect();
    // With two machines nobody knows for which one the apps and scenarios were written.
    read.into_iter().next().filter(|_| single).unwrap_or_default()
}
