//! Reads input files: the input is text, the output is a checked study or a list of problems with their
//! places.
//!
//! This crate does not access the disk. It reports every problem of every file, not only the first, and lists
//! a default for every value that no file contains.

mod app_keys;
mod apps;
mod bandwidth;
mod census;
pub mod csv;
pub mod data;
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
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
pub mod thread_row;
mod threads;
pub mod topology;
mod value;
pub mod writing;

use toml::Spanned;
use toml::de::DeTable;

/// Building blocks for readers of further tables.
pub mod reader {
    pub use super::app_keys::AppReading;
    pub use super::apps::{Apps, Named, instance, named};
    pub use super::log::{Log, Source};
    pub use super::machine::{MachineReading, node_with_memory};
    pub use super::nodes::node_number;
    pub use super::table::{TableReader, Tables, time};
    pub use super::value::{Count, Quantity, Value, given};
    pub use super::{data, thread_row};
}

pub use problem::{Place, Problem, ProblemKind};
pub use reading::{AppPlaces, Places, ScenarioPlaces};
pub use reading::{DefaultUsed, Group, Reading, SourceFile, TableKind};

use app_keys::AppReading;
use apps::Apps;
use keys::{Table, root};
use log::{Log, Source};
use machine::MachineReading;
use numasim_model::scenario::Study;
use numasim_model::units::Gflop;
use scenarios::Scenarios;
use table::{TableReader, Tables};
use value::Value;

/// Maximum size of the text of all files together, in bytes. A full matrix of 1024 nodes fits.
pub const MAX_TEXT_BYTES: usize = 8 << 20;

/// Additions of a family to the input files: keys of `[[app]]`, and tables.
pub trait Family {
    /// The result of reading.
    type Read;

    /// Reads further keys of one more application; `app` contains the values of the other keys. Returns the
    /// total work of all its iterations, if the file specifies it. This default implementation has no keys
    /// and reads the total work.
    fn app(&mut self, table: &mut TableReader<'_>, _: &AppReading, _: &MachineReading) -> Option<Gflop> {
        table
            .read_or(&keys::app::WORK_GFLOP, None, |value| value.number().map(Gflop::new).map(Some))
            .flatten()
    }

    /// Whether the application of a table may have no arithmetic intensity: an external program is started, not computed.
    fn may_lack_intensity(&self, _: &TableReader<'_>) -> bool {
        false
    }

    /// Reads further tables once the applications are known. Returns their contents, and whether these need
    /// caches; `None` if any table is invalid.
    fn tables<'a>(
        self,
        tables: &mut Tables<'a>,
        log: &'a Log,
        apps: &Apps,
        machine: &MachineReading,
    ) -> Option<(Self::Read, bool)>;
}

/// No family.
impl Family for () {
    type Read = ();

    fn tables<'a>(
        self,
        _: &mut Tables<'a>,
        _: &'a Log,
        _: &Apps,
        _: &MachineReading,
    ) -> Option<(Self::Read, bool)> {
        Some(((), false))
    }
}

/// Reads all files as one study.
///
/// # Errors
/// All problems, in the order of the files and their lines.
pub fn read_study(files: &[SourceFile]) -> Result<Reading, Vec<Problem>> {
    read_study_with(files, &root::TABLE, ())
}

/// Like [`read_study`], for files with the additions of a family; `root` contains all tables.
///
/// # Errors
/// Those of [`read_study`].
pub fn read_study_with<F: Family>(
    files: &[SourceFile],
    root: &'static Table,
    family: F,
) -> Result<Reading<Study, F::Read>, Vec<Problem>> {
    let log = Log::default();
    let read = read_files(files, &log, root, family);
    let (problems, defaults) = log.finish();
    match read {
        Some(reading) if problems.is_empty() => Ok(reading.with_defaults(defaults)),
        _ => Err(problems),
    }
}

/// Reads all files; the defaults are still in the log.
fn read_files<F: Family>(
    files: &[SourceFile],
    log: &Log,
    root: &'static Table,
    mut family: F,
) -> Option<Reading<Study, F::Read>> {
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
    let mut apps = Apps::default();
    for table in tables.list(&root::APP) {
        apps.add(table, &machine, &mut family);
    }
    apps.name_instances(log);
    let mut scenarios = Scenarios::default();
    for table in tables.list(&root::SCENARIO) {
        scenarios.add(table, &apps, &machine);
    }
    let further = family.tables(&mut tables, log, &apps, &machine);
    let (machine, sockets) = (machine.machine?, machine.sockets);
    let instances = apps.instances()?;
    nodes::note_kernels(log, &machine, &instances);
    if further.as_ref().is_some_and(|&(_, needs_caches)| needs_caches) {
        nodes::note_caches(log, &machine);
    }
    let (further, _) = further?;
    let places = Places { apps: apps.places(), scenarios: scenarios.places() };
    let (scenarios, named) = scenarios.finish(&instances, &apps, &machine)?;
    Some(Reading {
        study: Study { machine, apps: instances, scenarios },
        further,
        groups: apps.groups,
        sockets,
        named,
        places,
        defaults: Vec::new(),
        defaults_by_name: Vec::new(),
        files: files.iter().map(|file| file.name.clone()).collect(),
    })
}

/// Rejects texts that cannot be input files before any parsing.
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
    // With two machines it is unclear for which one the apps and scenarios were written.
    read.into_iter().next().filter(|_| single).unwrap_or_default()
}
